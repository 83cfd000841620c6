//===- DeviceViews.cpp - a graph's views on one GPU -----------------------===//

#include "CUDA/DeviceViews.h"
#include "Error.h"

using namespace rgnn;
using namespace rgnn::cuda;

DeviceViews::~DeviceViews() {
  try {
    Device::Current current(device);
    for (auto [host, copy] : copies)
      device.driver.memoryFree(copy);
  } catch (const Error &) {
    // The process ends, and its contexts went first.
  }
}

const int32_t *DeviceViews::copy(const RgnnView &view) {
  if (view.rows == 0)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  auto [place, isNew] = copies.try_emplace(view.data, 0);
  if (isNew) {
    const size_t bytes = view.rows * view.columns * sizeof(int32_t);
    DevicePointer memory = 0;
    try {
      Device::Current current(device);
      device.driver.check(device.driver.memoryAllocate(&memory, bytes),
                          "memory for a view of a graph");
      place->second = memory;
      device.driver.check(device.driver.copyToDevice(memory, view.data, bytes),
                          "the copy of a view of a graph");
    } catch (...) {
      if (memory)
        device.driver.memoryFree(memory);
      copies.erase(place);
      throw;
    }
  }
  return reinterpret_cast<const int32_t *>(place->second);
}
