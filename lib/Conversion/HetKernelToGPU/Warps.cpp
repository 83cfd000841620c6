//===- Warps.cpp - parallel loops with a warp for each iteration ----------===//
//
// Lanes share out the elements of every vector (WarpVectors.h); all of them
// compute every scalar. What crosses lanes, such as the dot product of a row or
// a head's score spread over its features, is shuffled. All lanes run the same
// iterations of every inner loop, since bounds are scalars.
//
//===----------------------------------------------------------------------===//

#include "WarpVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::hetkernel;

//===----------------------------------------------------------------------===//
// Code of a lane
//===----------------------------------------------------------------------===//

namespace {

class WarpLowering {
public:
  WarpLowering(ImplicitLocOpBuilder &builder, scf::ForallOp loop, Value warp,
               Value lane);
  void clone(Block &block);

private:
  void clone(Operation &op);
  void cloneLoop(scf::ForOp loop);
  void cloneStore(memref::StoreOp store);
  Value cloneLoad(memref::LoadOp load);
  Share cloneVectorLoad(vector::LoadOp load);
  void cloneVectorStore(vector::StoreOp store);
  Share cloneElementwise(Operation &op);
  Share cloneInsert(vector::InsertStridedSliceOp insert);
  Share cloneReduction(vector::MultiDimReductionOp reduction);
  /// The elements that lanes have of what `op` makes; empty for an op that
  /// makes no vector.
  Share cloneVector(Operation &op);

  /// What a lane has of `value`: itself if it is a scalar.
  Share getShare(Value value);
  void setShare(Value value, ArrayRef<Value> share);
  /// Goes into a condition that the lane has this element, if some have none.
  void enterIfHas(int64_t number, int64_t numElements);
  SmallVector<Value> getPosition(ValueRange indices, int64_t number);

  ImplicitLocOpBuilder &builder;
  WarpCode warp;
  IRMapping scalars;
  DenseMap<Value, Share> shares;
  /// Buffers that the loop stores scalars to, which one lane does.
  llvm::SmallSetVector<Value, 4> stored;
};

} // namespace

WarpLowering::WarpLowering(ImplicitLocOpBuilder &builder, scf::ForallOp loop,
                           Value number, Value lane)
    : builder(builder), warp(builder, lane) {
  scalars.map(loop.getInductionVar(0), number);
  // Each lane has its own of what is private.
  loop.getRegion().walk([&](memref::StoreOp store) {
    if (!store.getMemRef().getDefiningOp<memref::AllocaOp>())
      stored.insert(store.getMemRef());
  });
}

Share WarpLowering::getShare(Value value) {
  if (!isa<VectorType>(value.getType()))
    return {scalars.lookupOrDefault(value)};
  if (auto share = shares.find(value); share != shares.end())
    return share->second;
  // A constant from outside.
  return cloneVector(*value.getDefiningOp());
}

void WarpLowering::setShare(Value value, ArrayRef<Value> share) {
  if (isa<VectorType>(value.getType()))
    shares[value] = Share(share);
  else
    scalars.map(value, share.front());
}

