//===- ReorderLinear.cpp - products of weights first ----------------------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Transforms/Counts.h"

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/IR/Remarks.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNREORDERLINEARPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

static int64_t getLast(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

/// The products that multiply the rows that `first` makes.
static SmallVector<LinearOp> getSeconds(Operation *first) {
  SmallVector<LinearOp> seconds;
  for (Operation *user : first->getUsers())
    if (auto linear = dyn_cast<LinearOp>(user))
      seconds.push_back(linear);
  return seconds;
}

/// Why the products of the weights are not to be multiplied first; empty if
/// they are. Multiplications for one row are compared: `first` is computed for
/// all that reads it, unless nothing but such products does.
static StringRef whyRefused(Operation *first, ArrayRef<LinearOp> seconds) {
  int64_t uses = std::distance(first->use_begin(), first->use_end());
  if (uses != static_cast<int64_t>(seconds.size()))
    return "its rows are also used without the second product";
  int64_t inner = getLast(first->getOperand(0)),
          middle = getLast(first->getResult(0)), before = inner * middle,
          after = 0;
  for (LinearOp second : seconds) {
    before += middle * getLast(second.getResult());
    after += inner * getLast(second.getResult());
  }
  if (after >= before)
    return "one product of the weights costs as much as both products of rows";
  return {};
}

/// `weight * second's weight`, over the last dimension of `weight`.
static Value multiplyWeights(OpBuilder &builder, Location loc, Value weight,
                             LinearOp second) {
  auto type = cast<RankedTensorType>(weight.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t columns = shape.pop_back_val();
  auto matrix = RankedTensorType::get(
      {ShapedType::getNumElements(shape), columns}, type.getElementType());
  Value rows = ReshapeOp::create(builder, loc, matrix, weight);
  Value product = LinearOp::create(builder, loc, rows, second.getWeight(),
                                   second.getTransposed());
  shape.push_back(getLast(second.getResult()));
  return ReshapeOp::create(builder, loc,
                           RankedTensorType::get(shape, type.getElementType()),
                           product);
}

/// `x * (first's weight * second's weight)`.
static Value reorder(OpBuilder &builder, Operation *first, LinearOp second) {
  Location loc = builder.getFusedLoc({first->getLoc(), second.getLoc()});
  Value weight = first->getOperand(1);
  if (auto typed = dyn_cast<TypedLinearOp>(first))
    return TypedLinearOp::create(builder, loc, typed.getX(),
                                 multiplyWeights(builder, loc, weight, second),
                                 typed.getGraph(), typed.getPath());
  auto linear = cast<LinearOp>(first);
  if (linear.getTransposed())
    weight = PermuteOp::create(builder, loc, weight, ArrayRef<int64_t>{1, 0});
  return LinearOp::create(builder, loc, linear.getX(),
                          multiplyWeights(builder, loc, weight, second),
                          /*transposed=*/false);
}

namespace {
struct ReorderLinear : rgnn::impl::RGNNReorderLinearPassBase<ReorderLinear> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    int64_t numReordered = 0;
    // The last first: what it makes of a chain of three is a chain of two.
    for (Operation &first : llvm::make_early_inc_range(
             llvm::reverse(function.getBody().front()))) {
      if (!isa<LinearOp, TypedLinearOp>(first) ||
          !getRows(first.getResult(0).getType()))
        continue;
      SmallVector<LinearOp> seconds = getSeconds(&first);
      if (seconds.empty())
        continue;
      auto options = remark::RemarkOpts::name("Products")
                         .category(getArgument())
                         .function(function.getName());
      if (StringRef reason = whyRefused(&first, seconds); !reason.empty()) {
        remark::missed(first.getLoc(), options)
            << ("weights are not multiplied first: " + reason).str();
        continue;
      }
      for (LinearOp second : seconds) {
        OpBuilder builder(second);
        Value product = reorder(builder, &first, second);
        remark::passed(second.getLoc(), options)
            << "weights are multiplied first";
        second.getResult().replaceAllUsesWith(product);
        second.erase();
        ++numReordered;
      }
      first.erase();
    }
    reportCounts(function, getArgument(), {{"num-reordered", numReordered}});
  }
};
} // namespace
