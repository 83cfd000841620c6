//===- OuterSum.cpp - hetkernel.outer_sum as two launches -----------------===//
//
// Blocks of the first launch sum up the rows of a tile each. The second adds
// the sums of the tiles of a type, in their order: no atomics, and the same
// result on every run.
//
//===----------------------------------------------------------------------===//

#include "../HetKernelToSCF/TileCode.h"
#include "BlockProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::hetkernel;

namespace {

class OuterSumLaunch : TileCode {
public:
  OuterSumLaunch(OuterSumOp sum, int64_t threads, const LaunchOptions &options)
      : TileCode(sum, *sum.getSchedule(), sum.getTiles(),
                 sum.getYGather() ? sum.getYGather() : sum.getY(),
                 sum.getOut()),
        sum(sum), threads(threads), units(getUnits(options, getStoredType())),
        matrices(cast<MemRefType>(sum.getOut().getType())
                     .getShape()
                     .drop_front(sum.getTiles() ? 1 : 0)),
        numColumns(matrices.back()) {
    // Terms that cancel, such as gradients of scores, of all edges.
    if (!sum.getX() && getStoredType().isF32())
      sumType = builder.getF64Type();
  }

  LogicalResult verify() {
    return sum.getX() ? getShape().verify(sum, sumType) : success();
  }
  void run();

private:
  /// The blocks of products with `x`. All have as many threads, if their
  /// factors fit shared memory, so that sums of small matrices and of large
  /// ones can be one launch.
  BlockShape getShape() {
    int64_t minThreads = threads;
    auto shape = [&] {
      return BlockShape(schedule, threads, minThreads,
                        matrices[matrices.size() - 2], numColumns);
    };
    while (minThreads > 1 && !shape().fits(sumType))
      minThreads /= 2;
    return shape();
  }
  /// The launch over tiles, blocks of the matrix and heads; `builder` goes into
  /// it. Sets the tile, its rows, and the indices of the head.
  gpu::LaunchOp enterTiles(int64_t numBlocks, ArrayRef<int64_t> blockThreads);
  /// Goes to the rows of the tile, or of each tile of the task.
  TaskRange enterRows(gpu::LaunchOp launch);
  ProductOperand getOperand(Value source, Value list, Value firstIndex,
                            int64_t size, int64_t blockSize);
  void emitProducts();
  void emitRowSums();
  void emitTotals();
  /// Stores what a tile has in row `k`, if there is one, and `column`.
  void storePartial(Value value, Value k, Value column);
  /// The same with what `numbers` are, from `column` on.
  void storePartials(ValueRange numbers, Value k, Value column);
  /// The first tile of a type that is not below `type`.
  Value findTile(Value type);

  OuterSumOp sum;
  int64_t threads;
  ProductUnits units;
  /// Sizes `[b..., K, N]` of what is summed up for a type.
  ArrayRef<int64_t> matrices;
  int64_t numColumns;
  /// The sums of each tile.
  Value partial;
  Value tile;
  TaskRange rows;
};

} // namespace

