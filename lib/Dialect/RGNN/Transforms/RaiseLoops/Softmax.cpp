//===- Softmax.cpp - the softmax of edges that was written as loops -------===//
//
// With %x on edges and P the path to the node (or pair) that they share:
//
//   %m = gather P (reduce max P %x)         becomes   rgnn.group_softmax P %x
//   %a = exp(%x - %m)
//   %y = %a / gather P (reduce sum P %a)
//
// Both agree to 1e-16, the constant of `rgnn.group_softmax`. Without the
// maximum subtracted the loops may overflow where it does not; they stay as
// they are.
//
//===----------------------------------------------------------------------===//

#include "RaiseLoops.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::raise;

/// The operand of a map that a scalar of its region is.
static Value getInput(MapOp map, Value scalar) {
  auto argument = dyn_cast<BlockArgument>(scalar);
  return argument ? map.getInputs()[argument.getArgNumber()] : Value();
}

static Value getYielded(MapOp map) {
  return cast<YieldOp>(map.getBody().front().getTerminator()).getValues()[0];
}

/// `path`, the graph and `x` of `gather path (reduce kind path x)`.
static ReduceOp getReduced(Value value, Reduction kind) {
  auto gather = value ? value.getDefiningOp<GatherOp>() : GatherOp();
  auto reduce =
      gather ? gather.getRows().getDefiningOp<ReduceOp>() : ReduceOp();
  if (!reduce || reduce.getKind() != kind ||
      reduce.getPath() != gather.getPath() || gather.getTo() != Domain::Edge ||
      reduce.getGraph() != gather.getGraph())
    return {};
  return reduce;
}

static void recognize(MapOp map) {
  auto division = getYielded(map).getDefiningOp<arith::DivFOp>();
  if (!division)
    return;
  Value numerator = getInput(map, division.getLhs());
  ReduceOp sum = getReduced(getInput(map, division.getRhs()), Reduction::Sum);
  auto power = numerator ? numerator.getDefiningOp<MapOp>() : MapOp();
  if (!sum || !power || sum.getRows() != numerator)
    return;
  auto exp = getYielded(power).getDefiningOp<math::ExpOp>();
  auto difference =
      exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  // The difference may be a map of its own.
  if (exp && !difference)
    if (Value input = getInput(power, exp.getOperand()))
      if ((power = input.getDefiningOp<MapOp>()))
        difference = getYielded(power).getDefiningOp<arith::SubFOp>();
  if (!difference)
    return;
  Value x = getInput(power, difference.getLhs());
  ReduceOp max =
      getReduced(getInput(power, difference.getRhs()), Reduction::Max);
  if (!x || !max || max.getRows() != x || max.getPath() != sum.getPath() ||
      max.getGraph() != sum.getGraph() || x.getType() != map.getType())
    return;
  OpBuilder builder(map);
  Value softmax = GroupSoftmaxOp::create(builder, map.getLoc(), x,
                                         max.getGraph(), max.getPath());
  map.getResult().replaceAllUsesWith(softmax);
}

void raise::recognizeSoftmax(Block &block) {
  for (MapOp map : llvm::make_early_inc_range(block.getOps<MapOp>()))
    recognize(map);
}
