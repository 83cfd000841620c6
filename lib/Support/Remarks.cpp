//===- Remarks.cpp - what passes say of a function ------------------------===//

#include "RGNN/Support/Remarks.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::rgnn;

static remark::RemarkOpts getOptions(func::FuncOp function, StringRef pass,
                                     StringRef name) {
  return remark::RemarkOpts::name(name).category(pass).function(
      function.getName());
}

void PassRemarks::passed(Location loc, const Twine &what) const {
  remark::passed(loc, getOptions(function, pass, name)) << what.str();
}

void PassRemarks::missed(Location loc, const Twine &what,
                         const Refusal &refusal) const {
  remark::missed(loc, getOptions(function, pass, name))
      << (what + ": " + refusal.getReason()).str();
}

void PassRemarks::analysis(Location loc, const Twine &what) const {
  remark::analysis(loc, getOptions(function, pass, name)) << what.str();
}

void rgnn::reportCounts(func::FuncOp function, StringRef pass,
                        ArrayRef<Count> counts) {
  if (llvm::all_of(counts, [](Count count) { return count.value == 0; }))
    return;
  auto report =
      remark::analysis(function.getLoc(), getOptions(function, pass, "Counts"));
  for (Count count : counts)
    report << remark::metric(count.name, count.value);
}
