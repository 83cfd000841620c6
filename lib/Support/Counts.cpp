//===- Counts.cpp - what passes count -------------------------------------===//

#include "RGNN/Support/Counts.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

void rgnn::reportCounts(func::FuncOp function, StringRef pass,
                        ArrayRef<Count> counts) {
  if (llvm::all_of(counts, [](Count count) { return count.value == 0; }))
    return;
  auto report = remark::analysis(
      function.getLoc(),
      remark::RemarkOpts::name("Counts").category(pass).function(
          function.getName()));
  for (Count count : counts)
    report << remark::metric(count.name, count.value);
}
