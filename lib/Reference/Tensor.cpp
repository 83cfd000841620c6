//===- Tensor.cpp - making, rounding and comparing tensors ----------------===//

#include "RGNN/Reference/Tensor.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

FailureOr<Tensor> reference::makeZeros(Operation *op, ArrayRef<int64_t> shape) {
  constexpr int64_t limit = int64_t(1) << 26;
  int64_t size = 1;
  for (int64_t dim : shape) {
    if (dim < 0)
      return op->emitError() << "rgnn interpreter: expected sizes of at least "
                                "0, got "
                             << dim;
    if (dim > 0 && size > limit / dim)
      return op->emitError() << "rgnn interpreter: expected at most " << limit
                             << " elements, got shape " << formatShape(shape);
    size *= dim;
  }
  return Tensor{SmallVector<int64_t>(shape), std::vector<double>(size)};
}

static double toDouble(const APFloat &value) {
  APFloat copy = value;
  bool losesInfo;
  copy.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return copy.convertToDouble();
}

FailureOr<Tensor> reference::makeConstant(Operation *op, Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return Tensor::scalar(toDouble(number.getValue()));
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    bool isBool = number.getType().isInteger(1);
    return Tensor::scalar(isBool ? number.getValue().getZExtValue()
                                 : number.getValue().roundToDouble(true));
  }
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements)
    return op->emitError() << "rgnn interpreter: expected numbers, got "
                           << value;
  FailureOr<Tensor> result = makeZeros(op, elements.getShapedType().getShape());
  if (failed(result))
    return failure();
  if (auto floats = elements.tryGetValues<APFloat>(); floats) {
    for (auto [out, in] : llvm::zip(result->values, *floats))
      out = toDouble(in);
  } else if (auto ints = elements.tryGetValues<APInt>(); ints) {
    bool isBool = elements.getElementType().isInteger(1);
    for (auto [out, in] : llvm::zip(result->values, *ints))
      out = isBool ? in.getZExtValue() : in.roundToDouble(true);
  } else {
    return op->emitError() << "rgnn interpreter: expected numbers, got "
                           << elements.getType();
  }
  return result;
}

double reference::roundTo(double value, Type elementType) {
  auto type = dyn_cast<FloatType>(elementType);
  if (!type)
    return value;
  APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return toDouble(number);
}

std::optional<Difference>
reference::findDifference(const Tensor &got, const Tensor &expected,
                          function_ref<double(double)> bound) {
  for (int64_t i = 0, size = expected.getNumElements(); i < size; ++i) {
    double a = got.values[i], b = expected.values[i];
    bool equal = std::isfinite(a) && std::isfinite(b)
                     ? std::abs(a - b) <= bound(b)
                     : a == b || (std::isnan(a) && std::isnan(b));
    if (equal)
      continue;
    SmallVector<int64_t> index(expected.getRank());
    int64_t rest = i;
    for (int64_t dim = expected.getRank(); dim-- > 0;) {
      index[dim] = rest % expected.shape[dim];
      rest /= expected.shape[dim];
    }
    return Difference{index, b, a};
  }
  return std::nullopt;
}

std::string reference::formatShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return text;
}

std::string reference::formatIndex(ArrayRef<int64_t> index) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(index, os);
  os << "]";
  return text;
}

std::string reference::formatNumber(double value) {
  if (std::isnan(value))
    return "nan";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.9g", value);
  return text;
}
