//===- CollectPreprocessing.cpp - what a function asks of its graphs ------===//

#include "Manifest.h"
#include "SizeDescriber.h"

#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/Entries.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELCOLLECTPREPROCESSINGPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;
namespace json = llvm::json;

FailureOr<json::Array> hetkernel::describeOutputs(func::FuncOp function,
                                                  ArrayRef<Value> graphs) {
  json::Array outputs;
  SizeDescriber sizes(graphs);
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return terminator->emitOpError()
             << "expected tensors as results, got " << value.getType();
    json::Array shape;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      std::optional<json::Value> size = sizes.describeDim(value, dim);
      if (!size)
        return terminator->emitOpError()
               << "expected result " << index
               << " with sizes known before the run, got dimension " << dim;
      shape.push_back(std::move(*size));
    }
    json::Object output{{"dtype", getDTypeName(type.getElementType())},
                        {"shape", std::move(shape)}};
    if (function.getResultAttr(index, rgnn::kSavedAttr))
      output["saved"] = true;
    outputs.push_back(std::move(output));
  }
  return outputs;
}

/// The number that a size is for all calls, if it is one.
static std::optional<int64_t> getNumber(const json::Value &size) {
  if (std::optional<int64_t> number = size.getAsInteger())
    return number;
  const json::Object *object = size.getAsObject();
  return object ? object->getInteger("value") : std::nullopt;
}

/// Gives results static sizes where all calls have the same: the runtime passes
/// those sizes alone that it has to find out.
static void narrowResults(func::FuncOp function, ArrayRef<Value> graphs) {
  SizeDescriber sizes(graphs);
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  for (OpOperand &result : terminator->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(result.get().getType());
    if (!type)
      continue;
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, size] : llvm::enumerate(shape))
      if (ShapedType::isDynamic(size))
        if (auto described = sizes.describeDim(result.get(), dim))
          size = getNumber(*described).value_or(size);
    if (ArrayRef(shape) != type.getShape())
      result.set(tensor::CastOp::create(builder, terminator->getLoc(),
                                        type.clone(shape), result.get()));
  }
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), TypeRange(terminator->getOperands())));
}

/// Copies what is returned again: each result has memory of its own. An op that
/// only bufferisation looks into, which would let a copy share its source's.
static void separateResults(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  Location loc = terminator->getLoc();
  llvm::DenseSet<Value> returned;
  for (OpOperand &result : terminator->getOpOperands()) {
    Value value = result.get();
    if (returned.insert(value).second)
      continue;
    result.set(bufferization::AllocTensorOp::create(
        builder, loc, cast<RankedTensorType>(value.getType()),
        /*dynamicSizes=*/ValueRange(), /*copy=*/value));
  }
}

/// The manifest of a function, which becomes one on arrays alone.
static FailureOr<json::Object> collect(func::FuncOp function);

/// Gives what another function makes of the graph alone arguments behind those
/// of the views; its manifest becomes a part of this one.
static LogicalResult collectOnce(func::FuncOp function,
                                 json::Object &manifest) {
  auto calls = llvm::to_vector(function.getOps<func::CallOp>());
  if (calls.empty())
    return success();
  func::CallOp call = calls.front();
  auto once = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (calls.size() > 1 || !once || once.isDeclaration() ||
      !rgnn::isCalledOnce(once, function))
    return calls.back().emitOpError()
           << "expected one call, of a function with " << rgnn::kOnceAttr
           << " = " << function.getName();
  FailureOr<json::Object> inner = collect(once);
  if (failed(inner))
    return failure();
  unsigned position = 0;
  while (position < function.getNumArguments() && isRequest(function, position))
    ++position;
  Builder builder(function.getContext());
  for (Value result : call.getResults()) {
    (void)function.insertArgument(
        position, result.getType(),
        builder.getDictionaryAttr(
            builder.getNamedAttr(rgnn::kMadeOnceAttr, builder.getUnitAttr())),
        call.getLoc());
    result.replaceAllUsesWith(function.getArgument(position++));
  }
  call->erase();
  manifest["once"] = std::move(*inner);
  manifest["version"] = std::max<int64_t>(3, *manifest.getInteger("version"));
  return success();
}

