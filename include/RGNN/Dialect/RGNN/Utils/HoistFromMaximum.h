//===- HoistFromMaximum.h - what leaves a maximum over edges ----*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_HOISTFROMMAXIMUM_H
#define RGNN_DIALECT_RGNN_UTILS_HOISTFROMMAXIMUM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::rgnn {

/// Adds what all edges of a group share to the maximum, or minimum, of the rest
/// of their rows, instead of to each row, and multiplies it by positive factors
/// that they share. `pass` names the pass in remarks; returns how many maxima
/// and minima changed.
int64_t hoistFromMaxima(func::FuncOp function, StringRef pass);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_HOISTFROMMAXIMUM_H
