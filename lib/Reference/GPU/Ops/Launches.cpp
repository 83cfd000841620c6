//===- Launches.cpp - launches of kernels by the host ---------------------===//

#include "MemRefAccess.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Memory attributions get registers, and memory when a block or thread begins.
static void addLocals(Translator &kernel, ValueRange attributions, Space space,
                      StringRef name) {
  for (auto [index, value] : llvm::enumerate(attributions))
    kernel.program.locals.push_back(
        {kernel.define(value), cast<MemRefType>(value.getType()), space,
         (name + " attribution " + Twine(index) + " of " + kernel.program.name)
             .str()});
}

static SmallVector<unsigned> define(Translator &kernel,
                                    const gpu::KernelDim3 &values) {
  return kernel.define(ValueRange{values.x, values.y, values.z});
}

namespace {

/// Numbers of threads and blocks, in registers of the host.
struct LaunchSizes {
  LaunchSizes(Translator &host, const gpu::KernelDim3 &grid,
              const gpu::KernelDim3 &block, Value sharedBytes)
      : grid(host.getSlots({grid.x, grid.y, grid.z})),
        block(host.getSlots({block.x, block.y, block.z})) {
    if (sharedBytes)
      dynamicSharedBytes = host.getSlot(sharedBytes);
  }

  SmallVector<unsigned> grid, block;
  std::optional<unsigned> dynamicSharedBytes;
};

} // namespace

/// Values of the host and the registers of the kernel that they go to.
using Arguments = SmallVector<std::tuple<unsigned, unsigned, unsigned>>;

static LogicalResult checkSizes(const Thread &host, Operation *op,
                                StringRef what, const Dims &sizes,
                                const Dims &limits) {
  for (auto [dim, size, limit] :
       llvm::zip_equal(StringRef("xyz"), sizes, limits))
    if (size < 1 || size > limit)
      return fail(host, op,
                  "expected 1 to " + Twine(limit) + " " + what +
                      " in dimension " + StringRef(&dim, 1) + ", got " +
                      Twine(size));
  return success();
}

/// Limits of every GPU from compute capability 8.0 on.
static LogicalResult checkLimits(const Thread &host, Operation *op,
                                 const Launch &launch) {
  if (failed(checkSizes(host, op, "blocks", launch.grid,
                        {0x7fffffff, 65535, 65535})) ||
      failed(checkSizes(host, op, "threads", launch.block, {1024, 1024, 64})))
    return failure();
  int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (threads <= 1024)
    return success();
  return fail(host, op,
              "expected at most 1024 threads in a block, got " +
                  Twine(threads));
}

static void emitLaunch(Translator &host, Operation *op, LaunchSizes sizes,
                       Arguments arguments,
                       std::shared_ptr<const Program> kernel) {
  host.emit(op, [=](Thread &thread) -> LogicalResult {
    if (thread.block)
      return fail(thread, op, "expected the host around it, got a kernel");
    Launch launch{kernel->name, ++thread.session.numLaunches, {}, {}};
    llvm::copy(getInts(thread, sizes.grid), launch.grid.begin());
    llvm::copy(getInts(thread, sizes.block), launch.block.begin());
    if (failed(checkLimits(thread, op, launch)))
      return failure();
    std::vector<Word> registers = kernel->registers;
    for (auto [from, to, words] : arguments)
      for (unsigned i = 0; i < words; ++i)
        registers[to + i] = thread.at(from + i);
    int64_t shared = sizes.dynamicSharedBytes
                         ? toSigned(thread.at(*sizes.dynamicSharedBytes), 32)
                         : 0;
    return runKernel(thread.session, op, *kernel, launch, registers, shared);
  });
}

//===----------------------------------------------------------------------===//
// gpu.launch
//===----------------------------------------------------------------------===//

static LogicalResult translateLaunch(Translator &host, gpu::LaunchOp op) {
  if (op.hasClusterSize())
    return op.emitOpError("the simulator does not know clusters");
  auto program = std::make_shared<Program>();
  auto function = op->getParentOfType<FunctionOpInterface>();
  program->name = ("@" + function.getName()).str();
  Translator kernel(*program, &host);
  SmallVector<unsigned> blockId = define(kernel, op.getBlockIds()),
                        threadId = define(kernel, op.getThreadIds()),
                        grid = define(kernel, op.getGridSize()),
                        block = define(kernel, op.getBlockSize());
  addLocals(kernel, op.getWorkgroupAttributions(), Space::Workgroup,
            "workgroup");
  addLocals(kernel, op.getPrivateAttributions(), Space::Private, "private");
  kernel.emitPlain(op, [=](Thread &thread) {
    for (unsigned dim = 0; dim < 3; ++dim) {
      thread.at(blockId[dim]) = thread.block->id[dim];
      thread.at(threadId[dim]) = thread.id[dim];
      thread.at(grid[dim]) = thread.block->launch.grid[dim];
      thread.at(block[dim]) = thread.block->launch.block[dim];
    }
  });
  if (failed(kernel.translateFunction(op.getBody())))
    return failure();

  Arguments arguments;
  for (auto [value, slot] : kernel.getCaptures())
    arguments.push_back(
        {host.getSlot(value), slot, Translator::getNumWords(value.getType())});
  host.define(op->getResults());
  emitLaunch(host, op,
             LaunchSizes(host, op.getGridSizeOperandValues(),
                         op.getBlockSizeOperandValues(),
                         op.getDynamicSharedMemorySize()),
             arguments, std::move(program));
  return success();
}

//===----------------------------------------------------------------------===//
// gpu.launch_func
//===----------------------------------------------------------------------===//

static LogicalResult translateLaunchFunc(Translator &host,
                                         gpu::LaunchFuncOp op) {
  auto function =
      SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(op, op.getKernel());
  if (!function)
    return op.emitOpError("expected a kernel that is a gpu.func, got ")
           << op.getKernel();
  if (op.hasClusterSize())
    return op.emitOpError("the simulator does not know clusters");
  auto program = std::make_shared<Program>();
  program->name = ("@" + function.getName()).str();
  Translator kernel(*program, nullptr);
  Arguments arguments;
  for (auto [operand, argument] : llvm::zip_equal(
           op.getKernelOperands(),
           function.getArguments().take_front(function.getNumArguments())))
    arguments.push_back({host.getSlot(operand), kernel.define(argument),
                         Translator::getNumWords(operand.getType())});
  addLocals(kernel, function.getWorkgroupAttributions(), Space::Workgroup,
            "workgroup");
  addLocals(kernel, function.getPrivateAttributions(), Space::Private,
            "private");
  if (failed(kernel.translateFunction(function.getBody())))
    return failure();
  host.define(op->getResults());

  LaunchSizes sizes(host, op.getGridSizeOperandValues(),
                    op.getBlockSizeOperandValues(),
                    op.getDynamicSharedMemorySize());
  if (std::optional<ArrayRef<int32_t>> known = function.getKnownBlockSize()) {
    Dims expected{(*known)[0], (*known)[1], (*known)[2]};
    host.emit(op, [=](Thread &thread) -> LogicalResult {
      Dims got;
      llvm::copy(getInts(thread, sizes.block), got.begin());
      return got == expected ? success()
                             : fail(thread, op,
                                    "expected blocks of " + format(expected) +
                                        " threads, got " + format(got));
    });
  }
  emitLaunch(host, op, std::move(sizes), arguments, std::move(program));
  return success();
}

void simulator::addLaunchOps(OpTable &table) {
  table.add<gpu::LaunchOp>(translateLaunch);
  table.add<gpu::LaunchFuncOp>(translateLaunchFunc);
}
