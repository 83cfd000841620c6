//===- Kernels.cpp - what @forward runs -----------------------------------===//

#include "Kernels.h"
#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AsmState.h"

using namespace mlir;

/// What the op says before its region.
static std::string printHead(Operation *op, AsmState &state) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, state);
  StringRef head = StringRef(text).split('\n').first;
  head = head.drop_front(head.find(op->getName().getStringRef()));
  head.consume_back(" {");
  return head.str();
}

std::vector<rgnn::Kernel> rgnn::listKernels(ModuleOp module) {
  std::vector<Kernel> kernels;
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  if (!forward)
    return kernels;
  AsmState state(forward);
  forward.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasTrait<hetkernel::IsKernel>())
      kernels.push_back(
          {op->getName().getStringRef().str(), printHead(op, state)});
  });
  return kernels;
}

void rgnn::reportKernels(ModuleOp module, CompileResult &result) {
  result.kernels = listKernels(module);
}

std::vector<std::pair<std::string, std::string>>
rgnn::listPTX(ModuleOp module) {
  std::vector<std::pair<std::string, std::string>> found;
  for (auto binary : module.getOps<gpu::BinaryOp>())
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
      if (object.getFormat() == gpu::CompilationTarget::Assembly) {
        // It ends in a zero for C.
        StringRef ptx = object.getObject().getValue().rtrim('\0');
        found.emplace_back(binary.getName().str(), ptx.str());
        break;
      }
  return found;
}

void rgnn::reportLaunches(ModuleOp module, CompileResult &result) {
  result.ptx = listPTX(module);
  OwningOpRef<ModuleOp> host = module.clone();
  for (auto binary : llvm::make_early_inc_range(host->getOps<gpu::BinaryOp>()))
    binary.erase();
  std::string text;
  llvm::raw_string_ostream(text) << *host;
  result.ir.emplace_back("launches", std::move(text));
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  if (!forward)
    return;
  AsmState state(forward);
  forward.walk<WalkOrder::PreOrder>([&](gpu::LaunchFuncOp launch) {
    // Binaries have the names of what is launched first in them; kernels of
    // several may have equal ones.
    result.kernels.push_back(
        {launch.getKernelModuleName().str(), printHead(launch, state)});
  });
}
