//===- VectorCode.cpp - columns of a register block as vectors ------------===//

#include "VectorCode.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

Value VectorCode::splat(Value number) {
  return vector::BroadcastOp::create(builder, getType(sumType), number);
}

Value VectorCode::getColumn(const ColumnBlock &columns, int64_t v) {
  if (v == 0)
    return columns.begin;
  return arith::AddIOp::create(
      builder, columns.begin,
      createIndex(builder, v * schedule.getVectorWidth()));
}

Value VectorCode::getMask(int64_t lanes) {
  return vector::ConstantMaskOp::create(builder, getType(builder.getI1Type()),
                                        ArrayRef<int64_t>{lanes});
}

Value VectorCode::load(Value buffer, ArrayRef<Value> position, int64_t lanes) {
  VectorType stored =
                 getType(cast<MemRefType>(buffer.getType()).getElementType()),
             sum = getType(sumType);
  Value value;
  if (lanes == schedule.getVectorWidth()) {
    value = vector::LoadOp::create(builder, stored, buffer, position);
  } else {
    Value zero =
        arith::ConstantOp::create(builder, builder.getZeroAttr(stored));
    value = vector::MaskedLoadOp::create(builder, stored, buffer, position,
                                         getMask(lanes), zero);
  }
  return stored == sum ? value : arith::ExtFOp::create(builder, sum, value);
}

void VectorCode::store(Value value, Value buffer, ArrayRef<Value> position,
                       int64_t lanes) {
  VectorType stored =
      getType(cast<MemRefType>(buffer.getType()).getElementType());
  if (value.getType() != stored)
    value = arith::TruncFOp::create(builder, stored, value);
  if (lanes == schedule.getVectorWidth())
    vector::StoreOp::create(builder, value, buffer, position);
  else
    vector::MaskedStoreOp::create(builder, buffer, position, getMask(lanes),
                                  value);
}

void VectorCode::forEachBlock(int64_t columns,
                              function_ref<void(const ColumnBlock &)> emit) {
  int64_t width = schedule.getVectorWidth(),
          block = schedule.getBlockVectors() * width,
          full = columns / block * block;
  if (full > 0) {
    OpBuilder::InsertionGuard guard(builder);
    Value begin = enterLoop(builder, createIndex(builder, 0),
                            createIndex(builder, full), block);
    emit({begin, SmallVector<int64_t>(schedule.getBlockVectors(), width)});
  }
  if (full == columns)
    return;
  ColumnBlock rest = {createIndex(builder, full), {}};
  for (int64_t column = full; column < columns; column += width)
    rest.lanes.push_back(std::min(width, columns - column));
  emit(rest);
}
