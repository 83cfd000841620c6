//===- MoveAboveGathers.h - edge rows computed on coarser rows --*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_MOVEABOVEGATHERS_H
#define RGNN_DIALECT_RGNN_UTILS_MOVEABOVEGATHERS_H

#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"

namespace mlir::rgnn {

/// Computes edge rows on coarser rows, the first of `paths` along which they
/// can be gathered: products, sums over features, and element-wise functions
/// that cost more than to be loaded. A product of rows of several origins is
/// split into those of its parts. `pass` names the pass in remarks; returns how
/// many ops moved.
int64_t moveAboveGathers(func::FuncOp function, ArrayRef<Path> paths,
                         StringRef pass);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_MOVEABOVEGATHERS_H
