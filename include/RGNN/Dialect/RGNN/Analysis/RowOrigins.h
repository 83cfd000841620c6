//===- RowOrigins.h - what rows on edges are a function of ------*- C++ -*-===//
//
// Rows on edges often depend on less than the edge: on one of its ends, on its
// type, or on both (Graphiler's residencies, MLSys 2022, sec. 4.1; the compact
// rows of Hector, ASPLOS 2024, sec. 3.2.2). They are then gathered from rows of
// a coarser domain, along an arrow that every operand factors through.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_ANALYSIS_ROWORIGINS_H
#define RGNN_DIALECT_RGNN_ANALYSIS_ROWORIGINS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::rgnn {

/// Arrows that start at edges.
class PathSet {
public:
  bool contains(Path path) const { return bits & bit(path); }
  bool empty() const { return bits == 0; }
  void insert(Path path) { bits |= bit(path); }
  void erase(Path path) { bits &= ~bit(path); }
  PathSet &operator&=(PathSet other) {
    bits &= other.bits;
    return *this;
  }
  static PathSet all();

private:
  static unsigned bit(Path path) { return 1u << static_cast<unsigned>(path); }

  unsigned bits = 0;
};

/// Whether `value` has a row for each edge.
bool isOnEdges(Value value);

/// Whether kernels compute `rows` in more bits than they store.
bool isRoundedWhenStored(Value rows);

/// The type of the same rows on others.
RankedTensorType getTypeOn(Type rows, RowsAttr to);

/// The analysis and the rewrite of one block, in which ops are visited in their
/// order.
class RowOrigins {
public:
  /// The arrows along which `rows`, on edges, could be gathered.
  PathSet getPaths(Value rows);

  /// The arrows along which rows of `op` could be gathered, if its operands
  /// could be along `ofOperands`.
  static PathSet getPathsOf(Operation *op, PathSet ofOperands);

  /// Rows of which `rows` is the gather along `path`, one of its paths. What
  /// they need is computed where `builder` stands, once.
  Value rebuild(OpBuilder &builder, Value rows, Path path);

private:
  PathSet computePaths(Operation *op);
  Value buildGather(OpBuilder &builder, GatherOp gather, Path path);

  DenseMap<Value, PathSet> known;
  DenseMap<std::pair<Value, int64_t>, Value> rebuilt;
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_ANALYSIS_ROWORIGINS_H
