//===- RecordedCall.h - A call whose kernels are timed ----------*- C++ -*-===//

#ifndef RGNN_RUNTIME_MODULE_RECORDEDCALL_H
#define RGNN_RUNTIME_MODULE_RECORDEDCALL_H

#include "Module/Call.h"
#include "Profile/Recorder.h"

namespace rgnn {

/// The context of a call that is recorded: times the loops of each kernel.
class RecordedCall : public RgnnContext {
public:
  explicit RecordedCall(const Call &call);

  int32_t run(RgnnEntry entry, const uint64_t *words) {
    return entry(this, words);
  }

private:
  static void runLoop(const RgnnContext *context, int64_t count,
                      void (*body)(int64_t, int64_t, void *), void *env);
  /// One loop after the other, each with a time of its own.
  static void runLoops(const RgnnContext *context, int64_t numLoops,
                       const RgnnLoop *loops);
  /// What kernel `number` of the module does in this call.
  Work workOf(size_t number) const;

  const Call &call;
  RecordedScope whole;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_MODULE_RECORDEDCALL_H
