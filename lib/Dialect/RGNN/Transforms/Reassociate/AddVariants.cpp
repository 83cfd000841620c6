//===- AddVariants.cpp - a function for each kind of graph ----------------===//

#include "ChainOrders.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/Entries.h"
#include "RGNN/Support/Remarks.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNADDVARIANTSPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Edges for each node of the graphs that are looked at.
static constexpr double kFewest = 0.25, kMost = 1024;
/// How exactly a bound is found.
static constexpr double kStep = 1.01;

static bool hasOneGraph(func::FuncOp function) {
  auto isGraph = [](Type type) {
    auto graph = dyn_cast<rgnn::GraphType>(type);
    return graph && graph.getPart() == Part::Whole;
  };
  int64_t graphs = llvm::count_if(function.getArgumentTypes(), isGraph);
  for (Operation &op : function.getBody().front())
    graphs += llvm::count_if(op.getResultTypes(), isGraph);
  return graphs == 1;
}

namespace {

/// For graphs with fewer edges for each node than `below`; its orders are those
/// for `edgesPerNode`.
struct Variant {
  double below, edgesPerNode;
};

struct AddVariants : rgnn::impl::RGNNAddVariantsPassBase<AddVariants> {
  using RGNNAddVariantsPassBase::RGNNAddVariantsPassBase;

  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    if (!forward || forward.isDeclaration() || !hasOneGraph(forward) ||
        forward->hasAttr(kEdgesPerNodeAttr) || // it has its variants
        !forward.getOps<func::CallOp>().empty())
      return;
    auto ignore = [](Operation *, const Refusal &) {};
    const double made = findVariants(readChains(forward, ignore));
    if (variants.empty())
      return;
    Builder builder(&getContext());
    SymbolTable symbols(getOperation());
    Operation *last = forward;
    for (auto [number, variant] : llvm::enumerate(variants)) {
      func::FuncOp clone = forward.clone();
      clone.setName(llvm::formatv("forward_{0}", number + 1).str());
      clone->setAttr(kEdgesPerNodeAttr,
                     builder.getF64FloatAttr(variant.edgesPerNode));
      clone->setAttr(kEdgesPerNodeBelowAttr,
                     builder.getF64FloatAttr(variant.below));
      symbols.insert(clone, std::next(last->getIterator()));
      last = clone;
      PassRemarks(forward, getArgument(), "Variants")
          .passed(forward.getLoc(),
                  llvm::formatv("@{0} for graphs with fewer than {1:f2} edges "
                                "for each node",
                                clone.getName(), variant.below));
    }
    forward->setAttr(kEdgesPerNodeAttr, builder.getF64FloatAttr(made));
    reportCounts(forward, getArgument(),
                 {{"num-variants", static_cast<int64_t>(variants.size())}});
  }

private:
  /// Fills `variants`, and returns what the function itself is made for.
  double findVariants(ArrayRef<std::unique_ptr<ChainOrders>> chains) {
    variants.clear();
    // Whether the orders for graphs of `made` edges for each node are too slow.
    auto isLeft = [&](double made, double edgesPerNode) {
      return llvm::any_of(chains, [&](const auto &orders) {
        return orders->isWorthwhile(orders->choose(edgesPerNode),
                                    orders->choose(made), edgesPerNode);
      });
    };
    double made = kFewest;
    for (double from = kFewest; from < kMost; from *= 2) {
      double low = from, high = 2 * from;
      if (!isLeft(made, high))
        continue;
      while (high > kStep * low) {
        double middle = std::sqrt(low * high);
        (isLeft(made, middle) ? high : low) = middle;
      }
      variants.push_back({high, made});
      made = 2 * from;
    }
    return made;
  }

  SmallVector<Variant> variants;
};

} // namespace
