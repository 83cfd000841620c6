//===- BlockProduct.cpp - products by blocks of threads -------------------===//

#include "BlockProduct.h"
#include "Alignment.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::hetkernel;

ProductUnits hetkernel::getUnits(const LaunchOptions &options, Type stored) {
  bool isExact = stored.getIntOrFloatBitWidth() < 32;
  return {options.asyncCopies,
          options.tensorCores && (isExact || (stored.isF32() && options.tf32)),
          !isExact};
}

static Type getElementType(Value source) {
  return cast<MemRefType>(source.getType()).getElementType();
}

bool hetkernel::isCopiedAsync(const ProductUnits &units, Value source,
                              Type sumType) {
  return units.asyncCopies && getElementType(source) == sumType;
}

BlockProduct::BlockProduct(ImplicitLocOpBuilder &builder, gpu::LaunchOp launch,
                           BlockShape shape, Type sumType, ProductOperand first,
                           ProductOperand second, ProductUnits units)
    : builder(builder), numThreads(shape.getThreads()), sumType(sumType),
      units(units) {
  gpu::KernelDim3 id = launch.getThreadIds();
  Value line = builder.createOrFold<arith::MulIOp>(
      id.y, createIndex(builder, shape.lanes));
  thread = builder.createOrFold<arith::AddIOp>(line, id.x);
  if (units.tensorCores)
    core = createTensorCore(builder, shape, thread, units.rounds);
  if (!core)
    core = createThreadCore(builder, shape, id.y, id.x, sumType,
                            first.isSumContiguous, second.isSumContiguous);
  this->first = makeTile(launch, std::move(first), shape.getRows());
  this->second = makeTile(launch, std::move(second), shape.getColumns());
}

BlockProduct::Tile BlockProduct::makeTile(gpu::LaunchOp launch,
                                          ProductOperand operand,
                                          int64_t size) {
  if (operand.isSumContiguous)
    operand.copiedAtOnce = std::gcd(operand.copiedAtOnce, gpuProductTerms);
  assert(operand.isSumContiguous || size % operand.copiedAtOnce == 0);
  assert((!operand.exists || isCopiedAsync(units, operand.source, sumType)) &&
         "expected rows that are there of what threads load");
  int64_t pitch = core->getPitch(size, operand.isSumContiguous);
  Value memory = rgnn::addSharedBuffer(
      launch, {2, operand.isSumContiguous ? size : gpuProductTerms, pitch},
      sumType, builder.getLoc());
  SharedFactor shared{memory, operand.isSumContiguous};
  return {std::move(operand), size, shared, {}};
}

void BlockProduct::locate(Tile &tile) {
  const bool isSumContiguous = tile.operand.isSumContiguous;
  const int64_t atOnce = tile.operand.copiedAtOnce, threads = numThreads,
                total = gpuProductTerms * tile.size / atOnce;
  tile.copies.clear();
  for (int64_t begin = 0; begin < total; begin += threads) {
    Value number = builder.createOrFold<arith::AddIOp>(
        thread, createIndex(builder, begin));
    Value minor = createIndex(
        builder, (isSumContiguous ? gpuProductTerms : tile.size) / atOnce);
    Value quotient = builder.createOrFold<arith::DivUIOp>(number, minor),
          remainder = builder.createOrFold<arith::MulIOp>(
              builder.createOrFold<arith::RemUIOp>(number, minor),
              createIndex(builder, atOnce));
    Tile::Copy copy;
    std::tie(copy.depth, copy.index) = isSumContiguous
                                           ? std::pair(remainder, quotient)
                                           : std::pair(quotient, remainder);
    if (begin + threads > total)
      copy.isOwn = isBelow(builder, number, total);
    copy.place = tile.operand.locate(copy.index);
    if (tile.operand.exists)
      copy.exists = tile.operand.exists(copy.index);
    tile.copies.push_back(copy);
  }
}

void BlockProduct::copy(const Tile &tile, const Tile::Copy &copy, Value begin,
                        Value depth, Value slot) {
  const int64_t atOnce = tile.operand.copiedAtOnce;
  Value term = arith::AddIOp::create(builder, begin, copy.depth),
        exists = copy.exists;
  std::optional<int64_t> known = getConstantIntValue(depth);
  if (!known || *known % gpuProductTerms != 0) {
    // Behind the last terms come these again, and count as zero.
    int64_t terms = tile.operand.isSumContiguous ? atOnce : 1;
    Value last =
        builder.createOrFold<arith::SubIOp>(depth, createIndex(builder, terms));
    Value isTerm =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ule, term, last);
    exists = exists ? arith::AndIOp::create(builder, exists, isTerm) : isTerm;
    term = arith::MinUIOp::create(builder, term, last);
  }
  SmallVector<Value> from = tile.operand.getPosition(copy.place, term),
                     to = tile.shared.getPosition(slot, copy.depth, copy.index);
  if (isAsync(tile)) {
    Value count;
    if (exists)
      count =
          arith::SelectOp::create(builder, exists, createIndex(builder, atOnce),
                                  createIndex(builder, 0));
    nvgpu::DeviceAsyncCopyOp::create(
        builder, nvgpu::DeviceAsyncTokenType::get(builder.getContext()),
        tile.shared.memory, to, tile.operand.source, from,
        builder.getIndexAttr(atOnce), count, /*bypassL1=*/UnitAttr());
    return;
  }
  auto stored = VectorType::get(atOnce, getElementType(tile.operand.source)),
       summed = VectorType::get(atOnce, sumType);
  Value numbers =
      vector::LoadOp::create(builder, stored, tile.operand.source, from,
                             /*nontemporal=*/false, getVectorAlignment(stored));
  if (stored != summed)
    numbers = arith::ExtFOp::create(builder, summed, numbers);
  if (exists)
    numbers = arith::SelectOp::create(
        builder, exists, numbers,
        arith::ConstantOp::create(builder, builder.getZeroAttr(summed)));
  vector::StoreOp::create(builder, numbers, tile.shared.memory, to,
                          /*nontemporal=*/false, getVectorAlignment(summed));
}

void BlockProduct::load(const Tile &tile, Value begin, Value depth,
                        Value slot) {
  for (const Tile::Copy &mine : tile.copies) {
    OpBuilder::InsertionGuard guard(builder);
    if (mine.isOwn) {
      auto own =
          scf::IfOp::create(builder, mine.isOwn, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(own.thenBlock());
    }
    copy(tile, mine, begin, depth, slot);
  }
}

SmallVector<Value> BlockProduct::emit(Value depth, ArrayRef<Value> scales) {
  Value zero = createIndex(builder, 0), one = createIndex(builder, 1),
        step = createIndex(builder, gpuProductTerms);
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

  SmallVector<Value> inits = core->getZeros();
  inits.push_back(zero);
  auto loop = scf::ForOp::create(builder, zero, depth, step, inits);
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
      core->accumulate(first.shared, second.shared, slot, scales,
                       loop.getRegionIterArgs().drop_back());
  next.push_back(other);
  scf::YieldOp::create(builder, next);
  builder.setInsertionPointAfter(loop);
  return core->getSums(loop.getResults().drop_back());
}
