//===- LongRows.cpp - launches for the outer rows of a traversal ----------===//
//
// A warp has an outer row; where no vector has enough elements for its lanes, a
// thread has one. Rows with many inner rows would keep it long after all others
// are done. So the warps of a block note in shared memory which of their rows
// these are, and then the whole block computes one after another.
//
//===----------------------------------------------------------------------===//

#include "LongRows.h"
#include "Distribution.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Dialect/HetKernel/IR/DiscardableAttributes.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"
#include "RowCode.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Bytes of shared memory that a block may take for what its members have.
constexpr int64_t maxSharedBytes = 32 * 1024;

namespace {

/// A parallel loop over outer rows whose inner rows a block can share out.
class RowLoop {
public:
  explicit RowLoop(scf::ForallOp tasks) : tasks(tasks) {}

  LogicalResult match();
  void launch(int64_t threads, GPUTraverseScheduleAttr schedule);
  bool hasLanes() { return getWidth(tasks) >= minLaneElements; }

private:
  LogicalResult matchBody(Block &body);
  LogicalResult matchLoop(scf::ForOp loop);
  /// Puts the code of the only row of a task into that of the task.
  void inlineRow();
  /// The most inner rows that a loop of outer row `row` has.
  Value countInnerRows(ImplicitLocOpBuilder &builder, Value row);
  /// Whether buffers for what members have fit a block of `warps` warps.
  bool fits(int64_t warps);
  Value share(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> sizes,
              Type type);
  Value isLong(ImplicitLocOpBuilder &builder, Value number, Value exists,
               int64_t most);
  Value noteLong(ImplicitLocOpBuilder &builder, const Team &team, Value isLong);
  void emitRow(ImplicitLocOpBuilder &builder, const Team &team, Value number,
               int64_t unroll, bool isShared);
  void emitLongRows(ImplicitLocOpBuilder &builder, Team team, Value words,
                    Value firstRow, int64_t unroll);

  scf::ForallOp tasks;
  gpu::LaunchOp launched;
  scf::ForOp row;
  SmallVector<scf::ForOp> loops;
  /// What the bounds of the inner loops are computed by.
  SetVector<Operation *> bounds;
  /// The most numbers of each type that accumulators of a loop have.
  llvm::SmallMapVector<Type, int64_t, 2> accumulators;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

LogicalResult RowLoop::matchLoop(scf::ForOp loop) {
  if (!matchCombiners(loop) || !isOneInteger(loop.getStep()) ||
      !llvm::all_of(loop.getBody()->without_terminator(),
                    [](Operation &op) { return isDistributable(&op); }))
    return failure();
  for (auto [type, count] : countAccumulators(loop)) {
    if (!isa<FloatType>(type))
      return failure();
    accumulators[type] = std::max(accumulators[type], count);
  }
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return tasks->isProperAncestor(op); };
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound()})
    if (failed(getBackwardSlice(bound, &bounds, options)))
      return failure();
  loops.push_back(loop);
  return success();
}

LogicalResult RowLoop::matchBody(Block &body) {
  bool hasStored = false;
  for (Operation &op : body.without_terminator()) {
    if (&op == row)
      continue;
    hasStored |= isa<memref::StoreOp, vector::StoreOp>(op);
    auto loop = dyn_cast<scf::ForOp>(op);
    // One member stores, and others do not wait for it.
    if (hasStored && (loop || isa<memref::LoadOp, vector::LoadOp>(op)))
      return failure();
    if (loop ? failed(matchLoop(loop))
             : op.getNumRegions() != 0 || !isDistributable(&op))
      return failure();
  }
  return success();
}

LogicalResult RowLoop::match() {
  auto rows = llvm::to_vector(tasks.getBody()->getOps<scf::ForOp>());
  if (rows.size() != 1)
    return failure();
  row = rows.front();
  if (row.getNumResults() != 0 || failed(matchBody(*tasks.getBody())) ||
      failed(matchBody(*row.getBody())) || loops.empty())
    return failure();
  // Vectors from outside are constants, and bounds known before the loops.
  auto walk = tasks.getRegion().walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<VectorType>(operand.getType()) &&
          !tasks.getRegion().isAncestor(operand.getParentRegion()) &&
          !operand.getDefiningOp<arith::ConstantOp>())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return success(!walk.wasInterrupted() &&
                 llvm::none_of(bounds, [](Operation *op) {
                   return op->getNumRegions() != 0 || hasVectors(op);
                 }));
}

