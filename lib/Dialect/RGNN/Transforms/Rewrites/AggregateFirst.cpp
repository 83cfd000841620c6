//===- AggregateFirst.cpp - sums before products --------------------------===//

#include "RGNN/Dialect/RGNN/Analysis/SumOfProducts.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNAGGREGATEFIRSTPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {
struct AggregateFirst : rgnn::impl::RGNNAggregateFirstPassBase<AggregateFirst> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    PassRemarks remarks(function, getArgument(), "Sums");
    int64_t numAggregated = 0;
    for (auto sum :
         llvm::to_vector(function.getBody().front().getOps<ReduceOp>())) {
      RowOrigins origins; // knows values, of which the rewrite erases some
      std::optional<SumOfProducts> found = SumOfProducts::match(sum, origins);
      if (!found)
        continue;
      Location loc = found->product.getLoc();
      if (found->refusal) {
        remarks.missed(loc, "rows are multiplied before they are summed",
                       found->refusal);
        continue;
      }
      found->aggregateFirst(origins);
      remarks.passed(loc, "rows are summed before they are multiplied");
      ++numAggregated;
    }
    reportCounts(function, getArgument(), {{"num-aggregated", numAggregated}});
  }
};
} // namespace
