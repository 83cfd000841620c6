//===- EmitLaunches.cpp - launches as calls of the runtime ----------------===//

#include "Context.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Support/Remarks.h"
#include "RGNN/Support/Words.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNEMITLAUNCHESPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Words before the parameters: blocks and threads in three dimensions each,
/// and bytes of dynamic shared memory.
static constexpr int64_t kNumSizes = 7;

static Value getPointer(OpBuilder &builder, Location loc, StringRef global) {
  return LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), global);
}

/// Whether a driver loads all of the code of a binary.
static bool isLoadable(gpu::BinaryOp binary) {
  return !binary.getObjects().empty() &&
         llvm::all_of(binary.getObjects(), [](Attribute attribute) {
           auto object = dyn_cast<gpu::ObjectAttr>(attribute);
           return object &&
                  object.getFormat() != gpu::CompilationTarget::Offload;
         });
}

/// A function that PTX calls and does not have.
static std::optional<StringRef> findUndefined(gpu::BinaryOp binary) {
  for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
    if (object.getFormat() != gpu::CompilationTarget::Assembly)
      continue;
    StringRef text = object.getObject().getValue();
    size_t found = text.find(".extern .func");
    if (found == StringRef::npos)
      continue;
    // .extern .func (.param .b32 result) name (...)
    return text.substr(found).split(')').second.ltrim().take_until(
        [](char c) { return isspace(c) || c == '('; });
  }
  return std::nullopt;
}

