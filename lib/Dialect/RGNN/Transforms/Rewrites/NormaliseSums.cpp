//===- NormaliseSums.cpp - softmax weights are divided after their sum ----===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"

#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"
#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"
#include "RGNN/Dialect/RGNN/Utils/SoftmaxParts.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNNORMALISESUMSPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {

/// A sum of rows that a softmax weights.
struct WeightedSum {
  ReduceOp sum;
  /// From the softmax to the product of weights and rows.
  SmallVector<ReshapeOp> reshapes;
};

/// One softmax and all that reads it.
class Normalisation {
public:
  explicit Normalisation(GroupSoftmaxOp softmax) : softmax(softmax) {}

  /// Why weights have to be divided.
  Refusal match();
  void rewrite();

private:
  Refusal match(Value weights, ArrayRef<ReshapeOp> reshapes);
  void divide(const WeightedSum &weighted, Value reciprocal);

  GroupSoftmaxOp softmax;
  SmallVector<WeightedSum> sums;
};

} // namespace

/// Whether a map multiplies its two operands, which differ.
static bool isProduct(MapOp map) {
  Block &body = map.getBody().front();
  auto product = dyn_cast<arith::MulFOp>(body.front());
  return product && body.getNumArguments() == 2 && llvm::hasNItems(body, 2) &&
         map->getOperand(0) != map->getOperand(1) &&
         isa<BlockArgument>(product.getLhs()) &&
         isa<BlockArgument>(product.getRhs()) &&
         product.getLhs() != product.getRhs() &&
         body.getTerminator()->getOperand(0) == product.getResult();
}

Refusal Normalisation::match() {
  if (isRoundedWhenStored(softmax.getResult()))
    return "its numbers have 16 bits";
  return match(softmax.getResult(), {});
}

Refusal Normalisation::match(Value weights, ArrayRef<ReshapeOp> reshapes) {
  for (Operation *user : weights.getUsers()) {
    if (auto reshape = dyn_cast<ReshapeOp>(user)) {
      SmallVector<ReshapeOp> longer(reshapes);
      longer.push_back(reshape);
      if (Refusal refusal = match(reshape.getResult(), longer))
        return refusal;
      continue;
    }
    auto map = dyn_cast<MapOp>(user);
    if (!map || !isProduct(map))
      return "not only products read it";
    for (Operation *reader : map->getUsers()) {
      auto sum = dyn_cast<ReduceOp>(reader);
      if (!sum || sum.getKind() != Reduction::Sum)
        return "not only sums read the rows that it weights";
      if (sum.getPath() != softmax.getPath() ||
          sum.getGraph() != softmax.getGraph())
        return "rows are added up in other groups";
      sums.push_back({sum, llvm::to_vector(reshapes)});
    }
  }
  return {};
}

void Normalisation::divide(const WeightedSum &weighted, Value reciprocal) {
  ReduceOp sum = weighted.sum;
  OpBuilder builder(sum);
  builder.setInsertionPointAfter(sum);
  for (ReshapeOp reshape : weighted.reshapes)
    reciprocal = ReshapeOp::create(
        builder, reshape.getLoc(),
        getTypeOn(reshape.getResult().getType(), getRows(reciprocal.getType())),
        reciprocal);
  Value divided = multiply(builder, sum.getLoc(), sum.getResult().getType(),
                           sum.getResult(), reciprocal);
  sum.getResult().replaceAllUsesExcept(divided, divided.getDefiningOp());
}

void Normalisation::rewrite() {
  OpBuilder builder(softmax);
  SoftmaxParts parts = emitParts(builder, softmax);
  for (const WeightedSum &weighted : sums)
    divide(weighted, parts.reciprocal);
  softmax.getResult().replaceAllUsesWith(parts.powers);
  softmax.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct NormaliseSums : rgnn::impl::RGNNNormaliseSumsPassBase<NormaliseSums> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<GroupSoftmaxOp> all;
    function.walk([&](GroupSoftmaxOp softmax) { all.push_back(softmax); });
    int64_t numNormalised = 0;
    PassRemarks remarks(function, getArgument(), "Normalisation");
    for (GroupSoftmaxOp softmax : all) {
      Location loc = softmax.getLoc();
      Normalisation normalisation(softmax);
      if (Refusal refusal = normalisation.match()) {
        remarks.missed(loc, "a softmax is divided before rows are added up",
                       refusal);
        continue;
      }
      normalisation.rewrite();
      ++numNormalised;
      remarks.passed(loc,
                     "sums of rows that a softmax weights are divided at the "
                     "end");
    }
    reportCounts(function, getArgument(), {{"num-normalised", numNormalised}});
  }
};
} // namespace