void WarpLowering::enterIfHas(int64_t number, int64_t numElements) {
  Value has = warp.hasElement(number, numElements);
  if (!has)
    return;
  auto own = scf::IfOp::create(builder, has, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(own.thenBlock());
}

SmallVector<Value> WarpLowering::getPosition(ValueRange indices,
                                             int64_t number) {
  SmallVector<Value> position;
  for (Value index : indices)
    position.push_back(scalars.lookupOrDefault(index));
  position.back() = builder.createOrFold<arith::AddIOp>(
      position.back(), warp.getElement(number));
  return position;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Share WarpLowering::cloneVectorLoad(vector::LoadOp load) {
  Share share;
  Value buffer = scalars.lookupOrDefault(load.getBase());
  for (auto number : llvm::seq(getShareSize(load.getVectorType()))) {
    Value has = warp.hasElement(number, load.getVectorType().getNumElements());
    auto read = [&] {
      return memref::LoadOp::create(builder, buffer,
                                    getPosition(load.getIndices(), number));
    };
    if (!has) {
      share.push_back(read());
      continue;
    }
    Type type = load.getVectorType().getElementType();
    auto own = scf::IfOp::create(builder, type, has, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(own.thenBlock());
    scf::YieldOp::create(builder, ValueRange{read()});
    builder.setInsertionPointToStart(own.elseBlock());
    scf::YieldOp::create(builder, ValueRange{arith::ConstantOp::create(
                                      builder, builder.getZeroAttr(type))});
    share.push_back(own.getResult(0));
  }
  return share;
}

void WarpLowering::cloneVectorStore(vector::StoreOp store) {
  int64_t numElements = store.getVectorType().getNumElements();
  for (auto [number, value] :
       llvm::enumerate(getShare(store.getValueToStore()))) {
    OpBuilder::InsertionGuard guard(builder);
    enterIfHas(number, numElements);
    memref::StoreOp::create(builder, value,
                            scalars.lookupOrDefault(store.getBase()),
                            getPosition(store.getIndices(), number));
  }
}

void WarpLowering::cloneStore(memref::StoreOp store) {
  OpBuilder::InsertionGuard guard(builder);
  if (stored.contains(store.getMemRef())) {
    auto one = scf::IfOp::create(builder, warp.isFirstLane(),
                                 /*withElseRegion=*/false);
    builder.setInsertionPointToStart(one.thenBlock());
  }
  builder.clone(*store, scalars);
}

/// What the first lane stored, it alone can read.
Value WarpLowering::cloneLoad(memref::LoadOp load) {
  auto one = scf::IfOp::create(builder, load.getType(), warp.isFirstLane(),
                               /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(one.thenBlock());
    Operation *read = builder.clone(*load, scalars);
    scf::YieldOp::create(builder, read->getResults());
    builder.setInsertionPointToStart(one.elseBlock());
    scf::YieldOp::create(builder,
                         ValueRange{arith::ConstantOp::create(
                             builder, builder.getZeroAttr(load.getType()))});
  }
  return warp.broadcastFirst(one.getResult(0));
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// The op on one element at a time.
Share WarpLowering::cloneElementwise(Operation &op) {
  auto type = cast<VectorType>(op.getResult(0).getType());
  Share share;
  for (auto number : llvm::seq(getShareSize(type))) {
    OperationState state(op.getLoc(), op.getName());
    for (Value operand : op.getOperands()) {
      Share of = getShare(operand);
      state.operands.push_back(
          of[isa<VectorType>(operand.getType()) ? number : 0]);
    }
    state.addTypes(type.getElementType());
    state.addAttributes(op.getAttrs());
    share.push_back(builder.create(state)->getResult(0));
  }
  return share;
}

Share WarpLowering::cloneInsert(vector::InsertStridedSliceOp insert) {
  VectorType source = insert.getSourceVectorType(),
             dest = insert.getDestVectorType();
  SmallVector<int64_t> begins, ends;
  int64_t leading = dest.getRank() - source.getRank();
  // From places in `dest` to elements of `source`, below zero before it.
  ElementMap map{SmallVector<int64_t>(dest.getShape()),
                 SmallVector<int64_t>(leading, 0), 0};
  llvm::append_range(map.strides, getDenseStrides(source.getShape()));
  for (auto [dim, offset] : llvm::enumerate(insert.getOffsets())) {
    begins.push_back(cast<IntegerAttr>(offset).getInt());
    ends.push_back(begins.back() + (static_cast<int64_t>(dim) < leading
                                        ? 1
                                        : source.getDimSize(dim - leading)));
    map.offset -= begins[dim] * map.strides[dim];
  }
  SmallVector<int64_t> dense = getDenseStrides(dest.getShape());
  auto isInserted = [&](int64_t element) {
    for (auto [dim, stride] : llvm::enumerate(dense)) {
      int64_t index = element / stride;
      if (index < begins[dim] || index >= ends[dim])
        return false;
      element %= stride;
    }
    return true;
  };
  Share share = getShare(insert.getDest()),
        picked = warp.pick(getShare(insert.getValueToStore()), map, isInserted);
  for (auto [number, value] : llvm::enumerate(picked)) {
    if (!value)
      continue;
    Value element = warp.getElement(number), isHere;
    for (auto [dim, stride] : llvm::enumerate(dense)) {
      Value size = createIndex(builder, stride);
      Value index = builder.createOrFold<arith::DivUIOp>(element, size);
      Value inside = isBelow(builder,
                             builder.createOrFold<arith::SubIOp>(
                                 index, createIndex(builder, begins[dim])),
                             ends[dim] - begins[dim]);
      isHere = isHere ? arith::AndIOp::create(builder, isHere, inside) : inside;
      element = builder.createOrFold<arith::RemUIOp>(element, size);
    }
    share[number] =
        arith::SelectOp::create(builder, isHere, value, share[number]);
  }
  return share;
}

Share WarpLowering::cloneReduction(vector::MultiDimReductionOp reduction) {
  VectorType type = reduction.getSourceVectorType();
  Share source = getShare(reduction.getSource()),
        result = getShare(reduction.getAcc()), reduced;
  auto isReduced = reduction.getReductionMask();
  if (isa<VectorType>(reduction.getType()))
    reduced = warp.reduce(source, type, isReduced, reduction.getKind());
  else
    reduced = {
        warp.reduceAll(source, type.getNumElements(), reduction.getKind())};
  for (auto [value, next] : llvm::zip(result, reduced))
    value = vector::makeArithReduction(builder, reduction.getLoc(),
                                       reduction.getKind(), next, value);
  return result;
}

Share WarpLowering::cloneVector(Operation &op) {
  return llvm::TypeSwitch<Operation *, Share>(&op)
      .Case([&](arith::ConstantOp constant) {
        auto splat = cast<SplatElementsAttr>(constant.getValue());
        Value value = arith::ConstantOp::create(
            builder, cast<TypedAttr>(splat.getSplatValue<Attribute>()));
        return Share(getShareSize(cast<VectorType>(constant.getType())), value);
      })
      .Case([&](vector::LoadOp load) { return cloneVectorLoad(load); })
      .Case(
          [&](vector::ShapeCastOp cast) { return getShare(cast.getSource()); })
      .Case([&](vector::FMAOp fma) {
        Share share = getShare(fma.getAcc()), lhs = getShare(fma.getLhs()),
              rhs = getShare(fma.getRhs());
        for (auto [number, sum] : llvm::enumerate(share))
          sum = math::FmaOp::create(builder, lhs[number], rhs[number], sum);
        return share;
      })
      .Case([&](vector::BroadcastOp broadcast) {
        if (std::optional<ElementMap> map = getPickedElements(broadcast))
          return warp.pick(getShare(broadcast.getSource()), *map);
        return Share(getShareSize(broadcast.getResultVectorType()),
                     getShare(broadcast.getSource()).front());
      })
      .Case<vector::ExtractStridedSliceOp, vector::TransposeOp,
            vector::ExtractOp>([&](Operation *op) {
        return warp.pick(getShare(op->getOperand(0)), *getPickedElements(op));
      })
      .Case([&](vector::InsertStridedSliceOp insert) {
        return cloneInsert(insert);
      })
      .Case([&](vector::MultiDimReductionOp reduction) {
        return cloneReduction(reduction);
      })
      .Default([&](Operation *op) { return cloneElementwise(*op); });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void WarpLowering::cloneLoop(scf::ForOp loop) {
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs())
    llvm::append_range(inits, getShare(init));
  auto lowered =
      scf::ForOp::create(builder, scalars.lookupOrDefault(loop.getLowerBound()),
                         scalars.lookupOrDefault(loop.getUpperBound()),
                         scalars.lookupOrDefault(loop.getStep()), inits);
  auto setShares = [&](ValueRange values, ValueRange shared) {
    for (Value value : values) {
      size_t size = getShare(value).size();
      setShare(value, SmallVector<Value>(shared.take_front(size)));
      shared = shared.drop_front(size);
    }
  };
  // Shares of arguments and results are as large as those of the inits.
  for (auto [init, argument, result] : llvm::zip(
           loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults()))
    for (Value value : {Value(argument), Value(result)})
      setShare(value, getShare(init));
  setShares(loop.getRegionIterArgs(), lowered.getRegionIterArgs());
  scalars.map(loop.getInductionVar(), lowered.getInductionVar());
  {
    OpBuilder::InsertionGuard guard(builder);
    if (inits.empty())
      builder.setInsertionPoint(lowered.getBody()->getTerminator());
    else
      builder.setInsertionPointToEnd(lowered.getBody());
    clone(*loop.getBody());
    SmallVector<Value> next;
    for (Value value : loop.getBody()->getTerminator()->getOperands())
      llvm::append_range(next, getShare(value));
    if (!inits.empty())
      scf::YieldOp::create(builder, next);
  }
  setShares(loop.getResults(), lowered.getResults());
}

void WarpLowering::clone(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return cloneLoop(loop);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return cloneStore(store);
  if (auto load = dyn_cast<memref::LoadOp>(op);
      load && stored.contains(load.getMemRef()))
    return setShare(load, {cloneLoad(load)});
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return cloneVectorStore(store);
  if (hasVectors(&op))
    return setShare(op.getResult(0), cloneVector(op));
  builder.clone(op, scalars);
}

void WarpLowering::clone(Block &block) {
  for (Operation &op : block.without_terminator())
    clone(op);
}

void hetkernel::cloneForWarp(ImplicitLocOpBuilder &builder, scf::ForallOp loop,
                             Value warp, Value lane) {
  WarpLowering(builder, loop, warp, lane).clone(*loop.getBody());
}
