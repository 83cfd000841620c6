//===- OuterSum.cpp - hetkernel.outer_sum as two launches -----------------===//
//
// Blocks of the first launch sum up the rows of a tile each. The second adds
// the sums of the tiles of a type, in their order: no atomics, and the same
// result on every run.
//
//===----------------------------------------------------------------------===//

#include "OuterSum.h"
#include "Alignment.h"
#include "ProductLaunch.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Dialect/HetKernel/Utils/Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::hetkernel;

/// Tiles of a sum without types, which are added up one after another: enough
/// for some blocks on each processor of a chip.
constexpr int64_t maxTiles = 512;

gpu::LaunchOp OuterSumLaunch::enterTiles(int64_t numBlocks,
                                         ArrayRef<int64_t> blockThreads) {
  int64_t rank = cast<MemRefType>(partial.getType()).getRank();
  SmallVector<Value> heads =
      rgnn::getSizes(builder, partial, 1, rank - (sum.getX() ? 2 : 1));
  Value tasks = builder.createOrFold<arith::CeilDivUIOp>(
      getNumTiles(), createIndex(builder, schedule.getCoarsening()));
  gpu::LaunchOp launch = rgnn::enterLaunch(
      builder,
      {tasks, createIndex(builder, numBlocks), rgnn::multiply(builder, heads)},
      blockThreads);
  batch = rgnn::delinearize(builder, launch.getBlockIds().z, heads);
  return launch;
}

TaskRange OuterSumLaunch::enterRows(gpu::LaunchOp launch) {
  tile = enterCoarse(builder, launch.getBlockIds().x, getNumTiles(),
                     schedule.getCoarsening());
  return getTile(tile);
}

//===----------------------------------------------------------------------===//
// Sums of tiles
//===----------------------------------------------------------------------===//

void OuterSumLaunch::storePartial(Value value, Value k, Value column) {
  memref::StoreOp::create(builder, value, partial,
                          k ? around(tile, {k, column}) : around(tile, column));
}

void OuterSumLaunch::storePartials(ValueRange numbers, Value k, Value column) {
  if (numbers.size() == 1)
    return storePartial(numbers.front(), k, column);
  storeAtOnce(builder, numbers, partial, around(tile, {k, column}));
}

/// Columns of `source` from `firstIndex`; the sum goes over rows of the list.
/// Behind the last column comes the last one again, which is not stored.
ProductOperand OuterSumLaunch::getOperand(Value source, Value list,
                                          Value firstIndex, int64_t size,
                                          int64_t blockSize) {
  const int64_t atOnce = std::gcd(getMovedAtOnce(source), blockSize);
  return {source, /*isSumContiguous=*/false, atOnce,
          [=](Value index) {
            Value column = arith::AddIOp::create(builder, firstIndex, index);
            if (size % blockSize == 0)
              return column;
            return arith::MinUIOp::create(builder, column,
                                          createIndex(builder, size - atOnce))
                .getResult();
          },
          [=](Value column, Value term) {
            Value row = arith::AddIOp::create(builder, rows.begin, term);
            return around(getRow(list, row), column);
          }};
}

