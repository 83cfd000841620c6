//===- Words.h - values as arrays of 64-bit words ---------------*- C++ -*-===//
//
// The one form in which values cross a function boundary that is not MLIR's:
// from the runtime into the entry, and from the entry into the body of a
// parallel loop or to a kernel of a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_SUPPORT_WORDS_H
#define RGNN_SUPPORT_WORDS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/Builders.h"

namespace mlir::rgnn {

/// Writes or reads values one after another to or from memory at `base`, an
/// `!llvm.ptr`; the position moves on with every value.
class WordCursor {
public:
  WordCursor(OpBuilder &builder, Location loc,
             const LLVMTypeConverter &converter, Value base)
      : builder(builder), loc(loc), converter(converter), base(base) {}

  /// The number of words of a value of this type, or failure where it has no
  /// fixed number: index, integers and floats of at most 64 bits and pointers
  /// take one; a memref its pointer and the dynamic offset, sizes and strides.
  static FailureOr<int64_t> numWords(Type type);

  /// Appends `value`, of a type that has a number of words.
  void write(Value value);
  /// Appends the parameters of a GPU's kernel that a value becomes: a memref
  /// its whole descriptor, field by field.
  void writeParameters(Value value);
  static FailureOr<int64_t> numParameters(Type type);
  /// Takes the next value of `type`.
  Value read(Type type);
  /// Takes a one-dimensional memref of bytes of which only the pointer is
  /// there; its size reads as the largest number.
  Value readWorkspace(MemRefType type);
  /// Passes over a value without reading it.
  void skip(Type type) { word += *numWords(type); }
  void skipWords(int64_t count) { word += count; }

private:
  Value address();
  void store(Value value);
  Value load(Type llvmType);
  Value readMemRef(MemRefType type);

  OpBuilder &builder;
  Location loc;
  const LLVMTypeConverter &converter;
  Value base;
  int64_t word = 0;
};

} // namespace mlir::rgnn

#endif // RGNN_SUPPORT_WORDS_H
