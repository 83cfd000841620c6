//===- ViewBuilders.cpp - How each graph view is built --------------------===//
//
// All orders are made by stable counting sorts, O(items + keys) each, under the
// lock of the graph.
//
//===----------------------------------------------------------------------===//

#include "Graph/Graph.h"
#include "Profile/Recorder.h"
#include "Support/Error.h"
#include <algorithm>

using namespace rgnn;

/// offsets[k] = number of items whose key is less than k, for k in [0, keys].
template <typename Key>
static void countKeys(int64_t items, int64_t keys, Key key, int32_t *offsets) {
  std::fill_n(offsets, keys + 1, 0);
  for (int64_t i = 0; i < items; ++i)
    ++offsets[key(i) + 1];
  for (int64_t k = 0; k < keys; ++k)
    offsets[k + 1] += offsets[k];
}

/// Calls place(slot, i) with the slot of each item in the order (key, i).
template <typename Key, typename Place>
static void placeByKey(int64_t items, int64_t keys, Key key,
                       const int32_t *offsets, Place place) {
  std::vector<int32_t> next(offsets, offsets + keys);
  for (int64_t i = 0; i < items; ++i)
    place(next[key(i)]++, i);
}

/// Makes views of one graph, and those that they are made of.
struct Graph::ViewBuilder {
  void build(ViewKind kind, int64_t param);

  void buildOrder();
  void buildEndsById();
  void buildDstOfEdge();
  void buildDstPairs();
  void buildDstPairOrder();
  void buildPairsOfNode();
  void buildSourcePairs();
  void buildNodeTypes();
  /// The rows of view `keyOf` sorted by (key, row), and the first of each key.
  void buildGroups(ViewKind offsets, ViewKind rows, ViewKind keyOf,
                   int64_t numKeys);
  /// The first slot of each (edge type, end of edges).
  void buildTableOffsets(ViewKind kind, ViewKind ends);
  void buildGather(ViewKind kind, ViewKind of);
  void buildInverse(ViewKind kind, ViewKind of);
  void buildTiles(ViewKind kind, int64_t rowsPerTile);
  void buildWholeOffsets();

  Graph &graph;
};

void Graph::build(ViewKind kind, int64_t param) {
  const RecordedScope recorded(RGNN_EVENT_VIEW, viewName(kind));
  ViewBuilder{*this}.build(kind, param);
}

