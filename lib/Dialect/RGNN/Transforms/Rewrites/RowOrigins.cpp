//===- RowOrigins.cpp - what rows on edges are a function of --------------===//

#include "RowOrigins.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

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

/// Whether rows of the result are computed from the same rows of the operands.
static bool isRowwise(Operation *op) {
  return isa_and_nonnull<RowOpInterface, LinearOp, TypedLinearOp>(op);
}

static bool isOnEdges(Value value) {
  RowsAttr rows = getRows(value.getType());
  return rows && rows.getDomain() == Domain::Edge;
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

PathSet RowOrigins::computePaths(Operation *op) {
  PathSet paths;
  if (auto gather = dyn_cast<GatherOp>(op)) {
    for (Path path : kPaths)
      if (path == gather.getPath() || getRest(gather.getPath(), path))
        paths.insert(path);
    return paths;
  }
  if (!isRowwise(op))
    return paths;
  paths = PathSet::all();
  for (Value operand : op->getOperands())
    if (isOnEdges(operand))
      paths &= getPaths(operand);
  // A weight by type asks for rows that know their type.
  if (auto typed = dyn_cast<TypedLinearOp>(op))
    for (Path path : kPaths)
      if (std::optional<Domain> to = follow(Domain::Edge, path);
          to && !follow(*to, typed.getPath()))
        paths.erase(path);
  return paths;
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
    for (Value operand : op->getOperands())
      mapping.map(operand, rebuild(builder, operand, path));
    auto type = cast<RankedTensorType>(rows.getType());
    auto onPath = RowsAttr::get(type.getContext(), *follow(Domain::Edge, path),
                                getRows(type).getGraph());
    result = builder.clone(*op, mapping)->getResult(0);
    result.setType(
        getRowsType(onPath, getRowShape(type), type.getElementType()));
  }
  rebuilt[key] = result;
  return result;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// Whether it pays to compute the op on fewer rows and to gather its results:
/// they are no larger than its operands, and cost more than to be loaded.
static bool isWorthMoving(Operation &op) {
  return isa<LinearOp, TypedLinearOp, DotOp, ReduceFeaturesOp, SoftmaxOp>(op) &&
         isOnEdges(op.getResult(0));
}

/// The graph that rows on edges are gathered in.
static Value getGraph(Value rows) {
  Operation *op = rows.getDefiningOp();
  if (auto gather = dyn_cast<GatherOp>(op))
    return gather.getGraph();
  return getGraph(*llvm::find_if(op->getOperands(), isOnEdges));
}

static std::string join(ArrayRef<Path> paths) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(
      paths, stream, [&](Path path) { stream << stringifyPath(path); }, " or ");
  return text;
}

int64_t rgnn::moveAboveGathers(func::FuncOp function, ArrayRef<Path> paths,
                               StringRef pass) {
  RowOrigins origins; // knows values, which therefore stay until the end
  SmallVector<Operation *> moved;
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (!isWorthMoving(op))
      continue;
    Value rows = op.getResult(0);
    PathSet possible = origins.getPaths(rows);
    StringRef name = op.getName().getStringRef();
    auto options = remark::RemarkOpts::name("Rows").category(pass).function(
        function.getName());
    const Path *path = llvm::find_if(
        paths, [&](Path path) { return possible.contains(path); });
    if (path == paths.end()) {
      remark::missed(op.getLoc(), options)
          << (name + " stays on edges: its rows depend on more than " +
              join(paths))
                 .str();
      continue;
    }
    OpBuilder builder(&op);
    Value coarse = origins.rebuild(builder, rows, *path);
    auto gathered = GatherOp::create(builder, op.getLoc(), coarse,
                                     getGraph(rows), *path, Domain::Edge);
    rows.replaceAllUsesWith(gathered);
    moved.push_back(&op);
    remark::passed(op.getLoc(), options)
        << (name + " is computed for each " + stringifyPath(*path)).str();
  }
  for (Operation *op : moved)
    op->erase();
  return moved.size();
}
