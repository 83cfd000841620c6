//===- Tasks.cpp - parallel loops as launches -----------------------------===//
//
// One thread for each iteration, one for each element of its vectors, or a
// warp. The second turns a vector of n elements into the scalar that thread
// `lane` of n threads computes; scalars are computed n times. Where elements
// meet those of other places, a warp can exchange them.
//
//===----------------------------------------------------------------------===//

#include "../Launches.h"
#include "Distribution.h"
#include "LongRows.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Dialect/HetKernel/IR/DiscardableAttributes.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"
#include "RowCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Whether thread `lane` can do to the elements of `op`'s vectors what `op`
/// does. `lanes` becomes the number of elements, the same for all vectors.
static bool isSpreadable(Operation *op, int64_t &lanes) {
  bool hasVector = false;
  auto isOneSize = [&](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return true;
    hasVector = true;
    if (vector.isScalable())
      return false;
    if (lanes == 0)
      lanes = vector.getNumElements();
    return vector.getNumElements() == lanes;
  };
  if (!llvm::all_of(op->getOperandTypes(), isOneSize) ||
      !llvm::all_of(op->getResultTypes(), isOneSize))
    return false;
  // All lanes would write the same number.
  if (isa<memref::StoreOp>(op))
    return false;
  if (!hasVector)
    return true;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return !isa<VectorType>(broadcast.getSourceType());
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return load.getVectorType().getRank() == 1;
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return store.getVectorType().getRank() == 1;
  return isa<scf::ForOp, scf::IfOp, scf::YieldOp, vector::ShapeCastOp,
             vector::FMAOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

/// The number of elements of every vector in the loop, or 0 where a thread must
/// have all of them.
static int64_t getLanes(scf::ForallOp loop) {
  int64_t lanes = 0;
  bool spreadable = true;
  auto check = [&](Operation *op) {
    spreadable &= isSpreadable(op, lanes);
    // Splats are often outside.
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp();
          source && isa<VectorType>(operand.getType()))
        spreadable &=
            loop->isProperAncestor(source) ||
            (isa<arith::ConstantOp>(source) && isSpreadable(source, lanes));
      else if (isa<VectorType>(operand.getType()))
        spreadable &= loop.getRegion().isAncestor(operand.getParentRegion());
  };
  loop.getRegion().walk([&](Operation *op) { check(op); });
  return spreadable && lanes > 1 ? lanes : 0;
}

/// A load or store of a row starts at its first element.
static SmallVector<Value> getLanePosition(ImplicitLocOpBuilder &builder,
                                          ValueRange indices, Value lane) {
  SmallVector<Value> position(indices);
  position.back() = builder.createOrFold<arith::AddIOp>(position.back(), lane);
  return position;
}

/// Replaces `op` by what it is for thread `lane`, or changes its types.
static void spread(Operation *op, Value lane) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Value scalar;
  // Operands may be scalars by now, which typed accessors do not expect.
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    scalar = memref::LoadOp::create(
        builder, load.getBase(),
        getLanePosition(builder, load.getIndices(), lane));
  } else if (auto store = dyn_cast<vector::StoreOp>(op)) {
    memref::StoreOp::create(builder, store->getOperand(0), store.getBase(),
                            getLanePosition(builder, store.getIndices(), lane));
    op->erase();
    return;
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      scalar = arith::ConstantOp::create(
          builder, cast<TypedAttr>(splat.getSplatValue<Attribute>()));
  } else if (isa<vector::FMAOp>(op)) {
    scalar = math::FmaOp::create(builder, op->getOperand(0), op->getOperand(1),
                                 op->getOperand(2));
  } else if (isa<vector::BroadcastOp, vector::ShapeCastOp>(op)) {
    scalar = op->getOperand(0);
  }
  if (scalar) {
    op->getResult(0).replaceAllUsesWith(scalar);
    op->erase();
    return;
  }
  auto toScalar = [](Value value) {
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      value.setType(vector.getElementType());
  };
  llvm::for_each(op->getResults(), toScalar);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::for_each(block.getArguments(), toScalar);
}

/// Vectors from outside are constants; the loop gets its own.
static void cloneConstants(scf::ForallOp loop) {
  OpBuilder builder(&loop.getRegion().front(),
                    loop.getRegion().front().begin());
  loop.getRegion().walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      auto constant = operand.get().getDefiningOp<arith::ConstantOp>();
      if (constant && !loop->isProperAncestor(constant) &&
          isa<VectorType>(constant.getType()))
        operand.set(builder.clone(*constant)->getResult(0));
    }
  });
}

LogicalResult hetkernel::launchTasks(scf::ForallOp loop, int64_t threads,
                                     TaskCounts &counts) {
  if (loop.getRank() != 1 || loop.getNumResults() != 0 ||
      !isConstantIntValue(loop.getMixedLowerBound().front(), 0) ||
      !isConstantIntValue(loop.getMixedStep().front(), 1))
    return loop.emitOpError(
        "expected one dimension from 0 in steps of 1, and no results");
  ImplicitLocOpBuilder builder(loop.getLoc(), loop);
  if (auto schedule =
          loop->getAttrOfType<GPUTraverseScheduleAttr>(kScheduleAttr)) {
    if (schedule.getThreads() != 0)
      threads = schedule.getThreads();
    if (succeeded(launchRows(loop, threads, schedule, counts)))
      return success();
  }
  int64_t lanes = getLanes(loop);
  bool isByWarp = lanes == 0 && threads % warpSize == 0 && canDistribute(loop);
  if (isByWarp)
    lanes = warpSize;
  Value tasks = getValueOrCreateConstantIndexOp(
      builder, loop.getLoc(), loop.getMixedUpperBound().front());
  Value total = lanes == 0 ? tasks
                           : builder.createOrFold<arith::MulIOp>(
                                 tasks, createIndex(builder, lanes));
  Value one = createIndex(builder, 1);
  Value blocks = builder.createOrFold<arith::CeilDivUIOp>(
      total, createIndex(builder, threads));
  gpu::LaunchOp launch =
      rgnn::enterLaunch(builder, {blocks, one, one}, {threads, 1, 1});

  Value number = arith::AddIOp::create(
      builder,
      arith::MulIOp::create(builder, launch.getBlockIds().x,
                            createIndex(builder, threads)),
      launch.getThreadIds().x);
  auto exists = scf::IfOp::create(
      builder,
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, number, total),
      /*withElseRegion=*/false);
  builder.setInsertionPointToStart(exists.thenBlock());
  Value task = number, lane;
  if (lanes != 0) {
    Value count = createIndex(builder, lanes);
    task = arith::DivUIOp::create(builder, number, count);
    lane = arith::RemUIOp::create(builder, number, count);
  }
  if (isByWarp) {
    RowCode code(builder, WarpCode(builder, lane));
    code.map(loop.getInductionVar(0), task);
    code.clone(*loop.getBody());
    loop.erase();
    ++counts.warps;
    return success();
  }
  if (lanes != 0) {
    cloneConstants(loop);
    // Operands first: by then they are scalars.
    SmallVector<Operation *> ops;
    loop.getRegion().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      spread(op, lane);
    ++counts.spread;
  }
  Block &body = loop.getRegion().front();
  body.getTerminator()->erase();
  loop.getInductionVar(0).replaceAllUsesWith(task);
  exists.thenBlock()->getOperations().splice(builder.getInsertionPoint(),
                                             body.getOperations());
  loop.erase();
  return success();
}
