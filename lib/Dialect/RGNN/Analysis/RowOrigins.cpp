//===- RowOrigins.cpp - what rows on edges are a function of --------------===//

#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::rgnn;

static constexpr Path kPaths[] = {Path::Src,     Path::Dst,   Path::SrcPair,
                                  Path::DstPair, Path::EType, Path::NType};

PathSet PathSet::all() {
  PathSet set;
  for (Path path : kPaths)
    if (follow(Domain::Edge, path))
      set.insert(path);
  return set;
}

/// The arrow that, behind `through`, leads where `path` leads to; nothing where
/// `path` does not go that way.
static std::optional<Path> getRest(Path path, Path through) {
  bool leadsOn =
      (through == Path::SrcPair &&
       (path == Path::Src || path == Path::EType)) ||
      (through == Path::DstPair && (path == Path::Dst || path == Path::EType));
  return leadsOn ? std::optional(path) : std::nullopt;
}

bool rgnn::isOnEdges(Value value) {
  RowsAttr rows = getRows(value.getType());
  return rows && rows.getDomain() == Domain::Edge;
}

bool rgnn::isRoundedWhenStored(Value rows) {
  Type element = getElementTypeOrSelf(rows.getType());
  return getComputeType(element) != element;
}

RankedTensorType rgnn::getTypeOn(Type rows, RowsAttr to) {
  return getRowsType(to, getRowShape(rows), getElementTypeOrSelf(rows));
}

PathSet RowOrigins::getPaths(Value rows) {
  auto it = known.find(rows);
  if (it != known.end())
    return it->second;
  Operation *op = rows.getDefiningOp();
  PathSet paths = op && isOnEdges(rows) ? computePaths(op) : PathSet();
  known[rows] = paths;
  return paths;
}

PathSet RowOrigins::getPathsOf(Operation *op, PathSet ofOperands) {
  // A weight by type asks for rows that know their type.
  if (auto typed = dyn_cast<TypedLinearOp>(op))
    for (Path path : kPaths)
      if (std::optional<Domain> to = follow(Domain::Edge, path);
          to && !follow(*to, typed.getPath()))
        ofOperands.erase(path);
  return ofOperands;
}

PathSet RowOrigins::computePaths(Operation *op) {
  PathSet paths;
  if (auto gather = dyn_cast<GatherOp>(op)) {
    for (Path path : kPaths)
      if (path == gather.getPath() || getRest(gather.getPath(), path))
        paths.insert(path);
    return paths;
  }
  // Rows that are the same for all edges are of no other rows.
  if (!isRowwise(op) || llvm::none_of(op->getOperands(), isOnEdges))
    return paths;
  paths = PathSet::all();
  for (Value operand : op->getOperands())
    if (isOnEdges(operand))
      paths &= getPaths(operand);
  return getPathsOf(op, paths);
}

Value RowOrigins::buildGather(OpBuilder &builder, GatherOp gather, Path path) {
  if (path == gather.getPath())
    return gather.getRows();
  return GatherOp::create(builder, gather.getLoc(), gather.getRows(),
                          gather.getGraph(), *getRest(gather.getPath(), path),
                          *follow(Domain::Edge, path));
}

Value RowOrigins::rebuild(OpBuilder &builder, Value rows, Path path) {
  if (!isOnEdges(rows))
    return rows;
  auto key = std::pair(rows, static_cast<int64_t>(path));
  if (Value value = rebuilt.lookup(key))
    return value;
  Operation *op = rows.getDefiningOp();
  Value result;
  if (auto gather = dyn_cast<GatherOp>(op)) {
    result = buildGather(builder, gather, path);
  } else {
    IRMapping mapping;
    RowsAttr to; // that of what all operands on edges become
    for (Value operand : op->getOperands()) {
      mapping.map(operand, rebuild(builder, operand, path));
      if (isOnEdges(operand))
        to = getRows(mapping.lookup(operand).getType());
    }
    RankedTensorType type = getTypeOn(rows.getType(), to);
    SmallVector<int64_t> shape(type.getShape());
    for (Value operand : op->getOperands()) {
      Type coarse = mapping.lookup(operand).getType();
      if (auto known = dyn_cast<RankedTensorType>(coarse);
          getRows(coarse) == getRows(type) && known.hasStaticShape())
        shape.front() = known.getDimSize(0); // of types
    }
    result = cloneOnto(builder, op, mapping, type.clone(shape));
  }
  rebuilt[key] = result;
  return result;
}
