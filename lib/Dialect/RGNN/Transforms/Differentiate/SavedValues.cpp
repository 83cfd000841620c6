//===- SavedValues.cpp - what a backward pass gets of its forward ---------===//
//
// An op that reads a row for each row that it makes costs as much to repeat as
// its result costs to store and load. Products and sums cost more, but on
// weights, of which there are few. What a maximum was taken of is saved
// whatever it costs. Where only an element-wise op reads what would be saved,
// such as a product without its bias, and the backward reads what that makes,
// the latter is saved instead: it is no larger, and made already. Who has time
// but no memory saves nothing but what maxima are taken of.
//
//===----------------------------------------------------------------------===//

#include "SavedValues.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;

bool rgnn::isMovement(Operation *op) {
  std::optional<Work> work = getWork(op);
  return isa<tensor::CastOp>(op) || work == Work::View || work == Work::Copy;
}

bool rgnn::isCompared(Value value) {
  auto isExtremum = [](Reduction kind) {
    return kind == Reduction::Max || kind == Reduction::Min;
  };
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto reduce = dyn_cast<ReduceOp>(user))
      return isExtremum(reduce.getKind());
    if (auto reduce = dyn_cast<ReduceFeaturesOp>(user))
      return isExtremum(reduce.getKind());
    return isMovement(user) && isCompared(user->getResult(0));
  });
}

/// Whether the result costs more to compute again than to store and load, or
/// must be the same; with `recompute`, only the latter.
static bool isWorthSaving(Operation *op, bool recompute) {
  if (op->getNumResults() != 1 || !getRows(op->getResult(0).getType()))
    return false;
  return (getWork(op) == Work::Heavy && !recompute) ||
         (!isMovement(op) && isCompared(op->getResult(0)));
}

namespace {
/// Which results of the forward are computed again, and which are saved.
class Choice {
public:
  Choice(ArrayRef<Operation *> forward, bool recompute)
      : forward(forward), isForward(forward.begin(), forward.end()) {
    for (Operation *op : forward)
      if (isWorthSaving(op, recompute))
        saved.insert(op);
    findNeeded();
  }

  void preferMaps() {
    for (Operation *op : forward) {
      if (!isa<MapOp>(op) || saved.contains(op) || !needed.contains(op) ||
          !getRows(op->getResult(0).getType()))
        continue;
      SmallVector<Operation *> replaced;
      int64_t width = 0;
      for (Value operand : op->getOperands())
        if (isSavedFor(operand, op)) {
          replaced.push_back(operand.getDefiningOp());
          width += getRowWidth(operand.getType());
        }
      if (width < getRowWidth(op->getResult(0).getType()))
        continue;
      for (Operation *product : replaced)
        saved.erase(product);
      saved.insert(op);
      findNeeded();
    }
  }

  SmallVector<Operation *> getSaved() const {
    return llvm::filter_to_vector(
        forward, [&](Operation *op) { return saved.contains(op); });
  }

private:
  bool isRead(Operation *user) const {
    return !isForward.contains(user) ||
           (needed.contains(user) && !saved.contains(user));
  }

  /// Whether nothing but `op` needs a value that is saved.
  bool isSavedFor(Value value, Operation *op) const {
    return saved.contains(value.getDefiningOp()) &&
           llvm::none_of(value.getUsers(), [&](Operation *user) {
             return user != op && isRead(user);
           });
  }

  /// Ops whose results the backward reads, or computes others of.
  void findNeeded() {
    needed.clear();
    for (Operation *op : llvm::reverse(forward))
      if (llvm::any_of(op->getUsers(),
                       [&](Operation *user) { return isRead(user); }))
        needed.insert(op);
  }

  ArrayRef<Operation *> forward;
  DenseSet<Operation *> isForward, saved, needed;
};
} // namespace

SmallVector<Operation *> rgnn::chooseSaved(ArrayRef<Operation *> forward,
                                           bool recompute) {
  Choice choice(forward, recompute);
  choice.preferMaps();
  return choice.getSaved();
}
