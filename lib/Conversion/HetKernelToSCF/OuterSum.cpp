//===- OuterSum.cpp - hetkernel.outer_sum as sums of tiles ----------------===//

#include "Lowering.h"
#include "RGNN/Dialect/HetKernel/Utils/Schedules.h"
#include "RGNN/Dialect/HetKernel/Utils/TileCode.h"
#include "VectorCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::hetkernel;

namespace {

/// Rows that are read for all register blocks before the next ones are: as many
/// as a second-level cache holds of rows of hundreds of numbers.
constexpr int64_t pieceRows = 128;

/// Below so many tiles, blocks of a tile's sums are tasks of their own.
constexpr int64_t fewTiles = 16;

class OuterSumLowering : TileCode {
public:
  OuterSumLowering(OuterSumOp sum, CPUGemmScheduleAttr schedule,
                   int64_t serialBelow)
      : TileCode(sum, schedule, sum.getTiles(),
                 sum.getYGather() ? sum.getYGather() : sum.getY(),
                 sum.getOut()),
        sum(sum), schedule(schedule), vectors(builder, schedule, sumType),
        serialBelow(serialBelow),
        matrices(cast<MemRefType>(sum.getOut().getType())
                     .getShape()
                     .drop_front(sum.getTiles() ? 1 : 0)),
        numColumns(matrices.back()) {
    if (sum.getX())
      numMatrixRows = matrices[matrices.size() - 2];
    else if (getStoredType().isF32())
      // Terms that cancel, such as gradients of scores, of all edges.
      sumType = builder.getF64Type();
  }

  void run();

private:
  Value isSerial(Value rows);
  void enterBatch();
  /// Where `out`, or the sums of a tile, have row `k` of a matrix.
  SmallVector<Value> inMatrix(ValueRange matrix, Value k, Value column);
  void storeZeros(Value buffer, Value matrix, Value k);

  /// A parallel loop over blocks of rows of the matrix of each tile.
  void emitTiles();
  void emitTile(Value tile, TaskRange blocks);
  /// Full blocks of rows of the matrix in a loop, then the rows that are left.
  void forEachRowBlock(TaskRange blocks,
                       function_ref<void(Value first, int64_t numRows)> emit);
  void emitBlock(TaskRange rows, Value tile, Value firstRow, int64_t numRows,
                 const ColumnBlock &columns);
  void emitTotal(Value k, const ColumnBlock &columns);

  OuterSumOp sum;
  CPUGemmScheduleAttr schedule;
  VectorCode vectors;
  int64_t serialBelow;
  /// Sizes `[b..., K, N]` of what is summed up for a type.
  ArrayRef<int64_t> matrices;
  int64_t numColumns, numMatrixRows = 1;
  /// The sums of each tile.
  Value partial;
};

} // namespace

/// Whether few vectors are computed for `rows` rows; null where it is no
/// matter.
Value OuterSumLowering::isSerial(Value rows) {
  if (serialBelow == 0)
    return {};
  int64_t numVectors =
      llvm::divideCeil(uint64_t(ShapedType::getNumElements(matrices)),
                       uint64_t(schedule.getVectorWidth()));
  Value work =
      arith::MulIOp::create(builder, rows, createIndex(builder, numVectors));
  return isBelow(builder, work, serialBelow);
}

void OuterSumLowering::enterBatch() {
  int64_t first = sum.getTiles() ? 1 : 0,
          last = cast<MemRefType>(sum.getOut().getType()).getRank() -
                 (sum.getX() ? 2 : 1);
  batch = enterDims(builder, sum.getOut(), first, last);
}

SmallVector<Value> OuterSumLowering::inMatrix(ValueRange matrix, Value k,
                                              Value column) {
  return sum.getX() ? around(matrix, {k, column}) : around(matrix, column);
}

void OuterSumLowering::storeZeros(Value buffer, Value matrix, Value k) {
  Value zero = arith::ConstantOp::create(
      builder, builder.getZeroAttr(vectors.getType(sumType)));
  vectors.forEachBlock(numColumns, [&](const ColumnBlock &columns) {
    for (auto [v, lanes] : llvm::enumerate(columns.lanes))
      vectors.store(zero, buffer,
                    inMatrix(matrix, k, vectors.getColumn(columns, v)), lanes);
  });
}

//===----------------------------------------------------------------------===//
// Sums of tiles
//===----------------------------------------------------------------------===//

