//===- Pairs.cpp - loops over pairs of edges of a node --------------------===//
//
// In a loop over the edges `f` of a node, within one over its edges `e`, what
// is of `e` or of `f` alone is computed for all edges at once. Of both there is
// what has an op that takes no step for each pair:
//
//   for_each %n in dst_nodes {                        %x, %y = rows of edges
//     for_each %e in incoming_edges of %n {     to    rgnn.group_excess dst %x
//     over %y
//       for_each %f in incoming_edges of %n {
//         accumulate sum "s" of %e, max(x[e] - y[f], 0) } } }
//
//===----------------------------------------------------------------------===//

#include "RaiseLoops.h"

#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::raise;

static constexpr StringLiteral whatPairsDo =
    "expected a sum of max(x[e] - y[f], 0), or of what one of the edges has";

bool raise::isOfPairs(LoopOp loop) {
  auto parent = dyn_cast<LoopOp>(loop->getParentOp());
  return parent && isa<EdgeType>(parent.getElement().getType());
}

/// Whose a value is: that of the loop around, of the loop itself, or either's.
static BlockArgument getVisited(const Row &row) {
  bool isEdges = isa<EdgeType>(row.element.visited.getType());
  return row.kind != Row::Kind::Shared && isEdges ? row.element.visited
                                                  : BlockArgument();
}

namespace {
/// A scalar of a map on pairs: an operand, a difference of two, or what of it
/// is more than zero.
struct PairScalar {
  enum class Kind { Operand, Difference, Excess } kind;
  unsigned x = 0, y = 0;
};
} // namespace

/// What a map computes of the operands of pairs; nothing where it is not known.
static std::optional<PairScalar> match(Value scalar) {
  using Kind = PairScalar::Kind;
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return PairScalar{Kind::Operand, argument.getArgNumber()};
  if (auto sub = scalar.getDefiningOp<arith::SubFOp>()) {
    std::optional<PairScalar> x = match(sub.getLhs()), y = match(sub.getRhs());
    if (x && y && x->kind == Kind::Operand && y->kind == Kind::Operand)
      return PairScalar{Kind::Difference, x->x, y->x};
  }
  Operation *op = scalar.getDefiningOp();
  if (isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(op))
    for (unsigned side : {0, 1})
      if (matchPattern(op->getOperand(side), m_AnyZeroFloat())) {
        std::optional<PairScalar> of = match(op->getOperand(1 - side));
        if (of && of->kind != Kind::Excess) {
          of->kind = Kind::Excess;
          return of;
        }
      }
  return std::nullopt;
}

FailureOr<Row> RowBuilder::raiseOfPairs(Operation *op, ArrayRef<Row> operands,
                                        BlockArgument visited) {
  BlockArgument outer =
      cast<LoopOp>(visited.getOwner()->getParentOp()->getParentOp())
          .getElement();
  auto isOf = [&](BlockArgument edge) {
    return [edge](const Row &row) {
      return row.kind != Row::Kind::Pair &&
             (!getVisited(row) || getVisited(row) == edge);
    };
  };
  if (llvm::all_of(operands, isOf(visited)))
    return raise(op, operands, visited);
  if (llvm::all_of(operands, isOf(outer)))
    return raise(op, operands, outer);

  auto map = dyn_cast<MapOp>(op);
  std::optional<PairScalar> scalar;
  if (map)
    scalar = match(
        cast<YieldOp>(map.getBody().front().getTerminator()).getValues()[0]);
  if (!scalar)
    return refuse(op, whatPairsDo);
  Row result;
  if (scalar->kind == PairScalar::Kind::Difference ||
      scalar->x != scalar->y) { // Two operands.
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    RankedTensorType rows = getRowsType(getEncoding(/*onEdges=*/true),
                                        type.getShape(), type.getElementType());
    Value sides[2];
    BlockArgument owners[2];
    const unsigned numbers[] = {scalar->x, scalar->y};
    for (auto [number, operand] : llvm::enumerate(numbers)) {
      const Row &row = operands[operand];
      if (row.kind == Row::Kind::Pair)
        return refuse(op, whatPairsDo);
      owners[number] = getVisited(row);
    }
    // What is of the node, or of all, is the other edge's.
    for (unsigned side : {0, 1})
      if (!owners[side])
        owners[side] = owners[1 - side] == outer ? visited : outer;
    for (auto [number, operand] : llvm::enumerate(numbers)) {
      FailureOr<Value> value =
          getRows(op, operands[operand], Element{owners[number], {}});
      if (failed(value))
        return failure();
      sides[number] = value->getType() == rows
                          ? *value
                          : broadcastTo(op->getLoc(), *value, rows);
    }
    result = {Row::Kind::Pair, sides[0], Element{owners[0], {}}, sides[1]};
  } else {
    result = operands[scalar->x];
    if (result.kind != Row::Kind::Pair)
      return refuse(op, whatPairsDo);
  }
  result.isExcess |= scalar->kind == PairScalar::Kind::Excess;
  return result;
}

FailureOr<Value> RowBuilder::sumPairs(AccumulateOp op, const Row &row,
                                      BlockArgument visited) {
  Location loc = op.getLoc();
  auto loop = cast<LoopOp>(visited.getOwner()->getParentOp());
  auto outer = cast<LoopOp>(loop->getParentOp());
  Path path = getOrigin(loop);
  bool isOfInner = op.getElement() == visited;
  if (op.getKind() != Reduction::Sum ||
      (!isOfInner && op.getElement() != outer.getElement()))
    return refuse(op, "expected a sum of one of the two edges in a loop over "
                      "pairs of edges");
  BlockArgument target = isOfInner ? visited : outer.getElement();
  if (row.kind != Row::Kind::Pair) {
    // What one edge has: as often as there are others, or added up.
    if (row.kind != Row::Kind::Shared && getVisited(row) != target &&
        getVisited(row)) {
      FailureOr<Value> rows = getRows(op, row, Element{getVisited(row), {}});
      if (failed(rows))
        return failure();
      return gather(loc, reduce(loc, Reduction::Sum, path, *rows), path,
                    Domain::Edge);
    }
    FailureOr<Value> rows = getRows(op, row, Element{target, {}});
    if (failed(rows))
      return failure();
    return gatherDegree(loc, path, *rows);
  }
  if (!row.isExcess)
    return refuse(op, whatPairsDo);
  Value x = row.value, y = row.less;
  if (row.element.visited != target) { // max(x[f] - y[e], 0), of e
    std::swap(x, y);
    x = negate(builder, loc, x);
    y = negate(builder, loc, y);
  }
  return GroupExcessOp::create(builder, loc, x, y, graph, path).getResult();
}