gpu::LaunchOp OuterSumLaunch::enterTiles(int64_t numBlocks,
                                         ArrayRef<int64_t> blockThreads) {
  int64_t rank = cast<MemRefType>(partial.getType()).getRank();
  SmallVector<Value> heads =
      getSizes(builder, partial, 1, rank - (sum.getX() ? 2 : 1));
  Value tasks = builder.createOrFold<arith::CeilDivUIOp>(
      getNumTiles(), createIndex(builder, schedule.getCoarsening()));
  gpu::LaunchOp launch = enterLaunch(
      builder,
      {tasks, createIndex(builder, numBlocks), multiply(builder, heads)},
      blockThreads);
  batch = delinearize(builder, launch.getBlockIds().z, heads);
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

/// Without `x`: each line of threads sums up some rows, then the lines add
/// pairs of sums.
void OuterSumLaunch::emitRowSums() {
  int64_t lanes = std::min<int64_t>(
              {32, static_cast<int64_t>(llvm::PowerOf2Ceil(numColumns)),
               static_cast<int64_t>(llvm::bit_floor(uint64_t(threads)))}),
          lines = llvm::bit_floor(uint64_t(threads / lanes));
  gpu::LaunchOp launch = enterTiles(
      llvm::divideCeil(uint64_t(numColumns), lanes), {lanes, lines, 1});
  auto sharedType = MemRefType::get(
      {lines, lanes}, sumType, MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(builder.getContext(),
                                 gpu::GPUDialect::getWorkgroupAddressSpace()));
  Value shared = launch.addWorkgroupAttribution(sharedType, builder.getLoc());
  Value lane = launch.getThreadIds().x, line = launch.getThreadIds().y;
  Value column = arith::AddIOp::create(
      builder,
      arith::MulIOp::create(builder, launch.getBlockIds().y,
                            createIndex(builder, lanes)),
      lane);
  Value inside = arith::MinUIOp::create(builder, column,
                                        createIndex(builder, numColumns - 1));
  rows = enterRows(launch);
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(sumType));
  auto loop = scf::ForOp::create(
      builder, arith::AddIOp::create(builder, rows.begin, line), rows.end,
      createIndex(builder, lines), zero);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value row = getRow(sum.getYGather(), loop.getInductionVar());
    Value next = arith::AddFOp::create(builder, loop.getRegionIterArg(0),
                                       load(sum.getY(), around(row, inside)));
    scf::YieldOp::create(builder, next);
  }
  // Others may still read the sums of the tile before this one.
  if (schedule.getCoarsening() > 1)
    gpu::BarrierOp::create(builder);
  SmallVector<Value> mine{line, lane};
  memref::StoreOp::create(builder, loop.getResult(0), shared, mine);
  for (int64_t half = lines / 2; half > 0; half /= 2) {
    gpu::BarrierOp::create(builder);
    auto adds = scf::IfOp::create(builder, isBelow(builder, line, half),
                                  /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(adds.thenBlock());
    SmallVector<Value> other{add(line, half), lane};
    Value total = arith::AddFOp::create(
        builder, memref::LoadOp::create(builder, shared, mine),
        memref::LoadOp::create(builder, shared, other));
    memref::StoreOp::create(builder, total, shared, mine);
  }
  // The first line wrote what it reads here.
  Value stores = arith::AndIOp::create(builder, isBelow(builder, line, 1),
                                       isBelow(builder, column, numColumns));
  auto store = scf::IfOp::create(builder, stores, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(store.thenBlock());
  storePartial(memref::LoadOp::create(builder, shared, mine), Value(), column);
}

//===----------------------------------------------------------------------===//
// Sums of types
//===----------------------------------------------------------------------===//

Value OuterSumLaunch::findTile(Value type) {
  Value zero = createIndex(builder, 0);
  return findFirst(builder, getNumTiles(),
                   [&](ImplicitLocOpBuilder &body, Value number) -> Value {
                     return arith::CmpIOp::create(
                         body, arith::CmpIPredicate::ult,
                         loadIndex(body, sum.getTiles(), {number, zero}), type);
                   });
}

/// Adds up what the tiles of a type have, a thread for each number of `out`.
void OuterSumLaunch::emitTotals() {
  Value out = sum.getOut();
  SmallVector<Value> sizes =
      getSizes(builder, out, 0, cast<MemRefType>(out.getType()).getRank());
  Value total = multiply(builder, sizes);
  auto forall =
      scf::ForallOp::create(builder, ArrayRef<OpFoldResult>{total},
                            /*outputs=*/ValueRange(), /*mapping=*/std::nullopt);
  builder.setInsertionPointToStart(forall.getBody());
  SmallVector<Value> position =
      delinearize(builder, forall.getInductionVar(0), sizes);
  Value begin = createIndex(builder, 0), end = getNumTiles();
  if (sum.getTiles()) {
    // Tiles are in the order of their types.
    Value type = position.front();
    begin = findTile(type);
    end =
        findTile(arith::AddIOp::create(builder, type, createIndex(builder, 1)));
  }
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(sumType));
  auto loop =
      scf::ForOp::create(builder, begin, end, createIndex(builder, 1), zero);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> inTile{loop.getInductionVar()};
    llvm::append_range(inTile,
                       ArrayRef(position).drop_front(sum.getTiles() ? 1 : 0));
    Value next =
        arith::AddFOp::create(builder, loop.getRegionIterArg(0),
                              memref::LoadOp::create(builder, partial, inTile));
    scf::YieldOp::create(builder, next);
  }
  Value result = loop.getResult(0);
  if (sumType != getStoredType())
    result = arith::TruncFOp::create(builder, getStoredType(), result);
  memref::StoreOp::create(builder, result, out, position);
}

void OuterSumLaunch::run() {
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
    builder.setLoc(nameLocation(builder.getLoc(), "totals", partial));
    emitTotals();
  }
  memref::DeallocOp::create(builder, partial);
  sum.erase();
}

LogicalResult hetkernel::launchOuterSum(OuterSumOp sum,
                                        const LaunchOptions &options,
                                        int64_t &numTemporaries) {
  if (!sum.getSchedule())
    return sum.emitOpError("expected a schedule, got none");
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
  FailureOr<int64_t> threads = getThreads(sum, *sum.getSchedule(), options);
  if (failed(threads))
    return failure();
  if (ShapedType::getNumElements(matrices) == 0) { // Nothing to store.
    sum.erase();
    return success();
  }
  ++numTemporaries;
  OuterSumLaunch launch(sum, *threads, options);
  if (failed(launch.verify()))
    return failure();
  launch.run();
  return success();
}
