//===- Selections.cpp - operators that choose between numbers -------------===//

#include "Elementwise.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

static Value select(Scalars &s, Value truth, Value yes, Value no) {
  return arith::SelectOp::create(s.builder, s.loc, truth, yes, no);
}

void lift::addSelectionRules(AddElementRule add) {
  // where(truth, yes, no)
  for (StringRef name : {"aten.where.self", "aten.where.ScalarSelf",
                         "aten.where.ScalarOther", "aten.where.Scalar"})
    add(name, {3,
               [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
                 return select(s, x[0], x[1], x[2]);
               },
               /*truth=*/0});
  // masked_fill(x, truth, value)
  for (StringRef name : {"aten.masked_fill.Scalar", "aten.masked_fill.Tensor"})
    add(name, {3,
               [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
                 return select(s, x[1], x[2], x[0]);
               },
               /*truth=*/1});
}
