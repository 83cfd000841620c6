//===- Entries.h - the functions that the runtime calls ---------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_ENTRIES_H
#define RGNN_DIALECT_RGNN_UTILS_ENTRIES_H

#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::rgnn {

/// Whether `function` is what `entry` calls once for each graph.
inline bool isCalledOnce(func::FuncOp function, func::FuncOp entry) {
  auto caller = function->getAttrOfType<StringAttr>(kOnceAttr);
  return caller && caller == entry.getName();
}

/// The bound of a variant; nothing for another function.
inline std::optional<double> getEdgesPerNodeBelow(func::FuncOp function) {
  auto bound = function->getAttrOfType<FloatAttr>(kEdgesPerNodeBelowAttr);
  return bound ? std::optional(bound.getValueAsDouble()) : std::nullopt;
}

/// `@forward` and then its variants, by their bounds; nothing where it is not
/// defined.
inline SmallVector<func::FuncOp> getEntries(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  if (!forward || forward.isDeclaration())
    return entries;
  for (auto variant : module.getOps<func::FuncOp>())
    if (variant != forward && getEdgesPerNodeBelow(variant))
      entries.push_back(variant);
  llvm::sort(entries, [](func::FuncOp a, func::FuncOp b) {
    return *getEdgesPerNodeBelow(a) < *getEdgesPerNodeBelow(b);
  });
  entries.insert(entries.begin(), forward);
  return entries;
}

/// The entries, and what they call once for each graph.
inline SmallVector<func::FuncOp> getExported(ModuleOp module) {
  SmallVector<func::FuncOp> exported = getEntries(module);
  for (func::FuncOp entry : getEntries(module))
    for (auto function : module.getOps<func::FuncOp>())
      if (isCalledOnce(function, entry))
        exported.push_back(function);
  return exported;
}

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_ENTRIES_H
