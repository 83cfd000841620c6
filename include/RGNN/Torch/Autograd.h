//===- Autograd.h - Compiled regions that autograd sees ---------*- C++ -*-===//
//
// The operators of librgnn_torch.so know no gradients, since LibTorch's stable
// ABI has no autograd: it is added here, in the program that uses them.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_TORCH_AUTOGRAD_H
#define RGNN_TORCH_AUTOGRAD_H

#include "RGNN/Torch/Operators.h"

#include <torch/csrc/autograd/custom_function.h>

#include <memory>

namespace rgnn::detail {

/// What the backward of a region needs beside its tensors.
struct TrainedRegion : torch::CustomClassHolder {
  std::shared_ptr<Handle> module;
  int64_t region, training;
  size_t numTensors;
  /// In the place of gradients of results that a loss does not depend on.
  Tensors zeros;
};

class RegionWithGradients
    : public torch::autograd::Function<RegionWithGradients> {
public:
  static Tensors forward(torch::autograd::AutogradContext *context,
                         at::TensorList tensors,
                         const std::shared_ptr<Handle> &module,
                         int64_t region) {
    Numbers wanted;
    for (size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i].requires_grad())
        wanted.push_back(static_cast<int64_t>(i));
    const auto training = callOperator("rgnn_module::choose_training",
                                       module->number, region, wanted);
    Tensors outputs = callOperator("rgnn_module::run_forward", module->number,
                                   region, training[0], tensors)[0]
                          .toTensorVector();

    Tensors kept;
    for (int64_t argument : training[1].toIntVector())
      kept.push_back(tensors[argument]);
    for (int64_t output : training[2].toIntVector())
      kept.push_back(outputs[output]);
    context->save_for_backward(std::move(kept));
    context->set_materialize_grads(false);
    outputs.resize(training[3].toInt());

    auto state = c10::make_intrusive<TrainedRegion>();
    state->module = module;
    state->region = region;
    state->training = training[0].toInt();
    state->numTensors = tensors.size();
    for (const torch::Tensor &output : outputs)
      state->zeros.push_back(
          at::zeros({}, output.options()).expand(output.sizes()));
    context->saved_data["region"] = c10::IValue::make_capsule(std::move(state));
    return outputs;
  }

  static Tensors backward(torch::autograd::AutogradContext *context,
                          Tensors gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "expected first derivatives, got ones of a backward "
                "(create_graph)");
    const auto held = context->saved_data["region"].toCapsule();
    const auto &state = static_cast<const TrainedRegion &>(*held);
    Numbers missing;
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined())
        continue;
      gradients[i] = state.zeros[i];
      missing.push_back(static_cast<int64_t>(i));
    }
    const auto found = callOperator(
        "rgnn_module::run_backward", state.module->number, state.region,
        state.training, context->get_saved_variables(), gradients, missing);

    // Autograd asks for one gradient an argument of forward; the last two are
    // no tensors.
    Tensors all(state.numTensors + 2);
    const Tensors computed = found[0].toTensorVector();
    const Numbers numbers = found[1].toIntVector();
    for (size_t i = 0; i < numbers.size(); ++i)
      all[numbers[i]] = computed[i];
    return all;
  }
};

} // namespace rgnn::detail

#endif // RGNN_TORCH_AUTOGRAD_H
