//===- Vectors.cpp - vectors in registers ---------------------------------===//
//
// A vector is a register for each element, in row-major order, so that most ops
// only say where each element of the result comes from.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "VectorShape.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

/// Emits copies of `sources`, one for each element of the result.
static LogicalResult emitMove(Translator &translator, Operation *op,
                              SmallVector<unsigned> sources) {
  unsigned result = translator.define(op->getResult(0));
  translator.emitPlain(op, [=](Thread &thread) {
    for (auto [i, source] : llvm::enumerate(sources))
      thread.at(result + i) = thread.at(source);
  });
  return success();
}

static SmallVector<unsigned> getElements(Translator &translator, Value value) {
  SmallVector<unsigned> elements(Translator::getNumWords(value.getType()));
  std::iota(elements.begin(), elements.end(), translator.getSlot(value));
  return elements;
}

static LogicalResult translateSame(Translator &translator, Operation *op) {
  return emitMove(translator, op, getElements(translator, op->getOperand(0)));
}

static LogicalResult translateBroadcast(Translator &translator,
                                        vector::BroadcastOp op) {
  SmallVector<int64_t> from = getShape(op.getSourceType()),
                       strides = computeStrides(from);
  unsigned source = translator.getSlot(op.getSource());
  SmallVector<unsigned> sources;
  forEachElement(op.getResultVectorType().getShape(),
                 [&](ArrayRef<int64_t> index, int64_t) {
                   index = index.take_back(from.size());
                   int64_t element = 0;
                   for (auto [i, size, stride] :
                        llvm::zip_equal(index, from, strides))
                     element += size == 1 ? 0 : i * stride;
                   sources.push_back(source + element);
                 });
  return emitMove(translator, op, std::move(sources));
}

static LogicalResult translateTranspose(Translator &translator,
                                        vector::TransposeOp op) {
  SmallVector<int64_t> strides =
      computeStrides(op.getSourceVectorType().getShape());
  unsigned source = translator.getSlot(op.getVector());
  SmallVector<unsigned> sources;
  forEachElement(op.getResultVectorType().getShape(),
                 [&](ArrayRef<int64_t> index, int64_t) {
                   int64_t element = 0;
                   for (auto [i, dim] :
                        llvm::zip_equal(index, op.getPermutation()))
                     element += i * strides[dim];
                   sources.push_back(source + element);
                 });
  return emitMove(translator, op, std::move(sources));
}

static LogicalResult translateShuffle(Translator &translator,
                                      vector::ShuffleOp op) {
  // Rows of the two vectors, one behind the other.
  SmallVector<unsigned> rows = getElements(translator, op.getV1());
  llvm::append_range(rows, getElements(translator, op.getV2()));
  int64_t rowSize = Translator::getNumWords(op.getType()) / op.getMask().size();
  SmallVector<unsigned> sources;
  for (int64_t row : op.getMask()) {
    if (row < 0)
      return op.emitOpError("the simulator does not know poison");
    llvm::append_range(sources, ArrayRef(rows).slice(row * rowSize, rowSize));
  }
  return emitMove(translator, op, std::move(sources));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {

/// Where a part begins that leading indices choose, some at run time.
struct Position {
  Position(Translator &translator, ArrayRef<OpFoldResult> indices,
           ArrayRef<int64_t> shape) {
    SmallVector<int64_t> strides = computeStrides(shape);
    for (auto [index, stride, size] : llvm::zip(indices, strides, shape))
      if (auto known = dyn_cast<Attribute>(index))
        element += cast<IntegerAttr>(known).getInt() * stride;
      else
        dynamic.push_back(
            {translator.getSlot(cast<Value>(index)), stride, size});
  }

  FailureOr<int64_t> get(const Thread &thread, Operation *op) const {
    int64_t position = element;
    for (auto [slot, stride, size] : dynamic) {
      if (thread.at(slot) >= Word(size))
        return fail(thread, op,
                    "expected an index below " + Twine(size) + ", got " +
                        Twine(thread.getInt(slot)));
      position += thread.getInt(slot) * stride;
    }
    return position;
  }

  int64_t element = 0;
  SmallVector<std::tuple<unsigned, int64_t, int64_t>> dynamic;
};

} // namespace

static LogicalResult translateExtract(Translator &translator,
                                      vector::ExtractOp op) {
  Position position(translator, op.getMixedPosition(),
                    op.getSourceVectorType().getShape());
  unsigned source = translator.getSlot(op.getSource()),
           result = translator.define(op.getResult()),
           size = Translator::getNumWords(op.getType());
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    FailureOr<int64_t> begin = position.get(thread, op);
    if (failed(begin))
      return failure();
    for (unsigned i = 0; i < size; ++i)
      thread.at(result + i) = thread.at(source + *begin + i);
    return success();
  });
  return success();
}

