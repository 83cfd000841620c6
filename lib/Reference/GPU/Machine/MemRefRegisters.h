//===- MemRefRegisters.h - the registers of a memref ------------*- C++ -*-===//

#ifndef RGNN_LIB_REFERENCE_GPU_MACHINE_MEMREFREGISTERS_H
#define RGNN_LIB_REFERENCE_GPU_MACHINE_MEMREFREGISTERS_H

#include "Program.h"

namespace mlir::rgnn::simulator {

/// Registers of a memref: its buffer, the byte of the buffer where its data
/// begins, then offset, sizes and strides in elements.
struct MemRefRegisters {
  MemRefRegisters(unsigned slot, BaseMemRefType type)
      : slot(slot), rank(type.getRank()), element(type.getElementType()) {}

  static unsigned getNumWords(int64_t rank) { return 3 + 2 * rank; }
  unsigned getOffset() const { return slot + 2; }
  unsigned getSize(int64_t dim) const { return slot + 3 + dim; }
  unsigned getStride(int64_t dim) const { return slot + 3 + rank + dim; }

  Buffer *getBuffer(const Thread &thread) const {
    return reinterpret_cast<Buffer *>(thread.registers[slot]);
  }
  /// "4x8".
  std::string formatShape(const Thread &thread) const;
  /// Makes it a contiguous view of a whole buffer.
  void set(Thread &thread, Buffer *buffer, ArrayRef<int64_t> sizes) const;

  unsigned slot;
  int64_t rank;
  Type element;
};

} // namespace mlir::rgnn::simulator

#endif // RGNN_LIB_REFERENCE_GPU_MACHINE_MEMREFREGISTERS_H
