//===- checks.cpp - What test_libtorch.py compares with Python ------------===//
//
//   checks MODEL INPUTS RESULTS [--errors]
//
// Prints what the module says of itself; writes, for each result of a call, all
// results and the gradients of a loss that depends on this one. With --errors,
// prints what it says of wrong uses: MODEL is then in training mode, takes
// float32 rows, edges and their types, and returns two tensors.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Torch/Module.h"
#include "tensors.h"

#include <iostream>

using Tensors = std::vector<torch::Tensor>;

static void printModule(rgnn::Module &module) {
  for (const rgnn::CallSignature &call : module->calls()) {
    std::cout << "call";
    for (const std::string &input : call.inputs)
      std::cout << " " << input;
    std::cout << " ->";
    for (const std::string &result : call.results)
      std::cout << " " << result;
    std::cout << (call.training ? " training" : "") << "\n";
  }
  for (const auto &parameter : module->named_parameters())
    std::cout << "parameter " << parameter.key() << " "
              << parameter->requires_grad() << "\n";
  for (const auto &buffer : module->named_buffers())
    std::cout << "buffer " << buffer.key() << "\n";
}

/// The results of a call, and gradients of a loss that depends on one of them.
static void train(rgnn::Module &module, const Tensors &inputs, size_t result,
                  Tensors &written) {
  torch::manual_seed(5);
  module->zero_grad();
  const Tensors results = module->forward(inputs);
  results[result].square().sum().backward();
  for (const torch::Tensor &tensor : results)
    written.push_back(tensor.detach());
  for (const auto &parameter : module->named_parameters())
    if (parameter->grad().defined())
      written.push_back(parameter->grad());
    else
      std::cout << "no gradient " << result << " " << parameter.key() << "\n";
}

template <typename Body>
static void printError(const char *name, Body body) {
  try {
    body();
    std::cout << "error " << name << ": none\n";
  } catch (const c10::Error &error) {
    std::cout << "error " << name << ": " << error.what_without_backtrace()
              << "\n";
  }
}

static void printErrors(rgnn::Module &module, const Tensors &inputs) {
  const torch::Tensor &x = inputs[0], &edges = inputs[1], &types = inputs[2];
  printError("device", [&] { module->to(torch::Device("cuda:0")); });
  printError("count", [&] { module->forward({x, edges}); });
  printError("undefined", [&] { module->forward({x, edges, {}}); });
  printError("meta", [&] { module->forward({x.to("meta"), edges, types}); });
  printError("width",
             [&] { module->forward({x.slice(1, 0, 3), edges, types}); });
  printError("dtype",
             [&] { module->forward({x.to(torch::kFloat64), edges, types}); });
  printError("range", [&] { module->forward({x, edges + x.size(0), types}); });
  printError("wanted", [&] {
    module->forward({x.detach().requires_grad_(), edges, types});
  });
  printError("second", [&] {
    const torch::Tensor loss = module->forward(inputs)[0].sum();
    loss.backward({}, /*retain_graph=*/true, /*create_graph=*/true);
  });
  printError("changed", [&] {
    const torch::Tensor loss = module->forward(inputs)[1].square().sum();
    const torch::NoGradGuard guard;
    for (torch::Tensor &parameter : module->parameters())
      parameter.add_(1);
    loss.backward();
  });
  printError("autocast", [&] {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    module->forward(inputs);
  });
  at::autocast::set_autocast_enabled(at::kCPU, false);
  module->eval();
  printError("mode", [&] { module->forward(inputs); });
  printError("file", [&] { rgnn::Module::load("missing.rgnn"); });
}

/// What a backward needs outlives the module.
static void trainWithoutModule(rgnn::Module module, const Tensors &inputs,
                               Tensors &written) {
  const Tensors parameters = module->parameters();
  torch::manual_seed(5);
  const torch::Tensor loss = module->forward(inputs).back().square().sum();
  module->release();
  module = nullptr;
  loss.backward();
  for (const torch::Tensor &parameter : parameters)
    if (parameter.grad().defined())
      written.push_back(parameter.grad());
}

int main(int argc, char **argv) {
  TORCH_CHECK(argc >= 4, "usage: checks MODEL INPUTS RESULTS [--errors]");
  const Tensors inputs = readTensors(argv[2]);
  Tensors written;
  {
    rgnn::Module module = rgnn::Module::load(argv[1]);
    printModule(module);
    for (size_t i = 0; i < module->calls().front().results.size(); ++i)
      train(module, inputs, i, written);
  }
  trainWithoutModule(rgnn::Module::load(argv[1]), inputs, written);
  writeTensors(argv[3], written);
  if (argc > 4 && std::string(argv[4]) == "--errors") {
    rgnn::Module module = rgnn::Module::load(argv[1]);
    printErrors(module, inputs);
  }
  return 0;
}
