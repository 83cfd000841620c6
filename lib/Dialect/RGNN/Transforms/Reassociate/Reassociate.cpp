//===- Reassociate.cpp - the order of sums, products and factors ----------===//

#include "ChainOrders.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/Entries.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNREASSOCIATEPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {

struct Reassociate : rgnn::impl::RGNNReassociatePassBase<Reassociate> {
  using RGNNReassociatePassBase::RGNNReassociatePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    numReassociated = 0;
    auto given = function->getAttrOfType<FloatAttr>(kEdgesPerNodeAttr);
    expectedEdges = given ? given.getValueAsDouble() : edgesPerNode;
    auto refuse = [&](Operation *op, const Refusal &refusal) {
      getRemarks().missed(op->getLoc(), "the order stays", refusal);
    };
    for (const auto &orders : readChains(function, refuse))
      visit(*orders);
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

  PassRemarks getRemarks() {
    return PassRemarks(getOperation(), getArgument(), "Orders");
  }

  void visit(const ChainOrders &orders) {
    reportOrders(orders);
    std::optional<unsigned> chosen =
        variant > 0 ? getVariant(orders) : choose(orders);
    if (!chosen)
      return;
    Operation *root = orders.root;
    const AssociationTree &tree = *orders.forest.getTrees()[*chosen];
    if (tree.text == orders.chain.order) {
      getRemarks().missed(root->getLoc(), "the order stays",
                          "it is " + tree.text);
      return;
    }
    OpBuilder builder(root);
    Value result = writeTree(builder, root->getLoc(), orders.chain, tree);
    getRemarks().passed(root->getLoc(), "computed as " + tree.text);
    root->getResult(0).replaceAllUsesWith(result);
    ++numReassociated;
  }

  /// The order that the option asks for; none where there is none or it is not
  /// legal.
  std::optional<unsigned> getVariant(const ChainOrders &orders) {
    SmallVector<unsigned> kept = orders.getKept();
    if (static_cast<uint64_t>(variant) > kept.size()) {
      getRemarks().missed(orders.root->getLoc(), "the order stays",
                          "there is no such variant");
      return std::nullopt;
    }
    unsigned order = kept[variant - 1];
    if (orders.isLegal(order))
      return order;
    reportInfinite(orders, order);
    return std::nullopt;
  }

  /// One that would be cheaper if it were legal is reported.
  unsigned choose(const ChainOrders &orders) {
    if (unsigned best = orders.getCheapest(expectedEdges);
        !orders.isLegal(best))
      reportInfinite(orders, best);
    return orders.choose(expectedEdges);
  }

  void reportOrders(const ChainOrders &orders) {
    SmallVector<unsigned> kept = orders.getKept();
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << orders.forest.getTrees().size() << " orders, " << kept.size()
           << " kept";
    for (auto [number, order] : llvm::enumerate(kept))
      stream << "; " << number + 1 << ": "
             << orders.forest.getTrees()[order]->text
             << llvm::formatv(" costs {0:f0}",
                              orders.getCost(order, expectedEdges));
    getRemarks().analysis(orders.root->getLoc(), text);
  }

  void reportInfinite(const ChainOrders &orders, unsigned order) {
    getRemarks().missed(orders.root->getLoc(),
                        "not computed as " +
                            orders.forest.getTrees()[order]->text,
                        "the factor of a node without edges may be infinite");
  }

  /// For each node, in the graphs that the function is made for.
  double expectedEdges = 0;
  int64_t numReassociated = 0;
};

} // namespace