void OuterSumLowering::forEachRowBlock(
    TaskRange blocks, function_ref<void(Value first, int64_t numRows)> emit) {
  int64_t block = schedule.getBlockRows(), numFull = numMatrixRows / block;
  if (numFull > 0) {
    OpBuilder::InsertionGuard guard(builder);
    Value end = arith::MinUIOp::create(builder, blocks.end,
                                       createIndex(builder, numFull));
    Value number = enterLoop(builder, blocks.begin, end, 1);
    emit(arith::MulIOp::create(builder, number, createIndex(builder, block)),
         block);
  }
  if (int64_t left = numMatrixRows % block) {
    OpBuilder::InsertionGuard guard(builder);
    Value isLast =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ugt, blocks.end,
                              createIndex(builder, numFull));
    auto guarded = scf::IfOp::create(builder, isLast, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(guarded.thenBlock());
    emit(createIndex(builder, numFull * block), left);
  }
}

/// Adds the products of some rows to a register block of the tile's sums.
void OuterSumLowering::emitBlock(TaskRange rows, Value tile, Value firstRow,
                                 int64_t numRows, const ColumnBlock &columns) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<SmallVector<Value>> places;
  SmallVector<Value> inits;
  for (int64_t r = 0; r < numRows; ++r)
    for (auto [v, lanes] : llvm::enumerate(columns.lanes)) {
      places.push_back(
          inMatrix(tile, add(firstRow, r), vectors.getColumn(columns, v)));
      inits.push_back(vectors.load(partial, places.back(), lanes));
    }
  auto loop = scf::ForOp::create(builder, rows.begin, rows.end,
                                 createIndex(builder, 1), inits);
  {
    OpBuilder::InsertionGuard inLoop(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar(), yRow = getRow(sum.getYGather(), row);
    SmallVector<Value> panel, sums(loop.getRegionIterArgs());
    for (auto [v, lanes] : llvm::enumerate(columns.lanes))
      panel.push_back(vectors.load(
          sum.getY(), around(yRow, vectors.getColumn(columns, v)), lanes));
    Value xRow = sum.getX() ? getRow(sum.getXGather(), row) : Value();
    Value *next = sums.begin();
    for (int64_t r = 0; r < numRows; ++r) {
      Value factor;
      if (xRow)
        factor =
            vectors.splat(load(sum.getX(), around(xRow, add(firstRow, r))));
      for (Value vector : panel) {
        *next = factor
                    ? vector::FMAOp::create(builder, factor, vector, *next)
                          .getResult()
                    : arith::AddFOp::create(builder, vector, *next).getResult();
        ++next;
      }
    }
    scf::YieldOp::create(builder, sums);
  }
  for (auto [index, place] : llvm::enumerate(places))
    vectors.store(loop.getResult(index), partial, place,
                  columns.lanes[index % columns.lanes.size()]);
}

void OuterSumLowering::emitTile(Value tile, TaskRange blocks) {
  TaskRange rows = getTile(tile);
  enterBatch();
  {
    OpBuilder::InsertionGuard guard(builder);
    auto getFirstRow = [&](Value number) -> Value {
      return arith::MulIOp::create(
          builder, number, createIndex(builder, schedule.getBlockRows()));
    };
    Value end = arith::MinUIOp::create(builder, getFirstRow(blocks.end),
                                       createIndex(builder, numMatrixRows));
    storeZeros(partial, tile,
               enterLoop(builder, getFirstRow(blocks.begin), end, 1));
  }
  Value begin = enterLoop(builder, rows.begin, rows.end, pieceRows);
  Value end = arith::MinUIOp::create(builder, add(begin, pieceRows), rows.end);
  vectors.forEachBlock(numColumns, [&](const ColumnBlock &columns) {
    forEachRowBlock(blocks, [&](Value first, int64_t numRows) {
      emitBlock({begin, end}, tile, first, numRows, columns);
    });
  });
}

void OuterSumLowering::emitTiles() {
  OpBuilder::InsertionGuard guard(builder);
  auto times = [&](Value a, Value b) -> Value {
    return arith::MulIOp::create(builder, a, b);
  };
  Value numTiles = getNumTiles(), isSerial = this->isSerial(getNumRows());
  int64_t count = llvm::divideCeil(numMatrixRows, schedule.getBlockRows());
  if (count == 1) {
    TaskRange tiles =
        enterTasks(builder, numTiles, schedule.getCoarsening(), isSerial);
    return emitTile(enterLoop(builder, tiles.begin, tiles.end, 1),
                    {createIndex(builder, 0), createIndex(builder, 1)});
  }
  Value numBlocks = createIndex(builder, count);
  // Blocks of a tile read the same rows: only threads that would have no tile
  // of their own make it worth to read them again.
  Value step = arith::SelectOp::create(
      builder, isBelow(builder, numTiles, fewTiles), createIndex(builder, 1),
      times(numBlocks, createIndex(builder, schedule.getCoarsening())));
  TaskRange range =
      enterTasks(builder, times(numTiles, numBlocks), step, isSerial);
  Value tile = enterLoop(
      builder, arith::DivUIOp::create(builder, range.begin, numBlocks),
      arith::CeilDivUIOp::create(builder, range.end, numBlocks), 1);
  Value first = times(tile, numBlocks),
        last = arith::AddIOp::create(builder, first, numBlocks);
  auto inTile = [&](Value number) -> Value {
    return arith::SubIOp::create(builder, number, first);
  };
  emitTile(tile, {inTile(arith::MaxUIOp::create(builder, range.begin, first)),
                  inTile(arith::MinUIOp::create(builder, range.end, last))});
}

