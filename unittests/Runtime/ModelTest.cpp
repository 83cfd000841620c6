//===- ModelTest.cpp - Saved modules --------------------------------------===//

#include "Model/Model.h"
#include "TestGraphs.h"
#include "TestModel.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace rgnn;
using namespace rgnn::test;

static std::string messageFor(const TestModel &parts) {
  const std::string bytes = parts.make();
  return messageOf([&] { Model model(bytes); });
}

/// The message for a manifest with `to` in the place of `from`, without its
/// beginning "manifest".
static std::string messageWith(const std::string &from, const std::string &to) {
  TestModel parts;
  EXPECT_NE(parts.manifest.find(from), std::string::npos) << from;
  parts.manifest = with(parts.manifest, from, to);
  const std::string message = messageFor(parts);
  return message.rfind("manifest", 0) == 0 ? message.substr(8) : message;
}

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

/// The function of the model with code for GPUs besides.
static std::string withCodeForGPUs(const std::string &manifest) {
  const size_t at = manifest.find("\"interface\": {");
  const size_t end = manifest.find("}],\n\"regions\"", at);
  const std::string interface = manifest.substr(at, end - at);
  return manifest.substr(0, end) + ", \"cuda\": {" +
         with(interface, "\"version\": 1",
              "\"version\": 1, \"device\": \"cuda\"") +
         ", \"code\": \"code/portable/forward_0.so\", \"chips\": [\"sm_90\"]}" +
         manifest.substr(end);
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

TEST(ModelManifestTest, CodeForGPUs) {
  TestModel parts;
  const std::string good = withCodeForGPUs(parts.manifest);
  auto expect = [&](const std::string &from, const std::string &to,
                    const std::string &message) {
    parts.manifest = with(good, from, to);
    EXPECT_EQ(messageFor(parts).substr(0, message.size()), message);
  };
  expect("\"device\": \"cuda\"", "\"device\": \"cpu\"",
         "manifest.functions[0].cuda.interface: expected the device cuda, and "
         "the inputs and outputs of the function's own interface, got {");
  expect("\"chips\"", "\"shops\"",
         "manifest.functions[0].cuda: expected a field 'chips', got {");
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

TEST(ModelTest, WrongManifest) {
  EXPECT_EQ(messageWith("rgnn-module", "zip"),
            ".format: expected rgnn-module, got \"zip\"");
  EXPECT_EQ(messageWith("\"version\": 1", "\"version\": 2"),
            ".version: expected 1, got 2");
  EXPECT_EQ(messageWith("\"abi\": 1", "\"abi\": 7"), ".abi: expected 1, got 7");
  EXPECT_EQ(messageWith("\"abi\": 1", "\"abi\": 1e999").substr(0, 17),
            ": expected JSON: ");
  EXPECT_EQ(messageWith("\"portable\", \"cpu\"", "\"native\", \"cpu\""),
            ".targets[1].name: expected each target once, got \"native\"");
  EXPECT_EQ(messageWith("\"features\": []", "\"features\": [1]"),
            ".targets[1].features[0]: expected a string, got 1");
  EXPECT_EQ(
      messageWith("\"native\": \"code", "\"other\": \"code").substr(0, 52),
      ".functions[0].code: expected a field 'native', got {");
  EXPECT_EQ(messageWith("code/native/forward_0", "code/native/forward_1"),
            ".functions[0].code.native: expected the name of an entry of the "
            "archive, got \"code/native/forward_1.so\"");
  EXPECT_EQ(messageWith("ir/forward_0", "ir/forward"),
            ".functions[0].ir: expected the name of an entry of the archive, "
            "got \"ir/forward.mlirbc\"");
  EXPECT_EQ(messageWith("\"of\": \"node\"", "\"of\": \"nodes\""),
            ".functions[0].interface.sizes[0].of: expected the name of a graph "
            "size, got 'nodes'");
  EXPECT_EQ(messageWith("\"src_type\": []", "\"src_type\": [0]")
                .rfind(".functions[0].interface.graphs[0]: expected a src_type "
                       "and a dst_type for each edge_index, or none, got {",
                       0),
            0u);
  EXPECT_EQ(messageWith("\"buffer\"", "\"cache\""),
            ".parameters[2].kind: expected parameter or buffer, got \"cache\"");
  EXPECT_EQ(messageWith("\"name\": \"tied\"", "\"name\": \"w\""),
            ".parameters[1].name: expected each parameter once, got \"w\"");
  EXPECT_EQ(messageWith("\"same_as\": \"w\"", "\"same_as\": \"tied\""),
            ".parameters[1].same_as: expected the name of a parameter before "
            "this one, got \"tied\"");
  EXPECT_EQ(messageWith("\"shape\": [3, 2],\n   \"requires_grad\": true, \"s",
                        "\"shape\": [2, 3], \"s"),
            ".parameters[1].same_as: expected a parameter of this element type "
            "and shape, got \"w\"");
}

TEST(ModelTest, WrongRegions) {
  EXPECT_EQ(messageWith("\"function\": 0", "\"function\": 1"),
            ".regions[0].function: expected a number in [0, 1), got 1");
  EXPECT_EQ(messageWith("\"split\": 1", "\"split\": 2"),
            ".regions[0].split: expected a number in [0, 2), got 2");
  EXPECT_EQ(messageWith("\"split\": 1", "\"split\": 0"),
            ".regions[0].split: expected a plan with the inputs and results of "
            "the region, got 0");
  EXPECT_EQ(messageWith("\"wanted\": [0, 3]", "\"wanted\": [3, 0]"),
            ".regions[0].trainings[0].wanted[1]: expected a number above 3, "
            "got 0");
  EXPECT_EQ(messageWith("\"wanted\": [0, 3]", "\"wanted\": [0, 5]"),
            ".regions[0].trainings[0].wanted[1]: expected a number in [0, 5), "
            "got 5");
  EXPECT_EQ(messageWith("\"backward\": 0", "\"backward\": -1"),
            ".regions[0].trainings[0].backward: expected a number in [0, 1), "
            "got -1");
  EXPECT_EQ(messageWith("\"num_results\": 1", "\"num_results\": 2"),
            ".regions[0].trainings[0].num_results: expected 1, got 2");
  EXPECT_EQ(messageWith("{\"gradient\": 0}", "{\"gradient\": 1}"),
            ".regions[0].trainings[0].inputs[4].gradient: expected a number in "
            "[0, 1), got 1");
  EXPECT_EQ(messageWith("{\"argument\": 1}, ", "").substr(0, 59),
            ".regions[0].trainings[0].inputs: expected a list of 5, got ");
  EXPECT_EQ(messageWith("\"of\": [[0]]", "\"of\": []"),
            ".regions[0].trainings[0].of: expected a list of 1, got []");
  EXPECT_EQ(messageWith("\"of\": [[0]]", "\"of\": [[1]]"),
            ".regions[0].trainings[0].of[0][0]: expected a number in [0, 1), "
            "got 1");
  EXPECT_EQ(messageWith("\"gradients\": []", "\"gradients\": [0]"),
            ".regions[0].trainings[1].of: expected a list of 1, got []");
}

TEST(ModelTest, WrongPlans) {
  EXPECT_EQ(messageWith("{\"operand\": 0}", "{\"operand\": 1}"),
            ".plans[0].steps[0].args[0][0].operand: expected a number in [0, "
            "1), got 1");
  EXPECT_EQ(messageWith("\"results\": [1]", "\"results\": [2]"),
            ".plans[0].results[0]: expected the number of a value before this "
            "step, got 2");
  EXPECT_EQ(messageWith("\"outputs\": [1]", "\"outputs\": [0]"),
            ".plans[0].steps[0].outputs[0]: expected a number from 1 to 1, got "
            "0");
  EXPECT_EQ(messageWith("\"outputs\": [1]", "\"outputs\": [1000000000000]"),
            ".plans[0].steps[0].outputs[0]: expected a number from 1 to 1, got "
            "1000000000000");
  EXPECT_EQ(messageWith("\"outputs\": [1]", "\"outputs\": [1, 1]"),
            ".plans[0].steps[0].outputs[1]: expected the number of a new "
            "value, got 1");
  EXPECT_EQ(messageWith("{\"region\": 0, \"inputs\": [0, 1",
                        "{\"region\": 0, \"inputs\": [0, 5"),
            ".plans[1].steps[0].inputs[1]: expected the number of a value "
            "before this step, got 5");
  EXPECT_EQ(messageWith("{\"region\": 0, \"inputs\": [0, 1",
                        "{\"region\": 0, \"inputs\": [0, 1, 1"),
            ".plans[1].steps[0].inputs: expected a list of 5, got "
            "[0,1,1,2,3,4]");
  EXPECT_EQ(messageWith("\"num_inputs\": 1", "\"num_inputs\": -1"),
            ".plans[0].num_inputs: expected a number from 0 to 2147483647, got "
            "-1");
}

TEST(ModelTest, WrongCalls) {
  EXPECT_EQ(messageWith("{\"args\": [{\"tensor\": 0}, {\"dict\"",
                        "{\"args\": [{\"tensor\": 3}, {\"dict\""),
            ".calls[0].arguments.args[0].tensor: expected a number in [0, 3), "
            "got 3");
  EXPECT_EQ(messageWith("{\"tuple\": [{\"tensor\": 2}", "{\"tuple\": [7"),
            ".calls[0].arguments.kwargs.t.tuple[0]: expected a field 'value', "
            "got 7");
  EXPECT_EQ(messageWith("\"parameters\": [\"w\"]", "\"parameters\": [\"v\"]"),
            ".calls[0].parameters[0]: expected the name of a parameter, got "
            "\"v\"");
  EXPECT_EQ(messageWith("\"parameters\": [\"w\"]", "\"parameters\": []"),
            ".calls[0]: expected 5 inputs, those of its region, got 4");
  EXPECT_EQ(messageWith("\"constants\": [\"0\"]", "\"constants\": [\"1\"]"),
            "expected the constant '.constants.1', which a call of the "
            "manifest reads, got none");
  EXPECT_EQ(messageWith("\"region\": null, \"plan\": 1",
                        "\"region\": null, \"plan\": null"),
            ".calls[1].plan: expected an integer, got null");
  EXPECT_EQ(messageWith("\"sources\": [1]", "\"sources\": [3]"),
            ".calls[1].derived.sources[0]: expected a number in [0, 3), got 3");
  EXPECT_EQ(messageWith("[[0, 0]]", "[[4, 0]]"),
            ".calls[1].drawn.sources[0][0]: expected a number in [0, 4), got "
            "4");
  EXPECT_EQ(messageWith("[1, [0]]", "[1, [1]]"),
            ".calls[1].drawn.masks[0].shape[0][0][1][0]: expected a number in "
            "[0, 1), got 1");
  EXPECT_EQ(messageWith("\"autocast\": \"bfloat16\"", "\"autocast\": \"half\""),
            ".calls[1].autocast: expected the name of an element type, got "
            "'half'");
}

TEST(ModelTest, DeepManifest) {
  TestModel parts;
  parts.manifest = std::string(1000000, '[');
  EXPECT_EQ(messageFor(parts), "manifest: expected at most 100 levels, got "
                               "more");
}

TEST(ModelTest, WrongTensors) {
  TestModel parts;
  parts.weights = with(parts.weights, "\"w\"", "\"v\"");
  EXPECT_EQ(messageFor(parts), "weights.safetensors: expected 'w', a parameter "
                               "of the manifest, got none");
  parts = TestModel();
  parts.weights = with(parts.weights, "[3, 2]", "[2, 3]");
  EXPECT_EQ(messageFor(parts),
            "weights.safetensors: expected 'w' to be float32[3, 2] by the "
            "manifest, got float32[2, 3]");
  parts = TestModel();
  parts.constants = "{}";
  EXPECT_EQ(messageFor(parts), "constants.safetensors: expected the size of a "
                               "header in 8 bytes, got 2");
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
