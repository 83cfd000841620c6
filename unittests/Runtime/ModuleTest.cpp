//===- ModuleTest.cpp - Loading and calling of compiled modules -----------===//

#include "ModuleTest.h"
#include <thread>

using namespace rgnn;
using namespace rgnn::test;

namespace {
struct AwkwardCall : ModuleTest, testing::WithParamInterface<EdgeList> {
  AwkwardCall() : ModuleTest(GetParam()) {}
};
} // namespace

TEST_P(AwkwardCall, Values) {
  std::vector<float> result;
  ASSERT_EQ(call(result), "");
  EXPECT_EQ(result, expected());
}

static std::vector<EdgeList> graphsOfOneNodeType() {
  std::vector<EdgeList> graphs;
  for (const EdgeList &list : awkwardGraphs())
    if (list.numNodes.size() == 1 && list.numTypes <= 5)
      graphs.push_back(list);
  return graphs;
}

INSTANTIATE_TEST_SUITE_P(Awkward, AwkwardCall,
                         testing::ValuesIn(graphsOfOneNodeType()));

TEST_F(ModuleTest, PreparesItsViews) {
  EXPECT_FALSE(rgnn_module_prepared(module, graphs.data(), 1));
  EXPECT_EQ(rgnn_module_prepare(module, graphs.data(), 1), RGNN_OK);
  EXPECT_TRUE(rgnn_module_prepared(module, graphs.data(), 1));
  EXPECT_FALSE(rgnn_module_prepared(module, graphs.data(), 0));
  EXPECT_EQ(rgnn_module_prepare(module, graphs.data(), 0), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(), "expected 1 graphs, got 0");
}

TEST_F(ModuleTest, EdgesMayBeAbsent) {
  inputs[1] = inputs[2] = nullptr;
  std::vector<float> result;
  ASSERT_EQ(call(result), "");
  EXPECT_EQ(result, expected());
}

TEST_F(ModuleTest, ByteOffset) {
  tensors[0].data = static_cast<char *>(tensors[0].data) - 16;
  tensors[0].byte_offset = 16;
  std::vector<float> result;
  ASSERT_EQ(call(result), "");
  EXPECT_EQ(result, expected());
}

TEST_F(ModuleTest, KeepsAndReleasesItsWorkspace) {
  EXPECT_EQ(rgnn_module_workspace_bytes(module), 0u);
  EXPECT_EQ(message(), "");
  const uint64_t bytes = rgnn_module_workspace_bytes(module);
  EXPECT_GE(bytes, 20u * 4 * sizeof(float));
  EXPECT_EQ(message(), "");
  EXPECT_EQ(rgnn_module_workspace_bytes(module), bytes);
  rgnn_module_release_workspace(module);
  EXPECT_EQ(rgnn_module_workspace_bytes(module), 0u);
  EXPECT_EQ(message(), "");
  EXPECT_EQ(rgnn_module_workspace_bytes(module), bytes);
}

TEST_F(ModuleTest, ReleasesTheWorkspaceOfACallUnderWay) {
  expectReleaseAtTheEndOfACall();
}

TEST_F(SavedOutputTest, KeepsValuesUntilDeleted) {
  EXPECT_TRUE(rgnn_module_saves_output(module, 0));
  DLManagedTensorVersioned *first = save(), *second = save();
  EXPECT_NE(dataOf(first), dataOf(second));
  const std::vector<float> sums = expected();
  for (auto *tensor : {first, second}) {
    EXPECT_EQ(tensor->dl_tensor.shape[0], list.totalNodes());
    EXPECT_EQ(tensor->dl_tensor.strides[0], 4);
    EXPECT_TRUE(std::equal(sums.begin(), sums.end(), dataOf(tensor)));
    tensor->deleter(tensor);
  }
}

