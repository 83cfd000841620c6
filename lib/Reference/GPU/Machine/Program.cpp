//===- Program.cpp - running a list of instructions -----------------------===//

#include "Program.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

/// Far more than any thread of a test takes: a loop that does not end is an
/// error.
static constexpr uint64_t kMaxSteps = uint64_t(1) << 30;

Buffer *Session::allocate(std::string name, Space space, int64_t numBytes,
                          unsigned elementBytes) {
  return &buffers.emplace_back(std::move(name), space, numBytes, elementBytes);
}

Actor Thread::getActor(Operation *op) const {
  if (!block)
    return {op, nullptr, 0, 0, 0};
  return {op, &block->launch, block->number, number, block->interval};
}

LogicalResult Thread::run() {
  for (uint64_t step = 0; pc < program.code.size(); ++step) {
    const Instruction &instruction = program.code[pc];
    if (instruction.collective)
      return success();
    if (step == kMaxSteps)
      return fail(*this, instruction.op,
                  "expected a thread that ends, got one of " +
                      Twine(kMaxSteps) + " steps");
    ++pc;
    if (failed(instruction.step(*this)))
      return failure();
  }
  hasEnded = true;
  return success();
}

InFlightDiagnostic simulator::fail(const Thread &thread, Operation *op,
                                   const Twine &message) {
  InFlightDiagnostic error = op->emitOpError(message);
  if (const ThreadBlock *block = thread.block)
    error << ", in " << block->launch.describe(block->number, thread.number)
          << " of kernel " << block->launch.kernel << " (launch "
          << block->launch.number << ")";
  return error;
}

LogicalResult simulator::fail(const Thread &thread, Operation *op,
                              const Fault &fault) {
  InFlightDiagnostic error = fail(thread, op, Twine(fault.text));
  if (fault.other)
    error.attachNote(fault.other->getLoc()) << "which is here";
  return error;
}
