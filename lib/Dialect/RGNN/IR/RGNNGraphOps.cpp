//===- RGNNGraphOps.cpp - schemas, graphs, and rows entering and leaving --===//

#include "GraphRows.h"

using namespace mlir;
using namespace mlir::rgnn;

LogicalResult rgnn::verifySchema(Operation *op, Type rows, Value graph,
                                 bool ofWhole) {
  auto type = cast<rgnn::GraphType>(graph.getType());
  if (ofWhole)
    type = type.getPart(Part::Whole);
  RowsAttr encoding = getRows(rows);
  if (!encoding || !type.has(encoding))
    return op->emitOpError() << "expected rows of " << type << ", got " << rows;
  std::optional<int64_t> types =
      getNumTypes(op, type.getSchema(), Domain::NType);
  if (types && encoding.getType() >= *types)
    return op->emitOpError() << "expected rows of one of " << *types
                             << " node types, got " << rows;
  return success();
}

LogicalResult SchemaOp::verify() {
  auto check = [&](StringRef name,
                   std::optional<ArrayRef<int64_t>> ends) -> LogicalResult {
    if (!ends)
      return success();
    // C1
    if (getEdgeTypes() && ends->size() != *getEdgeTypes())
      return emitOpError() << "expected " << *getEdgeTypes() << " " << name
                           << ", got " << ends->size();
    // C2
    for (int64_t type : *ends)
      if (type < 0 ||
          (getNodeTypes() && type >= static_cast<int64_t>(*getNodeTypes())))
        return emitOpError() << "expected " << name
                             << " to be node types of the schema, got " << type;
    return success();
  };
  for (auto [name, count] : {std::pair("node_types", getNodeTypes()),
                             std::pair("edge_types", getEdgeTypes())})
    if (count && static_cast<int64_t>(*count) < 0)
      return emitOpError() << "expected " << name << " of at least 0, got "
                           << static_cast<int64_t>(*count);
  if (getSrcTypes() && getDstTypes() &&
      getSrcTypes()->size() != getDstTypes()->size())
    return emitOpError() << "expected as many src_types as dst_types, got "
                         << getSrcTypes()->size() << " and "
                         << getDstTypes()->size();
  if (failed(check("src_types", getSrcTypes())))
    return failure();
  return check("dst_types", getDstTypes());
}

/// A bipartite graph has two sets of nodes, which its schema takes for types.
static LogicalResult verifyNodeSets(Operation *op, rgnn::GraphType graph,
                                    size_t numCounts) {
  if (!graph.isBipartite())
    return success();
  auto schema =
      SymbolTable::lookupNearestSymbolFrom<SchemaOp>(op, graph.getSchema());
  if (schema && (schema.getNodeTypes() != 2 || schema.getSrcTypes() ||
                 schema.getDstTypes()))
    return op->emitOpError()
           << "expected " << graph.getSchema()
           << " to have two node types and to say nothing of the ends of edge "
              "types, as a bipartite graph needs it";
  if (numCounts != 2)
    return op->emitOpError() << "expected the numbers of sources and of "
                                "destinations of a bipartite graph, got "
                             << numCounts << " numbers of nodes";
  return success();
}

