//===- Map.cpp - evaluation of rgnn.map and of scalar ops -----------------===//

#include "Frame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are handled");
}

/// Maximum or minimum; with a NaN operand NaN, or the other operand if
/// `number`.
static double pick(bool max, bool number, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return number ? (std::isnan(a) ? b : a) : NAN;
  return max ? std::max(a, b) : std::min(a, b);
}

FailureOr<double> reference::evaluateScalar(Operation *op, ArrayRef<double> x) {
  using R = FailureOr<double>;
  return TypeSwitch<Operation *, R>(op)
      .Case([&](arith::ConstantOp op) -> R {
        FailureOr<Tensor> value = makeConstant(op, op.getValue());
        if (failed(value))
          return failure();
        return value->values[0];
      })
      .Case([&](arith::AddFOp) -> R { return x[0] + x[1]; })
      .Case([&](arith::SubFOp) -> R { return x[0] - x[1]; })
      .Case([&](arith::MulFOp) -> R { return x[0] * x[1]; })
      .Case([&](arith::DivFOp) -> R { return x[0] / x[1]; })
      .Case([&](arith::RemFOp) -> R { return std::fmod(x[0], x[1]); })
      .Case([&](arith::NegFOp) -> R { return -x[0]; })
      .Case(
          [&](arith::MaximumFOp) -> R { return pick(true, false, x[0], x[1]); })
      .Case([&](arith::MinimumFOp) -> R {
        return pick(false, false, x[0], x[1]);
      })
      .Case([&](arith::MaxNumFOp) -> R { return pick(true, true, x[0], x[1]); })
      .Case(
          [&](arith::MinNumFOp) -> R { return pick(false, true, x[0], x[1]); })
      .Case([&](arith::CmpFOp op) -> R {
        return compare(op.getPredicate(), x[0], x[1]);
      })
      .Case([&](arith::SelectOp) -> R { return x[0] != 0 ? x[1] : x[2]; })
      .Case([&](arith::AndIOp op) -> R {
        if (!op.getType().isInteger(1))
          return op->emitError("rgnn interpreter: cannot evaluate 'arith.andi' "
                               "of other than i1");
        return x[0] != 0 && x[1] != 0;
      })
      .Case([&](arith::OrIOp op) -> R {
        if (!op.getType().isInteger(1))
          return op->emitError("rgnn interpreter: cannot evaluate 'arith.ori' "
                               "of other than i1");
        return x[0] != 0 || x[1] != 0;
      })
      .Case([&](arith::XOrIOp op) -> R {
        if (!op.getType().isInteger(1))
          return op->emitError("rgnn interpreter: cannot evaluate 'arith.xori' "
                               "of other than i1");
        return (x[0] != 0) != (x[1] != 0);
      })
      // Only the change of type matters, which rounding does where asked for.
      .Case<arith::ExtFOp, arith::UIToFPOp, arith::SIToFPOp>([&](auto op) -> R {
        bool fromBool = op.getOperand().getType().isInteger(1);
        return fromBool && isa<arith::SIToFPOp>(op.getOperation()) ? -x[0]
                                                                   : x[0];
      })
      .Case([&](arith::TruncFOp op) -> R { return x[0]; })
      .Case([&](math::AbsFOp) -> R { return std::abs(x[0]); })
      .Case([&](math::AcosOp) -> R { return std::acos(x[0]); })
      .Case([&](math::AsinOp) -> R { return std::asin(x[0]); })
      .Case([&](math::AtanOp) -> R { return std::atan(x[0]); })
      .Case([&](math::Atan2Op) -> R { return std::atan2(x[0], x[1]); })
      .Case([&](math::CbrtOp) -> R { return std::cbrt(x[0]); })
      .Case([&](math::CeilOp) -> R { return std::ceil(x[0]); })
      .Case([&](math::CopySignOp) -> R { return std::copysign(x[0], x[1]); })
      .Case([&](math::CosOp) -> R { return std::cos(x[0]); })
      .Case([&](math::CoshOp) -> R { return std::cosh(x[0]); })
      .Case([&](math::ErfOp) -> R { return std::erf(x[0]); })
      .Case([&](math::ErfcOp) -> R { return std::erfc(x[0]); })
      .Case([&](math::ExpOp) -> R { return std::exp(x[0]); })
      .Case([&](math::Exp2Op) -> R { return std::exp2(x[0]); })
      .Case([&](math::ExpM1Op) -> R { return std::expm1(x[0]); })
      .Case([&](math::FloorOp) -> R { return std::floor(x[0]); })
      .Case([&](math::FmaOp) -> R { return std::fma(x[0], x[1], x[2]); })
      .Case([&](math::IsFiniteOp) -> R { return std::isfinite(x[0]); })
      .Case([&](math::IsInfOp) -> R { return std::isinf(x[0]); })
      .Case([&](math::IsNaNOp) -> R { return std::isnan(x[0]); })
      .Case([&](math::LogOp) -> R { return std::log(x[0]); })
      .Case([&](math::Log10Op) -> R { return std::log10(x[0]); })
      .Case([&](math::Log1pOp) -> R { return std::log1p(x[0]); })
      .Case([&](math::Log2Op) -> R { return std::log2(x[0]); })
      .Case([&](math::PowFOp) -> R { return std::pow(x[0], x[1]); })
      .Case([&](math::RoundOp) -> R { return std::round(x[0]); })
      .Case([&](math::RoundEvenOp) -> R { return std::nearbyint(x[0]); })
      .Case([&](math::RsqrtOp) -> R { return 1 / std::sqrt(x[0]); })
      .Case([&](math::SinOp) -> R { return std::sin(x[0]); })
      .Case([&](math::SinhOp) -> R { return std::sinh(x[0]); })
      .Case([&](math::SqrtOp) -> R { return std::sqrt(x[0]); })
      .Case([&](math::TanOp) -> R { return std::tan(x[0]); })
      .Case([&](math::TanhOp) -> R { return std::tanh(x[0]); })
      .Case([&](math::TruncOp) -> R { return std::trunc(x[0]); })
      .Default([](Operation *op) -> R {
        return op->emitError()
               << "rgnn interpreter: cannot evaluate '" << op->getName() << "'";
      });
}

