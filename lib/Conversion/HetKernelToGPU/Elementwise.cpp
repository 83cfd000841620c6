//===- Elementwise.cpp - copies and linalg ops as parallel loops ----------===//

#include "Launches.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::hetkernel;

static scf::ForallOp createForall(ImplicitLocOpBuilder &builder, Value count) {
  return scf::ForallOp::create(builder, ArrayRef<OpFoldResult>{count},
                               /*outputs=*/ValueRange(),
                               /*mapping=*/std::nullopt);
}

static LogicalResult spread(IRRewriter &rewriter, linalg::LinalgOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  if (!op.hasPureBufferSemantics())
    return op.emitOpError("expected buffers, got tensors");
  if (op.getNumParallelLoops() == 0) { // One thread does it all.
    auto loop = createForall(builder, createIndex(builder, 1));
    op->moveBefore(loop.getBody()->getTerminator());
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return op.emitOpError("expected an op that loops compute");
    rewriter.eraseOp(op);
    return success();
  }
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::LinalgLoops> loops =
      linalg::linalgOpToParallelLoops(rewriter, op);
  auto outer = failed(loops) || loops->empty()
                   ? scf::ParallelOp()
                   : dyn_cast<scf::ParallelOp>(loops->front());
  if (!outer || outer.getNumLoops() != op.getNumParallelLoops())
    return op.emitOpError("expected parallel dimensions before the others");
  std::vector<unsigned> dims(outer.getNumLoops());
  std::iota(dims.begin(), dims.end(), 0);
  Operation *previous = outer->getPrevNode();
  Block *block = outer->getBlock();
  collapseParallelLoops(rewriter, outer, {dims});
  // The loop that took its place.
  scf::ParallelOp flat;
  for (auto it = previous ? std::next(previous->getIterator()) : block->begin();
       !flat; ++it)
    flat = dyn_cast<scf::ParallelOp>(*it);
  builder.setInsertionPoint(flat);
  auto loop = createForall(builder, flat.getUpperBound().front());
  flat.getBody()->getTerminator()->erase();
  flat.getInductionVars().front().replaceAllUsesWith(loop.getInductionVar(0));
  loop.getBody()->getOperations().splice(loop.getBody()->begin(),
                                         flat.getBody()->getOperations());
  flat.erase();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult hetkernel::spreadElementwise(Operation *function) {
  IRRewriter rewriter(function->getContext());
  function->walk([&](memref::CopyOp copy) {
    // Two views have become one since copies were simplified.
    if (copy.getSource() == copy.getTarget())
      return rewriter.eraseOp(copy);
    rewriter.setInsertionPoint(copy);
    rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(),
                                                copy.getTarget());
  });
  SmallVector<linalg::LinalgOp> ops;
  function->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    op->setLoc(rgnn::nameLocation(op.getLoc(), op->getName().getStringRef(),
                                  op->getOperands()));
    if (failed(spread(rewriter, op)))
      return failure();
  }
  return success();
}
