//===- ProductLaunch.cpp - blocks and threads of products -----------------===//

#include "ProductLaunch.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

FailureOr<int64_t> hetkernel::getThreads(Operation *kernel,
                                         GPUGemmScheduleAttr schedule,
                                         const LaunchOptions &options) {
  int64_t threads =
      schedule.getThreads() ? schedule.getThreads() : options.threads;
  int64_t lanes = schedule.getLanes();
  if (lanes > threads || threads % lanes != 0)
    return kernel->emitOpError() << "expected lanes that divide a block of "
                                 << threads << " threads, got " << lanes;
  return threads;
}

Value hetkernel::enterCoarse(ImplicitLocOpBuilder &builder, Value block,
                             Value tasks, int64_t coarsening) {
  if (coarsening == 1)
    return block;
  Value step = createIndex(builder, coarsening);
  Value begin = arith::MulIOp::create(builder, block, step);
  Value end = arith::AddIOp::create(builder, begin, step);
  return enterLoop(builder, begin, arith::MinUIOp::create(builder, end, tasks),
                   1);
}
