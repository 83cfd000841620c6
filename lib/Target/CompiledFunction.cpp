//===- CompiledFunction.cpp - a function as machine code ------------------===//

#include "CompiledFunction.h"
#include "Evaluation.h"
#include "RGNN/CodeGen/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::rgnn;
using reference::Datum;
namespace json = llvm::json;

std::optional<SmallVector<Datum>>
CompiledFunction::call(ArrayRef<Datum> arguments) {
  std::vector<RuntimeTensor> buffers;
  SmallVector<const reference::Graph *> given;
  for (auto [argument, type] :
       llvm::zip(arguments, function.getArgumentTypes()))
    if (const auto *tensor = std::get_if<reference::Tensor>(&argument))
      buffers.emplace_back(*tensor, getElementTypeOrSelf(type));
    else
      given.push_back(
          std::get<std::shared_ptr<const reference::Graph>>(argument).get());
  std::vector<DLTensor> inputs;
  std::vector<const DLTensor *> inputPointers;
  inputs.reserve(buffers.size());
  inputPointers.reserve(buffers.size());
  for (RuntimeTensor &buffer : buffers)
    inputPointers.push_back(&inputs.emplace_back(buffer.getView()));

  std::vector<RuntimePtr<RgnnGraph>> graphs;
  std::vector<RgnnGraph *> graphPointers;
  for (const json::Value &value : *manifest.getAsObject()->getArray("graphs")) {
    const json::Object &spec = *value.getAsObject();
    size_t index = graphs.size();
    graphs.push_back(index < given.size()
                         ? makeGraph(spec, *given[index], function.getContext())
                         : makeGraph(spec, inputs));
    if (!graphs.back())
      return std::nullopt;
    graphPointers.push_back(graphs.back().get());
  }
  RgnnCall *begun = nullptr;
  if (rgnn_call_begin(module.get(), graphPointers.data(), graphPointers.size(),
                      inputPointers.data(), inputPointers.size(), &begun))
    return std::nullopt;
  RuntimePtr<RgnnCall> call(begun);

  // What the code does not write stays NaN, or -1.
  std::vector<std::vector<char>> outputs;
  std::vector<void *> outputPointers;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    const DLTensor &output = *rgnn_call_output(begun, index);
    size_t size = getElementSize(getElementTypeOrSelf(type));
    for (int64_t dim : ArrayRef(output.shape, output.ndim))
      size *= dim;
    outputs.emplace_back(size, '\xff');
    outputPointers.push_back(outputs.back().data());
  }
  if (rgnn_call_run(begun, outputPointers.data(), outputPointers.size()))
    return std::nullopt;
  SmallVector<Datum> results;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    const DLTensor &output = *rgnn_call_output(begun, index);
    results.push_back(decodeTensor(outputs[index],
                                   ArrayRef(output.shape, output.ndim),
                                   getElementTypeOrSelf(type)));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// The text remembers where each op came from.
static std::string printAlone(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  cloneAlone(function)->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

FailureOr<CompiledFunction>
CompiledFunction::compile(func::FuncOp function, llvm::StringRef pipeline) {
  CompileOptions options;
  options.pipeline = pipeline.str();
  options.cache = false;
  llvm::Expected<CompileResult> compiled =
      compileToSharedObject(printAlone(function), options);
  if (!compiled)
    return function.emitError("not compiled: ")
           << llvm::toString(compiled.takeError());
  CompiledFunction result;
  result.function = function;
  RgnnModule *module = nullptr;
  int32_t status = rgnn_module_load(compiled->path.c_str(),
                                    compiled->manifest.c_str(), &module);
  llvm::sys::fs::remove(compiled->path);
  if (status)
    return function.emitError("not loaded: ") << rgnn_last_error();
  result.module.reset(module);
  // The runtime has read it, so that it is valid.
  result.manifest = llvm::cantFail(json::parse(compiled->manifest));
  return result;
}
