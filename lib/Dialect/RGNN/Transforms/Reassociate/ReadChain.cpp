//===- ReadChain.cpp - a product of matrices out of IR --------------------===//

#include "Aggregation.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::rgnn;

SmallVector<Factor> Chain::getFactors() const {
  return llvm::map_to_vector(
      factors, [](const ChainFactor &factor) { return factor.factor; });
}

namespace {

class Reader {
public:
  Reader(Operation *root, unsigned maxFactors)
      : root(root), maxFactors(maxFactors) {}

  FailureOr<Chain> read(Refusal &refusal);

private:
  std::string readRows(Value rows, bool isShared);
  std::string readAggregation(Aggregation &aggregation);
  std::string readShared(Value rows);

  std::string addFactor(ChainFactor factor, StringRef letter);
  std::string addWeight(LinearOp linear);
  /// The text of the product of the diagonals, which is empty without any.
  std::string addDiagonals(ArrayRef<RowFactor> diagonals,
                           std::optional<EdgeEnd> end);
  /// Whether so many factors, and rows, find a place.
  bool hasPlaceFor(unsigned number) const {
    return chain.factors.size() + numWeightsAhead + number + 1 <= maxFactors;
  }

  Operation *root;
  unsigned maxFactors;
  unsigned numWeightsAhead = 0; // found, but behind the rows in the product
  bool hasOrder = true;
  Chain chain;
};

} // namespace

static bool isSameMatrix(const ChainFactor &a, const ChainFactor &b) {
  return a.factor.kind == b.factor.kind && a.value == b.value &&
         a.isTransposed == b.isTransposed && a.diagonal == b.diagonal &&
         a.adjacency.graph == b.adjacency.graph &&
         a.adjacency.from == b.adjacency.from &&
         a.adjacency.to == b.adjacency.to &&
         a.adjacency.kind == b.adjacency.kind &&
         a.adjacency.weights == b.adjacency.weights;
}

std::string Reader::addFactor(ChainFactor factor, StringRef letter) {
  unsigned number = 1;
  for (const ChainFactor &other : chain.factors) {
    if (isSameMatrix(other, factor)) {
      factor.factor.name = other.factor.name;
      break;
    }
    // Names of a letter come with numbers from 1 on.
    if (StringRef name = other.factor.name; name.consume_front(letter)) {
      unsigned known = 0;
      if (!name.getAsInteger(10, known))
        number = std::max(number, known + 1);
    }
  }
  if (factor.factor.name.empty())
    factor.factor.name = (letter + Twine(number)).str();
  chain.factors.push_back(factor);
  return factor.factor.name;
}

std::string Reader::addWeight(LinearOp linear) {
  ChainFactor factor;
  factor.factor.kind = FactorKind::Weight;
  factor.factor.columns = getRowShape(linear.getResult().getType()).back();
  factor.value = linear.getWeight();
  factor.isTransposed = linear.getTransposed();
  return addFactor(factor, "W");
}

std::string Reader::addDiagonals(ArrayRef<RowFactor> diagonals,
                                 std::optional<EdgeEnd> end) {
  std::string text;
  for (RowFactor diagonal : diagonals) {
    ChainFactor factor;
    factor.factor.kind = FactorKind::Diagonal;
    factor.diagonal = diagonal;
    factor.end = end;
    std::string name = addFactor(factor, "D");
    text = text.empty() ? name : llvm::formatv("({0} {1})", text, name).str();
  }
  return text;
}