/// Sizes of the result: static ones from its type, dynamic ones from operands,
/// or from the graph on whose rows it is.
static FailureOr<SmallVector<int64_t>>
getShape(MapOp op, ArrayRef<Tensor> inputs, Frame &frame) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [value, input] : llvm::zip(op.getInputs(), inputs)) {
    int64_t skipped = shape.size() - input.getRank();
    bool onRows = getRows(value.getType()) != nullptr;
    for (int64_t dim = 0; dim < input.getRank(); ++dim) {
      // The rows are the first dimension, however many others are missing.
      int64_t &size = shape[onRows && dim == 0 ? 0 : skipped + dim];
      bool isRows = onRows && dim == 0;
      if (ShapedType::isDynamic(size))
        size = input.shape[dim];
      else if (size == 1 && !isRows && type.isDynamicDim(skipped + dim))
        size = input.shape[dim];
      else if (input.shape[dim] != size && (isRows || input.shape[dim] != 1))
        return op->emitError()
               << "rgnn interpreter: expected operands that "
                  "broadcast to "
               << formatShape(shape) << ", got " << formatShape(input.shape);
    }
  }
  if (RowsAttr rows = getRows(type); rows && ShapedType::isDynamic(shape[0])) {
    FailureOr<Value> graph = findGraph(op, rows);
    if (failed(graph))
      return failure();
    if (std::optional<int64_t> count = frame.graph(*graph).getNumRows(rows))
      shape[0] = *count;
  }
  if (llvm::any_of(shape, ShapedType::isDynamic))
    return op->emitError() << "rgnn interpreter: expected an operand with the "
                              "rows of "
                           << type << ", got none";
  return shape;
}

/// The element that operand `input` contributes to element `i` of the result.
static double readBroadcast(const Tensor &input, bool onRows,
                            ArrayRef<int64_t> shape, int64_t i) {
  int64_t at = 0, stride = 1, rowDims = onRows ? 1 : 0;
  for (int64_t dim = input.getRank(), to = shape.size(); dim-- > rowDims;) {
    int64_t index = i % shape[--to];
    i /= shape[to];
    at += (input.shape[dim] == 1 ? 0 : index) * stride;
    stride *= input.shape[dim];
  }
  if (!onRows)
    return input.values[at];
  int64_t missing = 1;
  for (int64_t d = 1, e = shape.size() - input.getRank() + 1; d < e; ++d)
    missing *= shape[d];
  return input.values[i / missing * stride + at];
}

namespace mlir::rgnn::reference {

static FailureOr<Tensor> evaluateOp(MapOp op, Frame &frame) {
  SmallVector<Tensor> inputs = frame.tensors(op.getInputs());
  FailureOr<SmallVector<int64_t>> shape = getShape(op, inputs, frame);
  if (failed(shape))
    return failure();
  FailureOr<Tensor> result = makeZeros(op, *shape);
  if (failed(result))
    return failure();
  Block &body = op.getBody().front();
  DenseMap<Value, double> values;
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    for (auto [argument, value, input] :
         llvm::zip(body.getArguments(), op.getInputs(), inputs))
      values[argument] =
          readBroadcast(input, getRows(value.getType()) != nullptr, *shape, i);
    for (Operation &scalar : body.without_terminator()) {
      SmallVector<double> operands;
      for (Value operand : scalar.getOperands()) {
        auto known = values.find(operand);
        if (known == values.end())
          return op->emitError("rgnn interpreter: cannot evaluate 'rgnn.map' "
                               "that reads a value from outside");
        operands.push_back(known->second);
      }
      FailureOr<double> value = evaluateScalar(&scalar, operands);
      if (failed(value))
        return failure();
      Type type = scalar.getResult(0).getType();
      values[scalar.getResult(0)] =
          frame.options.roundToElementType ? roundTo(*value, type) : *value;
    }
    auto yielded = values.find(body.getTerminator()->getOperand(0));
    if (yielded == values.end())
      return op->emitError("rgnn interpreter: cannot evaluate 'rgnn.map' that "
                           "reads a value from outside");
    result->values[i] = yielded->second;
  }
  return result;
}

void attachMapEvaluations(MLIRContext *context) { attach<MapOp>(context); }

} // namespace mlir::rgnn::reference