void Graph::ViewBuilder::build(ViewKind kind, int64_t param) {
  switch (kind) {
  case ViewKind::dst_offsets:
  case ViewKind::src_of_edge:
  case ViewKind::etype_of_edge:
  case ViewKind::edge_id:
    return buildOrder();
  case ViewKind::edge_position:
    return buildInverse(kind, ViewKind::edge_id);
  case ViewKind::dst_of_edge:
    return buildDstOfEdge();
  case ViewKind::src_of_id:
  case ViewKind::dst_of_id:
  case ViewKind::etype_of_id:
    return buildEndsById();
  case ViewKind::dst_pair_of_edge:
  case ViewKind::dst_pair_offsets:
    return buildDstPairs();
  case ViewKind::dst_pair_runs:
  case ViewKind::dst_pair_node:
  case ViewKind::dst_pair_etype:
  case ViewKind::dst_pair_etype_offsets:
    return buildDstPairOrder();
  case ViewKind::dst_pair_rank:
    return buildInverse(kind, ViewKind::dst_pair_runs);
  case ViewKind::dst_pair_dst_offsets:
    return buildPairsOfNode();
  case ViewKind::etype_edges:
  case ViewKind::etype_offsets:
    return buildGroups(ViewKind::etype_offsets, ViewKind::etype_edges,
                       ViewKind::etype_of_edge, graph.numEdgeTypes);
  case ViewKind::etype_src:
    return buildGather(kind, ViewKind::src_of_edge);
  case ViewKind::etype_dst:
    return buildGather(kind, ViewKind::dst_of_edge);
  case ViewKind::etype_edge_id:
    return buildGather(kind, ViewKind::edge_id);
  case ViewKind::ntype_of_node:
  case ViewKind::ntype_offsets:
    return buildNodeTypes();
  case ViewKind::src_offsets:
  case ViewKind::src_edges:
    return buildGroups(ViewKind::src_offsets, ViewKind::src_edges,
                       ViewKind::src_of_edge, graph.numSrcNodes);
  case ViewKind::src_pair_of_edge:
  case ViewKind::src_pair_node:
  case ViewKind::src_pair_etype:
  case ViewKind::src_pair_etype_offsets:
    return buildSourcePairs();
  case ViewKind::src_pair_offsets:
  case ViewKind::src_pair_edges:
    return buildGroups(ViewKind::src_pair_offsets, ViewKind::src_pair_edges,
                       ViewKind::src_pair_of_edge,
                       graph.needView(ViewKind::src_pair_node).rows);
  case ViewKind::src_pair_src_offsets:
  case ViewKind::src_pair_src_pairs:
    return buildGroups(ViewKind::src_pair_src_offsets,
                       ViewKind::src_pair_src_pairs, ViewKind::src_pair_node,
                       graph.numSrcNodes);
  case ViewKind::src_table_offsets:
    return buildTableOffsets(kind, ViewKind::src_of_edge);
  case ViewKind::dst_table_offsets:
    return buildTableOffsets(kind, ViewKind::dst_of_edge);
  case ViewKind::etype_tiles:
  case ViewKind::ntype_tiles:
  case ViewKind::dst_pair_tiles:
  case ViewKind::src_pair_tiles:
    return buildTiles(kind, param);
  case ViewKind::whole_offsets:
    return buildWholeOffsets();
  case ViewKind::whole_edge: // kept with the part
    return;
  }
}

/// Sorts by type, then by destination; the edges as given are then dropped.
void Graph::ViewBuilder::buildOrder() {
  const int32_t *src = graph.rawSrc.get(), *dst = graph.rawDst.get();
  const int32_t *type = graph.rawType.get();
  std::vector<int32_t> byType;
  if (type && !std::is_sorted(type, type + graph.numEdges)) {
    auto key = [&](int64_t e) { return type[e]; };
    std::vector<int32_t> offsets(graph.numEdgeTypes + 1);
    byType.resize(graph.numEdges);
    countKeys(graph.numEdges, graph.numEdgeTypes, key, offsets.data());
    placeByKey(graph.numEdges, graph.numEdgeTypes, key, offsets.data(),
               [&](int32_t slot, int64_t e) { byType[slot] = e; });
  }

  IntArray offsets = graph.allocate(graph.numDstNodes + 1),
           ids = graph.allocate(graph.numEdges);
  IntArray srcs = graph.allocate(graph.numEdges),
           types = graph.allocate(graph.numEdges);
  countKeys(
      graph.numEdges, graph.numDstNodes, [&](int64_t e) { return dst[e]; },
      offsets.get());
  std::vector<int32_t> next(offsets.get(), offsets.get() + graph.numDstNodes);
  for (int64_t i = 0; i < graph.numEdges; ++i) {
    const int32_t edge = byType.empty() ? static_cast<int32_t>(i) : byType[i];
    const int32_t position = next[dst[edge]]++;
    ids[position] = edge;
    srcs[position] = src[edge];
    types[position] = type ? type[edge] : 0;
  }
  graph.keep(ViewKind::src_of_edge, std::move(srcs), graph.numEdges);
  graph.keep(ViewKind::etype_of_edge, std::move(types), graph.numEdges);
  graph.keep(ViewKind::edge_id, std::move(ids), graph.numEdges);
  graph.keep(ViewKind::dst_offsets, std::move(offsets), graph.numDstNodes + 1);

  graph.numBytes -= graph.numEdges * sizeof(int32_t) * (type ? 3 : 2);
  graph.rawSrc.reset();
  graph.rawDst.reset();
  graph.rawType.reset();
}

