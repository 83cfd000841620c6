//===- Gemm.cpp - hetkernel.gemm as a grid of products of blocks ----------===//

#include "Alignment.h"
#include "BlockProduct.h"
#include "ProductLaunch.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Dialect/HetKernel/Utils/Schedules.h"
#include "RGNN/Dialect/HetKernel/Utils/TileCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::hetkernel;

namespace {

class GemmLaunch : GemmCode {
public:
  GemmLaunch(GemmOp gemm, GPUGemmScheduleAttr schedule, int64_t threads,
             const LaunchOptions &options);

  LogicalResult verify() { return shape.verify(gemm, sumType); }
  void run();

private:
  bool hasColumnTail() { return numColumns % shape.getColumns() != 0; }
  ProductOperand getRowOperand();
  ProductOperand getWeightOperand();
  void emitBlock(BlockProduct &product, ValueRange sums, Value end);
  /// How many of the columns that a thread has side by side it stores at once.
  int64_t getStoredAtOnce(int64_t columns);
  void storeNumbers(ValueRange sums, Value scale, Value row, Value column);

  GPUGemmScheduleAttr schedule;
  ProductUnits units;
  int64_t numColumns;
  BlockShape shape;
  /// Whether a tile has at most the rows of a block, and whether all of them. A
  /// loop over its blocks would keep what is the same in all of them, in
  /// registers that sums need.
  bool isTileOneBlock = false, hasAllRows = false;
  /// The first list position and the last one of the rows of a block, and the
  /// first column.
  Value firstRow, lastRow, firstColumn;
};

} // namespace

/// The rows of tiles that are constant, as those of stacked weights are: of the
/// smallest and of the largest.
static std::optional<std::pair<int64_t, int64_t>>
getConstantTileRows(Value tiles) {
  auto constant = tiles.getDefiningOp<memref::GetGlobalOp>();
  auto global = constant
                    ? SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
                          constant, constant.getNameAttr())
                    : nullptr;
  auto numbers = global ? dyn_cast_or_null<DenseIntElementsAttr>(
                              global.getConstantInitValue())
                        : nullptr;
  if (!numbers || numbers.empty())
    return std::nullopt;
  auto fields =
      llvm::map_to_vector(numbers.getValues<APInt>(), [](const APInt &field) {
        return field.getSExtValue();
      });
  SmallVector<int64_t> rows;
  for (size_t tile = 0; tile < fields.size(); tile += 3)
    rows.push_back(fields[tile + 2] - fields[tile + 1]);
  auto [least, most] = std::minmax_element(rows.begin(), rows.end());
  return std::pair(*least, *most);
}

GemmLaunch::GemmLaunch(GemmOp gemm, GPUGemmScheduleAttr schedule,
                       int64_t threads, const LaunchOptions &options)
    : GemmCode(gemm), schedule(schedule),
      units(getUnits(options, getStoredType())),
      numColumns(cast<MemRefType>(gemm.getOut().getType()).getShape().back()),
      shape(schedule, threads, /*minThreads=*/64, schedule.getTileRows(),
            numColumns) {
  // Tensor cores would round the product with the scale.
  units.tensorCores &= !isScaled(RowScale::Load);
  std::optional<int64_t> most = schedule.getTileRows();
  if (Value tiles = gemm.getTiles()) {
    most = getViewTileRows(tiles);
    if (auto rows = getConstantTileRows(tiles); rows && rows->first > 0) {
      most = rows->second;
      hasAllRows = rows->first >= shape.getRows();
    }
  }
  isTileOneBlock = most && *most <= shape.getRows();
  hasAllRows &= isTileOneBlock;
}

/// Behind the last row comes the last one again; its sums are not stored. Rows
/// that a thread copies number by number, of many rows, are zeros there.
ProductOperand GemmLaunch::getRowOperand() {
  const int64_t atOnce = getMovedAtOnce(gemm.getX());
  const bool hasZeros = atOnce == 1 && !gemm.getGather() && !hasAllRows &&
                        isCopiedAsync(units, gemm.getX(), sumType);
  ProductOperand operand{gemm.getX(), /*isSumContiguous=*/true, atOnce,
                         [this, hasZeros](Value index) -> Value {
                           Value row =
                               arith::AddIOp::create(builder, firstRow, index);
                           if (!hasZeros && !hasAllRows)
                             row =
                                 arith::MinUIOp::create(builder, row, lastRow);
                           return getRow(gemm.getGather(), row);
                         },
                         [this](Value row, Value k) { return around(row, k); }};
  if (hasZeros)
    operand.exists = [this](Value index) -> Value {
      Value last = arith::SubIOp::create(builder, lastRow, firstRow);
      return arith::CmpIOp::create(builder, arith::CmpIPredicate::ule, index,
                                   last);
    };
  return operand;
}

ProductOperand GemmLaunch::getWeightOperand() {
  const bool transposed = gemm.getTransposed();
  int64_t atOnce = getMovedAtOnce(gemm.getWeight());
  if (!transposed)
    atOnce = std::gcd(atOnce, shape.getColumns());
  const int64_t last = numColumns - (transposed ? 1 : atOnce);
  return {gemm.getWeight(), transposed, atOnce,
          [this, last](Value index) {
            Value column = arith::AddIOp::create(builder, firstColumn, index);
            if (!hasColumnTail())
              return column;
            return arith::MinUIOp::create(builder, column,
                                          createIndex(builder, last))
                .getResult();
          },
          [this](Value column, Value k) {
            return gemm.getTransposed() ? around(type, {column, k})
                                        : around(type, {k, column});
          }};
}