namespace {

/// A kernel, and the binary with its code.
struct Kernel {
  SymbolRefAttr name;
  gpu::BinaryOp binary;
};

struct EmitLaunchesPass
    : rgnn::impl::RGNNEmitLaunchesPassBase<EmitLaunchesPass> {
  using RGNNEmitLaunchesPassBase::RGNNEmitLaunchesPassBase;

  void runOnOperation() override {
    kernels.clear();
    SymbolTable symbols(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(runOnFunction(function, symbols)))
        return signalPassFailure();
    if (kernels.empty())
      return;
    if (symbols.lookup("rgnn_kernels")) {
      getOperation().emitError("expected the name rgnn_kernels to be free, got "
                               "another symbol");
      return signalPassFailure();
    }
    if (failed(setDevice()))
      return signalPassFailure();
    emitKernels();
    for (auto binary : llvm::to_vector(getOperation().getOps<gpu::BinaryOp>()))
      binary.erase();
  }

private:
  LogicalResult runOnFunction(func::FuncOp function, SymbolTable &symbols) {
    SmallVector<gpu::LaunchFuncOp> launches;
    function.walk(
        [&](gpu::LaunchFuncOp launch) { launches.push_back(launch); });
    if (!launches.empty() && failed(verifyMemory(function)))
      return failure();
    for (gpu::LaunchFuncOp launch : launches) {
      FailureOr<int64_t> numParameters = verify(launch, symbols);
      if (failed(numParameters))
        return failure();
      int64_t number =
          kernels
              .try_emplace(
                  launch.getKernel(),
                  Kernel{launch.getKernel(), symbols.lookup<gpu::BinaryOp>(
                                                 launch.getKernelModuleName())})
              .first -
          kernels.begin();
      emitCall(launch, function, number, *numParameters);
      launch.erase();
    }
    if (!launches.empty())
      reportCounts(function, getArgument(),
                   {{"num-launches", static_cast<int64_t>(launches.size())}});
    return success();
  }

  /// Kernels reach the memory of their GPU: the workspace and the arguments.
  static LogicalResult verifyMemory(func::FuncOp function) {
    auto walk = function.walk([](Operation *op) {
      if (!hasEffect<MemoryEffects::Allocate>(op))
        return WalkResult::advance();
      op->emitOpError("expected a buffer in the workspace, beside launches, "
                      "got one in the memory of the host");
      return WalkResult::interrupt();
    });
    return success(!walk.wasInterrupted());
  }

  /// The number of the kernel's parameters.
  static FailureOr<int64_t> verify(gpu::LaunchFuncOp launch,
                                   SymbolTable &symbols) {
    if (!launch.getAsyncDependencies().empty() || launch.getAsyncToken() ||
        launch.getAsyncObject() || launch.hasClusterSize())
      return launch.emitOpError("expected a launch that waits for nothing and "
                                "has no clusters");
    auto binary = symbols.lookup<gpu::BinaryOp>(launch.getKernelModuleName());
    if (!binary)
      return launch.emitOpError("expected the kernel's code as gpu.binary @")
             << launch.getKernelModuleName().getValue();
    if (!isLoadable(binary))
      return binary.emitOpError("expected PTX, machine code or both");
    if (std::optional<StringRef> missing = findUndefined(binary))
      return binary.emitOpError("expected the root of a CUDA Toolkit as option "
                                "toolkit or in CUDA_ROOT, CUDA_HOME or "
                                "CUDA_PATH, got none: its libdevice has ")
             << *missing;
    int64_t total = 0;
    for (Value operand : launch.getKernelOperands()) {
      FailureOr<int64_t> number = WordCursor::numParameters(operand.getType());
      if (failed(number))
        return launch.emitOpError("expected operands that are memrefs or "
                                  "scalars, got ")
               << operand.getType();
      total += *number;
    }
    return total;
  }

  static void emitCall(gpu::LaunchFuncOp launch, func::FuncOp function,
                       int64_t number, int64_t numParameters) {
    Location loc = launch.getLoc();
    OpBuilder builder(launch);
    Type i32 = builder.getI32Type(), i64 = builder.getI64Type(),
         pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Value context = getContextArgument(function), words;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&function.getBody().front());
      words = LLVM::AllocaOp::create(
          builder, loc, pointer,
          LLVM::LLVMArrayType::get(i64, kNumSizes + numParameters),
          LLVM::ConstantOp::create(builder, loc, i64, 1), /*alignment=*/8);
    }
    LLVMTypeConverter converter(builder.getContext());
    WordCursor cursor(builder, loc, converter, words);
    gpu::KernelDim3 blocks = launch.getGridSizeOperandValues(),
                    threads = launch.getBlockSizeOperandValues();
    for (Value size :
         {blocks.x, blocks.y, blocks.z, threads.x, threads.y, threads.z})
      cursor.write(size);
    Value shared = launch.getDynamicSharedMemorySize();
    cursor.write(
        shared ? arith::ExtUIOp::create(builder, loc, i64, shared).getResult()
               : LLVM::ConstantOp::create(builder, loc, i64, 0));
    for (Value operand : launch.getKernelOperands())
      cursor.writeParameters(operand);
    callContext(builder, loc, ContextFunction::Launch,
                {context, LLVM::ConstantOp::create(builder, loc, i32, number),
                 words,
                 LLVM::ConstantOp::create(builder, loc, i32, numParameters)});
  }

  LLVM::GlobalOp emitConstant(OpBuilder &builder, Location loc,
                              const Twine &name, StringRef bytes,
                              int64_t alignment) {
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    return LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                  LLVM::Linkage::Internal, name.str(),
                                  builder.getStringAttr(bytes), alignment);
  }

  /// Lets the manifest, if there is one, say where tensors are.
  LogicalResult setDevice() {
    auto manifest = getOperation()->getAttrOfType<StringAttr>(kManifestAttr);
    if (!manifest)
      return success();
    llvm::Expected<llvm::json::Value> parsed =
        llvm::json::parse(manifest.getValue());
    llvm::json::Object *fields = parsed ? parsed->getAsObject() : nullptr;
    if (!fields) {
      InFlightDiagnostic error =
          getOperation().emitError("rgnn.manifest: expected a JSON object");
      if (!parsed)
        error << ": " << llvm::toString(parsed.takeError());
      return error;
    }
    fields->insert({"device", "cuda"});
    if (llvm::json::Array *variants = fields->getArray("variants"))
      for (llvm::json::Value &variant : *variants)
        if (llvm::json::Object *of = variant.getAsObject())
          of->insert({"device", "cuda"});
    getOperation()->setAttr(
        kManifestAttr,
        StringAttr::get(&getContext(), llvm::formatv("{0}", *parsed).str()));
    return success();
  }

  /// A constant whose value `build` makes.
  LLVM::GlobalOp emitTable(OpBuilder &builder, Location loc, Type type,
                           LLVM::Linkage linkage, const Twine &name,
                           llvm::function_ref<Value(OpBuilder &)> build) {
    OpBuilder::InsertionGuard guard(builder);
    auto table = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                        linkage, name.str(), Attribute(),
                                        /*alignment=*/8);
    builder.createBlock(&table.getInitializerRegion());
    LLVM::ReturnOp::create(builder, loc, build(builder));
    return table;
  }

  /// The codes of a binary, in their order.
  LLVM::GlobalOp emitCodes(OpBuilder &builder, Location loc, int64_t number,
                           gpu::BinaryOp binary) {
    SmallVector<LLVM::GlobalOp> codes;
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
      // PTX is text, which ends with a zero.
      bool isText = object.getFormat() == gpu::CompilationTarget::Assembly;
      std::string bytes = object.getObject().getValue().str();
      codes.push_back(emitConstant(
          builder, loc,
          "rgnn_kernel_code_" + Twine(number) + "_" + Twine(codes.size()),
          isText ? StringRef(bytes.c_str(), bytes.size() + 1) : bytes,
          /*alignment=*/64));
    }
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    auto type = LLVM::LLVMArrayType::get(pointer, codes.size());
    return emitTable(
        builder, loc, type, LLVM::Linkage::Internal,
        "rgnn_kernel_codes_" + Twine(number), [&](OpBuilder &builder) {
          Value row = LLVM::ZeroOp::create(builder, loc, type);
          for (auto [i, code] : llvm::enumerate(codes))
            row = LLVM::InsertValueOp::create(
                builder, loc, row, getPointer(builder, loc, code.getSymName()),
                static_cast<int64_t>(i));
          return row;
        });
  }

  /// `rgnn_kernels`, in the order of their numbers: the name, the codes and how
  /// many there are; behind the last, nulls.
  void emitKernels() {
    Location loc = getOperation().getLoc();
    auto builder = OpBuilder::atBlockBegin(getOperation().getBody());
    llvm::MapVector<Operation *, LLVM::GlobalOp> codes;
    SmallVector<LLVM::GlobalOp> names;
    for (auto &[symbol, kernel] : kernels) {
      names.push_back(emitConstant(
          builder, loc, "rgnn_kernel_name_" + Twine(names.size()),
          (kernel.name.getLeafReference().getValue() + StringRef("\0", 1))
              .str(),
          /*alignment=*/1));
      if (!codes.contains(kernel.binary)) {
        int64_t number = codes.size();
        codes[kernel.binary] = emitCodes(builder, loc, number, kernel.binary);
      }
    }
    Type pointer = LLVM::LLVMPointerType::get(&getContext()),
         i64 = builder.getI64Type();
    auto row = LLVM::LLVMStructType::getLiteral(&getContext(),
                                                {pointer, pointer, i64});
    auto type = LLVM::LLVMArrayType::get(row, kernels.size() + 1);
    emitTable(
        builder, loc, type, LLVM::Linkage::External, "rgnn_kernels",
        [&](OpBuilder &builder) {
          Value rows = LLVM::ZeroOp::create(builder, loc, type);
          for (auto [number, entry] : llvm::enumerate(kernels)) {
            gpu::BinaryOp binary = entry.second.binary;
            Value fields[] = {
                getPointer(builder, loc, names[number].getSymName()),
                getPointer(builder, loc, codes[binary].getSymName()),
                LLVM::ConstantOp::create(
                    builder, loc, i64,
                    static_cast<int64_t>(binary.getObjects().size()))};
            for (auto [field, value] : llvm::enumerate(fields))
              rows = LLVM::InsertValueOp::create(
                  builder, loc, rows, value,
                  {static_cast<int64_t>(number), static_cast<int64_t>(field)});
          }
          return rows;
        });
  }

  /// By their symbols, in the order of their numbers.
  llvm::MapVector<Attribute, Kernel> kernels;
};

} // namespace
