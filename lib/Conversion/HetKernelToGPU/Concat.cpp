//===- Concat.cpp - hetkernel.concat as a launch --------------------------===//
//
// A block copies from some of the parts. Its threads choose among these without
// branches, so that none waits before it loads. Which parts they are depends on
// the block alone: where threads of a warp go apart, ptxas has what they will
// read of a kernel's arguments in registers before, those of all parts at once.
//
//===----------------------------------------------------------------------===//

#include "Launches.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Dialect/GPU/Utils/Limits.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// The most parts that a thread chooses from.
constexpr size_t maxChosen = 16;

namespace {

/// Parts that follow each other and differ in their rows alone.
struct Group {
  ValueRange parts;
  /// The row where the first begins, and those where each ends.
  Value begin;
  SmallVector<Value> ends;
  /// How many numbers they have, the blocks that copy them, and the first block
  /// behind these.
  Value count, blocks, endBlock;
};

class ConcatLaunch {
public:
  ConcatLaunch(ConcatOp concat, int64_t threads)
      : builder(concat.getLoc(), concat), threads(threads),
        out(concat.getOut()),
        sizes(rgnn::getSizes(builder, out, 0,
                             cast<MemRefType>(out.getType()).getRank())) {}

  /// Copies as many `parts` as one kernel can, to the rows from `begin` on.
  /// Returns those left, and sets `begin` to their first row.
  ValueRange run(ValueRange parts, Value &begin);

private:
  Group makeGroup(ValueRange parts, Value begin);
  /// How many threads copy `count` numbers.
  Value countCopiers(Value count);
  Value load(const Group &group, ArrayRef<Value> position);
  /// The code of block number `block` of `group`.
  void copy(const Group &group, Value block);
  /// The same for the group that it is of; `first` is the first block of all.
  void copyFromOne(ArrayRef<Group> groups, Value first);

  ImplicitLocOpBuilder builder;
  int64_t threads;
  Value out;
  SmallVector<Value> sizes;
  gpu::LaunchOp launch;
};

} // namespace

