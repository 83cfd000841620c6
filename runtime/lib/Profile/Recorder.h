//===- Recorder.h - What ran when, while it is recorded ---------*- C++ -*-===//

#ifndef RGNN_RUNTIME_PROFILE_RECORDER_H
#define RGNN_RUNTIME_PROFILE_RECORDER_H

#include "rgnn/runtime.h"
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace rgnn {

/// What a kernel reads, writes and computes; -1 where that is not known.
struct Work {
  int64_t rows = -1, innerRows = -1, bytesRead = -1, bytesWritten = -1;
  /// Bytes that pass if memory is read once.
  int64_t bytesNeeded = -1;
  int64_t operations = -1;
};

struct Event {
  RgnnEventKind kind;
  /// "traverse"; of a view "dst_offsets"; of a call, what it enters.
  std::string name;
  /// Of a kernel, its number.
  int64_t kernel = -1;
  /// "float32", of the numbers that a kernel writes.
  std::string dtype;
  /// The line of the model that a kernel comes from.
  std::string file;
  int64_t line = 0;
  /// On the clock of the process, in nanoseconds.
  int64_t begin = 0, end = 0;
  Work work;
};

/// Of all threads of the process. Without a recording it costs the reading of
/// one flag per call and per view that is built.
class Recorder {
public:
  static Recorder &get();
  static int64_t now();

  bool isOn() const { return on.load(std::memory_order_relaxed); }
  /// Forgets what was recorded before.
  void start();
  /// Events of calls that are still under way are lost.
  std::vector<Event> stop();
  void add(Event event);

private:
  std::atomic<bool> on{false};
  std::mutex mutex;
  std::vector<Event> events;
};

/// Records what its scope does, if recording is on when it begins.
class RecordedScope {
public:
  RecordedScope(RgnnEventKind kind, const char *name)
      : begin(Recorder::get().isOn() ? Recorder::now() : -1), kind(kind),
        name(name) {}
  ~RecordedScope();
  RecordedScope(const RecordedScope &) = delete;
  RecordedScope &operator=(const RecordedScope &) = delete;

private:
  const int64_t begin;
  const RgnnEventKind kind;
  const char *const name;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_PROFILE_RECORDER_H
