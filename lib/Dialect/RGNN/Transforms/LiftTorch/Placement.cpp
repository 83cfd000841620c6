//===- Placement.cpp - tensors enter and leave the domains of graphs ------===//

#include "Rules.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

Lifter::Lifter(func::FuncOp func, const Rules &rules) {
  roles.analyze(func, rules, sizes);
  graphs = emitGraphs(func, roles, sizes);
}

void Lifter::setForm(Value captured, Value form) {
  assert(!forms.contains(captured) && "a value is lifted once");
  forms[captured].push_back(form);
}

CapturedGraph *Lifter::getGraph(RowsAttr rows) {
  for (CapturedGraph &graph : graphs)
    if (graph.getSchema() == rows.getGraph())
      return &graph;
  llvm_unreachable("rows are of a graph that the pass made");
}

Size Lifter::getNumRows(RowsAttr rows) {
  CapturedGraph *graph = getGraph(rows);
  if (rows.getDomain() == Domain::Edge)
    return graph->edges->edges;
  assert(rows.getDomain() == Domain::Node && "other domains are not compared");
  if (graph->isBipartite)
    return graph->getNodes(rows.getType() == kDstNodes);
  return rows.getType() >= 0 ? graph->nodesOfTypes[rows.getType()]
                             : graph->srcNodes;
}

std::optional<RowsAttr> Lifter::getRows(Value captured, Operation *before) {
  captured = roles.resolve(captured);
  auto known = forms.find(captured);
  if (known != forms.end())
    if (RowsAttr rows = rgnn::getRows(known->second.front().getType()))
      return rows;
  auto type = cast<RankedTensorType>(captured.getType());
  if (type.getRank() == 0 || !type.isDynamicDim(0))
    return RowsAttr();
  return findRows(sizes.of(captured, 0), before);
}

std::optional<RowsAttr> Lifter::findRows(const Size &size, Operation *before) {
  for (CapturedGraph &graph : graphs) {
    if (!graph.op->isBeforeInBlock(before))
      continue;
    auto rows = [&](Domain domain, int64_t type = -1) {
      return RowsAttr::get(before->getContext(), domain, graph.getSchema(),
                           type);
    };
    if (!graph.isBipartite && sizes.equal(size, graph.srcNodes))
      return rows(Domain::Node);
    if (sizes.equal(size, graph.edges->edges))
      return rows(Domain::Edge);
    for (auto [index, nodes] : llvm::enumerate(graph.nodesOfTypes))
      if (sizes.equal(size, nodes))
        return rows(Domain::Node, index);
    for (int64_t type : {kSrcNodes, kDstNodes})
      if (graph.isBipartite && sizes.equal(size, graph.getNodes(type)))
        return rows(Domain::Node, type);
  }
  return std::nullopt;
}

CapturedGraph *Lifter::findGraph(std::optional<End> end, Value types,
                                 std::optional<Size> nodes, Value prefer,
                                 Operation *before) {
  std::optional<RowsAttr> lives =
      prefer ? getRows(prefer, before) : std::optional<RowsAttr>();
  if (types)
    types = roles.resolve(types);
  CapturedGraph *found = nullptr;
  auto counts = [&](const CapturedGraph &graph, bool ofDst) {
    return sizes.equal(*nodes, graph.getNodes(ofDst));
  };
  for (CapturedGraph &graph : graphs) {
    bool hasNodes =
        !nodes || (end ? counts(graph, end->isDst)
                       : counts(graph, false) || counts(graph, true));
    if ((end && graph.edges != end->edges) || (types && graph.types != types) ||
        !hasNodes || !graph.op->isBeforeInBlock(before))
      continue;
    if (lives && *lives && lives->getGraph() == graph.getSchema())
      return &graph;
    if (!found)
      found = &graph;
  }
  return found;
}

/// `tensor` with the number of rows dynamic, or static as in `type`.
static Value castTo(OpBuilder &builder, RankedTensorType type, Value tensor) {
  if (tensor.getType() == type)
    return tensor;
  return tensor::CastOp::create(builder, tensor.getLoc(), type, tensor);
}

