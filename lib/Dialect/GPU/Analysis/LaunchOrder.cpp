//===- LaunchOrder.cpp - which launches become one ------------------------===//
//
// Launches of blocks with as many threads become one, if all or none of them
// share what they multiply: kernels without it keep more warps busy. Each
// launch takes all of its kind that wait for nothing any more. Which kind comes
// next decides how many launches there are in the end, since a kind that waits
// may grow. A search goes through such choices launch by launch, as far as they
// lead to different sets of units.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/GPU/Analysis/LaunchOrder.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Dialect/GPU/Utils/Limits.h"
#include "RGNN/Dialect/GPU/Utils/SharedSlots.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::rgnn;

namespace {

/// Choices that are followed at a time.
constexpr size_t maxOrders = 64;

/// The first launches of an order, and the units that are in them.
struct Order {
  llvm::BitVector done;
  SmallVector<SmallVector<size_t>> launches;
};

/// What units have as one launch.
class Capacity {
public:
  /// Takes `unit`, unless the launch has no room for it.
  bool take(const LaunchUnit &unit) {
    SharedSlots all = shared;
    all.add(unit.shared);
    int64_t more = 0;
    for (Value argument : unit.arguments)
      if (!arguments.contains(argument))
        more += getArgumentBytes(argument.getType());
    if (all.getBytes() > gpuSharedBytes ||
        argumentBytes + more > maxArgumentBytes)
      return false;
    shared = std::move(all);
    arguments.insert_range(unit.arguments);
    argumentBytes += more;
    return true;
  }

private:
  SharedSlots shared;
  llvm::DenseSet<Value> arguments;
  int64_t argumentBytes = 0;
};

} // namespace

static bool isAlike(const LaunchUnit &a, const LaunchUnit &b) {
  return a.numThreads == b.numThreads && a.isProduct == b.isProduct;
}

/// The units that wait for none any more. Those that most wait for in a row
/// come first; of equal ones, that which came first.
static SmallVector<size_t> getReady(ArrayRef<const LaunchUnit *> units,
                                    const llvm::BitVector &done) {
  SmallVector<size_t> ready;
  for (auto [number, unit] : llvm::enumerate(units))
    if (!done[number] &&
        llvm::all_of(unit->before, [&](size_t before) { return done[before]; }))
      ready.push_back(number);
  llvm::stable_sort(ready, [&](size_t a, size_t b) {
    return units[a]->height > units[b]->height;
  });
  return ready;
}

/// The orders with one launch more, of each kind that there is.
static void addLaunch(ArrayRef<const LaunchUnit *> units, const Order &order,
                      llvm::DenseSet<llvm::BitVector> &seen,
                      SmallVectorImpl<Order> &next) {
  SmallVector<size_t> ready = getReady(units, order.done), kinds;
  for (size_t number : ready) {
    if (llvm::any_of(kinds, [&](size_t kind) {
          return isAlike(*units[kind], *units[number]);
        }))
      continue;
    kinds.push_back(number);
    Order longer = order;
    Capacity capacity;
    SmallVector<size_t> &launch = longer.launches.emplace_back();
    for (size_t other : ready)
      // A unit may be too large for any launch but one of its own.
      if (isAlike(*units[number], *units[other]) &&
          (capacity.take(*units[other]) || launch.empty())) {
        launch.push_back(other);
        longer.done.set(other);
      }
    if (seen.insert(longer.done).second)
      next.push_back(std::move(longer));
  }
}

/// The longest row of units that are left.
static int64_t getHeight(ArrayRef<const LaunchUnit *> units,
                         const Order &order) {
  int64_t height = 0;
  for (auto [number, unit] : llvm::enumerate(units))
    if (!order.done[number])
      height = std::max(height, unit->height);
  return height;
}

SmallVector<SmallVector<size_t>>
rgnn::orderLaunches(ArrayRef<const LaunchUnit *> units) {
  SmallVector<Order> orders{{llvm::BitVector(units.size()), {}}};
  llvm::DenseSet<llvm::BitVector> seen;
  for (;;) {
    for (Order &order : orders)
      if (order.done.all())
        return std::move(order.launches);
    SmallVector<Order> next;
    for (const Order &order : orders)
      addLaunch(units, order, seen, next);
    // Those that are furthest.
    llvm::stable_sort(next, [&](const Order &a, const Order &b) {
      return std::pair(getHeight(units, a), b.done.count()) <
             std::pair(getHeight(units, b), a.done.count());
    });
    next.truncate(std::min(next.size(), maxOrders));
    orders = std::move(next);
  }
}
