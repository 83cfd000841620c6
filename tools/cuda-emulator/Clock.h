//===- Clock.h - How long a warp takes, alone on its chip -------*- C++ -*-===//
//
// What instructions wait for: others whose results they read. Those between two
// places where code meets or parts (a label, a branch, a barrier) begin as soon
// as they can, as ptxas orders them so that loads come first; the next such
// code begins when all of them have begun, and each has taken a cycle. That no
// two warps get the same unit at once is not in it, nor are caches.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_TOOLS_CUDAEMULATOR_CLOCK_H
#define RGNN_TOOLS_CUDAEMULATOR_CLOCK_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace emulator {

/// What a clock knows of an instruction.
struct Timing {
  /// Registers, by their place among those of a warp.
  std::vector<uint32_t> reads, writes;
  /// From its begin until others have what it writes.
  unsigned cycles = 0;
  enum Kind : uint8_t {
    Plain,
    /// Nothing of a chip's.
    Folded,
    /// Others do not pass it: an instruction, or a label, which is none.
    Border,
    Label,
    /// cp.async: a copy, the end of a group of them, and waiting for groups.
    Copy,
    Commit,
    Wait,
  } kind = Plain;
  /// How many groups need not be there yet.
  unsigned left = 0;
};

/// About as on an H100, where loads mostly hit its L2 cache.
unsigned getCycles(std::string_view name);

class Clock {
public:
  explicit Clock(size_t numRegisters) : ready(numRegisters) {}

  /// An instruction that some lanes take part in, or all that are left.
  void run(const Timing &timing, bool some, bool all);
  uint64_t now() const { return time; }
  /// Waits for others.
  void waitUntil(uint64_t when) { time = std::max(time, when); }

private:
  void meet();

  /// When each register has what was written last.
  std::vector<uint64_t> ready;
  /// When the code began that runs, its last instruction so far, and how many
  /// there were.
  uint64_t time = 0, last = 0, count = 0;
  /// When copies are there: those of no group yet, and of each group.
  uint64_t copied = 0;
  std::vector<uint64_t> groups;
};

} // namespace emulator

#endif // RGNN_TOOLS_CUDAEMULATOR_CLOCK_H
