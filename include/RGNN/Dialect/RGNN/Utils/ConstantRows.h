//===- ConstantRows.h - rows that are constant where others are -*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_CONSTANTROWS_H
#define RGNN_DIALECT_RGNN_UTILS_CONSTANTROWS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// The number that all elements of a row of `op` are where those of its
/// operands are what `getConstant` gives, whatever finite numbers the others
/// have; nothing where they may differ.
std::optional<double>
evaluateConstantRow(Operation *op,
                    function_ref<std::optional<double>(Value)> getConstant);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_CONSTANTROWS_H