/// Whether some size in a list of graphs or results is a sum.
static bool hasSums(const json::Array &described, StringRef sizes) {
  return llvm::any_of(described, [&](const json::Value &one) {
    return llvm::any_of(
        *one.getAsObject()->getArray(sizes), [](const json::Value &size) {
          return size.getAsObject() && size.getAsObject()->get("sum");
        });
  });
}

static FailureOr<json::Object> collect(func::FuncOp function) {
  FailureOr<SmallVector<Value>> graphs = findGraphs(function);
  if (failed(graphs))
    return failure();
  FailureOr<json::Array> made = describeGraphs(function, *graphs);
  if (failed(made))
    return failure();
  narrowResults(function, *graphs);
  FailureOr<json::Array> outputs = describeOutputs(function, *graphs);
  if (failed(outputs))
    return failure();
  // Graphs made of arguments go before inputs are described by their schemas.
  auto schemas = llvm::map_to_vector(*graphs, [](Value graph) {
    return cast<rgnn::GraphType>(graph.getType()).getSchema();
  });
  const bool hasParts = !function.getOps<rgnn::SplitGraphOp>().empty();
  const bool hasBipartite = llvm::any_of(*graphs, [](Value graph) {
    return cast<rgnn::GraphType>(graph.getType()).isBipartite();
  });
  const bool hasMoreRows =
      llvm::any_of(function.getArguments(), [&](BlockArgument argument) {
        return function.getArgAttr(argument.getArgNumber(),
                                   rgnn::kMoreRowsAttr) != nullptr;
      });
  const bool hasSum = hasSums(*made, "num_nodes") || hasSums(*outputs, "shape");
  separateResults(function);
  json::Array kernels = describeKernels(function, schemas);
  Requests requests = collectRequests(function, *graphs);
  std::string entry = ("rgnn_" + function.getName()).str();
  json::Object manifest{{"version", hasSum         ? 6
                                    : hasMoreRows  ? 5
                                    : hasBipartite ? 4
                                    : hasParts     ? 2
                                                   : 1},
                        {"entry", entry},
                        {"workspace", entry + "_workspace"},
                        {"graphs", std::move(*made)},
                        {"outputs", std::move(*outputs)},
                        {"kernels", std::move(kernels)},
                        {"sizes", std::move(requests.sizes)},
                        {"views", std::move(requests.views)}};
  if (failed(collectOnce(function, manifest)))
    return failure();
  manifest["inputs"] = replaceInputs(function, schemas);
  return manifest;
}

namespace {
struct HetKernelCollectPreprocessing
    : hetkernel::impl::HetKernelCollectPreprocessingPassBase<
          HetKernelCollectPreprocessing> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> entries = rgnn::getEntries(getOperation());
    if (entries.empty())
      return;
    FailureOr<json::Object> manifest = collect(entries.front());
    if (failed(manifest))
      return signalPassFailure();
    json::Array variants;
    for (func::FuncOp entry : llvm::drop_begin(entries)) {
      FailureOr<json::Object> variant = collect(entry);
      if (failed(variant))
        return signalPassFailure();
      (*variant)["edges_per_node_below"] = *rgnn::getEdgesPerNodeBelow(entry);
      variants.push_back(std::move(*variant));
    }
    if (!variants.empty())
      (*manifest)["variants"] = std::move(variants);
    std::string text;
    llvm::raw_string_ostream(text) << json::Value(std::move(*manifest));
    getOperation()->setAttr(rgnn::kManifestAttr,
                            StringAttr::get(&getContext(), text));
    for (rgnn::SchemaOp schema :
         llvm::make_early_inc_range(getOperation().getOps<rgnn::SchemaOp>()))
      schema.erase();
  }
};
} // namespace
