//===- MemRefViews.cpp - memrefs as buffers, offsets, sizes, strides ------===//

#include "MemRefAccess.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

namespace {

/// A size that is known, or in a register.
struct Index {
  int64_t value;
  std::optional<unsigned> slot;

  int64_t get(const Thread &thread) const {
    return slot ? thread.getInt(*slot) : value;
  }
};

} // namespace

static SmallVector<Index> getIndices(Translator &translator,
                                     ArrayRef<OpFoldResult> values) {
  return llvm::map_to_vector(values, [&](OpFoldResult value) -> Index {
    if (auto known = dyn_cast<Attribute>(value))
      return {cast<IntegerAttr>(known).getInt(), std::nullopt};
    return {0, translator.getSlot(cast<Value>(value))};
  });
}

/// The buffer and its first byte.
static void copyBase(Thread &thread, const MemRefRegisters &from,
                     const MemRefRegisters &to) {
  thread.at(to.slot) = thread.at(from.slot);
  thread.at(to.slot + 1) = thread.at(from.slot + 1);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The same bytes with other offset, sizes and strides, which `fn` sets.
template <typename Fn>
static LogicalResult emitView(Translator &translator, Operation *op, Fn fn) {
  MemRefRegisters from = translator.getMemRef(op->getOperand(0));
  translator.define(op->getResult(0));
  MemRefRegisters to = translator.getMemRef(op->getResult(0));
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    copyBase(thread, from, to);
    thread.at(to.getOffset()) = thread.at(from.getOffset());
    return fn(thread, from, to);
  });
  return success();
}

static LogicalResult translateSubView(Translator &translator,
                                      memref::SubViewOp op) {
  SmallVector<Index> offsets = getIndices(translator, op.getMixedOffsets()),
                     sizes = getIndices(translator, op.getMixedSizes()),
                     strides = getIndices(translator, op.getMixedStrides());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  return emitView(
      translator, op,
      [=, op = op.getOperation()](Thread &thread, const MemRefRegisters &from,
                                  const MemRefRegisters &to) -> LogicalResult {
        int64_t kept = 0;
        for (int64_t dim = 0; dim < from.rank; ++dim) {
          int64_t offset = offsets[dim].get(thread),
                  size = sizes[dim].get(thread),
                  stride = strides[dim].get(thread),
                  outer = thread.getInt(from.getSize(dim)),
                  last = offset + (size - 1) * stride;
          if (size < 0 || (size > 0 && (offset < 0 || offset >= outer ||
                                        last < 0 || last >= outer)))
            return fail(thread, op,
                        "expected a view of indices below " + Twine(outer) +
                            " in dimension " + Twine(dim) + " of " +
                            from.getBuffer(thread)->name + ", got " +
                            Twine(size) + " from " + Twine(offset));
          int64_t step = thread.getInt(from.getStride(dim));
          thread.at(to.getOffset()) += offset * step;
          if (dropped.test(dim))
            continue;
          thread.at(to.getSize(kept)) = size;
          thread.at(to.getStride(kept++)) = stride * step;
        }
        return success();
      });
}

static LogicalResult translateReinterpretCast(Translator &translator,
                                              memref::ReinterpretCastOp op) {
  SmallVector<Index> offsets = getIndices(translator, op.getMixedOffsets()),
                     sizes = getIndices(translator, op.getMixedSizes()),
                     strides = getIndices(translator, op.getMixedStrides());
  return emitView(translator, op,
                  [=](Thread &thread, const MemRefRegisters &from,
                      const MemRefRegisters &to) {
                    thread.at(to.getOffset()) = offsets[0].get(thread);
                    for (int64_t dim = 0; dim < to.rank; ++dim) {
                      thread.at(to.getSize(dim)) = sizes[dim].get(thread);
                      thread.at(to.getStride(dim)) = strides[dim].get(thread);
                    }
                    return success();
                  });
}

static LogicalResult translateExpandShape(Translator &translator,
                                          memref::ExpandShapeOp op) {
  SmallVector<Index> sizes = getIndices(translator, op.getMixedOutputShape());
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  return emitView(
      translator, op,
      [=, op = op.getOperation()](Thread &thread, const MemRefRegisters &from,
                                  const MemRefRegisters &to) -> LogicalResult {
        // A scalar has no groups.
        for (int64_t dim = 0; dim < to.rank; ++dim)
          thread.at(to.getSize(dim)) = thread.at(to.getStride(dim)) = 1;
        for (auto [dim, group] : llvm::enumerate(groups)) {
          int64_t elements = 1, stride = thread.getInt(from.getStride(dim));
          for (int64_t inner : llvm::reverse(group)) {
            thread.at(to.getSize(inner)) = sizes[inner].get(thread);
            thread.at(to.getStride(inner)) = stride * elements;
            elements *= sizes[inner].get(thread);
          }
          if (elements != thread.getInt(from.getSize(dim)))
            return fail(thread, op,
                        "expected parts of dimension " + Twine(dim) + " with " +
                            Twine(thread.getInt(from.getSize(dim))) +
                            " elements, got " + Twine(elements));
        }
        return success();
      });
}

static LogicalResult translateCollapseShape(Translator &translator,
                                            memref::CollapseShapeOp op) {
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  return emitView(translator, op,
                  [=](Thread &thread, const MemRefRegisters &from,
                      const MemRefRegisters &to) {
                    for (auto [dim, group] : llvm::enumerate(groups)) {
                      int64_t elements = 1, stride = 1;
                      for (int64_t inner : llvm::reverse(group)) {
                        // A dimension of one element has any stride.
                        if (elements == 1)
                          stride = thread.getInt(from.getStride(inner));
                        elements *= thread.getInt(from.getSize(inner));
                      }
                      thread.at(to.getSize(dim)) = elements;
                      thread.at(to.getStride(dim)) = stride;
                    }
                    return success();
                  });
}

