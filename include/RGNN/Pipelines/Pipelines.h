//===- Pipelines.h - from a captured model to code --------------*- C++ -*-===//

#ifndef RGNN_PIPELINES_PIPELINES_H
#define RGNN_PIPELINES_PIPELINES_H

#include "RGNN/Support/Remarks.h"

#include "mlir/Pass/PassOptions.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::rgnn {

/// Options of pipelines that make kernels, for whatever machine: rewrites,
/// schedules and layouts.
struct KernelPipelineOptions : virtual ::mlir::detail::PassOptions {
#define RGNN_REWRITE(MEMBER, OPTION, PASS, WHAT, NOTE)                         \
  Option<std::string> MEMBER{                                                  \
      *this, OPTION, llvm::cl::desc(PASS ": auto, true or false: " WHAT),      \
      llvm::cl::init("auto")};
#include "RGNN/Pipelines/Rewrites.def"

  ListOption<std::string> gemmSchedule{
      *this, "gemm-schedule",
      llvm::cl::desc("fields of the schedule of every GEMM and outer sum, as "
                     "name:value")};
  ListOption<std::string> traverseSchedule{
      *this, "traverse-schedule",
      llvm::cl::desc(
          "fields of the schedule of every traversal, as name:value")};
  Option<std::string> adjacency{
      *this, "adjacency",
      llvm::cl::desc("how rows of edges are computed: csc, coo or auto"),
      llvm::cl::init("auto")};
  Option<bool> deterministic{
      *this, "deterministic",
      llvm::cl::desc(
          "add up the rows of a node in the same order in every run"),
      llvm::cl::init(true)};
  Option<int64_t> padding{
      *this, "padding",
      llvm::cl::desc("rows of temporaries start at multiples of this number of "
                     "elements"),
      llvm::cl::init(1)};
};

/// What is wrong with options that are each one of some words: "expected auto,
/// true or false as compact, got flase".
Refusal getRefusal(const KernelPipelineOptions &options);

/// Why the rewrite of the option `choice`, one of `options`, does not run in
/// code for GPUs or for processors, in the words of rgnn.Options.
Refusal whyLeftOut(const KernelPipelineOptions &options,
                   const KernelPipelineOptions::Option<std::string> &choice,
                   bool onGPU);

/// The passes that `options` leave out, and why. That of `fuse` always runs.
std::vector<std::pair<std::string, std::string>>
listLeftOut(const KernelPipelineOptions &options, bool onGPU);

/// Options of `rgnn-to-cpu`. An unknown name is an error.
struct CPUPipelineOptions : PassPipelineOptions<CPUPipelineOptions>,
                            KernelPipelineOptions {
  Option<std::string> cpu{*this, "cpu",
                          llvm::cl::desc("processor to generate code for: "
                                         "native, or a name such as x86-64-v3"),
                          llvm::cl::init("native")};
  Option<std::string> features{
      *this, "features",
      llvm::cl::desc(
          "features to add or leave out, separated by ';': +avx2;-avx512f"),
      llvm::cl::init("")};
  Option<bool> approximateMath{
      *this, "approximate-math",
      llvm::cl::desc(
          "polynomials for functions of f32 where they are as good as libm's"),
      llvm::cl::init(true)};
  Option<std::string> start{
      *this,
      "start",
      llvm::cl::desc("what the input is: captured operators, or @forward on "
                     "buffers for kernels written by hand"),
      llvm::cl::init("captured"),
  };
  Option<int64_t> serialBelow{
      *this, "serial-below",
      llvm::cl::desc("elements of vectors that a kernel computes, below which "
                     "it runs on one thread"),
      llvm::cl::init(32768)};
};

Refusal getRefusal(const CPUPipelineOptions &options);

/// Lifts captured operators, and parts what can be compiled from what PyTorch
/// has to run.
void buildSplitFallbackPipeline(OpPassManager &manager);

/// Lifts captured operators, rewrites the mathematics as for GPUs or for
/// processors, and makes a backward function for the arguments of the given
/// numbers.
void buildDifferentiatePipeline(OpPassManager &manager,
                                llvm::ArrayRef<int64_t> arguments,
                                const CPUPipelineOptions &options, bool onGPU);

/// Captured operators to the mathematics, simplified: what a saved module holds
/// to be compiled for another target.
void buildCapturedToRGNNPipeline(OpPassManager &manager);

