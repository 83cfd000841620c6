//===- Gemm.cpp - hetkernel.gemm as a grid of register blocks -------------===//

#include "../HetKernelToSCF/TileCode.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::hetkernel;

namespace {

class GemmLaunch : GemmCode {
public:
  GemmLaunch(GemmOp gemm, int64_t threads)
      : GemmCode(gemm), lanes(schedule.getVectorWidth()),
        lines(threads / lanes),
        numColumns(
            cast<MemRefType>(gemm.getOut().getType()).getShape().back()) {}

  void run();

private:
  int64_t getBlockColumns() { return schedule.getBlockVectors() * lanes; }
  bool hasColumnTail() { return numColumns % getBlockColumns() != 0; }
  /// The indices of heads or blocks that one number stands for.
  void splitBatch(Value number, ValueRange sizes);
  void emitBlock(Value first, Value end);
  SmallVector<Value> emitProduct(ArrayRef<Value> listRows);
  void emitRowStores(Value row, ArrayRef<Value> sums);
  void emitStore(Value sum, Value scale, Value row, Value column);

  Value isBelow(Value index, Value end) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, index,
                                 end);
  }

  /// Threads of a block along the columns, and along the rows.
  int64_t lanes, lines;
  int64_t numColumns;

  /// The columns of this thread, also those behind the last.
  SmallVector<Value> columns;
};

} // namespace

void GemmLaunch::splitBatch(Value number, ValueRange sizes) {
  batch.resize(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 1;) {
    batch[dim] = arith::RemUIOp::create(builder, number, sizes[dim]);
    number = arith::DivUIOp::create(builder, number, sizes[dim]);
  }
  if (!sizes.empty())
    batch[0] = number;
}

/// The sums of a register block, row by row: the loop over the inner dimension.
SmallVector<Value> GemmLaunch::emitProduct(ArrayRef<Value> listRows) {
  bool scaled = isScaled(RowScale::Load);
  SmallVector<Value> inputRows, scales;
  for (Value row : listRows) {
    inputRows.push_back(getRow(gemm.getGather(), row));
    if (scaled)
      scales.push_back(load(gemm.getScale(), row));
  }
  SmallVector<Value> inputColumns(columns);
  if (hasColumnTail())
    for (Value &column : inputColumns)
      column = arith::MinUIOp::create(builder, column,
                                      createIndex(builder, numColumns - 1));
  Value zero =
      arith::ConstantOp::create(builder, builder.getZeroAttr(sumType));
  SmallVector<Value> sums(inputRows.size() * inputColumns.size(), zero);
  int64_t rank = cast<MemRefType>(gemm.getX().getType()).getRank();
  Value inner = memref::DimOp::create(builder, gemm.getX(), rank - 1);
  auto loop = scf::ForOp::create(builder, createIndex(builder, 0), inner,
                                 createIndex(builder, 1), sums);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  llvm::copy(loop.getRegionIterArgs(), sums.begin());
  SmallVector<Value> factors;
  for (Value column : inputColumns)
    factors.push_back(load(gemm.getWeight(), gemm.getTransposed()
                                                 ? around(type, {column, k})
                                                 : around(type, {k, column})));
  Value *sum = sums.begin();
  for (auto [r, row] : llvm::enumerate(inputRows)) {
    Value x = load(gemm.getX(), around(row, k));
    if (scaled)
      x = arith::MulFOp::create(builder, x, scales[r]);
    for (Value factor : factors) {
      *sum = math::FmaOp::create(builder, x, factor, *sum);
      ++sum;
    }
  }
  scf::YieldOp::create(builder, sums);
  return SmallVector<Value>(loop.getResults());
}

void GemmLaunch::emitStore(Value sum, Value scale, Value row, Value column) {
  SmallVector<Value> position = around(row, column);
  if (scale)
    sum = arith::MulFOp::create(builder, sum, scale);
  if (gemm.getBias())
    sum = arith::AddFOp::create(builder, sum,
                                load(gemm.getBias(), getBiasPosition(column)));
  if (gemm.getAccumulate())
    sum = arith::AddFOp::create(builder, load(gemm.getOut(), position), sum);
  if (sum.getType() != getStoredType())
    sum = arith::TruncFOp::create(builder, getStoredType(), sum);
  memref::StoreOp::create(builder, sum, gemm.getOut(), position);
}

