//===- tensors.h - Tensors in files that Python reads and writes *- C++ -*-===//

#ifndef RGNN_EXAMPLES_TENSORS_H
#define RGNN_EXAMPLES_TENSORS_H

#include <torch/serialize.h>

#include <fstream>
#include <iterator>
#include <vector>

/// What Python wrote by torch.save([tensor, ...], path).
inline std::vector<torch::Tensor> readTensors(const char *path) {
  std::ifstream file(path, std::ios::binary);
  TORCH_CHECK(file, path, ": expected a file that can be read, got none");
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  const torch::IValue list = torch::pickle_load(bytes);
  std::vector<torch::Tensor> tensors;
  for (const torch::IValue &value : list.toListRef())
    tensors.push_back(value.toTensor());
  return tensors;
}

/// Writes what Python reads by torch.load(path), as a tuple.
inline void writeTensors(const char *path,
                         const std::vector<torch::Tensor> &tensors) {
  const std::vector<torch::IValue> values(tensors.begin(), tensors.end());
  const std::vector<char> bytes =
      torch::pickle_save(c10::ivalue::Tuple::create(values));
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  TORCH_CHECK(file, path, ": expected a file that can be written, got none");
}

#endif // RGNN_EXAMPLES_TENSORS_H
