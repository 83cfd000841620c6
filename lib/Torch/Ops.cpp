//===- Ops.cpp - Saved modules as operators of PyTorch --------------------===//
//
// torch.ops.rgnn_module: a file is opened once and named by a number. `forward`
// is all that inference takes; the operators after it are the steps of a call,
// from which RGNN/Torch/Module.h makes one with gradients, since the stable ABI
// has no autograd.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Torch/Interface.h"

#include "Error.h"
#include "Registry.h"

using namespace rgnn::libtorch;
using torch::stable::detail::StableLibrary;
using Numbers = std::vector<int64_t>;
using Tensors = std::vector<Tensor>;
using Strings = std::vector<std::string>;

int32_t rgnn_torch_version(void) { return RGNN_TORCH_VERSION; }

//===----------------------------------------------------------------------===//
// What a module is
//===----------------------------------------------------------------------===//

static void release(int64_t module) { find(module)->release(); }

static std::tuple<Strings, Tensors, Numbers> parameters(int64_t module) {
  const auto found = find(module);
  Strings names;
  Numbers kinds;
  for (const ParameterSpec &parameter : found->manifest().parameters) {
    names.push_back(parameter.name);
    kinds.push_back(parameter.sameAs != -1   ? Same
                    : parameter.isBuffer     ? Buffer
                    : parameter.requiresGrad ? ParameterWithGradient
                                             : Parameter);
  }
  return {names, found->state(), kinds};
}

static int64_t numCalls(int64_t module) {
  return find(module)->manifest().calls.size();
}

/// Names of inputs and results, numbers of parameters and results, the mode,
/// and the region or plan.
static std::tuple<Strings, Strings, Numbers, Numbers, bool, int64_t, int64_t>
describeCall(int64_t module, int64_t number) {
  const auto found = find(module);
  const CallSpec &call = found->call(number);
  return {call.inputs,   call.resultNames, call.parameters, call.results,
          call.training, call.region,      call.plan};
}

/// The plan that computes lists of edges, or -1, and the arguments it takes.
static std::tuple<int64_t, Numbers> describeLists(int64_t module,
                                                  int64_t call) {
  const auto found = find(module);
  return {found->call(call).listPlan, found->call(call).listSources};
}

/// Of each region, the plan that has its gradients, or -1.
static Numbers splits(int64_t module) {
  Numbers plans;
  for (const RegionSpec &region : find(module)->manifest().regions)
    plans.push_back(region.split);
  return plans;
}

static int64_t numPlans(int64_t module) {
  return find(module)->manifest().plans.size();
}

/// How many inputs and steps it has, and the numbers of its results.
static std::tuple<int64_t, int64_t, Numbers> describePlan(int64_t module,
                                                          int64_t number) {
  const auto found = find(module);
  const PlanSpec &plan = found->plan(number);
  return {plan.numInputs, plan.steps.size(), plan.results};
}

