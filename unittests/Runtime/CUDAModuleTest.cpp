//===- CUDAModuleTest.cpp - Calls of modules for GPUs ---------------------===//
//
// Against a driver that writes down what it is asked; its device memory is
// memory of the process.
//
//===----------------------------------------------------------------------===//

#include "ModuleTest.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace rgnn;
using namespace rgnn::test;

static std::string gpuManifest() {
  return replaced(sumManifest, "\"version\": 1,",
                  "\"version\": 1, \"device\": \"cuda\",");
}

namespace {
struct CUDAModuleTest : ModuleTest {
  CUDAModuleTest() {
    setenv("RGNN_CUDA_DRIVER", RGNN_TEST_CUDA_DRIVER, /*overwrite=*/1);
    load(gpuManifest(), RGNN_TEST_LAUNCHES);
    tensors[0].device = {kDLCUDA, 1};
    library = dlopen(RGNN_TEST_CUDA_DRIVER, RTLD_NOW);
    recorded = reinterpret_cast<const char *(*)()>(dlsym(library, "recorded"));
    reinterpret_cast<void (*)()>(dlsym(library, "record_anew"))();
  }
  ~CUDAModuleTest() override { dlclose(library); }

  RgnnCall *begin() {
    RgnnCall *call = nullptr;
    status = rgnn_call_begin(module, graphs.data(), 1, inputs.data(), 3, &call);
    return call;
  }

  /// Why a call cannot begin.
  std::string refusal() {
    RgnnCall *call = begin();
    EXPECT_EQ(call, nullptr);
    EXPECT_EQ(status, RGNN_INVALID_INPUT);
    return rgnn_last_error();
  }

  int32_t run(RgnnCall *call, void *workspace) {
    void *data = out;
    return rgnn_call_run_on_stream(call, &data, 1, workspace,
                                   reinterpret_cast<void *>(9));
  }

  static std::string text(const void *pointer) {
    return " " + std::to_string(reinterpret_cast<intptr_t>(pointer));
  }

  void *library;
  const char *(*recorded)();
  alignas(64) char out[64], memory[64];
};
} // namespace

TEST_F(CUDAModuleTest, LaunchesWithMemoryOfTheCaller) {
  RgnnCall *call = begin();
  ASSERT_NE(call, nullptr) << rgnn_last_error();
  const DLTensor *output = rgnn_call_output(call, 0);
  EXPECT_EQ(output->device.device_type, kDLCUDA);
  EXPECT_EQ(output->device.device_id, 1);
  EXPECT_EQ(output->shape[0], 20);
  uint64_t bytes = 0;
  EXPECT_EQ(rgnn_call_workspace_bytes(call, &bytes), RGNN_OK);
  EXPECT_EQ(bytes, 320u);
  ASSERT_EQ(run(call, memory), RGNN_OK) << rgnn_last_error();
  const std::string first = recorded();
  EXPECT_NE(first.find("copy 84 bytes"), std::string::npos) << first;
  EXPECT_NE(first.find("copy 400 bytes"), std::string::npos) << first;
  const size_t at = first.find("launch sums. (21, 100, 1) x (32, 1, 1), 0 "
                               "bytes, stream 9:" +
                               text(memory));
  ASSERT_NE(at, std::string::npos) << first;
  EXPECT_NE(first.find(text(x.values.data()) + text(out) + "\npop 101\n", at),
            std::string::npos)
      << first;
  rgnn_call_end(call);

  // What is on the GPU stays there: later calls only launch.
  reinterpret_cast<void (*)()>(dlsym(library, "record_anew"))();
  call = begin();
  ASSERT_NE(call, nullptr) << rgnn_last_error();
  ASSERT_EQ(run(call, memory), RGNN_OK) << rgnn_last_error();
  rgnn_call_end(call);
  EXPECT_EQ(std::string(recorded()), "push 101\n" + first.substr(at));
}

