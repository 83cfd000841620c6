//===- KernelOrder.cpp - the order of GEMMs that needs the least memory ---===//
//
// GEMMs of one phase are independent but for what they read of each other. A
// chain whose large values die within it (the projection that only feeds an
// attention score) runs before one whose values stay for the traversal, so that
// both can use the same memory.
//
//===----------------------------------------------------------------------===//

#include "KernelOrder.h"

#include "RGNN/Conversion/RGNNToHetKernel/Nest.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::rgnn;

/// What a result takes, up to the number of nodes. Graphs have more edges than
/// nodes; how many more is not known here.
static int64_t estimateSize(Operation *op) {
  constexpr int64_t kEdgesPerNode = 8;
  int64_t size = 0;
  for (Type type : op->getResultTypes()) {
    RowsAttr rows = getRows(type);
    if (!rows)
      continue;
    int64_t elements = getRowWidth(type);
    size +=
        rows.getDomain() == Domain::Edge ? kEdgesPerNode * elements : elements;
  }
  return size;
}

static void collect(Operation *op, const llvm::SetVector<Operation *> &pool,
                    llvm::SetVector<Operation *> &chain);

/// Adds what `op` reads within `pool` to `chain`.
static void collectOperands(Operation *op,
                            const llvm::SetVector<Operation *> &pool,
                            llvm::SetVector<Operation *> &chain) {
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (!producer)
      continue;
    if (pool.contains(producer))
      collect(producer, pool, chain);
    else if (isLoad(producer) || isa<LinearOp, TypedLinearOp>(producer))
      collectOperands(producer, pool, chain); // with a bias, or summed
  }
}

/// Adds `op` and what it reads within `pool` to `chain`, operands first.
static void collect(Operation *op, const llvm::SetVector<Operation *> &pool,
                    llvm::SetVector<Operation *> &chain) {
  if (!pool.contains(op) || chain.contains(op))
    return;
  collectOperands(op, pool, chain);
  chain.insert(op);
}

/// How much of the chain's memory is free again when it has run.
static int64_t getTransientSize(const llvm::SetVector<Operation *> &chain) {
  int64_t size = 0;
  for (Operation *op : chain.getArrayRef().drop_back())
    if (llvm::all_of(op->getUsers(),
                     [&](Operation *user) { return chain.contains(user); }))
      size += estimateSize(op);
  return size;
}

SmallVector<Operation *> rgnn::orderForMemory(ArrayRef<Operation *> ops) {
  llvm::SetVector<Operation *> pool(ops.begin(), ops.end());
  SmallVector<llvm::SetVector<Operation *>> chains;
  llvm::SetVector<Operation *> found;
  for (Operation *op : llvm::reverse(ops)) // what others read comes first
    if (!found.contains(op)) {
      collect(op, pool, chains.emplace_back());
      found.insert_range(chains.back());
    }
  std::reverse(chains.begin(), chains.end());
  SmallVector<std::pair<int64_t, size_t>> order;
  for (auto [index, chain] : llvm::enumerate(chains))
    order.emplace_back(-getTransientSize(chain), index);
  llvm::sort(order);
  llvm::SetVector<Operation *> ordered;
  // Kernels have as many rows as a graph says that they do not read otherwise.
  for (Operation *op : ops)
    if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<GraphType>))
      collect(op, pool, ordered);
  for (auto [size, index] : order)
    ordered.insert(chains[index].begin(), chains[index].end());
  return ordered.takeVector();
}
