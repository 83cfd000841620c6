//===- BlockProduct.cpp - products by blocks of threads -------------------===//

#include "BlockProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Terms of a sum that are in shared memory at once: 64 rows and 64 columns of
/// f32 take 16 kB, twice.
constexpr int64_t numTerms = 16;

BlockShape::BlockShape(GemmScheduleAttr schedule, int64_t threads,
                       int64_t maxRows, int64_t maxColumns) {
  auto divide = [](int64_t count, int64_t by) {
    return static_cast<int64_t>(llvm::divideCeil(uint64_t(count), by));
  };
  lanes = std::min<int64_t>(schedule.getVectorWidth(),
                            llvm::PowerOf2Ceil(maxColumns));
  columns = std::min(schedule.getBlockVectors(), divide(maxColumns, lanes));
  lines = threads / lanes;
  rows = std::min(schedule.getBlockRows(), divide(maxRows, lines));
}

BlockProduct::BlockProduct(ImplicitLocOpBuilder &builder, gpu::LaunchOp launch,
                           BlockShape shape, Type sumType, ProductOperand first,
                           ProductOperand second, bool asyncCopies)
    : builder(builder), shape(shape), sumType(sumType),
      asyncCopies(asyncCopies),
      first{std::move(first), shape.getRows(), {}, {}},
      second{std::move(second), shape.getColumns(), {}, {}} {
  allocate(launch, this->first);
  allocate(launch, this->second);
  gpu::KernelDim3 id = launch.getThreadIds();
  auto times = [&](Value value, int64_t factor) {
    return builder.createOrFold<arith::MulIOp>(value,
                                               createIndex(builder, factor));
  };
  thread = arith::AddIOp::create(builder, times(id.y, shape.lanes), id.x);
  row = times(id.y, shape.rows);
  column = times(id.x, shape.columns);
}

void BlockProduct::allocate(gpu::LaunchOp launch, Tile &tile) {
  // Threads that store along the sum would all hit one bank without padding,
  // which keeps four numbers that follow each other aligned.
  int64_t pitch = tile.size + (tile.operand.isSumContiguous ? 4 : 0);
  auto type = MemRefType::get(
      {2, numTerms, pitch}, sumType, MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(builder.getContext(),
                                 gpu::GPUDialect::getWorkgroupAddressSpace()));
  tile.shared = launch.addWorkgroupAttribution(type, builder.getLoc());
}

bool BlockProduct::isAsync(const Tile &tile) {
  return asyncCopies &&
         cast<MemRefType>(tile.operand.source.getType()).getElementType() ==
             sumType;
}

void BlockProduct::locate(Tile &tile) {
  const int64_t total = numTerms * tile.size, threads = shape.getThreads();
  tile.copies.clear();
  for (int64_t begin = 0; begin < total; begin += threads) {
    Value number = builder.createOrFold<arith::AddIOp>(
        thread, createIndex(builder, begin));
    Value minor = createIndex(
        builder, tile.operand.isSumContiguous ? numTerms : tile.size);
    Value quotient = builder.createOrFold<arith::DivUIOp>(number, minor),
          remainder = builder.createOrFold<arith::RemUIOp>(number, minor);
    Tile::Copy copy;
    std::tie(copy.depth, copy.index) = tile.operand.isSumContiguous
                                           ? std::pair(remainder, quotient)
                                           : std::pair(quotient, remainder);
    if (begin + threads > total)
      copy.exists = isBelow(builder, number, total);
    copy.place = tile.operand.locate(copy.index);
    tile.copies.push_back(copy);
  }
}

