//===- Scatters.h - operators that reduce rows by an index ------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_SCATTERS_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_SCATTERS_H

#include "Arguments.h"

namespace mlir::rgnn::lift {

/// An operator that reduces rows into others: row `list[e]` of the result is
/// the reduction of the rows `e`, and of what was there if `includesSelf`.
struct RowScatter {
  Value into, list, rows;
  Reduction kind = Reduction::Sum;
  bool includesSelf = true;
  /// What rows are multiplied by.
  double scale = 1.0;
};
/// Nothing for other operators, and for scatters of other kinds.
std::optional<RowScatter> getRowScatter(Arguments arguments);

/// The list of integers whose entry `e` is the whole row `e` of `index`.
Value getRepeatedList(Value index);

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_SCATTERS_H
