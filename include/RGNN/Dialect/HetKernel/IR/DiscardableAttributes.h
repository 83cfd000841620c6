//===- DiscardableAttributes.h - names of hetkernel's attributes -----*- C++
//-*-===//

#ifndef RGNN_DIALECT_HETKERNEL_IR_DISCARDABLEATTRIBUTES_H
#define RGNN_DIALECT_HETKERNEL_IR_DISCARDABLEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::hetkernel {

#define RGNN_ATTRIBUTE(CONSTANT, NAME, BEARERS, TYPE, TEXT)                    \
  inline constexpr llvm::StringLiteral CONSTANT = NAME;
#include "RGNN/Dialect/HetKernel/IR/DiscardableAttributes.def"

} // namespace mlir::hetkernel

#endif // RGNN_DIALECT_HETKERNEL_IR_DISCARDABLEATTRIBUTES_H
