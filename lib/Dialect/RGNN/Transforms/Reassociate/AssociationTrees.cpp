//===- AssociationTrees.cpp - orders of a product of matrices -------------===//

#include "AssociationTrees.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::rgnn;

static bool isAdjacency(FactorKind kind) {
  return kind == FactorKind::Adjacency || kind == FactorKind::WeightedAdjacency;
}

namespace {
/// What the product of some matrices is.
struct Product {
  FactorKind kind;
  int64_t columns;
  Primitive primitive;
};
} // namespace

/// The rules: which neighbours have a kernel that multiplies them. Edges get
/// factors once, from one end or both, which costs the same: what has some is
/// not scaled again.
static std::optional<Product>
multiply(ArrayRef<const AssociationTree *> parts) {
  const AssociationTree &left = *parts.front(), &right = *parts.back();
  auto scaleEdges = [] {
    return Product{FactorKind::WeightedAdjacency, 0, {PrimitiveKind::SDDMM, 1}};
  };
  if (parts.size() == 3) {
    if (left.kind == FactorKind::Diagonal && isAdjacency(parts[1]->kind) &&
        parts[1]->isLeaf() && right.kind == FactorKind::Diagonal)
      return scaleEdges();
    return std::nullopt;
  }
  if (left.kind == FactorKind::Data) {
    if (right.kind == FactorKind::Weight)
      return Product{FactorKind::Data,
                     right.columns,
                     {PrimitiveKind::Gemm, left.columns * right.columns}};
    return std::nullopt;
  }
  if (right.kind == FactorKind::Data) {
    auto rows = [&](PrimitiveKind kind) {
      bool isFused = kind == PrimitiveKind::Scale && !right.isLeaf();
      return Product{
          FactorKind::Data, right.columns, {kind, right.columns, isFused}};
    };
    if (left.kind == FactorKind::Diagonal)
      return rows(PrimitiveKind::Scale);
    if (isAdjacency(left.kind))
      return rows(left.kind == FactorKind::Adjacency
                      ? PrimitiveKind::SpMM
                      : PrimitiveKind::WeightedSpMM);
    return std::nullopt;
  }
  bool isDiagonal = left.kind == FactorKind::Diagonal;
  if (isDiagonal && right.kind == FactorKind::Diagonal)
    return Product{FactorKind::Diagonal, 0, {PrimitiveKind::Scale, 1}};
  const AssociationTree &other = isDiagonal ? right : left;
  if ((isDiagonal || right.kind == FactorKind::Diagonal) &&
      isAdjacency(other.kind) && other.isLeaf())
    return scaleEdges();
  return std::nullopt;
}

AssociationForest::AssociationForest(ArrayRef<Factor> factors,
                                     StringRef computed)
    : factors(factors), computed(computed) {
  trees = &enumerate(0, factors.size());
}

void AssociationForest::add(Trees &trees,
                            ArrayRef<const AssociationTree *> parts) {
  std::optional<Product> product = multiply(parts);
  if (!product)
    return;
  std::string text = "(";
  for (const AssociationTree *part : parts)
    text += (part == parts.front() ? "" : " ") + part->text;
  storage.push_back({product->kind, product->columns, text + ")", 0,
                     llvm::to_vector<3>(parts), product->primitive});
  trees.push_back(&storage.back());
}

const AssociationForest::Trees &AssociationForest::enumerate(unsigned begin,
                                                             unsigned end) {
  auto [it, isNew] = bySpan.try_emplace({begin, end});
  Trees &trees = it->second; // stays where it is while others come
  if (!isNew)
    return trees;
  if (end - begin == 1) {
    const Factor &factor = factors[begin];
    storage.push_back(
        {factor.kind, factor.columns, factor.name, begin, {}, {}});
    trees.push_back(&storage.back());
    return trees;
  }
  for (unsigned middle = begin + 1; middle < end; ++middle)
    for (const AssociationTree *left : enumerate(begin, middle))
      for (const AssociationTree *right : enumerate(middle, end))
        add(trees, {left, right});
  // Both ends' factors on edges at once.
  for (unsigned middle = begin + 1; middle + 1 < end; ++middle)
    for (const AssociationTree *left : enumerate(begin, middle))
      for (const AssociationTree *right : enumerate(middle + 1, end))
        add(trees, {left, enumerate(middle, middle + 1).front(), right});
  return trees;
}

