//===- RecordedCall.cpp - A call whose kernels are timed ------------------===//

#include "Module/RecordedCall.h"
#include <algorithm>

using namespace rgnn;

RecordedCall::RecordedCall(const Call &call)
    : RgnnContext(*rgnn_context()), call(call),
      whole(RGNN_EVENT_CALL, call.module.manifest.entry.c_str()) {
  parallel_for = runLoop;
  parallel_for_all = runLoops;
}

void RecordedCall::runLoop(const RgnnContext *context, int64_t count,
                           void (*body)(int64_t, int64_t, void *), void *env) {
  const auto &self = *static_cast<const RecordedCall *>(context);
  const int64_t begin = Recorder::now();
  rgnn_context()->parallel_for(context, count, body, env);
  Event event{RGNN_EVENT_KERNEL, "weights"};
  event.begin = begin;
  event.end = Recorder::now();
  // Compiled code puts the number of the kernel first.
  const auto &kernels = self.call.module.manifest.kernels;
  const int64_t number = *static_cast<const int64_t *>(env);
  if (number >= 0 && number < static_cast<int64_t>(kernels.size())) {
    const KernelSpec &kernel = kernels[number];
    event.name = kernel.name;
    event.kernel = number;
    event.dtype = kernel.dtype;
    event.file = kernel.file;
    event.line = kernel.line;
    event.work = self.workOf(number);
  }
  Recorder::get().add(std::move(event));
}

void RecordedCall::runLoops(const RgnnContext *context, int64_t numLoops,
                            const RgnnLoop *loops) {
  for (int64_t i = 0; i < numLoops; ++i)
    runLoop(context, loops[i].count, loops[i].body, loops[i].env);
}

Work RecordedCall::workOf(size_t number) const {
  const KernelSpec &kernel = call.module.manifest.kernels[number];
  if (!kernel.isKnown)
    return {};
  std::vector<int64_t> sizes;
  sizes.reserve(kernel.sizes.size());
  for (const Dim &size : kernel.sizes)
    sizes.push_back(std::max<int64_t>(call.evaluate(size), 0));
  const auto evaluate = [&](const std::vector<int64_t> &form) {
    int64_t sum = form.back();
    for (size_t i = 0; i < sizes.size(); ++i)
      sum += form[i] * sizes[i];
    return sum;
  };
  Work work{evaluate(kernel.rows),         evaluate(kernel.innerRows),
            evaluate(kernel.bytesRead),    evaluate(kernel.bytesWritten),
            evaluate(kernel.bytesWritten), evaluate(kernel.operations)};
  for (const auto &[read, there] : kernel.buffers)
    work.bytesNeeded += std::min(evaluate(read), evaluate(there));
  return work;
}
