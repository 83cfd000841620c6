//===- GraphInput.h - What a graph is made of, checked ----------*- C++ -*-===//

#ifndef RGNN_RUNTIME_GRAPH_GRAPHINPUT_H
#define RGNN_RUNTIME_GRAPH_GRAPHINPUT_H

#include "rgnn/runtime.h"
#include <memory>
#include <vector>

namespace rgnn {

using IntArray = std::unique_ptr<int32_t[]>;

/// The edges and types of a graph as given, with node indices of all types
/// together, or of sources and destinations apart.
struct GraphInput {
  /// Fails with what was expected and what came.
  GraphInput(const RgnnGraphDesc &desc, bool isBipartite);

  /// Of all types; sources and destinations are these, or of one type each.
  int64_t numNodes = 0, numSrcNodes = 0, numDstNodes = 0;
  bool isBipartite = false;
  /// Whether edge_index have one end of each edge.
  bool areEnds = false;
  int64_t numEdges = 0;
  int64_t numEdgeTypes = 0;
  /// The GPU whose memory edges are in, which are not read then; -1 for the
  /// processor's.
  int32_t device = -1;
  /// `type` is null where all types are 0.
  IntArray src, dst, type;
  /// Of each edge_index.
  std::vector<int64_t> edgeCounts;
  std::vector<int32_t> srcType, dstType;
  /// First node of each node type; one more at the end.
  std::vector<int64_t> ntypeOffsets;

private:
  void checkSizes(const RgnnGraphDesc &desc);
  void checkDevice(const RgnnGraphDesc &desc);
  void readEdges(const RgnnGraphDesc &desc);
  void readEnds(const RgnnGraphDesc &desc);
  void readEdgeType(const RgnnGraphDesc &desc);
};

} // namespace rgnn

#endif // RGNN_RUNTIME_GRAPH_GRAPHINPUT_H
