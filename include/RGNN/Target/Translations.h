//===- Translations.h - registration of RGNN's translations -----*- C++ -*-===//

#ifndef RGNN_TARGET_TRANSLATIONS_H
#define RGNN_TARGET_TRANSLATIONS_H

namespace mlir::rgnn {

/// `--rgnn-interpret` and `--rgnn-check-equivalent`.
void registerInterpretTranslations();

/// `--rgnn-to-llvmir` and `--rgnn-to-object`. Both take a module of the llvm
/// dialect as it is, and run `rgnn-to-cpu` over any other first, with the
/// options that `--rgnn-to-cpu-options` gives: a captured model, or a function
/// `@forward` on buffers with `start=buffers`.
void registerLLVMIRTranslations();

/// `--rgnn-check-compiled`: runs compiled functions, made with
/// `--rgnn-to-cpu-options`, and compares with the interpreter.
void registerCheckCompiledTranslation();

/// `--rgnn-check-gradient`: differentiates functions and compares with finite
/// differences, both evaluated by the interpreter.
void registerCheckGradientTranslation();

/// All of them.
inline void registerAllTranslations() {
  registerInterpretTranslations();
  registerLLVMIRTranslations();
  registerCheckCompiledTranslation();
  registerCheckGradientTranslation();
}

} // namespace mlir::rgnn

#endif // RGNN_TARGET_TRANSLATIONS_H
