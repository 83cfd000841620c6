//===- FuseRowScale.cpp - a factor for each row, within the GEMM ----------===//

#include "OuterRows.h"
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELFUSEROWSCALEPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

/// The tensor of one number a row that `factor` repeats for all of a row.
static Value getScale(Value factor, TraverseOp traverse) {
  auto broadcast = factor.getDefiningOp<vector::BroadcastOp>();
  RowOp row =
      broadcast ? getOuterRow(broadcast.getSource(), traverse) : RowOp();
  if (!row)
    return Value();
  auto vector = dyn_cast<VectorType>(row.getType());
  return !vector || vector.getNumElements() == 1 ? row.getSource() : Value();
}

/// Why a product of `row` with `scale` cannot move into the GEMM that makes the
/// rows.
static rgnn::Refusal whyRefused(GemmOp gemm, RowOp row, Value scale,
                                TraverseOp traverse, DominanceInfo &dominance) {
  auto empty = gemm.getOut().getDefiningOp<tensor::EmptyOp>();
  if (gemm.getScatter() || gemm.getScale() || gemm.getAccumulate())
    return "the GEMM has a scatter list, a scale or accumulates";
  if (gemm.getBias())
    return "the GEMM adds a bias behind its scale, which is scaled, too";
  if (!gemm.getResult().hasOneUse() || !row->hasOneUse())
    return "the rows are also used without the scale";
  if (!empty || empty.getDynamicSizes().empty() ||
      empty.getDynamicSizes().front() != traverse.getRows())
    return "the traversal may not have all rows of the GEMM";
  if (!dominance.properlyDominates(scale, gemm))
    return "the scale is computed after the GEMM";
  return {};
}

namespace {

struct FuseRowScalePass
    : hetkernel::impl::HetKernelFuseRowScalePassBase<FuseRowScalePass> {
  using HetKernelFuseRowScalePassBase::HetKernelFuseRowScalePassBase;

  void runOnOperation() override {
    auto &dominance = getAnalysis<DominanceInfo>();
    SmallVector<TraverseOp> traversals;
    getOperation().walk(
        [&](TraverseOp traverse) { traversals.push_back(traverse); });
    int64_t numFused = 0;
    for (TraverseOp traverse : traversals) {
      llvm::SmallPtrSet<Operation *, 4> fused; // GEMMs
      Block &body = traverse.getBody().front();
      for (auto product :
           llvm::make_early_inc_range(body.getOps<arith::MulFOp>()))
        for (auto [value, factor] :
             {std::pair(product.getLhs(), product.getRhs()),
              std::pair(product.getRhs(), product.getLhs())})
          if (GemmOp gemm = fuse(product, value, factor, traverse, dominance)) {
            fused.insert(gemm);
            ++numFused;
            break;
          }
      if (!fused.empty())
        dropCopies(traverse, fused);
    }
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-fused", numFused}});
  }

private:
  /// The GEMM that has the scale now, or none.
  GemmOp fuse(arith::MulFOp product, Value value, Value factor,
              TraverseOp traverse, DominanceInfo &dominance) {
    RowOp row = getOuterRow(value, traverse);
    auto gemm = row ? row.getSource().getDefiningOp<GemmOp>() : GemmOp();
    Value scale = gemm ? getScale(factor, traverse) : Value();
    if (!scale)
      return GemmOp();
    rgnn::PassRemarks remarks(getOperation(), getArgument(), "RowScale");
    if (rgnn::Refusal refusal =
            whyRefused(gemm, row, scale, traverse, dominance)) {
      remarks.missed(product.getLoc(), "a scale of rows stays in the traversal",
                     refusal);
      return GemmOp();
    }
    remarks.passed(product.getLoc(), "a scale of rows is applied by the GEMM");
    OpBuilder builder(gemm);
    auto type = cast<RankedTensorType>(scale.getType());
    if (type.getRank() > 1)
      scale = tensor::CollapseShapeOp::create(
          builder, product.getLoc(),
          RankedTensorType::get(ShapedType::kDynamic, type.getElementType()),
          scale,
          ArrayRef<ReassociationIndices>{
              llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()))});
    gemm.getScaleMutable().assign(scale);
    product.getResult().replaceAllUsesWith(row.getResult());
    product.erase();
    return gemm;
  }
};

} // namespace
