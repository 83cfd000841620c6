//===- WeightProducts.cpp - weights and biases of chains ------------------===//

#include "RGNN/Dialect/RGNN/Utils/WeightProducts.h"

using namespace mlir;
using namespace mlir::rgnn;

static RankedTensorType getPlain(Value like, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, getElementTypeOrSelf(like));
}

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

Value rgnn::reshapePlain(OpBuilder &builder, Location loc, Value tensor,
                         ArrayRef<int64_t> shape) {
  if (getShape(tensor) == shape)
    return tensor;
  return ReshapeOp::create(builder, loc, getPlain(tensor, shape), tensor);
}

/// `tensor` with the dimensions `from` in the order of `to`.
static Value permute(OpBuilder &builder, Location loc, Value tensor,
                     StringRef from, StringRef to) {
  if (from == to)
    return tensor;
  SmallVector<int64_t> order;
  for (char dim : to)
    order.push_back(from.find(dim));
  return PermuteOp::create(builder, loc, tensor, order);
}

/// The letters of `dims` that are in `others`, or not, without `k`.
static std::string pick(StringRef dims, StringRef others, bool isIn) {
  std::string picked;
  for (char dim : dims)
    if (dim != 'k' && others.contains(dim) == isIn)
      picked += dim;
  return picked;
}

Value rgnn::contract(OpBuilder &builder, Location loc, Value lhs,
                     StringRef left, Value rhs, StringRef right,
                     StringRef result) {
  std::string batch = pick(right, left, true), rows = pick(left, right, false),
              columns = pick(right, left, false);
  auto sizes = [&](StringRef dims) {
    SmallVector<int64_t> shape;
    for (char dim : dims)
      shape.push_back(left.contains(dim) ? getShape(lhs)[left.find(dim)]
                                         : getShape(rhs)[right.find(dim)]);
    return shape;
  };
  // One dimension for all of `second`, and one for all of `third`.
  auto matrices = [&](StringRef second, StringRef third) {
    SmallVector<int64_t> shape = sizes(batch);
    shape.push_back(ShapedType::getNumElements(sizes(second)));
    shape.push_back(ShapedType::getNumElements(sizes(third)));
    return shape;
  };
  bool isTransposed = right == "nk"; // as the weight of PyTorch's `Linear`
  Value a = reshapePlain(builder, loc,
                         permute(builder, loc, lhs, left, batch + rows + "k"),
                         matrices(rows, "k"));
  Value b = isTransposed ? rhs
                         : reshapePlain(builder, loc,
                                        permute(builder, loc, rhs, right,
                                                batch + "k" + columns),
                                        matrices("k", columns));
  Value product =
      batch.empty()
          ? LinearOp::create(builder, loc, a, b, isTransposed).getResult()
          : MatmulOp::create(builder, loc, a, b).getResult();
  std::string made = batch + rows + columns;
  return permute(builder, loc, reshapePlain(builder, loc, product, sizes(made)),
                 made, result);
}

//===----------------------------------------------------------------------===//
// Behind the steps of a chain
//===----------------------------------------------------------------------===//

/// The slice among `steps` that comes before all but biases; null where none
/// does.
static SliceOp getFirstSlice(ArrayRef<Operation *> steps) {
  const auto *step = llvm::find_if_not(steps, llvm::IsaPred<MapOp>);
  return step == steps.end() ? SliceOp() : dyn_cast<SliceOp>(*step);
}

Value rgnn::sliceWeight(OpBuilder &builder, LinearOp linear, SliceOp slice) {
  if (!slice)
    return linear.getWeight();
  return SliceOp::create(builder, slice.getLoc(), linear.getWeight(),
                         linear.getTransposed() ? 0 : 1, slice.getBegin(),
                         slice.getSize());
}

/// The weight of `linear` as `ik`.
static Value getMatrix(OpBuilder &builder, LinearOp linear, SliceOp slice) {
  Value weight = sliceWeight(builder, linear, slice);
  return permute(builder, linear.getLoc(), weight,
                 linear.getTransposed() ? "ki" : "ik", "ik");
}

/// Tensors of one shape as one, below each other in a new dimension.
static Value stack(OpBuilder &builder, Location loc, ArrayRef<Value> tensors) {
  SmallVector<Value> parts;
  for (Value tensor : tensors) {
    SmallVector<int64_t> shape{1};
    llvm::append_range(shape, getShape(tensor));
    parts.push_back(reshapePlain(builder, loc, tensor, shape));
  }
  return parts.size() == 1
             ? parts[0]
             : ConcatOp::create(builder, loc, parts, /*dim=*/0).getResult();
}

