//===- TestModel.h - Small saved modules for the tests ----------*- C++ -*-===//

#ifndef RGNN_UNITTESTS_RUNTIME_TESTMODEL_H
#define RGNN_UNITTESTS_RUNTIME_TESTMODEL_H

#include "Support/CpuFeatures.h"
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#include <zlib.h>

namespace rgnn::test {

/// A number as it lies in a file.
template <typename T>
std::string bytesOf(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

inline std::string readFile(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `text` with other bytes from `at` on.
template <typename T>
std::string patched(std::string text, size_t at, T value) {
  return text.replace(at, sizeof(T), bytesOf(value));
}

/// `text` with `to` in the place of the first `from`; `text` itself where there
/// is none.
inline std::string with(std::string text, const std::string &from,
                        const std::string &to) {
  const size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

struct TestEntry {
  std::string name, data;
};

/// A zip archive of stored entries; with `zip64`, all sizes are in the fields
/// for files above 4 GiB.
inline std::string makeArchive(const std::vector<TestEntry> &entries,
                               bool zip64 = false) {
  std::string bytes, directory;
  for (const TestEntry &entry : entries) {
    const uint64_t size = entry.data.size(), offset = bytes.size();
    const uint32_t crc =
        crc32_z(0, reinterpret_cast<const Bytef *>(entry.data.data()), size);
    const uint32_t shortSize = zip64 ? 0xffffffff : size;
    // Flags, method, time, date, CRC-32, and the sizes of data and name.
    const std::string common =
        bytesOf<uint64_t>(0) + bytesOf(crc) + bytesOf(shortSize) +
        bytesOf(shortSize) + bytesOf(static_cast<uint16_t>(entry.name.size()));
    const std::string sizes = bytesOf<uint16_t>(1) + bytesOf<uint16_t>(16) +
                              bytesOf(size) + bytesOf(size);
    std::string extra = zip64 ? sizes : "";
    // An extra field of an unknown kind fills up to the alignment.
    const uint64_t used = offset + 30 + entry.name.size() + extra.size() + 4;
    const uint64_t padding = (64 - used % 64) % 64;
    extra += bytesOf<uint16_t>(0x4752) +
             bytesOf(static_cast<uint16_t>(padding)) +
             std::string(padding, '\0');
    bytes += "PK\3\4" + bytesOf<uint16_t>(45) + common +
             bytesOf(static_cast<uint16_t>(extra.size())) + entry.name + extra +
             entry.data;

    const std::string wide = bytesOf<uint16_t>(1) + bytesOf<uint16_t>(24) +
                             bytesOf(size) + bytesOf(size) + bytesOf(offset);
    directory += "PK\1\2" + bytesOf<uint32_t>(45) + common +
                 bytesOf<uint16_t>(zip64 ? wide.size() : 0) +
                 bytesOf<uint32_t>(0) + bytesOf<uint16_t>(0) +
                 bytesOf<uint32_t>(0) +
                 bytesOf<uint32_t>(zip64 ? 0xffffffff : offset) + entry.name +
                 (zip64 ? wide : "");
  }
  const uint64_t offset = bytes.size(), size = directory.size(),
                 count = entries.size();
  bytes += directory;
  if (zip64)
    bytes += "PK\6\6" + bytesOf<uint64_t>(44) + bytesOf<uint32_t>(45) +
             bytesOf<uint64_t>(0) + bytesOf(count) + bytesOf(count) +
             bytesOf(size) + bytesOf(offset) + "PK\6\7" + bytesOf<uint32_t>(0) +
             bytesOf(offset + size) + bytesOf<uint32_t>(1);
  const uint16_t shortCount = zip64 ? 0xffff : count;
  return bytes + "PK\5\6" + bytesOf<uint32_t>(0) + bytesOf(shortCount) +
         bytesOf(shortCount) + bytesOf<uint32_t>(zip64 ? 0xffffffff : size) +
         bytesOf<uint32_t>(zip64 ? 0xffffffff : offset) + bytesOf<uint16_t>(0);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

inline std::string makeSafeTensors(std::string header,
                                   const std::string &elements) {
  header.resize((header.size() + 7) / 8 * 8, ' ');
  return bytesOf<uint64_t>(header.size()) + header + elements;
}

template <typename T>
std::string elementsOf(const std::vector<T> &values) {
  std::string bytes;
  for (T value : values)
    bytes += bytesOf(value);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// The parts of a saved module; its only function is that of kernel.c, with two
/// more inputs that it does not read.
struct TestModel {
  std::string manifest = with(R"({
"format": "rgnn-module", "version": 1, "abi": 1,
"compiler": {"rgnn": "0.1.0", "llvm": "22.1.0"}, "name": "Sum", "arch": "ARCH",
"targets": [{"name": "native", "cpu": "c9", "features": ["unheard-of"]},
            {"name": "portable", "cpu": "c1", "features": []}],
"functions": [{"name": "forward_0", "ir": "ir/forward_0.mlirbc",
  "code": {"native": "code/native/forward_0.so",
           "portable": "code/portable/forward_0.so"},
  "interface": {
    "version": 1, "entry": "rgnn_forward", "workspace": "rgnn_forward_workspace",
    "inputs": [
      {"name": "x", "dtype": "float32", "shape": [-1, 4]},
      {"name": "edge_index", "dtype": "int64", "shape": [2, -1], "used": false},
      {"name": "edge_type", "dtype": "int64", "shape": [-1], "used": false},
      {"name": "w", "dtype": "float32", "shape": [3, 2], "used": false},
      {"name": "0", "dtype": "int64", "shape": [2], "used": false}],
    "graphs": [{"edge_index": [1], "edge_type": 2, "num_edge_types": 5,
                "num_nodes": [{"input": 0, "dim": 0}],
                "src_type": [], "dst_type": []}],
    "views": [{"graph": 0, "kind": "dst_offsets"},
              {"graph": 0, "kind": "src_of_edge"}],
    "sizes": [{"graph": 0, "of": "node"}],
    "outputs": [{"dtype": "float32", "shape": [{"graph": 0, "of": "node"}, 4]}]
  }}],
"regions": [{"function": 0, "split": 1, "trainings": [
  {"wanted": [0, 3], "forward": 0, "backward": 0, "num_results": 1,
   "inputs": [{"argument": 0}, {"argument": 1}, {"argument": 2}, {"result": 0},
              {"gradient": 0}],
   "gradients": [0], "of": [[0]]},
  {"wanted": [4], "forward": 0, "backward": null, "num_results": 1,
   "inputs": [], "gradients": [], "of": []}]}],
"plans": [
  {"num_inputs": 1, "results": [1], "steps": [
    {"torch": "aten.select", "args": [[{"operand": 0}], 0, {"float": "inf"}],
     "inputs": [0], "outputs": [1], "where": "net.py:7"}]},
  {"num_inputs": 5, "results": [5], "steps": [
    {"region": 0, "inputs": [0, 1, 2, 3, 4], "outputs": [5]}]}],
"calls": [
  {"arguments": {"args": [{"tensor": 0}, {"dict": [["e", {"tensor": 1}]]}],
                 "kwargs": {"t": {"tuple": [{"tensor": 2}, {"value": null}]}}},
   "paths": ["x", "edge_index", "edge_type"], "returns": {"tensor": 0},
   "parameters": ["w"], "constants": ["0"], "region": 0, "plan": null,
   "training": false, "autocast": null, "dtypes": null, "widens": false,
   "derived": null, "drawn": null},
  {"arguments": {"args": [{"list": [{"tensor": 0}, {"tensor": 1}]}],
                 "kwargs": {"to": {"dtype": "float32"}, "on": {"device": "cpu"},
                            "p": {"float": "0.5"}}},
   "paths": ["x", "edge_index"], "returns": {"tensor": 0},
   "parameters": ["tied"], "constants": [], "region": null, "plan": 1,
   "training": true, "autocast": "bfloat16", "dtypes": ["float32"],
   "widens": true,
   "derived": {"sources": [1], "names": ["edge_index"], "plan": 0},
   "drawn": {"sources": [[0, 0]], "masks": [
     {"dtype": "float32", "keep": 0.5, "divisor": null,
      "shape": [[[1, [0]]], [[64, []]]]}]}}],
"parameters": [
  {"name": "w", "kind": "parameter", "dtype": "float32", "shape": [3, 2],
   "requires_grad": true},
  {"name": "tied", "kind": "parameter", "dtype": "float32", "shape": [3, 2],
   "requires_grad": true, "same_as": "w"},
  {"name": "steps", "kind": "buffer", "dtype": "int64", "shape": [],
   "requires_grad": false, "persistent": false}],
"weights": "weights.safetensors", "constants": "constants.safetensors"})",
                              "ARCH", cpuArch);

  std::string weights = makeSafeTensors(
      R"({"__metadata__": {"format": "pt"},
          "steps": {"dtype": "I64", "shape": [], "data_offsets": [0, 8]},
          "w": {"dtype": "F32", "shape": [3, 2], "data_offsets": [8, 32]}})",
      bytesOf<int64_t>(7) + elementsOf<float>({1, 2, 3, 4, 5, 6}));
  std::string constants = makeSafeTensors(
      R"({"0": {"dtype": "I64", "shape": [2], "data_offsets": [0, 16]}})",
      elementsOf<int64_t>({-1, 9}));
  std::string code = "no code";

  std::string make() const {
    return makeArchive({{"manifest.json", manifest},
                        {"ir/forward_0.mlirbc", "ML\xefR"},
                        {"code/native/forward_0.so", "no code"},
                        {"code/portable/forward_0.so", code},
                        {"weights.safetensors", weights},
                        {"constants.safetensors", constants}});
  }
};

/// The function of the model with code for GPUs besides.
inline std::string withCodeForGPUs(const std::string &manifest) {
  const size_t at = manifest.find("\"interface\": {");
  const size_t end = manifest.find("}],\n\"regions\"", at);
  const std::string interface = manifest.substr(at, end - at);
  return manifest.substr(0, end) + ", \"cuda\": {" +
         with(interface, "\"version\": 1",
              "\"version\": 1, \"device\": \"cuda\"") +
         ", \"code\": \"code/portable/forward_0.so\", \"chips\": [\"sm_90\"]}" +
         manifest.substr(end);
}

} // namespace rgnn::test

#endif // RGNN_UNITTESTS_RUNTIME_TESTMODEL_H
