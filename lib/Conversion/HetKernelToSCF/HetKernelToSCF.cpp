//===- HetKernelToSCF.cpp - the pass that lowers kernels ------------------===//

#include "RGNN/Conversion/HetKernelToSCF/HetKernelToSCF.h"
#include "Lowering.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_CONVERTHETKERNELTOSCFPASS
#include "RGNN/Conversion/HetKernelToSCF/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::hetkernel;

/// Gives the parallel loops from `first` to before `end` the number of the
/// kernel that they come from.
static void numberLoops(Block::iterator first, Block::iterator end,
                        Attribute number) {
  for (Operation &op : llvm::make_range(first, end))
    op.walk(
        [&](scf::ForallOp loop) { loop->setAttr(rgnn::kKernelAttr, number); });
}

namespace {

struct ConvertHetKernelToSCFPass
    : rgnn::impl::ConvertHetKernelToSCFPassBase<ConvertHetKernelToSCFPass> {
  using ConvertHetKernelToSCFPassBase::ConvertHetKernelToSCFPassBase;

  void runOnOperation() override {
    if (serialBelow < 0) {
      getOperation().emitError("serial-below: expected 0 or more, got ")
          << serialBelow.getValue();
      return signalPassFailure();
    }
    SmallVector<Operation *> kernels;
    getOperation().walk([&](Operation *op) {
      if (op->hasTrait<IsKernel>())
        kernels.push_back(op);
    });
    int64_t numGemms = 0, numOuterSums = 0, numConcats = 0, numRanks = 0,
            numTraversals = 0, numTemporaries = 0;
    for (Operation *kernel : kernels) {
      Attribute number = kernel->getAttr(rgnn::kKernelAttr);
      Block *block = kernel->getBlock();
      Operation *before = kernel->getPrevNode(),
                *behind = kernel->getNextNode();
      if (auto gemm = dyn_cast<GemmOp>(kernel)) {
        if (failed(lowerGemm(gemm, serialBelow, numTemporaries)))
          return signalPassFailure();
        ++numGemms;
      } else if (auto sum = dyn_cast<OuterSumOp>(kernel)) {
        if (failed(lowerOuterSum(sum, serialBelow, numTemporaries)))
          return signalPassFailure();
        ++numOuterSums;
      } else if (auto concat = dyn_cast<ConcatOp>(kernel)) {
        if (failed(lowerConcat(concat, serialBelow)))
          return signalPassFailure();
        ++numConcats;
      } else if (auto rank = dyn_cast<RankOp>(kernel)) {
        if (failed(lowerRank(rank, {/*isByColumn=*/false, serialBelow},
                             numTemporaries)))
          return signalPassFailure();
        ++numRanks;
      } else {
        if (failed(lowerTraverse(cast<TraverseOp>(kernel), serialBelow,
                                 numTemporaries)))
          return signalPassFailure();
        ++numTraversals;
      }
      if (number)
        numberLoops(before ? std::next(before->getIterator()) : block->begin(),
                    behind ? behind->getIterator() : block->end(), number);
    }
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-gemms", numGemms},
                        {"num-outer-sums", numOuterSums},
                        {"num-concats", numConcats},
                        {"num-ranks", numRanks},
                        {"num-traversals", numTraversals},
                        {"num-temporaries", numTemporaries}});
  }
};

} // namespace
