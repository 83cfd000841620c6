//===- SplitSides.cpp - products for the fewer of sources and destinations ===//

#include "RGNN/Dialect/RGNN/Analysis/DotOfProducts.h"
#include "RGNN/Dialect/RGNN/Analysis/SumOfProducts.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/ComposeProducts.h"
#include "RGNN/Dialect/RGNN/Utils/EraseDead.h"
#include "RGNN/Dialect/RGNN/Utils/PartCloner.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNSPLITSIDESPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Rows that destinations sum before the product may be this much wider than
/// those that they sum behind it: each edge reads one of them.
static constexpr int64_t kMaxWidening = 2;

/// Rows of a product that something else multiplies must be this much wider
/// than what that makes of them, for it to multiply the weights first.
static constexpr int64_t kMinNarrowing = 8;

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

namespace {
/// Narrow products, such as attention scores, of the rows of a product.
struct Scores {
  FirstProduct first;
  SmallVector<LinearChain> chains;
};
} // namespace

/// The scores that read the product's rows beside the sum; nullopt where
/// something else does.
static std::optional<Scores> findScores(SumOfProducts &found) {
  std::optional<FirstProduct> first = FirstProduct::match(found.product);
  if (!found.isOnlyShared || !first)
    return std::nullopt;
  Scores scores{*first, {}};
  llvm::SmallPtrSet<Operation *, 8> readers;
  int64_t width = getRowWidth(found.product.getResult().getType());
  for (const ReadColumns &columns : findReadColumns(*first))
    for (const LinearChain &chain : columns.chains) {
      int64_t narrow = getRowWidth(chain.second->getResult(0).getType());
      if (whyNotComposed(*first, chain) || narrow * kMinNarrowing > width)
        return std::nullopt;
      for (Operation *step : chain.steps)
        if (!step->getResult(0).hasOneUse())
          return std::nullopt;
      scores.chains.push_back(chain);
      readers.insert(chain.steps.empty() ? chain.second : chain.steps.front());
    }
  // The sum reads the product once, as what is scaled.
  for (Operation *step : found.steps)
    if (!step->getResult(0).hasOneUse())
      return std::nullopt;
  int64_t numOthers =
      llvm::count_if(found.product->getUsers(),
                     [&](Operation *user) { return !readers.contains(user); });
  return numOthers == 1 ? std::optional(scores) : std::nullopt;
}

/// Why a product by edge type has one row for each source and type, whatever
/// the type.
static Refusal whyOnOneSide(TypedLinearOp product, ValueRange computed) {
  Value graph = product.getGraph();
  RowsAttr rows = getRows(product.getResult().getType());
  if (rows.getPart() != Part::Whole)
    return "the graph is split already";
  if (getNumTypes(product, rows.getGraph(), Domain::EType) == 1)
    return "there is one edge type";
  if (getRowWidth(product.getX().getType()) >
      kMaxWidening * getRowWidth(product.getResult().getType()))
    return "rows are more than twice as wide before the product as behind it";
  if (!llvm::all_of(computed, [&](Value value) {
        return PartCloner::isComputed(value, graph);
      }))
    return "rows are given for edges or pairs, or of another graph";
  return {};
}

static Refusal whyRefused(SumOfProducts &found,
                          const std::optional<Scores> &scores,
                          RowOrigins &origins) {
  if (found.refusal && !scores)
    return found.refusal;
  if (found.sum.getKind() != Reduction::Sum || found.sum.getPath() != Path::Dst)
    return "they are not summed for destinations";
  PathSet paths = origins.getPaths(found.product.getX());
  if (!paths.contains(Path::Src) && !paths.contains(Path::SrcPair))
    return "they depend on more than the source and the type";
  if (found.sum.getGraph() != found.product.getGraph())
    return "they are summed in another graph";
  SmallVector<Value> computed{found.product.getX()};
  for (Operation *step : found.steps)
    if (isa<MapOp>(step) && !found.scalesOfEdges.contains(step))
      computed.push_back(SumOfProducts::getFactor(step));
  return whyOnOneSide(found.product, computed);
}

