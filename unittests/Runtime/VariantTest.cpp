//===- VariantTest.cpp - Modules with code for several kinds of graphs ----===//

#include "Module/Call.h"
#include "ModuleTest.h"

using namespace rgnn;
using namespace rgnn::test;

/// A variant for fewer edges per node than `bound`, of this entry of kernel.c.
static std::string variant(const std::string &bound, const std::string &entry) {
  return replaced(sumManifest, "\"entry\": \"rgnn_forward\"",
                  "\"edges_per_node_below\": " + bound + ", \"entry\": \"" +
                      entry + "\"");
}

/// That of rgnn_forward_1, which walks edges.
static std::string edgeVariant(const std::string &bound) {
  return replaced(replaced(replaced(variant(bound, "rgnn_forward_1"),
                                    "\"rgnn_forward_workspace\"",
                                    "\"rgnn_forward_1_workspace\""),
                           R"("kind": "dst_offsets"},)",
                           R"("kind": "src_of_edge"},)"),
                  R"({"graph": 0, "kind": "src_of_edge"}],
  "sizes": [{"graph": 0, "of": "node"}])",
                  R"({"graph": 0, "kind": "dst_of_edge"}],
  "sizes": [{"graph": 0, "of": "edge"}])");
}

static std::string withVariants(const std::string &variants) {
  return replaced(sumManifest, "\"version\": 1,",
                  "\"version\": 1, \"variants\": [" + variants + "],");
}

namespace {
/// The graph of ModuleTest has 5 edges per node.
struct VariantTest : ModuleTest {
  /// Calls for a graph of so many edges instead.
  void use(int64_t numEdges) {
    other = ofTheManifest(randomEdges(2, 20, 4, numEdges)).make();
    graphs[0] = reinterpret_cast<RgnnGraph *>(other.get());
    inputs[1] = inputs[2] = nullptr;
  }

  /// The entry that a call for a graph of these sizes runs.
  std::string entryFor(int64_t numNodes, int64_t numEdges) {
    const EdgeList edges = numNodes ? randomEdges(3, numNodes, 4, numEdges)
                                    : EdgeList{"no nodes", {0}, 4, {}};
    const std::unique_ptr<Graph> graph = ofTheManifest(edges).make();
    RgnnGraph *const graphs[] = {reinterpret_cast<RgnnGraph *>(graph.get())};
    Tensor<float> x{std::vector<float>(4 * numNodes), {numNodes, 4}};
    const DLTensor tensor = x.dl(), *const inputs[] = {&tensor, nullptr,
                                                       nullptr};
    RgnnCall *call = nullptr;
    if (rgnn_call_begin(module, graphs, 1, inputs, 3, &call) != RGNN_OK)
      return rgnn_last_error();
    const std::string entry =
        reinterpret_cast<Call *>(call)->module.manifest.entry;
    rgnn_call_end(call);
    return entry;
  }

  bool isBuilt(ViewKind kind) const {
    RgnnView view;
    return reinterpret_cast<Graph *>(graphs[0])->findView(kind, 0, view);
  }

  std::unique_ptr<Graph> other;
};
} // namespace

TEST_F(VariantTest, ByEdgesPerNode) {
  load(withVariants(variant("2", "rgnn_failing") + "," + edgeVariant("3.5")));
  EXPECT_EQ(entryFor(4, 0), "rgnn_failing");
  EXPECT_EQ(entryFor(4, 7), "rgnn_failing");
  EXPECT_EQ(entryFor(4, 8), "rgnn_forward_1");
  EXPECT_EQ(entryFor(4, 13), "rgnn_forward_1");
  EXPECT_EQ(entryFor(4, 14), "rgnn_forward");
  EXPECT_EQ(entryFor(4, 15), "rgnn_forward");
  EXPECT_EQ(entryFor(0, 0), "rgnn_forward");
  load(withVariants(""));
  EXPECT_EQ(entryFor(4, 0), "rgnn_forward");
}

TEST_F(VariantTest, Runs) {
  load(withVariants(edgeVariant("5.5")));
  std::vector<float> result, sums = expected();
  ASSERT_EQ(call(result), "");
  for (float &sum : sums)
    sum = -sum;
  EXPECT_EQ(result, sums);
  load(withVariants(variant("5.5", "rgnn_failing")));
  EXPECT_EQ(message(), "expected rgnn_failing to return 0, got 7");
}

