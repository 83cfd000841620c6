//===- Simulator.cpp - a host function on given arguments -----------------===//

#include "Ops/MemRefAccess.h"
#include "RGNN/Reference/GPUSimulator.h"

#include "mlir/IR/TypeUtilities.h"

#include <cstring>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

/// Gives a buffer, or words, to an argument of the host function.
static Buffer *pass(Session &session, Thread &host, unsigned slot, Type type,
                    const Datum &argument, size_t number) {
  unsigned size = getBytes(getElementTypeOrSelf(type));
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    std::memcpy(&host.at(slot), argument.bytes.data(), size);
    return nullptr;
  }
  Buffer *buffer = session.allocate(("argument " + Twine(number)).str(),
                                    Space::Global, argument.bytes.size(), size);
  if (argument.isInput) {
    buffer->bytes = argument.bytes;
    buffer->markWritten();
    buffer->isConstant = true;
  }
  MemRefRegisters(slot, memref).set(host, buffer, argument.shape);
  return buffer;
}

/// A result that the function returns.
static FailureOr<Datum> take(Thread &host, Operation *op, unsigned slot,
                             Type type) {
  Datum datum;
  unsigned size = getBytes(getElementTypeOrSelf(type));
  auto append = [&](const Word *words, int64_t count) {
    for (const Word *word = words; word != words + count; ++word) {
      const char *bytes = reinterpret_cast<const char *>(word);
      datum.bytes.insert(datum.bytes.end(), bytes, bytes + size);
    }
  };
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    if (auto vector = dyn_cast<VectorType>(type))
      datum.shape.assign(vector.getShape().begin(), vector.getShape().end());
    append(&host.at(slot), Translator::getNumWords(type));
    return datum;
  }
  MemRefRegisters view(slot, memref);
  for (int64_t dim = 0; dim < view.rank; ++dim)
    datum.shape.push_back(host.getInt(view.getSize(dim)));
  LogicalResult result =
      forEachIndex(datum.shape, [&](ArrayRef<int64_t> index) -> LogicalResult {
        Word word;
        FailureOr<int64_t> begin = locate(host, op, view, index);
        if (failed(begin) ||
            failed(readElements(host, op, view, *begin, 1, &word)))
          return failure();
        append(&word, 1);
        return success();
      });
  if (failed(result))
    return failure();
  return datum;
}

FailureOr<Outcome> simulator::simulate(func::FuncOp function,
                                       MutableArrayRef<Datum> arguments) {
  if (function.isExternal())
    return function.emitError("expected a function with a body");
  for (Type type : function.getArgumentTypes())
    if (Translator::getNumWords(type) == 0)
      return function.emitError("the simulator does not know values of type ")
             << type;
  Program program;
  program.name = ("@" + function.getName()).str();
  Translator translator(program, nullptr);
  SmallVector<unsigned> slots = translator.define(function.getArguments());
  if (failed(translator.translateFunction(function.getBody())))
    return failure();

  Session session;
  std::vector<Word> registers = program.registers;
  Thread host(session, program, registers.data());
  SmallVector<Buffer *> buffers;
  for (auto [number, argument] : llvm::enumerate(arguments))
    buffers.push_back(pass(session, host, slots[number],
                           function.getArgumentTypes()[number], argument,
                           number));
  if (failed(host.run()))
    return failure();
  if (!host.hasEnded)
    return fail(host, host.getWaiting().op,
                "expected a kernel around it, got the host");

  for (auto [number, buffer] : llvm::enumerate(buffers)) {
    if (!buffer || arguments[number].isInput)
      continue;
    if (int64_t element = buffer->findUnwritten(); element >= 0)
      return function.emitError("expected all elements of ")
             << buffer->name << " written, got none at " << element;
    arguments[number].bytes = buffer->bytes;
  }
  Outcome outcome{{}, session.numLaunches};
  Operation *terminator = function.getBody().back().getTerminator();
  for (auto [slot, type] :
       llvm::zip(program.results, function.getResultTypes())) {
    FailureOr<Datum> datum = take(host, terminator, slot, type);
    if (failed(datum))
      return failure();
    outcome.results.push_back(std::move(*datum));
  }
  return outcome;
}
