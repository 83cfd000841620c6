//===- Compiler.h - from text to a shared object ----------------*- C++ -*-===//

#ifndef RGNN_CODEGEN_COMPILER_H
#define RGNN_CODEGEN_COMPILER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace mlir::rgnn {

struct CompileOptions {
  /// Options of `rgnn-to-cpu`: "cpu=x86-64-v3 approximate-math=false".
  std::string pipeline;
  /// Take the code from the cache where it is there, and put it there.
  bool cache = true;
  /// Keep the text of every stage. Compiles even what the cache has.
  bool dump = false;
  /// Empty for Cache::defaultDirectory().
  std::string cacheDirectory;
};

struct CompileResult {
  /// The shared object. Without the cache, a new file among the temporary ones
  /// that is the caller's to delete.
  std::string path;
  /// What module attribute `rgnn.manifest` says when all passes have run.
  std::string manifest;
  /// Remarks and warnings of the passes, as "file:line: kind: text".
  std::vector<std::string> remarks;
  /// Stage and text: "input", "buffers", "runtime-interface", "llvm-dialect",
  /// "llvm-ir" and "assembly", both optimised.
  std::vector<std::pair<std::string, std::string>> ir;
  /// What this processor lacks to run the code; only with `dump`, otherwise
  /// that is an error.
  std::string missingFeatures;
  /// Whether the code was in the cache.
  bool cached = false;
};

/// Compiles the module in `text`. The error says what the diagnostics say. Any
/// number of threads may compile at the same time.
llvm::Expected<CompileResult>
compileToSharedObject(llvm::StringRef text, const CompileOptions &options = {});

/// Lifts a captured module and parts what can be compiled from what PyTorch has
/// to run; see FallbackPlan.h for the answer.
struct SplitResult {
  std::string plan;
  std::vector<std::string> remarks;
};
llvm::Expected<SplitResult> splitFallback(llvm::StringRef text);

/// Lifts a captured module and makes a backward function for the arguments of
/// the given numbers; see TrainingPlan.h for the answer.
llvm::Expected<std::string> differentiate(llvm::StringRef text,
                                          llvm::ArrayRef<int64_t> arguments);

/// Runs a textual pass pipeline, "builtin.module(...)" or just passes, over the
/// module in `text` and prints the result.
llvm::Expected<std::string> runPipeline(llvm::StringRef text,
                                        llvm::StringRef pipeline);

} // namespace mlir::rgnn

#endif // RGNN_CODEGEN_COMPILER_H