TEST_F(VariantTest, PreparesTheViewsThatRun) {
  load(replaced(withVariants(edgeVariant("5.5")),
                "\"views\": [{\"graph\": 0, \"kind\": \"dst_offsets\"}",
                "\"views\": [{\"graph\": 0, \"kind\": \"etype_edges\"}"));
  EXPECT_FALSE(rgnn_module_prepared(module, graphs.data(), 1));
  EXPECT_EQ(rgnn_module_prepare(module, graphs.data(), 1), RGNN_OK);
  EXPECT_TRUE(rgnn_module_prepared(module, graphs.data(), 1));
  EXPECT_TRUE(isBuilt(ViewKind::dst_of_edge));
  EXPECT_FALSE(isBuilt(ViewKind::etype_edges));

  use(120);
  EXPECT_FALSE(rgnn_module_prepared(module, graphs.data(), 1));
  EXPECT_EQ(rgnn_module_prepare(module, graphs.data(), 1), RGNN_OK);
  EXPECT_TRUE(rgnn_module_prepared(module, graphs.data(), 1));
  EXPECT_FALSE(isBuilt(ViewKind::dst_of_edge));
  EXPECT_TRUE(isBuilt(ViewKind::etype_edges));

  EXPECT_FALSE(rgnn_module_prepared(module, graphs.data(), 0));
  EXPECT_EQ(rgnn_module_prepare(module, graphs.data(), 0), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(), "expected 1 graphs, got 0");
}

TEST_F(VariantTest, ChecksItsArguments) {
  load(withVariants(replaced(edgeVariant("5.5"),
                             "\"shape\": [-1], \"used\": false",
                             "\"shape\": [-1]")));
  // Whoever copies what the code reads does so before the choice.
  EXPECT_TRUE(rgnn_module_reads_input(module, 2));
  EXPECT_FALSE(rgnn_module_reads_input(module, 1));
  inputs[2] = nullptr;
  EXPECT_EQ(message(), "input 'edge_type': expected a tensor, got none");
  inputs.pop_back();
  EXPECT_EQ(message(), "expected 3 inputs, got 2");
  graphs.push_back(graphs[0]);
  EXPECT_EQ(message(), "expected 1 graphs, got 2");
}

TEST_F(VariantTest, KeepsAndReleasesAllWorkspaces) {
  load(withVariants(edgeVariant("5.5")));
  EXPECT_EQ(message(), "");
  const uint64_t ofVariant = rgnn_module_workspace_bytes(module);
  EXPECT_GE(ofVariant, 100u * 4 * sizeof(float));
  use(120);
  EXPECT_EQ(message(), "");
  const uint64_t ofBoth = rgnn_module_workspace_bytes(module);
  EXPECT_GE(ofBoth, ofVariant + 20u * 4 * sizeof(float));
  EXPECT_EQ(message(), "");
  EXPECT_EQ(rgnn_module_workspace_bytes(module), ofBoth);
  rgnn_module_release_workspace(module);
  EXPECT_EQ(rgnn_module_workspace_bytes(module), 0u);
}

TEST_F(VariantTest, ReleasesTheWorkspaceOfACallUnderWay) {
  load(withVariants(edgeVariant("5.5")));
  expectReleaseAtTheEndOfACall();
}

TEST_F(SavedOutputTest, OfAVariant) {
  const std::string from = R"("outputs": [{)",
                    to = R"("outputs": [{"saved": true, )";
  load(replaced(replaced(sumManifest, from, to), "\"version\": 1,",
                "\"version\": 1, \"variants\": [" +
                    replaced(edgeVariant("5.5"), from, to) + "],"));
  DLManagedTensorVersioned *tensor = save();
  std::vector<float> sums = expected();
  for (float &sum : sums)
    sum = -sum;
  EXPECT_TRUE(std::equal(sums.begin(), sums.end(), dataOf(tensor)));
  rgnn_module_release_workspace(module);
  EXPECT_GE(rgnn_module_workspace_bytes(module), sums.size() * sizeof(float));
  tensor->deleter(tensor);
  EXPECT_EQ(rgnn_module_workspace_bytes(module), 0u);
}

TEST_F(VariantTest, LoadErrors) {
  RgnnModule *other = nullptr;
  for (const std::string &manifest :
       {withVariants(variant("2", "rgnn_missing")),
        withVariants(edgeVariant("2") + "," +
                     replaced(edgeVariant("3"), "rgnn_forward_1_workspace",
                              "rgnn_missing"))}) {
    EXPECT_EQ(rgnn_module_load(RGNN_TEST_KERNEL, manifest.c_str(), &other),
              RGNN_LOAD_FAILED);
    EXPECT_EQ(std::string(rgnn_last_error()),
              "expected a function 'rgnn_missing' in '" RGNN_TEST_KERNEL
              "', got none");
    EXPECT_EQ(other, nullptr);
  }
}