/// Stores the sums of list position `row`.
void GemmLaunch::emitRowStores(Value row, ArrayRef<Value> sums) {
  Value scale;
  if (isScaled(RowScale::Store))
    scale = load(gemm.getScale(), row);
  Value target = getRow(gemm.getScatter(), row);
  for (auto [column, sum] : llvm::zip(columns, sums)) {
    OpBuilder::InsertionGuard guard(builder);
    if (hasColumnTail()) {
      auto exists = scf::IfOp::create(
          builder, isBelow(column, createIndex(builder, numColumns)),
          /*withElseRegion=*/false);
      builder.setInsertionPointToStart(exists.thenBlock());
    }
    emitStore(sum, scale, target, column);
  }
}

/// A register block whose first row is `first` and exists.
void GemmLaunch::emitBlock(Value first, Value end) {
  Value last = arith::SubIOp::create(builder, end, createIndex(builder, 1));
  SmallVector<Value> positions, listRows;
  for (int64_t r = 0; r < schedule.getBlockRows(); ++r) {
    positions.push_back(add(first, r * lines));
    listRows.push_back(
        r == 0 ? first : arith::MinUIOp::create(builder, positions[r], last));
  }
  SmallVector<Value> sums = emitProduct(listRows);
  for (auto [r, row] : llvm::enumerate(positions)) {
    OpBuilder::InsertionGuard guard(builder);
    if (r > 0) {
      auto exists = scf::IfOp::create(builder, isBelow(row, end),
                                      /*withElseRegion=*/false);
      builder.setInsertionPointToStart(exists.thenBlock());
    }
    emitRowStores(row,
                  ArrayRef(sums).slice(r * columns.size(), columns.size()));
  }
}

void GemmLaunch::run() {
  Value tiles = getNumTiles(), heads = createIndex(builder, 1);
  SmallVector<Value> sizes;
  int64_t rank = cast<MemRefType>(gemm.getOut().getType()).getRank();
  for (int64_t dim = 1; dim < rank - 1; ++dim) {
    sizes.push_back(builder.createOrFold<memref::DimOp>(gemm.getOut(), dim));
    heads = builder.createOrFold<arith::MulIOp>(heads, sizes.back());
  }
  Value columnTiles = createIndex(
      builder, llvm::divideCeil(uint64_t(numColumns), getBlockColumns()));
  Value coarsening = createIndex(builder, schedule.getCoarsening());
  Value tasks = builder.createOrFold<arith::CeilDivUIOp>(tiles, coarsening);
  gpu::LaunchOp launch =
      enterLaunch(builder, {tasks, columnTiles, heads}, {lanes, lines, 1});

  gpu::KernelDim3 block = launch.getBlockIds(), thread = launch.getThreadIds();
  splitBatch(block.z, sizes);
  Value tile = block.x;
  if (schedule.getCoarsening() > 1) {
    Value begin = arith::MulIOp::create(builder, block.x, coarsening);
    Value end = arith::AddIOp::create(builder, begin, coarsening);
    tile = enterLoop(builder, begin,
                     arith::MinUIOp::create(builder, end, tiles), 1);
  }
  TaskRange rows = getTile(tile);
  Value column = arith::AddIOp::create(
      builder,
      arith::MulIOp::create(builder, block.y,
                            createIndex(builder, getBlockColumns())),
      thread.x);
  for (int64_t v = 0; v < schedule.getBlockVectors(); ++v)
    columns.push_back(add(column, v * lanes));
  Value begin = arith::AddIOp::create(builder, rows.begin, thread.y);
  Value first =
      enterLoop(builder, begin, rows.end, lines * schedule.getBlockRows());
  emitBlock(first, rows.end);
  gemm.erase();
}

LogicalResult hetkernel::launchGemm(GemmOp gemm, int64_t threads) {
  if (!gemm.getSchedule())
    return gemm.emitOpError("expected a schedule, got none");
  for (Value buffer : {gemm.getX(), gemm.getWeight(), gemm.getOut()})
    if (!isa<MemRefType>(buffer.getType()))
      return gemm.emitOpError() << "expected buffers, got " << buffer.getType();
  auto out = cast<MemRefType>(gemm.getOut().getType());
  if (ShapedType::isDynamic(out.getShape().back()))
    return gemm.emitOpError()
           << "expected a known number of columns, got " << out;
  if (int64_t wanted = gemm.getSchedule()->getThreads())
    threads = wanted;
  int64_t lanes = gemm.getSchedule()->getVectorWidth();
  if (lanes > threads || threads % lanes != 0)
    return gemm.emitOpError()
           << "expected vectors that divide a block of " << threads
           << " threads, got " << lanes << " lanes";
  if (out.getShape().back() == 0) { // Nothing to store.
    gemm.erase();
    return success();
  }
  GemmLaunch(gemm, threads).run();
  return success();
}
