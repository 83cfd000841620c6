//===- OnceValues.h - What is computed once for a graph ---------*- C++ -*-===//

#ifndef RGNN_RUNTIME_GRAPH_ONCEVALUES_H
#define RGNN_RUNTIME_GRAPH_ONCEVALUES_H

#include "Support/Workspace.h"
#include <vector>

namespace rgnn {

/// The outputs of a function of a graph alone. The graph keeps them, and never
/// changes them.
struct OnceValues {
  /// The number of the module whose function made them.
  uint64_t module;
  Workspace memory;
  /// Of each output, as calls are given it: pointer, dynamic dimensions.
  std::vector<uint64_t> words;
  OnceValues *next = nullptr;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_GRAPH_ONCEVALUES_H
