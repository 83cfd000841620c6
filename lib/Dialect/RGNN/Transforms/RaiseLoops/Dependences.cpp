//===- Dependences.cpp - may a loop run statement by statement? -----------===//
//
// Within an iteration the statements keep their order. So it is enough that no
// iteration touches data which another one changes: of any two accesses to a
// name, one of which changes it, both must be to an element that belongs to the
// iteration of the innermost loop around both. The element that a loop visits
// belongs to its iteration, and so do the edges of a visited node in one
// direction. What a loop over pairs of edges visits, other iterations visit
// too. Sums may meet: their order does not matter.
//
//===----------------------------------------------------------------------===//

#include "RaiseLoops.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::raise;

LogicalResult raise::refuse(Operation *op, const Twine &reason) {
  return op->emitError() << "not raised: " << reason;
}

Path raise::getOrigin(LoopOp loop) {
  return loop.getIterator() == Iterator::IncomingEdges ? Path::Dst : Path::Src;
}

Element raise::getElement(Value element) {
  auto of = [](Value edge, Path end) {
    auto visited = cast<BlockArgument>(edge);
    auto loop = cast<LoopOp>(visited.getOwner()->getParentOp());
    if (loop.getNode() && getOrigin(loop) == end)
      return getElement(loop.getNode());
    return Element{visited, end};
  };
  if (auto source = element.getDefiningOp<SourceOp>())
    return of(source.getEdge(), Path::Src);
  if (auto destination = element.getDefiningOp<DestinationOp>())
    return of(destination.getEdge(), Path::Dst);
  return Element{cast<BlockArgument>(element), std::nullopt};
}

namespace {
/// One op that reads or changes data.
struct Access {
  Operation *op;
  Element element;

  LoopOp getLoop() const { return cast<LoopOp>(op->getParentOp()); }
  bool isRead() const { return isa<ReadOp>(op); }
  bool isSum() const {
    auto accumulate = dyn_cast<AccumulateOp>(op);
    return accumulate && accumulate.getKind() == Reduction::Sum;
  }
};
} // namespace

/// Whether `inner` visits the edges of the node that `loop` visits.
static bool visitsEdgesOf(LoopOp inner, LoopOp loop) {
  return inner.getNode() &&
         getElement(inner.getNode()) == Element{loop.getElement(), {}};
}

/// Whether an iteration of `loop` is the only one to reach either element, and
/// reaches the second only where it reaches the first.
static bool belong(const Element &a, const Element &b, LoopOp loop) {
  if (a.end || b.end)
    return false;
  if (a.getLoop() == loop && b.getLoop() == loop)
    return !isOfPairs(loop);
  // Edges of a visited node, in one or several loops.
  return visitsEdgesOf(a.getLoop(), loop) && visitsEdgesOf(b.getLoop(), loop) &&
         a.getLoop().getIterator() == b.getLoop().getIterator();
}

static StringRef nameOf(bool isEdge) { return isEdge ? "an edge" : "a node"; }

/// A write must be the only one to its row.
static LogicalResult checkWrite(const Access &access, StringRef name) {
  if (!isa<WriteOp>(access.op) ||
      belong(access.element, access.element, access.getLoop()))
    return success();
  return refuse(access.op, "it writes \"" + name + "\" of " +
                               nameOf(access.element.isEdge()) +
                               " that other iterations write too");
}

static LogicalResult checkPair(const Access &first, const Access &second,
                               StringRef name) {
  if ((first.isRead() && second.isRead()) || (first.isSum() && second.isSum()))
    return success();
  LoopOp loop = first.getLoop();
  while (!loop->isProperAncestor(second.op))
    loop = cast<LoopOp>(loop->getParentOp());
  if (belong(first.element, second.element, loop))
    return success();
  const Access &reader = first.isRead() ? first : second;
  const Access &writer = first.isRead() ? second : first;
  InFlightDiagnostic error =
      reader.op->emitError()
      << "not raised: it " << (reader.isRead() ? "reads" : "changes") << " \""
      << name << "\" of " << nameOf(reader.element.isEdge())
      << ", which another iteration of the loop "
      << (isa<AccumulateOp>(writer.op) ? "accumulates" : "writes");
  error.attachNote(writer.op->getLoc()) << "here";
  return error;
}

static LogicalResult checkLoop(LoopOp outer) {
  WalkResult nested = outer.getBody().walk([&](LoopOp loop) {
    auto parent = cast<LoopOp>(loop->getParentOp());
    bool isNest =
        parent == outer || (parent->getParentOp() == outer &&
                            parent.getIterator() == loop.getIterator());
    if (isNest && visitsEdgesOf(loop, outer))
      return WalkResult::advance();
    (void)refuse(loop, "it visits edges of other nodes than the outermost "
                       "loop, or others for each edge than those of the node");
    return WalkResult::interrupt();
  });
  if (nested.wasInterrupted())
    return failure();

  llvm::MapVector<StringRef, SmallVector<Access>> accesses;
  outer.getBody().walk([&](Operation *op) {
    if (auto read = dyn_cast<ReadOp>(op))
      accesses[read.getName()].push_back({op, getElement(read.getElement())});
    else if (auto write = dyn_cast<WriteOp>(op))
      accesses[write.getName()].push_back({op, getElement(write.getElement())});
    else if (auto accumulate = dyn_cast<AccumulateOp>(op))
      accesses[accumulate.getName()].push_back(
          {op, getElement(accumulate.getElement())});
  });
  for (auto &[name, ops] : accesses)
    for (size_t second = 0; second < ops.size(); ++second) {
      if (failed(checkWrite(ops[second], name)))
        return failure();
      for (size_t first = 0; first < second; ++first)
        if (failed(checkPair(ops[first], ops[second], name)))
          return failure();
    }
  return success();
}

LogicalResult raise::checkDependences(ProgramOp program) {
  for (auto loop : program.getBody().front().getOps<LoopOp>())
    if (failed(checkLoop(loop)))
      return failure();
  return success();
}
