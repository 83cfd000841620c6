//===- OrderKernels.cpp - an order in which less is in memory at a time ---===//

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Support/ExpectedGraph.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELORDERKERNELSPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Rows of a graph that is expected to have so many nodes, of few types.
static double getExpectedRows(SizeKind kind) {
  constexpr double nodes = 1e5, nodeTypes = 4;
  switch (kind) {
  case SizeKind::Node:
    return nodes;
  case SizeKind::Edge:
    return rgnn::expectedEdgesPerNode * nodes;
  case SizeKind::DstPair:
  case SizeKind::SrcPair:
    return rgnn::expectedPairsPerNode * nodes;
  case SizeKind::NodeOfType:
    return nodes / nodeTypes;
  case SizeKind::EdgeTypeCount:
  case SizeKind::NodeTypeCount:
    return nodeTypes;
  }
  llvm_unreachable("an unknown size");
}

static double getExpectedSize(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant;
  auto value = cast<Value>(size);
  Operation *op = value.getDefiningOp();
  if (auto known = dyn_cast_if_present<SizeOp>(op))
    return getExpectedRows(known.getKind());
  if (isa_and_nonnull<arith::AddIOp>(op))
    return getExpectedSize(op->getOperand(0)) +
           getExpectedSize(op->getOperand(1));
  return getExpectedRows(SizeKind::NodeOfType); // of an argument
}

