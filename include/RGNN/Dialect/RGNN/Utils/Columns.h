//===- Columns.h - what products sum over -----------------------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_COLUMNS_H
#define RGNN_DIALECT_RGNN_UTILS_COLUMNS_H

#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"

namespace mlir::rgnn {

/// Columns of such dimensions, the end not included.
struct ColumnRange {
  int64_t begin, end;
};

/// Widths of the pieces that the last dimension of `rows` was joined from,
/// through functions of each element.
SmallVector<int64_t> getPieces(Value rows);

/// Columns of `value` side by side, taken from what it was joined of.
Value joinColumns(OpBuilder &builder, Value value, int64_t dim,
                  ArrayRef<ColumnRange> ranges);

/// The arrows along which columns of `rows` could be gathered.
PathSet getPathsOfColumns(Value rows, ColumnRange range, RowOrigins &origins);

/// The value that columns are, if they are one that was joined.
Value findColumns(Value rows, ColumnRange range);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_COLUMNS_H
