//===- TestRowOrigins.cpp - what rows on edges are a function of ----------===//

#include "PrintingPass.h"
#include "TestPasses.h"

#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// Prints, for each result on edges, the paths along which it could be
/// gathered, and changes nothing.
struct TestRowOrigins : test::PrintingPass<TestRowOrigins> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestRowOrigins)

  StringRef getArgument() const override { return "test-print-row-origins"; }
  StringRef getDescription() const override {
    return "print the paths along which rows on edges could be gathered";
  }

  LogicalResult print(func::FuncOp function, llvm::raw_ostream &os) {
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
    return success();
  }
};
} // namespace

void rgnn::test::registerTestRowOriginsPass() {
  PassRegistration<TestRowOrigins>();
}
