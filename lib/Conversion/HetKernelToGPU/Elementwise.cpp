//===- Elementwise.cpp - copies and linalg ops as parallel loops ----------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::hetkernel;

static scf::ForallOp createForall(ImplicitLocOpBuilder &builder, Value count) {
  return scf::ForallOp::create(builder, ArrayRef<OpFoldResult>{count},
                               /*outputs=*/ValueRange(),
                               /*mapping=*/std::nullopt);
}

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

/// The number at `position` of the part that has its row; `ends` are the rows
/// where parts end, `begin` that where the first begins.
static Value loadFromParts(ImplicitLocOpBuilder &builder, ValueRange parts,
                           ValueRange ends, Value begin,
                           ArrayRef<Value> position) {
  if (parts.size() == 1) {
    SmallVector<Value> inPart(position);
    inPart[0] = arith::SubIOp::create(builder, position[0], begin);
    return memref::LoadOp::create(builder, parts.front(), inPart);
  }
  size_t half = parts.size() / 2;
  Value middle = ends[half - 1];
  Value isBefore = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                         position[0], middle);
  Type type = cast<MemRefType>(parts.front().getType()).getElementType();
  auto choice = scf::IfOp::create(builder, type, isBefore, /*else=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder,
                       loadFromParts(builder, parts.take_front(half),
                                     ends.take_front(half), begin, position));
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder,
                       loadFromParts(builder, parts.drop_front(half),
                                     ends.drop_front(half), middle, position));
  return choice.getResult(0);
}

/// The most parts that a thread chooses from without branches.
constexpr size_t maxSelected = 16;

/// The same for few parts: chooses the part first, so that the load waits for
/// no branch. Null where parts differ in more than their rows.
static Value loadFromChosen(ImplicitLocOpBuilder &builder, ValueRange parts,
                            ValueRange ends, Value begin,
                            ArrayRef<Value> position) {
  auto type = cast<MemRefType>(parts.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = ShapedType::kDynamic;
  type = MemRefType::Builder(type).setShape(shape);
  if (parts.size() > maxSelected ||
      !llvm::all_of(parts.getTypes(), [&](Type part) {
        return memref::CastOp::areCastCompatible(part, type);
      }))
    return {};
  Value chosen, first = begin;
  for (auto [number, part] : llvm::enumerate(parts)) {
    Value own = builder.createOrFold<memref::CastOp>(type, part);
    if (!chosen) {
      chosen = own;
      continue;
    }
    Value end = ends[number - 1];
    Value isBehind = arith::CmpIOp::create(builder, arith::CmpIPredicate::uge,
                                           position[0], end);
    chosen = arith::SelectOp::create(builder, isBehind, own, chosen);
    first = arith::SelectOp::create(builder, isBehind, end, first);
  }
  SmallVector<Value> inPart(position);
  inPart[0] = arith::SubIOp::create(builder, position[0], first);
  return memref::LoadOp::create(builder, chosen, inPart);
}

/// How many threads copy `count` numbers. Where parts lie and end is the same
/// for all numbers of a thread, but few numbers rather have more threads.
static Value getNumCopiers(ImplicitLocOpBuilder &builder, Value count) {
  constexpr int64_t numbersOfThread = 8, enoughThreads = 1 << 15;
  Value threads = builder.createOrFold<arith::CeilDivUIOp>(
      count, createIndex(builder, numbersOfThread));
  threads = builder.createOrFold<arith::MaxUIOp>(
      threads, createIndex(builder, enoughThreads));
  return builder.createOrFold<arith::MinUIOp>(threads, count);
}

/// How many of the parts a kernel has arguments for: the buffers, and the row
/// where each ends.
static size_t countParts(ValueRange parts) {
  llvm::SmallDenseSet<Value> captured;
  int64_t bytes = 0;
  for (auto [number, part] : llvm::enumerate(parts)) {
    Value buffer = hetkernel::getCaptured(part);
    bytes += sizeof(int64_t);
    if (captured.insert(buffer).second)
      bytes += getArgumentBytes(buffer.getType());
    if (bytes > maxArgumentBytes)
      return number;
  }
  return parts.size();
}

LogicalResult hetkernel::spreadConcat(ConcatOp concat) {
  for (Value buffer : concat->getOperands())
    if (!isa<MemRefType>(buffer.getType()))
      return concat.emitOpError("expected buffers, got ") << buffer.getType();
  ImplicitLocOpBuilder builder(concat.getLoc(), concat);
  Value out = concat.getOut(), zero = createIndex(builder, 0), begin = zero;
  SmallVector<Value> sizes =
      getSizes(builder, out, 0, cast<MemRefType>(out.getType()).getRank());
  for (ValueRange parts = concat.getParts(); !parts.empty();) {
    ValueRange some = parts.take_front(countParts(parts));
    parts = parts.drop_front(some.size());
    SmallVector<Value> ends;
    Value end = begin;
    for (Value part : some) {
      end = builder.createOrFold<arith::AddIOp>(
          end, builder.createOrFold<memref::DimOp>(part, zero));
      ends.push_back(end);
    }
    sizes[0] = builder.createOrFold<arith::SubIOp>(end, begin);
    Value count = multiply(builder, sizes);
    Value numThreads = some.size() > 1 ? getNumCopiers(builder, count) : count;
    auto loop = createForall(builder, numThreads);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    auto own =
        scf::ForOp::create(builder, loop.getInductionVar(0), count, numThreads);
    builder.setInsertionPointToStart(own.getBody());
    SmallVector<Value> position =
        delinearize(builder, own.getInductionVar(), sizes);
    position[0] = arith::AddIOp::create(builder, position[0], begin);
    Value number = loadFromChosen(builder, some, ends, begin, position);
    if (!number)
      number = loadFromParts(builder, some, ends, begin, position);
    memref::StoreOp::create(builder, number, out, position);
    begin = end;
  }
  concat.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Ops of linalg
//===----------------------------------------------------------------------===//

static LogicalResult spread(IRRewriter &rewriter, linalg::LinalgOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  if (!op.hasPureBufferSemantics())
    return op.emitOpError("expected buffers, got tensors");
  if (op.getNumParallelLoops() == 0) { // One thread does it all.
    auto loop = createForall(builder, createIndex(builder, 1));
    op->moveBefore(loop.getBody()->getTerminator());
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return op.emitOpError("expected an op that loops compute");
    rewriter.eraseOp(op);
    return success();
  }
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::LinalgLoops> loops =
      linalg::linalgOpToParallelLoops(rewriter, op);
  auto outer = failed(loops) || loops->empty()
                   ? scf::ParallelOp()
                   : dyn_cast<scf::ParallelOp>(loops->front());
  if (!outer || outer.getNumLoops() != op.getNumParallelLoops())
    return op.emitOpError("expected parallel dimensions before the others");
  std::vector<unsigned> dims(outer.getNumLoops());
  std::iota(dims.begin(), dims.end(), 0);
  Operation *previous = outer->getPrevNode();
  Block *block = outer->getBlock();
  collapseParallelLoops(rewriter, outer, {dims});
  // The loop that took its place.
  scf::ParallelOp flat;
  for (auto it = previous ? std::next(previous->getIterator()) : block->begin();
       !flat; ++it)
    flat = dyn_cast<scf::ParallelOp>(*it);
  builder.setInsertionPoint(flat);
  auto loop = createForall(builder, flat.getUpperBound().front());
  flat.getBody()->getTerminator()->erase();
  flat.getInductionVars().front().replaceAllUsesWith(loop.getInductionVar(0));
  loop.getBody()->getOperations().splice(loop.getBody()->begin(),
                                         flat.getBody()->getOperations());
  flat.erase();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult hetkernel::spreadElementwise(Operation *function) {
  IRRewriter rewriter(function->getContext());
  function->walk([&](memref::CopyOp copy) {
    // Two views have become one since copies were simplified.
    if (copy.getSource() == copy.getTarget())
      return rewriter.eraseOp(copy);
    rewriter.setInsertionPoint(copy);
    rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(),
                                                copy.getTarget());
  });
  SmallVector<linalg::LinalgOp> ops;
  function->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    op->setLoc(nameLocation(op.getLoc(), op->getName().getStringRef(),
                            op->getOperands()));
    if (failed(spread(rewriter, op)))
      return failure();
  }
  return success();
}
