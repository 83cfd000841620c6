//===- AggregateFirst.cpp - sums before products --------------------------===//

#include "RGNN/Dialect/RGNN/Analysis/SumOfProducts.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Support/Counts.h"

#include "mlir/IR/Remarks.h"

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
    int64_t numAggregated = 0;
    for (auto sum :
         llvm::to_vector(function.getBody().front().getOps<ReduceOp>())) {
      RowOrigins origins; // knows values, of which the rewrite erases some
      auto options = remark::RemarkOpts::name("Sums")
                         .category(getArgument())
                         .function(function.getName());
      std::optional<SumOfProducts> found = SumOfProducts::match(sum, origins);
      if (!found)
        continue;
      Location loc = found->product.getLoc();
      if (!found->refusal.empty()) {
        remark::missed(loc, options)
            << ("rows are multiplied before they are summed: " + found->refusal)
                   .str();
        continue;
      }
      found->aggregateFirst(origins);
      remark::passed(loc, options)
          << "rows are summed before they are multiplied";
      ++numAggregated;
    }
    reportCounts(function, getArgument(), {{"num-aggregated", numAggregated}});
  }
};
} // namespace