void BlockProduct::copy(const Tile &tile, const Tile::Copy &copy, Value begin,
                        Value depth, Value slot) {
  Value term = arith::AddIOp::create(builder, begin, copy.depth), exists;
  std::optional<int64_t> known = getConstantIntValue(depth);
  if (!known || *known % numTerms != 0) {
    // Behind the last term comes the last one again, and counts as zero.
    Value last =
        builder.createOrFold<arith::SubIOp>(depth, createIndex(builder, 1));
    exists =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ule, term, last);
    term = arith::MinUIOp::create(builder, term, last);
  }
  SmallVector<Value> from = tile.operand.getPosition(copy.place, term);
  SmallVector<Value> to{slot, copy.depth, copy.index};
  if (isAsync(tile)) {
    Value count;
    if (exists)
      count =
          arith::IndexCastUIOp::create(builder, builder.getIndexType(), exists);
    nvgpu::DeviceAsyncCopyOp::create(
        builder, nvgpu::DeviceAsyncTokenType::get(builder.getContext()),
        tile.shared, to, tile.operand.source, from, builder.getIndexAttr(1),
        count, /*bypassL1=*/UnitAttr());
    return;
  }
  Value number = memref::LoadOp::create(builder, tile.operand.source, from);
  if (number.getType() != sumType)
    number = arith::ExtFOp::create(builder, sumType, number);
  if (exists)
    number = arith::SelectOp::create(
        builder, exists, number,
        arith::ConstantOp::create(builder, builder.getZeroAttr(sumType)));
  memref::StoreOp::create(builder, number, tile.shared, to);
}

void BlockProduct::load(const Tile &tile, Value begin, Value depth,
                        Value slot) {
  for (const Tile::Copy &mine : tile.copies) {
    OpBuilder::InsertionGuard guard(builder);
    if (mine.exists) {
      auto own = scf::IfOp::create(builder, mine.exists,
                                   /*withElseRegion=*/false);
      builder.setInsertionPointToStart(own.thenBlock());
    }
    copy(tile, mine, begin, depth, slot);
  }
}

SmallVector<Value> BlockProduct::accumulate(Value slot, ArrayRef<Value> scales,
                                            ValueRange sums) {
  auto loop = scf::ForOp::create(builder, createIndex(builder, 0),
                                 createIndex(builder, numTerms),
                                 createIndex(builder, 1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  auto read = [&](const Tile &tile, Value begin, int64_t count) {
    SmallVector<Value> numbers;
    for (int64_t i = 0; i < count; ++i) {
      Value index =
          builder.createOrFold<arith::AddIOp>(begin, createIndex(builder, i));
      numbers.push_back(memref::LoadOp::create(
          builder, tile.shared,
          ValueRange{slot, loop.getInductionVar(), index}));
    }
    return numbers;
  };
  SmallVector<Value> rows = read(first, row, shape.rows),
                     columns = read(second, column, shape.columns), next;
  for (auto [factor, scale] : llvm::zip(rows, scales))
    factor = arith::MulFOp::create(builder, factor, scale);
  for (auto [r, factor] : llvm::enumerate(rows))
    for (auto [c, other] : llvm::enumerate(columns))
      next.push_back(
          math::FmaOp::create(builder, factor, other,
                              loop.getRegionIterArg(r * shape.columns + c)));
  scf::YieldOp::create(builder, next);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> BlockProduct::emit(Value depth, ArrayRef<Value> scales) {
  Value zero = createIndex(builder, 0), one = createIndex(builder, 1),
        step = createIndex(builder, numTerms);
  locate(first);
  locate(second);
  auto loadInto = [&](Value begin, Value slot) {
    Value any =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, begin, depth);
    auto guarded = scf::IfOp::create(builder, any, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(guarded.thenBlock());
    load(first, begin, depth, slot);
    load(second, begin, depth, slot);
  };
  // Others may still read what a product before this one had there.
  gpu::BarrierOp::create(builder);
  loadInto(zero, zero);

  SmallVector<Value> inits(
      shape.rows * shape.columns,
      arith::ConstantOp::create(builder, builder.getZeroAttr(sumType)));
  inits.push_back(zero);
  auto loop = scf::ForOp::create(builder, zero, depth, step, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value begin = loop.getInductionVar(), slot = loop.getRegionIterArgs().back();
  if (isAsync(first) || isAsync(second)) {
    auto token = nvgpu::DeviceAsyncTokenType::get(builder.getContext());
    Value group =
        nvgpu::DeviceAsyncCreateGroupOp::create(builder, token, ValueRange());
    nvgpu::DeviceAsyncWaitOp::create(builder, group, IntegerAttr());
  }
  // The terms are there, and all have read those before them.
  gpu::BarrierOp::create(builder);
  Value other = arith::SubIOp::create(builder, one, slot);
  loadInto(arith::AddIOp::create(builder, begin, step), other);
  SmallVector<Value> next =
      accumulate(slot, scales, loop.getRegionIterArgs().drop_back());
  next.push_back(other);
  scf::YieldOp::create(builder, next);
  return SmallVector<Value>(loop.getResults().drop_back());
}