/// Does to the last dimensions of `value`, which are columns, what `steps` do
/// to rows.
static Value reshapeColumns(OpBuilder &builder, Location loc, Value value,
                            int64_t columnsFrom, ArrayRef<Operation *> steps) {
  for (Operation *step : steps) {
    if (auto slice = dyn_cast<SliceOp>(step)) {
      value =
          SliceOp::create(builder, loc, value, columnsFrom + slice.getDim() - 1,
                          slice.getBegin(), slice.getSize());
    } else if (isa<ReshapeOp>(step)) {
      SmallVector<int64_t> shape(getShape(value).take_front(columnsFrom));
      llvm::append_range(shape, getRowShape(step->getResult(0).getType()));
      value = reshapePlain(builder, loc, value, shape);
    }
  }
  return value;
}

Factor rgnn::getWeight(OpBuilder &builder, Location loc,
                       const FirstProduct &first, ArrayRef<Operation *> steps) {
  Factor weight{Value(), getWeightIndex(first, steps)};
  if (auto typed = dyn_cast<TypedLinearOp>(first.op)) {
    weight.value = typed.getWeight();
    weight.value = reshapeColumns(builder, loc, weight.value,
                                  getShape(weight.value).size() - 1, steps);
    return weight;
  }
  SliceOp slice = getFirstSlice(steps);
  if (slice)
    steps = ArrayRef(llvm::find(steps, slice.getOperation()) + 1, steps.end());
  if (auto linear = dyn_cast<LinearOp>(first.op)) {
    weight.value = getMatrix(builder, linear, slice);
  } else {
    SmallVector<Value> matrices;
    for (const NodeTypeProduct &ofType : first.ofTypes)
      matrices.push_back(getMatrix(builder, ofType.product, slice));
    weight.value = stack(builder, loc, matrices);
  }
  weight.value = reshapeColumns(builder, loc, weight.value,
                                weight.index.type ? 2 : 1, steps);
  return weight;
}

/// What is added to rows before `steps`.
static Factor makeBias(OpBuilder &builder, Location loc, Value bias,
                       ArrayRef<int64_t> rowShape,
                       ArrayRef<Operation *> steps) {
  Factor result{bias, getBiasIndex(bias, steps)};
  if (auto gather = bias.getDefiningOp<GatherOp>(); gather && result.index.type)
    result.value = builder.createOrFold<UnplaceOp>(loc, gather.getRows());
  else if (getShape(bias) != rowShape)
    // One for each head.
    result.value = reshapePlain(
        builder, loc,
        stack(builder, loc,
              SmallVector<Value>(ShapedType::getNumElements(rowShape) /
                                     ShapedType::getNumElements(getShape(bias)),
                                 bias)),
        rowShape);
  result.value = reshapeColumns(builder, loc, result.value,
                                result.index.type ? 1 : 0, steps);
  return result;
}

SmallVector<Factor> rgnn::getBiases(OpBuilder &builder, Location loc,
                                    const FirstProduct &first,
                                    ArrayRef<Operation *> steps) {
  SmallVector<Factor> biases;
  if (!first.ofTypes.empty() && first.ofTypes.front().bias) {
    SmallVector<Value> ofTypes;
    for (const NodeTypeProduct &ofType : first.ofTypes)
      ofTypes.push_back(ofType.bias);
    Value bias = stack(builder, loc, ofTypes);
    biases.push_back({reshapeColumns(builder, loc, bias, 1, steps),
                      getWeightIndex(first, steps)});
  }
  for (size_t number = 0; number < steps.size(); ++number)
    if (Value bias = getBias(first, steps, number))
      biases.push_back(
          makeBias(builder, loc, bias,
                   getRowShape(steps[number]->getResult(0).getType()),
                   steps.drop_front(number)));
  return biases;
}

void rgnn::expandToEdgeTypes(OpBuilder &builder, Location loc, Factor &factor,
                             Operation *second) {
  if (!factor.index.end)
    return;
  if (factor.index.count == 1) {
    factor.value = reshapePlain(builder, loc, factor.value,
                                getShape(factor.value).drop_front());
    factor.index = {};
    return;
  }
  SmallVector<Value> ofNodeTypes;
  for (int64_t type = 0; type < factor.index.count; ++type)
    ofNodeTypes.push_back(SliceOp::create(builder, loc, factor.value,
                                          /*dim=*/0, /*begin=*/type,
                                          /*size=*/1));
  SmallVector<Value> ofEdgeTypes;
  std::optional<ArrayRef<int64_t>> nodeTypes =
      getNodeTypes(second, *factor.index.end, factor.index.count);
  for (int64_t type : *nodeTypes)
    ofEdgeTypes.push_back(ofNodeTypes[type]);
  factor.index = {Path::EType, std::nullopt,
                  static_cast<int64_t>(ofEdgeTypes.size())};
  factor.value = ConcatOp::create(builder, loc, ofEdgeTypes, /*dim=*/0);
}
