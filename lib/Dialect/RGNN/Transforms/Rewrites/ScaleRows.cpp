//===- ScaleRows.cpp - products with rows of one number -------------------===//

#include "RGNN/Dialect/RGNN/Utils/ComposeProducts.h"

#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNSCALEROWSPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// The rows of `x` times the weight of their type, number by number.
static Value scaleRows(TypedLinearOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.front() =
      cast<RankedTensorType>(op.getWeight().getType()).getDimSize(0);
  Value weight = ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()),
      op.getWeight());
  weight = gatherByType(builder, loc, weight, getRows(op.getX().getType()),
                        op.getGraph(), op.getPath());
  return multiply(builder, loc, type, op.getX(), weight);
}

namespace {
struct ScaleRows : rgnn::impl::RGNNScaleRowsPassBase<ScaleRows> {
  void runOnOperation() override {
    SmallVector<TypedLinearOp> products;
    getOperation().walk([&](TypedLinearOp op) {
      if (getRowShape(op.getX().getType()).back() == 1)
        products.push_back(op);
    });
    PassRemarks remarks(getOperation(), getArgument(), "Products");
    for (TypedLinearOp op : products) {
      remarks.passed(op.getLoc(),
                     "rows of one number are scaled by the weight of their "
                     "type");
      op.getResult().replaceAllUsesWith(scaleRows(op));
      op.erase();
    }
    reportCounts(getOperation(), getArgument(),
                 {{"num-scaled", static_cast<int64_t>(products.size())}});
  }
};
} // namespace
