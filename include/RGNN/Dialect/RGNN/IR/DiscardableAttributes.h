//===- DiscardableAttributes.h - names of rgnn's attributes -----*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_IR_DISCARDABLEATTRIBUTES_H
#define RGNN_DIALECT_RGNN_IR_DISCARDABLEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::rgnn {

#define RGNN_ATTRIBUTE(CONSTANT, NAME, BEARERS, TYPE, TEXT)                    \
  inline constexpr llvm::StringLiteral CONSTANT = NAME;
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.def"

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_IR_DISCARDABLEATTRIBUTES_H
