//===- ControlFlow.cpp - loops, conditions and branches -------------------===//

#include "../Translator.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

/// Arguments that live in the registers of results: what the last run of a loop
/// leaves in them is the result.
static SmallVector<unsigned> defineCarried(Translator &translator,
                                           ValueRange arguments,
                                           ValueRange results) {
  SmallVector<unsigned> carried = translator.define(arguments);
  for (auto [result, slot] : llvm::zip_equal(results, carried))
    translator.bind(result, slot);
  return carried;
}

static LogicalResult translateFor(Translator &translator, scf::ForOp op) {
  SmallVector<unsigned> carried =
      defineCarried(translator, op.getRegionIterArgs(), op.getResults());
  unsigned counter = translator.define(op.getInductionVar());
  unsigned step = translator.getSlot(op.getStep());
  unsigned end = translator.getSlot(op.getUpperBound());
  unsigned head = translator.createLabel(), exit = translator.createLabel();
  unsigned width = getWidth(op.getInductionVar().getType());
  bool isUnsigned = op.getUnsignedCmp();

  translator.emitCopies(op, op.getInitArgs(), carried);
  translator.emitCopies(op, op.getLowerBound(), counter);
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    if (toSigned(thread.at(step), width) > 0)
      return success();
    return fail(thread, op,
                "expected a step above 0, got " +
                    Twine(toSigned(thread.at(step), width)));
  });
  translator.place(head);
  translator.emitPlain(op, [=](Thread &thread) {
    Word a = thread.at(counter), b = thread.at(end);
    if (isUnsigned ? a >= b : toSigned(a, width) >= toSigned(b, width))
      thread.pc = thread.program.labels[exit];
  });
  if (failed(translator.translateBody(*op.getBody())))
    return failure();
  translator.emitCopies(op, op.getBody()->getTerminator()->getOperands(),
                        carried);
  translator.emitPlain(op, [=](Thread &thread) {
    thread.at(counter) = truncate(thread.at(counter) + thread.at(step), width);
    thread.pc = thread.program.labels[head];
  });
  translator.place(exit);
  return success();
}

static LogicalResult translateIf(Translator &translator, scf::IfOp op) {
  SmallVector<unsigned> results = translator.define(op.getResults());
  unsigned otherwise = translator.createLabel(),
           exit = translator.createLabel();
  auto translateBranch = [&](Block *block) -> LogicalResult {
    if (!block)
      return success();
    if (failed(translator.translateBody(*block)))
      return failure();
    translator.emitCopies(op, block->getTerminator()->getOperands(), results);
    return success();
  };
  translator.emitJumpIf(op, translator.getSlot(op.getCondition()), false,
                        otherwise);
  if (failed(translateBranch(op.thenBlock())))
    return failure();
  translator.emitJump(op, exit);
  translator.place(otherwise);
  if (failed(translateBranch(op.elseBlock())))
    return failure();
  translator.place(exit);
  return success();
}

static LogicalResult translateWhile(Translator &translator, scf::WhileOp op) {
  SmallVector<unsigned> before = translator.define(op.getBeforeArguments()),
                        after =
                            defineCarried(translator, op.getAfterArguments(),
                                          op.getResults());
  unsigned head = translator.createLabel(), exit = translator.createLabel();
  translator.emitCopies(op, op.getInits(), before);
  translator.place(head);
  if (failed(translator.translateBody(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  translator.emitCopies(condition, condition.getArgs(), after);
  translator.emitJumpIf(op, translator.getSlot(condition.getCondition()), false,
                        exit);
  if (failed(translator.translateBody(*op.getAfterBody())))
    return failure();
  translator.emitCopies(op, op.getYieldOp()->getOperands(), before);
  translator.emitJump(op, head);
  translator.place(exit);
  return success();
}

static void emitBranch(Translator &translator, Operation *op, Block *block,
                       ValueRange operands) {
  translator.emitCopies(op, operands,
                        translator.getSlots(block->getArguments()));
  translator.emitJump(op, translator.getLabel(block));
}

static LogicalResult translateBranch(Translator &translator, cf::BranchOp op) {
  emitBranch(translator, op, op.getDest(), op.getDestOperands());
  return success();
}

static LogicalResult translateCondBranch(Translator &translator,
                                         cf::CondBranchOp op) {
  unsigned otherwise = translator.createLabel();
  translator.emitJumpIf(op, translator.getSlot(op.getCondition()), false,
                        otherwise);
  emitBranch(translator, op, op.getTrueDest(), op.getTrueDestOperands());
  translator.place(otherwise);
  emitBranch(translator, op, op.getFalseDest(), op.getFalseDestOperands());
  return success();
}

static LogicalResult translateAssert(Translator &translator, cf::AssertOp op) {
  unsigned condition = translator.getSlot(op.getArg());
  std::string message = ("failed: " + op.getMsg()).str();
  translator.emit(op, [=](Thread &thread) {
    return thread.at(condition) ? success() : fail(thread, op, message);
  });
  return success();
}

/// The body of the function stands for the call.
static LogicalResult translateCall(Translator &translator, func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee || !callee.getBody().hasOneBlock() ||
      llvm::is_contained(translator.callees, callee))
    return op.emitOpError("the simulator does not know @")
           << op.getCallee()
           << ": expected a function of one block that does not call itself";
  for (Type type : callee.getArgumentTypes())
    if (Translator::getNumWords(type) == 0)
      return op.emitOpError("the simulator does not know values of type ")
             << type;
  translator.callees.push_back(callee);
  Block &body = callee.getBody().front();
  translator.emitCopies(op, op.getOperands(),
                        translator.define(body.getArguments()));
  if (failed(translator.translateBody(body)))
    return failure();
  translator.emitCopies(op, body.getTerminator()->getOperands(),
                        translator.define(op.getResults()));
  translator.callees.pop_back();
  return success();
}

/// Ends the program. All returns of a function leave its results in the same
/// registers.
static LogicalResult translateReturn(Translator &translator, Operation *op) {
  SmallVector<unsigned> &results = translator.program.results;
  if (results.empty())
    for (Type type : op->getOperandTypes())
      results.push_back(translator.allocate(Translator::getNumWords(type)));
  translator.emitCopies(op, op->getOperands(), results);
  translator.emitPlain(
      op, [](Thread &thread) { thread.pc = thread.program.code.size(); });
  return success();
}

void simulator::addControlFlowOps(OpTable &table) {
  table.add<scf::ForOp>(translateFor);
  table.add<scf::IfOp>(translateIf);
  table.add<scf::WhileOp>(translateWhile);
  table.add<cf::BranchOp>(translateBranch);
  table.add<cf::CondBranchOp>(translateCondBranch);
  table.add<cf::AssertOp>(translateAssert);
  table.add<func::CallOp>(translateCall);
  table.addAll<func::ReturnOp, gpu::ReturnOp, gpu::TerminatorOp>(
      translateReturn);
}
