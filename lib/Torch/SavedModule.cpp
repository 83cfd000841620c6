//===- SavedModule.cpp - A saved module that operators work on ------------===//

#include "SavedModule.h"
#include "Error.h"

using namespace rgnn;
using namespace rgnn::libtorch;

static RgnnModel *open(const std::string &path) {
  RgnnModel *model = nullptr;
  check(rgnn_model_open(path.c_str(), &model));
  return model;
}

/// As many graphs as a function works on.
static size_t countGraphs(const Manifest &manifest) {
  size_t most = 1;
  for (const FunctionSpec &function : manifest.functions)
    most = std::max(most, function.graphs.size());
  return most;
}

SavedModule::SavedModule(const std::string &path)
    : path(path), model(open(path)),
      description(Manifest::parse(rgnn_model_manifest(model.get()))),
      graphs(countGraphs(description)),
      functions(description.functions.size()) {
  if (!rgnn_model_target(model.get()))
    load(0); // which fails, and says why
  for (const CallSpec &call : description.calls)
    for (const std::string &name : call.constants)
      if (!constantsByName.count(name))
        constantsByName.emplace(name, read(".constants." + name));
  if (description.hasWeights)
    for (const ParameterSpec &parameter : description.parameters)
      weights.push_back(parameter.sameAs == -1 ? read(parameter.name)
                                               : weights[parameter.sameAs]);
}

Tensor SavedModule::read(const std::string &name) const {
  const DLTensor *saved = rgnn_model_tensor(model.get(), name.c_str());
  if (!saved)
    fail(path, ": expected a tensor '", name, "', got none");
  return makeCopy(*saved);
}

const std::vector<Tensor> &SavedModule::state() const {
  if (!description.hasWeights)
    fail(path, ": expected a module with its weights, got one saved without");
  return weights;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool fits(const Tensor &tensor, const TensorSpec &expected) {
  if (!hasDtype(tensor, expected.dtype) ||
      tensor.dim() != static_cast<int64_t>(expected.shape.size()))
    return false;
  for (size_t dim = 0; dim < expected.shape.size(); ++dim)
    if (expected.shape[dim] != -1 && expected.shape[dim] != tensor.size(dim))
      return false;
  return true;
}

bool SavedModule::fits(const CallSpec &call,
                       const std::vector<Tensor> &inputs) const {
  std::vector<const Tensor *> known;
  known.reserve(inputs.size() + call.parameters.size());
  for (const Tensor &input : inputs)
    known.push_back(&input);
  for (size_t i = 0; i < call.parameters.size() && !weights.empty(); ++i)
    known.push_back(&weights[call.parameters[i]]);

  auto fitsInput = [&](int64_t region, size_t input, size_t value) {
    const int32_t function = description.regions[region].function;
    return value >= known.size() ||
           ::fits(*known[value], description.functions[function].inputs[input]);
  };
  if (call.region >= 0) {
    for (size_t i = 0; i < known.size(); ++i)
      if (!fitsInput(call.region, i, i))
        return false;
    return true;
  }
  for (const StepSpec &step : description.plans[call.plan].steps)
    for (size_t i = 0; step.region >= 0 && i < step.inputs.size(); ++i)
      if (!fitsInput(step.region, i, step.inputs[i]))
        return false;
  return true;
}

static const char *modeName(bool training) {
  return training ? "training" : "evaluation";
}

int64_t SavedModule::choose(const std::vector<Tensor> &inputs,
                            bool training) const {
  int64_t first = -1;
  std::string saved;
  for (size_t i = 0; i < description.calls.size(); ++i) {
    const CallSpec &call = description.calls[i];
    saved += saved.empty() ? "(" : ", (";
    for (const std::string &input : call.inputs)
      saved += (&input == call.inputs.data() ? "" : ", ") + input;
    saved += std::string(") in ") + modeName(call.training) + " mode";
    if (!call.refusal.empty())
      saved += ", which only Python can run: " + call.refusal;
    if (call.training != training || call.inputs.size() != inputs.size() ||
        !call.refusal.empty())
      continue;
    if (fits(call, inputs))
      return i;
    if (first == -1)
      first = i;
  }
  if (first == -1)
    fail(path, ": expected a call that was saved, ", saved, ", got ",
         inputs.size(), " tensors in ", modeName(training), " mode");
  return first;
}

template <typename T>
static const T &pick(const std::vector<T> &items, const char *name,
                     int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(items.size()))
    fail("expected a ", name, " in [0, ", items.size(), "), got ", number);
  return items[number];
}

const CallSpec &SavedModule::call(int64_t number) const {
  return pick(description.calls, "call", number);
}

const RegionSpec &SavedModule::region(int64_t number) const {
  return pick(description.regions, "region", number);
}

const PlanSpec &SavedModule::plan(int64_t number) const {
  return pick(description.plans, "plan", number);
}