static Refusal whyRefused(DotOfProducts &found) {
  if (found.refusal)
    return found.refusal;
  return whyOnOneSide(found.product, {found.product.getX(), found.ofDst});
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

namespace {
struct SplitSides : rgnn::impl::RGNNSplitSidesPassBase<SplitSides> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    erased.clear();
    numSplit = 0;
    SmallVector<Operation *> ops;
    for (Operation &op : function.getBody().front())
      if (isa<ReduceOp, DotOp>(op))
        ops.push_back(&op);
    for (Operation *op : ops) {
      RowOrigins origins; // knows values, of which rewrites erase some
      if (erased.contains(op))
        continue;
      if (auto sum = dyn_cast<ReduceOp>(op)) {
        std::optional<SumOfProducts> found = SumOfProducts::match(sum, origins);
        if (!found)
          continue;
        std::optional<Scores> scores = findScores(*found);
        if (report(found->product, whyRefused(*found, scores, origins)))
          split(*found, scores);
      } else if (std::optional<DotOfProducts> found =
                     DotOfProducts::match(cast<DotOp>(op), origins)) {
        if (report(found->product, whyRefused(*found)))
          split(*found);
      }
    }
    reportCounts(function, getArgument(), {{"num-split", numSplit}});
  }

private:
  /// Whether there is no reason against the rewrite.
  bool report(TypedLinearOp product, const Refusal &refusal) {
    PassRemarks remarks(getOperation(), getArgument(), "Sides");
    if (refusal) {
      remarks.missed(product.getLoc(),
                     "edge types have their products on one side", refusal);
      return false;
    }
    remarks.passed(product.getLoc(),
                   "each edge type has its products on its smaller side");
    ++numSplit;
    return true;
  }

  /// The parts of a graph, of which a function has one pair.
  SplitGraphOp getSplit(Value graph) {
    OpBuilder builder(graph.getContext());
    builder.setInsertionPointAfterValue(graph);
    for (Operation *user : graph.getUsers())
      if (auto split = dyn_cast<SplitGraphOp>(user)) {
        split->moveBefore(builder.getInsertionBlock(),
                          builder.getInsertionPoint());
        return split;
      }
    return SplitGraphOp::create(builder, graph.getLoc(), graph);
  }

  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    eraseDead(op, erased);
  }

  void split(SumOfProducts &found, const std::optional<Scores> &scores) {
    if (scores)
      for (const LinearChain &score : scores->chains) {
        OpBuilder builder(score.second);
        replace(score.second, composeProducts(builder, scores->first, score));
      }
    ReduceOp sum = found.sum;
    OpBuilder builder(sum);
    auto sumPart = [&](Value part) {
      Value rows = PartCloner(builder, part).clone(sum.getRows());
      return ReduceOp::create(builder, sum.getLoc(), rows, part, sum.getPath(),
                              sum.getKind());
    };
    SplitGraphOp split = getSplit(sum.getGraph());
    Value ofSrc = sumPart(split.getSrc());
    ReduceOp ofDst = sumPart(split.getDst());
    replace(sum, addRows(builder, sum.getLoc(), ofSrc, ofDst));
    // Destinations multiply what their edges add up to.
    RowOrigins origins;
    SumOfProducts::match(ofDst, origins)->aggregateFirst(origins);
  }

  void split(DotOfProducts &found) {
    DotOp dot = found.dot;
    Location loc = dot.getLoc();
    OpBuilder builder(dot);
    auto clone = [&](Value part) {
      return PartCloner(builder, part).clone(dot.getResult());
    };
    auto toWhole = [&](Value rows, Value part) -> Value {
      return ReduceOp::create(builder, loc, rows, part, Path::Whole,
                              Reduction::Sum);
    };
    SplitGraphOp split = getSplit(found.product.getGraph());
    Value ofSrc = clone(split.getSrc()), ofDst = clone(split.getDst());
    RowOrigins origins;
    Operation *inDst = ofDst.getDefiningOp();
    Value multiplied =
        DotOfProducts::match(cast<DotOp>(inDst), origins)->multiplyDst(builder);
    replace(dot, addRows(builder, loc, toWhole(ofSrc, split.getSrc()),
                         toWhole(multiplied, split.getDst())));
    eraseDead(inDst, erased);
  }

  DenseSet<Operation *> erased;
  int64_t numSplit = 0;
};
} // namespace
