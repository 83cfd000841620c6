//===- Interpreter.cpp - walks a function and evaluates its ops -----------===//

#include "RGNN/Reference/Interpreter.h"

#include "Evaluators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

namespace {
/// The values of one call of a function.
class Frame {
public:
  Frame(const Options &options, unsigned depth)
      : options(options), depth(depth) {}

  FailureOr<SmallVector<Datum>> run(func::FuncOp function,
                                    ArrayRef<Datum> arguments);

private:
  LogicalResult evaluateOp(Operation *op);
  LogicalResult evaluateCall(func::CallOp op);
  LogicalResult evaluateDim(tensor::DimOp op);
  LogicalResult evaluateCast(tensor::CastOp op);
  LogicalResult evaluateProgram(ProgramOp op);

  const Tensor &tensor(Value value) { return std::get<Tensor>(data[value]); }
  const Tensor *tensorOrNull(Value value) {
    return value ? &tensor(value) : nullptr;
  }
  SmallVector<Tensor> tensors(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return tensor(v); });
  }
  const reference::Graph &graph(Value value) {
    return *std::get<std::shared_ptr<const reference::Graph>>(data[value]);
  }

  LogicalResult set(Value value, FailureOr<Tensor> result) {
    if (failed(result))
      return failure();
    if (options.roundToElementType)
      for (double &element : result->values)
        element = roundTo(element, getElementTypeOrSelf(value));
    data[value] = std::move(*result);
    return success();
  }
  LogicalResult set(Value value, FailureOr<reference::Graph> result) {
    if (failed(result))
      return failure();
    data[value] = std::make_shared<const reference::Graph>(std::move(*result));
    return success();
  }

  const Options &options;
  unsigned depth;
  DenseMap<Value, Datum> data;
};
} // namespace

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

LogicalResult Frame::evaluateDim(tensor::DimOp op) {
  const Tensor &source = tensor(op.getSource());
  double dim = tensor(op.getIndex()).values[0];
  if (!(dim >= 0 && dim < source.getRank()))
    return op.emitError() << "rgnn interpreter: expected a dimension in [0, "
                          << source.getRank() << "), got " << formatNumber(dim);
  return set(op.getResult(),
             Tensor::scalar(source.shape[static_cast<int64_t>(dim)]));
}

/// Plain tensors only: a cast that changes rows would pass unseen.
LogicalResult Frame::evaluateCast(tensor::CastOp op) {
  auto to = dyn_cast<RankedTensorType>(op.getType());
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!to || !from || to.getEncoding() || from.getEncoding())
    return op.emitError() << "rgnn interpreter: cannot evaluate 'tensor.cast' "
                             "of other than plain ranked tensors";
  const Tensor &source = tensor(op.getSource());
  for (auto [size, expected] : llvm::zip(source.shape, to.getShape()))
    if (!ShapedType::isDynamic(expected) && size != expected)
      return op.emitError() << "rgnn interpreter: expected " << to << ", got "
                            << formatShape(source.shape);
  return set(op.getResult(), source);
}

LogicalResult Frame::evaluateProgram(ProgramOp op) {
  auto get = [&](Value value) -> const Tensor & { return tensor(value); };
  auto setRow = [&](Value value, Tensor row) {
    return set(value, FailureOr<Tensor>(std::move(row)));
  };
  auto evaluateInLoop = [&](Operation *op) { return evaluateOp(op); };
  FailureOr<SmallVector<Tensor>> results =
      evaluate(op, tensors(op.getInputs()), graph(op.getGraph()),
               {get, setRow, evaluateInLoop});
  if (failed(results))
    return failure();
  for (auto [value, result] : llvm::zip(op.getOutputs(), *results))
    if (failed(set(value, FailureOr<Tensor>(std::move(result)))))
      return failure();
  return success();
}

