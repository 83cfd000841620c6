//===- TestSerializeLaunches.cpp - launches as loops ----------------------===//
//
// The meaning of a kernel on a machine without a GPU: loops over blocks, and
// over the threads of each. Threads of kernels without barriers do not wait for
// each other, so one order is as good as any. A block of one thread waits for
// nobody: there barriers go, and asynchronous copies are loads and stores.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "RGNN/Dialect/GPU/Utils/Limits.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Whether blocks have one thread, which waits for nobody.
static bool isAlone(gpu::LaunchOp launch) {
  gpu::KernelDim3 threads = launch.getBlockSizeOperandValues();
  return isConstantIntValue(threads.x, 1) && isConstantIntValue(threads.y, 1) &&
         isConstantIntValue(threads.z, 1);
}

/// An asynchronous copy, now.
static void copyNow(nvgpu::DeviceAsyncCopyOp copy) {
  ImplicitLocOpBuilder builder(copy.getLoc(), copy);
  auto behind = [](ImplicitLocOpBuilder &builder, ValueRange first,
                   int64_t number) {
    SmallVector<Value> indices(first);
    indices.back() = builder.createOrFold<arith::AddIOp>(
        indices.back(), createIndex(builder, number));
    return indices;
  };
  for (int64_t i = 0, end = copy.getDstElements().getSExtValue(); i < end;
       ++i) {
    auto load = [&](OpBuilder &builder, Location) -> Value {
      ImplicitLocOpBuilder inner(copy.getLoc(), builder);
      return memref::LoadOp::create(inner, copy.getSrc(),
                                    behind(inner, copy.getSrcIndices(), i));
    };
    Value number;
    if (Value count = copy.getSrcElements()) {
      // What is not read need not be there.
      Value isThere = arith::CmpIOp::create(builder, arith::CmpIPredicate::ugt,
                                            count, createIndex(builder, i));
      number = scf::IfOp::create(
                   builder, isThere,
                   [&](OpBuilder &builder, Location loc) {
                     scf::YieldOp::create(builder, loc, load(builder, loc));
                   },
                   [&](OpBuilder &builder, Location loc) {
                     Type type = copy.getSrc().getType().getElementType();
                     Value zero = arith::ConstantOp::create(
                         builder, loc, builder.getZeroAttr(type));
                     scf::YieldOp::create(builder, loc, zero);
                   })
                   .getResult(0);
    } else {
      number = load(builder, copy.getLoc());
    }
    memref::StoreOp::create(builder, number, copy.getDst(),
                            behind(builder, copy.getDstIndices(), i));
  }
  copy.erase();
}

/// Takes away what threads of a block do for each other, where there is one.
static LogicalResult removeWaits(gpu::LaunchOp launch) {
  bool alone = isAlone(launch);
  SmallVector<Operation *> waits;
  auto walk = launch.getBody().walk([&](Operation *op) {
    if (!isa<gpu::GPUDialect, nvgpu::NVGPUDialect>(op->getDialect()) ||
        isa<gpu::TerminatorOp>(op))
      return WalkResult::advance();
    if (!alone ||
        !isa<gpu::BarrierOp, nvgpu::DeviceAsyncCopyOp,
             nvgpu::DeviceAsyncCreateGroupOp, nvgpu::DeviceAsyncWaitOp>(op)) {
      op->emitOpError("cannot run in a loop over threads");
      return WalkResult::interrupt();
    }
    waits.push_back(op);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (Operation *op : llvm::reverse(waits))
    if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op))
      copyNow(copy);
    else
      op->erase();
  return success();
}

static LogicalResult serialize(gpu::LaunchOp launch) {
  if (!launch.getBody().hasOneBlock() || !launch.getAsyncDependencies().empty())
    return launch.emitOpError("expected one block that waits for nothing");
  if (failed(removeWaits(launch)))
    return failure();

  ImplicitLocOpBuilder builder(launch.getLoc(), launch);
  Value zero = createIndex(builder, 0);
  auto replace = [](gpu::KernelDim3 values, const gpu::KernelDim3 &by) {
    values.x.replaceAllUsesWith(by.x);
    values.y.replaceAllUsesWith(by.y);
    values.z.replaceAllUsesWith(by.z);
  };
  gpu::KernelDim3 blocks = launch.getGridSizeOperandValues(),
                  threads = launch.getBlockSizeOperandValues();
  replace(launch.getGridSize(), blocks);
  replace(launch.getBlockSize(), threads);
  auto enter = [&](const gpu::KernelDim3 &sizes) {
    Value z = enterLoop(builder, zero, sizes.z, 1);
    Value y = enterLoop(builder, zero, sizes.y, 1);
    return gpu::KernelDim3{enterLoop(builder, zero, sizes.x, 1), y, z};
  };
  for (BlockArgument shared : launch.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(shared.getType());
    shared.replaceAllUsesWith(memref::AllocaOp::create(
        builder, MemRefType::get(type.getShape(), type.getElementType()),
        builder.getI64IntegerAttr(rgnn::tensorAlignment)));
  }
  replace(launch.getBlockIds(), enter(blocks));
  replace(launch.getThreadIds(), enter(threads));
  Block &body = launch.getBody().front();
  body.getTerminator()->erase();
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body.getOperations());
  launch.erase();
  return success();
}

namespace {
/// Refuses, with an error, a launch with any other op of the gpu or nvgpu
/// dialect, with a barrier for several threads, with asynchronous dependencies,
/// or with a body of more than one block.
struct TestSerializeLaunches
    : PassWrapper<TestSerializeLaunches, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestSerializeLaunches)

  StringRef getArgument() const override { return "test-serialize-launches"; }
  StringRef getDescription() const override {
    return "run the threads of launches one after another";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, gpu::GPUDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    SmallVector<gpu::LaunchOp> launches;
    getOperation().walk(
        [&](gpu::LaunchOp launch) { launches.push_back(launch); });
    for (gpu::LaunchOp launch : launches)
      if (failed(serialize(launch)))
        return signalPassFailure();
  }
};
} // namespace

void rgnn::test::registerTestSerializeLaunchesPass() {
  PassRegistration<TestSerializeLaunches>();
}
