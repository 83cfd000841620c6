//===- Graphs.cpp - how graphs are made of inputs -------------------------===//

#include "Manifest.h"

#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "SizeDescriber.h"

using namespace mlir;
using namespace mlir::hetkernel;
using rgnn::COOGraphOp;
using rgnn::SchemaOp;
using rgnn::SplitGraphOp;
namespace json = llvm::json;

FailureOr<SmallVector<Value>> hetkernel::findGraphs(func::FuncOp function) {
  SmallVector<Value> graphs;
  for (BlockArgument argument : function.getArguments())
    if (isa<rgnn::GraphType>(argument.getType()))
      graphs.push_back(argument);
    else if (!isa<RankedTensorType>(argument.getType()))
      return function.emitOpError()
             << "expected tensors and graphs as arguments, got "
             << argument.getType();
  for (Operation &op : function.getBody().front())
    if (auto graph = dyn_cast<COOGraphOp>(op))
      graphs.push_back(graph.getGraph());
    else if (!isa<SplitGraphOp>(op) &&
             llvm::any_of(op.getResultTypes(), llvm::IsaPred<rgnn::GraphType>))
      return op.emitOpError("expected graphs that are arguments, or made of "
                            "the function's arguments by rgnn.coo_graph");
  return graphs;
}

static json::Array toJSON(std::optional<ArrayRef<int64_t>> values) {
  return json::Array(values.value_or(ArrayRef<int64_t>()));
}

/// Which inputs a graph is made of.
static LogicalResult describeMade(COOGraphOp graph, ArrayRef<Value> graphs,
                                  json::Object &object) {
  json::Array edges, nodes;
  for (Value edge : graph.getEdges()) {
    std::optional<unsigned> input = getInputIndex(edge);
    if (!input)
      return graph.emitOpError("expected edges that are arguments of the "
                               "function");
    edges.push_back(*input);
  }
  SizeDescriber sizes(graphs);
  for (Value node : graph.getNodes()) {
    std::optional<json::Value> size = sizes.describe(node);
    if (!size)
      return graph.emitOpError("expected numbers of nodes that are sizes of "
                               "arguments, constants, or sums of these");
    nodes.push_back(std::move(*size));
  }
  object["edge_index"] = std::move(edges);
  object["num_nodes"] = std::move(nodes);
  if (graph.getTypes()) {
    std::optional<unsigned> input = getInputIndex(graph.getTypes());
    if (!input)
      return graph.emitOpError("expected types that are an argument of the "
                               "function");
    object["edge_type"] = *input;
  }
  return success();
}

/// Whether some kernel needs to know the types of nodes.
static bool usesNodeTypes(Value graph) {
  return llvm::any_of(graph.getUsers(), [](Operation *user) {
    if (auto size = dyn_cast<SizeOp>(user))
      return size.getKind() == SizeKind::NodeOfType ||
             size.getKind() == SizeKind::NodeTypeCount;
    auto view = dyn_cast<ViewOp>(user);
    return view && getGroup(view.getKind()) == ViewGroup::NodeTypes;
  });
}

FailureOr<json::Array> hetkernel::describeGraphs(func::FuncOp function,
                                                 ArrayRef<Value> graphs) {
  json::Array list;
  for (Value graph : graphs) {
    auto schema = cast<rgnn::GraphType>(graph.getType()).getSchema();
    auto op = SymbolTable::lookupNearestSymbolFrom<SchemaOp>(function, schema);
    auto made = graph.getDefiningOp<COOGraphOp>();
    Operation *user = made ? made.getOperation() : function.getOperation();
    if (!op)
      return user->emitOpError() << "expected a schema " << schema;
    if (!made && !op.getNodeTypes() && usesNodeTypes(graph))
      return user->emitOpError()
             << "expected a number of node types in schema " << schema;
    if (!op.getEdgeTypes() && (!made || made.getTypes()))
      return user->emitOpError()
             << "expected a number of edge types in schema " << schema;
    int64_t edgeTypes = op.getEdgeTypes().value_or(0);
    if (!op.getEdgeTypes())
      edgeTypes = made.hasListPerType() ? made.getEdges().size() : 1;
    json::Object object{{"edge_index", json::Array()},
                        {"edge_type", -1},
                        {"num_edge_types", edgeTypes},
                        {"src_type", toJSON(op.getSrcTypes())},
                        {"dst_type", toJSON(op.getDstTypes())}};
    if (cast<rgnn::GraphType>(graph.getType()).isBipartite())
      object["bipartite"] = true;
    // A graph that the caller made has any numbers of nodes.
    object["num_nodes"] =
        json::Array(SmallVector<int64_t>(op.getNodeTypes().value_or(1), -1));
    if (auto argument = dyn_cast<BlockArgument>(graph))
      if (auto nodes = function.getArgAttrOfType<IntegerAttr>(
              argument.getArgNumber(), rgnn::kTotalNodesAttr))
        object["total_nodes"] = nodes.getInt();
    if (made && failed(describeMade(made, graphs, object)))
      return failure();
    list.push_back(std::move(object));
  }
  return list;
}
