//===- RGNNMovementOps.cpp - rows moving along the lattice of domains -----===//

#include "GraphRows.h"

using namespace mlir;
using namespace mlir::rgnn;

static InFlightDiagnostic emitWrongDomain(Operation *op, Path path,
                                          StringRef expected, Type got) {
  return op->emitOpError() << "expected rows on " << expected << " for path "
                           << stringifyPath(path) << ", got rows on "
                           << stringifyDomain(getRows(got).getDomain());
}

/// `rows` as a tensor on other rows `to`.
static Type moveTo(Type rows, RowsAttr to) {
  auto type = cast<RankedTensorType>(rows);
  if (!getRows(rows))
    return type;
  return getRowsType(to, getRowShape(type), type.getElementType());
}

/// Only a part of a graph has an arrow to the whole, and only nodes of one set
/// have one to their types.
static LogicalResult verifyPath(Operation *op, Path path, Value graph) {
  auto type = cast<rgnn::GraphType>(graph.getType());
  if (path == Path::NType && type.isBipartite())
    return op->emitOpError()
           << "expected a graph of one node set for path ntype, got " << type;
  if (path == Path::Whole && type.getPart() == Part::Whole)
    return op->emitOpError()
           << "expected a part of a graph for path whole, got " << type;
  return success();
}

/// Rows of nodes that a path leads to are those of all nodes; in a bipartite
/// graph, of the side that it leads to.
static LogicalResult verifyNodeType(Operation *op, Path path, Value graph,
                                    Type rows) {
  RowsAttr got = getRows(rows);
  if (got.getDomain() != Domain::Node)
    return success();
  auto type = cast<rgnn::GraphType>(graph.getType());
  RowsAttr expected = path == Path::Src || path == Path::Dst
                          ? type.getRows(path, Domain::Edge)
                          : type.getRows(Domain::Node);
  if (got == expected)
    return success();
  return op->emitOpError() << "expected rows on " << expected << " for path "
                           << stringifyPath(path) << ", got " << rows;
}

//===----------------------------------------------------------------------===//
// Gather, reduce, softmax, degree
//===----------------------------------------------------------------------===//

/// Rows of which each type has a run are summed up as weights' gradients are:
/// split over rows. Edges are not in the order of types.
KernelForm ReduceOp::getKernelForm() {
  bool isByType = getPath() == Path::EType || getPath() == Path::NType;
  bool isLoaded =
      rgnn::getKernelForm(getRows().getDefiningOp()) == KernelForm::Load;
  return getKind() == Reduction::Sum && isByType && !isLoaded &&
                 rgnn::getRows(getRows().getType()).getDomain() != Domain::Edge
             ? KernelForm::Sum
             : KernelForm::Group;
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         GatherOpAdaptor op,
                                         SmallVectorImpl<Type> &types) {
  // Types are inferred before defaults are filled in.
  Domain to = op.getProperties().to ? op.getTo() : Domain::Edge;
  auto graph = cast<rgnn::GraphType>(op.getGraph().getType());
  types.push_back(moveTo(op.getRows().getType(), graph.getRows(to)));
  return success();
}

LogicalResult GatherOp::verify() {
  // C2
  bool isOfWhole = getPath() == Path::Whole;
  if (failed(verifyPath(*this, getPath(), getGraph())) ||
      failed(verifySchema(*this, getRows().getType(), getGraph(), isOfWhole)))
    return failure();
  // C1
  std::optional<Domain> from = follow(getTo(), getPath());
  if (!from)
    return emitOpError() << "expected a path from " << stringifyDomain(getTo())
                         << ", got " << stringifyPath(getPath());
  RowsAttr rows = rgnn::getRows(getRows().getType());
  if (*from != rows.getDomain())
    return emitWrongDomain(*this, getPath(), stringifyDomain(*from),
                           getRows().getType());
  return verifyNodeType(*this, getPath(), getGraph(), getRows().getType());
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         ReduceOpAdaptor op,
                                         SmallVectorImpl<Type> &types) {
  RowsAttr rows = rgnn::getRows(op.getRows().getType());
  std::optional<Domain> to =
      rows ? follow(rows.getDomain(), op.getPath()) : std::nullopt;
  if (!to)
    return emitOptionalError(location, "expected rows that path ",
                             stringifyPath(op.getPath()), " starts at, got ",
                             op.getRows().getType());
  auto graph = cast<rgnn::GraphType>(op.getGraph().getType());
  types.push_back(moveTo(op.getRows().getType(),
                         graph.getRows(op.getPath(), rows.getDomain())));
  return success();
}