LogicalResult COOGraphOp::verify() {
  FlatSymbolRefAttr schema = getGraph().getType().getSchema();
  std::optional<int64_t> edgeTypes = getNumTypes(*this, schema, Domain::EType);
  std::optional<int64_t> nodeTypes = getNumTypes(*this, schema, Domain::NType);
  // C1
  if (getEdges().empty())
    return emitOpError("expected at least one list of edges, got none");
  if (isOfEnds() && getEdges().size() > 2)
    return emitOpError() << "expected at most two lists of ends, got "
                         << getEdges().size();
  for (Value edges : getEdges()) {
    auto type = cast<RankedTensorType>(edges.getType());
    if (isOfEnds() ? type.getRank() != 1
                   : type.getRank() != 2 || type.getDimSize(0) != 2)
      return emitOpError() << "expected " << (isOfEnds() ? "ends" : "edges")
                           << " of shape " << (isOfEnds() ? "?" : "2x?")
                           << ", got " << type;
  }
  if (hasListPerType() && edgeTypes &&
      *edgeTypes != static_cast<int64_t>(getEdges().size()))
    return emitOpError() << "expected one list of edges or " << *edgeTypes
                         << ", one for each edge type of the schema, got "
                         << getEdges().size();
  // C2
  if (getNodes().empty() ||
      (getNodes().size() > 1 && nodeTypes &&
       *nodeTypes != static_cast<int64_t>(getNodes().size())))
    return emitOpError() << "expected one number of nodes, or one for each "
                            "node type of the schema, got "
                         << getNodes().size();
  // C3
  if (getTypes() && hasListPerType())
    return emitOpError() << "expected types with a single list of edges, got "
                         << getEdges().size() << " lists";
  if (getTypes() && cast<RankedTensorType>(getTypes().getType()).getRank() != 1)
    return emitOpError() << "expected types of rank 1, got "
                         << getTypes().getType();
  // C4
  if (getGraph().getType().isBipartite() && hasListPerType())
    return emitOpError() << "expected one list of edges of a bipartite graph, "
                            "got "
                         << getEdges().size();
  return verifyNodeSets(*this, getGraph().getType(), getNodes().size());
}

LogicalResult ConstantGraphOp::verify() {
  // C1
  if (getSrc().size() != getDst().size())
    return emitOpError() << "expected as many src as dst, got "
                         << getSrc().size() << " and " << getDst().size();
  if (getTypes() && getTypes()->size() != getSrc().size())
    return emitOpError() << "expected one type an edge, got "
                         << getTypes()->size() << " for " << getSrc().size()
                         << " edges";
  // C2
  std::optional<int64_t> nodeTypes =
      getNumTypes(*this, getGraph().getType().getSchema(), Domain::NType);
  if (nodeTypes && *nodeTypes != static_cast<int64_t>(getNodes().size()))
    return emitOpError() << "expected numbers of nodes for " << *nodeTypes
                         << " node types, got " << getNodes().size();
  int64_t nodes = 0;
  for (int64_t count : getNodes())
    if (count < 0 || llvm::AddOverflow(nodes, count, nodes))
      return emitOpError() << "expected numbers of nodes, got " << count;
  // C3
  bool isBipartite = getGraph().getType().isBipartite();
  if (failed(verifyNodeSets(*this, getGraph().getType(), getNodes().size())))
    return failure();
  for (auto [ends, type] :
       {std::pair(getSrc(), kSrcNodes), std::pair(getDst(), kDstNodes)}) {
    int64_t count = isBipartite ? getNodes()[type] : nodes;
    for (int64_t node : ends)
      if (node < 0 || node >= count)
        return emitOpError()
               << "expected nodes in [0, " << count << "), got " << node;
  }
  std::optional<int64_t> edgeTypes =
      getNumTypes(*this, getGraph().getType().getSchema(), Domain::EType);
  for (int64_t type : getTypes().value_or(ArrayRef<int64_t>()))
    if (type < 0 || (edgeTypes && type >= *edgeTypes))
      return emitOpError() << "expected edge types of the schema, got " << type;
  return success();
}

LogicalResult SplitGraphOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location>,
                                             SplitGraphOpAdaptor op,
                                             SmallVectorImpl<Type> &types) {
  auto graph = cast<rgnn::GraphType>(op.getGraph().getType());
  for (Part part : {Part::Src, Part::Dst})
    types.push_back(graph.getPart(part));
  return success();
}

LogicalResult SplitGraphOp::verify() {
  // C1
  if (getGraph().getType().getPart() != Part::Whole)
    return emitOpError() << "expected a whole graph, got "
                         << getGraph().getType();
  return success();
}

/// The type that `type` has without its encoding.
static RankedTensorType getPlainType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

LogicalResult PlaceOp::verify() {
  auto plain = cast<RankedTensorType>(getTensor().getType());
  // C1
  if (plain.getEncoding() || plain != getPlainType(getResult().getType()))
    return emitOpError() << "expected types that differ in the rows alone, got "
                         << plain << " and " << getResult().getType();
  // C2
  return verifySchema(*this, getResult().getType(), getGraph());
}

LogicalResult UnplaceOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          UnplaceOpAdaptor op,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(getPlainType(op.getRows().getType()));
  return success();
}
