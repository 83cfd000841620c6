//===- MergeLaunches.cpp - independent launches as one --------------------===//
//
// A launch waits for those before it that write what it reads or writes, or
// read what it writes. LaunchOrder.cpp says which become one: its blocks are
// the blocks of each after those of the other.
//
//===----------------------------------------------------------------------===//

#include "LaunchOrder.h"
#include "Lowering.h"
#include "SharedRoom.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::hetkernel;

namespace {

/// The part of a buffer that a launch reads or writes; all of it if `part` is
/// null. Arguments of a function and allocations do not overlap, except for
/// those that are only read.
struct Access {
  Value buffer;
  memref::SubViewOp part;

  explicit Access(Value memref) : buffer(memref) {
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
      part = dyn_cast<memref::SubViewOp>(view.getOperation());
      buffer = view.getViewSource();
    }
  }
  bool operator==(const Access &other) const {
    return buffer == other.buffer && part == other.part;
  }
  bool meets(const Access &other) const;
};

/// A launch, and what it depends on.
struct Unit : LaunchUnit {
  gpu::LaunchOp launch;
  /// The launch, or the condition that it has blocks.
  Operation *op;
  SmallVector<Access> reads, writes;
  bool isDone = false;

  bool waitsFor(const Unit &before) const {
    auto meet = [](ArrayRef<Access> some, ArrayRef<Access> others) {
      return llvm::any_of(some, [&](const Access &access) {
        return llvm::any_of(
            others, [&](const Access &other) { return access.meets(other); });
      });
    };
    return meet(before.writes, reads) || meet(before.writes, writes) ||
           meet(before.reads, writes);
  }
  bool uses(Value buffer) const {
    auto isOf = [&](const Access &access) { return access.buffer == buffer; };
    return llvm::any_of(reads, isOf) || llvm::any_of(writes, isOf);
  }
};

} // namespace

/// Parts that lie apart in one dimension do not meet.
bool Access::meets(const Access &other) const {
  if (buffer != other.buffer)
    return false;
  if (!part || !other.part)
    return true;
  auto isBefore = [](memref::SubViewOp a, memref::SubViewOp b, size_t dim) {
    int64_t offset = a.getStaticOffsets()[dim], size = a.getStaticSizes()[dim],
            stride = a.getStaticStrides()[dim], end = b.getStaticOffsets()[dim];
    return !ShapedType::isDynamicShape({offset, size, stride, end}) &&
           offset + (size - 1) * stride < end;
  };
  memref::SubViewOp a = part, b = other.part;
  for (size_t dim = 0; dim < a.getStaticOffsets().size(); ++dim)
    if (isBefore(a, b, dim) || isBefore(b, a, dim))
      return false;
  return true;
}

/// The launch that `op` is, or that it guards; null for other ops.
static gpu::LaunchOp getLaunch(Operation *op) {
  auto guarded = dyn_cast<scf::IfOp>(op);
  if (!guarded)
    return dyn_cast<gpu::LaunchOp>(op);
  Block &block = *guarded.thenBlock();
  return guarded.elseBlock() || !llvm::hasNItems(block, 2)
             ? nullptr
             : dyn_cast<gpu::LaunchOp>(block.front());
}

/// Adds an access by `memref`, or by each buffer that a thread may have chosen.
static void addAccess(Value memref, SmallVectorImpl<Access> &accesses) {
  Access access(memref);
  if (auto choice = access.buffer.getDefiningOp<arith::SelectOp>()) {
    addAccess(choice.getTrueValue(), accesses);
    addAccess(choice.getFalseValue(), accesses);
  } else if (!llvm::is_contained(accesses, access)) {
    accesses.push_back(access);
  }
}

/// Adds what `op` in the body of `unit` reads and writes. Fails where that is
/// not known.
static LogicalResult addEffects(Operation *op, Unit &unit) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return success(op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                   op->hasTrait<OpTrait::IsTerminator>() ||
                   isa<nvgpu::NVGPUDialect, gpu::GPUDialect, NVVM::NVVMDialect>(
                       op->getDialect()));
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances) {
    if (!effect.getValue())
      continue;
    if (isa<MemoryEffects::Read>(effect.getEffect()))
      addAccess(effect.getValue(), unit.reads);
    else if (isa<MemoryEffects::Write>(effect.getEffect()))
      addAccess(effect.getValue(), unit.writes);
  }
  return success();
}

