//===- Interpreter.cpp - walks a function and evaluates its ops -----------===//

#include "RGNN/Reference/Interpreter.h"

#include "Frame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

#include "RGNN/Reference/EvaluableOpInterface.cpp.inc"

void Frame::set(Value value, Tensor tensor) {
  if (options.roundToElementType)
    for (double &element : tensor.values)
      element = roundTo(element, getElementTypeOrSelf(value));
  data[value] = std::move(tensor);
}

LogicalResult Frame::evaluateCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee)
    return op.emitOpError()
           << "expected a function, got " << op.getCalleeAttr();
  constexpr unsigned limit = 64;
  if (depth == limit)
    return op.emitError() << "rgnn interpreter: expected at most " << limit
                          << " nested calls, got more";
  SmallVector<Datum> arguments;
  for (Value operand : op.getOperands())
    arguments.push_back(data[operand]);
  FailureOr<SmallVector<Datum>> results =
      Frame(options, depth + 1).run(callee, arguments);
  if (failed(results))
    return failure();
  for (auto [value, result] : llvm::zip(op.getResults(), *results))
    data[value] = std::move(result);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops of other dialects
//===----------------------------------------------------------------------===//

namespace mlir::rgnn::reference {

static FailureOr<Tensor> evaluateOp(arith::ConstantOp op, Frame &) {
  return makeConstant(op, op.getValue());
}

static FailureOr<Tensor> evaluateOp(tensor::DimOp op, Frame &frame) {
  const Tensor &source = frame.tensor(op.getSource());
  double dim = frame.tensor(op.getIndex()).values[0];
  if (!(dim >= 0 && dim < source.getRank()))
    return op.emitError() << "rgnn interpreter: expected a dimension in [0, "
                          << source.getRank() << "), got " << formatNumber(dim);
  return Tensor::scalar(source.shape[static_cast<int64_t>(dim)]);
}

/// Plain tensors only: a cast that changes rows would pass unseen.
static FailureOr<Tensor> evaluateOp(tensor::CastOp op, Frame &frame) {
  auto to = dyn_cast<RankedTensorType>(op.getType());
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!to || !from || to.getEncoding() || from.getEncoding())
    return op.emitError() << "rgnn interpreter: cannot evaluate 'tensor.cast' "
                             "of other than plain ranked tensors";
  const Tensor &source = frame.tensor(op.getSource());
  for (auto [size, expected] : llvm::zip(source.shape, to.getShape()))
    if (!ShapedType::isDynamic(expected) && size != expected)
      return op.emitError() << "rgnn interpreter: expected " << to << ", got "
                            << formatShape(source.shape);
  return source;
}

} // namespace mlir::rgnn::reference

void reference::registerEvaluations(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RGNNDialect *) {
    attachGraphEvaluations(context);
    attachLoopEvaluations(context);
    attachMapEvaluations(context);
    attachMovementEvaluations(context);
    attachProductEvaluations(context);
    attachRowEvaluations(context);
  });
  registry.addExtension(+[](MLIRContext *context, check::CheckDialect *) {
    attachCheckEvaluations(context);
  });
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attach<arith::ConstantOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attach<tensor::CastOp, tensor::DimOp>(context);
  });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult Frame::evaluate(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return evaluateCall(call);
  if (auto evaluable = dyn_cast<EvaluableOpInterface>(op))
    return evaluable.evaluate(*this);
  return op->emitError() << "rgnn interpreter: cannot evaluate '"
                         << op->getName() << "'";
}

FailureOr<SmallVector<Datum>> Frame::run(func::FuncOp function,
                                         ArrayRef<Datum> arguments) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "rgnn interpreter: expected a function of one block, got "
           << function.getBody().getBlocks().size();
  Block &body = function.getBody().front();
  if (body.getNumArguments() != arguments.size())
    return function.emitError()
           << "rgnn interpreter: expected " << body.getNumArguments()
           << " arguments, got " << arguments.size();
  for (auto [value, argument] : llvm::zip(body.getArguments(), arguments))
    data[value] = argument;
  for (Operation &op : body.without_terminator())
    if (failed(evaluate(&op)))
      return failure();
  auto end = dyn_cast<func::ReturnOp>(body.getTerminator());
  if (!end)
    return body.getTerminator()->emitError()
           << "rgnn interpreter: cannot evaluate '"
           << body.getTerminator()->getName() << "'";
  SmallVector<Datum> results;
  for (Value value : end.getOperands())
    results.push_back(data[value]);
  return results;
}

FailureOr<SmallVector<Datum>> reference::evaluate(func::FuncOp function,
                                                  ArrayRef<Datum> arguments,
                                                  const Options &options) {
  return Frame(options, /*depth=*/0).run(function, arguments);
}

void reference::print(const Datum &datum, raw_ostream &os) {
  if (auto *graph = std::get_if<std::shared_ptr<const Graph>>(&datum)) {
    os << "graph of " << (*graph)->getNumNodes() << " nodes\n";
    for (auto [src, dst, type] : llvm::zip(
             (*graph)->getSrc(), (*graph)->getDst(), (*graph)->getEType()))
      os << src << " " << dst << " " << type << "\n";
    return;
  }
  const Tensor &tensor = std::get<Tensor>(datum);
  os << formatShape(tensor.shape) << "\n";
  if (tensor.values.empty())
    return;
  for (int64_t row = 0; row < tensor.getNumRows(); ++row) {
    llvm::interleave(
        tensor.getRow(row), os,
        [&](double value) { os << formatNumber(value); }, " ");
    os << "\n";
  }
}
