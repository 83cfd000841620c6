//===- Machine.cpp - How warps and blocks go on ---------------------------===//

#include "Machine.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

using namespace emulator;

Warp::Warp(Block &block, unsigned number)
    : block(block), registers(block.launch.kernel.registers),
      code(block.launch.kernel.code), order(block.launch.kernel.order) {
  local.assign(numLanes * block.launch.kernel.localBytes, ~0); // NaNs
  const Launch &launch = block.launch;
  unsigned first = number * numLanes;
  unsigned numThreads = getCount(launch.threads);
  unsigned count = std::min(numThreads - first, numLanes);
  live = count == numLanes ? allLanes : (Lanes(1) << count) - 1;
  begun = live;
  auto set = [&](unsigned what, unsigned lane, unsigned number,
                 const Size &in) {
    for (unsigned i = 0; i < 3; ++i, number /= in[i - 1]) {
      unsigned value = i == 2 ? number : number % in[i];
      get<uint32_t>(launch.kernel.special[what + i])[lane] = value;
      get<uint32_t>(launch.kernel.special[what + 3 + i])[lane] = in[i];
    }
  };
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    set(Kernel::Thread, lane, first + lane, launch.threads);
    set(Kernel::BlockOf, lane, block.number, launch.blocks);
    get<uint32_t>(launch.kernel.special[Kernel::Lane])[lane] = lane;
  }
}

void Warp::settle() {
  for (Lanes lanes = running; lanes; lanes &= lanes - 1)
    places[__builtin_ctz(lanes)] = place;
  running = 0;
}

bool Warp::choose(std::minstd_rand *random) {
  settle();
  Lanes ready = live & ~waiting & ~held;
  if (!ready)
    return false;
  // The lanes that are furthest behind, so that they meet the others.
  Lanes left = ready;
  if (random)
    for (unsigned skip = (*random)() % __builtin_popcount(ready); skip; --skip)
      left &= left - 1;
  uint32_t chosen = places[__builtin_ctz(left)];
  if (!random)
    for (Lanes lanes = ready; lanes; lanes &= lanes - 1)
      if (uint32_t other = places[__builtin_ctz(lanes)];
          order[other] < order[chosen])
        chosen = other;
  place = chosen;
  for (Lanes lanes = ready; lanes; lanes &= lanes - 1)
    if (unsigned lane = __builtin_ctz(lanes); places[lane] == chosen)
      running |= Lanes(1) << lane;
  return true;
}

void Counts::operator+=(const Counts &other) {
  instructions += other.instructions;
  lanes += other.lanes;
  sectorsRead += other.sectorsRead;
  sectorsWritten += other.sectorsWritten;
  sharedCycles += other.sharedCycles;
  longestBlock = std::max(longestBlock, other.longestBlock);
  blockCycles += other.blockCycles;
}

/// How many of `numbers` differ. Sorts them.
static unsigned countDifferent(std::vector<uint64_t> &numbers) {
  std::sort(numbers.begin(), numbers.end());
  return std::unique(numbers.begin(), numbers.end()) - numbers.begin();
}

/// How often the 32 banks of 4 bytes are busy with `words`, which the lanes of
/// one access want.
static unsigned countBankCycles(std::vector<uint64_t> &words) {
  unsigned count = countDifferent(words), most = 0;
  std::array<unsigned, 32> ofBank = {};
  for (unsigned i = 0; i < count; ++i)
    most = std::max(most, ++ofBank[words[i] % 32]);
  return most;
}

void Warp::count(const Instruction &now, Lanes lanes) {
  clock->run(block.launch.kernel.timings[&now - code.data()], lanes != 0,
             lanes == live);
  if (now.kind == Instruction::Join || now.isFolded)
    return;
  ++counts->instructions;
  counts->lanes += __builtin_popcount(lanes);
  countAccess(now, lanes);
}

void Warp::countAccess(const Instruction &now, Lanes lanes) {
  const Instruction::Access &access = now.access;
  if (access.space == Instruction::Access::None)
    return;
  const uint64_t *base = get<uint64_t>(now.operands[access.address]);
  bool isShared = access.space == Instruction::Access::Shared;
  std::vector<uint64_t> parts;
  // 8 bytes of 16 lanes, or 16 of 8, are what the banks give at once.
  unsigned group =
      isShared ? numLanes * 4 / std::max<unsigned>(access.bytes, 4) : numLanes;
  for (unsigned first = 0; first < numLanes; first += group) {
    parts.clear();
    for (unsigned lane = first; lane < first + group; ++lane) {
      if (!(lanes >> lane & 1))
        continue;
      uint64_t address = base[lane] + now.number;
      if (!isShared)
        parts.push_back(address / 32);
      for (unsigned at = 0; isShared && at < access.bytes; at += 4)
        parts.push_back((address + at) / 4);
    }
    if (isShared)
      counts->sharedCycles += countBankCycles(parts);
    else
      (access.writes ? counts->sectorsWritten : counts->sectorsRead) +=
          countDifferent(parts);
  }
}

