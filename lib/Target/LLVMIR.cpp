//===- LLVMIR.cpp - LLVM IR, assembly and objects as translations ---------===//

#include "Evaluation.h"
#include "MachineCode.h"
#include "RGNN/CodeGen/ObjectCode.h"
#include "RGNN/CodeGen/Target.h"
#include "RGNN/InitAllDialects.h"
#include "RGNN/Reference/Interpreter.h"
#include "RGNN/Target/Translations.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace mlir::rgnn;

static llvm::cl::opt<std::string> pipelineOptions(
    "rgnn-to-cpu-options",
    llvm::cl::desc("options of the pipeline rgnn-to-cpu, of which cpu and "
                   "features also choose the processor for LLVM"),
    llvm::cl::value_desc("options"));
static llvm::cl::opt<bool> runsOptimizer(
    "optimize", llvm::cl::init(true),
    llvm::cl::desc("optimise as compiled models are (default), or show "
                   "LLVM IR as it was translated"));

StringRef rgnn::getPipelineOptions() { return pipelineOptions; }

FailureOr<std::unique_ptr<CPUPipelineOptions>>
rgnn::parsePipelineOptions(ModuleOp module) {
  auto options = std::make_unique<CPUPipelineOptions>();
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (failed(options->parseFromString(pipelineOptions, stream)))
    return module.emitError()
           << "--rgnn-to-cpu-options: " << StringRef(message).rtrim();
  return options;
}

StringRef rgnn::getModuleName(ModuleOp module) {
  return module.getName().value_or("forward");
}

/// Whether nothing is left to lower: the output of `rgnn-to-cpu`, say.
static bool isLowered(ModuleOp module) {
  return !module
              .walk([&](Operation *op) {
                bool lowered = isa<ModuleOp>(op) ||
                               isa<LLVM::LLVMDialect>(op->getDialect());
                return lowered ? WalkResult::advance()
                               : WalkResult::interrupt();
              })
              .wasInterrupted();
}

static LogicalResult lower(ModuleOp module, const CPUPipelineOptions &options) {
  if (isLowered(module))
    return success();
  PassManager manager(module.getContext());
  buildRGNNToCPUPipeline(manager, options);
  return manager.run(module);
}

LogicalResult rgnn::translateForMachine(
    Operation *op,
    llvm::function_ref<llvm::Error(llvm::Module &, llvm::TargetMachine &)>
        emit) {
  FailureOr<ModuleOp> found = getModule(op);
  if (failed(found))
    return failure();
  ModuleOp module = *found;
  FailureOr<std::unique_ptr<CPUPipelineOptions>> options =
      parsePipelineOptions(module);
  if (failed(options))
    return failure();
  llvm::Expected<rgnn::Target> target =
      resolveTarget((*options)->cpu, (*options)->features);
  if (!target)
    return module.emitError() << llvm::toString(target.takeError());
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(*target);
  if (!machine)
    return module.emitError() << llvm::toString(machine.takeError());
  if (failed(lower(module, **options)))
    return failure();
  llvm::LLVMContext context;
  FailureOr<std::unique_ptr<llvm::Module>> translated =
      translateToLLVM(module, context, **machine);
  if (failed(translated))
    return failure();
  if (runsOptimizer)
    optimize(**translated, **machine);
  if (llvm::Error error = emit(**translated, **machine))
    return module.emitError() << llvm::toString(std::move(error));
  return success();
}

static LogicalResult toLLVMIR(Operation *op, raw_ostream &os) {
  return translateForMachine(op,
                             [&](llvm::Module &module, llvm::TargetMachine &) {
                               os << module;
                               return llvm::Error::success();
                             });
}

template <llvm::CodeGenFileType type>
static LogicalResult toCode(Operation *op, raw_ostream &os) {
  return translateForMachine(
      op,
      [&](llvm::Module &module, llvm::TargetMachine &machine) -> llvm::Error {
        llvm::Expected<llvm::SmallString<0>> code =
            emitCode(module, machine, type);
        if (!code)
          return code.takeError();
        os << *code;
        return llvm::Error::success();
      });
}

void rgnn::registerCompiledDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  rgnn::registerAllDialects(registry);
  registerCodeGenDialects(registry);
  reference::registerEvaluations(registry);
}

void rgnn::registerLLVMIRTranslations() {
  TranslateFromMLIRRegistration llvmRegistration(
      "rgnn-to-llvmir",
      "translate to LLVM IR; a module that is not in the llvm dialect goes "
      "through the pipeline rgnn-to-cpu first",
      toLLVMIR, registerCompiledDialects);
  TranslateFromMLIRRegistration assemblyRegistration(
      "rgnn-to-assembly", "like rgnn-to-llvmir, then to assembly",
      toCode<llvm::CodeGenFileType::AssemblyFile>, registerCompiledDialects);
  TranslateFromMLIRRegistration objectRegistration(
      "rgnn-to-object",
      "like rgnn-to-llvmir, then to a relocatable object file",
      toCode<llvm::CodeGenFileType::ObjectFile>, registerCompiledDialects);
}
