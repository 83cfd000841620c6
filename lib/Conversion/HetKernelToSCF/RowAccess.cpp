//===- RowAccess.cpp - loads and stores of whole rows ---------------------===//

#include "RowAccess.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Keeps `kept` leading dimensions and makes one of the others.
static SmallVector<ReassociationIndices> getRowReassociation(int64_t rank,
                                                             int64_t kept) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < kept; ++dim)
    groups.push_back({dim});
  groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(kept, rank)));
  return groups;
}

LogicalResult RowAccess::verify(Operation *user, Value buffer,
                                int64_t indices) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return user->emitOpError() << "expected buffers, got " << buffer.getType();
  if (type.getRank() > indices && !type.isLastDimUnitStride())
    return user->emitOpError() << "expected contiguous rows, got " << type;
  return success();
}

/// How many leading dimensions, `indices` or more, do not belong to what of a
/// row is one run of memory.
static int64_t getNumOutside(MemRefType type, int64_t indices) {
  int64_t outside = indices;
  while (type.getRank() - outside > 1 &&
         !memref::CollapseShapeOp::isGuaranteedCollapsible(
             type, getRowReassociation(type.getRank(), outside)))
    ++outside;
  return outside;
}

Value RowAccess::flatten(Value buffer, int64_t outside) {
  int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
  if (rank - outside < 2)
    return buffer;
  Value &view = flat[{buffer, outside}];
  if (!view) {
    OpBuilder builder(buffer.getContext());
    builder.setInsertionPointAfterValue(buffer);
    view = memref::CollapseShapeOp::create(builder, buffer.getLoc(), buffer,
                                           getRowReassociation(rank, outside));
  }
  return view;
}

void RowAccess::forEachRun(ImplicitLocOpBuilder &builder, Value buffer,
                           ValueRange indices, int64_t columns,
                           function_ref<void(Value, ValueRange, int64_t)> run) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t given = indices.size(), outside = getNumOutside(type, given);
  ArrayRef<int64_t> shape = type.getShape().slice(given, outside - given);
  int64_t runs = ShapedType::getNumElements(shape);
  Value view = flatten(buffer, outside);
  for (int64_t number = 0; number < runs; ++number) {
    SmallVector<Value> position(indices);
    for (int64_t at : delinearize(number, computeStrides(shape)))
      position.push_back(createIndex(builder, at));
    position.push_back(createIndex(builder, 0));
    run(view, position, number * (columns / runs));
  }
}

/// What one access of `view` reads or writes of a row.
static VectorType getRun(Value view, VectorType line) {
  return VectorType::get(cast<MemRefType>(view.getType()).getShape().back(),
                         line.getElementType());
}

Value RowAccess::load(ImplicitLocOpBuilder &builder, Value buffer,
                      ValueRange indices, Type row) {
  auto vector = dyn_cast<VectorType>(row);
  if (!vector)
    return memref::LoadOp::create(builder, buffer, indices);
  int64_t columns = vector.getNumElements();
  auto line = VectorType::get(columns, vector.getElementType());
  Value value;
  forEachRun(
      builder, buffer, indices, columns,
      [&](Value view, ValueRange position, int64_t column) {
        auto run = getRun(view, line);
        Value part = vector::LoadOp::create(builder, run, view, position);
        if (run == line) {
          value = part;
          return;
        }
        if (!value)
          value = arith::ConstantOp::create(builder, builder.getZeroAttr(line));
        value = vector::InsertStridedSliceOp::create(builder, part, value,
                                                     ArrayRef<int64_t>{column},
                                                     ArrayRef<int64_t>{1});
      });
  return line == vector ? value
                        : vector::ShapeCastOp::create(builder, vector, value);
}

void RowAccess::store(ImplicitLocOpBuilder &builder, Value value, Value buffer,
                      ValueRange indices) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector) {
    memref::StoreOp::create(builder, value, buffer, indices);
    return;
  }
  int64_t columns = vector.getNumElements();
  auto line = VectorType::get(columns, vector.getElementType());
  if (line != vector)
    value = vector::ShapeCastOp::create(builder, line, value);
  forEachRun(builder, buffer, indices, columns,
             [&](Value view, ValueRange position, int64_t column) {
               auto run = getRun(view, line);
               Value part = value;
               if (run != line)
                 part = vector::ExtractStridedSliceOp::create(
                     builder, value, ArrayRef<int64_t>{column},
                     ArrayRef<int64_t>{run.getNumElements()},
                     ArrayRef<int64_t>{1});
               vector::StoreOp::create(builder, part, view, position);
             });
}

void RowAccess::prefetch(ImplicitLocOpBuilder &builder, Value buffer,
                         ValueRange indices, VectorType row) {
  const int64_t step = kCacheLineBits / row.getElementTypeBitWidth();
  forEachRun(builder, buffer, indices, row.getNumElements(),
             [&](Value view, ValueRange start, int64_t) {
               int64_t columns = getRun(view, row).getNumElements();
               for (int64_t column = 0; column < columns; column += step) {
                 SmallVector<Value> position(start.drop_back());
                 position.push_back(createIndex(builder, column));
                 memref::PrefetchOp::create(
                     builder, view, position, /*isWrite=*/false,
                     /*localityHint=*/3, /*isDataCache=*/true);
               }
             });
}
