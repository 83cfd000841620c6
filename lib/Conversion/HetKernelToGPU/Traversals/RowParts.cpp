//===- RowParts.cpp - what members of a block have of sums ----------------===//

#include "RGNN/Dialect/HetKernel/Utils/Loops.h"
#include "RowCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

static int64_t getNumElements(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

llvm::SmallMapVector<Type, int64_t, 2>
hetkernel::countAccumulators(scf::ForOp loop) {
  llvm::SmallMapVector<Type, int64_t, 2> counts;
  for (Type type : loop.getResultTypes())
    counts[getElementTypeOrSelf(type)] += getNumElements(type);
  return counts;
}

namespace {

/// Where the accumulators of a loop are in a warp's row of their type's buffer.
class Places {
public:
  int64_t next(Type type) {
    int64_t place = used[getElementTypeOrSelf(type)];
    used[getElementTypeOrSelf(type)] += getNumElements(type);
    return place;
  }

private:
  DenseMap<Type, int64_t> used;
};

} // namespace

void RowCode::writeParts(scf::ForOp loop, const Combiners &combiners,
                         MutableArrayRef<Share> accumulators) {
  WarpCode warp(builder, team->lane);
  if (code->isThread())
    for (auto [share, combiner] : llvm::zip(accumulators, combiners))
      for (Value &value : share)
        value = warp.reduceLanes(value, combiner.second);
  Places places;
  for (auto [type, share] : llvm::zip(loop.getResultTypes(), accumulators)) {
    Value buffer = team->buffers.lookup(getElementTypeOrSelf(type)),
          begin = createIndex(builder, places.next(type));
    for (auto [number, value] : llvm::enumerate(share)) {
      OpBuilder::InsertionGuard guard(builder);
      Value isMine = code->isThread()
                         ? warp.isFirstLane()
                         : code->hasElement(number, getNumElements(type));
      if (!code->isThread() && !isa<VectorType>(type))
        isMine = warp.isFirstLane();
      if (isMine)
        builder.setInsertionPointToStart(
            scf::IfOp::create(builder, isMine, /*withElseRegion=*/false)
                .thenBlock());
      Value place = builder.createOrFold<arith::AddIOp>(
          begin, isa<VectorType>(type) ? code->getElement(number)
                                       : createIndex(builder, 0));
      memref::StoreOp::create(builder, value, buffer,
                              ValueRange{team->warp, place});
    }
  }
}

/// A barrier before, since others wrote parts; one behind, since others may
/// write the next while some still read. What a loop keeps for later ones, all
/// members see behind it.
SmallVector<Share> RowCode::addParts(scf::ForOp loop,
                                     const Combiners &combiners) {
  gpu::BarrierOp::create(builder);
  SmallVector<Share> sums;
  Places places;
  for (auto [init, combiner] : llvm::zip(loop.getInitArgs(), combiners)) {
    Type type = init.getType();
    Value buffer = team->buffers.lookup(getElementTypeOrSelf(type)),
          begin = createIndex(builder, places.next(type));
    Share sum = getShare(init);
    for (auto [number, value] : llvm::enumerate(sum)) {
      Value element = createIndex(builder, 0);
      if (auto vector = dyn_cast<VectorType>(type)) {
        element = code->getElement(number);
        if (code->hasElement(number, vector.getNumElements()))
          element = arith::MinUIOp::create(
              builder, element,
              createIndex(builder, vector.getNumElements() - 1));
      }
      Value place = builder.createOrFold<arith::AddIOp>(begin, element);
      for (auto warp : llvm::seq(team->getNumWarps())) {
        Value part = memref::LoadOp::create(
            builder, buffer, ValueRange{createIndex(builder, warp), place});
        value = code->combine(value, part, combiner.second);
      }
    }
    sums.push_back(sum);
  }
  if (!sums.empty())
    gpu::BarrierOp::create(builder);
  return sums;
}
