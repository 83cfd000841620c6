//===- Driver.cpp - the CUDA driver, found at run time --------------------===//

#include "CUDA/Driver.h"
#include "Support/Error.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace rgnn;
using namespace rgnn::cuda;

void Driver::Close::operator()(void *library) const { dlclose(library); }

Driver::Driver(const std::string &path)
    : library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!library)
    failLoad("expected the CUDA driver of an NVIDIA GPU, got: ", dlerror());
  auto find = [&](auto &function, const char *name) {
    void *found = dlsym(library.get(), name);
    if (!found)
      failLoad(
          "expected a CUDA driver of version 11 or later, got one without ",
          name);
    function = reinterpret_cast<std::decay_t<decltype(function)>>(found);
  };
  find(init, "cuInit");
  find(deviceGetCount, "cuDeviceGetCount");
  find(primaryContextRetain, "cuDevicePrimaryCtxRetain");
  find(primaryContextRelease, "cuDevicePrimaryCtxRelease_v2");
  find(contextPush, "cuCtxPushCurrent_v2");
  find(contextPop, "cuCtxPopCurrent_v2");
  find(contextGetDevice, "cuCtxGetDevice");
  find(moduleLoadData, "cuModuleLoadData");
  find(moduleUnload, "cuModuleUnload");
  find(moduleGetFunction, "cuModuleGetFunction");
  find(functionSetAttribute, "cuFuncSetAttribute");
  find(launchKernel, "cuLaunchKernel");
  find(memoryAllocate, "cuMemAlloc_v2");
  find(memoryFree, "cuMemFree_v2");
  find(copyToDevice, "cuMemcpyHtoD_v2");
  find(streamSynchronize, "cuStreamSynchronize");
  find(getErrorString, "cuGetErrorString");
  check(init(0), "the start of the CUDA driver");
}

const Driver &Driver::get() {
  static const Driver driver([] {
    const char *path = std::getenv("RGNN_CUDA_DRIVER");
    return std::string(path && *path ? path : "libcuda.so.1");
  }());
  return driver;
}

void Driver::check(int result, const std::string &what) const {
  if (result == 0)
    return;
  const char *text = nullptr;
  if (getErrorString(result, &text) != 0 || !text)
    text = "an unknown error";
  constexpr int outOfMemory = 2;
  fail(result == outOfMemory ? RGNN_OUT_OF_MEMORY : RGNN_KERNEL_FAILED, what,
       " failed: ", text, " (", result, ")");
}
