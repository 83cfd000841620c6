//===- RandomArguments.cpp - made-up arguments of a function --------------===//

#include "Generator.h"
#include "RGNN/Reference/Interpreter.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

namespace {
/// Makes the arguments of one function, and remembers the graph of each schema.
class ArgumentMaker {
public:
  ArgumentMaker(func::FuncOp function, uint64_t seed)
      : function(function), seed(seed) {}

  FailureOr<Datum> make(BlockArgument argument);

private:
  using GraphPtr = std::shared_ptr<const reference::Graph>;

  FailureOr<GraphPtr> getGraph(FlatSymbolRefAttr schema);
  FailureOr<int64_t> getNumRows(RowsAttr rows);
  FailureOr<int64_t> getNumNodes();
  FailureOr<Tensor> makeListOf(COOGraphOp op, OpOperand &use);

  func::FuncOp function;
  uint64_t seed;
  DenseMap<Attribute, GraphPtr> graphs;
};
} // namespace

/// A constant graph of the schema in the function, or else a random one.
FailureOr<ArgumentMaker::GraphPtr>
ArgumentMaker::getGraph(FlatSymbolRefAttr schema) {
  GraphPtr &graph = graphs[schema];
  if (graph)
    return graph;
  ConstantGraphOp constant;
  function.walk([&](ConstantGraphOp op) {
    if (!constant && op.getGraph().getType().getSchema() == schema)
      constant = op;
  });
  bool isArgument = llvm::is_contained(
      function.getArgumentTypes(),
      Type(rgnn::GraphType::get(function.getContext(), schema)));
  FailureOr<reference::Graph> made =
      constant && !isArgument ? makeGraph(constant)
                              : makeRandomGraph(function, schema, seed);
  if (failed(made))
    return failure();
  graph = std::make_shared<const reference::Graph>(std::move(*made));
  return graph;
}

FailureOr<int64_t> ArgumentMaker::getNumRows(RowsAttr rows) {
  FailureOr<GraphPtr> graph = getGraph(rows.getGraph());
  if (failed(graph))
    return failure();
  if (rows.getPart() != Part::Whole)
    return *(*graph)->getPart(rows.getPart()).getNumRows(rows.getDomain());
  if (rows.getType() < 0)
    return *(*graph)->getNumRows(rows.getDomain());
  auto range = (*graph)->getNodeRange(rows.getType());
  return range ? range->second - range->first : 0;
}

FailureOr<int64_t> ArgumentMaker::getNumNodes() {
  FlatSymbolRefAttr schema;
  auto find = [&](Type type) {
    if (schema)
      return;
    if (auto graph = dyn_cast<rgnn::GraphType>(type))
      schema = graph.getSchema();
    else if (RowsAttr rows = getRows(type))
      schema = rows.getGraph();
  };
  llvm::for_each(function.getArgumentTypes(), find);
  function.walk(
      [&](Operation *op) { llvm::for_each(op->getResultTypes(), find); });
  if (!schema)
    return 5;
  return getNumRows(RowsAttr::get(function.getContext(), Domain::Node, schema));
}

/// What `op` reads through `use` to make the graph of its schema.
FailureOr<Tensor> ArgumentMaker::makeListOf(COOGraphOp op, OpOperand &use) {
  FailureOr<GraphPtr> made = getGraph(op.getGraph().getType().getSchema());
  if (failed(made))
    return failure();
  const reference::Graph &graph = **made;
  unsigned operand = use.getOperandNumber(), lists = op.getEdges().size();
  ArrayRef<int64_t> types = graph.getEType();
  if (op.getTypes() && operand == lists)
    return Tensor{{static_cast<int64_t>(types.size())},
                  std::vector<double>(types.begin(), types.end())};
  const auto &nodes = *graph.getNodesOfType();
  if (operand >= lists) {
    unsigned type = operand - lists - (op.getTypes() ? 1 : 0);
    return Tensor::scalar(op.getNodes().size() == 1 ? graph.getNumNodes()
                          : type < nodes.size()     ? nodes[type]
                                                    : 0);
  }
  if (op.isOfEnds()) {
    ArrayRef<int64_t> ends =
        operand + 1 < lists ? graph.getSrc() : graph.getDst();
    return Tensor{{static_cast<int64_t>(ends.size())},
                  std::vector<double>(ends.begin(), ends.end())};
  }
  bool perType = graph.getNodeSets() == NodeSets::One &&
                 (lists > 1 || (!op.getTypes() && op.getNodes().size() > 1));
  bool local = perType && op.getNodes().size() > 1;
  auto number = [&](int64_t node) -> double {
    for (int64_t count : nodes) {
      if (!local || node < count)
        break;
      node -= count;
    }
    return node;
  };
  Tensor list{{2, 0}, {}};
  for (ArrayRef<int64_t> ends : {graph.getSrc(), graph.getDst()})
    for (auto [node, type] : llvm::zip(ends, types))
      if (!perType || type == operand)
        list.values.push_back(number(node));
  list.shape[1] = list.values.size() / 2;
  return list;
}

FailureOr<Datum> ArgumentMaker::make(BlockArgument argument) {
  Type type = argument.getType();
  if (auto graphType = dyn_cast<rgnn::GraphType>(type)) {
    if (graphType.getPart() != Part::Whole)
      return function.emitError() << "rgnn interpreter: expected whole graphs "
                                     "as arguments, got "
                                  << type;
    FailureOr<GraphPtr> graph = getGraph(graphType.getSchema());
    if (failed(graph))
      return failure();
    return Datum(*graph);
  }
  RowsAttr rows = getRows(type);
  for (OpOperand &use : argument.getUses()) {
    if (auto op = dyn_cast<COOGraphOp>(use.getOwner())) {
      FailureOr<Tensor> list = makeListOf(op, use);
      if (failed(list))
        return failure();
      return Datum(std::move(*list));
    }
    if (auto op = dyn_cast<PlaceOp>(use.getOwner()); op && !rows)
      rows = getRows(op.getResult().getType());
  }
  if (type.isIndex() || (isa<IntegerType>(type) && !type.isInteger(1))) {
    FailureOr<int64_t> count = getNumNodes();
    if (failed(count))
      return failure();
    return Datum(Tensor::scalar(*count));
  }
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType && !isa<FloatType>(type))
    return function.emitError() << "rgnn interpreter: cannot make up an "
                                   "argument of type "
                                << type;
  SmallVector<int64_t> shape;
  if (tensorType)
    llvm::append_range(shape, tensorType.getShape());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    FailureOr<int64_t> count =
        rows && dim == 0 ? getNumRows(rows) : getNumNodes();
    if (failed(count))
      return failure();
    size = *count;
  }
  FailureOr<Tensor> tensor = makeZeros(function, shape);
  if (failed(tensor))
    return failure();
  Generator random(seed * 1000003 + argument.getArgNumber());
  if (isa<FloatType>(getElementTypeOrSelf(type)))
    for (double &value : tensor->values)
      value = roundTo(random.real(), getElementTypeOrSelf(type));
  return Datum(std::move(*tensor));
}

FailureOr<SmallVector<Datum>> reference::makeArguments(func::FuncOp function,
                                                       uint64_t seed) {
  SmallVector<Datum> arguments;
  if (function.isDeclaration())
    return arguments;
  ArgumentMaker maker(function, seed);
  for (BlockArgument argument : function.getArguments()) {
    FailureOr<Datum> made = maker.make(argument);
    if (failed(made))
      return failure();
    arguments.push_back(std::move(*made));
  }
  return arguments;
}
