//===- PTX.cpp - kernels for GPUs as a translation ------------------------===//

#include "Evaluation.h"
#include "MachineCode.h"
#include "RGNN/Target/Translations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace mlir::rgnn;

static llvm::cl::opt<std::string> nvvmOptions(
    "rgnn-kernels-to-nvvm-options",
    llvm::cl::desc("options of the pipeline rgnn-kernels-to-nvvm, or for a "
                   "module of tensors of rgnn-to-gpu, for --rgnn-to-ptx; the "
                   "format is always isa"),
    llvm::cl::value_desc("options"));

static bool hasTensors(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(),
                      llvm::IsaPred<RankedTensorType>);
}

/// A text for each kernel, since several may have the name of their function:
/// LLVM's split-file writes each to a file.
static void print(ModuleOp module, raw_ostream &os) {
  for (auto binary : module.getOps<gpu::BinaryOp>())
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
      os << "//--- " << binary.getSymName() << ".ptx\n"
         << object.getObject().getValue().rtrim('\0').ltrim();
}

static LogicalResult toPTX(Operation *op, raw_ostream &os) {
  FailureOr<ModuleOp> module = getModule(op);
  if (failed(module))
    return failure();
  GPUPipelineOptions options;
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (failed(options.parseFromString(nvvmOptions, stream)))
    return module->emitError()
           << "--rgnn-kernels-to-nvvm-options: " << StringRef(message).rtrim();
  options.format = "isa";
  PassManager manager(op->getContext());
  if (llvm::any_of(module->getOps<func::FuncOp>(), hasTensors))
    buildRGNNToGPUKernelsPipeline(manager, options);
  buildKernelsToNVVMPipeline(manager, options);
  if (failed(manager.run(*module)))
    return failure();
  print(*module, os);
  return success();
}

void rgnn::registerPTXTranslation() {
  TranslateFromMLIRRegistration registration(
      "rgnn-to-ptx",
      "translate kernels to PTX; a module of tensors goes to kernels on "
      "buffers first",
      toPTX, [](DialectRegistry &registry) {
        registerCompiledDialects(registry);
        registerAllGPUToLLVMIRTranslations(registry);
      });
}