void Warp::run(unsigned steps, std::minstd_rand *random) {
  if (!running && !choose(random))
    return;
  while (true) {
    const Instruction &now = code[place];
    Lanes lanes = running;
    if (now.isGuarded)
      lanes &=
          now.guardIsNegated ? ~predicate(now.guard) : predicate(now.guard);
    if (counts)
      count(now, lanes);
    switch (now.kind) {
    case Instruction::Plain:
      if (lanes)
        now.handler(*this, now, lanes);
      ++place;
      continue;
    case Instruction::Join:
      ++place;
      break;
    case Instruction::Branch:
      if (lanes == running) {
        place = now.number;
        break;
      }
      ++place;
      if (!lanes)
        continue;
      for (Lanes left = lanes; left; left &= left - 1)
        places[__builtin_ctz(left)] = now.number;
      running &= ~lanes;
      if (!choose(random))
        return;
      break;
    case Instruction::Together: {
      Lanes members = now.members;
      if (running == members && !held) {
        now.handler(*this, now, members);
        ++place;
        continue;
      }
      if (members & ~live)
        throw Fault("expected all lanes that it names, got some that ended");
      held |= running;
      settle();
      Lanes here = 0;
      for (Lanes left = held; left; left &= left - 1)
        if (places[__builtin_ctz(left)] == place)
          here |= left & -left;
      if ((members & ~here) == 0) {
        now.handler(*this, now, members);
        held &= ~members;
        for (Lanes left = members; left; left &= left - 1)
          ++places[__builtin_ctz(left)];
      }
      if (!choose(random)) {
        if (held)
          throw Fault("expected all lanes that it names, got some that wait "
                      "elsewhere");
        return;
      }
      continue;
    }
    case Instruction::Barrier:
      if (lanes != running)
        throw Fault("a barrier with a predicate");
      waiting |= running;
      ++place;
      if (!choose(random)) {
        if (held)
          throw Fault("a barrier that some lanes of a warp wait at, others at "
                      "a shuffle");
        return;
      }
      break;
    case Instruction::Exit: {
      live &= ~lanes;
      running &= ~lanes;
      if (running) {
        ++place;
        continue;
      }
      if (!choose(random)) {
        if (held)
          throw Fault("the end of some lanes, while others wait for them");
        return;
      }
      break;
    }
    }
    // Where lanes are apart, those behind go on first.
    if ((running != (live & ~waiting & ~held)) && !choose(random))
      return;
    if (steps != 0 && --steps == 0)
      return;
  }
}

void Warp::passBarrier() {
  waiting = 0;
  choose(nullptr);
}

unsigned Warp::getLine() const {
  // Lanes that wait stand behind the barrier.
  uint32_t at =
      running || !waiting ? place : places[__builtin_ctz(waiting)] - 1;
  return code[std::min<size_t>(at, code.size() - 1)].line;
}

using Warps = std::vector<std::unique_ptr<Warp>>;

static uint64_t getLatest(const Warps &warps) {
  uint64_t latest = 0;
  for (const auto &warp : warps)
    latest = std::max(latest, warp->clock->now());
  return latest;
}

static void countTime(const Warps &warps, Counts &counts) {
  uint64_t cycles = getLatest(warps);
  counts.longestBlock = std::max(counts.longestBlock, cycles);
  counts.blockCycles += cycles;
}

static void runBlock(const Launch &launch, unsigned number, unsigned seed,
                     Counts *counts) {
  std::minstd_rand random(seed + number * 7919u + 1);
  Block block = {launch, number, {}};
  // Nothing has written to it: a NaN in every precision.
  block.shared.assign(launch.kernel.sharedBytes + launch.dynamicBytes, '\xFF');
  Warps warps;
  for (unsigned i = 0; i * numLanes < getCount(launch.threads); ++i)
    warps.push_back(std::make_unique<Warp>(block, i));
  for (const auto &warp : warps)
    if ((warp->counts = counts))
      warp->clock.emplace(launch.kernel.registers.size() / registerAlignment);
  std::vector<unsigned> order(warps.size());
  std::iota(order.begin(), order.end(), 0);
  const Warp *current = nullptr;
  try {
    while (true) {
      if (seed)
        std::shuffle(order.begin(), order.end(), random);
      bool hasMoved = false, isDone = true, hasEnded = false;
      for (unsigned i : order) {
        Warp &warp = *warps[i];
        current = &warp;
        hasEnded |= warp.hasEnded();
        if (warp.isDone() || warp.isWaiting())
          continue;
        warp.run(seed ? 1 + random() % 16 : 0, seed ? &random : nullptr);
        hasMoved = true;
      }
      for (const auto &warp : warps)
        isDone &= warp->isDone();
      if (isDone) {
        if (counts)
          countTime(warps, *counts);
        return;
      }
      if (hasMoved)
        continue;
      if (hasEnded) {
        for (const auto &warp : warps)
          if (warp->isWaiting())
            current = warp.get();
        throw Fault("a barrier that threads do not reach: they have ended");
      }
      uint64_t now = counts ? getLatest(warps) : 0;
      for (const auto &warp : warps) {
        if (counts)
          warp->clock->waitUntil(now);
        warp->passBarrier();
      }
    }
  } catch (const Fault &fault) {
    throw Fault("kernel " + launch.kernel.name + ", line " +
                std::to_string(current ? current->getLine() : 0) +
                " of its PTX, block " + std::to_string(number) + ": " +
                fault.what());
  }
}

void emulator::run(const Launch &launch, unsigned seed, unsigned numHostThreads,
                   Counts *counts) {
  std::vector<unsigned> order(getCount(launch.blocks));
  std::iota(order.begin(), order.end(), 0);
  if (seed)
    std::shuffle(order.begin(), order.end(), std::minstd_rand(seed));
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  auto work = [&] {
    Counts own;
    try {
      for (size_t i; (i = next++) < order.size();)
        runBlock(launch, order[i], seed, counts ? &own : nullptr);
      std::lock_guard<std::mutex> lock(mutex);
      if (counts)
        *counts += own;
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
      next = order.size();
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < std::min<size_t>(numHostThreads, order.size()); ++i)
    others.emplace_back(work);
  work();
  for (std::thread &other : others)
    other.join();
  if (failure)
    std::rethrow_exception(failure);
}
