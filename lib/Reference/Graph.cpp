//===- Graph.cpp - domains and maps of a plain graph ----------------------===//

#include "RGNN/Reference/Graph.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

FailureOr<reference::Graph> reference::Graph::make(
    function_ref<InFlightDiagnostic()> emitError, std::vector<int64_t> src,
    std::vector<int64_t> dst, std::vector<int64_t> etype, int64_t numNodes,
    int64_t numEdgeTypes, std::optional<std::vector<int64_t>> nodesOfType,
    NodeSets nodeSets) {
  if (src.size() != dst.size() || src.size() != etype.size())
    return emitError() << "expected src, dst and types of one length, got "
                       << src.size() << ", " << dst.size() << " and "
                       << etype.size();
  constexpr int64_t limit = int64_t(1) << 24;
  auto inRange = [&](int64_t count) { return count >= 0 && count <= limit; };
  if (!inRange(numNodes) || !inRange(numEdgeTypes))
    return emitError() << "expected numbers of nodes and edge types in [0, "
                       << limit << "], got " << numNodes << " and "
                       << numEdgeTypes;
  if (nodesOfType) {
    int64_t sum = 0;
    for (int64_t count : *nodesOfType) {
      if (!inRange(count))
        return emitError() << "expected a number of nodes of a type in [0, "
                           << limit << "], got " << count;
      sum += count;
    }
    if (sum != numNodes)
      return emitError() << "expected " << numNodes
                         << " nodes in all types together, got " << sum;
  }
  bool isBipartite = nodeSets == NodeSets::Bipartite;
  if (isBipartite && (!nodesOfType || nodesOfType->size() != 2))
    return emitError() << "expected the numbers of sources and of destinations "
                          "of a bipartite graph";
  for (const auto &[ends, type] : {std::pair(ArrayRef(src), kSrcNodes),
                                   std::pair(ArrayRef(dst), kDstNodes)})
    for (auto [edge, node] : llvm::enumerate(ends))
      if (int64_t count = isBipartite ? (*nodesOfType)[type] : numNodes;
          node < 0 || node >= count)
        return emitError() << "expected nodes in [0, " << count << "), got "
                           << node << " at edge " << edge;
  for (auto [edge, type] : llvm::enumerate(etype))
    if (type < 0 || type >= numEdgeTypes)
      return emitError() << "expected edge types in [0, " << numEdgeTypes
                         << "), got " << type << " at edge " << edge;
  Graph graph;
  graph.src = std::move(src);
  graph.dst = std::move(dst);
  graph.etype = std::move(etype);
  graph.numNodes = numNodes;
  graph.numEdgeTypes = numEdgeTypes;
  graph.nodesOfType = std::move(nodesOfType);
  graph.nodeSets = nodeSets;
  graph.srcPairs = graph.makePairs(graph.src);
  graph.dstPairs = graph.makePairs(graph.dst);
  return graph;
}

reference::Graph::Pairs
reference::Graph::makePairs(ArrayRef<int64_t> ends) const {
  std::map<std::pair<int64_t, int64_t>, int64_t> numbers;
  for (auto [type, node] : llvm::zip(etype, ends))
    numbers[{type, node}] = 0;
  Pairs pairs;
  for (auto &[key, number] : numbers) {
    number = pairs.node.size();
    pairs.etype.push_back(key.first);
    pairs.node.push_back(key.second);
  }
  for (auto [type, node] : llvm::zip(etype, ends))
    pairs.ofEdge.push_back(numbers[{type, node}]);
  return pairs;
}

