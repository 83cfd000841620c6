//===- Translations.h - registration of RGNN's translations -----*- C++ -*-===//

#ifndef RGNN_TARGET_TRANSLATIONS_H
#define RGNN_TARGET_TRANSLATIONS_H

namespace mlir::rgnn {

/// `--rgnn-interpret` and `--rgnn-check-equivalent`.
void registerInterpretTranslations();

/// All of them.
inline void registerAllTranslations() { registerInterpretTranslations(); }

} // namespace mlir::rgnn

#endif // RGNN_TARGET_TRANSLATIONS_H
