//===- ExpectedGraph.h - what a graph is expected to be like ----*- C++ -*-===//
//
// For choices between what takes more and less memory, which are made before
// there is a graph.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_SUPPORT_EXPECTEDGRAPH_H
#define RGNN_SUPPORT_EXPECTEDGRAPH_H

namespace mlir::rgnn {

inline constexpr int expectedEdgesPerNode = 8;
/// Pairs of an end and an edge type.
inline constexpr int expectedPairsPerNode = expectedEdgesPerNode / 2;

} // namespace mlir::rgnn

#endif // RGNN_SUPPORT_EXPECTEDGRAPH_H
