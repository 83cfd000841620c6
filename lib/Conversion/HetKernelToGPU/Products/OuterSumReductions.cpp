//===- OuterSumReductions.cpp - sums of rows, and of what tiles have ------===//
//
// Terms that a thread adds up one after another, of which it asks for several
// before it waits for the first.
//
//===----------------------------------------------------------------------===//

#include "OuterSum.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Terms that a thread asks for before it waits for the first.
constexpr size_t termsInFlight = 8;

/// In the order of their numbers. Behind the last, the first of a step is read
/// again.
Value OuterSumLaunch::addUp(Value begin, Value end, int64_t step,
                            function_ref<Value(Value)> read) {
  auto constant = [&](bool isNegative) -> Value {
    APFloat zero = APFloat::getZero(
        cast<FloatType>(sumType).getFloatSemantics(), isNegative);
    return arith::ConstantOp::create(builder,
                                     builder.getFloatAttr(sumType, zero));
  };
  Value none = constant(/*isNegative=*/true);
  auto loop = scf::ForOp::create(builder, begin, end,
                                 createIndex(builder, step * termsInFlight),
                                 constant(/*isNegative=*/false));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar();
  SmallVector<Value> terms{read(first)};
  while (terms.size() < termsInFlight) {
    Value number = add(first, step * terms.size());
    Value exists =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, number, end);
    Value term = read(arith::SelectOp::create(builder, exists, number, first));
    terms.push_back(arith::SelectOp::create(builder, exists, term, none));
  }
  Value total = loop.getRegionIterArg(0);
  for (Value term : terms)
    total = arith::AddFOp::create(builder, total, term);
  scf::YieldOp::create(builder, total);
  return loop.getResult(0);
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
  Value shared =
      rgnn::addSharedBuffer(launch, {lines, lanes}, sumType, builder.getLoc());
  Value lane = launch.getThreadIds().x, line = launch.getThreadIds().y;
  Value column = arith::AddIOp::create(
      builder,
      arith::MulIOp::create(builder, launch.getBlockIds().y,
                            createIndex(builder, lanes)),
      lane);
  Value inside = arith::MinUIOp::create(builder, column,
                                        createIndex(builder, numColumns - 1));
  rows = enterRows(launch);
  Value own = addUp(arith::AddIOp::create(builder, rows.begin, line), rows.end,
                    lines, [&](Value number) {
                      Value row = getRow(sum.getYGather(), number);
                      return load(sum.getY(), around(row, inside));
                    });
  // Others may still read the sums of the tile before this one.
  if (schedule.getCoarsening() > 1)
    gpu::BarrierOp::create(builder);
  SmallVector<Value> mine{line, lane};
  memref::StoreOp::create(builder, own, shared, mine);
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
  return findFirst(
      builder, getNumTiles(),
      [&](ImplicitLocOpBuilder &body, Value number) -> Value {
        return arith::CmpIOp::create(
            body, arith::CmpIPredicate::ult,
            loadIndex(body, sum.getTiles(), {number, zero}), type);
      },
      /*numProbes=*/7);
}

/// Adds up what the tiles of a type have, a thread for each number of `out`.
void OuterSumLaunch::emitTotals() {
  Value out = sum.getOut();
  SmallVector<Value> sizes = rgnn::getSizes(
      builder, out, 0, cast<MemRefType>(out.getType()).getRank());
  Value total = rgnn::multiply(builder, sizes);
  auto forall =
      scf::ForallOp::create(builder, ArrayRef<OpFoldResult>{total},
                            /*outputs=*/ValueRange(), /*mapping=*/std::nullopt);
  builder.setInsertionPointToStart(forall.getBody());
  SmallVector<Value> position =
      rgnn::delinearize(builder, forall.getInductionVar(0), sizes);
  Value begin = createIndex(builder, 0), end = getNumTiles();
  if (sum.getTiles()) {
    // Tiles are in the order of their types.
    Value type = position.front();
    begin = findTile(type);
    end =
        findTile(arith::AddIOp::create(builder, type, createIndex(builder, 1)));
  }
  Value result = addUp(begin, end, 1, [&](Value number) -> Value {
    SmallVector<Value> inTile{number};
    llvm::append_range(inTile,
                       ArrayRef(position).drop_front(sum.getTiles() ? 1 : 0));
    return memref::LoadOp::create(builder, partial, inTile);
  });
  if (sumType != getStoredType())
    result = arith::TruncFOp::create(builder, getStoredType(), result);
  memref::StoreOp::create(builder, result, out, position);
}