LogicalResult ReduceOp::verify() {
  // C2
  if (failed(verifyPath(*this, getPath(), getGraph())) ||
      failed(verifySchema(*this, getRows().getType(), getGraph())))
    return failure();
  // C3
  if (getPath() == Path::Whole && getKind() != Reduction::Sum)
    return emitOpError() << "expected a sum along path whole, got "
                         << stringifyReduction(getKind());
  // C1
  if (RowsAttr rows = rgnn::getRows(getRows().getType()); rows.getType() >= 0)
    return emitOpError() << "expected rows of all nodes, got rows of type "
                         << rows.getType();
  return success();
}

LogicalResult GroupSoftmaxOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               GroupSoftmaxOpAdaptor op,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(op.getRows().getType());
  return success();
}

LogicalResult GroupSoftmaxOp::verify() {
  // C2
  if (failed(verifySchema(*this, getRows().getType(), getGraph())))
    return failure();
  // C1
  if (rgnn::getRows(getRows().getType()).getDomain() != Domain::Edge)
    return emitWrongDomain(*this, getPath(), "edge", getRows().getType());
  if (!follow(Domain::Edge, getPath()) || getPath() == Path::Whole)
    return emitOpError() << "expected a path from edge, got "
                         << stringifyPath(getPath());
  return success();
}

LogicalResult DegreeOp::verify() {
  if (failed(verifySchema(*this, getResult().getType(), getGraph())))
    return failure();
  // C1
  bool isOfEdges = getPath() != Path::NType && getPath() != Path::Whole;
  Domain to = *follow(Domain::Edge, isOfEdges ? getPath() : Path::Src);
  if (!isOfEdges || rgnn::getRows(getResult().getType()).getDomain() != to ||
      !getRowShape(getResult().getType()).empty())
    return emitOpError() << "expected numbers on the domain that "
                         << stringifyPath(getPath())
                         << " leads to from edges, got "
                         << getResult().getType();
  return verifyNodeType(*this, getPath(), getGraph(), getResult().getType());
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

/// Tables have a row for each node of the graph.
static LogicalResult verifyTableNodes(Operation *op, Value graph) {
  auto type = cast<rgnn::GraphType>(graph.getType());
  if (!type.isBipartite())
    return success();
  return op->emitOpError() << "expected a graph of one node set, got " << type;
}

LogicalResult LookupOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         LookupOpAdaptor op,
                                         SmallVectorImpl<Type> &types) {
  auto table = cast<RankedTensorType>(op.getTable().getType());
  if (table.getRank() != 3)
    return emitOptionalError(location, "expected a table of rank 3, got ",
                             table);
  auto graph = cast<rgnn::GraphType>(op.getGraph().getType());
  types.push_back(getRowsType(graph.getRows(Domain::Edge), table.getDimSize(2),
                              table.getElementType()));
  return success();
}