/// Adds what `tree` computes and `seen`, texts of trees, does not hold.
static void collect(const AssociationTree &tree, llvm::StringSet<> &seen,
                    SmallVectorImpl<Primitive> &primitives) {
  if (tree.isLeaf() || !seen.insert(tree.text).second)
    return;
  for (const AssociationTree *part : tree.parts)
    collect(*part, seen, primitives);
  primitives.push_back(tree.primitive);
}

SmallVector<Primitive>
AssociationForest::getPrimitives(const AssociationTree &tree) const {
  llvm::StringSet<> seen;
  seen.insert(computed);
  SmallVector<Primitive> primitives;
  collect(tree, seen, primitives);
  return primitives;
}

/// Whether each primitive of `a` has one of `b` for itself that is as large.
static bool isNoWorse(ArrayRef<Primitive> a, ArrayRef<Primitive> b) {
  for (PrimitiveKind kind :
       {PrimitiveKind::Gemm, PrimitiveKind::SpMM, PrimitiveKind::WeightedSpMM,
        PrimitiveKind::SDDMM, PrimitiveKind::Scale}) {
    auto getSizes = [&](ArrayRef<Primitive> primitives) {
      SmallVector<int64_t> sizes;
      for (Primitive primitive : primitives)
        if (primitive.kind == kind)
          sizes.push_back(primitive.size);
      llvm::sort(sizes, std::greater<>());
      return sizes;
    };
    SmallVector<int64_t> ofA = getSizes(a), ofB = getSizes(b);
    if (ofA.size() > ofB.size())
      return false;
    for (auto [sizeA, sizeB] : llvm::zip(ofA, ofB))
      if (sizeA > sizeB)
        return false;
  }
  return true;
}

SmallVector<unsigned>
AssociationForest::prune(ArrayRef<unsigned> candidates) const {
  SmallVector<SmallVector<Primitive>> primitives;
  for (unsigned candidate : candidates)
    primitives.push_back(getPrimitives(*getTrees()[candidate]));
  auto isBeaten = [&](size_t tree) {
    for (size_t other = 0; other < candidates.size(); ++other)
      if (other != tree && isNoWorse(primitives[other], primitives[tree]) &&
          (other < tree || !isNoWorse(primitives[tree], primitives[other])))
        return true;
    return false;
  };
  SmallVector<unsigned> kept;
  for (auto [index, candidate] : llvm::enumerate(candidates))
    if (!isBeaten(index))
      kept.push_back(candidate);
  return kept;
}

SmallVector<unsigned> rgnn::keepForAnyWidths(ArrayRef<Factor> factors,
                                             StringRef computed) {
  SmallVector<unsigned> kept;
  for (bool grow : {true, false}) {
    SmallVector<Factor> sized(factors);
    int64_t columns = grow ? 1 : factors.size();
    for (Factor &factor : sized)
      if (factor.kind == FactorKind::Data || factor.kind == FactorKind::Weight)
        factor.columns = grow ? columns++ : columns--;
    AssociationForest forest(sized, computed);
    llvm::append_range(kept, forest.prune(llvm::to_vector(llvm::seq<unsigned>(
                                 0, forest.getTrees().size()))));
  }
  llvm::sort(kept);
  kept.erase(llvm::unique(kept), kept.end());
  return kept;
}

double rgnn::estimateCost(ArrayRef<Primitive> primitives, double edgesPerNode) {
  // Multiplications of a GEMM that take as long as one number from memory.
  constexpr double multiplications = 16;
  double cost = 0;
  for (Primitive primitive : primitives) {
    double size = primitive.size;
    switch (primitive.kind) {
    case PrimitiveKind::Gemm:
      cost += size / multiplications;
      break;
    case PrimitiveKind::SpMM: // a row for each edge, and the sum
      cost += edgesPerNode * size + size;
      break;
    case PrimitiveKind::WeightedSpMM:
      cost += edgesPerNode * (size + 1) + size;
      break;
    case PrimitiveKind::SDDMM: // a factor of each end, and that of the edge
      cost += edgesPerNode * 3;
      break;
    case PrimitiveKind::Scale:
      cost += primitive.isFused ? 1 : 2 * size;
      break;
    }
  }
  return cost;
}
