//===- Counts.h - what passes count -----------------------------*- C++ -*-===//
//
// Passes report what they count as analysis remarks. Statistics of MLIR would
// be empty: builds of LLVM without LLVM_ENABLE_STATS, such as Debian's, neither
// name nor print them.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_SUPPORT_COUNTS_H
#define RGNN_SUPPORT_COUNTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::rgnn {

struct Count {
  StringRef name; // as in the pass's description: "num-gemms"
  int64_t value;
};

/// Emits one remark `Counts` with what `pass`, named by its argument, counted
/// in `function`; none where all counts are 0.
void reportCounts(func::FuncOp function, StringRef pass,
                  ArrayRef<Count> counts);

} // namespace mlir::rgnn

#endif // RGNN_SUPPORT_COUNTS_H
