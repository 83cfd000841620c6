//===- DeviceViews.h - a graph's views on one GPU ---------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_CUDA_DEVICEVIEWS_H
#define RGNN_RUNTIME_CUDA_DEVICEVIEWS_H

#include "CUDA/Device.h"
#include "rgnn/runtime.h"
#include <map>
#include <mutex>

namespace rgnn::cuda {

/// Copies of views, each made when first asked for and kept with the graph.
class DeviceViews {
public:
  DeviceViews(const Driver &driver, int device) : device(driver, device) {}
  ~DeviceViews();

  /// Where the copy is; null for a view without rows. Waits for the GPU the
  /// first time.
  const int32_t *copy(const RgnnView &view);

private:
  const Device device;
  std::mutex mutex;
  std::map<const int32_t *, DevicePointer> copies;
};

} // namespace rgnn::cuda

#endif // RGNN_RUNTIME_CUDA_DEVICEVIEWS_H