std::string Reader::readAggregation(Aggregation &found) {
  llvm::append_range(chain.ops, found.ops);
  const Adjacency &adjacency = found.adjacency;
  std::string left =
      addDiagonals(found.left, EdgeEnd{adjacency.graph, adjacency.to});
  ChainFactor factor;
  factor.factor.kind = adjacency.weights.empty()
                           ? FactorKind::Adjacency
                           : FactorKind::WeightedAdjacency;
  factor.adjacency = adjacency;
  std::string sum = addFactor(factor, "A");
  std::string right =
      addDiagonals(found.right, EdgeEnd{adjacency.graph, adjacency.from});
  if (!left.empty() || !right.empty())
    sum = "(" + (left.empty() ? "" : left + " ") + sum +
          (right.empty() ? "" : " " + right) + ")";
  // Products on edges are those of no tree.
  hasOrder &= found.products.empty();
  numWeightsAhead += found.products.size();
  std::string rows =
      readRows(found.gather.getRows(), !found.gather->hasOneUse());
  numWeightsAhead -= found.products.size();
  for (LinearOp product : llvm::reverse(found.products))
    addWeight(product);
  return "(" + sum + " " + rows + ")";
}

/// Rows that are computed anyway: a product of them can be had for nothing, or
/// be computed again behind the sum.
std::string Reader::readShared(Value rows) {
  ChainFactor factor;
  factor.factor.kind = FactorKind::Data;
  auto linear = rows.getDefiningOp<LinearOp>();
  bool isProduct =
      linear && isVector(linear.getX().getType()) && hasPlaceFor(1);
  factor.value = isProduct ? linear.getX() : rows;
  factor.factor.columns = getRowShape(factor.value.getType()).back();
  std::string text = addFactor(factor, "H");
  if (!isProduct)
    return text;
  text = "(" + text + " " + addWeight(linear) + ")";
  chain.computed = text;
  return text;
}

std::string Reader::readRows(Value rows, bool isShared) {
  Operation *op = rows.getDefiningOp();
  if (!op || isShared || (op != root && !rows.hasOneUse()))
    return readShared(rows);
  if (auto linear = dyn_cast<LinearOp>(op);
      linear && isVector(linear.getX().getType()) && hasPlaceFor(1)) {
    chain.ops.push_back(op);
    ++numWeightsAhead;
    std::string text = readRows(linear.getX(), false);
    --numWeightsAhead;
    return "(" + text + " " + addWeight(linear) + ")";
  }
  SmallVector<RowFactor> factors;
  if (auto map = dyn_cast<MapOp>(op))
    if (FailureOr<Value> scaled = matchScale(map, factors);
        succeeded(scaled) && *scaled && hasPlaceFor(factors.size())) {
      chain.ops.push_back(op);
      std::string text = addDiagonals(factors, std::nullopt);
      return "(" + text + " " + readRows(*scaled, false) + ")";
    }
  if (auto sum = dyn_cast<ReduceOp>(op)) {
    Refusal refusal;
    FailureOr<Aggregation> found = matchAggregation(sum, refusal);
    if (succeeded(found) &&
        hasPlaceFor(found->left.size() + 1 + found->right.size() +
                    found->products.size()))
      return readAggregation(*found);
  }
  ChainFactor factor;
  factor.factor.kind = FactorKind::Data;
  factor.factor.columns = getRowShape(rows.getType()).back();
  factor.value = rows;
  return addFactor(factor, "H");
}

FailureOr<Chain> Reader::read(Refusal &refusal) {
  if (root->getNumResults() != 1 || !isa<LinearOp, MapOp, ReduceOp>(root))
    return failure();
  Value result = root->getResult(0);
  RowsAttr rows = getRows(result.getType());
  if (!rows || rows.getDomain() != Domain::Node || !isVector(result.getType()))
    return failure();
  if (auto sum = dyn_cast<ReduceOp>(root))
    if (failed(matchAggregation(sum, refusal)))
      return failure();
  chain.order = readRows(result, false);
  if (!hasOrder)
    chain.order.clear();
  if (llvm::none_of(chain.ops, llvm::IsaPred<ReduceOp>))
    return failure();
  return std::move(chain);
}

FailureOr<Chain> rgnn::readChain(Operation *op, unsigned maxFactors,
                                 Refusal &refusal) {
  return Reader(op, maxFactors).read(refusal);
}
