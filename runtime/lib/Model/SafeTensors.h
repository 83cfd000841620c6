//===- SafeTensors.h - Tensors in a file ------------------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_MODEL_SAFETENSORS_H
#define RGNN_RUNTIME_MODEL_SAFETENSORS_H

#include "rgnn/runtime.h"
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rgnn {

/// A tensor whose elements lie in a file.
struct StoredTensor {
  std::vector<int64_t> shape, strides;
  /// Points to the two above.
  DLTensor tensor = {};
};

/// By their names; an element stays where it is.
using StoredTensors = std::map<std::string, StoredTensor>;

/// Adds the tensors of a file in the format safetensors under `prefix` and
/// their names; their elements are in `bytes`. Fails on a file that does not
/// follow the format, on element types that no kernel reads, and on elements
/// that are not aligned to their size.
void readSafeTensors(std::string_view bytes, const std::string &prefix,
                     StoredTensors &tensors);

} // namespace rgnn

#endif // RGNN_RUNTIME_MODEL_SAFETENSORS_H
