//===- OutlineParallel.cpp - parallel loops as functions ------------------===//

#include "Context.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Support/Remarks.h"
#include "RGNN/Support/Words.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNOUTLINEPARALLELPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Words before those of values: the number of the kernel, or -1, for who times
/// kernels.
static constexpr int64_t kNumHeadWords = 1;

/// Whether to compute the value again in the loop's function rather than to
/// pass it: constants, so that they stay visible to later passes, and vectors,
/// which have no place among words.
static bool isRepeated(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isPure(op))
    return false;
  return op->hasTrait<OpTrait::ConstantLike>() ||
         isa<VectorType>(value.getType());
}

/// Clones repeated values into the start of the loop's body, one layer of
/// operands after the other, until only values to be passed are left.
static SetVector<Value> captureValues(scf::ForallOp loop) {
  OpBuilder builder(loop.getContext());
  while (true) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(loop.getRegion(), captured);
    bool repeated = false;
    for (Value value : captured) {
      if (!isRepeated(value))
        continue;
      builder.setInsertionPointToStart(loop.getBody());
      Operation *copy = builder.clone(*value.getDefiningOp());
      value.replaceUsesWithIf(copy->getResult(0), [&](OpOperand &use) {
        return use.getOwner() != copy &&
               loop.getRegion().isAncestor(use.getOwner()->getParentRegion());
      });
      repeated = true;
    }
    if (!repeated)
      return captured;
  }
}

/// The loops in front that the runtime gets together.
static FailureOr<ArrayRef<scf::ForallOp>>
getGroup(ArrayRef<scf::ForallOp> loops) {
  scf::ForallOp first = loops.front();
  Attribute group = first->getAttr(kGroupAttr);
  ArrayRef<scf::ForallOp> members = loops.take_while([&](scf::ForallOp loop) {
    return loop == first || (group && loop->getAttr(kGroupAttr) == group &&
                             loop->getBlock() == first->getBlock());
  });
  for (Operation *op = first; op != members.back(); op = op->getNextNode())
    if (!isMemoryEffectFree(op) && op->getAttr(kGroupAttr) != group)
      return op->emitOpError("expected parallel loops of a group side by side, "
                             "got this op between them");
  return members;
}

static LogicalResult verifyLoop(scf::ForallOp loop) {
  if (loop.getNumResults() != 0)
    return loop.emitOpError("expected a parallel loop on buffers, got ")
           << loop.getNumResults() << " results";
  if (loop.getRank() != 1)
    return loop.emitOpError("expected a parallel loop of 1 dimension, got ")
           << loop.getRank();
  return success();
}

namespace {

/// A loop as the runtime takes it.
struct Outlined {
  Value count, function, env;
};

struct OutlineParallelPass
    : rgnn::impl::RGNNOutlineParallelPassBase<OutlineParallelPass> {
  using RGNNOutlineParallelPassBase::RGNNOutlineParallelPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(runOnFunction(func, symbols)))
        return signalPassFailure();
  }

