//===- KernelOrder.h - the order of GEMMs that needs the least memory -----===//

#ifndef RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_KERNELORDER_H
#define RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_KERNELORDER_H

#include "mlir/IR/Operation.h"

namespace mlir::rgnn {

/// An order of `ops`, which are given in program order, that keeps dependences
/// and needs little memory.
SmallVector<Operation *> orderForMemory(ArrayRef<Operation *> ops);

} // namespace mlir::rgnn

#endif // RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_KERNELORDER_H
