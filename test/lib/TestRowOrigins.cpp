//===- TestRowOrigins.cpp - what rows on edges are a function of ----------===//

#include "TestPasses.h"

#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// Prints, for each result on edges, the paths along which it could be
/// gathered, and changes nothing.
struct TestRowOrigins : PassWrapper<TestRowOrigins, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestRowOrigins)

  StringRef getArgument() const override { return "test-print-row-origins"; }
  StringRef getDescription() const override {
    return "print the paths along which rows on edges could be gathered";
  }

  // Of a module, since passes of functions print at the same time.
  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        print(function, llvm::outs());
  }

private:
  static void print(func::FuncOp function, llvm::raw_ostream &os) {
    os << "rows on edges of @" << function.getName() << "\n";
    RowOrigins origins;
    for (Operation &op : function.getBody().front())
      for (Value result : op.getResults()) {
        if (!isOnEdges(result))
          continue;
        PathSet paths = origins.getPaths(result);
        SmallVector<StringRef> names;
        for (uint32_t path = 0; path <= getMaxEnumValForPath(); ++path)
          if (std::optional<Path> each = symbolizePath(path);
              each && paths.contains(*each))
            names.push_back(stringifyPath(*each));
        os << "  " << op.getName() << ": ";
        llvm::interleaveComma(names, os);
        os << (names.empty() ? "of the edge alone\n" : "\n");
      }
  }
};
} // namespace

void rgnn::test::registerTestRowOriginsPass() {
  PassRegistration<TestRowOrigins>();
}