static FailureOr<Unit> describe(Operation *op) {
  Unit unit;
  unit.op = op;
  unit.launch = getLaunch(op);
  if (!unit.launch)
    return failure();
  unit.numThreads = 1;
  gpu::KernelDim3 sizes = unit.launch.getBlockSizeOperandValues();
  for (Value size : {sizes.x, sizes.y, sizes.z}) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known)
      return failure();
    unit.numThreads *= *known;
  }
  for (BlockArgument shared : unit.launch.getWorkgroupAttributions())
    unit.shared.push_back(cast<MemRefType>(shared.getType()));
  unit.isProduct = !unit.shared.empty() && !unit.launch->hasAttr(rowsAttrName);
  auto walk = unit.launch.getBody().walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!unit.launch.getBody().isAncestor(operand.getParentRegion()))
        unit.arguments.insert(operand);
    return failed(addEffects(inner, unit)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return unit;
}

//===----------------------------------------------------------------------===//
// One launch for several
//===----------------------------------------------------------------------===//

/// Moves the body of `launch` to where `builder` stands, as that of its block
/// number `block` and thread number `thread`.
static void inlineBody(ImplicitLocOpBuilder &builder, gpu::LaunchOp launch,
                       Value block, Value thread) {
  auto replace = [](gpu::KernelDim3 values, ArrayRef<Value> by) {
    values.x.replaceAllUsesWith(by[0]);
    values.y.replaceAllUsesWith(by[1]);
    values.z.replaceAllUsesWith(by[2]);
  };
  // The first dimension changes first.
  auto split = [&](Value number, const gpu::KernelDim3 &sizes) {
    SmallVector<Value> indices =
        delinearize(builder, number, {sizes.z, sizes.y, sizes.x});
    return SmallVector<Value>(llvm::reverse(indices));
  };
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues(),
                  threads = launch.getBlockSizeOperandValues();
  replace(launch.getBlockIds(), split(block, grid));
  replace(launch.getThreadIds(), split(thread, threads));
  replace(launch.getGridSize(), {grid.x, grid.y, grid.z});
  replace(launch.getBlockSize(), {threads.x, threads.y, threads.z});
  Block &body = launch.getBody().front();
  body.getTerminator()->erase();
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body.getOperations());
}