TEST_F(SavedOutputTest, UsesMemoryAgain) {
  DLManagedTensorVersioned *first = save();
  const float *data = dataOf(first);
  const uint64_t bytes = rgnn_module_workspace_bytes(module);
  EXPECT_GE(bytes, 4 * 4 * static_cast<uint64_t>(list.totalNodes()));
  first->deleter(first);
  DLManagedTensorVersioned *second = save();
  EXPECT_EQ(dataOf(second), data);
  EXPECT_EQ(rgnn_module_workspace_bytes(module), bytes);

  rgnn_module_release_workspace(module);
  EXPECT_GT(rgnn_module_workspace_bytes(module), 0u); // in use
  second->deleter(second);
  EXPECT_EQ(rgnn_module_workspace_bytes(module), 0u);
}

TEST_F(SavedOutputTest, OutlivesItsModule) {
  DLManagedTensorVersioned *tensor = save();
  const std::vector<float> sums = expected();
  rgnn_module_unload(module);
  module = nullptr;
  EXPECT_TRUE(std::equal(sums.begin(), sums.end(), dataOf(tensor)));
  tensor->deleter(tensor);
}

TEST_F(SavedOutputTest, OnManyThreads) {
  const std::vector<float> sums = expected();
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      std::vector<DLManagedTensorVersioned *> kept;
      for (int i = 0; i < 50; ++i) {
        kept.push_back(save());
        if (i % 3 == 2) {
          kept.front()->deleter(kept.front());
          kept.erase(kept.begin());
        }
        if (i % 20 == 19)
          rgnn_module_release_workspace(module);
      }
      for (auto *tensor : kept) {
        EXPECT_TRUE(std::equal(sums.begin(), sums.end(), dataOf(tensor)));
        tensor->deleter(tensor);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  rgnn_module_release_workspace(module);
  EXPECT_EQ(rgnn_module_workspace_bytes(module), 0u);
}

TEST_F(ModuleTest, SmallResultsAreTheCallers) {
  EXPECT_FALSE(rgnn_module_saves_output(module, 0));
  RgnnCall *call = nullptr;
  ASSERT_EQ(rgnn_call_begin(module, graphs.data(), 1, inputs.data(), 3, &call),
            RGNN_OK);
  DLManagedTensorVersioned *tensor = nullptr;
  EXPECT_EQ(rgnn_call_make_output(call, 0, &tensor), RGNN_OK);
  EXPECT_EQ(tensor, nullptr);
  EXPECT_NE(rgnn_call_make_output(call, 1, &tensor), RGNN_OK);
  EXPECT_STREQ(rgnn_last_error(),
               "expected the number of an output, below 1, got 1");
  rgnn_call_end(call);
}

TEST_F(ModuleTest, CallsOnManyThreads) {
  const std::vector<float> sums = expected();
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        RgnnCall *call = nullptr;
        ASSERT_EQ(
            rgnn_call_begin(module, graphs.data(), 1, inputs.data(), 3, &call),
            RGNN_OK);
        std::vector<float> result(sums.size());
        void *data = result.data();
        EXPECT_EQ(rgnn_call_run(call, &data, 1), RGNN_OK);
        rgnn_call_end(call);
        EXPECT_EQ(result, sums);
        if (i % 10 == 9)
          rgnn_module_release_workspace(module);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(ModuleTest, Counts) {
  inputs.pop_back();
  EXPECT_EQ(message(), "expected 3 inputs, got 2");
  graphs.push_back(graphs[0]);
  EXPECT_EQ(message(), "expected 1 graphs, got 2");
}

TEST_F(ModuleTest, InputErrors) {
  auto spoilt = [&](auto change) {
    const DLTensor good = tensors[0];
    Tensor<float> keep = x;
    change(tensors[0]);
    const std::string text = message();
    tensors[0] = good;
    x.shape = keep.shape;
    return text;
  };
  EXPECT_EQ(spoilt([](DLTensor &t) { t.dtype = {kDLFloat, 64, 1}; }),
            "input 'x': expected float32, got float64");
  EXPECT_EQ(spoilt([](DLTensor &t) { t.dtype = {kDLComplex, 64, 1}; }),
            "input 'x': expected float32, got complex64");
  EXPECT_EQ(spoilt([](DLTensor &t) { t.ndim = 1; }),
            "input 'x': expected rank 2, got shape [20]");
  EXPECT_EQ(spoilt([](DLTensor &t) { t.shape[1] = 5; }),
            "input 'x': expected 4 in dimension 1, got shape [20, 5]");
  EXPECT_EQ(spoilt([](DLTensor &t) { t.device = {kDLCUDA, 0}; }),
            "input 'x': expected a tensor on cpu, got one on cuda:0");
  EXPECT_EQ(spoilt([](DLTensor &t) { t.data = nullptr; }),
            "input 'x': expected a tensor with data, got one without (a fake "
            "tensor, or a subclass that keeps its data elsewhere)");
  EXPECT_EQ(spoilt([](DLTensor &t) { t.shape[0] = 19; }),
            "input 'x': expected 20 in dimension 0, the nodes of graph 0, got "
            "19");
  int64_t strides[] = {1, 20};
  EXPECT_EQ(spoilt([&](DLTensor &t) { t.strides = strides; }),
            "input 'x': expected a contiguous tensor, got other strides for "
            "shape [20, 4]");
  inputs[0] = nullptr;
  EXPECT_EQ(message(), "input 'x': expected a tensor, got none");
  EXPECT_EQ(status, RGNN_INVALID_INPUT);
}

TEST_F(ModuleTest, EdgesOfAnotherGraph) {
  index.shape[1] = 99;
  EXPECT_EQ(message(), "input 'edge_index': expected 100 in dimension 1, the "
                       "edges of graph 0, got 99");
  index.shape[1] = 100;
  type.shape[0] = 7;
  EXPECT_EQ(message(), "input 'edge_type': expected 100 in dimension 0, the "
                       "edges of graph 0, got 7");
}

TEST_F(ModuleTest, GraphOfOtherNumberOfTypes) {
  std::unique_ptr<Graph> more = randomEdges(1, 20, 6, 100).make();
  graphs[0] = reinterpret_cast<RgnnGraph *>(more.get());
  EXPECT_EQ(message(), "graph 0: expected 5 edge types, got 6");
  std::unique_ptr<Graph> fewer = randomEdges(1, 20, 4, 100).make();
  graphs[0] = reinterpret_cast<RgnnGraph *>(fewer.get());
  EXPECT_EQ(message(), "graph 0: expected 5 edge types, got 4");
}

TEST_F(ModuleTest, GraphOfMoreNodeTypes) {
  EdgeList split = list;
  split.numNodes = {12, 8};
  std::unique_ptr<Graph> other = split.make();
  graphs[0] = reinterpret_cast<RgnnGraph *>(other.get());
  EXPECT_EQ(message(), "graph 0: expected 1 node types, got 2");
}

/// What the manifest says of a graph that is not made of inputs.
static std::string ofTheCaller(const std::string &ends) {
  const std::string manifest =
      replaced(replaced(replaced(sumManifest, "[1]", "[]"), "\"edge_type\": 2",
                        "\"edge_type\": -1"),
               "{\"input\": 0, \"dim\": 0}", "-1");
  return replaced(manifest, "\"src_type\": [], \"dst_type\": []", ends);
}

TEST_F(ModuleTest, GraphOfTheCaller) {
  load(ofTheCaller("\"src_type\": [], \"dst_type\": []"));
  inputs[1] = inputs[2] = nullptr;
  std::vector<float> result;
  ASSERT_EQ(call(result), "");
  EXPECT_EQ(result, expected());

  std::unique_ptr<Graph> other = randomEdges(1, 20, 6, 100).make();
  graphs[0] = reinterpret_cast<RgnnGraph *>(other.get());
  EXPECT_EQ(message(), "graph 0: expected 5 edge types, got 6");
}

TEST_F(ModuleTest, EndsOfAGraphOfTheCaller) {
  load(replaced(ofTheCaller("\"src_type\": [0, 0], \"dst_type\": [0, 0]"),
                "\"num_edge_types\": 5", "\"num_edge_types\": 2"));
  inputs[1] = inputs[2] = nullptr;
  Tensor<int64_t> none{{}, {2, 0}};
  const DLTensor lists[] = {none.dl(), none.dl()};
  const int32_t same[] = {0, 0}, others[] = {0, 1};
  const int64_t numNodes[] = {20, 0};
  RgnnGraphDesc desc = {};
  desc.edge_index = lists;
  desc.num_edge_index = desc.num_edge_types = 2;
  desc.num_nodes = numNodes;
  desc.num_node_types = 1;
  desc.src_type = desc.dst_type = same;
  Graph fitting(desc);
  graphs[0] = reinterpret_cast<RgnnGraph *>(&fitting);
  EXPECT_EQ(message(), "");
  desc.num_node_types = 2;
  desc.src_type = others;
  Graph unfitting(desc);
  graphs[0] = reinterpret_cast<RgnnGraph *>(&unfitting);
  EXPECT_EQ(message(), "graph 0: expected 1 node types, got 2");
  load(replaced(replaced(ofTheCaller("\"src_type\": [0, 0], \"dst_type\": [0, "
                                     "0]"),
                         "\"num_nodes\": [-1]", "\"num_nodes\": [-1, -1]"),
                "\"num_edge_types\": 5", "\"num_edge_types\": 2"));
  EXPECT_EQ(message(), "graph 0: expected other node types at the ends of its "
                       "edge types than it was made with");
}

TEST_F(ModuleTest, FixedNumberOfNodes) {
  load(replaced(sumManifest, "{\"input\": 0, \"dim\": 0}", "{\"value\": 21}"));
  EXPECT_EQ(message(), "graph 0: expected 21 nodes, got 20");
}

TEST_F(ModuleTest, TotalNumberOfNodes) {
  const std::string nodes = std::to_string(list.totalNodes());
  load(replaced(sumManifest, R"("num_edge_types")",
                R"("total_nodes": )" + nodes + R"(, "num_edge_types")"));
  EXPECT_EQ(message(), "");
  load(replaced(sumManifest, R"("num_edge_types")",
                R"("total_nodes": 9, "num_edge_types")"));
  EXPECT_EQ(message(), "graph 0: expected 9 nodes, got " + nodes);
}

TEST_F(ModuleTest, RowsNamedInTheManifest) {
  load(replaced(sumManifest, "[-1, 4]",
                "[{\"graph\": 0, \"of\": \"edge\"}, 4]"));
  EXPECT_EQ(message(), "input 'x': expected 100 in dimension 0, got shape "
                       "[20, 4]");
}

TEST_F(ModuleTest, KernelError) {
  load(replaced(sumManifest, "\"rgnn_forward\"", "\"rgnn_failing\""));
  EXPECT_EQ(message(), "expected rgnn_failing to return 0, got 7");
  EXPECT_EQ(status, RGNN_KERNEL_FAILED);
}

TEST_F(ModuleTest, OutputErrors) {
  RgnnCall *call = nullptr;
  ASSERT_EQ(rgnn_call_begin(module, graphs.data(), 1, inputs.data(), 3, &call),
            0);
  void *data = nullptr;
  EXPECT_EQ(rgnn_call_run(call, &data, 1), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(),
               "output 0: expected memory for shape [20, 4], got none");
  EXPECT_EQ(rgnn_call_run(call, &data, 0), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(), "expected memory for 1 outputs, got 0");
  rgnn_call_end(call);
}

TEST_F(ModuleTest, LoadErrors) {
  RgnnModule *other = nullptr;
  EXPECT_EQ(rgnn_module_load("/nowhere.so", sumManifest, &other),
            RGNN_LOAD_FAILED);
  EXPECT_EQ(std::string(rgnn_last_error())
                .rfind("expected a shared object at '/nowhere.so', got: ", 0),
            0u);
  const std::string noEntry =
      replaced(sumManifest, "\"rgnn_forward\"", "\"rgnn_missing\"");
  EXPECT_EQ(rgnn_module_load(RGNN_TEST_KERNEL, noEntry.c_str(), &other),
            RGNN_LOAD_FAILED);
  EXPECT_EQ(std::string(rgnn_last_error()),
            "expected a function 'rgnn_missing' in '" RGNN_TEST_KERNEL
            "', got none");
  EXPECT_EQ(other, nullptr);
}
