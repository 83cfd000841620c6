//===- Context.cpp - what compiled code calls of the runtime --------------===//

#include "Context.h"

#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::rgnn;

Value rgnn::getContextArgument(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), kContextAttr))
      return argument;
  MLIRContext *context = function.getContext();
  NamedAttribute mark(StringAttr::get(context, kContextAttr),
                      UnitAttr::get(context));
  (void)function.insertArgument(0, LLVM::LLVMPointerType::get(context),
                                DictionaryAttr::get(context, mark),
                                function.getLoc());
  return function.getArgument(0);
}

void rgnn::callContext(OpBuilder &builder, Location loc,
                       ContextFunction function, ValueRange arguments) {
  MLIRContext *context = builder.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Value slot = LLVM::GEPOp::create(
      builder, loc, pointer, builder.getI8Type(), arguments.front(),
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(function)});
  SmallVector<Value> operands{
      LLVM::LoadOp::create(builder, loc, pointer, slot)};
  llvm::append_range(operands, arguments);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(context), llvm::to_vector(arguments.getTypes()));
  LLVM::CallOp::create(builder, loc, type, operands);
}
