//===- Recorder.cpp - What ran when, while it is recorded -----------------===//

#include "Profile/Recorder.h"
#include <chrono>
#include <utility>

using namespace rgnn;

Recorder &Recorder::get() {
  // Never destroyed: threads may outlive it.
  static auto *recorder = new Recorder;
  return *recorder;
}

int64_t Recorder::now() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch())
      .count();
}

void Recorder::start() {
  std::lock_guard<std::mutex> lock(mutex);
  events.clear();
  on = true;
}

std::vector<Event> Recorder::stop() {
  std::lock_guard<std::mutex> lock(mutex);
  on = false;
  return std::exchange(events, {});
}

void Recorder::add(Event event) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isOn())
    events.push_back(std::move(event));
}

RecordedScope::~RecordedScope() {
  if (begin == -1)
    return;
  Event event{kind, name};
  event.begin = begin;
  event.end = Recorder::now();
  Recorder::get().add(std::move(event));
}