reference::Graph reference::Graph::getPart(Part part) const {
  std::vector<int64_t> numSrc(numEdgeTypes), numDst(numEdgeTypes);
  for (int64_t type : srcPairs.etype)
    ++numSrc[type];
  for (int64_t type : dstPairs.etype)
    ++numDst[type];
  Graph result = *this;
  result.src.clear();
  result.dst.clear();
  result.etype.clear();
  result.numWholeEdges = src.size();
  std::vector<int64_t> edges(src.size());
  std::iota(edges.begin(), edges.end(), 0);
  llvm::stable_sort(edges, [&](int64_t a, int64_t b) {
    return std::pair(dst[a], etype[a]) < std::pair(dst[b], etype[b]);
  });
  for (int64_t edge : edges) {
    int64_t from = src[edge], to = dst[edge], type = etype[edge];
    Part ofType = numSrc[type] <= numDst[type] ? Part::Src : Part::Dst;
    if (part != Part::Whole && part != ofType)
      continue;
    result.wholeEdges.push_back(edge);
    result.src.push_back(from);
    result.dst.push_back(to);
    result.etype.push_back(type);
  }
  result.srcPairs = result.makePairs(result.src);
  result.dstPairs = result.makePairs(result.dst);
  return result;
}

std::optional<int64_t> reference::Graph::getNumRows(Domain domain) const {
  switch (domain) {
  case Domain::Edge:
    return src.size();
  case Domain::SrcPair:
    return srcPairs.node.size();
  case Domain::DstPair:
    return dstPairs.node.size();
  case Domain::Node:
    return numNodes;
  case Domain::EType:
    return numEdgeTypes;
  case Domain::NType:
    return nodesOfType ? std::optional<int64_t>(nodesOfType->size())
                       : std::nullopt;
  }
  llvm_unreachable("all domains are handled");
}

std::optional<int64_t> reference::Graph::getNumRows(RowsAttr rows) const {
  if (rows.getType() < 0)
    return getNumRows(rows.getDomain());
  auto range = getNodeRange(rows.getType());
  return range ? std::optional(range->second - range->first) : std::nullopt;
}

std::optional<int64_t> reference::Graph::getNumTargets(Domain from,
                                                       Path path) const {
  if (path == Path::Whole)
    return numWholeEdges;
  Domain to = *follow(from, path);
  if (nodeSets == NodeSets::Bipartite && to == Domain::Node)
    return (*nodesOfType)[path == Path::Src ? kSrcNodes : kDstNodes];
  return getNumRows(to);
}

std::optional<std::pair<int64_t, int64_t>>
reference::Graph::getNodeRange(int64_t type) const {
  if (!nodesOfType || type < 0 ||
      type >= static_cast<int64_t>(nodesOfType->size()))
    return std::nullopt;
  int64_t begin = 0;
  for (int64_t earlier = 0; earlier < type; ++earlier)
    begin += (*nodesOfType)[earlier];
  return std::pair(begin, begin + (*nodesOfType)[type]);
}

std::optional<std::vector<int64_t>> reference::Graph::getMap(Domain from,
                                                             Path path) const {
  switch (path) {
  case Path::Src:
    if (from == Domain::Edge)
      return src;
    if (from == Domain::SrcPair)
      return srcPairs.node;
    return std::nullopt;
  case Path::Dst:
    if (from == Domain::Edge)
      return dst;
    if (from == Domain::DstPair)
      return dstPairs.node;
    return std::nullopt;
  case Path::SrcPair:
    if (from == Domain::Edge)
      return srcPairs.ofEdge;
    return std::nullopt;
  case Path::DstPair:
    if (from == Domain::Edge)
      return dstPairs.ofEdge;
    return std::nullopt;
  case Path::EType:
    if (from == Domain::Edge)
      return etype;
    if (from == Domain::SrcPair)
      return srcPairs.etype;
    if (from == Domain::DstPair)
      return dstPairs.etype;
    return std::nullopt;
  case Path::NType: {
    if (from != Domain::Node || !nodesOfType)
      return std::nullopt;
    std::vector<int64_t> types;
    for (auto [type, count] : llvm::enumerate(*nodesOfType))
      types.insert(types.end(), count, type);
    return types;
  }
  case Path::Whole:
    if (from != Domain::Edge)
      return std::nullopt;
    return wholeEdges;
  }
  llvm_unreachable("all paths are handled");
}
