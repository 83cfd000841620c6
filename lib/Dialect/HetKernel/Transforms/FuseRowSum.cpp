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
/// where its type says it, or that is not known.
static Value getNumRows(GemmOp gemm) {
  Value out = gemm.getOut();
  while (auto earlier = out.getDefiningOp<GemmOp>())
    out = earlier.getOut();
  auto empty = out.getDefiningOp<tensor::EmptyOp>();
  return empty && !empty.getDynamicSizes().empty()
             ? empty.getDynamicSizes().front()
             : Value();
}

/// Why the product of a summand cannot be added to that of an earlier one.
static rgnn::Refusal whyRefused(Summand summand, Summand earlier) {
  auto type = cast<RankedTensorType>(summand.gemm.getResult().getType());
  Value number = getNumRows(summand.gemm);
  if (summand.row.getIndices() != earlier.row.getIndices() ||
      type != earlier.gemm.getResult().getType() ||
      number != getNumRows(earlier.gemm) || (!number && !type.hasStaticShape()))
    return "they are other rows than those of the other product";
  if (summand.gemm.getAccumulate())
    return "the GEMM adds its product to other rows";
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
      traverse.walk([&](arith::AddFOp add) {
        if (!isPartOfSum(add))
          roots.push_back(add);
      });
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
      auto row = value.getDefiningOp<RowOp>();
      auto gemm = row ? row.getSource().getDefiningOp<GemmOp>() : GemmOp();
      if (!gemm || gemm->getBlock() != traverse->getBlock())
        continue;
      if (gemm.getResult().hasOneUse() && row->hasOneUse())
        found.push_back({gemm, row});
      else
        miss(sum.getLoc(), "they are also used apart from the sum");
    }
    return found;
  }

  void fuse(arith::AddFOp root, TraverseOp traverse,
            llvm::SmallPtrSetImpl<Operation *> &fused) {
    Location loc = root.getLoc(); // of an op that may go
    SmallVector<Summand> summands = findSummands(root, traverse);
    llvm::sort(summands, [](const Summand &a, const Summand &b) {
      return a.gemm->isBeforeInBlock(b.gemm);
    });
    for (size_t i = 1; i < summands.size(); ++i) {
      Summand earlier = summands[i - 1], summand = summands[i];
      if (rgnn::Refusal refusal = whyRefused(summand, earlier)) {
        miss(loc, refusal);
        continue;
      }
      summand.gemm.getOutMutable().assign(earlier.gemm.getResult());
      summand.gemm.setAccumulate(true);
      drop(earlier.row);
      if (getNumRows(summand.gemm) == traverse.getRows())
        fused.insert(summand.gemm);
      ++numFused;
      rgnn::PassRemarks(getOperation(), getArgument(), "RowSum")
          .passed(loc, "a GEMM adds its product to another's");
    }
  }

  void miss(Location loc, const rgnn::Refusal &refusal) {
    rgnn::PassRemarks(getOperation(), getArgument(), "RowSum")
        .missed(loc, "rows of products are added by the traversal", refusal);
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
