//===- OptMain.cpp - runs passes over textual IR --------------------------===//

#include "RGNN/InitAllDialects.h"
#include "RGNN/InitAllPasses.h"
#include "RGNN/Tools/Main.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/PrettyStackTrace.h"

#ifndef NDEBUG
/// Stands in for LLVM's own `--debug-only`, which a release build of LLVM
/// leaves out; that build still has what the option sets.
static llvm::cl::list<std::string> debugOnly(
    "rgnn-debug-only", llvm::cl::CommaSeparated,
    llvm::cl::desc("print the debug output of these types (a name, or "
                   "name:level), as --debug-only of an LLVM with assertions"),
    llvm::cl::value_desc("type,..."),
    llvm::cl::callback([](const std::string &) {
      llvm::SmallVector<const char *> types;
      for (const std::string &type : debugOnly)
        types.push_back(type.c_str());
      llvm::DebugFlag = true;
      llvm::setCurrentDebugTypes(types.data(), types.size());
    }));
#endif

int mlir::rgnn::optMain(int argc, char **argv) {
  llvm::setBugReportMsg(
      "rgnn-opt crashed: please report the trace below with the input, or "
      "with the file that --mlir-pass-pipeline-crash-reproducer=FILE "
      "writes.\n");
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  rgnn::registerAllDialects(registry);
  rgnn::registerAllPasses();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "RGNN optimizer driver\n", registry));
}
