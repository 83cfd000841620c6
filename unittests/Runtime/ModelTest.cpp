//===- ModelTest.cpp - Saved modules --------------------------------------===//

#include "Model/Model.h"
#include "TestGraphs.h"
#include "TestModel.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace rgnn;
using namespace rgnn::test;

namespace {
/// The sum of kernel.c, saved in a file.
struct ModelFileTest : testing::Test {
  ModelFileTest() { parts.code = readFile(RGNN_TEST_KERNEL); }
  ~ModelFileTest() override {
    rgnn_model_close(model);
    rgnn_module_unload(module);
    std::remove(path.c_str());
  }

  int32_t open() {
    std::ofstream(path, std::ios::binary) << parts.make();
    return rgnn_model_open(path.c_str(), &model);
  }

  const std::string path =
      testing::TempDir() + "rgnn-" +
      testing::UnitTest::GetInstance()->current_test_info()->name() + ".rgnn";
  TestModel parts;
  RgnnModel *model = nullptr;
  RgnnModule *module = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is in a file
//===----------------------------------------------------------------------===//

TEST_F(ModelFileTest, Content) {
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  EXPECT_EQ(rgnn_model_manifest(model), parts.manifest);
  EXPECT_STREQ(rgnn_model_target(model), "portable");

  ASSERT_EQ(rgnn_model_num_tensors(model), 3);
  EXPECT_STREQ(rgnn_model_tensor_name(model, 0), ".constants.0");
  EXPECT_STREQ(rgnn_model_tensor_name(model, 1), "steps");
  EXPECT_STREQ(rgnn_model_tensor_name(model, 2), "w");
  EXPECT_EQ(rgnn_model_tensor_name(model, 3), nullptr);
  EXPECT_EQ(rgnn_model_tensor_name(model, -1), nullptr);
  const DLTensor *w = rgnn_model_tensor(model, "w");
  ASSERT_NE(w, nullptr);
  EXPECT_EQ(static_cast<float *>(w->data)[5], 6);
  EXPECT_EQ(rgnn_model_tensor(model, "tied"), w);
  EXPECT_EQ(rgnn_model_tensor(model, "0"), nullptr);
  const DLTensor *constant = rgnn_model_tensor(model, ".constants.0");
  EXPECT_EQ(static_cast<int64_t *>(constant->data)[1], 9);
}

TEST_F(ModelFileTest, CodeForGPUs) {
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  EXPECT_EQ(rgnn_model_load_for_gpu(model, 0, &module), RGNN_LOAD_FAILED);
  EXPECT_STREQ(rgnn_last_error(), "expected code for NVIDIA GPUs, got a module "
                                  "that was saved without");
  EXPECT_EQ(rgnn_model_load_for_gpu(model, 1, &module), RGNN_INVALID_INPUT);
  rgnn_model_close(model);

  parts.manifest = withCodeForGPUs(parts.manifest);
  parts.code = readFile(RGNN_TEST_LAUNCHES);
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  ASSERT_EQ(rgnn_model_load_for_gpu(model, 0, &module), RGNN_OK)
      << rgnn_last_error();
  EXPECT_TRUE(rgnn_module_on_gpu(module));
}

TEST_F(ModelFileTest, Calls) {
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  ASSERT_EQ(rgnn_model_num_calls(model), 2);
  EXPECT_EQ(rgnn_model_call(model, 2), nullptr);
  EXPECT_EQ(rgnn_model_call(model, -1), nullptr);
  const RgnnCallInfo *call = rgnn_model_call(model, 0);
  EXPECT_EQ(call->function, 0);
  EXPECT_EQ(call->training, 0);
  ASSERT_EQ(call->num_inputs, 3);
  EXPECT_STREQ(call->input_names[1], "edge_index");
  ASSERT_EQ(call->num_tensors, 2);
  EXPECT_STREQ(call->tensor_names[0], "w");
  EXPECT_STREQ(call->tensor_names[1], ".constants.0");
  EXPECT_EQ(call->num_derived + call->num_drawn, 0);

  call = rgnn_model_call(model, 1);
  EXPECT_EQ(call->function, -1);
  EXPECT_EQ(call->training, 1);
  EXPECT_EQ(call->num_inputs, 2);
  EXPECT_EQ(call->num_tensors, 1);
  EXPECT_EQ(call->num_derived, 1);
  EXPECT_EQ(call->num_drawn, 1);
}

TEST_F(ModelFileTest, NoFile) {
  EXPECT_EQ(rgnn_model_open("/nowhere.rgnn", &model), RGNN_LOAD_FAILED);
  EXPECT_STREQ(rgnn_last_error(), "'/nowhere.rgnn': expected a file, got: No "
                                  "such file or directory");
  EXPECT_EQ(rgnn_model_open("/", &model), RGNN_LOAD_FAILED);
  EXPECT_STREQ(rgnn_last_error(), "'/': expected a file, got something else");
  std::ofstream(path).flush();
  EXPECT_EQ(rgnn_model_open(path.c_str(), &model), RGNN_LOAD_FAILED);
  EXPECT_EQ(rgnn_last_error(),
            "'" + path +
                "': expected a zip archive that ends with its "
                "directory, got 0 bytes that do not");
  EXPECT_EQ(model, nullptr);
}

TEST(ModelTest, TruncatedAnywhere) {
  const std::string bytes = TestModel().make();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(messageOf([&] { Model model({bytes.data(), size}); }), "");
}

TEST(ModelTest, WithoutWeights) {
  TestModel parts;
  parts.manifest = with(parts.manifest, "\"weights.safetensors\"", "null");
  const std::string bytes = parts.make();
  const Model model(bytes);
  EXPECT_EQ(model.tensor("w"), nullptr);
  EXPECT_EQ(model.tensorNames().size(), 1u);
}

//===----------------------------------------------------------------------===//
// Targets and code
//===----------------------------------------------------------------------===//

TEST_F(ModelFileTest, PrefersTheFirstTargetThatFits) {
  parts.manifest = with(parts.manifest, "\"unheard-of\"", "");
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  EXPECT_STREQ(rgnn_model_target(model), "native");
  EXPECT_EQ(rgnn_model_load(model, 0, &module), RGNN_LOAD_FAILED);
  EXPECT_STREQ(rgnn_last_error(),
               "expected 'code/native/forward_0.so' to be a shared object for "
               "this processor, got something else");
}

TEST_F(ModelFileTest, NoTargetFits) {
  parts.manifest = with(parts.manifest, "\"features\": []",
                        "\"features\": [\"avx10k\", \"sse-\"]");
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  EXPECT_EQ(rgnn_model_target(model), nullptr);
  EXPECT_EQ(rgnn_model_load(model, 0, &module), RGNN_LOAD_FAILED);
  EXPECT_EQ(rgnn_last_error(),
            std::string("expected a target for this processor (") + cpuArch +
                "), got 'native' that needs unheard-of, 'portable' that needs "
                "avx10k sse-");
}

TEST_F(ModelFileTest, OtherArchitecture) {
  parts.manifest = with(parts.manifest, cpuArch, "riscv64");
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  EXPECT_EQ(rgnn_model_target(model), nullptr);
  EXPECT_EQ(rgnn_model_load(model, 0, &module), RGNN_LOAD_FAILED);
  EXPECT_EQ(rgnn_last_error(),
            std::string("expected a target for this processor (") + cpuArch +
                "), got code for riscv64");
}

TEST_F(ModelFileTest, DamagedCode) {
  std::string bytes = parts.make();
  bytes[bytes.find(parts.code) + 100] ^= 1;
  const Model damaged(bytes);
  EXPECT_EQ(messageOf([&] { damaged.load(0); }).substr(0, 19),
            "expected the CRC-32");
}

TEST_F(ModelFileTest, NoSuchFunction) {
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  for (int32_t function : {-1, 1}) {
    EXPECT_EQ(rgnn_model_load(model, function, &module), RGNN_INVALID_INPUT);
    EXPECT_EQ(rgnn_last_error(),
              "expected a function in [0, 1), got " + std::to_string(function));
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// A call of the sum, whose graphs are made of its inputs.
struct ModelCallTest : ModelFileTest {
  ModelCallTest() {
    x.shape = {20, 4};
    for (int i = 0; i < 80; ++i)
      x.values.push_back(static_cast<float>(i));
    tensors = {x.dl(), index.dl(), type.dl()};
    inputs = {&tensors[0], &tensors[1], &tensors[2], nullptr, nullptr};
  }
  ~ModelCallTest() override { rgnn_graph_destroy(graph); }

  /// The message where the graph cannot be made.
  std::string makeGraph() {
    const int32_t status = rgnn_module_make_graphs(
        module, inputs.data(), static_cast<int32_t>(inputs.size()), &graph);
    return status == RGNN_OK ? "" : rgnn_last_error();
  }

  std::vector<float> run() {
    RgnnCall *call = nullptr;
    EXPECT_EQ(rgnn_call_begin(module, &graph, 1, inputs.data(), 5, &call),
              RGNN_OK)
        << rgnn_last_error();
    std::vector<float> result(x.values.size());
    void *data = result.data();
    EXPECT_EQ(rgnn_call_run(call, &data, 1), RGNN_OK);
    rgnn_call_end(call);
    return result;
  }

  const EdgeList list = randomEdges(1, 20, 4, 100);
  Tensor<float> x;
  Tensor<int64_t> index = list.edgeIndex(), type = list.edgeType();
  std::vector<DLTensor> tensors;
  std::vector<const DLTensor *> inputs;
  RgnnGraph *graph = nullptr;
};
} // namespace

TEST_F(ModelCallTest, CodeOutlivesTheModel) {
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  ASSERT_EQ(rgnn_model_load(model, 0, &module), RGNN_OK) << rgnn_last_error();
  rgnn_model_close(model);
  model = nullptr;
  ASSERT_EQ(makeGraph(), "");
  std::vector<float> sums(x.values.size());
  for (const Edge &edge : list.edges)
    for (int i = 0; i < 4; ++i)
      sums[edge.dst * 4 + i] += x.values[edge.src * 4 + i];
  EXPECT_EQ(run(), sums);
}

TEST_F(ModelCallTest, InputNames) {
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  ASSERT_EQ(rgnn_model_load(model, 0, &module), RGNN_OK) << rgnn_last_error();
  EXPECT_EQ(rgnn_module_num_inputs(module), 5);
  EXPECT_STREQ(rgnn_module_input_name(module, 3), "w");
  EXPECT_EQ(rgnn_module_input_name(module, 5), nullptr);
  EXPECT_EQ(rgnn_module_input_name(module, -1), nullptr);
}

TEST_F(ModelCallTest, GraphsOfWrongInputs) {
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  ASSERT_EQ(rgnn_model_load(model, 0, &module), RGNN_OK) << rgnn_last_error();
  inputs[1] = nullptr;
  EXPECT_EQ(makeGraph(), "input 'edge_index': expected a tensor, of which "
                         "graph 0 is made, got none");
  inputs[1] = &tensors[1];
  tensors[0].ndim = 0;
  EXPECT_EQ(makeGraph(), "input 'x': expected rank 2, got shape []");
  tensors[0].ndim = 2;
  tensors[1].shape[1] = 99;
  EXPECT_EQ(makeGraph(),
            "edge_type: expected one type for each of 99 edges, got 100");
  inputs.pop_back();
  EXPECT_EQ(makeGraph(), "expected 5 inputs, got 4");
  EXPECT_EQ(graph, nullptr);
}

TEST_F(ModelCallTest, GraphsOfTheCaller) {
  const std::string edges = R"("edge_index": [1], "edge_type": 2)";
  const std::string nodes = R"("num_nodes": [{"input": 0, "dim": 0}])";
  const std::string good = parts.manifest;
  parts.manifest = with(good, edges, R"("edge_index": [], "edge_type": -1)");
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  ASSERT_EQ(rgnn_model_load(model, 0, &module), RGNN_OK) << rgnn_last_error();
  EXPECT_EQ(makeGraph(), "graph 0: expected edges among the inputs, got a "
                         "graph that the caller makes");
  rgnn_module_unload(module);
  rgnn_model_close(model);
  module = nullptr;
  model = nullptr;
  parts.manifest = with(good, nodes, R"("num_nodes": [-1])");
  ASSERT_EQ(open(), RGNN_OK) << rgnn_last_error();
  ASSERT_EQ(rgnn_model_load(model, 0, &module), RGNN_OK) << rgnn_last_error();
  EXPECT_EQ(makeGraph(), "graph 0: expected numbers of nodes that follow from "
                         "the inputs, got a graph that the caller makes");
}
