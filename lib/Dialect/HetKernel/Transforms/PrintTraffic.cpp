//===- PrintTraffic.cpp - what kernels read and write ---------------------===//

#include "RGNN/Analysis/GraphSizePass.h"
#include "RGNN/Dialect/HetKernel/Analysis/Traffic.h"
#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELPRINTTRAFFICPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

namespace {
struct PrintTraffic
    : rgnn::GraphSizePass<
          hetkernel::impl::HetKernelPrintTrafficPassBase<PrintTraffic>> {
  using GraphSizePass::GraphSizePass;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    sizes = getSizes();
    // In one piece, so that nothing that others print comes in between.
    std::string text;
    llvm::raw_string_ostream os(text);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && failed(printTable(os, function)))
        return signalPassFailure();
    llvm::errs() << text;
  }

private:
  LogicalResult printTable(raw_ostream &os, func::FuncOp function) {
    const char *line = "  {0,-20} {1,13} {2,13} {3,19} {4,19} {5,19} {6,19}\n";
    os << "traffic of @" << function.getName() << "\n"
       << llvm::formatv(line, "kernel", "rows", "inner rows", "bytes read",
                        "bytes written", "bytes needed", "operations");
    Traffic all;
    for (Operation &op : function.getBody().front()) {
      if (!op.hasTrait<IsKernel>())
        continue;
      FailureOr<Traffic> traffic = countTraffic(&op, sizes);
      if (failed(traffic))
        return failure();
      os << llvm::formatv(line, op.getName(), traffic->rows, traffic->innerRows,
                          traffic->bytesRead, traffic->bytesWritten,
                          traffic->bytesNeeded, traffic->operations);
      all.rows += traffic->rows;
      all.innerRows += traffic->innerRows;
      all.bytesRead += traffic->bytesRead;
      all.bytesWritten += traffic->bytesWritten;
      all.bytesNeeded += traffic->bytesNeeded;
      all.operations += traffic->operations;
    }
    os << llvm::formatv(line, "all", all.rows, all.innerRows, all.bytesRead,
                        all.bytesWritten, all.bytesNeeded, all.operations);
    return success();
  }

  rgnn::GraphSizes sizes;
};
} // namespace