/// The edges as given, which need no order as long as they are there.
void Graph::ViewBuilder::buildEndsById() {
  const bool isSorted = !graph.rawSrc;
  const int32_t *ids = isSorted ? graph.need(ViewKind::edge_id) : nullptr;
  auto keep = [&](ViewKind kind, const IntArray &raw, ViewKind byPosition) {
    IntArray values = graph.allocate(graph.numEdges);
    const int32_t *sorted = isSorted ? graph.need(byPosition) : nullptr;
    if (raw)
      std::copy_n(raw.get(), graph.numEdges, values.get());
    else
      for (int64_t p = 0; p < graph.numEdges; ++p)
        values[ids ? ids[p] : p] = sorted ? sorted[p] : 0;
    graph.keep(kind, std::move(values), graph.numEdges);
  };
  keep(ViewKind::src_of_id, graph.rawSrc, ViewKind::src_of_edge);
  keep(ViewKind::dst_of_id, graph.rawDst, ViewKind::dst_of_edge);
  keep(ViewKind::etype_of_id, graph.rawType, ViewKind::etype_of_edge);
}

void Graph::ViewBuilder::buildDstOfEdge() {
  const int32_t *offsets = graph.need(ViewKind::dst_offsets);
  IntArray nodes = graph.allocate(graph.numEdges);
  for (int64_t node = 0; node < graph.numDstNodes; ++node)
    std::fill(nodes.get() + offsets[node], nodes.get() + offsets[node + 1],
              static_cast<int32_t>(node));
  graph.keep(ViewKind::dst_of_edge, std::move(nodes), graph.numEdges);
}

void Graph::ViewBuilder::buildDstPairs() {
  const int32_t *dst = graph.need(ViewKind::dst_of_edge);
  const int32_t *type = graph.need(ViewKind::etype_of_edge);
  IntArray pairOfEdge = graph.allocate(graph.numEdges);
  int32_t pair = -1;
  for (int64_t p = 0; p < graph.numEdges; ++p) {
    pair += p == 0 || dst[p] != dst[p - 1] || type[p] != type[p - 1];
    pairOfEdge[p] = pair;
  }
  const int64_t numPairs = pair + int64_t(1);
  IntArray offsets = graph.allocate(numPairs + 1);
  for (int64_t p = graph.numEdges - 1; p >= 0; --p)
    offsets[pairOfEdge[p]] = p;
  offsets[numPairs] = graph.numEdges;
  graph.keep(ViewKind::dst_pair_of_edge, std::move(pairOfEdge), graph.numEdges);
  graph.keep(ViewKind::dst_pair_offsets, std::move(offsets), numPairs + 1);
}

void Graph::ViewBuilder::buildDstPairOrder() {
  const int32_t *offsets = graph.need(ViewKind::dst_pair_offsets);
  const int32_t *dst = graph.need(ViewKind::dst_of_edge);
  const int32_t *type = graph.need(ViewKind::etype_of_edge);
  int64_t numPairs;
  graph.findSize(SizeKind::dst_pair, 0, numPairs);
  // Runs are in the order (destination, type), so that a stable sort by type
  // leaves the destinations of a type in order.
  auto key = [&](int64_t run) { return type[offsets[run]]; };
  IntArray runs = graph.allocate(numPairs), nodes = graph.allocate(numPairs);
  IntArray types = graph.allocate(numPairs);
  IntArray typeOffsets = graph.allocate(graph.numEdgeTypes + 1);
  countKeys(numPairs, graph.numEdgeTypes, key, typeOffsets.get());
  placeByKey(numPairs, graph.numEdgeTypes, key, typeOffsets.get(),
             [&](int32_t slot, int64_t run) {
               runs[slot] = run;
               nodes[slot] = dst[offsets[run]];
               types[slot] = type[offsets[run]];
             });
  graph.keep(ViewKind::dst_pair_etype_offsets, std::move(typeOffsets),
             graph.numEdgeTypes + 1);
  graph.keep(ViewKind::dst_pair_runs, std::move(runs), numPairs);
  graph.keep(ViewKind::dst_pair_node, std::move(nodes), numPairs);
  graph.keep(ViewKind::dst_pair_etype, std::move(types), numPairs);
}

