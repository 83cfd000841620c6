//===- NodeTypes.cpp - rows of each node type joined and taken apart ------===//

#include "Rules.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// The graph whose node types have these sizes.
static CapturedGraph *findHeteroGraph(TorchCall &call, ArrayRef<Size> counts) {
  for (CapturedGraph &graph : call.lifter.graphs)
    if (graph.nodesOfTypes.size() == counts.size() &&
        graph.op->isBeforeInBlock(call.op) &&
        llvm::all_of(llvm::zip(graph.nodesOfTypes, counts), [&](auto pair) {
          return call.lifter.sizes.equal(std::get<0>(pair), std::get<1>(pair));
        }))
      return &graph;
  (void)call.refuse("no graph has node types of these sizes");
  return nullptr;
}

/// concat_types(xs)
static LogicalResult liftConcatTypes(TorchCall &call) {
  std::optional<SmallVector<Value>> parts = call.values(0);
  RankedTensorType result = call.resultType();
  if (!parts || !result || result.getRank() == 0)
    return call.refuse("its argument is not a list of tensors");
  SmallVector<Size> counts;
  for (Value part : *parts) {
    auto type = dyn_cast<RankedTensorType>(part.getType());
    if (!type || type.getRank() != result.getRank() ||
        type.getElementType() != result.getElementType() ||
        !isa<FloatType>(type.getElementType()) ||
        type.getShape().drop_front() != result.getShape().drop_front() ||
        ShapedType::isDynamicShape(type.getShape().drop_front()))
      return call.refuse("its operands have not the rows of the result");
    counts.push_back(call.lifter.sizes.of(part, 0));
  }
  CapturedGraph *graph = findHeteroGraph(call, counts);
  if (!graph)
    return failure();
  SmallVector<Value> rows;
  for (auto [type, part] : llvm::enumerate(*parts)) {
    rows.push_back(call.lifter.get(part, getRowsOf(graph, Domain::Node, type)));
    if (!rows.back())
      return call.refuse("operand " + Twine(type) + " is not on its nodes");
  }
  return call.replace({ConcatTypesOp::create(
      call.builder, call.loc,
      getRowsType(getRowsOf(graph, Domain::Node),
                  result.getShape().drop_front(), result.getElementType()),
      rows, graph->op)});
}

/// The sizes in the list that is argument `i`.
static std::optional<SmallVector<Size>> getSizes(Arguments arguments,
                                                 unsigned i, Sizes &sizes) {
  auto list = dyn_cast_if_present<ArrayAttr>(arguments.get(i));
  if (!list)
    return std::nullopt;
  SmallVector<Size> result;
  for (Attribute element : list) {
    if (auto operand = dyn_cast<OperandAttr>(element))
      result.push_back(sizes.of(arguments.op.getInputs()[operand.getIndex()]));
    else if (auto integer = dyn_cast<IntegerAttr>(element))
      result.push_back(Size::of(integer.getInt()));
    else
      return std::nullopt;
  }
  return result;
}

/// slice_type(x, k, num_nodes)
static LogicalResult liftSliceType(TorchCall &call) {
  std::optional<SmallVector<Size>> counts =
      getSizes(call, 2, call.lifter.sizes);
  std::optional<int64_t> type = call.integer(1);
  if (!counts || !type || *type < 0 ||
      *type >= static_cast<int64_t>(counts->size()))
    return call.refuse("its node type is not one of those it has sizes of");
  CapturedGraph *graph = findHeteroGraph(call, *counts);
  if (!graph)
    return failure();
  Value rows = call.on(0, getRowsOf(graph, Domain::Node));
  if (!rows)
    return failure();
  return call.replace(
      {SliceTypeOp::create(call.builder, call.loc,
                           getRowsType(getRowsOf(graph, Domain::Node, *type),
                                       getRowShape(rows.getType()),
                                       getElementTypeOrSelf(rows.getType())),
                           rows, graph->op)});
}

static void rowsOfParts(Arguments arguments, Sizes &sizes) {
  std::optional<SmallVector<Value>> parts = arguments.values(0);
  RankedTensorType result = arguments.resultType();
  if (!parts || !result || result.getRank() == 0)
    return;
  SmallVector<Size> counts;
  for (Value part : *parts) {
    auto type = dyn_cast<RankedTensorType>(part.getType());
    if (!type || type.getRank() == 0)
      return;
    counts.push_back(sizes.of(part, 0));
  }
  sizes.unify(sizes.of(arguments.op.getResult(0), 0), sizes.sum(counts));
}

static void rowsOfType(Arguments arguments, Sizes &sizes) {
  std::optional<SmallVector<Size>> counts = getSizes(arguments, 2, sizes);
  std::optional<int64_t> type = arguments.integer(1);
  RankedTensorType result = arguments.resultType();
  if (counts && type && *type >= 0 &&
      *type < static_cast<int64_t>(counts->size()) && result &&
      result.getRank() > 0)
    sizes.unify(sizes.of(arguments.op.getResult(0), 0), (*counts)[*type]);
}

void lift::addNodeTypeRules(Rules &rules) {
  rules["rgnn.concat_types"] = {rowsOfParts, liftConcatTypes};
  rules["rgnn.slice_type"] = {rowsOfType, liftSliceType};
  // Its lists are those of a graph; it goes with its last use.
  rules["rgnn.hetero_edges"] = {
      nullptr, [](TorchCall &call) { return call.refuse(""); }};
}
