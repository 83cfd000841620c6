//===- PostponePropagation.cpp - products before the gather ---------------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/HoistFromMaximum.h"
#include "RGNN/Dialect/RGNN/Utils/MoveAboveGathers.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNPOSTPONEPROPAGATIONPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {
struct PostponePropagation
    : rgnn::impl::RGNNPostponePropagationPassBase<PostponePropagation> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    int64_t numMoved = moveAboveGathers(
        function, {Path::EType, Path::Src, Path::Dst}, getArgument());
    // Sums of products of both ends are there now.
    int64_t numHoisted = hoistFromMaxima(function, getArgument());
    reportCounts(function, getArgument(),
                 {{"num-postponed", numMoved}, {"num-hoisted", numHoisted}});
  }
};
} // namespace
