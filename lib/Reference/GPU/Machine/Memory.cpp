//===- Memory.cpp - buffers that remember who touched them ----------------===//

#include "Memory.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

static constexpr llvm::StringLiteral kInFlight =
    "an asynchronous copy into it was not waited for";

std::string simulator::format(const Dims &dims) {
  return llvm::formatv("({0}, {1}, {2})", dims[0], dims[1], dims[2]);
}

std::string simulator::describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << op->getName();
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    stream << " at line " << place.getLine();
  return text;
}

static Dims split(int64_t number, const Dims &sizes) {
  return {number % sizes[0], number / sizes[0] % sizes[1],
          number / sizes[0] / sizes[1]};
}

Dims Launch::getBlock(int64_t number) const { return split(number, grid); }
Dims Launch::getThread(int64_t number) const { return split(number, block); }

std::string Launch::describe(uint32_t blockNumber,
                             uint32_t threadNumber) const {
  return "thread " + format(getThread(threadNumber)) + " of block " +
         format(getBlock(blockNumber));
}

Buffer::Buffer(std::string name, Space space, int64_t numBytes,
               unsigned elementBytes)
    : name(std::move(name)), space(space), bytes(numBytes),
      elementBytes(elementBytes),
      states(llvm::divideCeil(numBytes, elementBytes), Unwritten) {}

void Buffer::clear() { llvm::fill(states, Unwritten); }
void Buffer::markWritten() { llvm::fill(states, Written); }

int64_t Buffer::findUnwritten() const {
  auto found = llvm::find_if(states, [](State s) { return s != Written; });
  return found == states.end() ? -1 : found - states.begin();
}

bool Buffer::History::conflicts(const Actor &actor) const {
  if (launch != actor.launch->number)
    return false;
  if (hasManyBlocks || block != actor.block)
    return true;
  return interval == actor.interval &&
         (hasManyThreads || thread != actor.thread);
}

void Buffer::History::add(const Actor &actor) {
  if (launch == actor.launch->number && block != actor.block)
    hasManyBlocks = true;
  else if (launch == actor.launch->number && interval == actor.interval)
    hasManyThreads |= thread != actor.thread;
  else
    *this = {actor.launch->number,
             actor.block,
             actor.interval,
             actor.thread,
             actor.op,
             /*hasManyThreads=*/false,
             hasManyBlocks && launch == actor.launch->number};
}

Buffer::Shadow &Buffer::getShadow(int64_t element) {
  if (pages.empty())
    pages.resize(llvm::divideCeil(states.size(), kPage));
  auto &page = pages[element / kPage];
  if (!page)
    page = std::make_unique<std::array<Shadow, kPage>>();
  return (*page)[element % kPage];
}

Fault Buffer::checkRange(int64_t begin, int64_t size) const {
  if (isFreed)
    return {"expected memory that is alive, got " + name + " after its end"};
  if (begin >= 0 && size >= 0 &&
      begin + size <= static_cast<int64_t>(bytes.size()))
    return Fault();
  return {llvm::formatv("expected bytes below {0} of {1}, got {2} to {3}",
                        bytes.size(), name, begin, begin + size)};
}

Fault Buffer::checkRace(const History &history, StringRef what,
                        const Actor &actor) const {
  if (!history.conflicts(actor))
    return Fault();
  bool isSelf = history.block == actor.block && history.thread == actor.thread;
  return {"races on " + name + " with " + what.str() + " by " +
              (isSelf ? "another thread"
                      : actor.launch->describe(history.block, history.thread)),
          history.op};
}

Fault Buffer::touch(Access kind, int64_t element, const Actor &actor) {
  Shadow &shadow = getShadow(element);
  if (Fault fault = checkRace(shadow.writes, "a write", actor))
    return fault;
  if (kind != Access::Atomic)
    if (Fault fault = checkRace(shadow.atomics, "an atomic update", actor))
      return fault;
  if (kind != Access::Read)
    if (Fault fault = checkRace(shadow.reads, "a read", actor))
      return fault;
  (kind == Access::Read    ? shadow.reads
   : kind == Access::Write ? shadow.writes
                           : shadow.atomics)
      .add(actor);
  return Fault();
}

Fault Buffer::access(Access kind, int64_t begin, int64_t size,
                     const Actor &actor) {
  if (Fault fault = checkRange(begin, size))
    return fault;
  if (space == Space::Host && actor.launch)
    return {"expected memory of the GPU, got " + name + " on the host's stack"};
  if (kind != Access::Read && isConstant)
    return {"expected to write no input, got " + name};
  int64_t end = llvm::divideCeil(begin + size, elementBytes);
  for (int64_t element = begin / elementBytes; element < end; ++element) {
    if (states[element] == InFlight)
      return {"touches " + name + ", but " + kInFlight.str()};
    if (kind == Access::Write)
      states[element] = Written;
    else if (states[element] == Unwritten)
      return {llvm::formatv("reads element {0} of {1}, which was never written",
                            element, name)};
    if (!actor.launch || space == Space::Private || isConstant)
      continue;
    if (Fault fault = touch(kind, element, actor))
      return fault;
  }
  return Fault();
}

Fault Buffer::beginWrite(int64_t begin, int64_t size, const Actor &actor) {
  if (Fault fault = access(Access::Write, begin, size, actor))
    return fault;
  for (int64_t element = begin / elementBytes,
               end = llvm::divideCeil(begin + size, elementBytes);
       element < end; ++element)
    states[element] = InFlight;
  return Fault();
}

Fault Buffer::endWrite(int64_t begin, int64_t size, const Actor &actor) {
  for (int64_t element = begin / elementBytes,
               end = llvm::divideCeil(begin + size, elementBytes);
       element < end; ++element)
    states[element] = Unwritten;
  return access(Access::Write, begin, size, actor);
}
