//===- ChainOrders.h - the orders of a chain, and the best ------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_CHAINORDERS_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_CHAINORDERS_H

#include "Chain.h"

#include <memory>

namespace mlir::rgnn {

/// A chain of a function, and all orders in which it can be computed. Orders
/// are numbers of trees of the forest.
class ChainOrders {
public:
  ChainOrders(Operation *root, Chain chain);

  bool isLegal(unsigned order) const;
  double getCost(unsigned order, double edgesPerNode) const;
  /// Whether `order` is expected to take so much less time than `other` that it
  /// is worth the change.
  bool isWorthwhile(unsigned order, unsigned other, double edgesPerNode) const;
  /// Those that are kept when nothing is known of widths and graph.
  SmallVector<unsigned> getKept() const;
  /// The cheapest, legal or not.
  unsigned getCheapest(double edgesPerNode) const;
  /// The cheapest of those that are legal, or that in which the chain is
  /// written where it costs about as much.
  unsigned choose(double edgesPerNode) const;

  /// The op that gives the chain's result.
  Operation *const root;
  const Chain chain;

private:
  const SmallVector<Factor> factors;

public:
  const AssociationForest forest;

private:
  /// No graph is known on which another one is better.
  SmallVector<unsigned> candidates, legalCandidates;
  std::optional<unsigned> written;
};

/// The chains of a function with more than one order, the last first. `refuse`
/// is told of sums that are part of none, and why.
std::vector<std::unique_ptr<ChainOrders>>
readChains(func::FuncOp function,
           function_ref<void(Operation *, const Refusal &)> refuse);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_CHAINORDERS_H
