//===- AssociationTrees.h - orders of a product of matrices -----*- C++ -*-===//
//
// A layer without attention is a product of matrices: GCN's is D A D H W with
// the degrees D on the diagonal, the adjacency A, the nodes' rows H and the
// weight W. Each way to set brackets is a tree, whose inner nodes are products
// that there is a kernel for (SENSEi, arXiv:2306.15155v2, sec. 3.3):
//
//        D A D H W  =  D (A (D (H W)))      H W first, degrees on rows
//                   =  ((D A D) H) W        degrees on edges, W last
//                   =  ...                  12 in all
//
// Most of them are worse than another one on every graph. What is left differs
// in how nodes compare with edges and widths with each other.
//
// Nothing here knows of IR.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_ASSOCIATIONTREES_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_ASSOCIATIONTREES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <deque>
#include <map>
#include <string>

namespace mlir::rgnn {

/// What a matrix of the product is (SENSEi, table 1).
enum class FactorKind {
  Data,              // a row for each node
  Weight,            // shared by all rows
  Adjacency,         // a sum, or mean, over edges
  WeightedAdjacency, // the same, each edge with a factor of its own
  Diagonal           // a factor for each node
};

struct Factor {
  FactorKind kind;
  std::string name;    // factors of one name are the same matrix
  int64_t columns = 0; // of data and weights
};

enum class PrimitiveKind {
  Gemm,         // data times weight
  SpMM,         // sum of rows over edges
  WeightedSpMM, // the same, each row times the factor of its edge
  SDDMM,        // factors of nodes to factors of edges
  Scale         // a row broadcast: each row times a factor of its node
};

struct Primitive {
  PrimitiveKind kind;
  /// Columns; multiplications for a row of a GEMM; 1 of an SDDMM.
  int64_t size;
  /// Of a scale: rows are scaled by the kernel that makes them.
  bool isFused = false;
};

/// A product in some order, or one factor.
struct AssociationTree {
  FactorKind kind;
  int64_t columns;
  std::string text;
  unsigned factor;                               // of a leaf: its number
  SmallVector<const AssociationTree *, 3> parts; // empty in a leaf
  Primitive primitive;                           // not of a leaf

  bool isLeaf() const { return parts.empty(); }
};

/// All orders of one product.
class AssociationForest {
public:
  /// `computed` is the text of a product that is computed anyway and can be
  /// had for nothing, if there is one. Time and space grow exponentially with
  /// the number of factors.
  AssociationForest(ArrayRef<Factor> factors, StringRef computed);

  AssociationForest(const AssociationForest &) = delete;

  /// In an order that depends on the kinds of the factors alone.
  ArrayRef<const AssociationTree *> getTrees() const { return *trees; }

  /// What a tree computes, equal subtrees once.
  SmallVector<Primitive> getPrimitives(const AssociationTree &tree) const;

  /// Those of `candidates`, numbers of trees, that no other one is better than
  /// on every graph: none does the same or less on matrices as large or
  /// smaller. Of equals the first stays.
  SmallVector<unsigned> prune(ArrayRef<unsigned> candidates) const;

private:
  using Trees = SmallVector<const AssociationTree *>;

  const Trees &enumerate(unsigned begin, unsigned end);
  void add(Trees &trees, ArrayRef<const AssociationTree *> parts);

  ArrayRef<Factor> factors;
  std::string computed;
  std::deque<AssociationTree> storage;
  std::map<std::pair<unsigned, unsigned>, Trees> bySpan;
  const Trees *trees;
};

/// Numbers of the trees that pruning keeps, if columns grow from each factor to
/// the next or shrink from each to the next: what is left when nothing is known
/// of widths and graph.
SmallVector<unsigned> keepForAnyWidths(ArrayRef<Factor> factors,
                                       StringRef computed);

/// Time for a node, in units of one number loaded or stored, in a graph of so
/// many edges for each node.
double estimateCost(ArrayRef<Primitive> primitives, double edgesPerNode);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_ASSOCIATIONTREES_H
