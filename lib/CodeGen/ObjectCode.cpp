//===- ObjectCode.cpp - from the llvm dialect to object code --------------===//

#include "RGNN/CodeGen/ObjectCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/MergeFunctions.h"

using namespace mlir;

void rgnn::registerCodeGenDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

static bool mentionsBFloat(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const auto &inst) {
    return inst.getType()->getScalarType()->isBFloatTy() ||
           llvm::any_of(inst.operands(), [](const llvm::Use &operand) {
             return operand->getType()->getScalarType()->isBFloatTy();
           });
  });
}

/// Defines the function that LLVM calls where a processor cannot round to
/// bfloat16; libgcc has it since GCC 13 only. Ties go to even, NaN stays NaN.
static void defineBFloatRounding(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> builder(context);
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(builder.getBFloatTy(), {builder.getFloatTy()},
                              /*isVarArg=*/false),
      llvm::GlobalValue::WeakAnyLinkage, "__truncsfbf2", module);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  llvm::Value *number = function->getArg(0);
  llvm::Value *bits = builder.CreateBitCast(number, builder.getInt32Ty());
  llvm::Value *upper = builder.CreateLShr(bits, 16);
  llvm::Value *bias =
      builder.CreateAdd(builder.CreateAnd(upper, 1), builder.getInt32(0x7FFF));
  llvm::Value *rounded = builder.CreateLShr(builder.CreateAdd(bits, bias), 16);
  llvm::Value *quiet = builder.CreateOr(upper, 0x40);
  llvm::Value *result = builder.CreateSelect(
      builder.CreateFCmpUNO(number, number), quiet, rounded);
  builder.CreateRet(
      builder.CreateBitCast(builder.CreateTrunc(result, builder.getInt16Ty()),
                            builder.getBFloatTy()));
}

/// Whether the function is one that callers enter, and long without a branch.
/// Such code, which hands hundreds of buffers to kernels, runs once a call, but
/// LLVM schedules a block in time quadratic in its length.
static bool isLongEntry(const llvm::Function &function) {
  constexpr size_t longBlock = 500;
  return !function.hasLocalLinkage() &&
         llvm::any_of(function, [](const llvm::BasicBlock &block) {
           return block.size() > longBlock;
         });
}

FailureOr<std::unique_ptr<llvm::Module>>
rgnn::translateToLLVM(ModuleOp module, llvm::LLVMContext &context,
                      llvm::TargetMachine &machine) {
  // Known before translation: it decides the alignment of every access.
  Builder builder(module.getContext());
  module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                  builder.getStringAttr(
                      machine.createDataLayout().getStringRepresentation()));
  module->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(),
                  builder.getStringAttr(machine.getTargetTriple().str()));
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(module, context, "rgnn");
  if (!result)
    return failure();
  result->setPICLevel(llvm::PICLevel::BigPIC);
  if (llvm::any_of(*result, mentionsBFloat))
    defineBFloatRounding(*result);
  for (llvm::Function &function : *result) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.hasLocalLinkage()) // Nothing compares addresses of kernels.
      function.setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    if (isLongEntry(function)) {
      function.addFnAttr(llvm::Attribute::OptimizeNone);
      function.addFnAttr(llvm::Attribute::NoInline);
    }
  }
  return result;
}

void rgnn::optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.LoopInterleaving = tuning.LoopUnrolling =
      tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  // First, since node types of one width have equal kernels.
  llvm::ModulePassManager passes;
  passes.addPass(llvm::MergeFunctionsPass());
  passes.addPass(
      builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3));
  passes.run(module, modules);
}

llvm::Expected<llvm::SmallString<0>>
rgnn::emitCode(llvm::Module &module, llvm::TargetMachine &machine,
               llvm::CodeGenFileType type) {
  llvm::SmallString<0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager manager;
  if (machine.addPassesToEmitFile(manager, stream, nullptr, type))
    return llvm::createStringError(
        std::errc::not_supported, "no %s output for %s",
        type == llvm::CodeGenFileType::ObjectFile ? "object" : "assembly",
        machine.getTargetTriple().str().c_str());
  manager.run(module);
  return code;
}
