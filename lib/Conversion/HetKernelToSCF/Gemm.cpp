//===- Gemm.cpp - hetkernel.gemm as register blocks of fused multiply-adds ===//

#include "Gemm.h"
#include "Lowering.h"
#include "RGNN/Dialect/HetKernel/Utils/Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::hetkernel;

Value GemmLowering::packWeight() {
  Value source = gemm.getWeight();
  auto sourceType = cast<MemRefType>(source.getType());
  int64_t rank = sourceType.getRank();
  SmallVector<int64_t> shape(sourceType.getShape());
  std::swap(shape[rank - 1], shape[rank - 2]);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (ShapedType::isDynamic(shape[dim]))
      sizes.push_back(memref::DimOp::create(
          builder, source, dim < rank - 2 ? dim : 2 * rank - 3 - dim));
  Value packed = memref::AllocOp::create(
      builder, MemRefType::get(shape, sourceType.getElementType()), sizes,
      builder.getI64IntegerAttr(64));
  ++numTemporaries;

  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> position;
  if (rank > 2) { // One task for each type, or head without types.
    Value types = memref::DimOp::create(builder, packed, 0);
    TaskRange range = enterTasks(builder, types, /*taskRows=*/1);
    position.push_back(enterLoop(builder, range.begin, range.end, 1));
  }
  llvm::append_range(position,
                     enterDims(builder, packed, position.size(), rank));
  SmallVector<Value> flipped(position);
  std::swap(flipped[rank - 1], flipped[rank - 2]);
  memref::StoreOp::create(builder,
                          memref::LoadOp::create(builder, source, flipped),
                          packed, position);
  return packed;
}

/// The sums of a block, row by row: the loop over the inner dimension.
SmallVector<Value> GemmLowering::emitProduct(ArrayRef<Value> listRows,
                                             const ColumnBlock &columns) {
  size_t numVectors = columns.lanes.size();
  bool scaled = isScaled(RowScale::Load);
  SmallVector<Value> inputRows, scales;
  for (Value row : listRows) {
    inputRows.push_back(getRow(gemm.getGather(), row));
    if (scaled)
      scales.push_back(vectors.splat(load(gemm.getScale(), row)));
  }
  Value zero = arith::ConstantOp::create(
      builder, builder.getZeroAttr(vectors.getType(sumType)));
  SmallVector<Value> sums(inputRows.size() * numVectors, zero);
  int64_t rank = cast<MemRefType>(gemm.getX().getType()).getRank();
  Value inner = memref::DimOp::create(builder, gemm.getX(), rank - 1);
  auto loop = scf::ForOp::create(builder, createIndex(builder, 0), inner,
                                 createIndex(builder, 1), sums);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  llvm::copy(loop.getRegionIterArgs(), sums.begin());
  SmallVector<Value> panel;
  for (auto [v, lanes] : llvm::enumerate(columns.lanes)) {
    panel.push_back(vectors.load(
        weight, around(type, {k, vectors.getColumn(columns, v)}), lanes));
  }
  for (auto [r, row] : llvm::enumerate(inputRows)) {
    Value factor = vectors.splat(load(gemm.getX(), around(row, k)));
    if (scaled)
      factor = arith::MulFOp::create(builder, factor, scales[r]);
    for (size_t v = 0; v < numVectors; ++v) {
      Value &sum = sums[r * numVectors + v];
      sum = vector::FMAOp::create(builder, factor, panel[v], sum);
    }
  }
  scf::YieldOp::create(builder, sums);
  return SmallVector<Value>(loop.getResults());
}

/// Scales the sums of list position `row`, adds biases, if any, and stores
/// them, or adds them to what is there.
void GemmLowering::emitRowStores(Value row, ArrayRef<Value> sums,
                                 ArrayRef<Value> biases,
                                 const ColumnBlock &columns) {
  Value scale;
  if (isScaled(RowScale::Store))
    scale = vectors.splat(load(gemm.getScale(), row));
  Value target = getRow(gemm.getScatter(), row);
  for (auto [v, lanes] : llvm::enumerate(columns.lanes)) {
    SmallVector<Value> position = around(target, vectors.getColumn(columns, v));
    Value value = sums[v];
    if (scale)
      value = arith::MulFOp::create(builder, value, scale);
    if (!biases.empty())
      value = arith::AddFOp::create(builder, value, biases[v]);
    if (gemm.getAtomic()) {
      for (int64_t lane = 0; lane < lanes; ++lane) {
        position.back() = add(vectors.getColumn(columns, v), lane);
        addAtomically(vector::ExtractOp::create(builder, value, lane),
                      position);
      }
      continue;
    }
    if (gemm.getAccumulate())
      value = arith::AddFOp::create(
          builder, vectors.load(gemm.getOut(), position, lanes), value);
    vectors.store(value, gemm.getOut(), position, lanes);
  }
}

