//===- VerifyStage.cpp - what each level of IR may hold -------------------===//

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNVERIFYSTAGEPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

namespace {

enum class Stage { Captured, RGNN, HetKernel, Buffers, LLVM };

} // namespace

static std::optional<Stage> parseStage(StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("captured", Stage::Captured)
      .Case("rgnn", Stage::RGNN)
      .Case("hetkernel", Stage::HetKernel)
      .Case("buffers", Stage::Buffers)
      .Case("llvm", Stage::LLVM)
      .Default(std::nullopt);
}

static ArrayRef<StringRef> getDialects(Stage stage) {
  static const StringRef mathematics[] = {"builtin", "check",  "rgnn", "func",
                                          "arith",   "tensor", "math"};
  static const StringRef kernels[] = {"builtin", "hetkernel", "func",
                                      "arith",   "tensor",    "math",
                                      "linalg",  "vector",    "bufferization"};
  static const StringRef buffers[] = {
      "builtin", "hetkernel", "func",   "arith", "memref",
      "math",    "linalg",    "vector", "scf",   "affine"};
  static const StringRef llvm[] = {"llvm"};
  switch (stage) {
  case Stage::Captured:
  case Stage::RGNN:
    return mathematics;
  case Stage::HetKernel:
    return kernels;
  case Stage::Buffers:
    return buffers;
  case Stage::LLVM:
    return llvm;
  }
  llvm_unreachable("all stages are above");
}

/// Ops that a stage has or lacks against the rule for their dialect.
static bool isAllowed(Operation *op, Stage stage) {
  if (isa<rgnn::SchemaOp>(op))
    return stage != Stage::LLVM;
  if (isa<rgnn::COOGraphOp, rgnn::SplitGraphOp>(op) &&
      stage == Stage::HetKernel)
    return true;
  if (isa<hetkernel::ViewOp, hetkernel::SizeOp>(op))
    return stage == Stage::HetKernel;
  if (isa<ModuleOp>(op))
    return true;
  return llvm::is_contained(getDialects(stage),
                            op->getName().getDialectNamespace());
}

/// Whether a function says what PyTorch runs, and calls what is compiled.
static bool isPlan(Operation *function) {
  auto walk = function->walk([&](Operation *op) {
    bool isPart = op == function || isa<rgnn::TorchOp>(op) ||
                  !isa<rgnn::RGNNDialect>(op->getDialect());
    return isPart ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

/// What `type` is or holds that `stage` has no place for, in the plural; empty
/// where there is nothing.
static StringRef getForbidden(Type type, Stage stage) {
  StringRef forbidden;
  type.walk([&](Type part) {
    if (stage < Stage::Buffers && isa<BaseMemRefType>(part))
      forbidden = "buffers";
    else if (stage == Stage::HetKernel && rgnn::getRows(part))
      forbidden = "rows on a domain";
    else if (stage == Stage::Buffers && isa<TensorType>(part))
      forbidden = "tensors";
    else if (stage == Stage::Buffers && isa<rgnn::GraphType>(part))
      forbidden = "graphs";
    return forbidden.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return forbidden;
}

static LogicalResult verifyTypes(Operation *op, Stage stage, StringRef name) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    llvm::append_range(types, function.getArgumentTypes());
    llvm::append_range(types, function.getResultTypes());
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  for (Type type : types)
    if (StringRef forbidden = getForbidden(type, stage); !forbidden.empty())
      return op->emitOpError() << "expected no " << forbidden << " at stage "
                               << name << ", got " << type;
  return success();
}

namespace {

struct VerifyStage : rgnn::impl::RGNNVerifyStagePassBase<VerifyStage> {
  using RGNNVerifyStagePassBase::RGNNVerifyStagePassBase;

  LogicalResult verify(Operation *op, Stage stage) {
    if (!isAllowed(op, stage))
      return op->emitOpError() << "is not allowed at stage " << this->stage;
    if (stage == Stage::RGNN && isa<rgnn::TorchOp>(op) &&
        !isPlan(op->getParentOfType<func::FuncOp>()))
      return op->emitOpError() << "cannot be lowered: at stage " << this->stage
                               << " it may only stand in a plan for PyTorch";
    return verifyTypes(op, stage, this->stage);
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    std::optional<Stage> parsed = parseStage(stage);
    if (!parsed) {
      getOperation()->emitError()
          << "expected captured, rgnn, hetkernel, buffers or llvm as stage, "
             "got '"
          << stage << "'";
      return signalPassFailure();
    }
    bool valid = true;
    getOperation()->walk(
        [&](Operation *op) { valid &= succeeded(verify(op, *parsed)); });
    if (!valid)
      signalPassFailure();
  }
};

} // namespace
