//===- BufferAccess.cpp - what ops read and write -------------------------===//

#include "RGNN/Analysis/BufferAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::rgnn;

BufferAccess::BufferAccess(Value memref) : buffer(memref) {
  bool leavesPart = false; // what it is a view of
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    leavesPart |= isa<memref::ReinterpretCastOp>(view.getOperation());
    part = dyn_cast<memref::SubViewOp>(view.getOperation());
    buffer = view.getViewSource();
  }
  if (leavesPart)
    part = {};
}

/// Parts that lie apart in one dimension do not meet.
bool BufferAccess::meets(const BufferAccess &other) const {
  if (buffer != other.buffer)
    return false;
  if (!part || !other.part)
    return true;
  auto isBefore = [](memref::SubViewOp a, memref::SubViewOp b, size_t dim) {
    int64_t offset = a.getStaticOffsets()[dim], size = a.getStaticSizes()[dim],
            stride = a.getStaticStrides()[dim], end = b.getStaticOffsets()[dim];
    return !ShapedType::isDynamicShape({offset, size, stride, end}) &&
           offset + (size - 1) * stride < end;
  };
  memref::SubViewOp a = part, b = other.part;
  for (size_t dim = 0; dim < a.getStaticOffsets().size(); ++dim)
    if (isBefore(a, b, dim) || isBefore(b, a, dim))
      return false;
  return true;
}

/// Adds an access by `memref`, or by each buffer that may have been chosen.
static void addAccess(Value memref, SmallVectorImpl<BufferAccess> &accesses) {
  BufferAccess access(memref);
  if (auto choice = access.buffer.getDefiningOp<arith::SelectOp>()) {
    addAccess(choice.getTrueValue(), accesses);
    addAccess(choice.getFalseValue(), accesses);
  } else if (!llvm::is_contained(accesses, access)) {
    accesses.push_back(access);
  }
}

LogicalResult BufferAccesses::add(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return success(op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                   op->hasTrait<OpTrait::IsTerminator>() ||
                   isa<memref::PrefetchOp>(op));
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances) {
    if (!effect.getValue())
      continue;
    if (isa<MemoryEffects::Read>(effect.getEffect()))
      addAccess(effect.getValue(), reads);
    else if (isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()))
      addAccess(effect.getValue(), writes);
  }
  return success();
}

bool BufferAccesses::waitFor(const BufferAccesses &before) const {
  auto meet = [](ArrayRef<BufferAccess> some, ArrayRef<BufferAccess> others) {
    return llvm::any_of(some, [&](const BufferAccess &access) {
      return llvm::any_of(others, [&](const BufferAccess &other) {
        return access.meets(other);
      });
    });
  };
  return meet(before.writes, reads) || meet(before.writes, writes) ||
         meet(before.reads, writes);
}

bool BufferAccesses::use(Value buffer) const {
  auto isOf = [&](const BufferAccess &access) {
    return access.buffer == buffer;
  };
  return llvm::any_of(reads, isOf) || llvm::any_of(writes, isOf);
}