LogicalResult LookupOp::verify() {
  auto table = cast<RankedTensorType>(getTable().getType());
  // C1
  if (table.getEncoding() || !table.hasStaticShape())
    return emitOpError() << "expected a static table without rows, got "
                         << table;
  if (getComp()) {
    auto comp = cast<RankedTensorType>(getComp().getType());
    if (comp.getEncoding() || comp.getRank() != 2 ||
        comp.getDimSize(1) != table.getDimSize(0) ||
        comp.getElementType() != table.getElementType())
      return emitOpError() << "expected comp of shape types x "
                           << table.getDimSize(0) << ", got " << comp;
  }
  auto weights =
      cast<RankedTensorType>((getComp() ? getComp() : getTable()).getType());
  std::optional<int64_t> types = getNumTypes(
      *this, cast<rgnn::GraphType>(getGraph().getType()).getSchema(),
      Domain::EType);
  if (types && weights.getDimSize(0) != *types)
    return emitOpError() << "expected weights of " << *types << " types, got "
                         << weights;
  // C2
  if (getPath() != Path::Src && getPath() != Path::Dst)
    return emitOpError() << "expected path src or dst, got "
                         << stringifyPath(getPath());
  // C4
  return verifyTableNodes(*this, getGraph());
}

LogicalResult LookupSumOp::verify() {
  auto rows = cast<RankedTensorType>(getRows().getType()),
       table = cast<RankedTensorType>(getResult().getType());
  // C5
  if (failed(verifyTableNodes(*this, getGraph())))
    return failure();
  if (failed(verifySchema(*this, rows, getGraph())))
    return failure();
  // C1
  RowsAttr encoding = rgnn::getRows(rows);
  if (encoding.getDomain() != Domain::Edge || rows.getRank() != 2)
    return emitOpError() << "expected rows of one dimension on edges, got "
                         << rows;
  // C2
  if (table.getEncoding() || !table.hasStaticShape() || table.getRank() != 3 ||
      table.getDimSize(2) != rows.getDimSize(1) ||
      table.getElementType() != rows.getElementType())
    return emitOpError() << "expected a table of shape types x nodes x "
                         << rows.getDimSize(1) << " without rows for " << rows
                         << ", got " << table;
  std::optional<int64_t> types =
      getNumTypes(*this, encoding.getGraph(), Domain::EType);
  if (types && table.getDimSize(0) != *types)
    return emitOpError() << "expected a table of " << *types << " types, got "
                         << table;
  // C3
  if (getPath() != Path::Src && getPath() != Path::Dst)
    return emitOpError() << "expected path src or dst, got "
                         << stringifyPath(getPath());
  return success();
}

//===----------------------------------------------------------------------===//
// Node types
//===----------------------------------------------------------------------===//

LogicalResult ConcatTypesOp::verify() {
  Type result = getResult().getType();
  if (failed(verifySchema(*this, result, getGraph())))
    return failure();
  // C1
  std::optional<int64_t> nodeTypes = getNumTypes(
      *this, cast<rgnn::GraphType>(getGraph().getType()).getSchema(),
      Domain::NType);
  if (nodeTypes && *nodeTypes != static_cast<int64_t>(getParts().size()))
    return emitOpError() << "expected one part for each of " << *nodeTypes
                         << " node types, got " << getParts().size();
  for (auto [index, part] : llvm::enumerate(getParts())) {
    if (failed(verifySchema(*this, part.getType(), getGraph())))
      return failure();
    RowsAttr rows = rgnn::getRows(part.getType());
    if (rows.getDomain() != Domain::Node ||
        rows.getType() != static_cast<int64_t>(index))
      return emitOpError() << "expected part " << index << " on nodes of type "
                           << index << ", got " << part.getType();
    // C2
    if (getRowShape(part.getType()) != getRowShape(result) ||
        getElementTypeOrSelf(part.getType()) != getElementTypeOrSelf(result))
      return emitOpError() << "expected rows like those of " << result
                           << ", got " << part.getType();
  }
  RowsAttr rows = rgnn::getRows(result);
  if (rows.getDomain() != Domain::Node || rows.getType() >= 0)
    return emitOpError() << "expected a result on all nodes, got " << result;
  return success();
}

