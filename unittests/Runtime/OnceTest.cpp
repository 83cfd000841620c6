//===- OnceTest.cpp - Values that are computed once for each graph --------===//

#include "ModuleTest.h"
#include <thread>

using namespace rgnn;
using namespace rgnn::test;

/// `once` of once.c with this entry.
static std::string once(const std::string &entry) {
  return R"("once": {
  "version": 1, "entry": ")" +
         entry + R"(", "workspace": "rgnn_once_workspace", "inputs": [],
  "graphs": [{"edge_index": [], "edge_type": -1, "num_edge_types": 5,
              "num_nodes": [-1], "src_type": [], "dst_type": []}],
  "views": [{"graph": 0, "kind": "dst_offsets"}],
  "sizes": [{"graph": 0, "of": "node"}],
  "outputs": [{"dtype": "float32", "shape": [{"graph": 0, "of": "node"}]},
              {"dtype": "int32", "shape": [{"graph": 0, "of": "edge"}, 2]},
              {"dtype": "int64", "shape": [1]}]}, )";
}

static std::string onceManifest(const std::string &entry = "rgnn_once") {
  return replaced(replaced(replaced(sumManifest, "\"version\": 1,",
                                    "\"version\": 3, " + once(entry)),
                           R"("workspace": "rgnn_forward_workspace",)", ""),
                  R"({"graph": 0, "kind": "dst_offsets"},
            {"graph": 0, "kind": "src_of_edge"})",
                  R"({"graph": 0, "kind": "dst_offsets"})");
}

namespace {
/// What calls of once.c give.
struct OnceTest : ModuleTest {
  explicit OnceTest(const EdgeList &edges = randomEdges(1, 20, 4, 100))
      : ModuleTest(edges) {
    load(onceManifest());
  }

  void load(const std::string &manifest) {
    ModuleTest::load(manifest, RGNN_TEST_ONCE);
  }

  /// Calls for another graph of the same nodes instead.
  void use(int64_t numEdges) {
    other = ofTheManifest(randomEdges(2, 20, 4, numEdges)).make();
    graphs[0] = reinterpret_cast<RgnnGraph *>(other.get());
    inputs[1] = inputs[2] = nullptr;
  }

  /// Which run of the function made the values that a call reads.
  int run() {
    std::vector<float> result;
    EXPECT_EQ(call(result), "");
    return result.size() < 4 ? -1 : static_cast<int>(result[2]);
  }

  bool isPrepared() {
    return rgnn_module_prepared(module, graphs.data(), 1) != 0;
  }

  std::string prepare() {
    status = rgnn_module_prepare(module, graphs.data(), 1);
    return status == RGNN_OK ? "" : rgnn_last_error();
  }

  uint64_t graphBytes() const { return rgnn_graph_bytes(graphs[0]); }

  std::unique_ptr<Graph> other;
};

struct AwkwardOnce : OnceTest, testing::WithParamInterface<EdgeList> {
  AwkwardOnce() : OnceTest(GetParam()) {}
};
} // namespace

/// Pointers and dimensions are where the code expects them.
TEST_P(AwkwardOnce, Values) {
  std::vector<float> result;
  ASSERT_EQ(call(result), "");
  EXPECT_TRUE(isPrepared());
  std::vector<float> degrees(list.totalNodes());
  for (const Edge &edge : list.edges)
    ++degrees[edge.dst];
  for (size_t node = 0; node < degrees.size(); ++node) {
    EXPECT_EQ(result[4 * node], degrees[node] > 0 ? 1 / degrees[node] : 0);
    EXPECT_EQ(result[4 * node + 1], degrees[node]);
    EXPECT_EQ(result[4 * node + 3], x.values[4 * node + 3]);
  }
}

static std::vector<EdgeList> graphsOfOneNodeType() {
  std::vector<EdgeList> graphs;
  for (const EdgeList &list : awkwardGraphs())
    if (list.numNodes.size() == 1 && list.numTypes <= 5)
      graphs.push_back(list);
  return graphs;
}

INSTANTIATE_TEST_SUITE_P(Awkward, AwkwardOnce,
                         testing::ValuesIn(graphsOfOneNodeType()), nameOf);

TEST_F(OnceTest, OnceForEachGraph) {
  const int first = run();
  EXPECT_EQ(run(), first);
  EXPECT_EQ(prepare(), "");
  EXPECT_EQ(run(), first);
  use(60);
  const int second = run();
  EXPECT_EQ(second, first + 1);
  EXPECT_EQ(run(), second);
  graphs[0] = reinterpret_cast<RgnnGraph *>(graph.get());
  EXPECT_EQ(run(), first);
}

TEST_F(OnceTest, PreparesItsValues) {
  EXPECT_FALSE(isPrepared());
  RgnnView view;
  ASSERT_EQ(rgnn_graph_view(graphs[0], "dst_offsets", 0, &view), RGNN_OK);
  EXPECT_FALSE(isPrepared());
  const uint64_t before = graphBytes();
  EXPECT_EQ(prepare(), "");
  EXPECT_TRUE(isPrepared());
  // Of 20 nodes and 100 edges, each output at a multiple of 64.
  EXPECT_EQ(graphBytes(), before + 128 + 832 + 64);
  EXPECT_EQ(prepare(), "");
  run();
  EXPECT_EQ(graphBytes(), before + 128 + 832 + 64);
}

