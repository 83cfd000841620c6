//===- WarpVectors.cpp - vectors whose elements lanes share out -----------===//

#include "WarpVectors.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::hetkernel;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

int64_t WarpCode::getShareSize(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? llvm::divideCeil(uint64_t(vector.getNumElements()), numLanes)
                : 1;
}

Value WarpCode::hasElement(int64_t number, int64_t numElements) {
  int64_t left = numElements - number * numLanes;
  return left >= numLanes ? Value() : isBelow(builder, lane, left);
}

Value WarpCode::getElement(int64_t number) {
  Value first = createIndex(builder, number * numLanes);
  return isThread() ? first : builder.createOrFold<arith::AddIOp>(lane, first);
}

Value WarpCode::isFirstLane() {
  return isThread() ? Value() : isBelow(builder, lane, 1);
}

Value WarpCode::broadcast(Value value, int64_t from) {
  return isThread() ? value
                    : shuffle(value, createIndex(builder, from),
                              gpu::ShuffleMode::IDX);
}

Value WarpCode::shuffle(Value value, Value lane, gpu::ShuffleMode mode) {
  Type type = value.getType();
  // Lanes exchange 32 bits, or pairs of them.
  bool isNarrow = type.getIntOrFloatBitWidth() < 32;
  if (isNarrow)
    value = isa<FloatType>(type)
                ? arith::ExtFOp::create(builder, builder.getF32Type(), value)
                      .getResult()
                : arith::ExtUIOp::create(builder, builder.getI32Type(), value)
                      .getResult();
  Value offset =
      arith::IndexCastUIOp::create(builder, builder.getI32Type(), lane);
  Value width = arith::ConstantIntOp::create(builder, warpSize, 32);
  value = gpu::ShuffleOp::create(builder, value, offset, width, mode)
              .getShuffleResult();
  if (!isNarrow)
    return value;
  return isa<FloatType>(type)
             ? arith::TruncFOp::create(builder, type, value).getResult()
             : arith::TruncIOp::create(builder, type, value).getResult();
}

Share WarpCode::pick(ArrayRef<Value> source, const ElementMap &map,
                     function_ref<bool(int64_t)> isPicked) {
  const int64_t total = map.getNumElements();
  Share result;
  for (int64_t begin = 0; begin < total; begin += numLanes) {
    // The lanes and numbers of what lanes have here.
    bool isOwn = true;
    llvm::SmallSetVector<int64_t, 2> numbers, lanes;
    for (int64_t j = begin; j < std::min(begin + numLanes, total); ++j) {
      if (isPicked && !isPicked(j))
        continue;
      int64_t from = map.get(j);
      isOwn &= from % numLanes == j % numLanes;
      numbers.insert(from / numLanes);
      lanes.insert(from % numLanes);
    }
    Value from, place;
    if (numbers.size() > 1 || (!isOwn && lanes.size() > 1))
      from = map.get(builder, getElement(begin / numLanes));
    if (lanes.size() == 1)
      place = createIndex(builder, lanes.front());
    else if (!isOwn)
      place =
          arith::RemUIOp::create(builder, from, createIndex(builder, numLanes));
    Value value;
    for (int64_t number : numbers) {
      Value other = isOwn
                        ? source[number]
                        : shuffle(source[number], place, gpu::ShuffleMode::IDX);
      if (!value) {
        value = other;
        continue;
      }
      // Lanes behind the last element have whatever comes.
      Value isHere = arith::CmpIOp::create(
          builder, arith::CmpIPredicate::eq,
          arith::DivUIOp::create(builder, from, createIndex(builder, numLanes)),
          createIndex(builder, number));
      value = arith::SelectOp::create(builder, isHere, other, value);
    }
    result.push_back(value);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

std::optional<TypedAttr> hetkernel::getNeutral(vector::CombiningKind kind,
                                               Type type) {
  auto floats = dyn_cast<FloatType>(type);
  if (!floats)
    return std::nullopt;
  const llvm::fltSemantics &semantics = floats.getFloatSemantics();
  switch (kind) {
  case vector::CombiningKind::ADD:
    return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true));
  case vector::CombiningKind::MUL:
    return FloatAttr::get(type, APFloat::getOne(semantics));
  case vector::CombiningKind::MAXIMUMF:
    return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
  case vector::CombiningKind::MINIMUMF:
    return FloatAttr::get(type, APFloat::getInf(semantics));
  default:
    return std::nullopt;
  }
}

Value WarpCode::combine(Value a, Value b, vector::CombiningKind kind) {
  return vector::makeArithReduction(builder, builder.getLoc(), kind, a, b);
}

/// Combines each run of `run` elements, a power of two up to 32, in all lanes
/// that have it.
Share WarpCode::reduceRuns(ArrayRef<Value> source, int64_t run,
                           vector::CombiningKind kind) {
  Share result(source);
  for (Value &value : result)
    for (int64_t distance = run / 2; distance > 0; distance /= 2)
      value = combine(
          value,
          shuffle(value, createIndex(builder, distance), gpu::ShuffleMode::XOR),
          kind);
  return result;
}

Value WarpCode::reduceAll(ArrayRef<Value> source, int64_t numElements,
                          vector::CombiningKind kind) {
  if (numElements == 1)
    return broadcast(source.front());
  // Lanes behind the last element repeat one that a sum must not count twice.
  Value all = source.front();
  if (Value has = hasElement(0, numElements)) {
    TypedAttr neutral = *getNeutral(kind, all.getType());
    all = arith::SelectOp::create(builder, has, all,
                                  arith::ConstantOp::create(builder, neutral));
  }
  for (size_t number = 1; number < source.size(); ++number) {
    Value next = combine(all, source[number], kind);
    Value has = hasElement(number, numElements);
    all = has ? arith::SelectOp::create(builder, has, next, all).getResult()
              : next;
  }
  return reduceRuns({all}, numLanes, kind).front();
}

Share WarpCode::reduce(ArrayRef<Value> source, VectorType type,
                       ArrayRef<bool> isReduced, vector::CombiningKind kind) {
  SmallVector<int64_t> dense = getDenseStrides(type.getShape());
  ElementMap kept, reduced;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    ElementMap &map = isReduced[dim] ? reduced : kept;
    map.sizes.push_back(size);
    map.strides.push_back(dense[dim]);
  }
  const int64_t run = reduced.getNumElements();
  bool isTrailing = reduced.get(run - 1) == run - 1;
  // Lanes that lie side by side have a run.
  if (isTrailing && run <= numLanes && llvm::isPowerOf2_64(run))
    return pick(reduceRuns(source, run, kind), kept);
  // A run fills lanes.
  if (isTrailing && run % numLanes == 0) {
    Share result;
    const int64_t each = run / numLanes;
    for (auto row : llvm::seq<int64_t>(kept.getNumElements())) {
      Value all = reduceAll(source.slice(row * each, each), run, kind);
      if (row % numLanes == 0) {
        result.push_back(all);
        continue;
      }
      Value isHere =
          arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, lane,
                                createIndex(builder, row % numLanes));
      result.back() =
          arith::SelectOp::create(builder, isHere, all, result.back());
    }
    return result;
  }
  Share result;
  for (int64_t term = 0; term < run; ++term) {
    kept.offset = reduced.get(term);
    Share picked = pick(source, kept);
    for (auto [number, value] : llvm::enumerate(picked))
      if (term > 0)
        value = combine(result[number], value, kind);
    result = picked;
  }
  return result;
}
