//===- SplitSides.cpp - products for the fewer of sources and destinations ===//

#include "PartCloner.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Transforms/Counts.h"
#include "SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNSPLITSIDESPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Rows that are summed before the product may be this much wider than those
/// that are summed behind it: each edge reads one of them.
static constexpr int64_t kMaxWidening = 2;

/// Why edge types do not sum their products in one of two ways; empty if they
/// do.
static StringRef whyRefused(SumOfProducts &found, RowOrigins &origins) {
  if (!found.refusal.empty())
    return found.refusal;
  TypedLinearOp product = found.product;
  RowsAttr rows = getRows(product.getResult().getType());
  if (getNumTypes(product, rows.getGraph(), Domain::EType) == 1)
    return "there is one edge type";
  PathSet paths = origins.getPaths(product.getX());
  if (!paths.contains(Path::Src) && !paths.contains(Path::SrcPair))
    return "they depend on more than the source and the type";
  if (getRowWidth(product.getX().getType()) >
      kMaxWidening * getRowWidth(product.getResult().getType()))
    return "rows are more than twice as wide before the product as behind it";
  if (!PartCloner::canClone(found.sum.getRows()))
    return "edges have numbers of their own";
  return {};
}

namespace {
struct SplitSides : rgnn::impl::RGNNSplitSidesPassBase<SplitSides> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    int64_t numSplit = 0;
    DenseMap<Value, SplitGraphOp> splits;
    for (auto sum :
         llvm::to_vector(function.getBody().front().getOps<ReduceOp>())) {
      RowOrigins origins; // knows values, of which the rewrite erases some
      std::optional<SumOfProducts> found = SumOfProducts::match(sum, origins);
      if (!found || sum.getKind() != Reduction::Sum ||
          sum.getPath() != Path::Dst)
        continue;
      auto options = remark::RemarkOpts::name("Sides")
                         .category(getArgument())
                         .function(function.getName());
      Location loc = found->product.getLoc();
      if (StringRef reason = whyRefused(*found, origins); !reason.empty()) {
        remark::missed(loc, options)
            << ("edge types have their products on one side: " + reason).str();
        continue;
      }
      rewrite(sum, splits[sum.getGraph()]);
      remark::passed(loc, options)
          << "each edge type has its products on its smaller side";
      ++numSplit;
    }
    reportCounts(function, getArgument(), {{"num-split", numSplit}});
  }

private:
  static void rewrite(ReduceOp sum, SplitGraphOp &split) {
    Value graph = sum.getGraph();
    if (!split) {
      OpBuilder builder(sum.getContext());
      builder.setInsertionPointAfterValue(graph);
      split = SplitGraphOp::create(builder, graph.getLoc(), graph);
    }
    OpBuilder builder(sum);
    auto sumPart = [&](Value part) {
      Value rows = PartCloner(builder, part).clone(sum.getRows());
      return ReduceOp::create(builder, sum.getLoc(), rows, part, sum.getPath(),
                              sum.getKind());
    };
    Value ofSrc = sumPart(split.getSrc());
    ReduceOp ofDst = sumPart(split.getDst());
    Value both = MapOp::create(
        builder, sum.getLoc(), sum.getResult().getType(), {ofSrc, ofDst},
        [](OpBuilder &inner, Location loc, ValueRange x) -> Value {
          return arith::AddFOp::create(inner, loc, x[0], x[1]);
        });
    sum.getResult().replaceAllUsesWith(both);
    // Destinations multiply what their edges add up to.
    RowOrigins origins;
    SumOfProducts::match(ofDst, origins)->aggregateFirst(origins);

    Operation *dead = sum;
    while (dead && isOpTriviallyDead(dead)) {
      Operation *producer = nullptr;
      for (Value operand : dead->getOperands())
        if (isOnEdges(operand))
          producer = operand.getDefiningOp();
      dead->erase();
      dead = producer;
    }
  }
};
} // namespace
