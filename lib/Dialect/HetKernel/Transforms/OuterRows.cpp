//===- OuterRows.cpp - what a traversal does with its own rows ------------===//

#include "OuterRows.h"

using namespace mlir;
using namespace mlir::hetkernel;

RowOp hetkernel::getOuterRow(Value value, TraverseOp traverse) {
  auto row = value.getDefiningOp<RowOp>();
  bool isOuter = row && row.getIndices().size() == 1 &&
                 row.getIndices().front() == traverse.getBody().getArgument(0);
  return isOuter ? row : RowOp();
}

void hetkernel::dropCopies(TraverseOp traverse,
                           const llvm::SmallPtrSetImpl<Operation *> &gemms) {
  auto yield = cast<YieldOp>(traverse.getBody().front().getTerminator());
  SmallVector<Value> outs, yields;
  SmallVector<unsigned> kept;
  for (auto [index, value] : llvm::enumerate(yield.getValues())) {
    RowOp row = getOuterRow(value, traverse);
    if (row && gemms.contains(row.getSource().getDefiningOp()) &&
        row.getSource().getType() == traverse.getOuts()[index].getType()) {
      traverse.getResult(index).replaceAllUsesWith(row.getSource());
      continue;
    }
    kept.push_back(index);
    outs.push_back(traverse.getOuts()[index]);
    yields.push_back(value);
  }
  if (kept.size() == traverse.getOuts().size())
    return;
  if (!kept.empty()) {
    yield.getValuesMutable().assign(yields);
    OpBuilder builder(traverse);
    auto rest = TraverseOp::create(builder, traverse.getLoc(),
                                   ValueRange(outs).getTypes(),
                                   traverse.getRows(), traverse.getSegments(),
                                   outs, traverse.getScheduleAttr());
    rest.getBody().takeBody(traverse.getBody());
    for (auto [index, result] : llvm::zip(kept, rest.getResults()))
      traverse.getResult(index).replaceAllUsesWith(result);
  }
  traverse.erase();
}