TEST_F(CUDAModuleTest, ReadsViewsThatTheCallerGives) {
  std::vector<DLTensor> onGPU(tensors.begin() + 1, tensors.begin() + 3);
  for (DLTensor &tensor : onGPU)
    tensor.device = {kDLCUDA, 1};
  const int64_t numNodes = 20;
  RgnnGraphDesc desc = {};
  desc.edge_index = &onGPU[0];
  desc.num_edge_index = 1;
  desc.edge_type = &onGPU[1];
  desc.num_edge_types = 5;
  desc.num_nodes = &numNodes;
  desc.num_node_types = 1;
  RgnnGraph *given = nullptr, *graphOfHost = graphs[0];
  ASSERT_EQ(rgnn_graph_create(&desc, &given), RGNN_OK) << rgnn_last_error();
  EXPECT_EQ(rgnn_graph_device(given), 1);
  graphs[0] = given;
  EXPECT_EQ(refusal(),
            "expected view 'dst_offsets' of a graph on cuda:1, which "
            "whoever made the graph gives, got none");

  const char *kind;
  int32_t number;
  int64_t param;
  const int32_t *place = reinterpret_cast<int32_t *>(4096);
  std::string kinds;
  while (rgnn_module_missing_view(module, graphs.data(), 1, &number, &kind,
                                  &param)) {
    kinds += kind + std::string(" ");
    const RgnnView view = {place++, 21, 1};
    ASSERT_EQ(rgnn_graph_set_view(given, kind, param, &view), RGNN_OK);
  }
  EXPECT_EQ(kinds, "dst_offsets src_of_edge ");
  RgnnCall *call = begin();
  ASSERT_NE(call, nullptr) << rgnn_last_error();
  ASSERT_EQ(run(call, memory), RGNN_OK) << rgnn_last_error();
  EXPECT_EQ(std::string(recorded()).find("copy"), std::string::npos);
  EXPECT_NE(std::string(recorded()).find("stream 9:" + text(memory) + " 4096"),
            std::string::npos)
      << recorded();
  rgnn_call_end(call);

  RgnnView flat = {place, 3, 3};
  EXPECT_EQ(rgnn_graph_set_view(given, "dst_offsets", 0, &flat),
            RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(), "view 'dst_offsets': expected rows of 1 "
                                  "numbers, at most 2147483647, got 3 of 3");
  flat.columns = 1;
  EXPECT_EQ(rgnn_graph_set_view(graphOfHost, "dst_offsets", 0, &flat),
            RGNN_INVALID_INPUT);
  tensors[0].device = {kDLCUDA, 0};
  EXPECT_EQ(refusal(), "graph 0: expected one on cuda:0, got one on cuda:1");
  rgnn_graph_destroy(given);
}

/// A manifest whose views are of different parts.
static std::string partsManifest() {
  return replaced(replaced(gpuManifest(), "\"dst_offsets\"",
                           "\"dst_offsets\", \"part\": \"src\""),
                  "\"src_of_edge\"", "\"src_of_edge\", \"part\": \"dst\"");
}

