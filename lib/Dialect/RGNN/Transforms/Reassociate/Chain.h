//===- Chain.h - products of matrices in IR ---------------------*- C++ -*-===//
//
// A matrix of nodes x nodes is not a value: it is a gather, factors of edges
// and a sum. This reads such a product out of the ops that compute it in some
// order, and writes the ops of another order.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_CHAIN_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_CHAIN_H

#include "AssociationTrees.h"

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {

/// Rows are multiplied by the one number of each row of `value`, or divided.
struct RowFactor {
  Value value;
  bool isDivisor = false;

  bool operator==(const RowFactor &other) const {
    return value == other.value && isDivisor == other.isDivisor;
  }
};

/// A sum over edges.
struct Adjacency {
  Value graph;
  Path from = Path::Src, to = Path::Dst; // of the gather, of the sum
  Reduction kind = Reduction::Sum;       // or a mean
  SmallVector<RowFactor> weights;        // on edges
};

/// The ends of edges that read a factor of nodes.
struct EdgeEnd {
  Value graph;
  Path path;
};

/// One matrix of a chain.
struct ChainFactor {
  Factor factor;
  Value value; // rows or weight
  bool isTransposed = false;
  Adjacency adjacency;
  RowFactor diagonal;
  /// Of a diagonal that is multiplied on edges.
  std::optional<EdgeEnd> end;
};

/// A product of matrices, as it is written.
struct Chain {
  SmallVector<ChainFactor> factors;
  /// The text of the tree that computes it; empty where none does.
  std::string order;
  /// The text of a product in it that others read, too; empty without one.
  std::string computed;
  /// Ops that nobody but the chain's result needs.
  SmallVector<Operation *> ops;

  SmallVector<Factor> getFactors() const;
};

/// Reads the chain that ends in `op`, of no more than `maxFactors` matrices:
/// the rest of a longer one is read as rows. Fails where there is none with a
/// sum over edges; `refusal` then says why the sum that `op` is cannot be part
/// of a chain, if it is one that could be expected to.
FailureOr<Chain> readChain(Operation *op, unsigned maxFactors,
                           Refusal &refusal);

/// Whether the ops of `tree` compute what those of the chain do on each graph.
/// A factor of nodes that is multiplied on edges is not multiplied at nodes
/// without any, whose sum is 0: it has to be finite.
bool isAllowed(const Chain &chain, const AssociationTree &tree);

/// Writes the ops of `tree` and returns their result.
Value writeTree(OpBuilder &builder, Location loc, const Chain &chain,
                const AssociationTree &tree);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_CHAIN_H
