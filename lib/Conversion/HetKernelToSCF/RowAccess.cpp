//===- RowAccess.cpp - loads and stores of whole rows ---------------------===//

#include "RowAccess.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Keeps `indices` leading dimensions and makes one of the others.
static SmallVector<ReassociationIndices> getRowReassociation(int64_t rank,
                                                             int64_t indices) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < indices; ++dim)
    groups.push_back({dim});
  groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(indices, rank)));
  return groups;
}

LogicalResult RowAccess::verify(Operation *user, Value buffer,
                                int64_t indices) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return user->emitOpError() << "expected buffers, got " << buffer.getType();
  // Rows of one dimension need it to be dense, rows of more must be one run of
  // memory.
  int64_t rank = type.getRank();
  bool contiguous = rank - indices < 2
                        ? rank == indices || type.isLastDimUnitStride()
                        : memref::CollapseShapeOp::isGuaranteedCollapsible(
                              type, getRowReassociation(rank, indices)) &&
                              type.isLastDimUnitStride();
  if (!contiguous)
    return user->emitOpError() << "expected contiguous rows, got " << type;
  return success();
}

Value RowAccess::flatten(Value buffer, int64_t indices) {
  int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
  if (rank - indices < 2)
    return buffer;
  Value &view = flat[{buffer, indices}];
  if (!view) {
    OpBuilder builder(buffer.getContext());
    builder.setInsertionPointAfterValue(buffer);
    view = memref::CollapseShapeOp::create(builder, buffer.getLoc(), buffer,
                                           getRowReassociation(rank, indices));
  }
  return view;
}

Value RowAccess::load(ImplicitLocOpBuilder &builder, Value buffer,
                      ValueRange indices, Type row) {
  auto vector = dyn_cast<VectorType>(row);
  if (!vector)
    return memref::LoadOp::create(builder, buffer, indices);
  SmallVector<Value> position(indices);
  position.push_back(createIndex(builder, 0));
  auto line = VectorType::get(vector.getNumElements(), vector.getElementType());
  Value value = vector::LoadOp::create(
      builder, line, flatten(buffer, indices.size()), position);
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
  SmallVector<Value> position(indices);
  position.push_back(createIndex(builder, 0));
  auto line = VectorType::get(vector.getNumElements(), vector.getElementType());
  if (line != vector)
    value = vector::ShapeCastOp::create(builder, line, value);
  vector::StoreOp::create(builder, value, flatten(buffer, indices.size()),
                          position);
}

void RowAccess::prefetch(ImplicitLocOpBuilder &builder, Value buffer,
                         ValueRange indices, VectorType row) {
  const int64_t step = kCacheLineBits / row.getElementTypeBitWidth();
  for (int64_t column = 0; column < row.getNumElements(); column += step) {
    SmallVector<Value> position(indices);
    position.push_back(createIndex(builder, column));
    memref::PrefetchOp::create(builder, flatten(buffer, indices.size()),
                               position, /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }
}
