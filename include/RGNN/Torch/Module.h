//===- Module.h - Saved modules in C++ programs with LibTorch ---*- C++ -*-===//
//
// rgnn::Module is what `compiled.save("rgcn.rgnn")` wrote, as a module of
// LibTorch: it has the parameters of the model under their names in Python,
// and trains with any optimizer.
//
//   rgnn::Module module = rgnn::Module::load("rgcn.rgnn");
//   torch::optim::Adam optimizer(module->parameters(), 0.01);
//   torch::Tensor out = module->forward({x, edge_index, edge_type})[0];
//
// Programs are linked with librgnn_torch.so (RGNN::rgnn_torch of CMake) and
// LibTorch; neither Python nor the compiler is needed.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_TORCH_MODULE_H
#define RGNN_TORCH_MODULE_H

#include "RGNN/Torch/Lists.h"
#include "RGNN/Torch/Plan.h"

#include <ATen/autocast_mode.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <sstream>

namespace rgnn {

/// What a module was compiled for: one structure of arguments in one mode.
struct CallSignature {
  /// The tensors of forward, as Python writes them: "x", "x_dict['paper']".
  std::vector<std::string> inputs;
  /// The place of each result in what the model returns in Python: "" for the
  /// only one, "[0]", "['paper']".
  std::vector<std::string> results;
  bool training;
};

class ModuleImpl : public torch::nn::Module {
public:
  /// Throws c10::Error, saying why, where the file cannot be used here. The
  /// module is in the mode that the first call was saved in.
  explicit ModuleImpl(const std::string &path);

  /// Results for the tensors of one of the calls(), for any graph. Throws
  /// c10::Error for what no call was saved for, and for an index out of range.
  ///
  /// Edges are read once: a tensor of edges that is passed again, and was not
  /// changed through PyTorch since, is known. After writing through its
  /// data_ptr, call release().
  std::vector<torch::Tensor> forward(const std::vector<torch::Tensor> &inputs);

  const std::vector<CallSignature> &calls() const { return described; }

  /// Frees what is kept between calls: graphs, and memory of temporaries.
  void release();

  /// Code is for the CPU, and for the element types that it was saved with.
  void to(torch::Device device, torch::Dtype dtype,
          bool nonBlocking = false) override {
    checkDevice("module", device);
    torch::nn::Module::to(device, dtype, nonBlocking);
  }
  void to(torch::Dtype dtype, bool nonBlocking = false) override {
    torch::nn::Module::to(dtype, nonBlocking);
  }
  void to(torch::Device device, bool nonBlocking = false) override {
    checkDevice("module", device);
    torch::nn::Module::to(device, nonBlocking);
  }

private:
  /// How a call is run: what it takes beside its inputs, and what it gives.
  struct Recipe {
    detail::Numbers parameters, results;
    /// One of these is -1.
    int64_t region, plan;
    /// Computes lists of edges of these arguments, where it is not -1.
    int64_t listPlan;
    detail::Numbers listSources;
    detail::Tensors constants;
  };

  static void checkDevice(const std::string &name, torch::Device device) {
    TORCH_CHECK(device.is_cpu(), name, ": expected device cpu, got ", device);
  }
  void registerTensor(const std::string &name, torch::Tensor &tensor,
                      int64_t kind);
  void readCall(int64_t number);

  const detail::Program program;
  detail::ListCache lists;
  detail::Tensors state;
  std::vector<CallSignature> described;
  std::vector<Recipe> recipes;
};

/// Holds a ModuleImpl, as modules of LibTorch are held: copies share it.
class Module : public torch::nn::ModuleHolder<ModuleImpl> {
public:
  using torch::nn::ModuleHolder<ModuleImpl>::ModuleHolder;

  static Module load(const std::string &path) { return Module(path); }

