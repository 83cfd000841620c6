//===- Translations.h - registration of RGNN's translations -----*- C++ -*-===//

#ifndef RGNN_TARGET_TRANSLATIONS_H
#define RGNN_TARGET_TRANSLATIONS_H

namespace mlir::rgnn {

/// `--rgnn-interpret` and `--rgnn-check-equivalent`.
void registerInterpretTranslations();

/// `--rgnn-to-llvmir`, `--rgnn-to-assembly` and `--rgnn-to-object`. They take a
/// module of the llvm dialect as it is, and run `rgnn-to-cpu` over any other
/// first, with the options that `--rgnn-to-cpu-options` gives: a captured
/// model, or a function
/// `@forward` on buffers with `start=buffers`.
void registerLLVMIRTranslations();

/// `--rgnn-to-shared-library`, of what the translations above take, and
/// `--rgnn-to-c-header`, for C programs that call it.
void registerSharedLibraryTranslations();

/// `--rgnn-to-module`: the file that `compiled.save` writes, of a function
/// `@forward` of tensors whose arguments are named by `rgnn.input`, and behind
/// them `rgnn.param`. The weights are the caller's.
void registerSavedModuleTranslation();

/// `--rgnn-to-ptx`: kernels for NVIDIA GPUs, of a captured model or of kernels
/// on buffers.
void registerPTXTranslation();

/// `--rgnn-check-compiled`: runs compiled functions, made with
/// `--rgnn-to-cpu-options`, and compares with the interpreter.
void registerCheckCompiledTranslation();

/// `--rgnn-check-gpu`: runs launches, made with `--rgnn-to-gpu-options`, by the
/// simulator, and compares with the interpreter. `--rgnn-simulate-gpu` runs
/// those of IR that is at the level of launches already.
void registerGPUSimulatorTranslations();

/// `--rgnn-check-gradient`: differentiates functions and compares with finite
/// differences, both evaluated by the interpreter.
void registerCheckGradientTranslation();

/// All of them.
inline void registerAllTranslations() {
  registerInterpretTranslations();
  registerLLVMIRTranslations();
  registerSharedLibraryTranslations();
  registerSavedModuleTranslation();
  registerPTXTranslation();
  registerCheckCompiledTranslation();
  registerGPUSimulatorTranslations();
  registerCheckGradientTranslation();
}

} // namespace mlir::rgnn

#endif // RGNN_TARGET_TRANSLATIONS_H
