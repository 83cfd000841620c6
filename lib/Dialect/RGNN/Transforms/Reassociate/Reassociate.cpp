//===- Reassociate.cpp - the order of sums, products and factors ----------===//

#include "Chain.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Transforms/Counts.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNREASSOCIATEPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Two hops with nothing between them (SGC) have 8, and 132 orders.
static constexpr unsigned kMaxFactors = 8;

/// The share of the cost above which another order is not worth it: costs are
/// estimates.
static constexpr double kWorthwhile = 0.9;

namespace {

struct Reassociate : rgnn::impl::RGNNReassociatePassBase<Reassociate> {
  using RGNNReassociatePassBase::RGNNReassociatePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    numReassociated = 0;
    SmallVector<Operation *> ops = llvm::map_to_vector(
        function.getBody().front(), [](Operation &op) { return &op; });
    DenseSet<Operation *> done;
    // The last first: a chain is read from its result.
    for (Operation *op : llvm::reverse(ops)) {
      if (done.contains(op))
        continue;
      StringRef reason;
      FailureOr<Chain> chain = readChain(op, kMaxFactors, reason);
      if (failed(chain)) {
        if (!reason.empty())
          remark::missed(op->getLoc(), getRemarkOptions())
              << ("the order stays: " + reason).str();
        continue;
      }
      done.insert_range(chain->ops);
      visit(op, *chain);
    }
    if (numReassociated > 0)
      eraseDead(function.getBody().front());
    reportCounts(function, getArgument(),
                 {{"num-reassociated", numReassociated}});
  }

private:
  /// What orders that are no longer computed needed: later passes would spend
  /// their rewrites, and remarks, on it.
  static void eraseDead(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  remark::RemarkOpts getRemarkOptions() {
    return remark::RemarkOpts::name("Orders")
        .category(getArgument())
        .function(getOperation().getName());
  }

  void visit(Operation *root, const Chain &chain) {
    SmallVector<Factor> factors = chain.getFactors();
    AssociationForest forest(factors, chain.computed);
    ArrayRef<const AssociationTree *> trees = forest.getTrees();
    if (trees.size() < 2)
      return; // there is no choice
    SmallVector<unsigned> kept = keepForAnyWidths(factors, chain.computed);
    reportTrees(root, forest, kept);

    auto isLegal = [&](unsigned tree) {
      return isAllowed(chain, *trees[tree]);
    };
    const AssociationTree *chosen =
        variant > 0 ? getVariant(root, forest, kept, isLegal)
                    : choose(root, chain, forest, isLegal);
    if (!chosen)
      return;
    if (chosen->text == chain.order) {
      remark::missed(root->getLoc(), getRemarkOptions())
          << ("the order stays: it is " + chosen->text);
      return;
    }
    OpBuilder builder(root);
    Value result = writeTree(builder, root->getLoc(), chain, *chosen);
    remark::passed(root->getLoc(), getRemarkOptions())
        << ("computed as " + chosen->text);
    root->getResult(0).replaceAllUsesWith(result);
    ++numReassociated;
  }

  /// The order that the option asks for; null where there is none or it is not
  /// legal.
  const AssociationTree *getVariant(Operation *root,
                                    const AssociationForest &forest,
                                    ArrayRef<unsigned> kept,
                                    function_ref<bool(unsigned)> isLegal) {
    if (static_cast<uint64_t>(variant) > kept.size()) {
      remark::missed(root->getLoc(), getRemarkOptions())
          << "the order stays: there is no such variant";
      return nullptr;
    }
    unsigned tree = kept[variant - 1];
    if (isLegal(tree))
      return forest.getTrees()[tree];
    reportInfinite(root, *forest.getTrees()[tree]);
    return nullptr;
  }

  /// The cheapest of those that are legal, or that in which the chain is
  /// written where it costs about as much. One that would be cheaper if it were
  /// legal is reported.
  const AssociationTree *choose(Operation *root, const Chain &chain,
                                const AssociationForest &forest,
                                function_ref<bool(unsigned)> isLegal) {
    ArrayRef<const AssociationTree *> trees = forest.getTrees();
    auto getBest = [&](ArrayRef<unsigned> candidates) {
      return *llvm::min_element(
          forest.prune(candidates), [&](unsigned a, unsigned b) {
            return getCost(forest, *trees[a]) < getCost(forest, *trees[b]);
          });
    };
    auto all = llvm::to_vector(llvm::seq<unsigned>(0, trees.size()));
    auto legal = llvm::to_vector(llvm::make_filter_range(all, isLegal));
    if (unsigned best = getBest(all); !isLegal(best))
      reportInfinite(root, *trees[best]);
    const AssociationTree *best = trees[getBest(legal)];
    for (unsigned tree : legal)
      if (trees[tree]->text == chain.order &&
          getCost(forest, *best) > kWorthwhile * getCost(forest, *trees[tree]))
        return trees[tree];
    return best;
  }

  double getCost(const AssociationForest &forest, const AssociationTree &tree) {
    return estimateCost(forest.getPrimitives(tree), edgesPerNode);
  }

  void reportTrees(Operation *root, const AssociationForest &forest,
                   ArrayRef<unsigned> kept) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << forest.getTrees().size() << " orders, " << kept.size() << " kept";
    for (auto [number, tree] : llvm::enumerate(kept)) {
      const AssociationTree &kept = *forest.getTrees()[tree];
      stream << "; " << number + 1 << ": " << kept.text
             << llvm::formatv(" costs {0:f0}", getCost(forest, kept));
    }
    remark::analysis(root->getLoc(), getRemarkOptions()) << text;
  }

  void reportInfinite(Operation *root, const AssociationTree &tree) {
    remark::missed(root->getLoc(), getRemarkOptions())
        << ("not computed as " + tree.text +
            ": the factor of a node without edges may be infinite");
  }

  int64_t numReassociated = 0;
};

} // namespace
