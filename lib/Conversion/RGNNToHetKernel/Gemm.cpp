//===- Gemm.cpp - products of rows with weights ---------------------------===//

#include "Converter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

namespace {
/// What a GEMM over rows of edges reads: a stored tensor, and the list that
/// says which of its rows.
struct EdgeOperand {
  Value tensor;
  Value list;
};
} // namespace

/// Finds rows of edges: those of end nodes through a gather, or of the edges
/// themselves. `byType` if the GEMM runs in the order of edge types instead of
/// positions.
static FailureOr<EdgeOperand> getEdgeOperand(Converter &converter,
                                             Operation *op, Value x,
                                             Value graph, bool byType) {
  Location loc = op->getLoc();
  if (auto gather = x.getDefiningOp<GatherOp>()) {
    bool src = gather.getPath() == Path::Src;
    if ((!src && gather.getPath() != Path::Dst) ||
        isLoad(gather.getRows().getDefiningOp()))
      return op->emitOpError()
             << "cannot be lowered: no GEMM gathers along path "
             << stringifyPath(gather.getPath());
    ViewKind kind = src      ? byType ? ViewKind::ETypeSrc : ViewKind::SrcOfEdge
                    : byType ? ViewKind::ETypeDst
                             : ViewKind::DstOfEdge;
    return EdgeOperand{converter.getTensor(gather.getRows()),
                       converter.getView(loc, graph, kind)};
  }
  EdgeOperand result{converter.getTensor(x), Value()};
  if (converter.getOrder(x) == EdgeOrder::List)
    result.list = converter.getView(
        loc, graph, byType ? ViewKind::ETypeEdgeId : ViewKind::EdgeId);
  else if (byType)
    result.list = converter.getView(loc, graph, ViewKind::ETypeEdges);
  return result;
}

LogicalResult Converter::convertGemm(Operation *op) {
  Location loc = op->getLoc();
  Value x = op->getOperand(0), weight = getTensor(op->getOperand(1));
  auto typed = dyn_cast<TypedLinearOp>(op);
  auto linear = dyn_cast<LinearOp>(op);
  Type resultType = op->getResult(0).getType();
  RowsAttr rows = getRows(resultType);
  Value graph = plan.get(op).nest.graph;
  bool edges = rows.getDomain() == Domain::Edge;
  if (linear && getRowShape(resultType).size() != 1)
    return op->emitOpError() << "cannot be lowered: rows of one dimension "
                                "expected, got "
                             << x.getType();
  if (!edges && isLoad(x.getDefiningOp()))
    return op->emitOpError("cannot be lowered: no GEMM gathers rows of nodes");

  EdgeOperand operand{getTensor(x), Value()};
  Value tiles, scatter;
  if (edges) {
    FailureOr<EdgeOperand> found =
        getEdgeOperand(*this, op, x, graph, typed != nullptr);
    if (failed(found))
      return failure();
    operand = *found;
  }
  if (typed && edges) {
    tiles = getView(loc, graph, ViewKind::ETypeTiles, tileRows);
    scatter = getView(loc, graph, ViewKind::ETypeEdges);
  } else if (typed) {
    if (rows.getDomain() != Domain::Node)
      return op->emitOpError()
             << "cannot be lowered: no GEMM runs over rows of "
             << stringifyDomain(rows.getDomain());
    tiles = getView(loc, graph, ViewKind::NTypeTiles, tileRows);
  }
  Value out = createEmpty(loc, resultType, graph);
  auto gemm = GemmOp::create(builder, loc, out.getType(), operand.tensor,
                             operand.list, weight, tiles,
                             /*scale=*/Value(), scatter, out, UnitAttr(),
                             UnitAttr(), GemmScheduleAttr());
  gemm.setTransposed(linear && linear.getTransposed());
  setTensor(op->getResult(0), gemm.getResult());
  return success();
}
