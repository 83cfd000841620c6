//===- WriteTree.cpp - a product of matrices in another order -------------===//

#include "Chain.h"
#include "KnownFinite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Whether edges may read the factors of `tree`, a diagonal.
static bool canBeOnEdges(const Chain &chain, const AssociationTree &tree) {
  if (!tree.isLeaf())
    return llvm::all_of(tree.parts, [&](const AssociationTree *part) {
      return canBeOnEdges(chain, *part);
    });
  const ChainFactor &factor = chain.factors[tree.factor];
  return factor.end ||
         isKnownFinite(factor.diagonal.value, factor.diagonal.isDivisor);
}

bool rgnn::isAllowed(const Chain &chain, const AssociationTree &tree) {
  bool isOnEdges =
      !tree.isLeaf() && tree.primitive.kind == PrimitiveKind::SDDMM;
  return llvm::all_of(tree.parts, [&](const AssociationTree *part) {
    if (isOnEdges && part->kind == FactorKind::Diagonal)
      return canBeOnEdges(chain, *part);
    return isAllowed(chain, *part);
  });
}

namespace {

/// Edges with their factors.
struct EdgeFactors {
  const ChainFactor *sum = nullptr;
  std::optional<RowFactor> left, right;
};

class Writer {
public:
  Writer(OpBuilder &builder, Location loc, const Chain &chain)
      : builder(builder), loc(loc), chain(chain) {}

  Value writeRows(const AssociationTree &tree);

private:
  RowFactor writeDiagonal(const AssociationTree &tree);
  EdgeFactors getEdges(const AssociationTree &tree);
  Value writeSum(const EdgeFactors &edges, Value rows);
  RowFactor guard(RowFactor factor, EdgeEnd end);
  Value multiply(Value rows, ArrayRef<RowFactor> factors);
  RowFactor multiply(ArrayRef<RowFactor> factors);

  OpBuilder &builder;
  Location loc;
  const Chain &chain;
};

} // namespace

static Value scale(OpBuilder &builder, Location loc, Value x, Value factor,
                   bool isDivisor) {
  if (isDivisor)
    return arith::DivFOp::create(builder, loc, x, factor);
  return arith::MulFOp::create(builder, loc, x, factor);
}

/// `rows` times the factors of the same domain.
Value Writer::multiply(Value rows, ArrayRef<RowFactor> factors) {
  SmallVector<Value> inputs{rows};
  for (RowFactor factor : factors)
    inputs.push_back(factor.value);
  return MapOp::create(
      builder, loc, rows.getType(), inputs,
      [&](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        Value product = x[0];
        for (auto [factor, value] : llvm::zip(factors, x.drop_front()))
          product = scale(inner, loc, product, value, factor.isDivisor);
        return product;
      });
}

/// One factor that is as good as all, which are of one domain.
RowFactor Writer::multiply(ArrayRef<RowFactor> factors) {
  if (factors.size() == 1)
    return factors.front();
  SmallVector<Value> inputs;
  Type result = factors.front().value.getType();
  for (RowFactor factor : factors) {
    inputs.push_back(factor.value);
    // Rows of one number come with a dimension or without.
    if (!getRowShape(factor.value.getType()).empty())
      result = factor.value.getType();
  }
  Value product = MapOp::create(
      builder, loc, result, inputs,
      [&](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        Value product;
        for (auto [factor, value] : llvm::zip(factors, x)) {
          if (!product && !factor.isDivisor) {
            product = value;
            continue;
          }
          if (!product)
            product = arith::ConstantOp::create(
                inner, loc, inner.getFloatAttr(value.getType(), 1));
          product = scale(inner, loc, product, value, factor.isDivisor);
        }
        return product;
      });
  return {product};
}

