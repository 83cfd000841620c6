//===- VectorAccess.cpp - vectors in memory -------------------------------===//

#include "MemRefAccess.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

namespace {

/// Where the elements of a vector are in a memref.
struct VectorPlace {
  VectorPlace(Translator &translator, Value base, ValueRange indices,
              VectorType vector)
      : memref(translator.getMemRef(base)),
        indices(translator.getSlots(indices)), shape(vector.getShape()) {}

  /// The index of the row of elements that lies at `outer`.
  SmallVector<int64_t, 4> getIndex(const Thread &thread,
                                   ArrayRef<int64_t> outer) const {
    SmallVector<int64_t, 4> index = getInts(thread, indices);
    size_t first = index.size() - shape.size();
    for (auto [dim, i] : llvm::enumerate(outer))
      index[first + dim] += i;
    return index;
  }

  /// Elements of a row, and the sizes of the dimensions of rows.
  int64_t getRowSize() const { return shape.empty() ? 1 : shape.back(); }
  ArrayRef<int64_t> getOuter() const {
    return ArrayRef(shape).drop_back(shape.empty() ? 0 : 1);
  }

  MemRefRegisters memref;
  SmallVector<unsigned> indices;
  SmallVector<int64_t> shape;
};

} // namespace

/// Loads or stores row by row, as `access` does with `count` elements from a
/// byte on.
template <typename Fn>
static void emitRows(Translator &translator, Operation *op, VectorPlace place,
                     int64_t alignment, unsigned slot, Fn access) {
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    Word *words = &thread.at(slot);
    int64_t count = place.getRowSize();
    if (place.memref.rank > 0 &&
        thread.getInt(place.memref.getStride(place.memref.rank - 1)) != 1)
      return fail(thread, op,
                  "expected rows without gaps in " +
                      place.memref.getBuffer(thread)->name);
    return forEachIndex(
        place.getOuter(), [&](ArrayRef<int64_t> outer) -> LogicalResult {
          FailureOr<int64_t> begin = locate(
              thread, op, place.memref, place.getIndex(thread, outer), count);
          if (failed(begin) ||
              failed(checkAlignment(thread, op, *begin, alignment)) ||
              failed(access(thread, op, place.memref, *begin, count, words)))
            return failure();
          words += count;
          return success();
        });
  });
}

static LogicalResult readRow(const Thread &thread, Operation *op,
                             const MemRefRegisters &memref, int64_t begin,
                             int64_t count, Word *words) {
  return readElements(thread, op, memref, begin, count, words);
}
static LogicalResult writeRow(const Thread &thread, Operation *op,
                              const MemRefRegisters &memref, int64_t begin,
                              int64_t count, Word *words) {
  return writeElements(thread, op, memref, begin, count, words);
}

static LogicalResult translateLoad(Translator &translator, vector::LoadOp op) {
  VectorPlace place(translator, op.getBase(), op.getIndices(),
                    op.getVectorType());
  emitRows(translator, op, place, op.getAlignment().value_or(1),
           translator.define(op.getResult()), readRow);
  return success();
}

static LogicalResult translateStore(Translator &translator,
                                    vector::StoreOp op) {
  VectorPlace place(translator, op.getBase(), op.getIndices(),
                    op.getVectorType());
  emitRows(translator, op, place, op.getAlignment().value_or(1),
           translator.getSlot(op.getValueToStore()), writeRow);
  return success();
}

//===----------------------------------------------------------------------===//
// Masked accesses
//===----------------------------------------------------------------------===//

static LogicalResult translateMaskedLoad(Translator &translator,
                                         vector::MaskedLoadOp op) {
  VectorPlace place(translator, op.getBase(), op.getIndices(),
                    op.getVectorType());
  unsigned mask = translator.getSlot(op.getMask()),
           other = translator.getSlot(op.getPassThru()),
           result = translator.define(op.getResult());
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    for (int64_t i = 0; i < place.getRowSize(); ++i) {
      thread.at(result + i) = thread.at(other + i);
      if (!thread.at(mask + i))
        continue;
      FailureOr<int64_t> begin =
          locate(thread, op, place.memref, place.getIndex(thread, {i}));
      if (failed(begin) || failed(readElements(thread, op, place.memref, *begin,
                                               1, &thread.at(result + i))))
        return failure();
    }
    return success();
  });
  return success();
}

