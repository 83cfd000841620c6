//===- Kernels.cpp - a module's kernels on one GPU ------------------------===//

#include "CUDA/Kernels.h"
#include "Support/Error.h"
#include <array>
#include <limits>
#include <map>

using namespace rgnn;
using namespace rgnn::cuda;

Kernels::Kernels(const Driver &driver, int number, const RgnnKernel *table)
    : device(driver, number) {
  Device::Current current(device);
  std::map<const void *, Module> loaded;
  try {
    for (const RgnnKernel *row = table; row->name; ++row) {
      Module &module = loaded[row->codes];
      if (!module) {
        module = load(*row);
        modules.push_back(module);
      }
      Function function;
      driver.check(driver.moduleGetFunction(&function, module, row->name),
                   "finding kernel " + std::string(row->name));
      functions.push_back({function, row->name});
    }
  } catch (...) {
    unload();
    throw;
  }
}

/// The first of a kernel's codes that the GPU runs.
Module Kernels::load(const RgnnKernel &kernel) const {
  constexpr int noCodeForThisGPU = 209, newerPTX = 222;
  Module module = nullptr;
  int result = noCodeForThisGPU;
  for (uint64_t i = 0; i < kernel.num_codes; ++i) {
    result = device.driver.moduleLoadData(&module, kernel.codes[i]);
    if (result != noCodeForThisGPU && result != newerPTX)
      break;
  }
  device.driver.check(result, "loading the code of kernel " +
                                  std::string(kernel.name) + " on GPU " +
                                  std::to_string(device.number));
  return module;
}

Kernels::~Kernels() {
  try {
    Device::Current current(device);
    unload();
  } catch (const Error &) {
    // The process ends, and its contexts went first.
  }
}

void Kernels::unload() noexcept {
  for (Module module : modules)
    device.driver.moduleUnload(module);
  modules.clear();
}

/// What compiled code is given; it sees the base alone.
struct Kernels::LaunchContext : RgnnContext {
  const Kernels *kernels;
  Stream stream;
  /// Of the first launch that failed; those behind it are left out.
  mutable std::exception_ptr error;
};

int32_t Kernels::run(RgnnEntry entry, const uint64_t *words,
                     Stream stream) const {
  LaunchContext context{};
  static_cast<RgnnContext &>(context) = *rgnn_context();
  context.kernels = this;
  context.stream = stream;
  context.launch = [](const RgnnContext *base, int32_t kernel,
                      const uint64_t *words, int32_t numParameters) {
    auto *context = static_cast<const LaunchContext *>(base);
    if (context->error)
      return;
    try {
      context->kernels->launch(kernel, words, numParameters, context->stream);
    } catch (...) {
      context->error = std::current_exception();
    }
  };
  Device::Current current(device);
  const int32_t status = entry(&context, words);
  if (context.error)
    std::rethrow_exception(context.error);
  return status;
}

void Kernels::launch(int32_t kernel, const uint64_t *words,
                     int32_t numParameters, Stream stream) const {
  if (kernel < 0 || static_cast<size_t>(kernel) >= functions.size())
    fail(RGNN_KERNEL_FAILED, "expected one of ", functions.size(),
         " kernels, got number ", kernel);
  const auto [function, name] = functions[kernel];
  // Blocks and threads in x, y and z; shared memory.
  constexpr std::array<uint64_t, 7> most = {
      2147483647,
      65535,
      65535,
      1024,
      1024,
      64,
      std::numeric_limits<int32_t>::max()};
  std::array<unsigned, 7> sizes;
  for (size_t i = 0; i < most.size(); ++i) {
    if (words[i] > most[i] || (i < 6 && words[i] == 0))
      fail(RGNN_KERNEL_FAILED, "kernel ", name, ": expected size ", i,
           " of its launch from ", i < 6, " to ", most[i], ", got ", words[i]);
    sizes[i] = static_cast<unsigned>(words[i]);
  }
  // More must be asked for.
  constexpr unsigned sharedAtHand = 48 * 1024;
  if (sizes[6] > sharedAtHand)
    device.driver.check(
        device.driver.functionSetAttribute(function, MaxDynamicSharedBytes,
                                           static_cast<int>(sizes[6])),
        "shared memory of kernel " + std::string(name));
  std::vector<void *> parameters(numParameters);
  for (int32_t i = 0; i < numParameters; ++i)
    parameters[i] = const_cast<uint64_t *>(words + most.size() + i);
  device.driver.check(device.driver.launchKernel(function, sizes[0], sizes[1],
                                                 sizes[2], sizes[3], sizes[4],
                                                 sizes[5], sizes[6], stream,
                                                 parameters.data(), nullptr),
                      "the launch of kernel " + std::string(name));
}

const Kernels &KernelsOfDevices::on(int device) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Kernels> &loaded = kernels[device];
  if (!loaded)
    loaded = std::make_unique<Kernels>(Driver::get(), device, table);
  return *loaded;
}
