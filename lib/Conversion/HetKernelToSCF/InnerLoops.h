//===- InnerLoops.h - loops over inner rows of a traversal ------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOSCF_INNERLOOPS_H
#define RGNN_LIB_CONVERSION_HETKERNELTOSCF_INNERLOOPS_H

#include "RGNN/Conversion/HetKernelToSCF/HetKernelToSCF.h"
#include "RowAccess.h"
#include "Segments.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::hetkernel {

/// The loops over the outer rows of a traversal, and what code before them
/// computes for those over inner rows.
struct OuterLoops {
  scf::ForallOp tasks;
  /// Over the rows of a task.
  scf::ForOp rows;
  /// The first inner row of the task; null without temporaries.
  Value taskBegin;
  /// The last inner row of all; null where no rows are asked for ahead.
  Value lastInner;
};

/// Lowers the loops of a traversal over inner rows, whose region was moved into
/// the loop over outer rows, in their order.
class InnerLoops {
public:
  InnerLoops(TraverseOp traverse, const TraverseLoops &options,
             const SegmentPlaces &segments, const OuterLoops &outer,
             RowAccess &rows)
      : traverse(traverse), options(options),
        builder(traverse.getLoc(), traverse), segments(segments), outer(outer),
        rows(rows) {}

  void lower(ForEachOp loop);
  /// Lowers what reads rows, lists and segments in `body`, once all loops are
  /// lowered.
  void lowerAccesses(Block &body);
  /// Unrolls loops, where that is asked for.
  void unroll();

private:
  /// The first and the last (not included) inner row of an outer row.
  struct Range {
    Value begin, end;
    /// What leads from an inner row to its position in a temporary; null for
    /// outer rows other than that of the loop, and without temporaries.
    Value shift;
  };
  Range getRange(Value outerRow);
  Value getOuterRow() { return outer.rows.getInductionVar(); }
  /// Where the value of inner row `inner` of `segment` is in `place`.
  Value getPosition(Value segment, const SegmentPlace &place, Value inner);
  Value allocateAccumulator(Type row);
  /// What lookups make of inner row `ahead`, where they make `index` of
  /// `inner`; null for other indices.
  Value lookUpAhead(Value index, Value inner, Value ahead);
  /// Asks for the rows that later iterations look up.
  void prefetchRows(scf::ForOp loop);
  Value loadElement(ElementOp element);

  TraverseOp traverse;
  const TraverseLoops &options;
  ImplicitLocOpBuilder builder;
  const SegmentPlaces &segments;
  OuterLoops outer;
  RowAccess &rows;
  DenseMap<Value, Range> ranges;
  SmallVector<scf::ForOp> lowered;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOSCF_INNERLOOPS_H