void GemmLowering::forEachRowBlock(TaskRange rows,
                                   function_ref<void(ArrayRef<Value>)> multiply,
                                   function_ref<void(size_t, Value)> store) {
  OpBuilder::InsertionGuard guard(builder);
  Value last =
      arith::SubIOp::create(builder, rows.end, createIndex(builder, 1));
  Value first =
      enterLoop(builder, rows.begin, rows.end, schedule.getBlockRows());
  // Behind the last row comes the last row again, and is not stored.
  SmallVector<Value> positions, listRows;
  for (int64_t r = 0; r < schedule.getBlockRows(); ++r) {
    positions.push_back(add(first, r));
    listRows.push_back(
        r == 0 ? first : arith::MinUIOp::create(builder, positions[r], last));
  }
  multiply(listRows);
  store(0, first);
  for (auto [r, row] : llvm::drop_begin(llvm::enumerate(positions))) {
    Value exists = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                         row, rows.end);
    auto guarded = scf::IfOp::create(builder, exists, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard inIf(builder);
    builder.setInsertionPointToStart(guarded.thenBlock());
    store(r, row);
  }
}

void GemmLowering::emitBlock(TaskRange rows, const ColumnBlock &columns) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> sums, biases;
  if (gemm.getBias())
    for (auto [v, lanes] : llvm::enumerate(columns.lanes))
      biases.push_back(
          vectors.load(gemm.getBias(),
                       getBiasPosition(vectors.getColumn(columns, v)), lanes));
  size_t numVectors = columns.lanes.size();
  forEachRowBlock(
      rows,
      [&](ArrayRef<Value> listRows) { sums = emitProduct(listRows, columns); },
      [&](size_t r, Value row) {
        emitRowStores(row, ArrayRef(sums).slice(r * numVectors, numVectors),
                      biases, columns);
      });
}

Value GemmLowering::isSerial() {
  if (serialBelow == 0)
    return {};
  int64_t rank = cast<MemRefType>(gemm.getX().getType()).getRank();
  Value work = builder.createOrFold<memref::DimOp>(gemm.getX(), rank - 1);
  for (int64_t dim = 1; dim < rank; ++dim)
    work = builder.createOrFold<arith::MulIOp>(
        work, builder.createOrFold<memref::DimOp>(gemm.getOut(), dim));
  work = builder.createOrFold<arith::CeilDivUIOp>(
      work, createIndex(builder, schedule.getVectorWidth()));
  work = arith::MulIOp::create(builder, work, getNumRows());
  return isBelow(builder, work, serialBelow);
}

TaskRange GemmLowering::enterTile() {
  TaskRange tiles =
      enterTasks(builder, getNumTiles(), schedule.getCoarsening(), isSerial());
  return getTile(enterLoop(builder, tiles.begin, tiles.end, 1));
}

void GemmLowering::run() {
  bool isPacked = gemm.getTransposed() && !isDot();
  weight = isPacked  ? packWeight()
           : isDot() ? getColumnOfWeight()
                     : gemm.getWeight();
  auto out = cast<MemRefType>(gemm.getOut().getType());
  {
    OpBuilder::InsertionGuard guard(builder);
    TaskRange rows = enterTile();
    batch = enterDims(builder, gemm.getOut(), 1, out.getRank() - 1);
    if (isDot()) {
      SmallVector<Value> sums;
      forEachRowBlock(
          rows,
          [&](ArrayRef<Value> listRows) { sums = emitDots(weight, listRows); },
          [&](size_t r, Value row) {
            storeNumber(sums[r], /*scale=*/Value(),
                        getRow(gemm.getScatter(), row),
                        createIndex(builder, 0));
          });
    } else {
      vectors.forEachBlock(
          out.getShape().back(),
          [&](const ColumnBlock &columns) { emitBlock(rows, columns); });
    }
  }
  if (isPacked)
    memref::DeallocOp::create(builder, weight);
  gemm.erase();
}

LogicalResult hetkernel::lowerGemm(GemmOp gemm, int64_t serialBelow,
                                   int64_t &numTemporaries) {
  auto schedule = expectSchedule<CPUGemmScheduleAttr>(gemm);
  if (failed(schedule))
    return failure();
  for (Value buffer :
       {gemm.getX(), gemm.getWeight(), gemm.getOut(), gemm.getBias()}) {
    if (!buffer)
      continue;
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type)
      return gemm.emitOpError() << "expected buffers, got " << buffer.getType();
    if (buffer != gemm.getX() && !type.isLastDimUnitStride() &&
        !(buffer == gemm.getWeight() && gemm.getTransposed()))
      return gemm.emitOpError() << "expected contiguous rows, got " << type;
  }
  auto out = cast<MemRefType>(gemm.getOut().getType());
  if (ShapedType::isDynamic(out.getShape().back()))
    return gemm.emitOpError()
           << "expected a known number of columns, got " << out;
  GemmLowering(gemm, *schedule, serialBelow, numTemporaries).run();
  return success();
}
