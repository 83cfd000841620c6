//===- GraphParts.cpp - Parts of a graph by edge type ---------------------===//

#include "CUDA/DeviceViews.h"
#include "Graph/Graph.h"
#include "Support/Error.h"
#include <algorithm>

using namespace rgnn;

void Graph::checkKind(ViewKind kind) const {
  if (ownPart == Part::whole && isOfPartsOnly(kind))
    failInput(viewName(kind), ": expected a part of a graph, got a whole one");
}

std::vector<Part> Graph::partOfTypes() {
  const int32_t *sources = need(ViewKind::src_pair_etype_offsets);
  const int32_t *destinations = need(ViewKind::dst_pair_etype_offsets);
  std::vector<Part> result(numEdgeTypes);
  for (int64_t type = 0; type < numEdgeTypes; ++type)
    result[type] = sources[type + 1] - sources[type] <=
                           destinations[type + 1] - destinations[type]
                       ? Part::src
                       : Part::dst;
  return result;
}

Graph::Graph(Graph &whole, Part part)
    : numNodes(whole.numNodes), numSrcNodes(whole.numSrcNodes),
      numDstNodes(whole.numDstNodes), isBipartite(whole.isBipartite),
      numEdgeTypes(whole.numEdgeTypes), device(whole.device),
      srcType(whole.srcType), dstType(whole.dstType),
      ntypeOffsets(whole.ntypeOffsets), ownPart(part),
      numWholeEdges(whole.numEdges) {
  if (device != -1)
    return;
  const std::vector<Part> partOf = whole.partOfTypes();
  const int32_t *src = whole.need(ViewKind::src_of_edge);
  const int32_t *dst = whole.need(ViewKind::dst_of_edge);
  const int32_t *type = whole.need(ViewKind::etype_of_edge);
  numEdges = std::count_if(type, type + whole.numEdges,
                           [&](int32_t t) { return partOf[t] == part; });
  listEdges = {numEdges};
  rawSrc = allocate(numEdges);
  rawDst = allocate(numEdges);
  rawType = allocate(numEdges);
  IntArray positions = allocate(numEdges);
  for (int64_t p = 0, edge = 0; p < whole.numEdges; ++p) {
    if (partOf[type[p]] != part)
      continue;
    rawSrc[edge] = src[p];
    rawDst[edge] = dst[p];
    rawType[edge] = type[p];
    positions[edge++] = static_cast<int32_t>(p);
  }
  keep(ViewKind::whole_edge, std::move(positions), numEdges);
}

Graph &Graph::part(Part part) {
  if (part == Part::whole)
    return *this;
  if (ownPart != Part::whole)
    failInput("expected a whole graph to take part ", partName(part),
              " of, got its part ", partName(ownPart));
  auto &place = parts[static_cast<size_t>(part)];
  if (Graph *built = place.load(std::memory_order_acquire))
    return *built;
  std::lock_guard<std::mutex> lock(mutex);
  if (!place.load(std::memory_order_relaxed))
    place.store(new Graph(*this, part), std::memory_order_release);
  return *place.load(std::memory_order_relaxed);
}

uint64_t Graph::bytes() const {
  uint64_t bytes = numBytes.load(std::memory_order_relaxed);
  for (Part part : {Part::src, Part::dst})
    if (const Graph *built = findPart(part))
      bytes += built->bytes();
  return bytes;
}
