//===- ReorderLinear.cpp - products of weights first ----------------------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/ComposeProducts.h"
#include "RGNN/Dialect/RGNN/Utils/EraseDead.h"
#include "RGNN/Dialect/RGNN/Utils/ScoreProducts.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNREORDERLINEARPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Why it does not pay to multiply the weights first.
/// Multiplications for one row are compared. Of rows and those gathered from
/// them, the latter are more: edges, unique pairs of a node and a type, nodes.
/// The first product of nodes is then saved whatever their number, if the
/// product on edges or pairs takes no more than the second one did. It is not
/// saved where something else reads it.
static Refusal whyNotCheaper(const FirstProduct &first,
                             const ReadColumns &columns) {
  bool areGathered = false;
  int64_t inner = first.getInner(), before = 0, after = 0;
  for (const LinearChain &chain : columns.chains) {
    int64_t size = getRowWidth(chain.second->getResult(0).getType());
    before += getRowShape(chain.second->getOperand(0).getType()).back() * size;
    after += inner * size;
    areGathered |= llvm::any_of(chain.steps, llvm::IsaPred<GatherOp>);
  }
  // At most half, since rows of `x` are read twice.
  if (columns.isReadOtherwise)
    return 2 * after > before
               ? "its rows are also used without the second product, which "
                 "would take more than half as many multiplications"
               : Refusal();
  if (areGathered)
    return after > before ? "rows are gathered in between, and each takes more "
                            "multiplications than behind the first product"
                          : Refusal();
  before += inner * getRowWidth(columns.rows.getType());
  return after >= before ? "one product of the weights costs as much as both "
                           "products of rows"
                         : Refusal();
}

/// Why the weights are not to be multiplied first.
static Refusal whyRefused(const FirstProduct &first,
                          const ReadColumns &columns) {
  if (columns.chains.empty())
    return columns.barrier;
  for (const LinearChain &chain : columns.chains)
    if (Refusal refusal = whyNotComposed(first, chain))
      return refusal;
  return whyNotCheaper(first, columns);
}

namespace {
struct ReorderLinear : rgnn::impl::RGNNReorderLinearPassBase<ReorderLinear> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    numReordered = 0;
    DenseSet<Operation *> erased;
    for (auto sum :
         llvm::to_vector(function.getBody().front().getOps<ReduceFeaturesOp>()))
      multiplyFactor(sum, erased);
    SmallVector<Operation *> ops;
    for (Operation &op : function.getBody().front())
      ops.push_back(&op);
    // The last first: what it makes of a chain of three is a chain of two.
    for (Operation *op : llvm::reverse(ops))
      if (!erased.contains(op))
        if (std::optional<FirstProduct> first = FirstProduct::match(op))
          reorder(*first, erased);
    reportCounts(function, getArgument(), {{"num-reordered", numReordered}});
  }

private:
  /// Scores of rows that are multiplied for nothing else: the weight is
  /// multiplied by the scores' factor instead.
  void multiplyFactor(ReduceFeaturesOp sum, DenseSet<Operation *> &erased) {
    std::optional<ScoreOfProduct> score = ScoreOfProduct::match(sum);
    if (!score)
      return;
    OpBuilder builder(sum);
    sum.getResult().replaceAllUsesWith(score->multiplyWeight(builder));
    PassRemarks(getOperation(), getArgument(), "Products")
        .passed(sum.getLoc(), "weights are multiplied first");
    ++numReordered;
    eraseDead(sum, erased);
  }

  void reorder(const FirstProduct &first, DenseSet<Operation *> &erased) {
    PassRemarks remarks(getOperation(), getArgument(), "Products");
    SmallVector<Operation *> replaced;
    auto replace = [&](Operation *op, Value rows) {
      op->getResult(0).replaceAllUsesWith(rows);
      replaced.push_back(op);
    };
    SmallVector<ReadColumns> kept;
    for (const ReadColumns &columns : findReadColumns(first)) {
      Refusal refusal = whyRefused(first, columns);
      if (refusal)
        remarks.missed(first.op->getLoc(), "weights are not multiplied first",
                       refusal);
      bool isKept = columns.chains.empty() || refusal;
      bool isSlice =
          !columns.steps.empty() && isa<SliceOp>(columns.steps.back());
      if (isKept || (columns.isReadOtherwise && isSlice))
        kept.push_back(columns);
      if (isKept)
        continue;
      for (const LinearChain &chain : columns.chains) {
        OpBuilder builder(chain.second);
        replace(chain.second, composeProducts(builder, first, chain));
        remarks.passed(chain.second->getLoc(), "weights are multiplied first");
        ++numReordered;
      }
    }
    if (replaced.empty())
      return;
    // Of the first product, the columns that are still read.
    for (const ReadColumns &columns : kept) {
      OpBuilder builder(columns.steps.back());
      replace(columns.steps.back(),
              computeColumns(builder, first, columns.steps));
    }
    for (Operation *op : replaced)
      if (!erased.contains(op))
        eraseDead(op, erased);
  }

  int64_t numReordered = 0;
};
} // namespace
