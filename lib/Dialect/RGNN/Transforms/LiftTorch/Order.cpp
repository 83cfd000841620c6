//===- Order.cpp - what graphs are made of comes first --------------------===//
//
// A model may make its list of edges in the midst of its work, and what it did
// before is on rows of that graph, too:
//
//   Before:  %h = linear(%x, %w)
//            %k = ne(%src, %dst)
//            %l = index(%edges, %k)
//            %u = index_select(%h, %l[0])
//
//   After:   %k = ne(%src, %dst)
//            %l = index(%edges, %k)
//            %h = linear(%x, %w)
//            %u = index_select(%h, %l[0])
//
// Captured operators are functional, so that only what they read orders them.
// Those without results check something: they go along where all that they read
// does, and are then in front of what they were in front of.
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

SmallVector<Value> lift::getSources(const CapturedGraph &graph, Sizes &sizes) {
  SmallVector<Value> sources(graph.edges->lists);
  if (!graph.edges->isHetero() && graph.types)
    sources.push_back(graph.types);
  SmallVector<Size> counts(graph.edges->nodes);
  if (!graph.edges->isHetero())
    counts = {graph.srcNodes, graph.dstNodes};
  for (const Size &count : counts)
    llvm::append_range(sources, sizes.getSources(count));
  return sources;
}

/// What computes the values, in the block.
static DenseSet<Operation *> getCone(SmallVector<Value> work) {
  DenseSet<Operation *> cone;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (op && cone.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
  return cone;
}

void lift::moveSourcesFirst(Block &block, ArrayRef<Value> sources) {
  DenseSet<Operation *> cone = getCone(llvm::to_vector(sources));
  Operation *firstBehind = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    auto isThere = [&](Value value) {
      return !value.getDefiningOp() || cone.contains(value.getDefiningOp());
    };
    bool isCheck = isa<TorchOp>(op) && op.getNumResults() == 0;
    if (!cone.contains(&op) &&
        !(isCheck && llvm::all_of(op.getOperands(), isThere))) {
      firstBehind = firstBehind ? firstBehind : &op;
      continue;
    }
    if (firstBehind)
      op.moveBefore(firstBehind);
  }
}
