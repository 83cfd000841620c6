//===- MoveAboveGathers.cpp - edge rows computed on coarser rows ----------===//

#include "RGNN/Dialect/RGNN/Utils/MoveAboveGathers.h"
#include "RGNN/Dialect/RGNN/Utils/SplitProducts.h"

#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Dialect/RGNN/IR/ScalarOps.h"
#include "RGNN/Support/Remarks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Products and sums over features: they cost more than to be loaded, whatever
/// computes them.
static bool isProduct(Operation *op) {
  return getWork(op) == Work::Heavy && isRowwise(op);
}

/// Whether a map of edge rows computes what takes longer than to load its
/// result: functions, roots and quotients. Kernels that read the rows compute
/// sums, factors and comparisons on the way.
static bool isExpensive(Operation *op) {
  auto map = dyn_cast<MapOp>(op);
  return map && llvm::any_of(map.getInputs(), isOnEdges) &&
         llvm::any_of(map.getBody().getOps(), [](Operation &scalar) {
           return getScalarFacts(&scalar).work == Work::Heavy;
         });
}

/// Whether each row of the map's operands on edges is as long as one of its
/// result: edges then load as much of the result as of the operand.
static bool keepsWidth(MapOp map) {
  return llvm::all_of(map.getInputs(), [&](Value input) {
    return !isOnEdges(input) || getRowShape(input.getType()) ==
                                    getRowShape(map.getResult().getType());
  });
}

/// Whether `rows` are made of rows that are there already, at the end of
/// `path`.
static bool isMadeAlong(Value rows, Path path) {
  if (!isOnEdges(rows))
    return true;
  if (auto gather = rows.getDefiningOp<GatherOp>())
    return gather.getPath() == path;
  return llvm::all_of(rows.getDefiningOp()->getOperands(), [&](Value operand) {
    return isMadeAlong(operand, path);
  });
}

/// The graph that rows on edges are gathered in; null where none are.
static Value getGraph(Value rows) {
  llvm::SetVector<Operation *> makers;
  if (Operation *op = rows.getDefiningOp())
    makers.insert(op);
  for (size_t i = 0; i < makers.size(); ++i) {
    if (auto gather = dyn_cast<GatherOp>(makers[i]))
      return gather.getGraph();
    for (Value operand : makers[i]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && isOnEdges(operand))
        makers.insert(op);
  }
  return {};
}

static bool hasArgAttr(Value value, StringRef name) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  return function && function.getArgAttr(argument.getArgNumber(), name);
}

/// Why there are no more rows on edges than those that are gathered: the list
/// names none of them twice, or there are few edges.
static Refusal whyFewer(Value graph, Path path) {
  auto coo = graph ? graph.getDefiningOp<COOGraphOp>() : COOGraphOp();
  if (!coo)
    return {};
  if (llvm::all_of(coo.getEdges(),
                   [](Value list) { return hasArgAttr(list, kFewAttr); }))
    return "its edges are few";
  bool isFirst = path == Path::Src || path == Path::SrcPair;
  Value list = isFirst ? coo.getEdges().front() : coo.getEdges().back();
  if (coo.isOfEnds() && hasArgAttr(list, kDistinctAttr))
    return "the list names no row twice";
  return {};
}

static std::string join(ArrayRef<Path> paths) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(
      paths, stream, [&](Path path) { stream << stringifyPath(path); }, " or ");
  return text;
}

namespace {

/// Moves the ops of one function, in their order.
class Mover {
public:
  Mover(func::FuncOp function, ArrayRef<Path> paths, StringRef pass)
      : function(function), paths(paths), remarks(function, pass, "Rows") {}

  int64_t run();

private:
  void visit(Operation *op);
  void move(Operation *op, Path path);
  /// Why rows are no more than those at the end of `path`, or of each of
  /// `paths`.
  Refusal whyFewest(Operation *op, std::optional<Path> path);
  /// Why no part of the work on edges can be done along one of `paths`, which
  /// is `path` if the rows themselves can be gathered.
  Refusal whyRefused(Operation *op, std::optional<Path> path);

  func::FuncOp function;
  ArrayRef<Path> paths;
  PassRemarks remarks;
  RowOrigins origins; // knows values, which therefore stay until the end
  SmallVector<Operation *> replaced;
  int64_t numMoved = 0;
};

} // namespace

void Mover::move(Operation *op, Path path) {
  OpBuilder builder(op);
  Value rows = op->getResult(0), coarse = origins.rebuild(builder, rows, path);
  auto gathered = GatherOp::create(builder, op->getLoc(), coarse,
                                   getGraph(rows), path, Domain::Edge);
  rows.replaceAllUsesWith(gathered);
  replaced.push_back(op);
  ++numMoved;
  remarks.passed(op->getLoc(), op->getName().getStringRef() +
                                   " is computed for each " +
                                   stringifyPath(path));
}

Refusal Mover::whyRefused(Operation *op, std::optional<Path> path) {
  if (!path)
    return "its rows depend on more than " + join(paths);
  auto map = dyn_cast<MapOp>(op);
  if (map && isRoundedWhenStored(map.getResult()))
    return "its numbers are kept in more bits than those that are stored";
  if (map && !keepsWidth(map))
    return "edges read fewer numbers than it would give them";
  if (map && !isMadeAlong(map.getResult(), *path))
    return "it would be all that is computed for each " + stringifyPath(*path);
  return {};
}

Refusal Mover::whyFewest(Operation *op, std::optional<Path> path) {
  Value graph = getGraph(op->getResult(0));
  Refusal why;
  for (Path end : path ? ArrayRef<Path>(*path) : paths)
    if (!(why = whyFewer(graph, end)))
      return {};
  return why;
}

void Mover::visit(Operation *op) {
  if (op->getNumResults() != 1 || !isOnEdges(op->getResult(0)))
    return;
  // A view of what is gathered costs nothing before, and may cost rows behind.
  if (isa<ReshapeOp, SliceOp>(op))
    if (auto gather = op->getOperand(0).getDefiningOp<GatherOp>();
        gather && llvm::is_contained(paths, gather.getPath()))
      return move(op, gather.getPath());
  if (!isProduct(op) && !isExpensive(op))
    return;
  PathSet possible = origins.getPaths(op->getResult(0));
  const Path *found =
      llvm::find_if(paths, [&](Path path) { return possible.contains(path); });
  std::optional<Path> path;
  if (found != paths.end())
    path = *found;
  if (Refusal why = whyFewest(op, path))
    return remarks.missed(
        op->getLoc(), op->getName().getStringRef() + " stays on edges", why);
  Refusal refusal = whyRefused(op, path);
  if (!refusal) {
    move(op, *path);
  } else if (std::optional<Split> split = splitProduct(op, paths, origins)) {
    remarks.passed(op->getLoc(), op->getName().getStringRef() +
                                     " becomes a sum of " +
                                     Twine(split->products.size()) +
                                     " products, by what their rows depend on");
    op->getResult(0).replaceAllUsesWith(split->sum);
    replaced.push_back(op);
    llvm::for_each(split->products, [&](Operation *part) { visit(part); });
  } else {
    remarks.missed(op->getLoc(),
                   op->getName().getStringRef() + " stays on edges", refusal);
  }
}

int64_t Mover::run() {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    visit(&op);
  for (Operation *op : replaced)
    op->erase();
  return numMoved;
}

int64_t rgnn::moveAboveGathers(func::FuncOp function, ArrayRef<Path> paths,
                               StringRef pass) {
  return Mover(function, paths, pass).run();
}
