//===- CUDATest.cpp - launches, against a driver that writes them down ----===//

#include "CUDA/Kernels.h"
#include "Support/Error.h"
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace rgnn;
using namespace rgnn::cuda;

namespace {

/// Names have five letters; behind each is the number of its parameters.
const void *const both[] = {"for another GPU", "scale(2) add_1(1)"};
const void *const zeros[] = {"zeros(0)"};
const RgnnKernel table[] = {{"scale", both, 2},
                            {"add_1", both, 2},
                            {"zeros", zeros, 1},
                            {nullptr, nullptr, 0}};

/// Words of a launch: sizes, then parameters.
struct Words {
  uint64_t values[16];
};

int32_t launchThree(const RgnnContext *context, const uint64_t *words) {
  const Words scale{{words[0], 2, 3, 256, 4, 1, 0, 70, 71}},
      add{{1, 1, 1, 32, 1, 1, 100000, 72}}, zeros{{1, 1, 1, 1, 1, 1, 0}};
  context->launch(context, 0, scale.values, 2);
  context->launch(context, 1, add.values, 1);
  context->launch(context, 2, zeros.values, 0);
  return 0;
}

struct CUDATest : testing::Test {
  CUDATest() : driver(RGNN_TEST_CUDA_DRIVER) {
    library = dlopen(RGNN_TEST_CUDA_DRIVER, RTLD_NOW | RTLD_NOLOAD);
    find(recorded, "recorded");
    find(anew, "record_anew");
    find(letFail, "let_fail");
    anew();
    rows.assign(std::begin(table), std::end(table));
  }
  ~CUDATest() override { dlclose(library); }

  template <typename Function>
  void find(Function &function, const char *name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    ASSERT_NE(function, nullptr) << name;
  }

  /// The message of what `body` throws.
  template <typename Body>
  static std::string failureOf(RgnnStatus status, Body body) {
    try {
      body();
    } catch (const Error &error) {
      EXPECT_EQ(error.status, status);
      return error.what();
    }
    ADD_FAILURE() << "expected a failure";
    return {};
  }

  Driver driver;
  void *library = nullptr;
  const char *(*recorded)() = nullptr;
  void (*anew)() = nullptr;
  void (*letFail)(const char *, int) = nullptr;
  std::vector<RgnnKernel> rows;
};

} // namespace

TEST_F(CUDATest, LoadsCodeOnceAndUnloadsIt) {
  {
    const Kernels kernels(driver, 1, rows.data());
    EXPECT_EQ(kernels.size(), 3u);
    EXPECT_STREQ(recorded(),
                 "retain 1\npush 101\nload scale(2) add_1(1)\nfind scale\n"
                 "find add_1\nload zeros(0)\nfind zeros\npop 101\n");
    anew();
  }
  EXPECT_STREQ(recorded(), "push 101\nunload scale(2) add_1(1)\n"
                           "unload zeros(0)\npop 101\nrelease 1\n");
}

TEST_F(CUDATest, LaunchesInOrderOnTheStream) {
  const Kernels kernels(driver, 0, rows.data());
  anew();
  const uint64_t words[] = {1234567};
  EXPECT_EQ(kernels.run(launchThree, words, reinterpret_cast<Stream>(7)), 0);
  // Nothing is waited for, copied or allocated.
  EXPECT_STREQ(recorded(),
               "push 100\n"
               "launch scale (1234567, 2, 3) x (256, 4, 1), 0 bytes, stream 7:"
               " 70 71\n"
               "attribute 8 of add_1 = 100000\n"
               "launch add_1 (1, 1, 1) x (32, 1, 1), 100000 bytes, stream 7:"
               " 72\n"
               "launch zeros (1, 1, 1) x (1, 1, 1), 0 bytes, stream 7:\n"
               "pop 100\n");
}

TEST_F(CUDATest, RefusesLaunchesThatNoGPUTakes) {
  const Kernels kernels(driver, 0, rows.data());
  for (uint64_t blocks : {uint64_t(0), uint64_t(1) << 31}) {
    anew();
    EXPECT_EQ(failureOf(RGNN_KERNEL_FAILED,
                        [&] { kernels.run(launchThree, &blocks, nullptr); }),
              "kernel scale: expected size 0 of its launch from 1 to "
              "2147483647, got " +
                  std::to_string(blocks));
    // What follows a failure is not launched, and the context is given back.
    EXPECT_STREQ(recorded(), "push 100\npop 100\n");
  }
  auto unknown = [](const RgnnContext *context, const uint64_t *words) {
    context->launch(context, 3, words, 0);
    return 0;
  };
  const uint64_t words[7] = {};
  EXPECT_EQ(failureOf(RGNN_KERNEL_FAILED,
                      [&] { kernels.run(unknown, words, nullptr); }),
            "expected one of 3 kernels, got number 3");
}

TEST_F(CUDATest, PassesOnWhatTheDriverSays) {
  const uint64_t words[] = {1};
  {
    const Kernels kernels(driver, 0, rows.data());
    letFail("cuLaunchKernel", 2);
    EXPECT_EQ(failureOf(RGNN_OUT_OF_MEMORY,
                        [&] { kernels.run(launchThree, words, nullptr); }),
              "the launch of kernel scale failed: out of memory (2)");
    letFail("cuFuncSetAttribute", 999);
    EXPECT_EQ(failureOf(RGNN_KERNEL_FAILED,
                        [&] { kernels.run(launchThree, words, nullptr); }),
              "shared memory of kernel add_1 failed: an unknown error (999)");
  }
  anew();
  rows[2].name = "other";
  EXPECT_EQ(failureOf(RGNN_KERNEL_FAILED,
                      [&] { Kernels kernels(driver, 0, rows.data()); }),
            "finding kernel other failed: named symbol not found (500)");
  // What was loaded is unloaded.
  EXPECT_NE(std::string(recorded()).find("unload zeros(0)\npop 100\nrelease 0"),
            std::string::npos)
      << recorded();
}

TEST_F(CUDATest, RefusesGPUsThatAreNotThere) {
  for (int device : {-1, 2})
    EXPECT_EQ(failureOf(RGNN_INVALID_INPUT,
                        [&] { Kernels kernels(driver, device, rows.data()); }),
              "expected a GPU from 0 to 1, got " + std::to_string(device));
}

TEST_F(CUDATest, RefusesWhatIsNoDriver) {
  const std::string missing =
      failureOf(RGNN_LOAD_FAILED, [] { Driver driver("/no/libcuda.so.1"); });
  EXPECT_EQ(missing.find("expected the CUDA driver of an NVIDIA GPU, got: "),
            0u)
      << missing;
  EXPECT_EQ(
      failureOf(RGNN_LOAD_FAILED, [] { Driver driver(RGNN_TEST_KERNEL); }),
      "expected a CUDA driver of version 11 or later, got one without "
      "cuInit");
}
