//===- Graphs.cpp - evaluation of the ops that make and meet graphs -------===//

#include "Frame.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

/// Number of rows of domain etype: what the schema says, or one more than the
/// highest type.
static int64_t countEdgeTypes(Operation *op, FlatSymbolRefAttr schema,
                              ArrayRef<int64_t> types) {
  if (std::optional<int64_t> count = getNumTypes(op, schema, Domain::EType))
    return *count;
  int64_t count = 1;
  for (int64_t type : types)
    count = std::max(count, type + 1);
  return count;
}

static auto emitGraphError(Operation *op) {
  return [op] { return op->emitError() << "rgnn interpreter: "; };
}

FailureOr<reference::Graph> reference::makeGraph(ConstantGraphOp op) {
  std::vector<int64_t> src(op.getSrc()), dst(op.getDst());
  std::vector<int64_t> types(src.size()), nodes(op.getNodes());
  if (op.getTypes())
    types.assign(op.getTypes()->begin(), op.getTypes()->end());
  int64_t numNodes = 0;
  for (int64_t count : nodes)
    if (llvm::AddOverflow(numNodes, count, numNodes))
      return op->emitError("rgnn interpreter: expected fewer nodes");
  int64_t edgeTypes =
      countEdgeTypes(op, op.getGraph().getType().getSchema(), types);
  return Graph::make(emitGraphError(op), std::move(src), std::move(dst),
                     std::move(types), numNodes, edgeTypes, std::move(nodes),
                     op.getGraph().getType().getNodeSets());
}

/// Given a list for each edge type, node numbers count within the node type of
/// their end; gives what to add to them.
static FailureOr<int64_t> getFirstNode(COOGraphOp op, size_t edgeType,
                                       std::optional<ArrayRef<int64_t>> ends,
                                       ArrayRef<int64_t> nodes) {
  if (nodes.size() == 1)
    return 0;
  if (!ends || edgeType >= ends->size())
    return op->emitError("rgnn interpreter: expected a schema that says the "
                         "node types of each edge type, got none");
  int64_t nodeType = (*ends)[edgeType], first = 0;
  if (nodeType < 0 || nodeType >= static_cast<int64_t>(nodes.size()))
    return op->emitError() << "rgnn interpreter: expected a node type below "
                           << nodes.size() << ", got " << nodeType;
  for (int64_t type = 0; type < nodeType; ++type)
    first += nodes[type];
  return first;
}

namespace {
struct Ends {
  int64_t src = 0, dst = 0;
};
} // namespace

/// What to add to the numbers of a list of its own type, after a check that
/// they are nodes of it: one may leave its type without leaving the graph.
static FailureOr<Ends> getFirstNodes(COOGraphOp op, size_t type,
                                     SchemaOp schema, ArrayRef<int64_t> nodes,
                                     const Tensor &list) {
  auto srcTypes = schema ? schema.getSrcTypes() : std::nullopt;
  auto dstTypes = schema ? schema.getDstTypes() : std::nullopt;
  FailureOr<int64_t> src = getFirstNode(op, type, srcTypes, nodes);
  FailureOr<int64_t> dst = getFirstNode(op, type, dstTypes, nodes);
  if (failed(src) || failed(dst))
    return failure();
  auto checkEnds = [&](auto ends, ArrayRef<double> numbers) {
    if (nodes.size() == 1)
      return success();
    int64_t count = nodes[(*ends)[type]];
    for (double node : numbers)
      if (node < 0 || node >= count)
        return LogicalResult(op->emitError()
                             << "rgnn interpreter: expected nodes in [0, "
                             << count << ") in list " << type << ", got "
                             << static_cast<int64_t>(node));
    return success();
  };
  if (failed(checkEnds(srcTypes, list.getRow(0))) ||
      failed(checkEnds(dstTypes, list.getRow(1))))
    return failure();
  return Ends{*src, *dst};
}