/// The runs of a node follow each other.
void Graph::ViewBuilder::buildPairsOfNode() {
  const RgnnView pairs = graph.needView(ViewKind::dst_pair_of_edge);
  const int32_t *first = graph.need(ViewKind::dst_offsets);
  const int64_t numPairs = graph.needView(ViewKind::dst_pair_offsets).rows - 1;
  IntArray offsets = graph.allocate(graph.numDstNodes + 1);
  for (int64_t node = 0; node <= graph.numDstNodes; ++node)
    offsets[node] = static_cast<int32_t>(
        first[node] < graph.numEdges ? pairs.data[first[node]] : numPairs);
  graph.keep(ViewKind::dst_pair_dst_offsets, std::move(offsets),
             graph.numDstNodes + 1);
}

void Graph::ViewBuilder::buildGroups(ViewKind offsetsKind, ViewKind rowsKind,
                                     ViewKind keyOf, int64_t numKeys) {
  const RgnnView keys = graph.needView(keyOf);
  auto key = [&](int64_t row) { return keys.data[row]; };
  IntArray rows = graph.allocate(keys.rows),
           offsets = graph.allocate(numKeys + 1);
  countKeys(keys.rows, numKeys, key, offsets.get());
  placeByKey(keys.rows, numKeys, key, offsets.get(),
             [&](int32_t slot, int64_t row) { rows[slot] = row; });
  graph.keep(rowsKind, std::move(rows), keys.rows);
  graph.keep(offsetsKind, std::move(offsets), numKeys + 1);
}

/// Tables have a row for each type and node, whether edges have both or not;
/// bipartite graphs have none.
void Graph::ViewBuilder::buildTableOffsets(ViewKind kind, ViewKind ends) {
  const int32_t *node = graph.need(ends),
                *type = graph.need(ViewKind::etype_of_edge);
  const int64_t rows = graph.numEdgeTypes * graph.numNodes;
  if (rows > maxIndex)
    failInput("expected at most ", maxIndex, " edge types x nodes, got ", rows);
  IntArray offsets = graph.allocate(rows + 1);
  countKeys(
      graph.numEdges, rows,
      [&](int64_t p) { return type[p] * graph.numNodes + node[p]; },
      offsets.get());
  graph.keep(kind, std::move(offsets), rows + 1);
}

void Graph::ViewBuilder::buildWholeOffsets() {
  const int32_t *wholeEdge = graph.need(ViewKind::whole_edge);
  IntArray offsets = graph.allocate(graph.numWholeEdges + 1);
  countKeys(
      graph.numEdges, graph.numWholeEdges,
      [&](int64_t p) { return wholeEdge[p]; }, offsets.get());
  graph.keep(ViewKind::whole_offsets, std::move(offsets),
             graph.numWholeEdges + 1);
}

void Graph::ViewBuilder::buildGather(ViewKind kind, ViewKind of) {
  const int32_t *edges = graph.need(ViewKind::etype_edges),
                *values = graph.need(of);
  IntArray gathered = graph.allocate(graph.numEdges);
  for (int64_t i = 0; i < graph.numEdges; ++i)
    gathered[i] = values[edges[i]];
  graph.keep(kind, std::move(gathered), graph.numEdges);
}

void Graph::ViewBuilder::buildInverse(ViewKind kind, ViewKind of) {
  const RgnnView order = graph.needView(of);
  IntArray places = graph.allocate(order.rows);
  for (int64_t i = 0; i < order.rows; ++i)
    places[order.data[i]] = static_cast<int32_t>(i);
  graph.keep(kind, std::move(places), order.rows);
}