/// From captured operators to the mathematics that kernels compute on GPUs or
/// on processors.
void buildRewritePipeline(OpPassManager &manager,
                          const KernelPipelineOptions &options, bool onGPU);

/// From captured operators to kernels with schedules, on tensors.
void buildRGNNToHetKernelPipeline(OpPassManager &manager,
                                  const CPUPipelineOptions &options);

/// From kernels on tensors to `@forward` on buffers, of loops and vectors.
void buildHetKernelToBuffersPipeline(OpPassManager &manager,
                                     const CPUPipelineOptions &options);

/// From captured operators to the same.
void buildRGNNToBuffersPipeline(OpPassManager &manager,
                                const CPUPipelineOptions &options);

/// Memory plan, threads and C interface: `@forward` on buffers becomes
/// `@rgnn_forward` and `@rgnn_forward_workspace`.
void buildRuntimeInterfacePipeline(OpPassManager &manager,
                                   const CPUPipelineOptions &options);

/// Everything that is left to the llvm dialect, from linalg, vector, scf, math,
/// arith, memref and func.
void buildLowerToLLVMPipeline(OpPassManager &manager,
                              const CPUPipelineOptions &options);

/// The three above, one after another.
void buildRGNNToCPUPipeline(OpPassManager &manager,
                            const CPUPipelineOptions &options);

/// Options of pipelines that make code for GPUs.
struct GPUTargetOptions : virtual ::mlir::detail::PassOptions {
  ListOption<std::string> chip{
      *this, "chip",
      llvm::cl::desc("GPUs to generate code for: sm_80, sm_90, sm_100a; "
                     "without one, sm_90")};
  Option<std::string> format{
      *this, "format",
      llvm::cl::desc("what a kernel ends as: isa (PTX), bin (machine code of "
                     "the chip), fatbin (both) or llvm (bitcode)"),
      llvm::cl::init("fatbin")};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("root of the CUDA Toolkit, for ptxas and libdevice; "
                     "without it, what CUDA_ROOT, CUDA_HOME or CUDA_PATH say"),
      llvm::cl::init("")};
  Option<bool> tf32{
      *this, "tf32",
      llvm::cl::desc("multiply f32 on tensor cores, which take the first 11 "
                     "bits of a factor"),
      llvm::cl::init(false)};
  Option<int64_t> threads{*this, "threads",
                          llvm::cl::desc("threads of a block"),
                          llvm::cl::init(256)};
};

Refusal getRefusal(const GPUTargetOptions &options);

/// Options of `rgnn-kernels-to-nvvm`.
struct NVVMPipelineOptions : PassPipelineOptions<NVVMPipelineOptions>,
                             GPUTargetOptions {};

/// Options of `rgnn-to-gpu`. An unknown name is an error.
struct GPUPipelineOptions : PassPipelineOptions<GPUPipelineOptions>,
                            KernelPipelineOptions,
                            GPUTargetOptions {};

Refusal getRefusal(const GPUPipelineOptions &options);

/// Kernels on buffers to launches of kernels in modules of their own, in the
/// gpu, nvgpu, memref, vector, scf, math and arith dialects: what the simulator
/// runs.
void buildKernelsToLaunchesPipeline(OpPassManager &manager,
                                    const GPUTargetOptions &options);

/// Kernels on buffers to `gpu.binary` and launches of them. The host's side
/// stays at launches, loops and buffers.
void buildKernelsToNVVMPipeline(OpPassManager &manager,
                                const GPUTargetOptions &options);

/// From captured operators to kernels in `@forward` on buffers, with schedules
/// for a GPU.
void buildRGNNToGPUKernelsPipeline(OpPassManager &manager,
                                   const GPUPipelineOptions &options);

/// From captured operators to `gpu.binary` and launches in `@forward`.
void buildRGNNToGPUPipeline(OpPassManager &manager,
                            const GPUPipelineOptions &options);

/// Registers `rgnn-to-cpu`, `rgnn-to-hetkernel`, `rgnn-to-buffers`,
/// `rgnn-runtime-interface`, `rgnn-lower-to-llvm`, `rgnn-kernels-to-nvvm` and
/// `rgnn-to-gpu`.
void registerPipelines();

} // namespace mlir::rgnn

#endif // RGNN_PIPELINES_PIPELINES_H
