//===- MoveAboveGathers.h - edge rows computed on coarser rows --*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REWRITES_MOVEABOVEGATHERS_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REWRITES_MOVEABOVEGATHERS_H

#include "RowOrigins.h"

namespace mlir::rgnn {

/// Computes edge rows on coarser rows, the first of `paths` along which they
/// can be gathered: products, sums over features, and element-wise functions
/// that cost more than to be loaded. A product of rows of several origins is
/// split into those of its parts. `pass` names the pass in remarks; returns how
/// many ops moved.
int64_t moveAboveGathers(func::FuncOp function, ArrayRef<Path> paths,
                         StringRef pass);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REWRITES_MOVEABOVEGATHERS_H
