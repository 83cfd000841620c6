//===- ModuleTest.h - a compiled module and calls of it ---------*- C++ -*-===//

#ifndef RGNN_UNITTESTS_RUNTIME_MODULETEST_H
#define RGNN_UNITTESTS_RUNTIME_MODULETEST_H

#include "Module/Module.h"
#include "TestGraphs.h"
#include <gtest/gtest.h>

namespace rgnn::test {

inline const char *const sumManifest = R"({
  "version": 1, "entry": "rgnn_forward", "workspace": "rgnn_forward_workspace",
  "inputs": [
    {"name": "x", "dtype": "float32", "shape": [-1, 4]},
    {"name": "edge_index", "dtype": "int64", "shape": [2, -1], "used": false},
    {"name": "edge_type", "dtype": "int64", "shape": [-1], "used": false}],
  "graphs": [{"edge_index": [1], "edge_type": 2, "num_edge_types": 5,
              "num_nodes": [{"input": 0, "dim": 0}],
              "src_type": [], "dst_type": []}],
  "views": [{"graph": 0, "kind": "dst_offsets"},
            {"graph": 0, "kind": "src_of_edge"}],
  "sizes": [{"graph": 0, "of": "node"}],
  "outputs": [{"dtype": "float32",
               "shape": [{"graph": 0, "of": "node"}, 4]}]})";

inline std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// A graph may have types that no edge is of.
inline EdgeList ofTheManifest(EdgeList list) {
  list.numTypes = 5;
  return list;
}

/// A module of kernel.c, and a call of it whose arguments can be spoilt.
struct ModuleTest : testing::Test {
  explicit ModuleTest(const EdgeList &edges = randomEdges(1, 20, 4, 100))
      : list(ofTheManifest(edges)), graph(list.make()), index(list.edgeIndex()),
        type(list.edgeType()) {
    x.shape = {list.totalNodes(), 4};
    for (int64_t i = 0; i < 4 * list.totalNodes(); ++i)
      x.values.push_back(static_cast<float>(i));
    graphs = {reinterpret_cast<RgnnGraph *>(graph.get())};
    tensors = {x.dl(), index.dl(), type.dl()};
    inputs = {&tensors[0], &tensors[1], &tensors[2]};
    load(sumManifest);
  }
  ~ModuleTest() override { rgnn_module_unload(module); }

  void load(const std::string &manifest,
            const char *library = RGNN_TEST_KERNEL) {
    rgnn_module_unload(module);
    module = nullptr;
    status = rgnn_module_load(library, manifest.c_str(), &module);
    ASSERT_EQ(status, RGNN_OK) << rgnn_last_error();
  }

  std::vector<float> expected() const {
    std::vector<float> sums(4 * list.totalNodes());
    for (const Edge &edge : list.edges)
      for (int i = 0; i < 4; ++i)
        sums[edge.dst * 4 + i] += x.values[edge.src * 4 + i];
    return sums;
  }

  /// Runs a whole call; "" or the message.
  std::string call(std::vector<float> &result) {
    RgnnCall *call = nullptr;
    status = rgnn_call_begin(module, graphs.data(),
                             static_cast<int32_t>(graphs.size()), inputs.data(),
                             static_cast<int32_t>(inputs.size()), &call);
    if (status != RGNN_OK)
      return rgnn_last_error();
    DLTensor *output = rgnn_call_output(call, 0);
    EXPECT_EQ(output->ndim, 2);
    EXPECT_EQ(output->shape[0], list.totalNodes());
    EXPECT_EQ(output->shape[1], 4);
    result.assign(4 * list.totalNodes(), -1.0f);
    void *data = result.data();
    status = rgnn_call_run(call, &data, 1);
    const std::string message = status == RGNN_OK ? "" : rgnn_last_error();
    rgnn_call_end(call);
    return message;
  }

  std::string message() {
    std::vector<float> result;
    return call(result);
  }

  /// Memory that a call under way uses outlives the release until its end.
  void expectReleaseAtTheEndOfACall() {
    RgnnCall *call = nullptr;
    ASSERT_EQ(
        rgnn_call_begin(module, graphs.data(), 1, inputs.data(), 3, &call), 0);
    std::vector<float> result(x.values.size());
    void *data = result.data();
    ASSERT_EQ(rgnn_call_run(call, &data, 1), RGNN_OK);
    rgnn_module_release_workspace(module);
    EXPECT_GT(rgnn_module_workspace_bytes(module), 0u);
    rgnn_call_end(call);
    EXPECT_EQ(rgnn_module_workspace_bytes(module), 0u);
  }

  const EdgeList list;
  std::unique_ptr<Graph> graph;
  Tensor<float> x;
  Tensor<int64_t> index, type;
  std::vector<DLTensor> tensors;
  std::vector<RgnnGraph *> graphs;
  std::vector<const DLTensor *> inputs;
  RgnnModule *module = nullptr;
  int32_t status = RGNN_OK;
};

/// The same module, whose result is saved for another.
struct SavedOutputTest : ModuleTest {
  SavedOutputTest() {
    load(replaced(sumManifest, R"("outputs": [{)",
                  R"("outputs": [{"saved": true, )"));
  }

  /// Runs a call and gives its only output.
  DLManagedTensorVersioned *save() {
    RgnnCall *call = nullptr;
    DLManagedTensorVersioned *tensor = nullptr;
    EXPECT_EQ(
        rgnn_call_begin(module, graphs.data(), 1, inputs.data(), 3, &call),
        RGNN_OK);
    EXPECT_EQ(rgnn_call_make_output(call, 0, &tensor), RGNN_OK);
    EXPECT_EQ(rgnn_call_run(call, &tensor->dl_tensor.data, 1), RGNN_OK);
    rgnn_call_end(call);
    return tensor;
  }

  static const float *dataOf(DLManagedTensorVersioned *tensor) {
    return static_cast<const float *>(tensor->dl_tensor.data);
  }
};

} // namespace rgnn::test

#endif // RGNN_UNITTESTS_RUNTIME_MODULETEST_H
