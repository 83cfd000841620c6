//===- Elementwise.h - ops that work lane by lane ---------------*- C++ -*-===//

#ifndef RGNN_LIB_REFERENCE_GPU_OPS_ELEMENTWISE_H
#define RGNN_LIB_REFERENCE_GPU_OPS_ELEMENTWISE_H

#include "../Translator.h"

#include "mlir/IR/TypeUtilities.h"

namespace mlir::rgnn::simulator {

/// Emits `result[i] = fn(operands[i]...)` for every lane. The number of
/// operands is that of the op.
template <typename Fn>
void emitUnary(Translator &translator, Operation *op, Fn fn) {
  unsigned a = translator.getSlot(op->getOperand(0)),
           result = translator.define(op->getResult(0)),
           lanes = Translator::getNumWords(op->getResult(0).getType());
  translator.emitPlain(op, [=](Thread &thread) {
    for (unsigned i = 0; i < lanes; ++i)
      thread.at(result + i) = fn(thread.at(a + i));
  });
}
template <typename Fn>
void emitBinary(Translator &translator, Operation *op, Fn fn) {
  unsigned a = translator.getSlot(op->getOperand(0)),
           b = translator.getSlot(op->getOperand(1)),
           result = translator.define(op->getResult(0)),
           lanes = Translator::getNumWords(op->getResult(0).getType());
  translator.emitPlain(op, [=](Thread &thread) {
    for (unsigned i = 0; i < lanes; ++i)
      thread.at(result + i) = fn(thread.at(a + i), thread.at(b + i));
  });
}
template <typename Fn>
void emitTernary(Translator &translator, Operation *op, Fn fn) {
  unsigned a = translator.getSlot(op->getOperand(0)),
           b = translator.getSlot(op->getOperand(1)),
           c = translator.getSlot(op->getOperand(2)),
           result = translator.define(op->getResult(0)),
           lanes = Translator::getNumWords(op->getResult(0).getType());
  translator.emitPlain(op, [=](Thread &thread) {
    for (unsigned i = 0; i < lanes; ++i)
      thread.at(result + i) =
          fn(thread.at(a + i), thread.at(b + i), thread.at(c + i));
  });
}

/// A function of floats in both precisions; a lambda of `auto` converts to it.
struct FloatUnary {
  template <typename Fn>
  FloatUnary(Fn fn) : f32(fn), f64(fn) {}
  float operator()(float a) const { return f32(a); }
  double operator()(double a) const { return f64(a); }
  float (*f32)(float);
  double (*f64)(double);
};
struct FloatBinary {
  template <typename Fn>
  FloatBinary(Fn fn) : f32(fn), f64(fn) {}
  float operator()(float a, float b) const { return f32(a, b); }
  double operator()(double a, double b) const { return f64(a, b); }
  float (*f32)(float, float);
  double (*f64)(double, double);
};

template <typename OpTy>
void addFloatUnary(OpTable &table, FloatUnary fn) {
  table.addAll<OpTy>([fn](Translator &translator, Operation *op) {
    withFormat(getElementTypeOrSelf(op->getResult(0)), [&](auto format) {
      emitUnary(translator, op,
                [=](Word a) { return format.write(fn(format.read(a))); });
    });
    return success();
  });
}
template <typename OpTy>
void addFloatBinary(OpTable &table, FloatBinary fn) {
  table.addAll<OpTy>([fn](Translator &translator, Operation *op) {
    withFormat(getElementTypeOrSelf(op->getResult(0)), [&](auto format) {
      emitBinary(translator, op, [=](Word a, Word b) {
        return format.write(fn(format.read(a), format.read(b)));
      });
    });
    return success();
  });
}

/// `a * b + c` on floats, rounded once.
void emitFMA(Translator &translator, Operation *op);

/// Combines two elements of a type.
using Combine = std::function<Word(Word, Word)>;
/// The combination of elements by the name that reductions ("add", "maxsi") or
/// atomics ("addf", "maxs") have for it; null where it is unknown.
Combine getCombine(StringRef kind, Type element);

} // namespace mlir::rgnn::simulator

#endif // RGNN_LIB_REFERENCE_GPU_OPS_ELEMENTWISE_H