TEST_F(OnceTest, EachModuleHasItsOwn) {
  const int first = run();
  const uint64_t before = graphBytes();
  RgnnModule *old = module;
  module = nullptr;
  load(onceManifest());
  EXPECT_FALSE(isPrepared());
  EXPECT_EQ(run(), first + 1);
  EXPECT_GT(graphBytes(), before);
  std::swap(module, old);
  EXPECT_EQ(run(), first);
  rgnn_module_unload(old);
}

/// A module may get the address of one that went.
TEST_F(OnceTest, AnewForAModuleThatIsLoadedAgain) {
  for (int i = 0; i < 10; ++i) {
    load(onceManifest());
    EXPECT_FALSE(isPrepared());
    EXPECT_EQ(prepare(), "");
    EXPECT_TRUE(isPrepared());
  }
}

TEST_F(OnceTest, OnManyThreads) {
  for (int i = 0; i < 30; ++i) {
    use(100 + i);
    std::vector<int> runs(4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        if (t % 2)
          EXPECT_EQ(rgnn_module_prepare(module, graphs.data(), 1), RGNN_OK);
        std::vector<float> result(x.values.size());
        void *data = result.data();
        RgnnCall *call = nullptr;
        ASSERT_EQ(
            rgnn_call_begin(module, graphs.data(), 1, inputs.data(), 3, &call),
            RGNN_OK);
        EXPECT_EQ(rgnn_call_run(call, &data, 1), RGNN_OK);
        rgnn_call_end(call);
        runs[t] = static_cast<int>(result[2]);
        EXPECT_EQ(result[4 * 19 + 2], result[2]);
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(runs, std::vector<int>(4, run()));
  }
}

TEST_F(OnceTest, Failing) {
  load(onceManifest("rgnn_failing_once"));
  const std::string error = "expected rgnn_failing_once to return 0, got 7";
  EXPECT_EQ(prepare(), error);
  EXPECT_EQ(status, RGNN_KERNEL_FAILED);
  EXPECT_FALSE(isPrepared());
  const uint64_t bytes = graphBytes();
  EXPECT_EQ(message(), error);
  EXPECT_EQ(status, RGNN_KERNEL_FAILED);
  EXPECT_FALSE(isPrepared());
  EXPECT_EQ(graphBytes(), bytes);
}

/// Code for other graphs is not run on it, by no way.
TEST_F(OnceTest, OfAnotherGraph) {
  const std::unique_ptr<Graph> more = randomEdges(1, 20, 6, 100).make();
  graphs[0] = reinterpret_cast<RgnnGraph *>(more.get());
  EXPECT_EQ(prepare(), "graph 0: expected 5 edge types, got 6");
  EXPECT_EQ(message(), "graph 0: expected 5 edge types, got 6");
  EXPECT_FALSE(isPrepared());
  EXPECT_FALSE(rgnn_module_prepared(module, graphs.data(), 0));
  EXPECT_EQ(rgnn_module_prepare(module, graphs.data(), 0), RGNN_INVALID_INPUT);
}

TEST_F(OnceTest, KeepsAndReleasesItsWorkspace) {
  EXPECT_EQ(rgnn_module_workspace_bytes(module), 0u);
  EXPECT_EQ(prepare(), "");
  EXPECT_GE(rgnn_module_workspace_bytes(module), 20 * sizeof(float));
  rgnn_module_release_workspace(module);
  EXPECT_EQ(rgnn_module_workspace_bytes(module), 0u);
  EXPECT_EQ(message(), "");
}

TEST_F(OnceTest, VariantsHaveTheirOwn) {
  auto variant = [](std::string manifest) {
    return replaced(manifest, "\"version\": 3",
                    "\"edges_per_node_below\": 5.5, \"version\": 3");
  };
  auto loadWith = [&](const std::string &variant) {
    load(replaced(onceManifest(), "\"version\": 3,",
                  "\"version\": 3, \"variants\": [" + variant + "],"));
  };
  loadWith(variant(onceManifest("rgnn_once_1")));
  std::vector<float> result;
  ASSERT_EQ(call(result), "");
  EXPECT_LT(result[0], 0);
  EXPECT_TRUE(isPrepared());
  EXPECT_GT(rgnn_module_workspace_bytes(module), 0u);
  use(120);
  EXPECT_FALSE(isPrepared());
  EXPECT_EQ(prepare(), "");
  EXPECT_TRUE(isPrepared());
  ASSERT_EQ(call(result), "");
  EXPECT_GT(result[0], 0);

  // The function's own are not made for graphs of a variant without.
  graphs[0] = reinterpret_cast<RgnnGraph *>(graph.get());
  loadWith(replaced(variant(replaced(onceManifest(), once("rgnn_once"), "")),
                    "\"rgnn_forward\"", "\"rgnn_failing_once\""));
  EXPECT_TRUE(isPrepared());
  EXPECT_EQ(message(), "expected rgnn_failing_once to return 0, got 7");
}

TEST_F(OnceTest, LoadErrors) {
  RgnnModule *other = nullptr;
  EXPECT_EQ(rgnn_module_load(RGNN_TEST_ONCE,
                             onceManifest("rgnn_missing").c_str(), &other),
            RGNN_LOAD_FAILED);
  EXPECT_EQ(std::string(rgnn_last_error()),
            "expected a function 'rgnn_missing' in '" RGNN_TEST_ONCE
            "', got none");
  EXPECT_EQ(other, nullptr);
}
