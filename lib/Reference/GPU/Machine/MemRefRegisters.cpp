//===- MemRefRegisters.cpp - the registers of a memref --------------------===//

#include "MemRefRegisters.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

std::string MemRefRegisters::formatShape(const Thread &thread) const {
  if (rank == 0)
    return "a scalar";
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(
      llvm::seq(rank), stream,
      [&](int64_t dim) { stream << thread.getInt(getSize(dim)); }, "x");
  return text;
}

void MemRefRegisters::set(Thread &thread, Buffer *buffer,
                          ArrayRef<int64_t> sizes) const {
  thread.at(slot) = reinterpret_cast<Word>(buffer);
  thread.at(slot + 1) = 0;
  thread.at(getOffset()) = 0;
  int64_t stride = 1;
  for (int64_t dim = rank; dim-- > 0; stride *= sizes[dim]) {
    thread.at(getSize(dim)) = sizes[dim];
    thread.at(getStride(dim)) = stride;
  }
}
