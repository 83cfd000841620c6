//===- Lists.h - Lists of edges that a model computes -----------*- C++ -*-===//

#ifndef RGNN_TORCH_LISTS_H
#define RGNN_TORCH_LISTS_H

#include "RGNN/Torch/Operators.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace rgnn::detail {

/// The lists of the last calls, found again by the tensors that they were
/// computed from: graphs in turn are found again by the lists.
class ListCache {
public:
  /// The lists that `compute`, the plan of this number, gives for the tensors
  /// as they are.
  template <typename Compute>
  Tensors find(int64_t plan, const Tensors &sources, Compute compute) {
    if (std::any_of(sources.begin(), sources.end(),
                    [](const torch::Tensor &t) { return t.is_inference(); }))
      return compute(); // a change of these could not be seen
    {
      const std::lock_guard<std::mutex> lock(mutex);
      for (const Entry &entry : entries)
        if (entry.plan == plan && entry.holds(sources))
          return entry.lists;
    }
    Entry entry(plan, sources);
    // What is made in inference mode has no version, and no graph of its own.
    const c10::InferenceMode outside(false);
    const at::NoGradGuard guard;
    entry.lists = compute();
    const std::lock_guard<std::mutex> lock(mutex);
    entries.push_front(std::move(entry));
    if (entries.size() > limit)
      entries.pop_back();
    return entries.front().lists;
  }

  void clear() {
    const std::lock_guard<std::mutex> lock(mutex);
    entries.clear();
  }

private:
  /// Tensors as they were. They are held: no other has their identity.
  struct Entry {
    Entry(int64_t plan, const Tensors &tensors) : plan(plan), sources(tensors) {
      for (const torch::Tensor &tensor : tensors) {
        versions.push_back(tensor._version());
        addresses.push_back(tensor.const_data_ptr());
      }
    }

    bool holds(const Tensors &now) const {
      if (now.size() != sources.size())
        return false;
      for (size_t i = 0; i < now.size(); ++i)
        if (!now[i].is_same(sources[i]) || now[i]._version() != versions[i] ||
            now[i].const_data_ptr() != addresses[i])
          return false;
      return true;
    }

    int64_t plan;
    Tensors sources, lists;
    Numbers versions;
    std::vector<const void *> addresses;
  };

  static constexpr size_t limit = 4;
  std::mutex mutex;
  std::deque<Entry> entries;
};

} // namespace rgnn::detail

#endif // RGNN_TORCH_LISTS_H
