//===- Access.h - which view leads where ------------------------*- C++ -*-===//
//
// Rows of every domain have numbers: edges their positions, unique
// (destination, type) pairs their runs among the positions, unique (source,
// type) pairs and all others the order of (type, node). Views lead from the
// number of a row to those of others. A tensor holds its rows in the order of
// their numbers, or has a view that says the *place* of each.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_ACCESS_H
#define RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_ACCESS_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

namespace mlir::rgnn {

using hetkernel::ViewKind;
using Place = std::optional<ViewKind>;

/// The rows that an arrow leads from, group by group.
struct GroupViews {
  ViewKind offsets; ///< first slot of each group
  Place rows;       ///< row in each slot; none where slots are rows
};
GroupViews getGroupViews(Domain inner, Path path);

/// Places of the rows that callers give and get, and the row at each place.
/// None where callers number rows as kernels do.
Place getCallersPlace(Domain domain);
Place getRowAtCallersPlace(Domain domain);

/// What gives, for the number that callers have for a row, where a path leads;
/// nothing where only the row's own place says so.
std::optional<ViewKind> getGatherByNumber(Domain from, Path path);

/// The order in which a GEMM goes through rows: by type, or by number.
struct GemmOrder {
  Place rows; ///< row of each step; none where steps are rows
  std::optional<ViewKind> tiles;
};
GemmOrder getGemmOrder(Domain domain, bool typed, bool gathers);

/// The list that leads from each step of a GEMM to the place of its row; none
/// where that is the step itself. Fails where no view does.
FailureOr<Place> getStepPlace(Place rows, Place place);

/// The list that leads from each step of a GEMM along `path`. Fails where no
/// view does.
FailureOr<ViewKind> getStepGather(Domain from, Path path, bool typed);

} // namespace mlir::rgnn

#endif // RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_ACCESS_H
