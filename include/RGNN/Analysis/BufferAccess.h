//===- BufferAccess.h - what ops read and write -----------------*- C++ -*-===//

#ifndef RGNN_ANALYSIS_BUFFERACCESS_H
#define RGNN_ANALYSIS_BUFFERACCESS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::rgnn {

/// The part of a buffer that an op reads or writes; all of it if `part` is
/// null. Arguments of a function and allocations do not overlap, except for
/// those that are only read.
struct BufferAccess {
  Value buffer;
  memref::SubViewOp part;

  explicit BufferAccess(Value memref);
  bool operator==(const BufferAccess &other) const {
    return buffer == other.buffer && part == other.part;
  }
  bool meets(const BufferAccess &other) const;
};

/// What several ops read and write. To free a buffer counts as writing it.
struct BufferAccesses {
  SmallVector<BufferAccess> reads, writes;

  /// Adds what `op` itself accesses, without the ops in its regions. Fails
  /// where that is not known.
  LogicalResult add(Operation *op);
  /// Whether these have to come behind those: they read what is written there,
  /// or write what is read or written there.
  bool waitFor(const BufferAccesses &before) const;
  bool use(Value buffer) const;
};

} // namespace mlir::rgnn

#endif // RGNN_ANALYSIS_BUFFERACCESS_H