static std::tuple<int64_t, std::string, Strings, Numbers, Numbers>
describeStep(int64_t module, int64_t plan, int64_t number) {
  const auto found = find(module);
  const std::vector<StepSpec> &steps = found->plan(plan).steps;
  if (number < 0 || number >= static_cast<int64_t>(steps.size()))
    fail("expected a step in [0, ", steps.size(), "), got ", number);
  const StepSpec &step = steps[number];
  return {step.region, step.name, step.arguments, step.inputs, step.outputs};
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A view of a tensor that wants gradients is no leaf: the stable ABI has no
/// other way to ask. Without this check gradients would be missing in silence.
static void refuseGradients(const Tensors &tensors) {
  if (!aoti_torch_grad_mode_is_enabled())
    return;
  for (const Tensor &tensor : tensors) {
    if (!isDense(tensor))
      continue; // refused where it is read
    const auto view = callTorch<Tensor>("aten::alias", "", tensor);
    if (!callTorch<bool>("aten::is_leaf", "", view))
      fail("expected tensors that want no gradients, got one that does: "
           "training takes rgnn::Module of RGNN/Torch/Module.h in C++ and "
           "rgnn.load in Python, inference torch.no_grad()");
  }
}

static int64_t chooseCall(int64_t module, const Tensors &inputs,
                          bool training) {
  return find(module)->choose(inputs, training);
}

static Tensors constants(int64_t module, int64_t call) {
  const auto found = find(module);
  return found->constants(found->call(call));
}

static Tensors draw(int64_t module, int64_t call, const Tensors &inputs) {
  const auto found = find(module);
  return found->draw(found->call(call), inputs);
}

static Tensors run(int64_t module, int64_t region, const Tensors &tensors) {
  refuseGradients(tensors);
  const auto found = find(module);
  return found->run(found->region(region).function, tensors);
}

static Tensors forward(int64_t module, const Tensors &inputs, bool training) {
  const auto found = find(module);
  const CallSpec &call = found->call(found->choose(inputs, training));
  if (!call.surroundings.empty())
    fail("expected a call of compiled code alone, got one that takes "
         "rgnn::Module of RGNN/Torch/Module.h in C++ or rgnn.load in Python: ",
         call.surroundings);
  Tensors tensors = inputs;
  for (int64_t parameter : call.parameters)
    tensors.push_back(found->state()[parameter]);
  for (Tensor &constant : found->constants(call))
    tensors.push_back(std::move(constant));
  for (Tensor &mask : found->draw(call, inputs))
    tensors.push_back(std::move(mask));
  const Tensors outputs = run(module, call.region, tensors);
  Tensors results;
  for (int64_t result : call.results)
    results.push_back(outputs[result]);
  return results;
}

//===----------------------------------------------------------------------===//
// Regions with gradients
//===----------------------------------------------------------------------===//

/// The number of the training, the arguments and outputs that its backward
/// reads, and how many of the outputs are results.
static std::tuple<int64_t, Numbers, Numbers, int64_t>
chooseTraining(int64_t module, int64_t number, const Numbers &wanted) {
  const auto found = find(module);
  const RegionSpec &region = found->region(number);
  const int64_t chosen = found->chooseTraining(region, wanted);
  const TrainingSpec &training = region.trainings[chosen];
  return {chosen, training.numbersOf(TrainingSpec::Source::Argument),
          training.numbersOf(TrainingSpec::Source::Result),
          training.numResults};
}

static Tensors runForward(int64_t module, int64_t region, int64_t training,
                          const Tensors &tensors) {
  refuseGradients(tensors);
  const auto found = find(module);
  return found->run(found->training(found->region(region), training).forward,
                    tensors);
}

/// Gradients by the arguments whose numbers come with them, where a result that
/// is not `missing` depends on them. `kept` holds what chooseTraining names;
/// a missing gradient has the result's shape all the same.
static std::tuple<Tensors, Numbers>
runBackward(int64_t module, int64_t region, int64_t number, const Tensors &kept,
            const Tensors &gradients, const Numbers &missing) {
  refuseGradients(kept);
  const auto found = find(module);
  const TrainingSpec &training = found->training(found->region(region), number);
  if (training.backward < 0)
    return {};

  using Source = TrainingSpec::Source;
  const size_t keptArguments = training.numbersOf(Source::Argument).size();
  const size_t keptResults = training.numbersOf(Source::Result).size();
  if (kept.size() != keptArguments + keptResults ||
      gradients.size() != static_cast<size_t>(training.numResults))
    fail("expected ", keptArguments + keptResults, " kept tensors and ",
         training.numResults, " gradients, got ", kept.size(), " and ",
         gradients.size());
  auto argument = kept.begin(), result = argument + keptArguments;
  Tensors arguments;
  for (const TrainingSpec::Input &input : training.inputs)
    arguments.push_back(input.source == Source::Argument ? *argument++
                        : input.source == Source::Result
                            ? *result++
                            : gradients[input.number]);

  const Tensors computed = found->run(training.backward, arguments);
  Tensors present;
  Numbers numbers;
  for (size_t i = 0; i < training.gradients.size(); ++i) {
    auto isMissing = [&](int64_t n) {
      return std::find(missing.begin(), missing.end(), n) != missing.end();
    };
    if (std::all_of(training.of[i].begin(), training.of[i].end(), isMissing))
      continue;
    present.push_back(computed[i]);
    numbers.push_back(training.gradients[i]);
  }
  return {present, numbers};
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

STABLE_TORCH_LIBRARY(rgnn_module, m) {
  m.def("load(str path) -> int");
  m.def("unload(int module) -> ()");
  m.def("release(int module) -> ()");
  m.def("parameters(int module) -> (str[], Tensor[], int[])");
  m.def("num_calls(int module) -> int");
  m.def("describe_call(int module, int call) -> "
        "(str[], str[], int[], int[], bool, int, int)");
  m.def("describe_lists(int module, int call) -> (int, int[])");
  m.def("splits(int module) -> int[]");
  m.def("num_plans(int module) -> int");
  m.def("describe_plan(int module, int plan) -> (int, int, int[])");
  m.def("describe_step(int module, int plan, int step) -> "
        "(int, str, str[], int[], int[])");
  m.def("forward(int module, Tensor[] inputs, bool training=False) -> "
        "Tensor[]");
  m.def("choose_call(int module, Tensor[] inputs, bool training) -> int");
  m.def("constants(int module, int call) -> Tensor[]");
  m.def("draw(int module, int call, Tensor[] inputs) -> Tensor[]");
  m.def("run(int module, int region, Tensor[] tensors) -> Tensor[]");
  m.def("choose_training(int module, int region, int[] wanted) -> "
        "(int, int[], int[], int)");
  m.def(
      "run_forward(int module, int region, int training, Tensor[] tensors) -> "
      "Tensor[]");
  m.def("run_backward(int module, int region, int training, Tensor[] kept, "
        "Tensor[] gradients, int[] missing) -> (Tensor[], int[])");
}

STABLE_TORCH_LIBRARY_IMPL(rgnn_module, CompositeExplicitAutograd, m) {
  m.impl("load", TORCH_BOX(&load));
  m.impl("unload", TORCH_BOX(&unload));
  m.impl("release", TORCH_BOX(&release));
  m.impl("parameters", TORCH_BOX(&parameters));
  m.impl("num_calls", TORCH_BOX(&numCalls));
  m.impl("describe_call", TORCH_BOX(&describeCall));
  m.impl("describe_lists", TORCH_BOX(&describeLists));
  m.impl("splits", TORCH_BOX(&splits));
  m.impl("num_plans", TORCH_BOX(&numPlans));
  m.impl("describe_plan", TORCH_BOX(&describePlan));
  m.impl("describe_step", TORCH_BOX(&describeStep));
  m.impl("constants", TORCH_BOX(&constants));
  m.impl("choose_training", TORCH_BOX(&chooseTraining));
}

/// The same code below autograd and in its place, where it refuses gradients.
static void registerCalls(StableLibrary &m) {
  m.impl("forward", TORCH_BOX(&forward));
  m.impl("choose_call", TORCH_BOX(&chooseCall));
  m.impl("draw", TORCH_BOX(&draw));
  m.impl("run", TORCH_BOX(&run));
  m.impl("run_forward", TORCH_BOX(&runForward));
  m.impl("run_backward", TORCH_BOX(&runBackward));
}

STABLE_TORCH_LIBRARY_IMPL(rgnn_module, CPU, m) { registerCalls(m); }
STABLE_TORCH_LIBRARY_IMPL(rgnn_module, Autograd, m) { registerCalls(m); }