static LogicalResult translateMaskedStore(Translator &translator,
                                          vector::MaskedStoreOp op) {
  VectorPlace place(translator, op.getBase(), op.getIndices(),
                    op.getVectorType());
  unsigned mask = translator.getSlot(op.getMask()),
           value = translator.getSlot(op.getValueToStore());
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    for (int64_t i = 0; i < place.getRowSize(); ++i) {
      if (!thread.at(mask + i))
        continue;
      FailureOr<int64_t> begin =
          locate(thread, op, place.memref, place.getIndex(thread, {i}));
      if (failed(begin) ||
          failed(writeElements(thread, op, place.memref, *begin, 1,
                               &thread.at(value + i))))
        return failure();
    }
    return success();
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Calls `access` for each element of the vector with its register and the byte
/// that it has in memory, and `skip` for those that have none: they are masked,
/// or behind the end of a dimension that is not said to be in bounds.
template <typename Access, typename Skip>
static LogicalResult emitTransfer(Translator &translator,
                                  VectorTransferOpInterface op, unsigned slot,
                                  Access access, Skip skip) {
  if (op.getMask() && !op.getPermutationMap().isMinorIdentity())
    return op.emitOpError("the simulator does not know masks of this map");
  MemRefRegisters memref = translator.getMemRef(op.getBase());
  SmallVector<unsigned> indices = translator.getSlots(op.getIndices());
  std::optional<unsigned> mask;
  if (op.getMask())
    mask = translator.getSlot(op.getMask());
  SmallVector<int64_t> shape(op.getVectorType().getShape());
  SmallVector<bool> inBounds = op.getInBoundsValues();
  // The dimension of the memref that each of the vector is; none for a
  // broadcast.
  SmallVector<std::optional<unsigned>> dims;
  for (AffineExpr expr : op.getPermutationMap().getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    dims.push_back(dim ? std::optional(dim.getPosition()) : std::nullopt);
  }
  translator.emit(
      op, [=, op = op.getOperation()](Thread &thread) -> LogicalResult {
        unsigned element = slot;
        return forEachIndex(
            shape, [&](ArrayRef<int64_t> lane) -> LogicalResult {
              SmallVector<int64_t, 4> index = getInts(thread, indices);
              bool exists = !mask || thread.at(*mask + (element - slot));
              for (auto [k, dim] : llvm::enumerate(dims)) {
                if (!dim)
                  continue;
                index[*dim] += lane[k];
                exists &= inBounds[k] ||
                          index[*dim] < thread.getInt(memref.getSize(*dim));
              }
              if (!exists) {
                skip(thread, element++);
                return success();
              }
              FailureOr<int64_t> begin = locate(thread, op, memref, index);
              if (failed(begin))
                return failure();
              return access(thread, op, memref, *begin, 1,
                            &thread.at(element++));
            });
      });
  return success();
}

static LogicalResult translateTransferRead(Translator &translator,
                                           vector::TransferReadOp op) {
  unsigned padding = translator.getSlot(op.getPadding());
  return emitTransfer(translator, op, translator.define(op.getResult()),
                      readRow, [=](Thread &thread, unsigned element) {
                        thread.at(element) = thread.at(padding);
                      });
}

static LogicalResult translateTransferWrite(Translator &translator,
                                            vector::TransferWriteOp op) {
  return emitTransfer(translator, op, translator.getSlot(op.getValueToStore()),
                      writeRow, [](Thread &, unsigned) {});
}

void simulator::addVectorAccessOps(OpTable &table) {
  table.add<vector::LoadOp>(translateLoad);
  table.add<vector::StoreOp>(translateStore);
  table.add<vector::MaskedLoadOp>(translateMaskedLoad);
  table.add<vector::MaskedStoreOp>(translateMaskedStore);
  table.add<vector::TransferReadOp>(translateTransferRead);
  table.add<vector::TransferWriteOp>(translateTransferWrite);
}
