//===- Numbers.h - elements as words of a register --------------*- C++ -*-===//
//
// Every element of a value is a word of 64 bits: the bits of its type, and
// zeros above them.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_REFERENCE_GPU_MACHINE_NUMBERS_H
#define RGNN_LIB_REFERENCE_GPU_MACHINE_NUMBERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::rgnn::simulator {

using Word = uint64_t;

/// Bits of an element; an index has 64.
inline unsigned getWidth(Type element) {
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}
/// Bytes of an element in memory; a bool has one of its own.
inline unsigned getBytes(Type element) {
  return llvm::divideCeil(getWidth(element), 8);
}

inline Word truncate(Word word, unsigned width) {
  return width == 64 ? word : word & ((Word(1) << width) - 1);
}
inline int64_t toSigned(Word word, unsigned width) {
  return llvm::SignExtend64(word, width);
}

/// How the numbers of a float type are computed: f32 and f64 in their own
/// precision, narrower ones in double precision and rounded once.
struct Float32 {
  float read(Word word) const { return llvm::bit_cast<float>(uint32_t(word)); }
  Word write(float value) const { return llvm::bit_cast<uint32_t>(value); }
};
struct Float64 {
  double read(Word word) const { return llvm::bit_cast<double>(word); }
  Word write(double value) const { return llvm::bit_cast<uint64_t>(value); }
};
struct NarrowFloat {
  explicit NarrowFloat(Type type)
      : semantics(&cast<FloatType>(type).getFloatSemantics()),
        width(type.getIntOrFloatBitWidth()) {}
  double read(Word word) const {
    return APFloat(*semantics, APInt(width, word)).convertToDouble();
  }
  Word write(double value) const {
    APFloat number(value);
    bool losesInfo;
    number.convert(*semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    return number.bitcastToAPInt().getZExtValue();
  }

  const llvm::fltSemantics *semantics;
  unsigned width;
};

/// Calls `fn` with the format of a float type.
template <typename Fn>
auto withFormat(Type element, Fn fn) {
  if (element.isF32())
    return fn(Float32());
  if (element.isF64())
    return fn(Float64());
  return fn(NarrowFloat(element));
}

} // namespace mlir::rgnn::simulator

#endif // RGNN_LIB_REFERENCE_GPU_MACHINE_NUMBERS_H
