//===- LaunchDependences.cpp - which launches wait for which --------------===//
//
// A launch waits for those before it that write what it reads or writes, or
// read what it writes.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/GPU/Analysis/LaunchDependences.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Dialect/HetKernel/IR/DiscardableAttributes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::rgnn;

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

/// Whether `op` works on no buffer though it does not say so.
static bool isOfGPU(Operation *op) {
  return isa<nvgpu::NVGPUDialect, gpu::GPUDialect, NVVM::NVVMDialect>(
             op->getDialect()) &&
         !isa<MemoryEffectOpInterface>(op);
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
    return isOfGPU(inner) || succeeded(unit.accesses.add(inner))
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  return unit;
}

static void findWaits(MutableArrayRef<DependentLaunch> units) {
  for (auto [number, unit] : llvm::enumerate(units))
    for (size_t before = 0; before < number; ++before)
      if (unit.accesses.waitFor(units[before].accesses))
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
