//===- LiftTorch.cpp - captured PyTorch operators become rgnn ops ---------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Support/Remarks.h"
#include "Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "rgnn-lift-torch"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNLIFTTORCHPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

static Rules makeRules() {
  Rules rules;
  addCellRules(rules);
  addConstantRules(rules);
  addCopyRules(rules);
  addEinsumRules(rules);
  addElementwiseRules(rules);
  addMovementRules(rules);
  addNodeTypeRules(rules);
  addNormalisationRules(rules);
  addPartRules(rules);
  addProductRules(rules);
  addReductionRules(rules);
  addScatterRules(rules);
  addShapeRules(rules);
  addSizeRules(rules);
  return rules;
}

/// Why no kernel computes tensors of a type.
static Refusal whyUnusual(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  if (tensor.getRank() > 0 &&
      llvm::is_contained(tensor.getShape().drop_front(), 0))
    return "its rows have no numbers";
  if (tensor.getNumDynamicDims() != 1 || !tensor.isDynamicDim(0))
    return {};
  ArrayRef<int64_t> row = tensor.getShape().drop_front();
  auto isLong = [](int64_t size) { return size > 1; };
  if (llvm::count_if(row, isLong) <= 1 ||
      ShapedType::getNumElements(row) <= maxNumbersOfRows)
    return {};
  return "its rows have more than " + Twine(maxNumbersOfRows) +
         " numbers in several dimensions";
}

/// Whether `value` is a stack of tensors that is read by their sum or mean
/// alone, which no rows of all of them are made for.
static bool isAddedUpStack(Value value) {
  auto stack = value.getDefiningOp<TorchOp>();
  if (!stack || stack.getName() != "aten.stack" || !value.hasOneUse() ||
      getElementTypeOrSelf(value).getIntOrFloatBitWidth() < 32)
    return false;
  auto user = dyn_cast<TorchOp>(*value.user_begin());
  if (!user || (user.getName() != "aten.sum.dim_IntList" &&
                user.getName() != "aten.mean.dim"))
    return false;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  auto dims = Arguments(user).integers(1);
  auto dim = normalizeDim(Arguments(stack).integer(1), rank);
  return dim && dims && dims->size() == 1 &&
         normalizeDim(dims->front(), rank) == dim;
}

static Refusal whyUnusual(TorchOp op) {
  // A size can be read whatever the others are.
  if (op.getNumResults() > 0 &&
      llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return {};
  for (Value operand : op->getOperands())
    if (Refusal refusal = whyUnusual(operand.getType());
        refusal && !isAddedUpStack(operand))
      return refusal;
  // What nobody uses need not be made.
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (number == 0 || !result.use_empty())
      if (Refusal refusal = whyUnusual(result.getType());
          refusal && !isAddedUpStack(result))
        return refusal;
  return {};
}

/// Lifts one operator, or says why not. No reason: it only prepares others, and
/// goes if they do.
static LogicalResult liftOp(TorchOp op, Lifter &lifter, const Rules &rules,
                            std::string &reason) {
  if (lifter.roles.getCopied(Arguments(op)))
    return success();
  auto rule = rules.find(op.getName());
  if (rule == rules.end()) {
    reason = "no rule for it";
    return failure();
  }
  if (Refusal refusal = whyUnusual(op)) {
    reason = refusal.getReason();
    return failure();
  }
  TorchCall call(op, lifter);
  if (succeeded(rule->second.lift(call)))
    return success();
  reason = call.reason;
  return failure();
}

/// Gives what stays, and the return, plain tensors in place of lifted ones.
static void replaceRemainingUses(ArrayRef<TorchOp> ops,
                                 const DenseSet<Operation *> &lifted,
                                 Lifter &lifter) {
  for (TorchOp op : ops) {
    if (!lifted.contains(op))
      continue;
    for (Value captured : op.getResults()) {
      auto stays = [&](OpOperand &use) {
        return !lifted.contains(use.getOwner());
      };
      // A copy of something that is not of floats is the original itself.
      Value original = lifter.roles.resolve(captured);
      auto type = dyn_cast<RankedTensorType>(original.getType());
      bool isFloat = type && isa<FloatType>(type.getElementType());
      if (llvm::none_of(captured.getUses(), stays))
        continue;
      Value plain = isFloat ? lifter.get(original, RowsAttr()) : original;
      // PyTorch fills tensors of one number itself.
      if (plain.getDefiningOp<arith::ConstantOp>())
        continue;
      captured.replaceUsesWithIf(plain, stays);
    }
  }
}

/// Erases what nobody reads, last op first. Captured operators are functional,
/// but for those without results, which check something.
static void eraseUnused(Block &block, const DenseSet<Operation *> &lifted) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    bool isUnusedCapture = isa<TorchOp>(op) && op.getNumResults() > 0;
    if (op.use_empty() &&
        (isUnusedCapture || lifted.contains(&op) || isOpTriviallyDead(&op)))
      op.erase();
  }
}

namespace {
struct LiftTorchPass : public rgnn::impl::RGNNLiftTorchPassBase<LiftTorchPass> {
  using RGNNLiftTorchPassBase::RGNNLiftTorchPassBase;

  void runOnOperation() override {
    Rules rules = makeRules();
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (llvm::hasSingleElement(func.getBody()))
        liftFunction(func, rules);
  }

  void liftFunction(func::FuncOp func, const Rules &rules) {
    Block &block = func.getBody().front();
    if (block.getOps<TorchOp>().empty())
      return;
    moveAboveTruths(block);
    bringRowsFirst(block);
    Lifter lifter(func, rules); // Orders the operators.
    SmallVector<TorchOp> ops(block.getOps<TorchOp>());
    DenseSet<Operation *> lifted;
    llvm::MapVector<Operation *, std::string> reasons;
    for (TorchOp op : ops) {
      std::string reason;
      if (succeeded(liftOp(op, lifter, rules, reason)))
        lifted.insert(op);
      else
        reasons[op] = reason;
      LDBG() << op.getName() << ": "
             << (lifted.contains(op) ? "lifted" : reason);
    }
    replaceRemainingUses(ops, lifted, lifter);
    SmallVector<FlatSymbolRefAttr> schemas;
    for (CapturedGraph &graph : lifter.graphs)
      schemas.push_back(graph.getSchema());
    eraseUnused(block, lifted);
    eraseUnusedSchemas(func, schemas);
    // Erased ones were not needed; what is there still has a reason.
    int64_t numLifted = lifted.size(), numLeft = 0;
    for (TorchOp op : block.getOps<TorchOp>()) {
      ++numLeft;
      const std::string &reason = reasons[op];
      if (!reason.empty())
        remark::missed(op.getLoc(), remark::RemarkOpts::name("NotLifted")
                                        .category(getArgument())
                                        .function(func.getName()))
            << remark::metric("Operator", op.getName())
            << remark::reason("{0}", reason);
    }
    reportCounts(func, getArgument(),
                 {{"num-lifted", numLifted}, {"num-left", numLeft}});
  }

  /// A schema goes with its graph.
  void eraseUnusedSchemas(func::FuncOp func,
                          ArrayRef<FlatSymbolRefAttr> schemas) {
    for (FlatSymbolRefAttr schema : schemas) {
      auto isUsed = func.walk([&](COOGraphOp graph) {
        return graph.getGraph().getType().getSchema() == schema
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      });
      if (!isUsed.wasInterrupted())
        SymbolTable::lookupSymbolIn(getOperation(), schema)->erase();
    }
  }
};
} // namespace