TEST_F(CUDAModuleTest, CopiesViewsOfParts) {
  load(partsManifest(), RGNN_TEST_LAUNCHES);
  RgnnCall *call = begin();
  ASSERT_NE(call, nullptr) << rgnn_last_error();
  ASSERT_EQ(run(call, memory), RGNN_OK) << rgnn_last_error();
  rgnn_call_end(call);
  const int64_t edges = graph->part(Part::dst).numEdges;
  ASSERT_TRUE(edges > 0 && edges < 100);
  const std::string all = recorded();
  EXPECT_NE(all.find("copy 84 bytes"), std::string::npos) << all;
  EXPECT_NE(all.find("copy " + std::to_string(4 * edges) + " bytes"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("launch sums. (21, " + std::to_string(edges) + ", 1)"),
            std::string::npos)
      << all;
}

TEST_F(CUDAModuleTest, ReadsViewsOfPartsThatTheCallerGives) {
  // The number of a part's edges is that of the rows of its view.
  load(replaced(partsManifest(), "\"sizes\": [",
                "\"sizes\": [{\"graph\": 0, \"of\": \"node\"}, {\"graph\": 0, "
                "\"of\": \"edge\", \"part\": \"dst\"}, "),
       RGNN_TEST_LAUNCHES);
  DLTensor edges = tensors[1];
  edges.device = {kDLCUDA, 1};
  const int64_t numNodes = 20;
  RgnnGraphDesc desc = {};
  desc.edge_index = &edges;
  desc.num_edge_index = 1;
  desc.num_edge_types = 5;
  desc.num_nodes = &numNodes;
  desc.num_node_types = 1;
  RgnnGraph *given = nullptr, *graphOfPart = nullptr;
  ASSERT_EQ(rgnn_graph_create(&desc, &given), RGNN_OK) << rgnn_last_error();
  graphs[0] = given;

  const char *part, *kind;
  int32_t number;
  int64_t param, size = 0;
  EXPECT_FALSE(rgnn_module_missing_view(module, graphs.data(), 1, &number,
                                        &kind, &param));
  ASSERT_EQ(rgnn_graph_part(given, "dst", &graphOfPart), RGNN_OK);
  EXPECT_EQ(rgnn_graph_size(graphOfPart, "edge", 0, &size), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(),
               "expected view 'whole_edge' of a graph on cuda:1, which "
               "whoever made the graph gives, got none");
  std::string asked;
  const RgnnView view = {reinterpret_cast<int32_t *>(4096), 21, 1};
  while (rgnn_module_missing_part_view(module, graphs.data(), 1, &number, &part,
                                       &kind, &param)) {
    asked += part + std::string(" ") + kind + ", ";
    ASSERT_EQ(rgnn_graph_part(given, part, &graphOfPart), RGNN_OK);
    ASSERT_EQ(rgnn_graph_set_view(graphOfPart, kind, param, &view), RGNN_OK);
  }
  EXPECT_EQ(asked, "src dst_offsets, dst src_of_edge, dst whole_edge, ");
  EXPECT_EQ(rgnn_graph_size(graphOfPart, "edge", 0, &size), RGNN_OK);
  EXPECT_EQ(size, 21);
  EXPECT_TRUE(rgnn_module_prepared(module, graphs.data(), 1));
  RgnnCall *call = begin();
  EXPECT_NE(call, nullptr) << rgnn_last_error();
  rgnn_call_end(call);
  EXPECT_EQ(rgnn_graph_set_view(given, "whole_edge", 0, &view),
            RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(),
               "whole_edge: expected a part of a graph, got a whole one");
  rgnn_graph_destroy(given);
}

TEST_F(CUDAModuleTest, FreesTheCopiesOfViewsWithTheGraph) {
  RgnnCall *call = begin();
  ASSERT_NE(call, nullptr) << rgnn_last_error();
  rgnn_call_end(call);
  graph.reset();
  const std::string all = recorded();
  EXPECT_NE(all.find("free\nfree\npop 101\nrelease 1\n"), std::string::npos)
      << all;
}

TEST_F(CUDAModuleTest, RefusesTensorsOfOtherDevices) {
  tensors[0].device = {kDLCPU, 0};
  EXPECT_EQ(refusal(), "input 'x': expected a tensor on cuda, got one on cpu");
  tensors[0].device = {kDLCUDA, 7};
  EXPECT_EQ(refusal(), "expected a GPU from 0 to 1, got 7");
  tensors[0].device = {kDLCUDA, 0};
  tensors[0].data = nullptr;
  EXPECT_EQ(refusal(),
            "input 'x': expected a tensor with data, got one without");
}

TEST_F(CUDAModuleTest, RefusesPartsOfVectors) {
  tensors[0].data = static_cast<char *>(tensors[0].data) + 4;
  EXPECT_EQ(refusal(), "input 'x': expected data that begins at a multiple of "
                       "16 bytes, got 4 more");
  tensors[0].data = static_cast<char *>(tensors[0].data) - 4;
  RgnnCall *call = begin();
  ASSERT_NE(call, nullptr) << rgnn_last_error();
  void *data = out + 8;
  EXPECT_EQ(rgnn_call_run_on_stream(call, &data, 1, memory,
                                    reinterpret_cast<void *>(9)),
            RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(), "output 0: expected data that begins at a "
                                  "multiple of 16 bytes, got 8 more");
  rgnn_call_end(call);
}

TEST_F(CUDAModuleTest, RefusesWhatIsOnlyForProcessors) {
  RgnnCall *call = begin();
  ASSERT_NE(call, nullptr) << rgnn_last_error();
  void *data = out;
  EXPECT_EQ(rgnn_call_run(call, &data, 1), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(),
               "expected a stream to run code for a GPU on, got none");
  EXPECT_EQ(run(call, nullptr), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(), "expected a workspace of 320 bytes at a "
                                  "multiple of 64, got none");
  EXPECT_EQ(run(call, memory + 4), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(), "expected a workspace of 320 bytes at a "
                                  "multiple of 64, got another place");
  rgnn_call_end(call);

  load(replaced(gpuManifest(), "\"outputs\": [{",
                "\"outputs\": [{\"saved\": true, "),
       RGNN_TEST_LAUNCHES);
  call = begin();
  ASSERT_NE(call, nullptr) << rgnn_last_error();
  DLManagedTensorVersioned *tensor;
  EXPECT_EQ(rgnn_call_make_output(call, 0, &tensor), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(),
               "expected memory of the caller for outputs on a GPU");
  rgnn_call_end(call);
}

TEST_F(CUDAModuleTest, RefusesStreamsForProcessors) {
  load(sumManifest);
  tensors[0].device = {kDLCPU, 0};
  RgnnCall *call = begin();
  ASSERT_NE(call, nullptr) << rgnn_last_error();
  EXPECT_EQ(run(call, memory), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(), "expected code for a GPU to run on a stream, "
                                  "got code for a processor");
  rgnn_call_end(call);
}

TEST_F(CUDAModuleTest, RefusesModulesWithoutKernels) {
  EXPECT_EQ(rgnn_module_load(RGNN_TEST_KERNEL, gpuManifest().c_str(), &module),
            RGNN_LOAD_FAILED);
  EXPECT_NE(std::string(rgnn_last_error()).find("rgnn_kernels"),
            std::string::npos)
      << rgnn_last_error();
  EXPECT_EQ(rgnn_module_load(RGNN_TEST_KERNEL,
                             replaced(sumManifest, "\"version\": 1,",
                                      "\"version\": 1, \"device\": \"tpu\",")
                                 .c_str(),
                             &module),
            RGNN_LOAD_FAILED);
  EXPECT_STREQ(rgnn_last_error(),
               "manifest.device: expected cpu or cuda, got \"tpu\"");
  module = nullptr;
}
