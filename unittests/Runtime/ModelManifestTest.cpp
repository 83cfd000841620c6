//===- ModelManifestTest.cpp - What is wrong with a saved module ----------===//

#include "Model/Model.h"
#include "TestGraphs.h"
#include "TestModel.h"
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

TEST(ModelManifestTest, WrongFields) {
  EXPECT_EQ(messageWith("rgnn-module", "zip"),
            ".format: expected rgnn-module, got \"zip\"");
  EXPECT_EQ(messageWith("\"version\": 1", "\"version\": 2"),
            ".version: expected 1, got 2");
  EXPECT_EQ(messageWith("\"abi\": 1", "\"abi\": 7"),
            ".abi: expected a number from 1 to 2, got 7");
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

TEST(ModelManifestTest, WrongRegions) {
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

TEST(ModelManifestTest, WrongPlans) {
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

TEST(ModelManifestTest, WrongCalls) {
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

TEST(ModelManifestTest, TooManyLevels) {
  TestModel parts;
  parts.manifest = std::string(1000000, '[');
  EXPECT_EQ(messageFor(parts), "manifest: expected at most 100 levels, got "
                               "more");
}

TEST(ModelManifestTest, WrongTensors) {
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
