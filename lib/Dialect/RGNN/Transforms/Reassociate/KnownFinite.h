//===- KnownFinite.h - numbers that are never infinite ----------*- C++ -*-===//
//
// A node without edges has degree 0, one over which is infinite. That does no
// harm while edges alone read it, or while the sum over no edges is not
// multiplied by it: zero times infinity is no number. Whoever moves a factor
// between nodes and edges has to know.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_KNOWNFINITE_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_KNOWNFINITE_H

#include "mlir/IR/Value.h"

namespace mlir::rgnn {

/// Whether all elements of `tensor`, or with `inverted` one over them, are
/// finite whatever the graph: by intervals, from degrees and constants through
/// element-wise ops. What is given from outside is not known.
bool isKnownFinite(Value tensor, bool inverted);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_KNOWNFINITE_H
