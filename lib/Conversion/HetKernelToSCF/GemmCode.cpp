//===- GemmCode.cpp - what every lowering of a GEMM emits -----------------===//

#include "GemmCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

Value GemmCode::getNumRows() {
  Value rows = gemm.getGather() ? gemm.getGather() : gemm.getX();
  return builder.createOrFold<memref::DimOp>(rows, 0);
}

Value GemmCode::getNumTiles() {
  if (Value tiles = gemm.getTiles())
    return builder.createOrFold<memref::DimOp>(tiles, 0);
  return builder.createOrFold<arith::CeilDivUIOp>(
      getNumRows(), createIndex(builder, schedule.getTileRows()));
}

TaskRange GemmCode::getTile(Value tile) {
  if (Value tiles = gemm.getTiles()) {
    auto field = [&](int64_t column) {
      return loadIndex(builder, tiles, {tile, createIndex(builder, column)});
    };
    type.push_back(field(0));
    Value begin = field(1);
    return {begin, field(2)};
  }
  Value size = createIndex(builder, schedule.getTileRows());
  Value begin = arith::MulIOp::create(builder, tile, size);
  Value end = arith::AddIOp::create(builder, begin, size);
  return {begin, arith::MinUIOp::create(builder, end, getNumRows())};
}

Value GemmCode::getInputRow(Value row) {
  return gemm.getGather() ? loadIndex(builder, gemm.getGather(), row) : row;
}

Value GemmCode::getOutputRow(Value row) {
  return gemm.getScatter() ? loadIndex(builder, gemm.getScatter(), row) : row;
}

Value GemmCode::load(Value buffer, ValueRange position) {
  Value value = memref::LoadOp::create(builder, buffer, position);
  return value.getType() == getSumType()
             ? value
             : arith::ExtFOp::create(builder, getSumType(), value);
}

SmallVector<Value> GemmCode::around(ValueRange leading, ValueRange trailing) {
  SmallVector<Value> position(leading);
  llvm::append_range(position, batch);
  llvm::append_range(position, trailing);
  return position;
}

Value GemmCode::add(Value index, int64_t amount) {
  return amount == 0 ? index
                     : arith::AddIOp::create(builder, index,
                                             createIndex(builder, amount));
}

Type GemmCode::getSumType() {
  return getStoredType().getIntOrFloatBitWidth() < 32
             ? Float32Type::get(gemm.getContext())
             : getStoredType();
}
