//===- RecordTest.cpp - Times of kernels ----------------------------------===//

#include "ModuleTest.h"

using namespace rgnn;
using namespace rgnn::test;

namespace {
/// The module, with two kernels, of which it runs the second one.
struct RecordTest : ModuleTest {
  RecordTest() { load(withKernels(R"("operations": [0, 4, 3])")); }

  static std::string withKernels(const std::string &operations) {
    return replaced(replaced(sumManifest, "\"entry\": \"rgnn_forward\"",
                             "\"entry\": \"rgnn_numbered\""),
                    "\"version\": 1,",
                    R"("version": 1, "kernels": [{"name": "gemm"},
  {"name": "traverse", "dtype": "float32", "file": "net.py", "line": 7,
   "traffic": {"sizes": [{"graph": 0, "of": "node"}, {"input": 0, "dim": 0}],
               "rows": [1, 0, 0], "inner_rows": [0, 0, 100],
               "bytes_read": [2, 0, 1], "bytes_written": [16, 0, 0],
               "buffers": [[[0, 2, 0], [0, 0, 5]], [[1, 0, 0], [9, 9, 9]]],
               )" + operations +
                        "}}],");
  }

  std::string loadMessage(const std::string &manifest) {
    RgnnModule *other = nullptr;
    EXPECT_EQ(rgnn_module_load(RGNN_TEST_KERNEL, manifest.c_str(), &other),
              RGNN_LOAD_FAILED);
    return rgnn_last_error();
  }

  std::vector<RgnnEvent> record() {
    rgnn_record_start();
    std::vector<float> result;
    EXPECT_EQ(call(result), "");
    EXPECT_EQ(result, expected());
    std::vector<RgnnEvent> events(rgnn_record_stop());
    for (size_t i = 0; i < events.size(); ++i)
      EXPECT_EQ(rgnn_record_event(i, &events[i]), RGNN_OK);
    return events;
  }
};
} // namespace

TEST_F(RecordTest, Events) {
  const std::vector<RgnnEvent> first = record();
  ASSERT_EQ(first.size(), 4u); // One view needs no other.
  EXPECT_EQ(first[0].kind, RGNN_EVENT_VIEW);
  EXPECT_STREQ(first[0].name, "dst_offsets");
  EXPECT_EQ(first[0].kernel, -1);
  EXPECT_EQ(first[0].rows, -1);

  // The views are there.
  const std::vector<RgnnEvent> events = record();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].kind, RGNN_EVENT_KERNEL);
  EXPECT_STREQ(events[0].name, "weights");
  EXPECT_EQ(events[0].kernel, -1);
  EXPECT_EQ(events[0].operations, -1);
  const RgnnEvent &kernel = events[1];
  EXPECT_EQ(kernel.kind, RGNN_EVENT_KERNEL);
  EXPECT_STREQ(kernel.name, "traverse");
  EXPECT_EQ(kernel.kernel, 1);
  EXPECT_STREQ(kernel.dtype, "float32");
  EXPECT_STREQ(kernel.file, "net.py");
  EXPECT_EQ(kernel.line, 7);
  const int64_t nodes = list.totalNodes();
  EXPECT_EQ(kernel.rows, nodes);
  EXPECT_EQ(kernel.inner_rows, 100);
  EXPECT_EQ(kernel.bytes_read, 2 * nodes + 1);
  EXPECT_EQ(kernel.bytes_written, 16 * nodes);
  EXPECT_EQ(kernel.bytes_needed, 16 * nodes + 5 + nodes);
  EXPECT_EQ(kernel.operations, 4 * nodes + 3);
  EXPECT_EQ(events[2].kind, RGNN_EVENT_CALL);
  EXPECT_STREQ(events[2].name, "rgnn_numbered");
  EXPECT_LE(events[2].begin, events[0].begin);
  EXPECT_LE(events[0].begin, events[0].end);
  EXPECT_LE(events[0].end, kernel.begin);
  EXPECT_LE(kernel.end, events[2].end);
}

TEST_F(RecordTest, OnlyWhatIsBetweenStartAndStop) {
  EXPECT_EQ(message(), "");
  rgnn_record_start();
  EXPECT_EQ(message(), "");
  rgnn_record_start(); // Forgets what was before.
  EXPECT_EQ(rgnn_record_stop(), 0);
  EXPECT_EQ(message(), "");
  EXPECT_EQ(rgnn_record_stop(), 0);
  RgnnEvent event;
  EXPECT_EQ(rgnn_record_event(0, &event), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(), "expected an event from 0 to 0, got 0");
}

TEST_F(RecordTest, CodeThatNumbersNoKernels) {
  load(sumManifest);
  ASSERT_EQ(message(), ""); // Builds the views.
  EXPECT_TRUE(record().empty());
}

TEST_F(RecordTest, WrongManifests) {
  EXPECT_EQ(loadMessage(withKernels(R"("operations": [4, 3])")),
            "manifest.kernels[1].traffic.operations: expected a factor for "
            "each size and a constant, got [4,3]");
  EXPECT_EQ(loadMessage(withKernels(R"("other": [])"))
                .rfind("manifest.kernels[1].traffic: expected a field "
                       "'operations', got {",
                       0),
            0u);
  EXPECT_EQ(
      loadMessage(replaced(withKernels(R"("operations": [0, 4, 3])"),
                           R"({"input": 0, "dim": 0}],
               "rows")",
                           R"({"input": 0, "dim": 2}],
               "rows")")),
      "manifest.kernels[1].traffic.sizes: expected dimensions that input 'x' "
      R"(has, got [{"graph":0,"of":"node"},{"dim":2,"input":0}])");
}