//===----------------------------------------------------------------------===//
// Sums of types
//===----------------------------------------------------------------------===//

/// Adds up what the tiles have in row `k`. Tiles of one type follow each other:
/// each stores the sum so far, and the last that of all.
void OuterSumLowering::emitTotal(Value k, const ColumnBlock &columns) {
  OpBuilder::InsertionGuard guard(builder);
  Value tiles = sum.getTiles();
  Value zero = arith::ConstantOp::create(
      builder, builder.getZeroAttr(vectors.getType(sumType)));
  SmallVector<Value> inits(columns.lanes.size(), zero);
  if (tiles) // No type is -1.
    inits.push_back(createIndex(builder, -1));
  auto loop = scf::ForOp::create(builder, createIndex(builder, 0),
                                 getNumTiles(), createIndex(builder, 1), inits);
  auto store = [&](ValueRange sums, ValueRange matrix) {
    for (auto [v, lanes] : llvm::enumerate(columns.lanes))
      vectors.store(sums[v], sum.getOut(),
                    inMatrix(matrix, k, vectors.getColumn(columns, v)), lanes);
  };
  if (!tiles)
    store(loop.getResults(), {});

  builder.setInsertionPointToStart(loop.getBody());
  Value tile = loop.getInductionVar(), tileType, isNew;
  if (tiles) {
    tileType = loadIndex(builder, tiles, {tile, createIndex(builder, 0)});
    isNew = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, tileType,
                                  loop.getRegionIterArgs().back());
  }
  SmallVector<Value> next;
  for (auto [v, lanes] : llvm::enumerate(columns.lanes)) {
    Value before = loop.getRegionIterArg(v);
    if (isNew)
      before = arith::SelectOp::create(builder, isNew, zero, before);
    Value ofTile = vectors.load(
        partial, inMatrix(tile, k, vectors.getColumn(columns, v)), lanes);
    next.push_back(arith::AddFOp::create(builder, before, ofTile));
  }
  if (tiles) {
    store(next, tileType);
    next.push_back(tileType);
  }
  scf::YieldOp::create(builder, next);
}

void OuterSumLowering::run() {
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, matrices);
  Value numTiles = getNumTiles();
  partial = memref::AllocOp::create(builder, MemRefType::get(shape, sumType),
                                    numTiles, builder.getI64IntegerAttr(64));
  emitTiles();
  {
    OpBuilder::InsertionGuard guard(builder);
    Value k = createIndex(builder, 0);
    if (sum.getX()) {
      TaskRange rows = enterTasks(builder, createIndex(builder, numMatrixRows),
                                  /*taskRows=*/1, isSerial(numTiles));
      k = enterLoop(builder, rows.begin, rows.end, 1);
    }
    enterBatch();
    if (sum.getTiles()) { // Some types may have none.
      OpBuilder::InsertionGuard inTypes(builder);
      Value types = memref::DimOp::create(builder, sum.getOut(), 0);
      storeZeros(sum.getOut(),
                 enterLoop(builder, createIndex(builder, 0), types, 1), k);
    }
    vectors.forEachBlock(
        numColumns, [&](const ColumnBlock &columns) { emitTotal(k, columns); });
  }
  memref::DeallocOp::create(builder, partial);
  sum.erase();
}

LogicalResult hetkernel::lowerOuterSum(OuterSumOp sum, int64_t serialBelow,
                                       int64_t &numTemporaries) {
  auto schedule = expectSchedule<CPUGemmScheduleAttr>(sum);
  if (failed(schedule))
    return failure();
  SmallVector<Value> buffers{sum.getY(), sum.getOut()};
  if (sum.getX())
    buffers.push_back(sum.getX());
  for (Value buffer : buffers) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type)
      return sum.emitOpError() << "expected buffers, got " << buffer.getType();
    if (buffer != sum.getX() && !type.isLastDimUnitStride())
      return sum.emitOpError() << "expected contiguous rows, got " << type;
  }
  auto out = cast<MemRefType>(sum.getOut().getType());
  if (ShapedType::isDynamicShape(
          out.getShape().drop_front(sum.getTiles() ? 1 : 0)))
    return sum.emitOpError() << "expected matrices of known sizes, got " << out;
  ++numTemporaries;
  OuterSumLowering(sum, *schedule, serialBelow).run();
  return success();
}