/// Casts, and whatever else leaves offset, sizes and strides as they are.
static LogicalResult translateCast(Translator &translator, Operation *op) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  return emitView(
      translator, op,
      [=](Thread &thread, const MemRefRegisters &from,
          const MemRefRegisters &to) -> LogicalResult {
        for (int64_t dim = 0; dim < to.rank; ++dim) {
          int64_t size = thread.getInt(from.getSize(dim));
          if (!type.isDynamicDim(dim) && size != type.getDimSize(dim))
            return fail(thread, op,
                        "expected size " + Twine(type.getDimSize(dim)) +
                            " in dimension " + Twine(dim) + ", got " +
                            Twine(size));
          thread.at(to.getSize(dim)) = size;
          thread.at(to.getStride(dim)) = thread.at(from.getStride(dim));
        }
        return success();
      });
}

static LogicalResult translateAssumeAlignment(Translator &translator,
                                              memref::AssumeAlignmentOp op) {
  MemRefRegisters memref = translator.getMemRef(op.getMemref());
  int64_t alignment = op.getAlignment();
  translator.emit(op, [=](Thread &thread) {
    int64_t begin =
        thread.getInt(memref.slot + 1) +
        thread.getInt(memref.getOffset()) * getBytes(memref.element);
    return checkAlignment(thread, op, begin, alignment);
  });
  return translateCast(translator, op);
}

static LogicalResult translateTranspose(Translator &translator,
                                        memref::TransposeOp op) {
  AffineMap map = op.getPermutation();
  return emitView(translator, op,
                  [=](Thread &thread, const MemRefRegisters &from,
                      const MemRefRegisters &to) {
                    for (int64_t dim = 0; dim < to.rank; ++dim) {
                      int64_t source = map.getDimPosition(dim);
                      thread.at(to.getSize(dim)) =
                          thread.at(from.getSize(source));
                      thread.at(to.getStride(dim)) =
                          thread.at(from.getStride(source));
                    }
                    return success();
                  });
}

/// A typed view into bytes.
static LogicalResult translateView(Translator &translator, memref::ViewOp op) {
  unsigned shift = translator.getSlot(op.getByteShift());
  SmallVector<unsigned> dynamic = translator.getSlots(op.getSizes());
  MemRefType type = op.getType();
  return emitView(
      translator, op,
      [=, op = op.getOperation()](Thread &thread, const MemRefRegisters &from,
                                  const MemRefRegisters &to) -> LogicalResult {
        SmallVector<int64_t> sizes;
        FailureOr<int64_t> bytes = getSizes(thread, op, type, dynamic, sizes);
        if (failed(bytes))
          return failure();
        int64_t begin = thread.getInt(shift),
                limit = thread.getInt(from.getSize(0));
        if (begin < 0 || begin + *bytes > limit)
          return fail(thread, op,
                      "expected bytes below " + Twine(limit) + " of " +
                          from.getBuffer(thread)->name + ", got " +
                          Twine(begin) + " to " + Twine(begin + *bytes));
        int64_t base = thread.getInt(from.slot + 1) +
                       thread.getInt(from.getOffset()) + begin;
        to.set(thread, from.getBuffer(thread), sizes);
        thread.at(to.slot + 1) = base;
        return checkAlignment(thread, op, base, getBytes(to.element));
      });
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static LogicalResult translateDim(Translator &translator, memref::DimOp op) {
  MemRefRegisters memref = translator.getMemRef(op.getSource());
  unsigned dim = translator.getSlot(op.getIndex()),
           result = translator.define(op.getResult());
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    if (thread.at(dim) >= Word(memref.rank))
      return fail(thread, op,
                  "expected a dimension below " + Twine(memref.rank) +
                      ", got " + Twine(thread.getInt(dim)));
    thread.at(result) = thread.at(memref.getSize(thread.at(dim)));
    return success();
  });
  return success();
}

static LogicalResult translateMetadata(Translator &translator,
                                       memref::ExtractStridedMetadataOp op) {
  MemRefRegisters from = translator.getMemRef(op.getSource());
  translator.define(op.getBaseBuffer());
  MemRefRegisters base = translator.getMemRef(op.getBaseBuffer());
  unsigned offset = translator.define(op.getOffset());
  SmallVector<unsigned> sizes = translator.define(op.getSizes()),
                        strides = translator.define(op.getStrides());
  translator.emitPlain(op, [=](Thread &thread) {
    copyBase(thread, from, base);
    thread.at(base.getOffset()) = 0;
    thread.at(offset) = thread.at(from.getOffset());
    for (int64_t dim = 0; dim < from.rank; ++dim) {
      thread.at(sizes[dim]) = thread.at(from.getSize(dim));
      thread.at(strides[dim]) = thread.at(from.getStride(dim));
    }
  });
  return success();
}

void simulator::addMemRefViewOps(OpTable &table) {
  table.add<memref::SubViewOp>(translateSubView);
  table.add<memref::ReinterpretCastOp>(translateReinterpretCast);
  table.add<memref::ExpandShapeOp>(translateExpandShape);
  table.add<memref::CollapseShapeOp>(translateCollapseShape);
  table.addAll<memref::CastOp, memref::MemorySpaceCastOp>(translateCast);
  table.add<memref::AssumeAlignmentOp>(translateAssumeAlignment);
  table.add<memref::TransposeOp>(translateTranspose);
  table.add<memref::ViewOp>(translateView);
  table.add<memref::DimOp>(translateDim);
  table.add<memref::ExtractStridedMetadataOp>(translateMetadata);
}