void OuterSumLaunch::emitProducts() {
  int64_t numRows = matrices[matrices.size() - 2];
  BlockShape shape = getShape();
  auto getStoredAtOnce = [&](int64_t columns) {
    return numColumns % shape.getColumns() == 0
               ? std::gcd(columns, getMovedAtOnce(partial))
               : 1;
  };
  shape.interleaved = getStoredAtOnce(shape.columns) == 1;
  int64_t across = llvm::divideCeil(uint64_t(numColumns), shape.getColumns()),
          down = llvm::divideCeil(uint64_t(numRows), shape.getRows());
  gpu::LaunchOp launch =
      enterTiles(across * down, {shape.lanes, shape.lines, 1});
  Value block = launch.getBlockIds().y, width = createIndex(builder, across);
  Value firstRow = arith::MulIOp::create(
            builder, builder.createOrFold<arith::DivUIOp>(block, width),
            createIndex(builder, shape.getRows())),
        firstColumn = arith::MulIOp::create(
            builder, builder.createOrFold<arith::RemUIOp>(block, width),
            createIndex(builder, shape.getColumns()));
  BlockProduct product(builder, launch, shape, sumType,
                       getOperand(sum.getX(), sum.getXGather(), firstRow,
                                  numRows, shape.getRows()),
                       getOperand(sum.getY(), sum.getYGather(), firstColumn,
                                  numColumns, shape.getColumns()),
                       units);
  rows = enterRows(launch);
  SmallVector<Value> sums =
      product.emit(arith::SubIOp::create(builder, rows.end, rows.begin));
  auto enterIfBelow = [&](Value index, int64_t size, int64_t blockSize) {
    if (size % blockSize == 0)
      return;
    auto exists = scf::IfOp::create(builder, isBelow(builder, index, size),
                                    /*withElseRegion=*/false);
    builder.setInsertionPointToStart(exists.thenBlock());
  };
  ValueRange rest = sums;
  const int64_t atOnce = getStoredAtOnce(product.getAdjacentColumns());
  for (Value row : product.getRows()) {
    OpBuilder::InsertionGuard guard(builder);
    Value k = arith::AddIOp::create(builder, firstRow, row);
    enterIfBelow(k, numRows, shape.getRows());
    for (ArrayRef<Value> columns = product.getColumns(); !columns.empty();
         columns = columns.drop_front(atOnce)) {
      OpBuilder::InsertionGuard inRow(builder);
      Value n = arith::AddIOp::create(builder, firstColumn, columns.front());
      enterIfBelow(n, numColumns, shape.getColumns());
      storePartials(rest.take_front(atOnce), k, n);
      rest = rest.drop_front(atOnce);
    }
  }
}

void OuterSumLaunch::run() {
  if (!sum.getTiles())
    tileRows = builder.createOrFold<arith::MaxUIOp>(
        createIndex(builder, schedule.getTileRows()),
        builder.createOrFold<arith::CeilDivUIOp>(
            getNumRows(), createIndex(builder, maxTiles)));
  SmallVector<int64_t> sizes{ShapedType::kDynamic};
  llvm::append_range(sizes, matrices);
  partial =
      memref::AllocOp::create(builder, MemRefType::get(sizes, sumType),
                              getNumTiles(), builder.getI64IntegerAttr(64));
  {
    OpBuilder::InsertionGuard guard(builder);
    sum.getX() ? emitProducts() : emitRowSums();
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setLoc(rgnn::nameLocation(builder.getLoc(), "totals", partial));
    emitTotals();
  }
  memref::DeallocOp::create(builder, partial);
  sum.erase();
}

LogicalResult hetkernel::launchOuterSum(OuterSumOp sum,
                                        const LaunchOptions &options,
                                        int64_t &numTemporaries) {
  auto schedule = expectSchedule<GPUGemmScheduleAttr>(sum);
  if (failed(schedule))
    return failure();
  SmallVector<Value> buffers{sum.getY(), sum.getOut()};
  if (sum.getX())
    buffers.push_back(sum.getX());
  for (Value buffer : buffers)
    if (!isa<MemRefType>(buffer.getType()))
      return sum.emitOpError() << "expected buffers, got " << buffer.getType();
  auto out = cast<MemRefType>(sum.getOut().getType());
  ArrayRef<int64_t> matrices =
      out.getShape().drop_front(sum.getTiles() ? 1 : 0);
  if (ShapedType::isDynamicShape(matrices))
    return sum.emitOpError() << "expected matrices of known sizes, got " << out;
  FailureOr<int64_t> threads = getThreads(sum, *schedule, options);
  if (failed(threads))
    return failure();
  if (ShapedType::getNumElements(matrices) == 0) { // Nothing to store.
    sum.erase();
    return success();
  }
  ++numTemporaries;
  OuterSumLaunch launch(sum, *schedule, *threads, options);
  if (failed(launch.verify()))
    return failure();
  launch.run();
  return success();
}
