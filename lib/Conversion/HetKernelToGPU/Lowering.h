//===- Lowering.h - what the lowerings to launches share --------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_LOWERING_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_LOWERING_H

#include "../HetKernelToSCF/Lowering.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mlir::hetkernel {

struct LaunchOptions {
  /// Threads of a block where a schedule does not say.
  int64_t threads;
  /// Whether the GPU copies to shared memory past its registers.
  bool asyncCopies;
  /// Whether it has tensor cores for f32, and whether these may multiply what
  /// they round.
  bool tensorCores, tf32;
};

/// Replaces a kernel on buffers by launches. On failure an error was reported.
LogicalResult launchGemm(GemmOp gemm, const LaunchOptions &options);
LogicalResult launchOuterSum(OuterSumOp sum, const LaunchOptions &options,
                             int64_t &numTemporaries);
LogicalResult launchConcat(ConcatOp concat, const LaunchOptions &options);

/// Replaces all copies and ops of linalg in a function by parallel loops over
/// elements. On failure an error was reported.
LogicalResult spreadElementwise(Operation *function);

/// The schedule of a parallel loop over the outer rows of a traversal.
constexpr StringLiteral scheduleAttrName = "hetkernel.schedule";

/// Marks a launch whose shared memory holds sums of warps, not factors.
constexpr StringLiteral rowsAttrName = "hetkernel.rows";

struct TaskCounts {
  /// Loops of which a thread has an element of an iteration's vectors, a warp
  /// an iteration, and a block some iterations.
  int64_t spread = 0, warps = 0, blocks = 0;
};

/// Replaces a parallel loop by a launch: a thread for each iteration, a thread
/// for each element of the vectors of an iteration where that is the same
/// computation, or a warp for each iteration. On failure an error was reported.
LogicalResult launchTasks(scf::ForallOp loop, int64_t threads,
                          TaskCounts &counts);

/// The same for a loop over outer rows: a warp or a thread for each, or for one
/// with more inner rows than the schedule says a block. Fails where these
/// cannot share out its inner rows; nothing has changed then.
LogicalResult launchRows(scf::ForallOp loop, int64_t threads,
                         TraverseScheduleAttr schedule, TaskCounts &counts);

/// Whether a warp, or a thread by itself, can run this op of an iteration.
bool isShareable(Operation *op);
/// Whether lanes of a warp can share out the vectors of an iteration.
bool canShareOut(scf::ForallOp loop);

/// Makes one launch of those that do not depend on each other; counts how many
/// there are fewer.
void mergeLaunches(func::FuncOp function, int64_t &numMerged);

/// Makes views where launches read them, and names constants there. Refuses
/// launches that read other globals, which are memory of the host.
LogicalResult sinkViews(Operation *function);
/// What a launch that reads `memref` takes from the host then.
Value getCaptured(Value memref);

/// Refuses what reads or writes a buffer outside a launch.
LogicalResult verifyHost(Operation *function);

/// Bytes of arguments that a kernel can have, from PTX 8.1 on, less what sizes
/// may take that are not counted.
constexpr int64_t maxArgumentBytes = 32 * 1024 - 1024;
/// Those of an argument of type `type`.
int64_t getArgumentBytes(Type type);

/// `location` under a name, and the shapes of buffers behind it.
Location nameLocation(Location location, const Twine &name,
                      ValueRange buffers = {});

/// Tensors that a function gets begin at multiples of so many bytes, as those
/// of PyTorch's allocator do. The runtime sees to it (its `gpuAlignment`): from
/// Python it copies one that does not, else it refuses it.
constexpr int64_t tensorAlignment = 16;

/// How many numbers that follow each other, in at most 16 bytes, a thread may
/// load or store at once: a power of two that divides the rows of `buffer`.
int64_t getMovedAtOnce(Value buffer);
/// The alignment that loads and stores of so many numbers have then.
llvm::Align getVectorAlignment(VectorType numbers);
/// Stores numbers side by side, from `position` on, at once.
void storeAtOnce(ImplicitLocOpBuilder &builder, ValueRange numbers,
                 Value buffer, ValueRange position);

/// The threads of a block for a schedule, whose vectors divide it.
FailureOr<int64_t> getThreads(Operation *kernel, GemmScheduleAttr schedule,
                              const LaunchOptions &options);

/// A launch of `blocks` by `threads`; `builder` goes into it. Behind a
/// condition that there are blocks, unless that is known.
gpu::LaunchOp enterLaunch(ImplicitLocOpBuilder &builder, ArrayRef<Value> blocks,
                          ArrayRef<int64_t> threads);

/// One of `tasks` tasks for each block, or a loop over `coarsening` of them,
/// into which `builder` goes. Returns the number of the task.
Value enterCoarse(ImplicitLocOpBuilder &builder, Value block, Value tasks,
                  int64_t coarsening);

//===----------------------------------------------------------------------===//
// Several dimensions as one
//===----------------------------------------------------------------------===//

/// The sizes of the dimensions `first` to `last` (not included) of `buffer`.
SmallVector<Value> getSizes(ImplicitLocOpBuilder &builder, Value buffer,
                            int64_t first, int64_t last);
/// 1 for no sizes.
Value multiply(ImplicitLocOpBuilder &builder, ValueRange sizes);
/// The indices that `number` stands for, the last of which changes first.
SmallVector<Value> delinearize(ImplicitLocOpBuilder &builder, Value number,
                               ValueRange sizes);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_LOWERING_H
