//===- Converter.cpp - tensors of rows, views and sizes -------------------===//

#include "Converter.h"
#include "RGNN/Dialect/HetKernel/Utils/Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

Value Converter::getView(Location loc, Value graph, ViewKind kind,
                         int64_t param) {
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  if (isTiles(kind))
    shape.push_back(3);
  auto type = RankedTensorType::get(shape, builder.getI32Type());
  return ViewOp::create(builder, loc, type, graph, kind, param);
}

Value Converter::getSize(Location loc, Value graph, Domain domain,
                         int64_t nodeType) {
  // A part has the nodes and types of its whole.
  if (auto split = graph.getDefiningOp<SplitGraphOp>();
      split && !isOfEdges(domain))
    graph = split.getGraph();
  if (nodeType >= 0)
    return SizeOp::create(builder, loc, graph, SizeKind::NodeOfType, nodeType);
  return SizeOp::create(builder, loc, graph, hetkernel::getSizeKind(domain), 0);
}

Value Converter::createEmpty(Location loc, Type type, Value graph) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<Value> sizes;
  if (RowsAttr rows = getRows(type); rows && tensor.isDynamicDim(0))
    sizes.push_back(getSize(loc, graph, rows.getDomain(), rows.getType()));
  return tensor::EmptyOp::create(builder, loc, tensor.getShape(),
                                 tensor.getElementType(), sizes);
}

Value Converter::lookUp(Location loc, Value graph, ViewKind kind, Value index) {
  return hetkernel::LookupOp::create(builder, loc, builder.getIndexType(),
                                     getView(loc, graph, kind), index);
}

/// Copies the rows of `value` to other places, unless they are there.
FailureOr<Value> Converter::reorder(Operation *user, Value value, Place place) {
  Value tensor = getTensor(value);
  if (getPlace(value) == place)
    return tensor;
  RowsAttr rows = getRows(value.getType());
  FailureOr<Value> graph = findGraph(user, rows);
  if (failed(graph))
    return failure();
  Location loc = user->getLoc();
  Value out = createEmpty(loc, value.getType(), *graph);
  auto copy = TraverseOp::create(
      builder, loc, out.getType(), getSize(loc, *graph, rows.getDomain()),
      /*segments=*/Value(), out, hetkernel::TraverseScheduleInterface());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&copy.getBody());
  Value index = body->addArgument(builder.getIndexType(), loc);
  if (place)
    index = lookUp(loc, *graph, *getRowAtCallersPlace(rows.getDomain()), index);
  if (Place from = getPlace(value))
    index = lookUp(loc, *graph, *from, index);
  Type row = getRowValueType(getRowShape(value.getType()),
                             getElementTypeOrSelf(value.getType()));
  Value loaded = RowOp::create(builder, loc, row, tensor, index);
  hetkernel::YieldOp::create(builder, loc, loaded);
  return copy.getResult(0);
}

FailureOr<Value> Converter::getNumbered(Operation *user, Value value) {
  return reorder(user, value, Place());
}

FailureOr<Value> Converter::getForCaller(Operation *user, Value value) {
  RowsAttr rows = getRows(value.getType());
  return rows ? reorder(user, value, getCallersPlace(rows.getDomain()))
              : getTensor(value);
}

/// A tensor of zeros, which threads share the writing of.
Value Converter::createZeros(Location loc, Type type, Value graph) {
  RowsAttr rows = getRows(type);
  Value out = createEmpty(loc, type, graph);
  auto zeros = TraverseOp::create(
      builder, loc, out.getType(),
      getSize(loc, graph, rows.getDomain(), rows.getType()),
      /*segments=*/Value(), out, hetkernel::TraverseScheduleInterface());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&zeros.getBody())
      ->addArgument(builder.getIndexType(), loc);
  Type row = getRowValueType(getRowShape(type), getElementTypeOrSelf(type));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(row));
  hetkernel::YieldOp::create(builder, loc, zero);
  return zeros.getResult(0);
}