/// The factor, and 1 for nodes without edges: so far only edges read it, so
/// that it may be infinite there.
RowFactor Writer::guard(RowFactor factor, EdgeEnd end) {
  if (isKnownFinite(factor.value, factor.isDivisor))
    return factor;
  auto type = cast<RankedTensorType>(factor.value.getType());
  Value degree = DegreeOp::create(
      builder, loc, getRowsType(getRows(type), {}, type.getElementType()),
      end.graph, end.path);
  Value guarded = MapOp::create(
      builder, loc, type, ValueRange{factor.value, degree},
      [](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        Type type = x[0].getType();
        Value zero =
            arith::ConstantOp::create(inner, loc, inner.getFloatAttr(type, 0));
        Value one =
            arith::ConstantOp::create(inner, loc, inner.getFloatAttr(type, 1));
        Value hasEdges = arith::CmpFOp::create(
            inner, loc, arith::CmpFPredicate::OGT, x[1], zero);
        return arith::SelectOp::create(inner, loc, hasEdges, x[0], one);
      });
  return {guarded, factor.isDivisor};
}

RowFactor Writer::writeDiagonal(const AssociationTree &tree) {
  if (tree.isLeaf()) {
    const ChainFactor &factor = chain.factors[tree.factor];
    return factor.end ? guard(factor.diagonal, *factor.end) : factor.diagonal;
  }
  SmallVector<RowFactor> parts;
  for (const AssociationTree *part : tree.parts)
    parts.push_back(writeDiagonal(*part));
  return multiply(parts);
}

EdgeFactors Writer::getEdges(const AssociationTree &tree) {
  if (tree.isLeaf())
    return {&chain.factors[tree.factor], {}, {}};
  auto isSum = [](const AssociationTree *part) {
    return part->kind != FactorKind::Diagonal;
  };
  const auto *middle = llvm::find_if(tree.parts, isSum);
  EdgeFactors edges{&chain.factors[(*middle)->factor], {}, {}};
  const Adjacency &sum = edges.sum->adjacency;
  auto write = [&](const AssociationTree &part, Path path) {
    if (part.isLeaf())
      if (const ChainFactor &factor = chain.factors[part.factor];
          factor.end && factor.end->graph == sum.graph &&
          factor.end->path == path)
        return factor.diagonal; // stays where it is
    return writeDiagonal(part);
  };
  if (middle != tree.parts.begin())
    edges.left = write(*tree.parts.front(), sum.to);
  if (middle + 1 != tree.parts.end())
    edges.right = write(*tree.parts.back(), sum.from);
  return edges;
}

Value Writer::writeSum(const EdgeFactors &edges, Value rows) {
  const Adjacency &sum = edges.sum->adjacency;
  auto gather = [&](Value value, Path path) -> Value {
    return GatherOp::create(builder, loc, value, sum.graph, path, Domain::Edge);
  };
  SmallVector<RowFactor> factors(sum.weights);
  if (edges.left)
    factors.push_back(
        {gather(edges.left->value, sum.to), edges.left->isDivisor});
  if (edges.right)
    factors.push_back(
        {gather(edges.right->value, sum.from), edges.right->isDivisor});
  rows = gather(rows, sum.from);
  if (!factors.empty())
    rows = multiply(rows, multiply(factors));
  return ReduceOp::create(builder, loc, rows, sum.graph, sum.to, sum.kind);
}

Value Writer::writeRows(const AssociationTree &tree) {
  if (tree.isLeaf())
    return chain.factors[tree.factor].value;
  const AssociationTree &left = *tree.parts.front(),
                        &right = *tree.parts.back();
  switch (tree.primitive.kind) {
  case PrimitiveKind::Gemm: {
    const ChainFactor &weight = chain.factors[right.factor];
    return LinearOp::create(builder, loc, writeRows(left), weight.value,
                            weight.isTransposed);
  }
  case PrimitiveKind::Scale: {
    // First, so that the kernel that makes the rows can scale them.
    RowFactor factor = writeDiagonal(left);
    return multiply(writeRows(right), factor);
  }
  case PrimitiveKind::SpMM:
  case PrimitiveKind::WeightedSpMM: {
    EdgeFactors edges = getEdges(left);
    return writeSum(edges, writeRows(right));
  }
  case PrimitiveKind::SDDMM:
    break;
  }
  llvm_unreachable("edges' factors are no rows");
}

Value rgnn::writeTree(OpBuilder &builder, Location loc, const Chain &chain,
                      const AssociationTree &tree) {
  return Writer(builder, loc, chain).writeRows(tree);
}
