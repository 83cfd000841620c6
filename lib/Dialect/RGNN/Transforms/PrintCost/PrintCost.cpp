//===- PrintCost.cpp - tables of work and traffic -------------------------===//

#include "RGNN/Analysis/GraphSizePass.h"
#include "RGNN/Analysis/TrainingMemory.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "Redundancy.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNPRINTCOSTPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Numbers stand right below those of the line above.
static constexpr char kLine[] =
    "  {0,-22} {1,-9} {2,13} {3,19} {4,19} {5,19} {6,19}\n";

static void printLine(raw_ostream &os, StringRef name, StringRef domain,
                      const Cost &cost, int64_t redundant) {
  os << llvm::formatv(kLine, name, domain, cost.rows, cost.operations,
                      cost.bytesRead, cost.bytesWritten, redundant);
}

static llvm::format_object<double> formatShare(int64_t part, int64_t whole) {
  double share =
      whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  return llvm::format("%.1f %%", 100 * share);
}

namespace {

/// The last lines of a table.
struct Sum {
  Cost cost;
  int64_t redundant = 0;

  void add(const Cost &other, int64_t otherRedundant) {
    cost.rows += other.rows;
    cost.operations += other.operations;
    cost.bytesRead += other.bytesRead;
    cost.bytesWritten += other.bytesWritten;
    redundant += otherRedundant;
  }
};

struct PrintCost : GraphSizePass<rgnn::impl::RGNNPrintCostPassBase<PrintCost>> {
  using GraphSizePass::GraphSizePass;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    sizes = getSizes();
    // In one piece, so that nothing that others print comes in between.
    std::string text;
    llvm::raw_string_ostream os(text);
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      if (failed(printTable(os, function)))
        return signalPassFailure();
      auto backward = symbols.lookup<func::FuncOp>(
          (function.getName() + "_backward").str());
      if (backward && !backward.isDeclaration() &&
          failed(printMemory(os, function, backward)))
        return signalPassFailure();
    }
    llvm::errs() << text;
  }

private:
  LogicalResult printTable(raw_ostream &os, func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return function.emitError("expected a function of one block");
    os << "cost of @" << function.getName() << "\n"
       << llvm::formatv(kLine, "op", "domain", "rows", "operations",
                        "bytes read", "bytes written", "redundant");
    RowOrigins origins;
    Sum all, products;
    for (Operation &op : function.getBody().front()) {
      if (!isa_and_nonnull<RGNNDialect>(op.getDialect()) || isView(&op))
        continue;
      FailureOr<Cost> cost = getCost(&op, sizes);
      if (failed(cost))
        return failure();
      int64_t redundant = countRedundant(&op, *cost, sizes, origins);
      printLine(os, op.getName().getStringRef(),
                cost->domain ? stringifyDomain(cost->domain.getDomain())
                             : "weights",
                *cost, redundant);
      all.add(*cost, redundant);
      if (getKernelForm(&op) == KernelForm::Product ||
          isa<OuterSumOp, TypedOuterSumOp>(op))
        products.add(*cost, redundant);
    }
    printLine(os, "products", "", products.cost, products.redundant);
    printLine(os, "all", "", all.cost, all.redundant);
    os << "  redundant: " << formatShare(all.redundant, all.cost.operations)
       << " of operations\n";
    return success();
  }

  LogicalResult printMemory(raw_ostream &os, func::FuncOp forward,
                            func::FuncOp backward) {
    FailureOr<TrainingMemory> memory =
        getTrainingMemory(forward, backward, sizes);
    if (failed(memory))
      return failure();
    int64_t others = memory->arguments + memory->results;
    auto print = [&](StringRef name, int64_t bytes) -> raw_ostream & {
      return os << llvm::formatv("  {0,-39} {1,19} bytes", name, bytes);
    };
    print("arguments and results", others) << "\n";
    print("intermediate data", memory->intermediate) << "\n";
    print("read by the backward, none recomputed", memory->needed)
        << ", " << formatShare(memory->needed, others + memory->needed)
        << " of memory\n";
    print("saved for the backward", memory->saved)
        << ", " << formatShare(memory->saved, others + memory->saved)
        << " of memory, " << formatShare(memory->saved, memory->intermediate)
        << " of intermediate data\n";
    return success();
  }

  GraphSizes sizes;
};

} // namespace
