//===- Entries.h - the functions that the runtime calls ---------*- C++ -*-===//

#ifndef RGNN_SUPPORT_ENTRIES_H
#define RGNN_SUPPORT_ENTRIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::rgnn {

/// Of a function: the edges for each node in the graphs to expect.
inline constexpr llvm::StringLiteral kEdgesPerNode = "rgnn.edges_per_node";

/// Of a variant of `@forward`: it is called instead where a graph has fewer
/// edges for each node, and no variant with a lower bound is.
inline constexpr llvm::StringLiteral kEdgesPerNodeBelow =
    "rgnn.edges_per_node_below";

/// Of a function of a graph: the name of the entry that calls it. The runtime
/// does so once for each graph, and gives the entry its results.
inline constexpr llvm::StringLiteral kOnce = "rgnn.once";

/// Whether `function` is what `entry` calls once for each graph.
inline bool isCalledOnce(func::FuncOp function, func::FuncOp entry) {
  auto caller = function->getAttrOfType<StringAttr>(kOnce);
  return caller && caller == entry.getName();
}

/// The bound of a variant; nothing for another function.
inline std::optional<double> getEdgesPerNodeBelow(func::FuncOp function) {
  auto bound = function->getAttrOfType<FloatAttr>(kEdgesPerNodeBelow);
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

#endif // RGNN_SUPPORT_ENTRIES_H
