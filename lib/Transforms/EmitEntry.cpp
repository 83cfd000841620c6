//===- EmitEntry.cpp - the C interface of compiled code -------------------===//

#include "RGNN/Dialect/RGNN/Utils/Entries.h"
#include "RGNN/Support/Words.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNEMITENTRYPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

static bool isContext(func::FuncOp func, unsigned argument) {
  return func.getArgAttr(argument, kContextAttr) != nullptr;
}
static bool isWorkspace(func::FuncOp func, unsigned argument) {
  return func.getArgAttr(argument, kWorkspaceAttr) != nullptr;
}

static LogicalResult verifyArguments(func::FuncOp func) {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return func.emitOpError("expected a definition of one block");
  for (auto [number, type] : llvm::enumerate(func.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (failed(WordCursor::numWords(type)) ||
        (memref && !memref.getLayout().isIdentity()) ||
        (isa<LLVM::LLVMPointerType>(type) && !isContext(func, number)))
      return func.emitOpError(
                 "expected a contiguous memref or a number as argument ")
             << number << ", got " << type;
  }
  return success();
}

/// Moves the body of `func` behind an entry that finds the arguments in
/// `words`; an argument that nobody uses is not read. `context` is null for
/// functions without one.
static void moveBehindWords(func::FuncOp func, func::FuncOp entry,
                            Value context, Value words) {
  auto builder = OpBuilder::atBlockEnd(&entry.getBody().front());
  Location loc = func.getLoc();
  LLVMTypeConverter converter(func.getContext());
  // Word 0 is the workspace, also for functions that do not take it.
  WordCursor workspace(builder, loc, converter, words),
      cursor(builder, loc, converter, words);
  cursor.skipWords(1);
  IRMapping mapping;
  for (BlockArgument argument : func.getArguments()) {
    const unsigned number = argument.getArgNumber();
    if (isContext(func, number))
      mapping.map(argument, context);
    else if (isWorkspace(func, number))
      mapping.map(argument, workspace.readWorkspace(
                                cast<MemRefType>(argument.getType())));
    else if (argument.use_empty())
      cursor.skip(argument.getType());
    else
      mapping.map(argument, cursor.read(argument.getType()));
  }
  for (Operation &op : func.getBody().front())
    builder.clone(op, mapping);
}

/// An empty function `name` in front of `func`.
static func::FuncOp createEntry(func::FuncOp func, StringRef name,
                                TypeRange arguments, Type result) {
  OpBuilder builder(func);
  auto entry = func::FuncOp::create(builder, func.getLoc(), name,
                                    builder.getFunctionType(arguments, result));
  entry.addEntryBlock();
  return entry;
}

namespace {

struct EmitEntryPass : rgnn::impl::RGNNEmitEntryPassBase<EmitEntryPass> {
  using RGNNEmitEntryPassBase::RGNNEmitEntryPassBase;

  void runOnOperation() override {
    if (auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
        forward && forward.isDeclaration()) {
      forward.emitOpError("expected a definition of one block");
      return signalPassFailure();
    }
    llvm::StringSet<> emitted;
    for (func::FuncOp function : getExported(getOperation())) {
      std::string name = ("rgnn_" + function.getName()).str(),
                  workspace = name + "_workspace";
      auto bytes = getOperation().lookupSymbol<func::FuncOp>(
          (function.getName() + "_workspace").str());
      if (failed(emitForward(function, name)) ||
          failed(emitWorkspace(bytes, workspace, function.getLoc())))
        return signalPassFailure();
      function->erase();
      if (bytes)
        bytes->erase();
      emitted.insert_range(ArrayRef<std::string>{name, workspace});
    }
    if (!emitted.empty())
      makeOthersInternal(emitted);
  }

private:
  static LogicalResult emitForward(func::FuncOp forward, StringRef name) {
    if (failed(verifyArguments(forward)))
      return failure();
    if (forward.getNumResults() != 0)
      return forward.emitOpError("expected results as out parameters, got ")
             << forward.getNumResults() << " results";
    OpBuilder builder(forward.getContext());
    Type pointer = LLVM::LLVMPointerType::get(forward.getContext());
    func::FuncOp entry =
        createEntry(forward, name, {pointer, pointer}, builder.getI32Type());
    moveBehindWords(forward, entry, entry.getArgument(0), entry.getArgument(1));
    auto oldReturn =
        cast<func::ReturnOp>(entry.getBody().front().getTerminator());
    builder.setInsertionPoint(oldReturn);
    Value zero = arith::ConstantIntOp::create(builder, oldReturn.getLoc(),
                                              builder.getI32Type(), 0);
    func::ReturnOp::create(builder, oldReturn.getLoc(), zero);
    oldReturn->erase();
    return success();
  }

  /// Without a plan no workspace is needed.
  LogicalResult emitWorkspace(func::FuncOp bytes, StringRef name,
                              Location loc) {
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    auto builder = OpBuilder::atBlockEnd(getOperation().getBody());
    if (bytes) {
      if (failed(verifyArguments(bytes)))
        return failure();
      func::FuncOp entry =
          createEntry(bytes, name, pointer, builder.getI64Type());
      moveBehindWords(bytes, entry, Value(), entry.getArgument(0));
      return success();
    }
    auto entry = func::FuncOp::create(
        builder, loc, name,
        builder.getFunctionType(pointer, builder.getI64Type()));
    builder.setInsertionPointToStart(entry.addEntryBlock());
    Value zero =
        arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), 0);
    func::ReturnOp::create(builder, loc, zero);
    return success();
  }

  void makeOthersInternal(const llvm::StringSet<> &entries) {
    auto internal =
        LLVM::LinkageAttr::get(&getContext(), LLVM::Linkage::Internal);
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || entries.contains(func.getName()))
        continue;
      func.setPrivate();
      func->setAttr("llvm.linkage", internal);
    }
  }
};

} // namespace