private:
  LogicalResult runOnFunction(func::FuncOp func, SymbolTable &symbols) {
    SmallVector<scf::ForallOp> loops, inner;
    func.walk([&](scf::ForallOp loop) {
      (loop->getParentOfType<scf::ForallOp>() ? inner : loops).push_back(loop);
    });
    if (loops.empty())
      return success();
    IRRewriter rewriter(func.getContext());
    for (scf::ForallOp loop : inner) {
      rewriter.setInsertionPoint(loop);
      if (loop.getNumResults() != 0 ||
          failed(scf::forallToForLoop(rewriter, loop)))
        return loop.emitOpError("expected a parallel loop on buffers, got ")
               << loop.getNumResults() << " results";
    }
    if (!SymbolTable::symbolKnownUseEmpty(func, getOperation()))
      return func.emitOpError(
          "expected no callers of a function with a parallel loop, got one");
    int64_t numOutlined = 0, numSequential = inner.size();
    for (ArrayRef<scf::ForallOp> rest = loops; !rest.empty();) {
      FailureOr<ArrayRef<scf::ForallOp>> group = getGroup(rest);
      if (failed(group))
        return failure();
      SmallVector<Outlined> outlined;
      for (scf::ForallOp loop : *group)
        if (failed(verifyLoop(loop)) ||
            failed(outline(loop, func, numOutlined++, symbols, outlined)))
          return failure();
      emitCall(group->back(), func, outlined);
      for (scf::ForallOp loop : *group)
        loop->erase();
      rest = rest.drop_front(group->size());
    }
    reportCounts(
        func, getArgument(),
        {{"num-outlined", numOutlined}, {"num-sequential", numSequential}});
    return success();
  }

  LogicalResult outline(scf::ForallOp loop, func::FuncOp func, unsigned number,
                        SymbolTable &symbols,
                        SmallVectorImpl<Outlined> &outlined) {
    SetVector<Value> captured = captureValues(loop);
    Location loc = loop.getLoc();
    OpBuilder builder(loop);

    // Bounds are computed outside; the function sees the iteration's number.
    Value lower = getValueOrCreateConstantIndexOp(builder, loc,
                                                  loop.getMixedLowerBound()[0]);
    Value step =
        getValueOrCreateConstantIndexOp(builder, loc, loop.getMixedStep()[0]);
    Value count = getValueOrCreateConstantIndexOp(builder, loc,
                                                  loop.getMixedUpperBound()[0]);
    const bool isNormalized = loop.isNormalized();
    if (!isNormalized) {
      count = arith::CeilDivSIOp::create(
          builder, loc, arith::SubIOp::create(builder, loc, count, lower),
          step);
      for (Value bound : {lower, step})
        if (!isRepeated(bound))
          captured.insert(bound);
    }
    int64_t words = kNumHeadWords;
    for (Value value : captured) {
      FailureOr<int64_t> size = WordCursor::numWords(value.getType());
      if (failed(size))
        return loop.emitOpError("expected values used in a parallel loop to be "
                                "memrefs or scalars, got ")
               << value.getType();
      words += *size;
    }

    func::FuncOp body = emitBody(loop, func, number, captured,
                                 isNormalized ? Value() : lower, step);
    symbols.insert(body);
    outlined.push_back(emitEnv(loop, func, body, count, captured, words));
    return success();
  }

  func::FuncOp emitBody(scf::ForallOp loop, func::FuncOp func, unsigned number,
                        const SetVector<Value> &captured, Value lower,
                        Value step) {
    Location loc = loop.getLoc();
    OpBuilder builder(func);
    Type i64 = builder.getI64Type(),
         pointer = LLVM::LLVMPointerType::get(func.getContext());
    auto body = func::FuncOp::create(
        loc, (func.getName() + "_parallel_" + Twine(number)).str(),
        builder.getFunctionType({i64, i64, pointer}, {}));
    body.setPrivate();
    Block *entry = body.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    LLVMTypeConverter converter(func.getContext());
    WordCursor cursor(builder, loc, converter, entry->getArgument(2));
    cursor.skipWords(kNumHeadWords);
    IRMapping mapping;
    for (Value value : captured)
      mapping.map(value, cursor.read(value.getType()));
    Value begin = arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), entry->getArgument(0));
    Value end = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                           entry->getArgument(1));
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto forOp = scf::ForOp::create(builder, loc, begin, end, one);
    func::ReturnOp::create(builder, loc);

    builder.setInsertionPointToStart(forOp.getBody());
    auto local = [&](Value bound) {
      return isRepeated(bound)
                 ? builder.clone(*bound.getDefiningOp())->getResult(0)
                 : mapping.lookup(bound);
    };
    Value index = forOp.getInductionVar();
    if (lower) {
      index = arith::MulIOp::create(builder, loc, index, local(step));
      index = arith::AddIOp::create(builder, loc, index, local(lower));
    }
    mapping.map(loop.getInductionVar(0), index);
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, mapping);
    return body;
  }

  /// Words on the stack, in the entry block.
  static Value allocateWords(func::FuncOp func, Location loc, int64_t words) {
    OpBuilder builder(func.getContext());
    builder.setInsertionPointToStart(&func.getBody().front());
    Type i64 = builder.getI64Type();
    Value one = LLVM::ConstantOp::create(builder, loc, i64, 1);
    return LLVM::AllocaOp::create(
        builder, loc, LLVM::LLVMPointerType::get(func.getContext()),
        LLVM::LLVMArrayType::get(i64, words), one, /*alignment=*/8);
  }

  static Outlined emitEnv(scf::ForallOp loop, func::FuncOp func,
                          func::FuncOp body, Value count,
                          const SetVector<Value> &captured, int64_t words) {
    Location loc = loop.getLoc();
    OpBuilder builder(loop);
    Type i64 = builder.getI64Type(),
         pointer = LLVM::LLVMPointerType::get(func.getContext());
    Value env = allocateWords(func, loc, words);
    LLVMTypeConverter converter(func.getContext());
    WordCursor cursor(builder, loc, converter, env);
    auto kernel = loop->getAttrOfType<IntegerAttr>(kKernelAttr);
    cursor.write(LLVM::ConstantOp::create(builder, loc, i64,
                                          kernel ? kernel.getInt() : -1));
    for (Value value : captured)
      cursor.write(value);

    Value total = arith::IndexCastOp::create(builder, loc, i64, count);
    Value function =
        func::ConstantOp::create(builder, loc, body.getFunctionType(),
                                 FlatSymbolRefAttr::get(body.getNameAttr()));
    function =
        UnrealizedConversionCastOp::create(builder, loc, pointer, function)
            .getResult(0);
    return {total, function, env};
  }

  /// Gives loops to the runtime, in front of `last`.
  static void emitCall(scf::ForallOp last, func::FuncOp func,
                       ArrayRef<Outlined> loops) {
    Location loc = last.getLoc();
    OpBuilder builder(last);
    Value context = getContextArgument(func);
    if (loops.size() == 1) {
      const Outlined &loop = loops.front();
      return callContext(builder, loc, ContextFunction::ParallelFor,
                         {context, loop.count, loop.function, loop.env});
    }
    constexpr int64_t wordsOfLoop = 3; // of RgnnLoop
    Value table = allocateWords(func, loc, wordsOfLoop * loops.size());
    LLVMTypeConverter converter(func.getContext());
    WordCursor cursor(builder, loc, converter, table);
    for (const Outlined &loop : loops)
      for (Value word : {loop.count, loop.function, loop.env})
        cursor.write(word);
    Value numLoops = LLVM::ConstantOp::create(
        builder, loc, builder.getI64Type(), static_cast<int64_t>(loops.size()));
    callContext(builder, loc, ContextFunction::ParallelForAll,
                {context, numLoops, table});
  }
};

} // namespace
