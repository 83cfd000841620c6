//===- Evaluators.h - one function an op, on plain values -------*- C++ -*-===//

#ifndef RGNN_LIB_REFERENCE_EVALUATORS_H
#define RGNN_LIB_REFERENCE_EVALUATORS_H

#include "RGNN/Dialect/Check/IR/Check.h"
#include "RGNN/Reference/Interpreter.h"

namespace mlir::rgnn::reference {

// Each takes the op for its attributes and its location, and one argument an
// operand. Results are not rounded yet.

// Graphs
FailureOr<Graph> evaluate(COOGraphOp op, ArrayRef<Tensor> edges,
                          const Tensor *types, ArrayRef<Tensor> nodes);
FailureOr<Tensor> evaluate(PlaceOp op, const Tensor &tensor,
                           const Graph &graph);

// Movement
FailureOr<Tensor> evaluate(GatherOp op, const Tensor &rows, const Graph &graph);
FailureOr<Tensor> evaluate(ReduceOp op, const Tensor &rows, const Graph &graph);
FailureOr<Tensor> evaluate(GroupSoftmaxOp op, const Tensor &rows,
                           const Graph &graph);
FailureOr<Tensor> evaluate(DegreeOp op, const Graph &graph);
FailureOr<Tensor> evaluate(ConcatTypesOp op, ArrayRef<Tensor> parts,
                           const Graph &graph);
FailureOr<Tensor> evaluate(SliceTypeOp op, const Tensor &rows,
                           const Graph &graph);

// Products
FailureOr<Tensor> evaluate(LookupOp op, const Tensor &table, const Tensor *comp,
                           const Graph &graph);
FailureOr<Tensor> evaluate(LookupSumOp op, const Tensor &rows,
                           const Graph &graph);
FailureOr<Tensor> evaluate(LinearOp op, const Tensor &x, const Tensor &weight);
FailureOr<Tensor> evaluate(TypedLinearOp op, const Tensor &x,
                           const Tensor &weight, const Graph &graph);
FailureOr<Tensor> evaluate(MatmulOp op, const Tensor &lhs, const Tensor &rhs);
FailureOr<Tensor> evaluate(OuterSumOp op, const Tensor &x, const Tensor &y);
FailureOr<Tensor> evaluate(TypedOuterSumOp op, const Tensor &x, const Tensor &y,
                           const Graph &graph);
FailureOr<Tensor> evaluate(SumRowsOp op, const Tensor &x);
FailureOr<Tensor> evaluate(DotOp op, const Tensor &lhs, const Tensor &rhs);

// Rows
FailureOr<Tensor> evaluate(ReshapeOp op, const Tensor &x);
FailureOr<Tensor> evaluate(PermuteOp op, const Tensor &x);
FailureOr<Tensor> evaluate(ConcatOp op, ArrayRef<Tensor> inputs);
FailureOr<Tensor> evaluate(SliceOp op, const Tensor &x);
FailureOr<Tensor> evaluate(ReduceFeaturesOp op, const Tensor &x);
FailureOr<Tensor> evaluate(SoftmaxOp op, const Tensor &x);
FailureOr<Tensor> evaluate(MapOp op, ArrayRef<Tensor> inputs,
                           const Options &options);

// Loops

/// How a program reaches the values and ops of the function around it.
struct LoopContext {
  function_ref<const Tensor &(Value)> get;
  function_ref<LogicalResult(Value, Tensor)> set;
  function_ref<LogicalResult(Operation *)> evaluate;
};
FailureOr<SmallVector<Tensor>> evaluate(ProgramOp op, ArrayRef<Tensor> inputs,
                                        const Graph &graph,
                                        const LoopContext &context);

// Expectations
LogicalResult evaluate(check::ExpectAlmostEqConstOp op, const Tensor &value);
LogicalResult evaluate(check::ExpectAlmostEqOp op, const Tensor &value,
                       const Tensor &expected);

/// A scalar op of arith or math on its operands; booleans are 0 and 1.
FailureOr<double> evaluateScalar(Operation *op, ArrayRef<double> operands);

/// The sum, mean, maximum or minimum of `values`; 0 of none. NaN among them
/// gives NaN.
double reduce(Reduction kind, ArrayRef<double> values);

/// Replaces `values` by their softmax: `exp(x - max) / (sum + epsilon)`.
void softmax(MutableArrayRef<double> values, double epsilon);

} // namespace mlir::rgnn::reference

#endif // RGNN_LIB_REFERENCE_EVALUATORS_H