LogicalResult SliceTypeOp::verify() {
  Type rows = getRows().getType(), result = getResult().getType();
  if (failed(verifySchema(*this, rows, getGraph())) ||
      failed(verifySchema(*this, result, getGraph())))
    return failure();
  // C1
  RowsAttr from = rgnn::getRows(rows), to = rgnn::getRows(result);
  if (from.getDomain() != Domain::Node || from.getType() >= 0 ||
      to.getDomain() != Domain::Node || to.getType() < 0)
    return emitOpError()
           << "expected rows of all nodes to become those of one type, got "
           << rows << " and " << result;
  // C2
  if (getRowShape(rows) != getRowShape(result) ||
      getElementTypeOrSelf(rows) != getElementTypeOrSelf(result))
    return emitOpError() << "expected equal rows, got " << rows << " and "
                         << result;
  return success();
}

//===----------------------------------------------------------------------===//
// Typed linear
//===----------------------------------------------------------------------===//

LogicalResult TypedLinearOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> location,
                                              TypedLinearOpAdaptor op,
                                              SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  auto weight = cast<RankedTensorType>(op.getWeight().getType());
  RowsAttr rows = rgnn::getRows(x);
  // C2
  if (!rows || x.getRank() < 2 || weight.getEncoding() ||
      weight.getRank() != x.getRank() + 1 || !weight.hasStaticShape() ||
      weight.getShape().drop_front().drop_back() != getRowShape(x))
    return emitOptionalError(
        location,
        "expected a weight of shape types x rows' shape x N for rows of ", x,
        ", got ", weight);
  SmallVector<int64_t> shape(getRowShape(x));
  shape.back() = weight.getShape().back();
  types.push_back(getRowsType(rows, shape, x.getElementType()));
  return success();
}

/// Rows of all types must lead to types, as many as `weight` has.
static LogicalResult verifyTypedWeight(Operation *op, Value x, Path path,
                                       RankedTensorType weight) {
  // C1
  RowsAttr rows = rgnn::getRows(x.getType());
  std::optional<Domain> to = follow(rows.getDomain(), path);
  if (!to || (*to != Domain::EType && *to != Domain::NType) ||
      rows.getType() >= 0)
    return op->emitOpError() << "expected a path from rows on "
                             << stringifyDomain(rows.getDomain())
                             << " to their types, got " << stringifyPath(path);
  if (weight.getElementType() != getElementTypeOrSelf(x.getType()))
    return op->emitOpError()
           << "expected a weight of " << getElementTypeOrSelf(x.getType())
           << ", got " << weight;
  // C3
  std::optional<int64_t> types = getNumTypes(op, rows.getGraph(), *to);
  if (types && *types != weight.getDimSize(0))
    return op->emitOpError() << "expected weights of " << *types
                             << " types, got " << weight.getDimSize(0);
  return success();
}

LogicalResult TypedLinearOp::verify() {
  if (failed(verifySchema(*this, getX().getType(), getGraph())))
    return failure();
  return verifyTypedWeight(*this, getX(), getPath(),
                           cast<RankedTensorType>(getWeight().getType()));
}

LogicalResult TypedOuterSumOp::verify() {
  auto x = cast<RankedTensorType>(getX().getType()),
       y = cast<RankedTensorType>(getY().getType()),
       result = cast<RankedTensorType>(getResult().getType());
  if (failed(verifySchema(*this, x, getGraph())))
    return failure();
  // C2
  if (x.getRank() < 2 || !agreeButForLast(x, y))
    return emitOpError()
           << "expected rows that differ in their last dimension only, got "
           << x << " and " << y;
  // C3
  SmallVector<int64_t> expected(getRowShape(x));
  expected.push_back(y.getShape().back());
  if (result.getEncoding() || !result.hasStaticShape() ||
      result.getRank() == 0 ||
      result.getShape().drop_front() != ArrayRef(expected))
    return emitOpError() << "expected a result of shape types x rows' shape x N"
                         << " without rows for " << x << " and " << y
                         << ", got " << result;
  return verifyTypedWeight(*this, getX(), getPath(), result);
}
