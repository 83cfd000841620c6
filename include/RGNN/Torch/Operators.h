//===- Operators.h - The operators of librgnn_torch.so ----------*- C++ -*-===//

#ifndef RGNN_TORCH_OPERATORS_H
#define RGNN_TORCH_OPERATORS_H

#include "RGNN/Torch/Interface.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

namespace rgnn::detail {

using Tensors = std::vector<torch::Tensor>;
using Numbers = std::vector<int64_t>;
using Strings = std::vector<std::string>;

/// Calls an operator; what it gives. What fails in it is a c10::Error.
template <typename... Args>
torch::jit::Stack callOperator(const char *name, Args &&...args) {
  torch::jit::Stack stack;
  torch::jit::push(stack, std::forward<Args>(args)...);
  const auto found = c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
  try {
    found.callBoxed(&stack);
  } catch (const c10::Error &) {
    throw;
  } catch (const std::exception &error) {
    TORCH_CHECK(false, error.what());
  }
  return stack;
}

/// A file that librgnn_torch.so has open.
class Handle {
public:
  explicit Handle(const std::string &path) : number(open(path)) {}
  ~Handle() { callOperator("rgnn_module::unload", number); }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;

  const int64_t number;

private:
  static int64_t open(const std::string &path) {
    TORCH_CHECK(rgnn_torch_version() == RGNN_TORCH_VERSION,
                "expected librgnn_torch.so of interface ", RGNN_TORCH_VERSION,
                ", got ", rgnn_torch_version());
    return callOperator("rgnn_module::load", path)[0].toInt();
  }
};

} // namespace rgnn::detail

#endif // RGNN_TORCH_OPERATORS_H
