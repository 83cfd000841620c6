//===- Device.h - one GPU ---------------------------------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_CUDA_DEVICE_H
#define RGNN_RUNTIME_CUDA_DEVICE_H

#include "CUDA/Driver.h"

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

} // namespace rgnn::cuda

#endif // RGNN_RUNTIME_CUDA_DEVICE_H
