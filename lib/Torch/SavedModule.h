//===- SavedModule.h - A saved module that operators work on ----*- C++ -*-===//

#ifndef RGNN_LIB_TORCH_SAVEDMODULE_H
#define RGNN_LIB_TORCH_SAVEDMODULE_H

#include "Graphs.h"

#include <unordered_map>

namespace rgnn::libtorch {

/// An open file: its parameters, the code of its functions once they are
/// called, and the graphs of the last calls. Any thread may use it.
class SavedModule {
public:
  /// Fails, saying why, where the file is none or this processor runs none of
  /// its code.
  explicit SavedModule(const std::string &path);

  /// Parameters and buffers in the order of the manifest. Fails where the file
  /// has no weights.
  const std::vector<Tensor> &state() const;

  /// The first call of this mode that was saved for such inputs and the
  /// parameters as they are. Where none was, the first for as many inputs:
  /// what runs it says what it expects.
  int64_t choose(const std::vector<Tensor> &inputs, bool training) const;

  /// Each fails where there is none of this number.
  const CallSpec &call(int64_t number) const;
  const RegionSpec &region(int64_t number) const;
  const PlanSpec &plan(int64_t number) const;

  /// What the code of a call reads behind its inputs and parameters.
  std::vector<Tensor> constants(const CallSpec &call) const;
  /// Masks of dropout, drawn anew, which come last.
  std::vector<Tensor> draw(const CallSpec &call,
                           const std::vector<Tensor> &inputs) const;

  /// Number of the training of a region with gradients by these arguments, and
  /// as few others as may be. Fails where none was saved.
  int64_t chooseTraining(const RegionSpec &region,
                         const std::vector<int64_t> &wanted) const;
  const TrainingSpec &training(const RegionSpec &region, int64_t number) const;

  /// Runs a function: its results, then what it saves for a backward.
  std::vector<Tensor> run(int32_t function, const std::vector<Tensor> &tensors);

  /// Frees what is kept between calls: graphs, and memory of temporaries.
  void release();

  const Manifest &manifest() const { return description; }

private:
  struct Destroy {
    void operator()(RgnnModel *model) const { rgnn_model_close(model); }
    void operator()(RgnnModule *module) const { rgnn_module_unload(module); }
    void operator()(RgnnCall *call) const { rgnn_call_end(call); }
  };
  template <typename T>
  using Owned = std::unique_ptr<T, Destroy>;

  RgnnModule *load(int32_t function);
  Tensor read(const std::string &name) const;
  bool fits(const CallSpec &call, const std::vector<Tensor> &inputs) const;

  const std::string path;
  const Owned<RgnnModel> model;
  const Manifest description;
  GraphCache graphs;
  std::vector<Tensor> weights;
  std::unordered_map<std::string, Tensor> constantsByName;

  std::mutex mutex;
  std::vector<Owned<RgnnModule>> functions;
};

} // namespace rgnn::libtorch

#endif // RGNN_LIB_TORCH_SAVEDMODULE_H
