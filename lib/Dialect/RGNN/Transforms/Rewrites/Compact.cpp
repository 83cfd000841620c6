//===- Compact.cpp - one row for all edges of an end and a type -----------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/MoveAboveGathers.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNCOMPACTPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {
struct Compact : rgnn::impl::RGNNCompactPassBase<Compact> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    int64_t numMoved = moveAboveGathers(
        function, {Path::SrcPair, Path::DstPair}, getArgument());
    reportCounts(function, getArgument(), {{"num-compacted", numMoved}});
  }
};
} // namespace
