//===- LaunchDependences.cpp - which launches wait for which --------------===//
//
// A launch waits for those before it that write what it reads or writes, or
// read what it writes.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/GPU/Analysis/LaunchDependences.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Dialect/HetKernel/IR/DiscardableAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::rgnn;

BufferAccess::BufferAccess(Value memref) : buffer(memref) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    part = dyn_cast<memref::SubViewOp>(view.getOperation());
    buffer = view.getViewSource();
  }
}

/// Parts that lie apart in one dimension do not meet.
bool BufferAccess::meets(const BufferAccess &other) const {
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

bool DependentLaunch::waitsFor(const DependentLaunch &before) const {
  auto meet = [](ArrayRef<BufferAccess> some, ArrayRef<BufferAccess> others) {
    return llvm::any_of(some, [&](const BufferAccess &access) {
      return llvm::any_of(others, [&](const BufferAccess &other) {
        return access.meets(other);
      });
    });
  };
  return meet(before.writes, reads) || meet(before.writes, writes) ||
         meet(before.reads, writes);
}

bool DependentLaunch::uses(Value buffer) const {
  auto isOf = [&](const BufferAccess &access) {
    return access.buffer == buffer;
  };
  return llvm::any_of(reads, isOf) || llvm::any_of(writes, isOf);
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
static void addAccess(Value memref, SmallVectorImpl<BufferAccess> &accesses) {
  BufferAccess access(memref);
  if (auto choice = access.buffer.getDefiningOp<arith::SelectOp>()) {
    addAccess(choice.getTrueValue(), accesses);
    addAccess(choice.getFalseValue(), accesses);
  } else if (!llvm::is_contained(accesses, access)) {
    accesses.push_back(access);
  }
}

/// Adds what `op` in the body of `unit` reads and writes. Fails where that is
/// not known.
static LogicalResult addEffects(Operation *op, DependentLaunch &unit) {
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

static FailureOr<DependentLaunch> describe(Operation *op) {
  DependentLaunch unit;
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
  unit.isProduct = !unit.shared.empty() &&
                   !unit.launch->hasAttr(hetkernel::kPartialSumsAttr);
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

static void findWaits(MutableArrayRef<DependentLaunch> units) {
  for (auto [number, unit] : llvm::enumerate(units))
    for (size_t before = 0; before < number; ++before)
      if (unit.waitsFor(units[before]))
        unit.before.push_back(before);
  for (DependentLaunch &unit : llvm::reverse(units))
    for (size_t before : unit.before)
      units[before].height = std::max(units[before].height, unit.height + 1);
}

FailureOr<LaunchDependences> LaunchDependences::compute(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return failure();
  LaunchDependences result;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      result.deallocs.push_back(dealloc);
    } else if (op.getNumRegions() == 0 &&
               (isa<memref::AllocOp>(op) || isMemoryEffectFree(&op))) {
      result.hostOps.push_back(&op);
    } else {
      FailureOr<DependentLaunch> launch = describe(&op);
      if (failed(launch))
        return failure();
      result.launches.push_back(*launch);
    }
  }
  findWaits(result.launches);
  return result;
}

SmallVector<SmallVector<size_t>> LaunchDependences::order() const {
  return orderLaunches(llvm::map_to_vector(
      launches, [](const DependentLaunch &launch) -> const LaunchUnit * {
        return &launch;
      }));
}
