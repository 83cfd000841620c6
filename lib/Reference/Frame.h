//===- Frame.h - the values of one call, and how ops are evaluated -*- C++ -*-//
//
// Each op has a function `evaluateOp(Op, Frame &)` beside others of its kind,
// which follows the formula of the op's description. It gives the result, or,
// where there is not one tensor or graph, sets the results itself.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_REFERENCE_FRAME_H
#define RGNN_LIB_REFERENCE_FRAME_H

#include "RGNN/Dialect/Check/IR/Check.h"
#include "RGNN/Reference/Interpreter.h"

namespace mlir::rgnn::reference {
class Frame;
} // namespace mlir::rgnn::reference

#include "RGNN/Reference/EvaluableOpInterface.h.inc"

namespace mlir::rgnn::reference {

/// The values of one call of a function.
class Frame {
public:
  Frame(const Options &options, unsigned depth)
      : options(options), depth(depth) {}

  FailureOr<SmallVector<Datum>> run(func::FuncOp function,
                                    ArrayRef<Datum> arguments);
  LogicalResult evaluate(Operation *op);

  const Tensor &tensor(Value value) { return std::get<Tensor>(data[value]); }
  const Tensor *tensorOrNull(Value value) {
    return value ? &tensor(value) : nullptr;
  }
  SmallVector<Tensor> tensors(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return tensor(v); });
  }
  const Graph &graph(Value value) {
    return *std::get<std::shared_ptr<const Graph>>(data[value]);
  }

  /// Gives a value its tensor, rounded where the options ask for it.
  void set(Value value, Tensor tensor);
  void set(Value value, Graph graph) {
    data[value] = std::make_shared<const Graph>(std::move(graph));
  }

  /// The same for what an evaluation gave.
  template <typename Result>
  LogicalResult setResult(Operation *op, FailureOr<Result> result) {
    if (failed(result))
      return failure();
    set(op->getResult(0), std::move(*result));
    return success();
  }
  LogicalResult setResult(Operation *, LogicalResult done) { return done; }

  const Options &options;

private:
  LogicalResult evaluateCall(func::CallOp op);

  unsigned depth;
  DenseMap<Value, Datum> data;
};

/// Evaluates `Op` by the function for it.
template <typename Op>
struct Evaluation : EvaluableOpInterface::ExternalModel<Evaluation<Op>, Op> {
  LogicalResult evaluate(Operation *op, Frame &frame) const {
    return frame.setResult(op, evaluateOp(cast<Op>(op), frame));
  }
};

template <typename... Ops>
void attach(MLIRContext *context) {
  (Ops::template attachInterface<Evaluation<Ops>>(*context), ...);
}

void attachCheckEvaluations(MLIRContext *context);
void attachGraphEvaluations(MLIRContext *context);
void attachLoopEvaluations(MLIRContext *context);
void attachMapEvaluations(MLIRContext *context);
void attachMovementEvaluations(MLIRContext *context);
void attachProductEvaluations(MLIRContext *context);
void attachRowEvaluations(MLIRContext *context);

/// A scalar op of arith or math on its operands; booleans are 0 and 1.
FailureOr<double> evaluateScalar(Operation *op, ArrayRef<double> operands);

/// The sum, mean, maximum, minimum or product of `values`; 0 of none. NaN among
/// them gives NaN.
double reduce(Reduction kind, ArrayRef<double> values);

/// Replaces `values` by their softmax: `exp(x - max) / (sum + epsilon)`.
void softmax(MutableArrayRef<double> values, double epsilon);

} // namespace mlir::rgnn::reference

#endif // RGNN_LIB_REFERENCE_FRAME_H
