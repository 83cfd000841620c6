//===- ObjectCode.cpp - from the llvm dialect to object code --------------===//

#include "RGNN/CodeGen/ObjectCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"

using namespace mlir;

void rgnn::registerCodeGenDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
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
  for (llvm::Function &function : *result)
    if (!function.isDeclaration())
      function.addFnAttr(llvm::Attribute::NoUnwind);
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
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
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
