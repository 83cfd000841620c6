//===- Kernels.h - a module's kernels on one GPU ----------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_CUDA_KERNELS_H
#define RGNN_RUNTIME_CUDA_KERNELS_H

#include "CUDA/Device.h"
#include "rgnn/runtime.h"
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace rgnn::cuda {

/// Kernels whose code is loaded on a device.
class Kernels {
public:
  /// Loads the rows of `table`, up to the row of nulls; codes that rows share
  /// are loaded once.
  Kernels(const Driver &driver, int device, const RgnnKernel *table);
  ~Kernels();
  Kernels(const Kernels &) = delete;
  Kernels &operator=(const Kernels &) = delete;

  /// Runs the host's side of a call: what it launches goes to `stream`, which
  /// is not waited for. Fails with what the first launch that failed says.
  int32_t run(RgnnEntry entry, const uint64_t *words, Stream stream) const;

  size_t size() const { return functions.size(); }

private:
  struct LaunchContext;
  struct Loaded {
    Function function;
    const char *name;
  };

  Module load(const RgnnKernel &kernel) const;
  void launch(int32_t kernel, const uint64_t *words, int32_t numParameters,
              Stream stream) const;
  void unload() noexcept;

  const Device device;
  std::vector<Module> modules;
  std::vector<Loaded> functions;
};

/// The kernels of a module on each GPU that it was called on.
class KernelsOfDevices {
public:
  explicit KernelsOfDevices(const RgnnKernel *table) : table(table) {}

  /// Loads them at first use.
  const Kernels &on(int device);

private:
  const RgnnKernel *const table;
  std::mutex mutex;
  std::map<int, std::unique_ptr<Kernels>> kernels;
};

} // namespace rgnn::cuda

#endif // RGNN_RUNTIME_CUDA_KERNELS_H