/// Of a tensor that is made as `empty`.
static double getExpectedBytes(tensor::EmptyOp empty) {
  double bytes = empty.getType().getElementTypeBitWidth() / 8.0;
  for (OpFoldResult size : empty.getMixedSizes())
    bytes *= getExpectedSize(size);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

namespace {
/// The ops of a block without its terminator, by their numbers, with the
/// buffers that they fill and read.
class Ops {
public:
  explicit Ops(Block &block);

  /// The order that they have.
  SmallVector<unsigned> asWritten() const {
    return llvm::to_vector(llvm::seq<unsigned>(0, nodes.size()));
  }
  /// Each op right behind what it needs, for one use after the other.
  SmallVector<unsigned> depthFirst() const;
  /// Always the op that needs the least memory more than it frees.
  SmallVector<unsigned> smallestFirst() const;
  /// The most bytes of temporaries that are there at a time.
  double getPeak(ArrayRef<unsigned> order) const;
  void apply(ArrayRef<unsigned> order, Block &block) const;

private:
  struct Node {
    Operation *op;
    SmallVector<unsigned> before, after; // whom it needs, and who needs it
    SmallVector<unsigned> filled, read;  // buffers
  };
  struct Buffer {
    double bytes;
    unsigned numReaders = 0;
  };

  /// The buffer that a value lies in; none for arguments, and what has none.
  std::optional<unsigned> findBuffer(Value value) const;
  void place(OpResult result, Node &node);
  void addEdge(unsigned from, unsigned to) {
    nodes[to].before.push_back(from);
    nodes[from].after.push_back(to);
  }

  std::vector<Node> nodes;
  std::vector<Buffer> buffers;
  DenseMap<Value, unsigned> bufferOf;
};
} // namespace

/// The operand whose memory a result takes over; null where it has its own.
static Value getTied(OpResult result) {
  Operation *op = result.getOwner();
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return style.getTiedOpOperand(result)->get();
  if (isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::CastOp>(op))
    return op->getOperand(0);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return insert.getDest();
  return {};
}

std::optional<unsigned> Ops::findBuffer(Value value) const {
  auto found = bufferOf.find(value);
  return found == bufferOf.end() ? std::nullopt : std::optional(found->second);
}

void Ops::place(OpResult result, Node &node) {
  if (!isa<RankedTensorType>(result.getType()) || isa<tensor::EmptyOp>(node.op))
    return;
  Value tied = getTied(result);
  auto empty = tied ? tied.getDefiningOp<tensor::EmptyOp>() : nullptr;
  if (empty) {
    bufferOf[result] = buffers.size();
    node.filled.push_back(buffers.size());
    buffers.push_back({getExpectedBytes(empty)});
  } else if (std::optional<unsigned> buffer =
                 tied ? findBuffer(tied) : std::nullopt) {
    bufferOf[result] = *buffer;
  }
}

Ops::Ops(Block &block) {
  DenseMap<Operation *, unsigned> numbers;
  std::optional<unsigned> lastWithEffects;
  for (Operation &op : block.without_terminator()) {
    unsigned number = nodes.size();
    numbers[&op] = number;
    nodes.push_back({&op, {}, {}, {}, {}});
    llvm::SetVector<Value> operands(op.operand_begin(), op.operand_end());
    getUsedValuesDefinedAbove(op.getRegions(), operands);
    llvm::SetVector<unsigned> before, read;
    for (Value operand : operands) {
      if (auto made = numbers.find(operand.getDefiningOp());
          operand.getDefiningOp() && made != numbers.end())
        before.insert(made->second);
      if (std::optional<unsigned> buffer = findBuffer(operand))
        read.insert(*buffer);
    }
    // What overwrites a value comes behind whoever reads it.
    for (OpResult result : op.getResults())
      if (Value tied = getTied(result); tied && findBuffer(tied))
        for (Operation *user : tied.getUsers())
          if (Operation *reader = block.findAncestorOpInBlock(*user);
              reader != &op && numbers.contains(reader))
            before.insert(numbers[reader]);
    if (!isMemoryEffectFree(&op)) {
      if (lastWithEffects)
        before.insert(*lastWithEffects);
      lastWithEffects = number;
    }
    for (unsigned other : before)
      addEdge(other, number);
    for (OpResult result : op.getResults())
      place(result, nodes.back());
    nodes.back().read.assign(read.begin(), read.end());
    for (unsigned buffer : read)
      ++buffers[buffer].numReaders;
  }
  // What is returned has a place of its own.
  for (Value result : block.getTerminator()->getOperands())
    if (std::optional<unsigned> buffer = findBuffer(result))
      buffers[*buffer].bytes = 0;
}

double Ops::getPeak(ArrayRef<unsigned> order) const {
  double peak = 0, now = 0;
  SmallVector<unsigned> numRead(buffers.size(), 0);
  for (unsigned number : order) {
    const Node &node = nodes[number];
    for (unsigned buffer : node.filled)
      now += buffers[buffer].bytes;
    peak = std::max(peak, now);
    for (unsigned buffer : node.read)
      if (++numRead[buffer] == buffers[buffer].numReaders)
        now -= buffers[buffer].bytes;
    for (unsigned buffer : node.filled)
      if (buffers[buffer].numReaders == 0)
        now -= buffers[buffer].bytes;
  }
  return peak;
}

SmallVector<unsigned> Ops::depthFirst() const {
  SmallVector<unsigned> order;
  llvm::BitVector isDone(nodes.size()), isOpen(nodes.size());
  for (unsigned last = 0; last < nodes.size(); ++last) {
    if (!nodes[last].after.empty())
      continue;
    SmallVector<unsigned> stack = {last};
    while (!stack.empty()) {
      unsigned number = stack.back();
      if (isDone[number] || isOpen[number]) {
        stack.pop_back();
        if (!isDone[number])
          order.push_back(number);
        isDone.set(number);
        continue;
      }
      isOpen.set(number);
      for (unsigned other : llvm::reverse(nodes[number].before))
        if (!isDone[other])
          stack.push_back(other);
    }
  }
  return order;
}

SmallVector<unsigned> Ops::smallestFirst() const {
  SmallVector<unsigned> order, numRead(buffers.size(), 0), numMissing;
  llvm::SetVector<unsigned> ready;
  for (auto [number, node] : llvm::enumerate(nodes)) {
    numMissing.push_back(node.before.size());
    if (node.before.empty())
      ready.insert(number);
  }
  auto getGrowth = [&](unsigned number) {
    double bytes = 0;
    for (unsigned buffer : nodes[number].filled)
      bytes += buffers[buffer].bytes;
    for (unsigned buffer : nodes[number].read)
      if (numRead[buffer] + 1 == buffers[buffer].numReaders)
        bytes -= buffers[buffer].bytes;
    return bytes;
  };
  while (!ready.empty()) {
    unsigned best = ready.front();
    double least = getGrowth(best);
    for (unsigned number : llvm::drop_begin(ready))
      if (double growth = getGrowth(number);
          growth < least || (growth == least && number < best)) {
        best = number;
        least = growth;
      }
    ready.remove(best);
    order.push_back(best);
    for (unsigned buffer : nodes[best].read)
      ++numRead[buffer];
    for (unsigned other : nodes[best].after)
      if (--numMissing[other] == 0)
        ready.insert(other);
  }
  return order;
}

void Ops::apply(ArrayRef<unsigned> order, Block &block) const {
  for (unsigned number : order)
    nodes[number].op->moveBefore(block.getTerminator());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct OrderKernelsPass
    : hetkernel::impl::HetKernelOrderKernelsPassBase<OrderKernelsPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!llvm::hasSingleElement(function.getBody()))
      return;
    Block &block = function.getBody().front();
    Ops ops(block);
    SmallVector<unsigned> best = ops.asWritten();
    double first = ops.getPeak(best), least = first;
    for (SmallVector<unsigned> order : {ops.depthFirst(), ops.smallestFirst()})
      if (double peak = ops.getPeak(order); peak < least) {
        least = peak;
        best = std::move(order);
      }
    ops.apply(best, block);
    int64_t saved =
        first > 0
            ? llvm::divideNearest(static_cast<uint64_t>(100 * (first - least)),
                                  static_cast<uint64_t>(first))
            : 0;
    rgnn::reportCounts(function, getArgument(), {{"percent-saved", saved}});
  }
};
} // namespace