static LogicalResult translateInsert(Translator &translator,
                                     vector::InsertOp op) {
  Position position(translator, op.getMixedPosition(),
                    op.getDestVectorType().getShape());
  Type part = op.getValueToStore().getType();
  unsigned source = translator.getSlot(op.getValueToStore()),
           old = translator.getSlot(op.getDest()),
           result = translator.define(op.getResult()),
           size = Translator::getNumWords(part),
           total = Translator::getNumWords(op.getType());
  translator.emit(op, [=](Thread &thread) -> LogicalResult {
    FailureOr<int64_t> begin = position.get(thread, op);
    if (failed(begin))
      return failure();
    for (unsigned i = 0; i < total; ++i)
      thread.at(result + i) = thread.at(old + i);
    for (unsigned i = 0; i < size; ++i)
      thread.at(result + *begin + i) = thread.at(source + i);
    return success();
  });
  return success();
}

static SmallVector<int64_t> getInts(ArrayAttr values) {
  return llvm::map_to_vector(values.getAsRange<IntegerAttr>(),
                             [](IntegerAttr value) { return value.getInt(); });
}

/// The element of a larger vector that element `index` of a slice is.
static int64_t getSliced(ArrayRef<int64_t> index, ArrayRef<int64_t> offsets,
                         ArrayRef<int64_t> strides) {
  int64_t element = 0;
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    // Slices that are inserted may lack leading dimensions.
    int64_t missing = strides.size() - index.size();
    int64_t i = static_cast<int64_t>(dim) < missing ? 0 : index[dim - missing];
    element += (i + (dim < offsets.size() ? offsets[dim] : 0)) * stride;
  }
  return element;
}

static LogicalResult translateExtractSlice(Translator &translator,
                                           vector::ExtractStridedSliceOp op) {
  SmallVector<int64_t> offsets = getInts(op.getOffsets()),
                       strides =
                           computeStrides(op.getSourceVectorType().getShape());
  if (op.hasNonUnitStrides())
    return op.emitOpError("the simulator does not know strides over 1");
  unsigned source = translator.getSlot(op.getSource());
  SmallVector<unsigned> sources;
  forEachElement(getShape(op.getType()), [&](ArrayRef<int64_t> index, int64_t) {
    sources.push_back(source + getSliced(index, offsets, strides));
  });
  return emitMove(translator, op, std::move(sources));
}

static LogicalResult translateInsertSlice(Translator &translator,
                                          vector::InsertStridedSliceOp op) {
  SmallVector<int64_t> offsets = getInts(op.getOffsets()),
                       strides =
                           computeStrides(op.getDestVectorType().getShape());
  if (op.hasNonUnitStrides())
    return op.emitOpError("the simulator does not know strides over 1");
  SmallVector<unsigned> sources = getElements(translator, op.getDest());
  unsigned part = translator.getSlot(op.getValueToStore());
  forEachElement(op.getSourceVectorType().getShape(),
                 [&](ArrayRef<int64_t> index, int64_t number) {
                   sources[getSliced(index, offsets, strides)] = part + number;
                 });
  return emitMove(translator, op, std::move(sources));
}

static LogicalResult translateFromElements(Translator &translator,
                                           vector::FromElementsOp op) {
  return emitMove(translator, op, translator.getSlots(op.getElements()));
}

static LogicalResult translateToElements(Translator &translator,
                                         vector::ToElementsOp op) {
  unsigned source = translator.getSlot(op.getSource());
  SmallVector<unsigned> results = translator.define(op.getElements());
  translator.emitPlain(op, [=](Thread &thread) {
    for (auto [i, result] : llvm::enumerate(results))
      thread.at(result) = thread.at(source + i);
  });
  return success();
}

static LogicalResult translateStep(Translator &translator, vector::StepOp op) {
  unsigned result = translator.define(op.getResult());
  for (int64_t i = 0; i < op.getType().getNumElements(); ++i)
    translator.program.registers[result + i] = i;
  return success();
}

void simulator::addVectorOps(OpTable &table) {
  table.addAll<vector::ShapeCastOp>(translateSame);
  table.add<vector::BroadcastOp>(translateBroadcast);
  table.add<vector::TransposeOp>(translateTranspose);
  table.add<vector::ShuffleOp>(translateShuffle);
  table.add<vector::ExtractOp>(translateExtract);
  table.add<vector::InsertOp>(translateInsert);
  table.add<vector::ExtractStridedSliceOp>(translateExtractSlice);
  table.add<vector::InsertStridedSliceOp>(translateInsertSlice);
  table.add<vector::FromElementsOp>(translateFromElements);
  table.add<vector::ToElementsOp>(translateToElements);
  table.add<vector::StepOp>(translateStep);
  table.addAll<vector::FMAOp>([](Translator &translator, Operation *op) {
    emitFMA(translator, op);
    return success();
  });
}