/// The type that parts like this one have in common.
static MemRefType getCommonType(Value part) {
  auto type = cast<MemRefType>(part.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = ShapedType::kDynamic;
  return MemRefType::Builder(type).setShape(shape);
}

/// How many of the parts are in a group with the first: those of one layout.
static size_t countAlike(ValueRange parts) {
  MemRefType common = getCommonType(parts.front());
  auto some = parts.take_front(std::min(parts.size(), maxChosen));
  auto other = llvm::find_if(
      some, [&](Value part) { return getCommonType(part) != common; });
  return std::distance(some.begin(), other);
}

/// How many of the parts a kernel has arguments for: the buffers, the row where
/// each ends, and three numbers of each group.
static size_t countParts(ValueRange parts) {
  llvm::SmallDenseSet<Value> captured;
  int64_t bytes = 0;
  size_t endOfGroup = 0;
  for (auto [number, part] : llvm::enumerate(parts)) {
    Value buffer = rgnn::getCaptured(part);
    bytes += sizeof(int64_t);
    if (number == endOfGroup) {
      bytes += 3 * sizeof(int64_t);
      endOfGroup += countAlike(parts.drop_front(number));
    }
    if (captured.insert(buffer).second)
      bytes += rgnn::getArgumentBytes(buffer.getType());
    if (bytes > rgnn::maxArgumentBytes)
      return number;
  }
  return parts.size();
}

/// Where parts lie and end is the same for all numbers of a thread, but few
/// numbers rather have more threads.
Value ConcatLaunch::countCopiers(Value count) {
  constexpr int64_t numbersOfThread = 8, enoughThreads = 1 << 15;
  Value copiers = builder.createOrFold<arith::CeilDivUIOp>(
      count, createIndex(builder, numbersOfThread));
  copiers = builder.createOrFold<arith::MaxUIOp>(
      copiers, createIndex(builder, enoughThreads));
  return builder.createOrFold<arith::MinUIOp>(copiers, count);
}

Group ConcatLaunch::makeGroup(ValueRange parts, Value begin) {
  Group group{parts, begin, {}, {}, {}, {}};
  Value end = begin;
  for (Value part : parts) {
    end = builder.createOrFold<arith::AddIOp>(
        end, builder.createOrFold<memref::DimOp>(part, 0));
    group.ends.push_back(end);
  }
  sizes[0] = builder.createOrFold<arith::SubIOp>(end, begin);
  group.count = rgnn::multiply(builder, sizes);
  group.blocks = builder.createOrFold<arith::CeilDivUIOp>(
      parts.size() > 1 ? countCopiers(group.count) : group.count,
      createIndex(builder, threads));
  return group;
}

Value ConcatLaunch::load(const Group &group, ArrayRef<Value> position) {
  MemRefType type = getCommonType(group.parts.front());
  Value chosen, first = group.begin;
  for (auto [number, part] : llvm::enumerate(group.parts)) {
    Value own = builder.createOrFold<memref::CastOp>(type, part);
    if (!chosen) {
      chosen = own;
      continue;
    }
    Value end = group.ends[number - 1];
    Value isBehind = arith::CmpIOp::create(builder, arith::CmpIPredicate::uge,
                                           position[0], end);
    chosen = arith::SelectOp::create(builder, isBehind, own, chosen);
    first = arith::SelectOp::create(builder, isBehind, end, first);
  }
  SmallVector<Value> inPart(position);
  inPart[0] = arith::SubIOp::create(builder, position[0], first);
  return memref::LoadOp::create(builder, chosen, inPart);
}

void ConcatLaunch::copy(const Group &group, Value block) {
  Value size = createIndex(builder, threads);
  Value first = arith::AddIOp::create(
            builder, arith::MulIOp::create(builder, block, size),
            launch.getThreadIds().x),
        step = builder.createOrFold<arith::MulIOp>(group.blocks, size);
  auto own = scf::ForOp::create(builder, first, group.count, step);
  builder.setInsertionPointToStart(own.getBody());
  SmallVector<Value> position =
      rgnn::delinearize(builder, own.getInductionVar(), sizes);
  position[0] = arith::AddIOp::create(builder, position[0], group.begin);
  memref::StoreOp::create(builder, load(group, position), out, position);
}

void ConcatLaunch::copyFromOne(ArrayRef<Group> groups, Value first) {
  Value block = launch.getBlockIds().x;
  if (groups.size() == 1)
    return copy(groups.front(),
                builder.createOrFold<arith::SubIOp>(block, first));
  size_t half = groups.size() / 2;
  Value middle = groups[half - 1].endBlock;
  Value isBefore =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, block, middle);
  auto choice = scf::IfOp::create(builder, isBefore, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(choice.thenBlock());
  copyFromOne(groups.take_front(half), first);
  builder.setInsertionPointToStart(choice.elseBlock());
  copyFromOne(groups.drop_front(half), middle);
}

ValueRange ConcatLaunch::run(ValueRange parts, Value &begin) {
  OpBuilder::InsertionGuard guard(builder);
  ValueRange some = parts.take_front(countParts(parts));
  Value zero = createIndex(builder, 0), one = createIndex(builder, 1),
        endBlock = zero;
  SmallVector<Group> groups;
  for (ValueRange left = some; !left.empty();
       left = left.drop_front(groups.back().parts.size())) {
    groups.push_back(makeGroup(left.take_front(countAlike(left)), begin));
    begin = groups.back().ends.back();
    endBlock =
        builder.createOrFold<arith::AddIOp>(endBlock, groups.back().blocks);
    groups.back().endBlock = endBlock;
  }
  if (getConstantIntValue(endBlock) != 0) {
    launch = rgnn::enterLaunch(builder, {endBlock, one, one}, {threads, 1, 1});
    copyFromOne(groups, zero);
  }
  return parts.drop_front(some.size());
}

LogicalResult hetkernel::launchConcat(ConcatOp concat,
                                      const LaunchOptions &options) {
  for (Value buffer : concat->getOperands())
    if (!isa<MemRefType>(buffer.getType()))
      return concat.emitOpError("expected buffers, got ") << buffer.getType();
  ConcatLaunch launch(concat, options.threads);
  ImplicitLocOpBuilder builder(concat.getLoc(), concat);
  Value begin = createIndex(builder, 0);
  for (ValueRange parts = concat.getParts(); !parts.empty();)
    parts = launch.run(parts, begin);
  concat.erase();
  return success();
}
