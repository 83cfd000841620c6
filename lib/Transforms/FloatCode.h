//===- FloatCode.h - Ops on floats, or on vectors of them -------*- C++ -*-===//

#ifndef RGNN_LIB_TRANSFORMS_FLOATCODE_H
#define RGNN_LIB_TRANSFORMS_FLOATCODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::rgnn {

/// What is added to a whole number of f64 to have it in the last bits of the
/// sum, and to any other to round it.
inline constexpr double kRounding = 0x1.8p52;

/// Makes ops on a float type, or on vectors of it.
class FloatCode {
public:
  FloatCode(Location loc, OpBuilder &builder, Type type)
      : builder(loc, builder), type(type) {}

  Value number(double value) {
    return constant(type,
                    builder.getFloatAttr(getElementTypeOrSelf(type), value));
  }
  /// A whole number of the bits of the type.
  Value integer(int64_t value) {
    Type bits = getBitsType();
    return constant(bits,
                    builder.getIntegerAttr(getElementTypeOrSelf(bits), value));
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, a, b); }

  /// `coefficients[0] + x coefficients[1] + ...`
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.back());
    for (double each : llvm::reverse(coefficients.drop_back()))
      sum = add(mul(sum, x), number(each));
    return sum;
  }

  Value toBits(Value x) {
    return arith::BitcastOp::create(builder, getBitsType(), x);
  }
  Value fromBits(Value bits) {
    return arith::BitcastOp::create(builder, type, bits);
  }

  Type getType() const { return type; }
  /// `shape`, a float or a vector, of other elements.
  static Type withElements(Type shape, Type element) {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }
  Type getBitsType() {
    return withElements(
        type, builder.getIntegerType(
                  getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
  }

  ImplicitLocOpBuilder builder;

private:
  Value constant(Type type, TypedAttr element) {
    auto vector = dyn_cast<VectorType>(type);
    return arith::ConstantOp::create(
        builder,
        vector ? TypedAttr(DenseElementsAttr::get(vector, Attribute(element)))
               : element);
  }

  Type type;
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_TRANSFORMS_FLOATCODE_H
