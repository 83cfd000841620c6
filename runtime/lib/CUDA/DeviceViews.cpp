//===- DeviceViews.cpp - a graph's views on one GPU -----------------------===//

#include "CUDA/DeviceViews.h"
#include "Support/Error.h"

using namespace rgnn;
using namespace rgnn::cuda;

DeviceViews::~DeviceViews() {
  try {
    Device::Current current(device);
    for (auto [host, copy] : copies)
      if (copy)
        device.driver.memoryFree(copy);
  } catch (const Error &) {
    // The process ends, and its contexts went first.
  }
}

const int32_t *DeviceViews::copy(const RgnnView &view) {
  if (view.rows == 0)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  DevicePointer &kept = copies[view.data];
  if (!kept) {
    const size_t bytes = view.rows * view.columns * sizeof(int32_t);
    DevicePointer memory = 0;
    Device::Current current(device);
    try {
      device.driver.check(device.driver.memoryAllocate(&memory, bytes),
                          "memory for a view of a graph");
      device.driver.check(device.driver.copyToDevice(memory, view.data, bytes),
                          "the copy of a view of a graph");
      // It may be on its way still, and streams do not wait for each other.
      device.driver.check(device.driver.streamSynchronize(nullptr),
                          "the copy of a view of a graph");
    } catch (...) {
      if (memory)
        device.driver.memoryFree(memory);
      throw;
    }
    kept = memory;
  }
  return reinterpret_cast<const int32_t *>(kept);
}
