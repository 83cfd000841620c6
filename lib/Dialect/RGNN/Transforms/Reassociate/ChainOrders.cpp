//===- ChainOrders.cpp - the orders of a chain, and the best --------------===//

#include "ChainOrders.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Two hops with nothing between them (SGC) have 8, and 132 orders.
static constexpr unsigned kMaxFactors = 8;

/// The share of the cost above which another order is not worth it: costs are
/// estimates.
static constexpr double kWorthwhile = 0.9;

ChainOrders::ChainOrders(Operation *root, Chain given)
    : root(root), chain(std::move(given)), factors(chain.getFactors()),
      forest(factors, chain.computed) {
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, forest.getTrees().size()));
  auto legal = llvm::filter_to_vector(
      all, [&](unsigned order) { return isLegal(order); });
  candidates = forest.prune(all);
  legalCandidates = forest.prune(legal);
  for (unsigned order : legal)
    if (forest.getTrees()[order]->text == chain.order)
      written = order;
}

bool ChainOrders::isLegal(unsigned order) const {
  return isAllowed(chain, *forest.getTrees()[order]);
}

double ChainOrders::getCost(unsigned order, double edgesPerNode) const {
  return estimateCost(forest.getPrimitives(*forest.getTrees()[order]),
                      edgesPerNode);
}

bool ChainOrders::isWorthwhile(unsigned order, unsigned other,
                               double edgesPerNode) const {
  return getCost(order, edgesPerNode) <=
         kWorthwhile * getCost(other, edgesPerNode);
}

SmallVector<unsigned> ChainOrders::getKept() const {
  return keepForAnyWidths(factors, chain.computed);
}

static unsigned findCheapest(const ChainOrders &orders,
                             ArrayRef<unsigned> candidates,
                             double edgesPerNode) {
  assert(!candidates.empty() && "expected a legal order: each factor where it "
                                "is written is one");
  return *llvm::min_element(candidates, [&](unsigned a, unsigned b) {
    return orders.getCost(a, edgesPerNode) < orders.getCost(b, edgesPerNode);
  });
}

unsigned ChainOrders::getCheapest(double edgesPerNode) const {
  return findCheapest(*this, candidates, edgesPerNode);
}

unsigned ChainOrders::choose(double edgesPerNode) const {
  unsigned best = findCheapest(*this, legalCandidates, edgesPerNode);
  return written && !isWorthwhile(best, *written, edgesPerNode) ? *written
                                                                : best;
}

std::vector<std::unique_ptr<ChainOrders>>
rgnn::readChains(func::FuncOp function,
                 function_ref<void(Operation *, const Refusal &)> refuse) {
  std::vector<std::unique_ptr<ChainOrders>> found;
  DenseSet<Operation *> done;
  // The last first: a chain is read from its result.
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    if (done.contains(&op))
      continue;
    Refusal refusal;
    FailureOr<Chain> chain = readChain(&op, kMaxFactors, refusal);
    if (failed(chain)) {
      if (refusal)
        refuse(&op, refusal);
      continue;
    }
    done.insert_range(chain->ops);
    auto orders = std::make_unique<ChainOrders>(&op, std::move(*chain));
    if (orders->forest.getTrees().size() > 1)
      found.push_back(std::move(orders));
  }
  return found;
}
