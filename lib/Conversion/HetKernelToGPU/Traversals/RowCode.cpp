//===- RowCode.cpp - the code of an outer row -----------------------------===//

#include "RowCode.h"
#include "Distribution.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::hetkernel;

Share RowCode::getShare(Value value) {
  if (!isa<VectorType>(value.getType()))
    return {state.scalars.lookupOrDefault(value)};
  if (auto share = state.shares.find(value); share != state.shares.end())
    return share->second;
  // A constant from outside.
  return cloneVector(*value.getDefiningOp());
}

void RowCode::setShare(Value value, ArrayRef<Value> share) {
  if (isa<VectorType>(value.getType()))
    state.shares[value] = Share(share);
  else
    state.scalars.map(value, share.front());
}

void RowCode::enterIfLaneHas(int64_t number, int64_t numElements) {
  Value has = code->hasElement(number, numElements);
  if (!has)
    return;
  auto own = scf::IfOp::create(builder, has, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(own.thenBlock());
}

void RowCode::enterIfFirst() {
  if (!team || isInLoop)
    return;
  auto one = scf::IfOp::create(
      builder,
      isBelow(builder, code->isThread() ? team->thread : team->warp, 1),
      /*withElseRegion=*/false);
  builder.setInsertionPointToStart(one.thenBlock());
}

SmallVector<Value> RowCode::getPosition(ValueRange indices, Value element) {
  SmallVector<Value> position;
  for (Value index : indices)
    position.push_back(state.scalars.lookupOrDefault(index));
  position.back() =
      builder.createOrFold<arith::AddIOp>(position.back(), element);
  return position;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Lanes behind the last element load the last one again: no thread waits for
/// a branch. What lanes stored, each has for itself.
Share RowCode::cloneVectorLoad(vector::LoadOp load) {
  if (stored.contains(load.getBase()))
    return loadOwn(load);
  Share share;
  Value buffer = state.scalars.lookupOrDefault(load.getBase());
  const int64_t numElements = load.getVectorType().getNumElements();
  for (auto number : llvm::seq(code->getShareSize(load.getVectorType()))) {
    Value element = code->getElement(number);
    if (code->hasElement(number, numElements))
      element = arith::MinUIOp::create(builder, element,
                                       createIndex(builder, numElements - 1));
    share.push_back(memref::LoadOp::create(
        builder, buffer, getPosition(load.getIndices(), element)));
  }
  return share;
}

Share RowCode::loadOwn(vector::LoadOp load) {
  Share share;
  Type type = load.getVectorType().getElementType();
  for (auto number : llvm::seq(code->getShareSize(load.getVectorType()))) {
    Value has = code->hasElement(number, load.getVectorType().getNumElements());
    auto read = [&]() -> Value {
      return memref::LoadOp::create(
          builder, state.scalars.lookupOrDefault(load.getBase()),
          getPosition(load.getIndices(), code->getElement(number)));
    };
    if (!has) {
      share.push_back(read());
      continue;
    }
    auto own = scf::IfOp::create(builder, type, has, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(own.thenBlock());
    scf::YieldOp::create(builder, read());
    builder.setInsertionPointToStart(own.elseBlock());
    scf::YieldOp::create(
        builder, arith::ConstantOp::create(builder, builder.getZeroAttr(type))
                     .getResult());
    share.push_back(own.getResult(0));
  }
  return share;
}

void RowCode::cloneVectorStore(vector::StoreOp store) {
  int64_t numElements = store.getVectorType().getNumElements();
  for (auto [number, value] :
       llvm::enumerate(getShare(store.getValueToStore()))) {
    OpBuilder::InsertionGuard guard(builder);
    enterIfFirst();
    enterIfLaneHas(number, numElements);
    memref::StoreOp::create(
        builder, value, state.scalars.lookupOrDefault(store.getBase()),
        getPosition(store.getIndices(), code->getElement(number)));
  }
}

void RowCode::cloneStore(memref::StoreOp store) {
  OpBuilder::InsertionGuard guard(builder);
  // Each lane has its own of what is private.
  if (!store.getMemRef().getDefiningOp<memref::AllocaOp>()) {
    enterIfFirst();
    if (Value isFirst = code->isFirstLane()) {
      auto one = scf::IfOp::create(builder, isFirst, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(one.thenBlock());
    }
  }
  builder.clone(*store, state.scalars);
}

/// What the first lane stored, it alone can read.
Value RowCode::cloneLoad(memref::LoadOp load) {
  auto one = scf::IfOp::create(builder, load.getType(), code->isFirstLane(),
                               /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(one.thenBlock());
    Operation *read = builder.clone(*load, state.scalars);
    scf::YieldOp::create(builder, read->getResults());
    builder.setInsertionPointToStart(one.elseBlock());
    scf::YieldOp::create(builder,
                         ValueRange{arith::ConstantOp::create(
                             builder, builder.getZeroAttr(load.getType()))});
  }
  return code->broadcast(one.getResult(0));
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// The op on one element at a time.
Share RowCode::cloneElementwise(Operation &op) {
  auto type = cast<VectorType>(op.getResult(0).getType());
  Share share;
  for (auto number : llvm::seq(code->getShareSize(type))) {
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

Share RowCode::cloneInsert(vector::InsertStridedSliceOp insert) {
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
        picked =
            code->pick(getShare(insert.getValueToStore()), map, isInserted);
  for (auto [number, value] : llvm::enumerate(picked)) {
    if (!value)
      continue;
    Value element = code->getElement(number), isHere;
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

Share RowCode::cloneReduction(vector::MultiDimReductionOp reduction) {
  VectorType type = reduction.getSourceVectorType();
  Share source = getShare(reduction.getSource()),
        result = getShare(reduction.getAcc()), reduced;
  auto isReduced = reduction.getReductionMask();
  if (isa<VectorType>(reduction.getType()))
    reduced = code->reduce(source, type, isReduced, reduction.getKind());
  else
    reduced = {
        code->reduceAll(source, type.getNumElements(), reduction.getKind())};
  for (auto [value, next] : llvm::zip(result, reduced))
    value = vector::makeArithReduction(builder, reduction.getLoc(),
                                       reduction.getKind(), next, value);
  return result;
}

Share RowCode::cloneVector(Operation &op) {
  return llvm::TypeSwitch<Operation *, Share>(&op)
      .Case([&](arith::ConstantOp constant) {
        auto splat = cast<SplatElementsAttr>(constant.getValue());
        Value value = arith::ConstantOp::create(
            builder, cast<TypedAttr>(splat.getSplatValue<Attribute>()));
        return Share(code->getShareSize(cast<VectorType>(constant.getType())),
                     value);
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
          return code->pick(getShare(broadcast.getSource()), *map);
        return Share(code->getShareSize(broadcast.getResultVectorType()),
                     getShare(broadcast.getSource()).front());
      })
      .Case<vector::ExtractStridedSliceOp, vector::TransposeOp,
            vector::ExtractOp>([&](Operation *op) {
        return code->pick(getShare(op->getOperand(0)), *getPickedElements(op));
      })
      .Case([&](vector::InsertStridedSliceOp insert) {
        return cloneInsert(insert);
      })
      .Case([&](vector::MultiDimReductionOp reduction) {
        return cloneReduction(reduction);
      })
      .Default([&](Operation *op) { return cloneElementwise(*op); });
}

void RowCode::clone(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return cloneLoop(loop);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return cloneStore(store);
  if (auto load = dyn_cast<memref::LoadOp>(op);
      load && !code->isThread() && stored.contains(load.getMemRef()))
    return setShare(load, {cloneLoad(load)});
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return cloneVectorStore(store);
  if (hasVectors(&op))
    return setShare(op.getResult(0), cloneVector(op));
  builder.clone(op, state.scalars);
}

void RowCode::clone(Block &block) {
  block.walk([&](Operation *op) {
    if (auto store = dyn_cast<memref::StoreOp>(op);
        store && !store.getMemRef().getDefiningOp<memref::AllocaOp>())
      stored.insert(store.getMemRef());
    else if (auto store = dyn_cast<vector::StoreOp>(op))
      stored.insert(store.getBase());
  });
  for (Operation &op : block.without_terminator())
    clone(op);
}