void RowLoop::inlineRow() {
  row.getInductionVar().replaceAllUsesWith(tasks.getInductionVar(0));
  row.getBody()->getTerminator()->erase();
  tasks.getBody()->getOperations().splice(row->getIterator(),
                                          row.getBody()->getOperations());
  row.erase();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

Value RowLoop::countInnerRows(ImplicitLocOpBuilder &builder, Value number) {
  IRMapping mapping;
  mapping.map(tasks.getInductionVar(0), number);
  for (Operation &op : *tasks.getBody())
    if (bounds.contains(&op))
      builder.clone(op, mapping);
  Value most;
  llvm::SmallDenseSet<std::pair<Value, Value>> counted;
  for (scf::ForOp loop : loops) {
    Value begin = mapping.lookupOrDefault(loop.getLowerBound()),
          end = mapping.lookupOrDefault(loop.getUpperBound());
    if (!counted.insert({begin, end}).second)
      continue;
    Value count = arith::SubIOp::create(builder, end, begin);
    most = most ? arith::MaxUIOp::create(builder, most, count) : count;
  }
  return most;
}

bool RowLoop::fits(int64_t warps) {
  int64_t bytes = 0;
  for (auto [type, count] : accumulators)
    bytes += warps * count * type.getIntOrFloatBitWidth() / 8;
  return bytes <= maxSharedBytes;
}

Value RowLoop::share(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> sizes,
                     Type type) {
  return rgnn::addSharedBuffer(launched, sizes, type, builder.getLoc());
}

/// Writes which rows of the block are long: bit `l` of a warp's word is that of
/// its lane `l`, or the first that of its row. Each warp then goes on by
/// itself.
Value RowLoop::noteLong(ImplicitLocOpBuilder &builder, const Team &team,
                        Value isLong) {
  Type word = builder.getI32Type();
  Value words = share(builder, {team.getNumWarps()}, word);
  Value bits = arith::ExtUIOp::create(builder, word, isLong);
  if (!hasLanes()) {
    Value lane = arith::IndexCastUIOp::create(builder, word, team.lane);
    bits = WarpCode(builder, team.lane)
               .reduceLanes(arith::ShLIOp::create(builder, bits, lane),
                            vector::CombiningKind::OR);
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    auto first = scf::IfOp::create(builder, isBelow(builder, team.lane, 1),
                                   /*withElseRegion=*/false);
    builder.setInsertionPointToStart(first.thenBlock());
    memref::StoreOp::create(builder, bits, words, team.warp);
  }
  gpu::BarrierOp::create(builder);
  return words;
}

/// The code of row `number`: by its warp or thread, or by the whole block.
void RowLoop::emitRow(ImplicitLocOpBuilder &builder, const Team &team,
                      Value number, int64_t unroll, bool isShared) {
  RowCode code(builder,
               hasLanes() ? WarpCode(builder, team.lane) : WarpCode(builder),
               unroll);
  if (isShared)
    code.setTeam(team);
  code.map(tasks.getInductionVar(0), number);
  code.clone(*tasks.getBody());
}

/// One long row of the block after another, all members of which are here.
void RowLoop::emitLongRows(ImplicitLocOpBuilder &builder, Team team,
                           Value words, Value firstRow, int64_t unroll) {
  const int64_t warps = team.getNumWarps(), each = hasLanes() ? 1 : warpSize;
  Type word = builder.getI32Type();
  for (auto [type, count] : accumulators)
    team.buffers[type] = share(builder, {warps, count}, type);
  Value zero = createIndex(builder, 0);
  Value warp = enterLoop(builder, zero, createIndex(builder, warps), 1);
  Value bits = memref::LoadOp::create(builder, words, warp);
  auto enterIf = [&](Value some) {
    Value isAny =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, some,
                              arith::ConstantIntOp::create(builder, word, 0));
    builder.setInsertionPointToStart(
        scf::IfOp::create(builder, isAny, /*withElseRegion=*/false)
            .thenBlock());
  };
  enterIf(bits);
  Value number = warp;
  if (each > 1) {
    Value lane = enterLoop(builder, zero, createIndex(builder, each), 1);
    Value bit = arith::ShLIOp::create(
        builder, arith::ConstantIntOp::create(builder, word, 1),
        arith::IndexCastUIOp::create(builder, word, lane));
    enterIf(arith::AndIOp::create(builder, bits, bit));
    number = arith::AddIOp::create(
        builder,
        arith::MulIOp::create(builder, warp, createIndex(builder, each)), lane);
  }
  emitRow(builder, team, arith::AddIOp::create(builder, firstRow, number),
          unroll, /*isShared=*/true);
}