Value Lifter::get(Value captured, RowsAttr rows) {
  captured = roles.resolve(captured);
  auto captType = cast<RankedTensorType>(captured.getType());
  SmallVector<Value, 2> &known = forms[captured];
  if (known.empty())
    known.push_back(captured);
  for (Value form : known)
    if (rgnn::getRows(form.getType()) == rows)
      return form;

  OpBuilder builder(captured.getContext());
  if (!rows) {
    builder.setInsertionPointAfterValue(known.front());
    Value plain = UnplaceOp::create(builder, captured.getLoc(), known.front());
    known.push_back(castTo(builder, captType, plain));
    return known.back();
  }

  if (captType.getRank() == 0 ||
      ShapedType::isDynamicShape(captType.getShape().drop_front()))
    return {};
  bool isPerType = rows.getDomain() == Domain::EType;
  if (!isPerType && !sizes.equal(sizes.of(captured, 0), getNumRows(rows)))
    return {};
  Value plain = get(captured, RowsAttr());
  CapturedGraph *graph = getGraph(rows);
  Operation *op = plain.getDefiningOp();
  bool afterGraph = !op || op->isBeforeInBlock(graph->op);
  builder.setInsertionPointAfter(afterGraph ? graph->lastPlaced : op);
  SmallVector<int64_t> shape(captType.getShape());
  if (!isPerType)
    shape[0] = ShapedType::kDynamic;
  auto plainType = RankedTensorType::get(shape, captType.getElementType());
  plain = castTo(builder, plainType, plain);
  Value placed = PlaceOp::create(
      builder, captured.getLoc(),
      RankedTensorType::get(shape, captType.getElementType(), rows), plain,
      graph->op);
  if (afterGraph)
    graph->lastPlaced = placed.getDefiningOp();
  // The plain form may have been added meanwhile.
  forms[captured].push_back(placed);
  return placed;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value TorchCall::on(unsigned i, RowsAttr rows) {
  Value captured = floats(i);
  if (!captured) {
    (void)refuse("argument " + Twine(i) + " is not a tensor of floats");
    return {};
  }
  Value placed = lifter.get(captured, rows);
  if (!placed)
    (void)refuse("argument " + Twine(i) +
                 " is not known to have a row for each " +
                 stringifyDomain(rows.getDomain()));
  return placed;
}

Value TorchCall::on(Value captured, RowsAttr rows) {
  Value placed = lifter.get(captured, rows);
  if (!placed)
    (void)refuse("an operand is not known to have a row for each " +
                 stringifyDomain(rows.getDomain()));
  return placed;
}

Value TorchCall::plain(Value captured) {
  if (!cast<RankedTensorType>(captured.getType()).hasStaticShape()) {
    (void)refuse("a tensor that all rows share has a dynamic size");
    return {};
  }
  return lifter.get(captured, RowsAttr());
}

Value TorchCall::plain(unsigned i) {
  if (Value captured = floats(i))
    return plain(captured);
  (void)refuse("argument " + Twine(i) + " is not a tensor of floats");
  return {};
}

Value TorchCall::rowsOrPlain(unsigned i) {
  Value captured = floats(i);
  if (!captured) {
    (void)refuse("argument " + Twine(i) + " is not a tensor of floats");
    return {};
  }
  std::optional<RowsAttr> rows = lifter.getRows(captured, op);
  if (!rows) {
    (void)refuse("the rows of argument " + Twine(i) +
                 " are neither nodes nor edges of a graph");
    return {};
  }
  return *rows ? on(i, *rows) : plain(i);
}

LogicalResult TorchCall::check(Value captured, Value result) {
  auto expected = dyn_cast<RankedTensorType>(captured.getType());
  auto got = cast<RankedTensorType>(result.getType());
  RowsAttr rows = rgnn::getRows(got);
  bool agrees =
      expected && expected.getElementType() == got.getElementType() &&
      (rows ? expected.getRank() == got.getRank() &&
                  expected.getShape().drop_front() == getRowShape(got) &&
                  lifter.sizes.equal(lifter.sizes.of(captured, 0),
                                     lifter.getNumRows(rows))
            : expected == got);
  if (agrees)
    return success();
  std::string why;
  llvm::raw_string_ostream(why)
      << "its result was captured as " << captured.getType()
      << ", the rule gives " << got;
  return refuse(why);
}

LogicalResult TorchCall::replace(ArrayRef<Value> results) {
  if (results.size() != op.getNumResults())
    return refuse("it has " + Twine(op.getNumResults()) + " results");
  for (auto [captured, result] : llvm::zip(op.getResults(), results))
    if (failed(check(captured, result)))
      return failure();
  for (auto [captured, result] : llvm::zip(op.getResults(), results))
    lifter.setForm(captured, result);
  return success();
}

LogicalResult TorchCall::replaceFirst(Value result) {
  for (Value other : op.getResults().drop_front())
    if (!other.use_empty())
      return refuse("another result than the first has a use");
  if (failed(check(op.getResult(0), result)))
    return failure();
  lifter.setForm(op.getResult(0), result);
  return success();
}
