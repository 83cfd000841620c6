//===- Segments.h - where the segments of a traversal live ------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOSCF_SEGMENTS_H
#define RGNN_LIB_CONVERSION_HETKERNELTOSCF_SEGMENTS_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::hetkernel {

/// The number of inner rows of a traversal, computed before its loops when it
/// is first asked for.
class InnerRowCount {
public:
  explicit InnerRowCount(TraverseOp traverse) : traverse(traverse) {}
  Value get(ImplicitLocOpBuilder &builder);

private:
  TraverseOp traverse;
  Value count;
};

/// A buffer that holds a segment. Lists lead from an inner row to its place.
struct SegmentPlace {
  Value buffer;
  SmallVector<Value, 1> lists;
};

/// Where each kept segment of a traversal lives: in outputs, or in a buffer of
/// its own, which is allocated before the loops.
class SegmentPlaces {
public:
  SegmentPlaces(ImplicitLocOpBuilder &builder, TraverseOp traverse,
                InnerRowCount &innerRows);

  /// Every buffer that holds `segment`; the first is read by later loops.
  ArrayRef<SegmentPlace> get(Value segment) const;
  ArrayRef<Value> getTemporaries() const { return temporaries; }

private:
  DenseMap<Value, SmallVector<SegmentPlace, 1>> places;
  SmallVector<Value> temporaries;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOSCF_SEGMENTS_H
