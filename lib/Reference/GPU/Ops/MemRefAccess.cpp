//===- MemRefAccess.cpp - loads, stores, atomics and copies ---------------===//

#include "MemRefAccess.h"
#include "Elementwise.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cstring>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

SmallVector<int64_t, 4> simulator::getInts(const Thread &thread,
                                           ArrayRef<unsigned> slots) {
  SmallVector<int64_t, 4> values;
  for (unsigned slot : slots)
    values.push_back(thread.getInt(slot));
  return values;
}

FailureOr<int64_t> simulator::locate(const Thread &thread, Operation *op,
                                     const MemRefRegisters &memref,
                                     ArrayRef<int64_t> indices, int64_t count) {
  const Buffer *buffer = memref.getBuffer(thread);
  int64_t position = thread.getInt(memref.getOffset());
  for (int64_t dim = 0; dim < memref.rank; ++dim) {
    int64_t last = indices[dim] + (dim + 1 == memref.rank ? count - 1 : 0);
    if (indices[dim] < 0 || last >= thread.getInt(memref.getSize(dim)))
      return fail(thread, op,
                  "expected an index below " +
                      Twine(thread.getInt(memref.getSize(dim))) +
                      " in dimension " + Twine(dim) + " of " + buffer->name +
                      " (" + memref.formatShape(thread) + "), got " +
                      Twine(indices[dim] < 0 ? indices[dim] : last));
    position += indices[dim] * thread.getInt(memref.getStride(dim));
  }
  return thread.getInt(memref.slot + 1) + position * getBytes(memref.element);
}

LogicalResult simulator::readElements(const Thread &thread, Operation *op,
                                      const MemRefRegisters &memref,
                                      int64_t begin, int64_t count, Word *words,
                                      Access kind) {
  Buffer *buffer = memref.getBuffer(thread);
  unsigned size = getBytes(memref.element);
  if (Fault fault =
          buffer->access(kind, begin, count * size, thread.getActor(op)))
    return fail(thread, op, fault);
  for (int64_t i = 0; i < count; ++i) {
    words[i] = 0;
    std::memcpy(&words[i], &buffer->bytes[begin + i * size], size);
  }
  return success();
}

LogicalResult simulator::writeElements(const Thread &thread, Operation *op,
                                       const MemRefRegisters &memref,
                                       int64_t begin, int64_t count,
                                       const Word *words, Access kind) {
  Buffer *buffer = memref.getBuffer(thread);
  unsigned size = getBytes(memref.element);
  if (Fault fault =
          buffer->access(kind, begin, count * size, thread.getActor(op)))
    return fail(thread, op, fault);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(&buffer->bytes[begin + i * size], &words[i], size);
  return success();
}

LogicalResult simulator::checkAlignment(const Thread &thread, Operation *op,
                                        int64_t begin, int64_t alignment) {
  if (begin % alignment == 0)
    return success();
  return fail(thread, op,
              "expected an address that is a multiple of " + Twine(alignment) +
                  " bytes, got byte " + Twine(begin));
}