  std::vector<torch::Tensor> forward(const std::vector<torch::Tensor> &inputs) {
    return get()->forward(inputs);
  }
};

//===----------------------------------------------------------------------===//
// Implementation
//===----------------------------------------------------------------------===//

inline ModuleImpl::ModuleImpl(const std::string &path)
    : torch::nn::Module("rgnn::Module"), program(path) {
  const auto parameters =
      detail::callOperator("rgnn_module::parameters", program.number());
  const auto names = parameters[0].to<detail::Strings>();
  state = parameters[1].toTensorVector();
  const auto kinds = parameters[2].toIntVector();
  for (size_t i = 0; i < names.size(); ++i)
    registerTensor(names[i], state[i], kinds[i]);

  const auto count =
      detail::callOperator("rgnn_module::num_calls", program.number());
  for (int64_t number = 0; number < count[0].toInt(); ++number)
    readCall(number);
  if (!described.empty())
    train(described.front().training);
}

/// A name with dots is a tensor of a submodule, which holds nothing else.
inline void ModuleImpl::registerTensor(const std::string &name,
                                       torch::Tensor &tensor, int64_t kind) {
  if (kind == libtorch::Same)
    return;
  torch::nn::Module *owner = this;
  std::istringstream parts(name);
  std::string part;
  std::getline(parts, part, '.');
  for (std::string next; std::getline(parts, next, '.'); part = next) {
    const auto children = owner->named_children();
    const auto *child = children.find(part);
    const auto added =
        child ? *child : std::make_shared<torch::nn::Module>(part);
    if (!child)
      owner->register_module(part, added);
    owner = added.get();
  }
  if (kind == libtorch::Buffer)
    owner->register_buffer(part, tensor);
  else
    owner->register_parameter(part, tensor,
                              kind == libtorch::ParameterWithGradient);
}

inline void ModuleImpl::readCall(int64_t number) {
  auto describe = [&](const char *what) {
    return detail::callOperator(what, program.number(), number);
  };
  const auto call = describe("rgnn_module::describe_call");
  const auto made = describe("rgnn_module::describe_lists");
  described.push_back({call[0].to<detail::Strings>(),
                       call[1].to<detail::Strings>(), call[4].toBool()});
  recipes.push_back({call[2].toIntVector(), call[3].toIntVector(),
                     call[5].toInt(), call[6].toInt(), made[0].toInt(),
                     made[1].toIntVector(),
                     describe("rgnn_module::constants")[0].toTensorVector()});
}

inline std::vector<torch::Tensor>
ModuleImpl::forward(const std::vector<torch::Tensor> &inputs) {
  // Compiled code does not see it: results would have other element types than
  // the model gives there.
  TORCH_CHECK(!at::autocast::is_autocast_enabled(at::kCPU),
              "expected a call without autocast, got one under it");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = "input " + std::to_string(i);
    TORCH_CHECK(inputs[i].defined(), name, ": expected a tensor, got none");
    checkDevice(name, inputs[i].device());
  }
  const auto chosen = detail::callOperator(
      "rgnn_module::choose_call", program.number(), inputs, is_training());
  const Recipe &recipe = recipes[chosen[0].toInt()];

  detail::Tensors tensors = inputs;
  auto append = [&](const detail::Tensors &more) {
    tensors.insert(tensors.end(), more.begin(), more.end());
  };
  for (int64_t parameter : recipe.parameters)
    tensors.push_back(state[parameter]);
  append(recipe.constants);
  if (recipe.listPlan != -1) {
    detail::Tensors sources;
    for (int64_t source : recipe.listSources)
      sources.push_back(tensors[source]);
    append(lists.find(recipe.listPlan, sources, [&] {
      return program.runPlan(recipe.listPlan, sources);
    }));
  }
  append(detail::callOperator("rgnn_module::draw", program.number(), chosen[0],
                              inputs)[0]
             .toTensorVector());

  const detail::Tensors outputs =
      recipe.region != -1 ? program.runRegion(recipe.region, tensors)
                          : program.runPlan(recipe.plan, tensors);
  detail::Tensors results;
  for (int64_t result : recipe.results)
    results.push_back(outputs[result]);
  return results;
}

inline void ModuleImpl::release() {
  lists.clear();
  detail::callOperator("rgnn_module::release", program.number());
}

} // namespace rgnn

#endif // RGNN_TORCH_MODULE_H
