//===- Allocations.cpp - new buffers and constants ------------------------===//

#include "MemRefAccess.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

#include <cstring>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

FailureOr<int64_t> simulator::getSizes(const Thread &thread, Operation *op,
                                       MemRefType type,
                                       ArrayRef<unsigned> dynamic,
                                       SmallVectorImpl<int64_t> &sizes) {
  int64_t bytes = getBytes(type.getElementType());
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size)) {
      size = thread.getInt(dynamic.front());
      dynamic = dynamic.drop_front();
    }
    if (size < 0 || (size != 0 && bytes > (int64_t(1) << 30) / size))
      return fail(thread, op,
                  "expected a buffer of at most 1 GiB, got size " +
                      Twine(size));
    bytes *= size;
    sizes.push_back(size);
  }
  return bytes;
}

static LogicalResult translateAlloc(Translator &translator,
                                    memref::AllocOp op) {
  SmallVector<unsigned> dynamic = translator.getSlots(op.getDynamicSizes());
  translator.define(op.getResult());
  MemRefRegisters memref = translator.getMemRef(op.getResult());
  if (!op.getType().getLayout().isIdentity())
    return op.emitOpError("the simulator does not know this layout");
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    if (thread.block)
      return fail(thread, op, "expected memory of the host's, got a kernel");
    SmallVector<int64_t> sizes;
    auto type = cast<MemRefType>(op->getResult(0).getType());
    FailureOr<int64_t> bytes = getSizes(thread, op, type, dynamic, sizes);
    if (failed(bytes))
      return failure();
    memref.set(thread,
               thread.session.allocate(describe(op), Space::Global, *bytes,
                                       getBytes(memref.element)),
               sizes);
    return success();
  });
  return success();
}

/// An op that runs again gets the same bytes, with nothing written.
static LogicalResult translateAlloca(Translator &translator,
                                     memref::AllocaOp op) {
  SmallVector<unsigned> dynamic = translator.getSlots(op.getDynamicSizes());
  translator.define(op.getResult());
  MemRefRegisters memref = translator.getMemRef(op.getResult());
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    SmallVector<int64_t> sizes;
    auto type = cast<MemRefType>(op->getResult(0).getType());
    FailureOr<int64_t> bytes = getSizes(thread, op, type, dynamic, sizes);
    if (failed(bytes))
      return failure();
    Buffer *buffer = memref.getBuffer(thread);
    if (buffer && static_cast<int64_t>(buffer->bytes.size()) == *bytes)
      buffer->clear();
    else
      buffer = thread.session.allocate(
          describe(op), thread.block ? Space::Private : Space::Host, *bytes,
          getBytes(memref.element));
    memref.set(thread, buffer, sizes);
    return success();
  });
  return success();
}

static LogicalResult translateDealloc(Translator &translator,
                                      memref::DeallocOp op) {
  MemRefRegisters memref = translator.getMemRef(op.getMemref());
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    Buffer *buffer = memref.getBuffer(thread);
    if (buffer->isFreed)
      return fail(thread, op, "frees " + buffer->name + " again");
    buffer->isFreed = true;
    return success();
  });
  return success();
}

/// Bytes of a constant.
static void fill(Buffer &buffer, DenseElementsAttr elements) {
  unsigned size = getBytes(elements.getElementType());
  char *to = buffer.bytes.data();
  for (Attribute element : elements.getValues<Attribute>()) {
    auto number = dyn_cast<FloatAttr>(element);
    APInt bits = number ? number.getValue().bitcastToAPInt()
                        : cast<IntegerAttr>(element).getValue();
    Word word = bits.getZExtValue();
    std::memcpy(to, &word, size);
    to += size;
  }
  buffer.markWritten();
  buffer.isConstant = true;
}

static bool isWorkgroup(MemRefType type) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

static LogicalResult translateGetGlobal(Translator &translator,
                                        memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  std::string name = ("@" + op.getName()).str();
  unsigned slot = translator.define(op.getResult());
  MemRefRegisters memref = translator.getMemRef(op.getResult());
  if (isWorkgroup(global.getType())) {
    // All ops of a kernel that name it get the same memory.
    for (const Local &local : translator.program.locals)
      if (local.name == name) {
        translator.bind(op.getResult(), local.slot);
        return success();
      }
    translator.program.locals.push_back(
        {slot, global.getType(), Space::Workgroup, name});
    return success();
  }
  translator.emit(op, [=](Thread &thread) mutable {
    MemRefType type = global.getType();
    unsigned size = getBytes(type.getElementType());
    auto [entry, isNew] = thread.session.globals.try_emplace(
        global, name, Space::Global, type.getNumElements() * size, size);
    if (auto value =
            dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr());
        value && isNew)
      fill(entry->second, value);
    memref.set(thread, &entry->second, type.getShape());
    return success();
  });
  return success();
}

void simulator::addAllocationOps(OpTable &table) {
  table.add<memref::AllocOp>(translateAlloc);
  table.add<memref::AllocaOp>(translateAlloca);
  table.add<memref::DeallocOp>(translateDealloc);
  table.add<memref::GetGlobalOp>(translateGetGlobal);
}
