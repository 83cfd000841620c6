//===- SplitProducts.cpp - products as sums of products -------------------===//

#include "RGNN/Dialect/RGNN/Utils/SplitProducts.h"
#include "RGNN/Dialect/RGNN/Analysis/LinearMaps.h"
#include "RGNN/Dialect/RGNN/Utils/Columns.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::rgnn;

/// What `op` adds up along; nothing where it does more.
static SmallVector<Summed> getSummed(Operation *op) {
  auto contraction = dyn_cast<ContractionOpInterface>(op);
  return contraction ? contraction.getSummed() : SmallVector<Summed>();
}

namespace {

/// One product, and what its parts are a function of.
class Splitter {
public:
  Splitter(Operation *op, ArrayRef<Path> paths, RowOrigins &origins)
      : op(op), paths(paths), origins(origins), builder(op) {}

  /// By the columns that were joined.
  std::optional<Split> splitColumns();
  /// By the terms of the sum that is multiplied.
  std::optional<Split> splitTerms();

private:
  std::optional<Path> choose(PathSet ofOperands) const;
  std::optional<Path> choose(Value rows) {
    return choose(origins.getPaths(rows));
  }
  std::optional<Path> choose(ArrayRef<Summed> summed, ColumnRange range);
  using Terms = llvm::MapVector<Path, SmallVector<Term>>;
  std::optional<Terms> groupTerms(Value rows);
  Operation *clone(ArrayRef<std::pair<unsigned, Value>> operands);

  Operation *op;
  ArrayRef<Path> paths;
  RowOrigins &origins;
  OpBuilder builder;
};

} // namespace

std::optional<Path> Splitter::choose(PathSet ofOperands) const {
  PathSet possible = RowOrigins::getPathsOf(op, ofOperands);
  const Path *path =
      llvm::find_if(paths, [&](Path path) { return possible.contains(path); });
  return path == paths.end() ? std::nullopt : std::optional(*path);
}

/// The path of the product of columns alone. Rows of one number are scaled, not
/// multiplied: the kernel that reads the result does it.
std::optional<Path> Splitter::choose(ArrayRef<Summed> summed,
                                     ColumnRange range) {
  if (range.end - range.begin < 2)
    return std::nullopt;
  PathSet possible = PathSet::all();
  for (auto [operand, dim] : summed)
    if (Value value = op->getOperand(operand); isOnEdges(value))
      possible &= getPathsOfColumns(value, range, origins);
  return choose(possible);
}

/// The product with other operands, which it sums over as it did.
Operation *Splitter::clone(ArrayRef<std::pair<unsigned, Value>> operands) {
  Operation *product = builder.clone(*op);
  for (auto [number, operand] : operands)
    product->setOperand(number, operand);
  return product;
}

std::optional<Split> Splitter::splitColumns() {
  SmallVector<Summed> summed = getSummed(op);
  SmallVector<int64_t> widths;
  for (auto [operand, dim] : summed)
    if (Value value = op->getOperand(operand);
        widths.size() < 2 && isOnEdges(value))
      widths = getPieces(value);
  if (widths.size() < 2 || ShapedType::isDynamicShape(widths))
    return std::nullopt;

  // Columns of one path share a product, and so do all that stay on edges, but
  // for sums that are split next.
  llvm::MapVector<int64_t, SmallVector<ColumnRange>> groups;
  constexpr int64_t stays = -1;
  int64_t begin = 0, numSums = 0;
  for (int64_t width : widths) {
    ColumnRange range = {begin, begin + width};
    begin = range.end;
    int64_t key = stays;
    if (std::optional<Path> path = choose(summed, range))
      key = static_cast<int64_t>(*path);
    else if (Value rows = findColumns(op->getOperand(0), range);
             rows && width > 1 && groupTerms(rows))
      key = stays - ++numSums;
    groups[key].push_back(range);
  }
  if (groups.size() < 2)
    return std::nullopt;

  Split split;
  for (auto &[key, ranges] : groups) {
    SmallVector<std::pair<unsigned, Value>> operands;
    for (auto [operand, dim] : summed)
      operands.emplace_back(
          operand, joinColumns(builder, op->getOperand(operand), dim, ranges));
    split.products.push_back(clone(operands));
  }
  SmallVector<Term> terms;
  for (Operation *product : split.products)
    terms.push_back({product->getResult(0), 1});
  split.sum = addUp(builder, op->getLoc(), terms, op->getResult(0).getType());
  return split;
}

/// The terms of `rows` by the path of each, if products of all can leave the
/// edges, but not for unique pairs: those of both sides may be more than the
/// edges. Floats of 16 bits are subtracted before they are rounded.
std::optional<Splitter::Terms> Splitter::groupTerms(Value rows) {
  // What the other rows of an inner product depend on counts, too.
  if (isa<DotOp>(op) || isRoundedWhenStored(rows))
    return std::nullopt;
  SmallVector<Term> terms =
      getTerms(rows, [&](Value term) { return choose(term).has_value(); });
  Terms groups;
  for (Term term : terms) {
    if (!isOnEdges(term.value))
      continue;
    std::optional<Path> path = choose(term.value);
    if (!path || path == Path::SrcPair || path == Path::DstPair)
      return std::nullopt;
    groups[*path].push_back(term);
  }
  if (groups.size() < 2)
    return std::nullopt;
  // What all rows share goes with any.
  for (Term term : terms)
    if (!isOnEdges(term.value))
      groups.front().second.push_back(term);
  return groups;
}

std::optional<Split> Splitter::splitTerms() {
  Value rows = op->getOperand(0);
  if (getSummed(op).empty())
    return std::nullopt;
  std::optional<Terms> groups = groupTerms(rows);
  if (!groups)
    return std::nullopt;
  Split split;
  SmallVector<Term> products;
  for (auto &[path, terms] : *groups) {
    // A factor of one term is one of its product.
    bool isTerm =
        terms.size() == 1 && terms.front().value.getType() == rows.getType();
    Value sum = isTerm ? terms.front().value
                       : addUp(builder, op->getLoc(), terms, rows.getType());
    split.products.push_back(clone({{0, sum}}));
    products.push_back({split.products.back()->getResult(0),
                        isTerm ? terms.front().factor : 1});
  }
  split.sum =
      addUp(builder, op->getLoc(), products, op->getResult(0).getType());
  return split;
}

std::optional<Split> rgnn::splitProduct(Operation *op, ArrayRef<Path> paths,
                                        RowOrigins &origins) {
  Splitter splitter(op, paths, origins);
  if (std::optional<Split> split = splitter.splitColumns())
    return split;
  return splitter.splitTerms();
}
