//===- RuntimeArguments.cpp - what a manifest asks for --------------------===//

#include "RuntimeArguments.h"

#include "mlir/IR/TypeUtilities.h"

#include <cstring>

using namespace mlir;
using namespace mlir::rgnn;
namespace json = llvm::json;

RgnnGraph *RuntimeArguments::getGraph(const json::Object &spec) const {
  RgnnGraph *graph = nullptr;
  [[maybe_unused]] int32_t status = rgnn_graph_part(
      graphs[*spec.getInteger("graph")].get(),
      spec.getString("part").value_or("whole").str().c_str(), &graph);
  assert(status == RGNN_OK && "the compiler writes names that are known");
  return graph;
}

int64_t RuntimeArguments::getSize(const json::Value &size) const {
  if (std::optional<int64_t> value = size.getAsInteger())
    return *value;
  const json::Object &object = *size.getAsObject();
  if (std::optional<int64_t> value = object.getInteger("value"))
    return *value;
  if (std::optional<int64_t> input = object.getInteger("input"))
    return inputs[*input].shape[*object.getInteger("dim")];
  if (const json::Array *terms = object.getArray("sum"))
    return llvm::sum_of(llvm::map_range(
        *terms, [&](const json::Value &term) { return getSize(term); }));
  int64_t rows = 0;
  [[maybe_unused]] int32_t status =
      rgnn_graph_size(getGraph(object), object.getString("of")->str().c_str(),
                      object.getInteger("param").value_or(0), &rows);
  assert(status == RGNN_OK && "the compiler writes names that are known");
  return rows;
}

void RuntimeArguments::addSizes(const json::Object &manifest) {
  for (const json::Value &size : *manifest.getArray("sizes")) {
    int64_t value = getSize(size);
    simulator::Datum &datum = data.emplace_back();
    datum.bytes.resize(sizeof(value));
    std::memcpy(datum.bytes.data(), &value, sizeof(value));
  }
}

void RuntimeArguments::addViews(const json::Object &manifest) {
  for (const json::Value &value : *manifest.getArray("views")) {
    const json::Object &spec = *value.getAsObject();
    RgnnView view = {};
    [[maybe_unused]] int32_t status =
        rgnn_graph_view(getGraph(spec), spec.getString("kind")->str().c_str(),
                        *spec.getInteger("param"), &view);
    assert(status == RGNN_OK && "the compiler writes names that are known");
    simulator::Datum &datum = data.emplace_back();
    datum.shape.push_back(view.rows);
    if (view.columns > 1)
      datum.shape.push_back(view.columns);
    const char *bytes = reinterpret_cast<const char *>(view.data);
    datum.bytes.assign(bytes,
                       bytes + view.rows * view.columns * sizeof(int32_t));
  }
}

void RuntimeArguments::addInputs(const json::Object &manifest) {
  for (auto [spec, input] :
       llvm::zip_equal(*manifest.getArray("inputs"), inputs))
    if (spec.getAsObject()->getBoolean("used").value_or(true))
      data.push_back({input.shape, input.bytes});
}

void RuntimeArguments::addOutputs(const json::Object &manifest,
                                  TypeRange types) {
  for (auto [spec, type] :
       llvm::zip_equal(*manifest.getArray("outputs"), types)) {
    simulator::Datum &datum = data.emplace_back();
    datum.isInput = false;
    size_t bytes = getElementSize(getElementTypeOrSelf(type));
    for (const json::Value &size : *spec.getAsObject()->getArray("shape")) {
      datum.shape.push_back(getSize(size));
      bytes *= datum.shape.back();
    }
    datum.bytes.resize(bytes);
    ++numOutputs;
  }
}

FailureOr<RuntimeArguments>
RuntimeArguments::make(func::FuncOp function,
                       ArrayRef<reference::Datum> arguments,
                       const json::Object &manifest) {
  RuntimeArguments result;
  SmallVector<const reference::Graph *> given;
  for (auto [argument, type] :
       llvm::zip_equal(arguments, function.getArgumentTypes()))
    if (const auto *tensor = std::get_if<reference::Tensor>(&argument))
      result.inputs.emplace_back(*tensor, getElementTypeOrSelf(type));
    else
      given.push_back(
          std::get<std::shared_ptr<const reference::Graph>>(argument).get());
  SmallVector<DLTensor> views;
  for (RuntimeTensor &input : result.inputs)
    views.push_back(input.getView());
  for (auto [index, value] : llvm::enumerate(*manifest.getArray("graphs"))) {
    const json::Object &spec = *value.getAsObject();
    result.graphs.push_back(
        index < given.size()
            ? makeGraph(spec, *given[index], function.getContext())
            : makeGraph(spec, views));
    if (!result.graphs.back())
      return function.emitError() << rgnn_last_error();
  }
  result.addSizes(manifest);
  result.addViews(manifest);
  result.addInputs(manifest);
  result.addOutputs(manifest, function.getResultTypes());
  return result;
}