void Graph::ViewBuilder::buildSourcePairs() {
  const int32_t *bySource = graph.need(ViewKind::src_edges);
  const int32_t *src = graph.need(ViewKind::src_of_edge);
  const int32_t *type = graph.need(ViewKind::etype_of_edge);
  // Sorted by source, a stable sort by type leaves the sources of a type in
  // order. Types are gathered once, since reads out of order are what costs.
  std::vector<int32_t> typeBySource(graph.numEdges), order(graph.numEdges);
  for (int64_t i = 0; i < graph.numEdges; ++i)
    typeBySource[i] = type[bySource[i]];
  auto key = [&](int64_t i) { return typeBySource[i]; };
  std::vector<int32_t> offsets(graph.numEdgeTypes + 1);
  countKeys(graph.numEdges, graph.numEdgeTypes, key, offsets.data());
  placeByKey(graph.numEdges, graph.numEdgeTypes, key, offsets.data(),
             [&](int32_t slot, int64_t i) { order[slot] = bySource[i]; });

  IntArray pairOfEdge = graph.allocate(graph.numEdges);
  std::vector<int32_t> firsts;
  for (int64_t t = 0; t < graph.numEdgeTypes; ++t)
    for (int32_t i = offsets[t], last = -1; i < offsets[t + 1]; ++i) {
      const int32_t p = order[i];
      if (src[p] != last)
        firsts.push_back(p);
      last = src[p];
      pairOfEdge[p] = static_cast<int32_t>(firsts.size() - 1);
    }
  const int64_t numPairs = firsts.size();
  IntArray nodes = graph.allocate(numPairs), types = graph.allocate(numPairs);
  for (int64_t pair = 0; pair < numPairs; ++pair) {
    nodes[pair] = src[firsts[pair]];
    types[pair] = type[firsts[pair]];
  }
  IntArray typeOffsets = graph.allocate(graph.numEdgeTypes + 1);
  countKeys(
      numPairs, graph.numEdgeTypes, [&](int64_t pair) { return types[pair]; },
      typeOffsets.get());
  graph.keep(ViewKind::src_pair_etype_offsets, std::move(typeOffsets),
             graph.numEdgeTypes + 1);
  graph.keep(ViewKind::src_pair_of_edge, std::move(pairOfEdge), graph.numEdges);
  graph.keep(ViewKind::src_pair_etype, std::move(types), numPairs);
  graph.keep(ViewKind::src_pair_node, std::move(nodes), numPairs);
}

/// Nodes are numbered type by type.
void Graph::ViewBuilder::buildNodeTypes() {
  IntArray types = graph.allocate(graph.numNodes);
  IntArray offsets = graph.allocate(graph.numNodeTypes() + 1);
  std::copy(graph.ntypeOffsets.begin(), graph.ntypeOffsets.end(),
            offsets.get());
  for (int64_t type = 0; type < graph.numNodeTypes(); ++type)
    std::fill(types.get() + offsets[type], types.get() + offsets[type + 1],
              static_cast<int32_t>(type));
  graph.keep(ViewKind::ntype_of_node, std::move(types), graph.numNodes);
  graph.keep(ViewKind::ntype_offsets, std::move(offsets),
             graph.numNodeTypes() + 1);
}

void Graph::ViewBuilder::buildTiles(ViewKind kind, int64_t rowsPerTile) {
  const int64_t step =
      std::min(rowsPerTile, graph.numEdges + graph.numNodes + 1);
  std::vector<int32_t> tiles;
  auto cut = [&](const auto *offsets, int64_t types) {
    for (int64_t type = 0; type < types; ++type) {
      const int64_t last = offsets[type + 1];
      for (int64_t begin = offsets[type]; begin < last; begin += step)
        for (int64_t value : {type, begin, std::min(begin + step, last)})
          tiles.push_back(static_cast<int32_t>(value));
    }
  };
  if (kind == ViewKind::ntype_tiles)
    cut(graph.ntypeOffsets.data(), graph.numNodeTypes());
  else
    cut(graph.need(kind == ViewKind::etype_tiles ? ViewKind::etype_offsets
                   : kind == ViewKind::dst_pair_tiles
                       ? ViewKind::dst_pair_etype_offsets
                       : ViewKind::src_pair_etype_offsets),
        graph.numEdgeTypes);
  IntArray data = graph.allocate(tiles.size());
  std::copy(tiles.begin(), tiles.end(), data.get());
  graph.keep(kind, std::move(data), tiles.size() / 3, rowsPerTile);
}