LogicalResult simulator::forEachIndex(
    ArrayRef<int64_t> sizes,
    llvm::function_ref<LogicalResult(ArrayRef<int64_t>)> fn) {
  if (llvm::any_of(sizes, [](int64_t size) { return size <= 0; }))
    return success();
  SmallVector<int64_t> index(sizes.size(), 0);
  for (;;) {
    if (failed(fn(index)))
      return failure();
    size_t dim = sizes.size();
    while (dim > 0 && ++index[dim - 1] == sizes[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return success();
  }
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static LogicalResult translateLoad(Translator &translator, memref::LoadOp op) {
  MemRefRegisters memref = translator.getMemRef(op.getMemref());
  SmallVector<unsigned> indices = translator.getSlots(op.getIndices());
  unsigned result = translator.define(op.getResult());
  int64_t alignment = op.getAlignment().value_or(1);
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    FailureOr<int64_t> begin =
        locate(thread, op, memref, getInts(thread, indices));
    if (failed(begin) || failed(checkAlignment(thread, op, *begin, alignment)))
      return failure();
    return readElements(thread, op, memref, *begin, 1, &thread.at(result));
  });
  return success();
}

static LogicalResult translateStore(Translator &translator,
                                    memref::StoreOp op) {
  MemRefRegisters memref = translator.getMemRef(op.getMemref());
  SmallVector<unsigned> indices = translator.getSlots(op.getIndices());
  unsigned value = translator.getSlot(op.getValue());
  int64_t alignment = op.getAlignment().value_or(1);
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    FailureOr<int64_t> begin =
        locate(thread, op, memref, getInts(thread, indices));
    if (failed(begin) || failed(checkAlignment(thread, op, *begin, alignment)))
      return failure();
    return writeElements(thread, op, memref, *begin, 1, &thread.at(value));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static LogicalResult translateAtomic(Translator &translator,
                                     memref::AtomicRMWOp op) {
  MemRefRegisters memref = translator.getMemRef(op.getMemref());
  SmallVector<unsigned> indices = translator.getSlots(op.getIndices());
  unsigned value = translator.getSlot(op.getValue()),
           result = translator.define(op.getResult());
  Combine combine =
      getCombine(arith::stringifyAtomicRMWKind(op.getKind()), memref.element);
  if (!combine)
    return op.emitOpError("the simulator does not know this kind for ")
           << memref.element;
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    FailureOr<int64_t> begin =
        locate(thread, op, memref, getInts(thread, indices));
    if (failed(begin) ||
        failed(readElements(thread, op, memref, *begin, 1, &thread.at(result),
                            Access::Atomic)))
      return failure();
    Word next = combine(thread.at(result), thread.at(value));
    return writeElements(thread, op, memref, *begin, 1, &next, Access::Atomic);
  });
  return success();
}

/// No other thread runs between the load and the store.
static LogicalResult translateGenericAtomic(Translator &translator,
                                            memref::GenericAtomicRMWOp op) {
  MemRefRegisters memref = translator.getMemRef(op.getMemref());
  SmallVector<unsigned> indices = translator.getSlots(op.getIndices());
  unsigned old = translator.define(op.getCurrentValue());
  translator.bind(op.getResult(), old);
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    FailureOr<int64_t> begin =
        locate(thread, op, memref, getInts(thread, indices));
    if (failed(begin))
      return failure();
    return readElements(thread, op, memref, *begin, 1, &thread.at(old),
                        Access::Atomic);
  });
  Block *body = op.getBody();
  if (failed(translator.translateBody(*body)))
    return failure();
  unsigned next = translator.getSlot(body->getTerminator()->getOperand(0));
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    FailureOr<int64_t> begin =
        locate(thread, op, memref, getInts(thread, indices));
    if (failed(begin))
      return failure();
    return writeElements(thread, op, memref, *begin, 1, &thread.at(next),
                         Access::Atomic);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static LogicalResult translateCopy(Translator &translator, memref::CopyOp op) {
  MemRefRegisters from = translator.getMemRef(op.getSource()),
                  to = translator.getMemRef(op.getTarget());
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    if (from.formatShape(thread) != to.formatShape(thread))
      return fail(thread, op,
                  "expected equal shapes, got " + from.formatShape(thread) +
                      " and " + to.formatShape(thread));
    SmallVector<int64_t> sizes;
    for (int64_t dim = 0; dim < from.rank; ++dim)
      sizes.push_back(thread.getInt(from.getSize(dim)));
    return forEachIndex(sizes, [&](ArrayRef<int64_t> index) -> LogicalResult {
      Word word;
      FailureOr<int64_t> source = locate(thread, op, from, index),
                         target = locate(thread, op, to, index);
      if (failed(source) || failed(target) ||
          failed(readElements(thread, op, from, *source, 1, &word)))
        return failure();
      return writeElements(thread, op, to, *target, 1, &word);
    });
  });
  return success();
}

void simulator::addMemRefAccessOps(OpTable &table) {
  table.add<memref::LoadOp>(translateLoad);
  table.add<memref::StoreOp>(translateStore);
  table.add<memref::AtomicRMWOp>(translateAtomic);
  table.add<memref::GenericAtomicRMWOp>(translateGenericAtomic);
  table.add<memref::CopyOp>(translateCopy);
  table.addAll<memref::PrefetchOp>(
      [](Translator &, Operation *) { return success(); });
}
