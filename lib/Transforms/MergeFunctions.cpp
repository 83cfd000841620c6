//===- MergeFunctions.cpp - one function for all with the same body -------===//

#include "RGNN/Support/Remarks.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNMERGEFUNCTIONSPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// Functions by what they are, whatever they are called.
struct IgnoreNames : DenseMapInfo<func::FuncOp> {
  static unsigned getHashValue(func::FuncOp function) {
    llvm::hash_code hash =
        llvm::hash_value(function.getFunctionType().getAsOpaquePointer());
    function.getBody().walk([&](Operation *op) {
      hash = llvm::hash_combine(hash,
                                OperationEquivalence::computeHash(
                                    op, OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::IgnoreLocations));
    });
    return hash;
  }

  static bool isEqual(func::FuncOp one, func::FuncOp other) {
    if (one == other || !isFunction(one) || !isFunction(other))
      return one == other;
    NamedAttrList attributes(one->getAttrs());
    attributes.set(one.getSymNameAttrName(), other.getSymNameAttr());
    return attributes.getDictionary(one.getContext()) ==
               other->getAttrDictionary() &&
           OperationEquivalence::isRegionEquivalentTo(
               &one.getBody(), &other.getBody(),
               OperationEquivalence::IgnoreLocations);
  }

  static bool isFunction(func::FuncOp function) {
    return function != getEmptyKey() && function != getTombstoneKey();
  }
};

struct MergeFunctions : rgnn::impl::RGNNMergeFunctionsPassBase<MergeFunctions> {
  void runOnOperation() override {
    DenseMap<func::FuncOp, func::FuncOp, IgnoreNames> first;
    DenseMap<Attribute, Attribute> names;
    llvm::MapVector<func::FuncOp, int64_t> numMerged;
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!function.isPrivate() || function.isDeclaration())
        continue;
      auto [found, isNew] = first.try_emplace(function, function);
      if (isNew)
        continue;
      names[FlatSymbolRefAttr::get(function.getSymNameAttr())] =
          FlatSymbolRefAttr::get(found->second.getSymNameAttr());
      ++numMerged[found->second];
      function.erase();
    }
    for (auto [function, number] : numMerged)
      reportCounts(function, getArgument(), {{"num-merged", number}});
    if (names.empty())
      return;
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](FlatSymbolRefAttr name) -> Attribute {
      Attribute kept = names.lookup(name);
      return kept ? kept : name;
    });
    replacer.recursivelyReplaceElementsIn(getOperation());
  }
};
} // namespace