LogicalResult Frame::evaluateOp(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case(
          [&](ConstantGraphOp op) { return set(op.getGraph(), makeGraph(op)); })
      .Case([&](COOGraphOp op) {
        return set(op.getGraph(), evaluate(op, tensors(op.getEdges()),
                                           tensorOrNull(op.getTypes()),
                                           tensors(op.getNodes())));
      })
      .Case([&](SplitGraphOp op) {
        const Graph &whole = graph(op.getGraph());
        return success(succeeded(set(op.getSrc(), whole.getPart(Part::Src))) &&
                       succeeded(set(op.getDst(), whole.getPart(Part::Dst))));
      })
      .Case([&](PlaceOp op) {
        return set(op.getResult(),
                   evaluate(op, tensor(op.getTensor()), graph(op.getGraph())));
      })
      .Case([&](UnplaceOp op) {
        return set(op.getResult(), tensor(op.getRows()));
      })
      .Case<GatherOp, ReduceOp, GroupSoftmaxOp, LookupSumOp, SliceTypeOp>(
          [&](auto op) {
            return set(op.getResult(), evaluate(op, tensor(op.getRows()),
                                                graph(op.getGraph())));
          })
      .Case([&](DegreeOp op) {
        return set(op.getResult(), evaluate(op, graph(op.getGraph())));
      })
      .Case([&](LookupOp op) {
        return set(op.getResult(),
                   evaluate(op, tensor(op.getTable()),
                            tensorOrNull(op.getComp()), graph(op.getGraph())));
      })
      .Case([&](ConcatTypesOp op) {
        return set(op.getResult(),
                   evaluate(op, tensors(op.getParts()), graph(op.getGraph())));
      })
      .Case([&](LinearOp op) {
        return set(op.getResult(),
                   evaluate(op, tensor(op.getX()), tensor(op.getWeight())));
      })
      .Case([&](TypedLinearOp op) {
        return set(op.getResult(),
                   evaluate(op, tensor(op.getX()), tensor(op.getWeight()),
                            graph(op.getGraph())));
      })
      .Case([&](OuterSumOp op) {
        return set(op.getResult(),
                   evaluate(op, tensor(op.getX()), tensor(op.getY())));
      })
      .Case([&](TypedOuterSumOp op) {
        return set(op.getResult(),
                   evaluate(op, tensor(op.getX()), tensor(op.getY()),
                            graph(op.getGraph())));
      })
      .Case<MatmulOp, DotOp>([&](auto op) {
        return set(op.getResult(),
                   evaluate(op, tensor(op.getLhs()), tensor(op.getRhs())));
      })
      .Case<ReshapeOp, PermuteOp, SliceOp, SumRowsOp, ReduceFeaturesOp,
            SoftmaxOp>([&](auto op) {
        return set(op.getResult(), evaluate(op, tensor(op.getX())));
      })
      .Case([&](ConcatOp op) {
        return set(op.getResult(), evaluate(op, tensors(op.getInputs())));
      })
      .Case([&](MapOp op) {
        return set(op.getResult(),
                   evaluate(op, tensors(op.getInputs()), options));
      })
      .Case([&](ProgramOp op) { return evaluateProgram(op); })
      .Case([&](check::ExpectAlmostEqConstOp op) {
        return evaluate(op, tensor(op.getValue()));
      })
      .Case([&](check::ExpectAlmostEqOp op) {
        return evaluate(op, tensor(op.getValue()), tensor(op.getExpected()));
      })
      .Case([&](arith::ConstantOp op) {
        return set(op.getResult(), makeConstant(op, op.getValue()));
      })
      .Case([&](tensor::CastOp op) { return evaluateCast(op); })
      .Case([&](tensor::DimOp op) { return evaluateDim(op); })
      .Case([&](func::CallOp op) { return evaluateCall(op); })
      .Default([](Operation *op) -> LogicalResult {
        return op->emitError()
               << "rgnn interpreter: cannot evaluate '" << op->getName() << "'";
      });
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
    if (failed(evaluateOp(&op)))
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