namespace mlir::rgnn::reference {

static FailureOr<Graph> evaluateOp(COOGraphOp op, Frame &frame) {
  SmallVector<Tensor> edges = frame.tensors(op.getEdges());
  const Tensor *types = frame.tensorOrNull(op.getTypes());
  SmallVector<Tensor> nodes = frame.tensors(op.getNodes());
  FlatSymbolRefAttr schemaName = op.getGraph().getType().getSchema();
  auto schema = SymbolTable::lookupNearestSymbolFrom<SchemaOp>(op, schemaName);
  std::vector<int64_t> nodesOfType;
  int64_t numNodes = 0;
  for (const Tensor &count : nodes) {
    nodesOfType.push_back(static_cast<int64_t>(count.values[0]));
    numNodes += nodesOfType.back();
  }

  // One list holds all types where `types` or the numbering of nodes says so.
  NodeSets nodeSets = op.getGraph().getType().getNodeSets();
  bool perType = nodeSets == NodeSets::One && !op.isOfEnds() &&
                 (edges.size() > 1 || (!types && nodes.size() > 1));
  std::vector<int64_t> src, dst, etype;
  auto append = [](ArrayRef<double> numbers, int64_t first,
                   std::vector<int64_t> &ends) {
    for (double node : numbers)
      ends.push_back(static_cast<int64_t>(node) + first);
  };
  if (op.isOfEnds()) {
    append(edges.front().values, 0, src);
    append(edges.back().values, 0, dst);
    etype.resize(src.size());
  } else {
    for (size_t type = 0; type < edges.size(); ++type) {
      const Tensor &list = edges[type];
      if (list.getRank() != 2 || list.shape[0] != 2)
        return op->emitError() << "rgnn interpreter: expected edges of shape "
                                  "2x?, got "
                               << formatShape(list.shape);
      FailureOr<Ends> first = Ends();
      if (perType)
        first = getFirstNodes(op, type, schema, nodesOfType, list);
      if (failed(first))
        return failure();
      append(list.getRow(0), first->src, src);
      append(list.getRow(1), first->dst, dst);
      etype.resize(src.size(), type);
    }
  }
  if (types) {
    etype.clear();
    for (double type : types->values)
      etype.push_back(static_cast<int64_t>(type));
  }

  // One number of nodes for several types does not say which node has which.
  std::optional<int64_t> nodeTypes = getNumTypes(op, schemaName, Domain::NType);
  std::optional<std::vector<int64_t>> known = std::move(nodesOfType);
  if (nodes.size() == 1 && nodeTypes.value_or(1) != 1)
    known.reset();
  int64_t edgeTypes = countEdgeTypes(op, schemaName, etype);
  return Graph::make(emitGraphError(op), std::move(src), std::move(dst),
                     std::move(etype), numNodes, edgeTypes, std::move(known),
                     nodeSets);
}

static FailureOr<Tensor> evaluateOp(PlaceOp op, Frame &frame) {
  const Tensor &tensor = frame.tensor(op.getTensor());
  const Graph &graph = frame.graph(op.getGraph());
  RowsAttr rows = getRows(op.getResult().getType());
  std::optional<int64_t> expected = graph.getNumRows(rows);
  if (!expected)
    return op->emitError() << "rgnn interpreter: expected a graph with rows on "
                           << rows << ", got unknown node types";
  if (tensor.shape.empty() || tensor.shape[0] != *expected)
    return op->emitError() << "rgnn interpreter: expected " << *expected
                           << " rows on " << stringifyDomain(rows.getDomain())
                           << ", got " << formatShape(tensor.shape);
  return tensor;
}

static FailureOr<Graph> evaluateOp(ConstantGraphOp op, Frame &) {
  return makeGraph(op);
}

static LogicalResult evaluateOp(SplitGraphOp op, Frame &frame) {
  const Graph &whole = frame.graph(op.getGraph());
  frame.set(op.getSrc(), whole.getPart(Part::Src));
  frame.set(op.getDst(), whole.getPart(Part::Dst));
  return success();
}

static FailureOr<Tensor> evaluateOp(UnplaceOp op, Frame &frame) {
  return frame.tensor(op.getRows());
}

void attachGraphEvaluations(MLIRContext *context) {
  attach<ConstantGraphOp, COOGraphOp, SplitGraphOp, PlaceOp, UnplaceOp>(
      context);
}

} // namespace mlir::rgnn::reference
