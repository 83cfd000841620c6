//===- Compiler.h - from a module to a shared object ------------*- C++ -*-===//
//
// Modules come as text or as bytecode, and compile to the same code.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_CODEGEN_COMPILER_H
#define RGNN_CODEGEN_COMPILER_H

#include "RGNN/CodeGen/Message.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::rgnn {

/// "0.1.0".
llvm::StringRef getVersion();

struct CompileOptions {
  /// Whether the code is for an NVIDIA GPU.
  bool gpu = false;
  /// Options of `rgnn-to-cpu`, "cpu=x86-64-v3 approximate-math=false", or of
  /// `rgnn-to-gpu`, "chip=sm_90".
  std::string pipeline;
  /// Take the code from the cache where it is there, and put it there.
  bool cache = true;
  /// Keep the text of every stage. Compiles even what the cache has.
  bool dump = false;
  /// Compile for a processor that this one is not; without it, code that does
  /// not run here is an error.
  bool foreign = false;
  /// Empty for Cache::defaultDirectory().
  std::string cacheDirectory;
};

/// One of the kernels that `@forward` runs.
struct Kernel {
  /// "hetkernel.gemm"; on a GPU, the name of the binary that is launched.
  std::string name;
  /// The op with its schedule, up to its region; on a GPU, the launch.
  std::string text;
};

struct CompileResult {
  /// The shared object.
  std::string path;
  /// Whether it is a temporary file, the caller's to delete: the cache is not
  /// used, or has no place for it.
  bool temporary = true;
  /// What module attribute `rgnn.manifest` says when all passes have run.
  std::string manifest;
  /// Remarks and warnings of the passes.
  std::vector<Message> remarks;
  /// With `dump`, stage and text: "input", "hetkernel", "buffers",
  /// "runtime-interface", "llvm-dialect", "llvm-ir" and "assembly", both
  /// optimised. For a GPU: no "hetkernel", but after "buffers" "nvvm", and what
  /// of it is the host's side, "launches".
  std::vector<std::pair<std::string, std::string>> ir;
  /// With `dump`: the kernels in the order in which they run. Not those of
  /// variants of `@forward`, and of what runs once for each graph.
  std::vector<Kernel> kernels;
  /// With `dump`, for a GPU: name and PTX of each binary that has any.
  std::vector<std::pair<std::string, std::string>> ptx;
  /// What this processor lacks to run the code; only with `dump` or `foreign`,
  /// otherwise that is an error.
  std::string missingFeatures;
  /// What a processor must be and have to run it, by LLVM's names: "x86_64",
  /// "znver3" (the code is tuned for it), {"avx2", "fma"}.
  std::string arch, cpu;
  std::vector<std::string> features;
  /// Whether the code was in the cache.
  bool cached = false;
};

/// Compiles a module. The error says what the diagnostics say. Any number of
/// threads may compile at the same time.
llvm::Expected<CompileResult>
compileToSharedObject(llvm::StringRef input,
                      const CompileOptions &options = {});

/// Bytecode of a captured module, lifted and simplified: what is compiled for
/// any target. Names and types of arguments and places in the source are in it.
llvm::Expected<std::string> liftToBytecode(llvm::StringRef input);

/// What is to be compiled and run of a model, in JSON, and what passes said.
struct PlanResult {
  std::string plan;
  std::vector<Message> remarks;
};

/// Lifts a captured module and parts what can be compiled from what PyTorch has
/// to run; see FallbackPlan.h for the plan.
llvm::Expected<PlanResult> splitFallback(llvm::StringRef input);

/// Lifts a captured module and makes a backward function for the arguments of
/// the given numbers, by rewrites as the options of `rgnn-to-cpu` in `pipeline`
/// say, for code on GPUs or on processors; see TrainingPlan.h for the plan.
llvm::Expected<PlanResult> differentiate(llvm::StringRef input,
                                         llvm::ArrayRef<int64_t> arguments,
                                         llvm::StringRef pipeline = "",
                                         bool onGPU = false);

/// Which kernels a module becomes.
struct KernelsResult {
  /// As of CompileResult.
  std::string manifest;
  std::vector<Kernel> kernels;
  /// Of each op on weights alone, which is no kernel: bytes that it reads and
  /// writes, and operations.
  std::vector<std::array<int64_t, 3>> onWeights;
};

/// Lowers a module to kernels with schedules, by the options of `rgnn-to-cpu`,
/// and makes no code: a fraction of the time that compileToSharedObject takes.
llvm::Expected<KernelsResult> planKernels(llvm::StringRef input,
                                          llvm::StringRef pipeline = "");

/// The passes of rewrites that options of `rgnn-to-cpu` leave out of code for
/// GPUs or for processors, and why.
llvm::Expected<std::vector<std::pair<std::string, std::string>>>
listLeftOut(llvm::StringRef pipeline, bool onGPU);

/// The passes from a captured module to the mathematics that kernels compute on
/// GPUs or on processors, in order, as `runPipeline` takes them. With
/// `differentiated`, those of `differentiate` for these arguments.
llvm::Expected<std::vector<std::string>>
listRewritePasses(llvm::StringRef pipeline,
                  std::optional<llvm::ArrayRef<int64_t>> differentiated,
                  bool onGPU);

/// Name and PTX of each binary in a module that `rgnn-to-gpu` has made.
llvm::Expected<std::vector<std::pair<std::string, std::string>>>
readPTX(llvm::StringRef input);

/// Runs a textual pass pipeline, "builtin.module(...)" or just passes, over a
/// module and prints the result.
llvm::Expected<std::string> runPipeline(llvm::StringRef input,
                                        llvm::StringRef pipeline);

} // namespace mlir::rgnn

#endif // RGNN_CODEGEN_COMPILER_H
