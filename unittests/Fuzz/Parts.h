//===- Parts.h - Saved modules as the fuzzer's input ------------*- C++ -*-===//

#ifndef RGNN_UNITTESTS_FUZZ_PARTS_H
#define RGNN_UNITTESTS_FUZZ_PARTS_H

#include "TestModel.h"
#include <algorithm>
#include <string>
#include <string_view>

namespace rgnn::test {

constexpr char archiveMark = 'A', partsMark = 'P';
/// No byte of JSON.
constexpr char separator = '\xff';

/// Manifest, header and elements of the weights, and those of the constants.
inline std::string joinParts(const TestModel &model) {
  std::string bytes = model.manifest;
  for (const std::string &tensors : {model.weights, model.constants}) {
    uint64_t header;
    std::memcpy(&header, tensors.data(), sizeof(header));
    const size_t elements = sizeof(header) + header;
    bytes += separator + tensors.substr(sizeof(header), header) + separator +
             tensors.substr(elements);
  }
  return bytes;
}

inline TestModel splitParts(std::string_view bytes) {
  auto next = [&] {
    const size_t end = std::min(bytes.find(separator), bytes.size());
    const std::string part(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    return part;
  };
  TestModel model;
  model.manifest = next();
  const std::string weights = next();
  model.weights = makeSafeTensors(weights, next());
  const std::string constants = next();
  model.constants = makeSafeTensors(constants, std::string(bytes));
  return model;
}

} // namespace rgnn::test

#endif // RGNN_UNITTESTS_FUZZ_PARTS_H