/// Ends the code of a unit by a comment that no other has. What is alike in two
/// units would become one, by MLIR's canonicalization or LLVM, and what they
/// differ in would be in registers from where they part on.
static void keepApart(ImplicitLocOpBuilder &builder, int64_t number) {
  std::string text = "// the end of part " + std::to_string(number);
  LLVM::InlineAsmOp::create(builder, TypeRange(), ValueRange(), text,
                            /*constraints=*/"",
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::tailcallkind::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

/// The same for the unit whose blocks hold number `block`. Those of each end at
/// `ends`, those before the first at `begin`; `first` is the first's number.
static void inlineBodies(ImplicitLocOpBuilder &builder, ArrayRef<Unit *> units,
                         int64_t first, ArrayRef<Value> ends, Value begin,
                         Value block, Value thread) {
  if (units.size() == 1) {
    Value own = builder.createOrFold<arith::SubIOp>(block, begin);
    inlineBody(builder, units.front()->launch, own, thread);
    return keepApart(builder, first);
  }
  size_t half = units.size() / 2;
  Value middle = ends[half - 1];
  Value isBefore =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, block, middle);
  auto choice = scf::IfOp::create(builder, isBefore, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(choice.thenBlock());
  inlineBodies(builder, units.take_front(half), first, ends.take_front(half),
               begin, block, thread);
  builder.setInsertionPointToStart(choice.elseBlock());
  inlineBodies(builder, units.drop_front(half), first + half,
               ends.drop_front(half), middle, block, thread);
}

/// Puts what each unit keeps in shared memory in one room.
static void shareMemory(ImplicitLocOpBuilder &builder, gpu::LaunchOp merged,
                        ArrayRef<Unit *> units) {
  SharedRoom room;
  for (Unit *unit : units)
    room.add(unit->shared);
  llvm::DenseMap<Type, SmallVector<Value>> buffers;
  for (const auto &[type, sizes] : room.getSizes())
    for (int64_t size : sizes)
      buffers[type].push_back(merged.addWorkgroupAttribution(
          MemRefType::get(size, type, MemRefLayoutAttrInterface(),
                          gpu::AddressSpaceAttr::get(
                              builder.getContext(),
                              gpu::GPUDialect::getWorkgroupAddressSpace())),
          builder.getLoc()));
  for (Unit *unit : units)
    for (auto [shared, type, number] :
         llvm::zip(unit->launch.getWorkgroupAttributions(), unit->shared,
                   SharedRoom::assign(unit->shared))) {
      Value buffer = buffers[type.getElementType()][number];
      auto [strides, offset] = type.getStridesAndOffset();
      Value(shared).replaceAllUsesWith(memref::ReinterpretCastOp::create(
          builder, type, buffer, offset, type.getShape(), strides));
    }
}

static void merge(Operation *end, ArrayRef<Unit *> units) {
  if (units.size() == 1)
    return units.front()->op->moveBefore(end);
  auto locations = llvm::map_to_vector(
      units, [](Unit *unit) -> Location { return unit->launch.getLoc(); });
  ImplicitLocOpBuilder builder(Builder(end).getFusedLoc(locations), end);
  Value one = createIndex(builder, 1), zero = createIndex(builder, 0),
        total = zero;
  SmallVector<Value> ends;
  for (Unit *unit : units) {
    gpu::KernelDim3 grid = unit->launch.getGridSizeOperandValues();
    total = builder.createOrFold<arith::AddIOp>(
        total, multiply(builder, {grid.x, grid.y, grid.z}));
    ends.push_back(total);
  }
  gpu::LaunchOp merged = enterLaunch(builder, {total, one, one},
                                     {units.front()->numThreads, 1, 1});
  shareMemory(builder, merged, units);
  inlineBodies(builder, units, /*first=*/0, ends, zero, merged.getBlockIds().x,
               merged.getThreadIds().x);
  for (Unit *unit : units)
    unit->op->erase();
}

static void findWaits(MutableArrayRef<Unit> units) {
  for (auto [number, unit] : llvm::enumerate(units))
    for (size_t before = 0; before < number; ++before)
      if (unit.waitsFor(units[before]))
        unit.before.push_back(before);
  for (Unit &unit : llvm::reverse(units))
    for (size_t before : unit.before)
      units[before].height = std::max(units[before].height, unit.height + 1);
}

void hetkernel::mergeLaunches(func::FuncOp function, int64_t &numMerged) {
  if (!function.getBody().hasOneBlock())
    return;
  Block &block = function.getBody().front();
  std::vector<Unit> units;
  SmallVector<Operation *> hostOps;
  SmallVector<memref::DeallocOp> deallocs;
  for (Operation &op : block.without_terminator()) {
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      deallocs.push_back(dealloc);
    } else if (op.getNumRegions() == 0 &&
               (isa<memref::AllocOp>(op) || isMemoryEffectFree(&op))) {
      hostOps.push_back(&op);
    } else {
      FailureOr<Unit> unit = describe(&op);
      if (failed(unit))
        return;
      units.push_back(*unit);
    }
  }
  if (units.size() < 2)
    return;
  // The host knows all sizes from the start.
  for (Operation *op : hostOps)
    op->moveBefore(units.front().op);
  findWaits(units);
  Operation *end = block.getTerminator();
  // What no launch uses any more.
  auto freeUnused = [&] {
    llvm::erase_if(deallocs, [&](memref::DeallocOp dealloc) {
      Value buffer = dealloc.getMemref();
      bool isUsed = llvm::any_of(units, [&](const Unit &unit) {
        return !unit.isDone && unit.uses(buffer);
      });
      if (!isUsed)
        dealloc->moveBefore(end);
      return !isUsed;
    });
  };
  auto described = llvm::map_to_vector(
      units, [](const Unit &unit) -> const LaunchUnit * { return &unit; });
  for (ArrayRef<size_t> numbers : orderLaunches(described)) {
    freeUnused();
    auto next = llvm::map_to_vector(
        numbers, [&](size_t number) { return &units[number]; });
    merge(end, next);
    numMerged += next.size() - 1;
    for (Unit *unit : next)
      unit->isDone = true;
  }
  freeUnused();
}
