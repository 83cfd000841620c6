//===- TraversalEmitter.h - one traversal kernel of several ops -*- C++ -*-===//
//
// A kernel alternates between values of the outer row and loops over its inner
// rows. Loop `s` computes the inner values of stage `s`; values of the outer
// row of stage `s` are ready before it. An inner value that a later loop needs
// is kept in a segment, unless it only has to be loaded again.
//
// Loops count the *slots* of inner rows: segments are in their order. Where a
// nest groups rows that do not follow each other, a view leads from slots to
// rows.
//
// Floats of 16 bits are f32 from where a row is loaded to where it is stored,
// in accumulators and in segments for later loops too.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_TRAVERSALEMITTER_H
#define RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_TRAVERSALEMITTER_H

#include "Converter.h"

namespace mlir::rgnn {

/// The value that is one row of a tensor: in memory, and in computations.
Type getStoredType(Value value);
Type getRowType(Value value);

/// A splat of `value` of a row's type.
Value createSplat(OpBuilder &builder, Location loc, Type type, double value);

/// A scalar repeated to a row's type.
Value broadcast(OpBuilder &builder, Location loc, Value value, Type type);

/// An accumulator of one loop: a reduction, or the maximum or sum of a softmax.
struct Accumulator {
  Operation *op;
  Reduction kind;
};

/// An inner value that a loop keeps, and the type that it is kept in.
using Kept = std::pair<Value, Type>;

class TraversalEmitter {
public:
  TraversalEmitter(Converter &converter, const TraversalGroup &group)
      : converter(converter), builder(converter.builder), group(group),
        nest(group.nest) {
    if (nest.path)
      views = getGroupViews(nest.inner, *nest.path);
  }

  void emit();

private:
  const KernelPlan &plan() { return converter.plan; }
  int64_t getStage(Operation *op) {
    return plan().get(op).getIf<TraversalPlan>()->stage;
  }
  bool isInside(Value value) {
    return llvm::is_contained(group.ops, value.getDefiningOp());
  }
  bool isInner(Value value) {
    RowsAttr rows = getRows(value.getType());
    return rows && nest.hasInner(rows);
  }
  /// The graph that the rows of a value, in this nest, are of.
  Value getGraph(Value value);
  Value getView(Value graph, ViewKind kind);
  Value lookUp(Value graph, ViewKind kind, Value index);

  // Values of a row (TraversalRows.cpp).
  /// Where `path` leads to from row `index` of `from`.
  Value follow(Value graph, Domain from, Path path, Value index);
  Value loadRow(Value tensor, ValueRange indices);
  /// Row `index` of a value that is stored, moved or counted.
  Value loadValue(Value value, Domain domain, Value index);
  /// How many rows lie between two offsets, as a number of type `type`.
  Value emitCount(Value graph, ViewKind offsets, Value index, Type type);
  Value emitLookup(rgnn::LookupOp lookup);
  Value emitShared(Value value);
  Value emitOuter(Value value);
  Value emitInner(Value value);
  /// A row as memory holds it: of the stored type `type`.
  Value emitRounded(Value row, Type type);
  Value emitRowOp(RowOpInterface op, function_ref<Value(Value)> operand);

  // Loops (Traversal.cpp).
  void emitStage(int64_t stage);
  void emitLoop(int64_t stage, ArrayRef<Accumulator> accumulators,
                ArrayRef<Kept> kept);
  /// The type of an accumulator's values.
  Type getSumType(const Accumulator &accumulator);
  Value emitStep(const Accumulator &accumulator, Value previous, Value value);
  void finish(const Accumulator &accumulator, Value result);
  bool isReadLater(Value value, int64_t stage);
  /// Where the rows of a stored value are.
  Place getPlace(Value value);
  Value emitScatter(Value value);

  Converter &converter;
  OpBuilder &builder;
  const TraversalGroup &group;
  const Nest &nest;
  GroupViews views;
  Location loc = UnknownLoc::get(builder.getContext());
  hetkernel::TraverseOp traverse;
  /// The numbers of the outer and the inner row, and the slot of the latter;
  /// the outer loop's counter.
  Value outer, inner, slot, step;
  hetkernel::ForEachOp loop; ///< the loop being emitted, if any
  llvm::DenseMap<Value, Value> outerValues, innerValues;
  llvm::DenseMap<Kept, Value> segments;
  /// Maximum and reciprocal of the denominator of each softmax.
  llvm::DenseMap<Operation *, Value> maxima, reciprocals;
  /// The exponentials of each softmax, one an edge.
  llvm::DenseMap<Operation *, Value> exponentials;
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_TRAVERSALEMITTER_H
