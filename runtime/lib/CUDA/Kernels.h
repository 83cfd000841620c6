//===- Kernels.h - a module's kernels on one GPU ----------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_CUDA_KERNELS_H
#define RGNN_RUNTIME_CUDA_KERNELS_H

#include "CUDA/Driver.h"
#include "rgnn/runtime.h"
#include <exception>
#include <vector>

namespace rgnn::cuda {

/// The primary context of a device, which PyTorch uses too, held and current.
class Device {
public:
  Device(const Driver &driver, int number);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Makes the context current for as long as it lives.
  class Current {
  public:
    explicit Current(const Device &device);
    ~Current();
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;

  private:
    const Driver &driver;
  };

  const Driver &driver;
  const int number;

private:
  Context context = nullptr;
};

/// Kernels whose code is loaded on a device.
class Kernels {
public:
  /// Loads the rows of `table`, up to the row of nulls; code that rows share
  /// is loaded once.
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

  void launch(int32_t kernel, const uint64_t *words, int32_t numParameters,
              Stream stream) const;
  void unload() noexcept;

  const Device device;
  std::vector<Module> modules;
  std::vector<Loaded> functions;
};

} // namespace rgnn::cuda

#endif // RGNN_RUNTIME_CUDA_KERNELS_H
