//===- AsyncCopies.cpp - copies to shared memory in the background --------===//
//
// The source is read when a copy is issued, and the bytes arrive when its
// thread has waited for its group. Between the two the target holds nothing.
//
//===----------------------------------------------------------------------===//

#include "MemRefAccess.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

#include <cstring>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

static LogicalResult issue(Thread &thread, AsyncCopy copy) {
  Actor actor = thread.getActor(copy.op);
  if (copy.sourceSize > 0) {
    if (Fault fault = copy.source->access(Access::Read, copy.sourceBegin,
                                          copy.sourceSize, actor))
      return fail(thread, copy.op, fault);
    std::memcpy(copy.bytes.data(), &copy.source->bytes[copy.sourceBegin],
                copy.sourceSize);
  }
  if (Fault fault =
          copy.target->beginWrite(copy.targetBegin, copy.bytes.size(), actor))
    return fail(thread, copy.op, fault);
  thread.copies.push_back(std::move(copy));
  return success();
}

/// Hardware may have read the source at any time until now.
static LogicalResult finish(const Thread &thread, const AsyncCopy &copy) {
  Actor actor = thread.getActor(copy.op);
  if (copy.sourceSize > 0) {
    if (Fault fault = copy.source->access(Access::Read, copy.sourceBegin,
                                          copy.sourceSize, actor))
      return fail(thread, copy.op, fault);
    if (std::memcmp(copy.bytes.data(), &copy.source->bytes[copy.sourceBegin],
                    copy.sourceSize) != 0)
      return fail(thread, copy.op,
                  "expected a source that stays as it is until the copy was "
                  "waited for, got another one in " +
                      copy.source->name);
  }
  if (Fault fault =
          copy.target->endWrite(copy.targetBegin, copy.bytes.size(), actor))
    return fail(thread, copy.op, fault);
  std::memcpy(&copy.target->bytes[copy.targetBegin], copy.bytes.data(),
              copy.bytes.size());
  return success();
}

static LogicalResult translateCopy(Translator &translator,
                                   nvgpu::DeviceAsyncCopyOp op) {
  MemRefRegisters from = translator.getMemRef(op.getSrc()),
                  to = translator.getMemRef(op.getDst());
  SmallVector<unsigned> fromIndices = translator.getSlots(op.getSrcIndices()),
                        toIndices = translator.getSlots(op.getDstIndices());
  std::optional<unsigned> given;
  if (op.getSrcElements())
    given = translator.getSlot(op.getSrcElements());
  int64_t elements = op.getDstElements().getSExtValue();
  translator.define(op.getAsyncToken());
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    int64_t read = given ? thread.getInt(*given) : elements;
    if (read < 0 || read > elements)
      return fail(thread, op,
                  "expected 0 to " + Twine(elements) +
                      " source elements, got " + Twine(read));
    // Nothing of the source is touched where nothing is read.
    FailureOr<int64_t> source = 0;
    if (read > 0)
      source = locate(thread, op, from, getInts(thread, fromIndices), read);
    FailureOr<int64_t> target =
        locate(thread, op, to, getInts(thread, toIndices), elements);
    unsigned size = getBytes(to.element);
    int64_t bytes = elements * size;
    if (bytes != 4 && bytes != 8 && bytes != 16)
      return fail(thread, op,
                  "expected a copy of 4, 8 or 16 bytes, got " + Twine(bytes));
    if (failed(source) || failed(target) ||
        failed(checkAlignment(thread, op, *source, bytes)) ||
        failed(checkAlignment(thread, op, *target, bytes)))
      return failure();
    return issue(thread,
                 {op, from.getBuffer(thread), to.getBuffer(thread), *source,
                  read * size, *target, std::vector<char>(bytes, 0)});
  });
  return success();
}

static LogicalResult translateCreateGroup(Translator &translator,
                                          nvgpu::DeviceAsyncCreateGroupOp op) {
  translator.define(op.getAsyncToken());
  translator.emitPlain(op, [](Thread &thread) {
    thread.groups.push_back(std::move(thread.copies));
    thread.copies.clear();
  });
  return success();
}

static LogicalResult translateWait(Translator &translator,
                                   nvgpu::DeviceAsyncWaitOp op) {
  // As PTX has it: all but the newest groups, whatever the token.
  size_t left = op.getNumGroups().value_or(0);
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    for (; thread.groups.size() > left; thread.groups.pop_front())
      for (const AsyncCopy &copy : thread.groups.front())
        if (failed(finish(thread, copy)))
          return failure();
    return success();
  });
  return success();
}

void simulator::addAsyncCopyOps(OpTable &table) {
  table.add<nvgpu::DeviceAsyncCopyOp>(translateCopy);
  table.add<nvgpu::DeviceAsyncCreateGroupOp>(translateCreateGroup);
  table.add<nvgpu::DeviceAsyncWaitOp>(translateWait);
}
