//===- TileCode.cpp - code of kernels whose tasks are tiles ---------------===//

#include "RGNN/Dialect/HetKernel/Utils/TileCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

Value TileCode::getNumRows() {
  return builder.createOrFold<memref::DimOp>(steps, 0);
}

Value TileCode::getNumTiles() {
  if (tiles)
    return builder.createOrFold<memref::DimOp>(tiles, 0);
  return builder.createOrFold<arith::CeilDivUIOp>(getNumRows(), getTileRows());
}

TaskRange TileCode::getTile(Value tile) {
  if (tiles) {
    auto field = [&](int64_t column) {
      return loadIndex(builder, tiles, {tile, createIndex(builder, column)});
    };
    type.push_back(field(0));
    Value begin = field(1);
    return {begin, field(2)};
  }
  Value size = getTileRows();
  Value begin = arith::MulIOp::create(builder, tile, size);
  Value end = arith::AddIOp::create(builder, begin, size);
  return {begin, arith::MinUIOp::create(builder, end, getNumRows())};
}

Value TileCode::load(Value buffer, ValueRange position) {
  Value value = memref::LoadOp::create(builder, buffer, position);
  return value.getType() == sumType
             ? value
             : arith::ExtFOp::create(builder, sumType, value);
}

SmallVector<Value> TileCode::around(ValueRange leading, ValueRange trailing) {
  SmallVector<Value> position(leading);
  llvm::append_range(position, batch);
  llvm::append_range(position, trailing);
  return position;
}

Value TileCode::add(Value index, int64_t amount) {
  return amount == 0 ? index
                     : arith::AddIOp::create(builder, index,
                                             createIndex(builder, amount));
}

void GemmCode::addAtomically(Value number, ValueRange position) {
  memref::AtomicRMWOp::create(builder, arith::AtomicRMWKind::addf, number,
                              gemm.getOut(), position);
}

Value GemmCode::finishNumber(Value sum, Value scale, Value column) {
  if (scale)
    sum = arith::MulFOp::create(builder, sum, scale);
  if (gemm.getBias())
    sum = arith::AddFOp::create(builder, sum,
                                load(gemm.getBias(), getBiasPosition(column)));
  return sum;
}

void GemmCode::storeNumber(Value sum, Value scale, Value row, Value column) {
  SmallVector<Value> position = around(row, column);
  sum = finishNumber(sum, scale, column);
  if (gemm.getAtomic())
    return addAtomically(sum, position);
  if (gemm.getAccumulate())
    sum = arith::AddFOp::create(builder, load(gemm.getOut(), position), sum);
  if (sum.getType() != getStoredType())
    sum = arith::TruncFOp::create(builder, getStoredType(), sum);
  memref::StoreOp::create(builder, sum, gemm.getOut(), position);
}
