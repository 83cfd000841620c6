//===- FuseRowSum.cpp - sums of products, within the GEMMs ----------------===//

#include "OuterRows.h"
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELFUSEROWSUMPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

namespace {
/// A row that a sum adds, of a product.
struct Summand {
  GemmOp gemm;
  RowOp row;
};
} // namespace

/// Whether `op` adds its result to another sum, and nothing else reads it.
static bool isPartOfSum(arith::AddFOp op) {
  return op->hasOneUse() && isa<arith::AddFOp>(*op->user_begin());
}

/// How many rows a GEMM, or the first of those that it adds to, gives; null
/// where that is not known.
static Value getNumRows(GemmOp gemm) {
  Value out = gemm.getOut();
  while (auto earlier = out.getDefiningOp<GemmOp>())
    out = earlier.getOut();
  auto empty = out.getDefiningOp<tensor::EmptyOp>();
  return empty && !empty.getDynamicSizes().empty()
             ? empty.getDynamicSizes().front()
             : Value();
}

/// Why a row of a product is not one that another product can be added to, or
/// that can be added to another.
static rgnn::Refusal whyRefused(Summand summand, TraverseOp traverse) {
  if (!summand.gemm.getResult().hasOneUse() || !summand.row->hasOneUse())
    return "the rows are also used apart from the sum";
  if (getNumRows(summand.gemm) != traverse.getRows())
    return "the traversal may not have all rows of the GEMM";
  return {};
}

namespace {
struct FuseRowSumPass
    : hetkernel::impl::HetKernelFuseRowSumPassBase<FuseRowSumPass> {
  using HetKernelFuseRowSumPassBase::HetKernelFuseRowSumPassBase;

  void runOnOperation() override {
    numFused = 0;
    SmallVector<TraverseOp> traversals;
    getOperation().walk(
        [&](TraverseOp traverse) { traversals.push_back(traverse); });
    for (TraverseOp traverse : traversals) {
      SmallVector<arith::AddFOp> roots;
      for (auto add : traverse.getBody().front().getOps<arith::AddFOp>())
        if (!isPartOfSum(add))
          roots.push_back(add);
      llvm::SmallPtrSet<Operation *, 4> fused; // GEMMs
      for (arith::AddFOp root : roots)
        fuse(root, traverse, fused);
      if (!fused.empty())
        dropCopies(traverse, fused);
    }
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-fused", numFused}});
  }

private:
  /// The products among what `sum` adds.
  SmallVector<Summand> findSummands(arith::AddFOp sum, TraverseOp traverse) {
    SmallVector<Summand> found;
    for (Value value : sum.getOperands()) {
      auto inner = value.getDefiningOp<arith::AddFOp>();
      if (inner && isPartOfSum(inner)) {
        llvm::append_range(found, findSummands(inner, traverse));
        continue;
      }
      RowOp row = getOuterRow(value, traverse);
      auto gemm = row ? row.getSource().getDefiningOp<GemmOp>() : GemmOp();
      if (!gemm || gemm->getBlock() != traverse->getBlock())
        continue;
      if (rgnn::Refusal refusal = whyRefused({gemm, row}, traverse))
        rgnn::PassRemarks(getOperation(), getArgument(), "RowSum")
            .missed(sum.getLoc(), "rows are added by the traversal", refusal);
      else
        found.push_back({gemm, row});
    }
    return found;
  }

  void fuse(arith::AddFOp root, TraverseOp traverse,
            llvm::SmallPtrSetImpl<Operation *> &fused) {
    SmallVector<Summand> summands = findSummands(root, traverse);
    llvm::sort(summands, [](const Summand &a, const Summand &b) {
      return a.gemm->isBeforeInBlock(b.gemm);
    });
    if (summands.size() < 2)
      return;
    Location loc = root.getLoc(); // of an op that may go
    rgnn::PassRemarks remarks(getOperation(), getArgument(), "RowSum");
    for (size_t i = 1; i < summands.size(); ++i) {
      auto [gemm, row] = summands[i];
      Summand earlier = summands[i - 1];
      if (gemm.getAccumulate() ||
          gemm.getResult().getType() != earlier.gemm.getResult().getType()) {
        remarks.missed(loc, "rows are added by the traversal",
                       "the GEMM adds its product to other rows");
        continue;
      }
      gemm.getOutMutable().assign(earlier.gemm.getResult());
      gemm.setAccumulate(true);
      drop(earlier.row);
      fused.insert(gemm);
      ++numFused;
      remarks.passed(loc, "a GEMM adds its product to another's");
    }
  }

  /// Takes a row out of the sum that is its only use.
  static void drop(RowOp row) {
    auto add = cast<arith::AddFOp>(*row->user_begin());
    bool isFirst = add.getLhs() == row.getResult();
    add.getResult().replaceAllUsesWith(isFirst ? add.getRhs() : add.getLhs());
    add.erase();
    row.erase();
  }

  int64_t numFused = 0;
};
} // namespace