/// Whether row `number` exists and has more inner rows than `most`.
Value RowLoop::isLong(ImplicitLocOpBuilder &builder, Value number, Value exists,
                      int64_t most) {
  auto counted =
      scf::IfOp::create(builder, builder.getI1Type(), exists, /*else=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(counted.thenBlock());
  Value isMore = arith::CmpIOp::create(builder, arith::CmpIPredicate::ugt,
                                       countInnerRows(builder, number),
                                       createIndex(builder, most));
  scf::YieldOp::create(builder, isMore);
  builder.setInsertionPointToStart(counted.elseBlock());
  scf::YieldOp::create(builder,
                       arith::ConstantIntOp::create(builder, 0, 1).getResult());
  return counted.getResult(0);
}

void RowLoop::launch(int64_t threads, GPUTraverseScheduleAttr schedule) {
  inlineRow();
  ImplicitLocOpBuilder builder(tasks.getLoc(), tasks);
  const int64_t blockRows = hasLanes() ? threads / warpSize : threads,
                unroll = schedule.getCoarsening();
  Value rows = getValueOrCreateConstantIndexOp(
      builder, tasks.getLoc(), tasks.getMixedUpperBound().front());
  Value one = createIndex(builder, 1), size = createIndex(builder, blockRows);
  Value blocks = builder.createOrFold<arith::CeilDivUIOp>(rows, size);
  launched = rgnn::enterLaunch(builder, {blocks, one, one}, {threads, 1, 1});

  launched->setAttr(kPartialSumsAttr, builder.getUnitAttr());

  Value lanes = createIndex(builder, warpSize);
  Team team;
  team.numThreads = threads;
  team.thread = launched.getThreadIds().x;
  team.warp = arith::DivUIOp::create(builder, team.thread, lanes);
  team.lane = arith::RemUIOp::create(builder, team.thread, lanes);
  Value firstRow =
      arith::MulIOp::create(builder, launched.getBlockIds().x, size);
  Value number = arith::AddIOp::create(builder, firstRow,
                                       hasLanes() ? team.warp : team.thread);
  Value isOwn = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                      number, rows),
        words;
  if (fits(team.getNumWarps())) {
    Value isLeft = isLong(builder, number, isOwn, schedule.getBlockAbove());
    words = noteLong(builder, team, isLeft);
    isOwn = arith::AndIOp::create(
        builder, isOwn,
        arith::XOrIOp::create(builder, isLeft,
                              arith::ConstantIntOp::create(builder, 1, 1)));
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    auto own = scf::IfOp::create(builder, isOwn, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(own.thenBlock());
    emitRow(builder, team, number, unroll, /*isShared=*/false);
  }
  if (words)
    emitLongRows(builder, team, words, firstRow, unroll);
  tasks.erase();
}

LogicalResult hetkernel::launchRows(scf::ForallOp loop, int64_t threads,
                                    GPUTraverseScheduleAttr schedule,
                                    TaskCounts &counts) {
  RowLoop rows(loop);
  if (schedule.getBlockAbove() == 0 || threads % warpSize != 0 ||
      failed(rows.match()))
    return failure();
  counts.warps += rows.hasLanes();
  ++counts.blocks;
  rows.launch(threads, schedule);
  return success();
}
