//===- FoldTransposes.cpp - weights of GEMMs as they lie ------------------===//

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELFOLDTRANSPOSESPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

/// Whether the last two of the dimensions change places, and no others.
static bool swapsLast(ArrayRef<int64_t> permutation) {
  int64_t rank = permutation.size();
  if (rank < 2 || permutation[rank - 1] != rank - 2 ||
      permutation[rank - 2] != rank - 1)
    return false;
  return llvm::equal(permutation.drop_back(2), llvm::seq<int64_t>(0, rank - 2));
}

namespace {
struct FoldTransposes
    : hetkernel::impl::HetKernelFoldTransposesPassBase<FoldTransposes> {
  void runOnOperation() override {
    int64_t numFolded = 0;
    getOperation().walk([&](GemmOp gemm) {
      auto transpose = gemm.getWeight().getDefiningOp<linalg::TransposeOp>();
      if (!transpose || !swapsLast(transpose.getPermutation()))
        return;
      gemm.getWeightMutable().assign(transpose.getInput());
      gemm.setTransposed(!gemm.getTransposed());
      ++numFolded;
      if (transpose->use_empty())
        transpose->erase();
    });
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-folded", numFolded}});
  }
};
} // namespace