int64_t GemmLaunch::getStoredAtOnce(int64_t columns) {
  if (hasColumnTail() || gemm.getAtomic() || gemm.getAccumulate())
    return 1;
  return std::gcd(columns, getMovedAtOnce(gemm.getOut()));
}

void GemmLaunch::storeNumbers(ValueRange sums, Value scale, Value row,
                              Value column) {
  SmallVector<Value> numbers;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value number = finishNumber(
        sum, scale,
        builder.createOrFold<arith::AddIOp>(column, createIndex(builder, i)));
    if (number.getType() != getStoredType())
      number = arith::TruncFOp::create(builder, getStoredType(), number);
    numbers.push_back(number);
  }
  storeAtOnce(builder, numbers, gemm.getOut(), around(row, column));
}

/// Stores the register block of a thread, as far as there are rows and columns.
void GemmLaunch::emitBlock(BlockProduct &product, ValueRange sums, Value end) {
  const int64_t width = getStoredAtOnce(product.getAdjacentColumns());
  for (Value blockRow : product.getRows()) {
    OpBuilder::InsertionGuard guard(builder);
    Value row = arith::AddIOp::create(builder, firstRow, blockRow);
    if (!hasAllRows) {
      auto exists = scf::IfOp::create(
          builder,
          arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, row, end),
          /*withElseRegion=*/false);
      builder.setInsertionPointToStart(exists.thenBlock());
    }
    Value scale;
    if (isScaled(RowScale::Store))
      scale = load(gemm.getScale(), row);
    Value target = getRow(gemm.getScatter(), row);
    for (ArrayRef<Value> columns = product.getColumns(); !columns.empty();
         columns = columns.drop_front(width)) {
      OpBuilder::InsertionGuard inRow(builder);
      Value column =
          arith::AddIOp::create(builder, firstColumn, columns.front());
      if (width > 1) {
        storeNumbers(sums.take_front(width), scale, target, column);
        sums = sums.drop_front(width);
        continue;
      }
      if (hasColumnTail()) {
        auto inside =
            scf::IfOp::create(builder, isBelow(builder, column, numColumns),
                              /*withElseRegion=*/false);
        builder.setInsertionPointToStart(inside.thenBlock());
      }
      storeNumber(sums.front(), scale, target, column);
      sums = sums.drop_front();
    }
  }
}

void GemmLaunch::run() {
  Value tiles = getNumTiles();
  Value tasks = builder.createOrFold<arith::CeilDivUIOp>(
      tiles, createIndex(builder, schedule.getCoarsening()));
  int64_t rank = cast<MemRefType>(gemm.getOut().getType()).getRank();
  SmallVector<Value> heads =
      rgnn::getSizes(builder, gemm.getOut(), 1, rank - 1);
  Value columnTiles = createIndex(
      builder, llvm::divideCeil(uint64_t(numColumns), shape.getColumns()));
  gpu::LaunchOp launch = rgnn::enterLaunch(
      builder, {tasks, columnTiles, rgnn::multiply(builder, heads)},
      {shape.lanes, shape.lines, 1});

  gpu::KernelDim3 block = launch.getBlockIds();
  batch = rgnn::delinearize(builder, block.z, heads);
  firstColumn = arith::MulIOp::create(builder, block.y,
                                      createIndex(builder, shape.getColumns()));
  shape.interleaved = getStoredAtOnce(shape.columns) == 1;
  BlockProduct product(builder, launch, shape, sumType, getRowOperand(),
                       getWeightOperand(), units);
  TaskRange rows =
      getTile(enterCoarse(builder, block.x, tiles, schedule.getCoarsening()));
  lastRow = arith::SubIOp::create(builder, rows.end, createIndex(builder, 1));
  firstRow = isTileOneBlock
                 ? rows.begin
                 : enterLoop(builder, rows.begin, rows.end, shape.getRows());
  SmallVector<Value> scales;
  if (isScaled(RowScale::Load))
    for (Value blockRow : product.getRows()) {
      Value row = arith::AddIOp::create(builder, firstRow, blockRow);
      if (!hasAllRows)
        row = arith::MinUIOp::create(builder, row, lastRow);
      scales.push_back(load(gemm.getScale(), row));
    }
  int64_t inner = cast<MemRefType>(gemm.getX().getType()).getRank() - 1;
  SmallVector<Value> sums = product.emit(
      builder.createOrFold<memref::DimOp>(gemm.getX(), inner), scales);
  emitBlock(product, sums, rows.end);
  gemm.erase();
}

LogicalResult hetkernel::launchGemm(GemmOp gemm, const LaunchOptions &options) {
  auto schedule = expectSchedule<GPUGemmScheduleAttr>(gemm);
  if (failed(schedule))
    return failure();
  for (Value buffer : {gemm.getX(), gemm.getWeight(), gemm.getOut()})
    if (!isa<MemRefType>(buffer.getType()))
      return gemm.emitOpError() << "expected buffers, got " << buffer.getType();
  auto out = cast<MemRefType>(gemm.getOut().getType());
  if (ShapedType::isDynamic(out.getShape().back()))
    return gemm.emitOpError()
           << "expected a known number of columns, got " << out;
  FailureOr<int64_t> threads = getThreads(gemm, *schedule, options);
  if (failed(threads))
    return failure();
  if (out.getShape().back() == 0) { // Nothing to store.
    gemm.erase();
    return success();
  }
  GemmLaunch launch(gemm, *schedule, *threads, options);
  if (failed(launch.verify()))
    return failure();
  launch.run();
  return success();
}