/// A mask of dropout, by PyTorch's generator, as nn.Dropout draws it.
static Tensor drawMask(const DrawSpec &spec,
                       const std::vector<int64_t> &sizes) {
  std::vector<int64_t> shape;
  for (const auto &sum : spec.shape) {
    int64_t size = 0;
    for (const DrawSpec::Product &product : sum) {
      int64_t value = product.factor;
      for (int32_t source : product.sources)
        value *= sizes[source];
      size += value;
    }
    shape.push_back(size);
  }
  Tensor mask = makeEmpty(spec.dtype, shape);
  // All is dropped: PyTorch draws nothing.
  if (spec.divisor == 0.0)
    return callTorch<Tensor>("aten::zero_", "", mask);
  mask = callTorch<Tensor>("aten::bernoulli_", "float", mask, spec.keep,
                           std::nullopt);
  if (!spec.divisor)
    return mask;
  AtenTensorHandle divisor;
  STABLE_TORCH_ERROR_CODE_CHECK(
      aoti_torch_scalar_to_tensor_float64(*spec.divisor, &divisor));
  return callTorch<Tensor>("aten::div_", "Tensor", mask, Tensor(divisor));
}

std::vector<Tensor> SavedModule::constants(const CallSpec &call) const {
  std::vector<Tensor> constants;
  constants.reserve(call.constants.size());
  for (const std::string &name : call.constants)
    constants.push_back(constantsByName.at(name));
  return constants;
}

std::vector<Tensor> SavedModule::draw(const CallSpec &call,
                                      const std::vector<Tensor> &inputs) const {
  std::vector<int64_t> sizes;
  for (const InputSize &source : call.drawSources) {
    const Tensor &input = inputs[source.input];
    if (input.dim() <= source.dim)
      fail("input '", call.inputs[source.input], "': expected rank ",
           source.dim + 1, " or more, got ", input.dim());
    sizes.push_back(input.size(source.dim));
  }
  std::vector<Tensor> masks;
  masks.reserve(call.draws.size());
  for (const DrawSpec &spec : call.draws)
    masks.push_back(drawMask(spec, sizes));
  return masks;
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

int64_t SavedModule::chooseTraining(const RegionSpec &region,
                                    const std::vector<int64_t> &wanted) const {
  int64_t best = -1;
  auto numWanted = [&](int64_t i) { return region.trainings[i].wanted.size(); };
  for (size_t i = 0; i < region.trainings.size(); ++i) {
    const std::vector<int64_t> &has = region.trainings[i].wanted;
    const bool covers =
        std::includes(has.begin(), has.end(), wanted.begin(), wanted.end());
    if (covers && (best == -1 || numWanted(i) < numWanted(best)))
      best = i;
  }
  if (best == -1)
    fail(path, ": expected gradients by tensors that had some when the module "
               "was saved, got ones by others: call the model in Python with "
               "the same requires_grad, and save it again");
  return best;
}

const TrainingSpec &SavedModule::training(const RegionSpec &region,
                                          int64_t number) const {
  return pick(region.trainings, "training", number);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

RgnnModule *SavedModule::load(int32_t function) {
  const std::lock_guard<std::mutex> lock(mutex);
  Owned<RgnnModule> &loaded = functions[function];
  if (!loaded) {
    RgnnModule *module = nullptr;
    check(rgnn_model_load(model.get(), function, &module));
    loaded.reset(module);
  }
  return loaded.get();
}

std::vector<Tensor> SavedModule::run(int32_t function,
                                     const std::vector<Tensor> &tensors) {
  const FunctionSpec &spec = description.functions[function];
  if (tensors.size() != spec.inputs.size())
    fail("expected ", spec.inputs.size(), " tensors, got ", tensors.size());
  RgnnModule *code = load(function);

  std::vector<DLTensor> described;
  std::vector<const DLTensor *> inputs;
  std::vector<Tensor> copies;
  described.reserve(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const char *name = rgnn_module_input_name(code, i);
    described.push_back(describe(tensors[i], name));
    if (rgnn_module_reads_input(code, i) && !tensors[i].is_contiguous()) {
      copies.push_back(makeContiguous(tensors[i]));
      described.back() = describe(copies.back(), name);
    }
    inputs.push_back(&described.back());
  }

  std::vector<GraphPointer> held;
  std::vector<RgnnGraph *> callGraphs;
  for (const GraphSpec &graph : spec.graphs) {
    held.push_back(graphs.find(graph, tensors));
    callGraphs.push_back(held.back().get());
  }

  RgnnCall *begun = nullptr;
  check(rgnn_call_begin(code, callGraphs.data(), callGraphs.size(),
                        inputs.data(), inputs.size(), &begun));
  const Owned<RgnnCall> call(begun);
  std::vector<Tensor> outputs;
  std::vector<void *> data;
  for (int32_t i = 0; i < rgnn_module_num_outputs(code); ++i) {
    DLManagedTensorVersioned *made = nullptr;
    check(rgnn_call_make_output(call.get(), i, &made));
    outputs.push_back(made ? takeOver(made)
                           : makeEmpty(*rgnn_call_output(call.get(), i)));
    data.push_back(outputs.back().mutable_data_ptr());
  }
  check(rgnn_call_run(call.get(), data.data(), data.size()));
  return outputs;
}

void SavedModule::release() {
  graphs.clear();
  const std::lock_guard<std::mutex> lock(mutex);
  for (const Owned<RgnnModule> &function : functions)
    if (function)
      rgnn_module_release_workspace(function.get());
}
