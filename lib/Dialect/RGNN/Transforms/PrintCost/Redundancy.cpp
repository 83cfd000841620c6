//===- Redundancy.cpp - what is computed more often than needed -----------===//

#include "Redundancy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

static constexpr Path kPaths[] = {Path::Src,     Path::Dst,   Path::SrcPair,
                                  Path::DstPair, Path::EType, Path::NType};

/// Whether every element is a sum or difference of those of the operands.
static bool isSum(MapOp map) {
  auto hasType = [&](Value input) {
    return input.getType() == map.getResult().getType();
  };
  return llvm::all_of(map.getInputs(), hasType) &&
         llvm::all_of(
             map.getBody().front().without_terminator(),
             llvm::IsaPred<arith::AddFOp, arith::SubFOp, arith::NegFOp>);
}

static int64_t getWidth(Value rows) {
  return cast<RankedTensorType>(rows.getType()).getShape().back();
}

namespace {

/// The fewest rows on which the results of one op on edges can be computed.
class FewestRows {
public:
  FewestRows(Operation *op, const Cost &cost, const GraphSizes &sizes,
             RowOrigins &origins)
      : op(op), cost(cost), sizes(sizes), origins(origins) {}

  /// Rows for what `paths` lead to; all edges where that is nothing coarser.
  int64_t count(PathSet paths) const;

  /// The same for a product of `rows`, times their width: rows that a product
  /// splits into are of several widths. `multiplied` are rows of nodes that
  /// were multiplied by the same weights already.
  int64_t countProduct(Value rows, DenseSet<Value> &multiplied) const;

private:
  Operation *op;
  const Cost &cost;
  const GraphSizes &sizes;
  RowOrigins &origins;
};

} // namespace

int64_t FewestRows::count(PathSet paths) const {
  int64_t fewest = cost.rows;
  auto typed = dyn_cast<TypedLinearOp>(op);
  for (Path path : kPaths) {
    std::optional<Domain> domain = follow(Domain::Edge, path);
    // A weight by type asks for rows that know their type.
    if (!domain || !paths.contains(path) ||
        (typed && !follow(*domain, typed.getPath())))
      continue;
    if (std::optional<int64_t> number =
            sizes.getNumRows(op, cost.domain.on(*domain)))
      fewest = std::min(fewest, *number);
  }
  return fewest;
}

int64_t FewestRows::countProduct(Value rows,
                                 DenseSet<Value> &multiplied) const {
  Operation *maker = rows.getDefiningOp();
  PathSet paths = origins.getPaths(rows);
  int64_t sum = 0;
  int64_t last = cast<RankedTensorType>(rows.getType()).getRank() - 1;
  if (auto concat = dyn_cast_or_null<ConcatOp>(maker);
      paths.empty() && concat &&
      static_cast<int64_t>(concat.getDim()) == last) {
    for (Value part : concat.getInputs()) {
      DenseSet<Value> multipliedByPart;
      sum += countProduct(part, multipliedByPart);
    }
    return sum;
  }
  if (auto map = dyn_cast_or_null<MapOp>(maker);
      paths.empty() && map && isSum(map)) {
    for (Value term : map.getInputs())
      sum += countProduct(term, multiplied);
    return sum;
  }
  // Both ends of an edge are rows of the same nodes.
  if (auto gather = dyn_cast_or_null<GatherOp>(maker);
      gather && isa<LinearOp>(op) &&
      !multiplied.insert(gather.getRows()).second)
    return 0;
  return count(paths) * getWidth(rows);
}

int64_t rgnn::countRedundant(Operation *op, const Cost &cost,
                             const GraphSizes &sizes, RowOrigins &origins) {
  RowsAttr rows = getRows(op->getResult(0).getType());
  if (!rows || rows.getDomain() != Domain::Edge || cost.operations == 0)
    return 0;
  FewestRows fewest(op, cost, sizes, origins);
  int64_t operationsOfRow = cost.operations / cost.rows, least = 0;
  if (isa<LinearOp, TypedLinearOp>(op)) {
    DenseSet<Value> multiplied;
    Value x = op->getOperand(0);
    least = operationsOfRow / getWidth(x) * fewest.countProduct(x, multiplied);
  } else {
    least = operationsOfRow * fewest.count(origins.getPaths(op->getResult(0)));
  }
  return std::max<int64_t>(cost.operations - least, 0);
}
