//===- Plan.h - Compiled regions, and PyTorch between them ------*- C++ -*-===//

#ifndef RGNN_TORCH_PLAN_H
#define RGNN_TORCH_PLAN_H

#include "RGNN/Torch/Arguments.h"
#include "RGNN/Torch/Autograd.h"

#include <algorithm>
#include <unordered_map>

namespace rgnn::detail {

/// A region, or where that is -1 an operator, on numbered values.
struct Step {
  int64_t region;
  std::string name;
  Strings arguments;
  Numbers inputs, outputs;
};

struct Plan {
  int64_t numValues;
  Numbers results;
  std::vector<Step> steps;
};

/// Arithmetic on sizes, by the names that it has in a saved module.
inline c10::IValue computeSize(const std::string &name,
                               const Strings &arguments,
                               const std::vector<c10::IValue> &operands) {
  ArgumentReader reader(arguments, operands);
  const c10::IValue first = reader.next(nullptr);
  const int64_t b = reader.done() ? 0 : reader.next(nullptr).toInt();
  if (name == "aten.sym_size.int")
    return first.toTensor().size(b);
  const int64_t a = first.toInt();
  if (name == "sym.add")
    return a + b;
  if (name == "sym.sub")
    return a - b;
  if (name == "sym.mul")
    return a * b;
  if (name == "sym.neg")
    return -a;
  if (name == "sym.max")
    return std::max(a, b);
  if (name == "sym.min")
    return std::min(a, b);
  const bool divides = name == "sym.floordiv" || name == "sym.mod";
  TORCH_CHECK(divides && b != 0, "expected arithmetic on sizes, got ", name,
              " of ", a, " and ", b);
  const int64_t quotient = a / b - (a % b != 0 && (a < 0) != (b < 0));
  return name == "sym.mod" ? a - quotient * b : quotient;
}

/// The code of an open module: its regions, and the plans around them.
class Program {
public:
  explicit Program(const std::string &path)
      : handle(std::make_shared<Handle>(path)),
        splits(callOperator("rgnn_module::splits", number())[0].toIntVector()) {
    const int64_t count =
        callOperator("rgnn_module::num_plans", number())[0].toInt();
    for (int64_t plan = 0; plan < count; ++plan)
      plans.push_back(readPlan(plan));
  }

  int64_t number() const { return handle->number; }

  /// With gradients where autograd asks for some.
  Tensors runRegion(int64_t region, const Tensors &tensors) const {
    const bool wanted =
        at::GradMode::is_enabled() &&
        std::any_of(tensors.begin(), tensors.end(),
                    [](const torch::Tensor &t) { return t.requires_grad(); });
    if (wanted && splits[region] != -1)
      return runPlan(splits[region], tensors);
    if (wanted)
      return RegionWithGradients::apply(at::TensorList(tensors), handle,
                                        region);
    const at::NoGradGuard guard;
    return callOperator("rgnn_module::run", number(), region, tensors)[0]
        .toTensorVector();
  }

  Tensors runPlan(int64_t number, const Tensors &tensors) const {
    const Plan &plan = plans[number];
    std::vector<c10::IValue> values(tensors.begin(), tensors.end());
    values.resize(plan.numValues);
    for (const Step &step : plan.steps)
      runStep(step, values);
    Tensors results;
    for (int64_t result : plan.results)
      results.push_back(values[result].toTensor());
    return results;
  }

private:
  Plan readPlan(int64_t plan) const {
    const auto described =
        callOperator("rgnn_module::describe_plan", number(), plan);
    Plan read = {described[0].toInt(), described[2].toIntVector(), {}};
    for (int64_t i = 0; i < described[1].toInt(); ++i) {
      const auto step =
          callOperator("rgnn_module::describe_step", number(), plan, i);
      read.steps.push_back({step[0].toInt(), step[1].toStringRef(),
                            step[2].to<Strings>(), step[3].toIntVector(),
                            step[4].toIntVector()});
      for (int64_t output : read.steps.back().outputs)
        read.numValues = std::max(read.numValues, output + 1);
    }
    return read;
  }

  void runStep(const Step &step, std::vector<c10::IValue> &values) const {
    std::vector<c10::IValue> operands, results;
    for (int64_t input : step.inputs)
      operands.push_back(values[input]);
    if (step.region >= 0) {
      Tensors tensors;
      for (const c10::IValue &operand : operands)
        tensors.push_back(operand.toTensor());
      for (const torch::Tensor &result : runRegion(step.region, tensors))
        results.emplace_back(result);
    } else if (step.name.rfind("sym.", 0) == 0 ||
               step.name == "aten.sym_size.int") {
      results = {computeSize(step.name, step.arguments, operands)};
    } else {
      results = callTorch(step.name, step.arguments, operands);
    }
    // An operator may give several values as one list.
    if (results.size() == 1 && step.outputs.size() > 1)
      results = results[0].toListRef().vec();
    for (size_t i = 0; i < step.outputs.size(); ++i)
      values[step.outputs[i]] = results.at(i);
  }

  const std::shared_ptr<Handle> handle;
  const Numbers splits;
  std::vector<Plan> plans;
};

} // namespace rgnn::detail

#endif // RGNN_TORCH_PLAN_H
