//===- Clock.cpp - How long a warp takes, alone on its chip ---------------===//

#include "Clock.h"
#include <algorithm>

using namespace emulator;

unsigned emulator::getCycles(std::string_view name) {
  auto is = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (is("global"))
    return 500;
  if (is("shared") || is("local") || is("ldmatrix") || is("mma.") || is("shfl"))
    return 30;
  // By a unit that a quarter of the lanes get at once, or by several steps.
  if (is("approx") || is("div.") || is("rem.") || is("rcp.") || is("sqrt."))
    return is("approx") ? 30 : 150;
  return is("f64") ? 10 : 5;
}

void Clock::meet() {
  time = std::max(time + count, last + 1);
  last = time;
  count = 0;
}

void Clock::run(const Timing &timing, bool some, bool all) {
  uint64_t begin = time;
  for (uint32_t place : timing.reads)
    begin = std::max(begin, ready[place]);
  // Lanes that do not write may wait for what was written before.
  for (uint32_t place : timing.writes)
    if (some)
      ready[place] = std::max(all ? 0 : ready[place], begin + timing.cycles);
  if (timing.kind == Timing::Folded)
    return;
  last = std::max(last, begin);
  count += timing.kind != Timing::Label;
  switch (timing.kind) {
  case Timing::Copy:
    copied = std::max(copied, begin + timing.cycles);
    break;
  case Timing::Commit:
    groups.push_back(copied);
    break;
  case Timing::Wait:
    meet();
    if (timing.left < groups.size())
      waitUntil(groups[groups.size() - 1 - timing.left]);
    break;
  case Timing::Border:
  case Timing::Label:
    meet();
    break;
  case Timing::Plain:
  case Timing::Folded:
    break;
  }
}
