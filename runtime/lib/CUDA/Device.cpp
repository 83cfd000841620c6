//===- Device.cpp - one GPU -----------------------------------------------===//

#include "CUDA/Device.h"
#include "Support/Error.h"

using namespace rgnn;
using namespace rgnn::cuda;

Device::Device(const Driver &driver, int number)
    : driver(driver), number(number) {
  int count = 0;
  driver.check(driver.deviceGetCount(&count), "counting GPUs");
  if (number < 0 || number >= count)
    failInput("expected a GPU from 0 to ", count - 1, ", got ", number);
  driver.check(driver.primaryContextRetain(&context, number),
               "the context of GPU " + std::to_string(number));
}

Device::~Device() { driver.primaryContextRelease(number); }

Device::Current::Current(const Device &device) : driver(device.driver) {
  driver.check(driver.contextPush(device.context),
               "switching to GPU " + std::to_string(device.number));
}

Device::Current::~Current() {
  Context popped;
  driver.contextPop(&popped);
}
