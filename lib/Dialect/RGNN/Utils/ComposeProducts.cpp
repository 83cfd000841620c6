//===- ComposeProducts.cpp - one product of rows for two ------------------===//
//
// Dimensions of weights are named by letters: `t` for types, `i` for what a
// product of rows sums, `k` for what a product of weights sums, `n` for columns
// of the result, and from `A` on one for each dimension of heads. With W `tiAk`
// and V `tAkn` the product of the weights in `x W V` is `tiAn`: types and heads
// keep matrices of their own.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/RGNN/Utils/ComposeProducts.h"
#include "RGNN/Dialect/RGNN/Utils/WeightProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// What `first` multiplies.
static Value getX(OpBuilder &builder, const FirstProduct &first) {
  if (first.ofTypes.empty())
    return first.getX();
  auto concat = cast<ConcatTypesOp>(first.op);
  SmallVector<Value> parts, wholes;
  for (NodeTypeProduct ofType : first.ofTypes) {
    parts.push_back(ofType.product.getX());
    auto slice = parts.back().getDefiningOp<SliceTypeOp>();
    wholes.push_back(slice ? slice.getRows() : Value());
  }
  if (wholes.front() && llvm::all_equal(wholes))
    return wholes.front();
  RowsAttr rows = getRows(concat.getResult().getType());
  return ConcatTypesOp::create(
      builder, concat.getLoc(),
      getRowsType(rows, first.getInner(), getElementTypeOrSelf(parts[0])),
      parts, concat.getGraph());
}

Value rgnn::addRows(OpBuilder &builder, Location loc, Value rows, Value other) {
  return MapOp::create(builder, loc, rows.getType(), {rows, other},
                       [](OpBuilder &inner, Location loc, ValueRange x) {
                         return arith::AddFOp::create(inner, loc, x[0], x[1]);
                       });
}

Value rgnn::gatherByType(OpBuilder &builder, Location loc, Value tensor,
                         RowsAttr rows, Value graph, Path path) {
  auto type = cast<RankedTensorType>(tensor.getType());
  RowsAttr ofTypes = rows.on(*follow(rows.getDomain(), path));
  Value placed = PlaceOp::create(
      builder, loc,
      RankedTensorType::get(type.getShape(), type.getElementType(), ofTypes),
      tensor, graph);
  return GatherOp::create(builder, loc, placed, graph, path, rows.getDomain());
}

/// The graph that the types of rows are those of.
static Value getGraph(const FirstProduct &first, const LinearChain &chain) {
  if (auto typed = dyn_cast<TypedLinearOp>(chain.second))
    return typed.getGraph();
  if (auto typed = dyn_cast<TypedLinearOp>(first.op))
    return typed.getGraph();
  if (auto concat = dyn_cast<ConcatTypesOp>(first.op))
    return concat.getGraph();
  for (size_t number = 0; number < chain.steps.size(); ++number)
    if (Value bias = getBias(first, chain.steps, number))
      if (auto gather = bias.getDefiningOp<GatherOp>())
        return gather.getGraph();
  return {};
}

/// `(x 1) (W; b)` for `x W + b`, with all of `biases` that have the types of
/// `weight`. Rows of `x` are those of nodes: a bias by edge type would take an
/// addition for each edge, and its gradient a sum over the edges of each type.
static Value joinBiases(OpBuilder &builder, Location loc, Value x,
                        Factor &weight, SmallVector<Factor> &biases) {
  int64_t in = weight.index.type ? 1 : 0;
  SmallVector<Value> rows{weight.value};
  llvm::erase_if(biases, [&](const Factor &bias) {
    if (bias.index.type != weight.index.type ||
        bias.index.end != weight.index.end)
      return false;
    SmallVector<int64_t> shape(getShape(bias.value));
    shape.insert(shape.begin() + in, 1);
    rows.push_back(reshapePlain(builder, loc, bias.value, shape));
    return true;
  });
  if (rows.size() == 1)
    return x;
  weight.value = ConcatOp::create(builder, loc, rows, in);
  Value first = SliceOp::create(builder, loc, x, /*dim=*/1, /*begin=*/0,
                                /*size=*/1);
  Value one =
      MapOp::create(builder, loc, first.getType(), first,
                    [](OpBuilder &inner, Location loc, ValueRange x) -> Value {
                      return arith::ConstantOp::create(
                          inner, loc, inner.getFloatAttr(x[0].getType(), 1.0));
                    });
  SmallVector<Value> columns{x};
  columns.append(rows.size() - 1, one);
  return ConcatOp::create(builder, loc, columns, /*dim=*/1);
}

Value rgnn::composeProducts(OpBuilder &builder, const FirstProduct &first,
                            const LinearChain &chain) {
  Operation *second = chain.second;
  Location loc = builder.getFusedLoc({first.op->getLoc(), second->getLoc()});
  Type made = second->getResult(0).getType();
  RowsAttr rows = getRows(made);
  ArrayRef<int64_t> rowShape = getRowShape(made);
  Value graph = getGraph(first, chain), v = second->getOperand(1);
  auto linear = dyn_cast<LinearOp>(second);
  std::optional<Path> typeOfSecond;
  if (!linear)
    typeOfSecond = cast<TypedLinearOp>(second).getPath();

  std::string heads;
  for (size_t dim = 0; dim + 1 < rowShape.size(); ++dim)
    heads += static_cast<char>('A' + dim);
  std::string right = !linear                  ? "t" + heads + "kn"
                      : linear.getTransposed() ? "nk"
                                               : "kn";
  // Times the second weight; what enumerates the types of the result, if any.
  auto multiply = [&](Factor &factor, StringRef left, StringRef result) {
    expandToEdgeTypes(builder, loc, factor, second);
    std::string types = factor.index.type ? "t" : "";
    std::string typesOfResult = factor.index.type || typeOfSecond ? "t" : "";
    factor.value = contract(builder, loc, factor.value, types + left.str(), v,
                            right, typesOfResult + result.str());
    return typeOfSecond ? typeOfSecond : factor.index.type;
  };

  Value x = getX(builder, first);
  Factor weight = getWeight(builder, loc, first, chain.steps);
  SmallVector<Factor> biases = getBiases(builder, loc, first, chain.steps);
  if (typeOfSecond && !first.hasHeads() &&
      llvm::any_of(chain.steps, llvm::IsaPred<GatherOp>))
    x = joinBiases(builder, loc, x, weight, biases);
  for (Operation *step : chain.steps)
    if (auto gather = dyn_cast<GatherOp>(step))
      x = GatherOp::create(builder, loc, x, gather.getGraph(), gather.getPath(),
                           gather.getTo());

  std::optional<Path> path;
  if (!first.hasHeads()) {
    path = multiply(weight, "i" + heads + "k", "i" + heads + "n");
    SmallVector<int64_t> shape(getShape(weight.value).take_front(path ? 2 : 1));
    shape.push_back(ShapedType::getNumElements(rowShape));
    weight.value = reshapePlain(builder, loc, weight.value, shape);
  } else if (isa<TypedLinearOp>(first.op)) {
    path = multiply(weight, heads + "ik", heads + "in");
  } else {
    path = multiply(weight, "ik", (linear ? "" : heads) + "in");
  }
  Value result =
      path ? TypedLinearOp::create(builder, loc, x, weight.value, graph, *path)
                 .getResult()
           : LinearOp::create(builder, loc, x, weight.value,
                              /*transposed=*/false)
                 .getResult();
  if (result.getType() != made)
    result = ReshapeOp::create(builder, loc, made, result);

  for (Factor &bias : biases) {
    path = multiply(bias, heads + "k", heads + "n");
    if (path)
      bias.value = gatherByType(builder, loc, bias.value, rows, graph, *path);
    result = addRows(builder, loc, result, bias.value);
  }
  return result;
}

Value rgnn::computeColumns(OpBuilder &builder, const FirstProduct &first,
                           ArrayRef<Operation *> steps) {
  auto slice = cast<SliceOp>(steps.back());
  Location loc = slice.getLoc();
  auto ofLinear = [&](LinearOp linear) -> Value {
    return LinearOp::create(builder, linear.getLoc(), linear.getX(),
                            sliceWeight(builder, linear, slice),
                            linear.getTransposed());
  };
  auto ofLast = [&](Value tensor) -> Value {
    return SliceOp::create(builder, loc, tensor, getShape(tensor).size() - 1,
                           slice.getBegin(), slice.getSize());
  };
  Value rows;
  if (auto linear = dyn_cast<LinearOp>(first.op)) {
    rows = ofLinear(linear);
  } else if (auto typed = dyn_cast<TypedLinearOp>(first.op)) {
    rows = TypedLinearOp::create(builder, loc, typed.getX(),
                                 ofLast(typed.getWeight()), typed.getGraph(),
                                 typed.getPath());
  } else {
    SmallVector<Value> parts;
    for (NodeTypeProduct ofType : first.ofTypes) {
      parts.push_back(ofLinear(ofType.product));
      if (ofType.bias)
        parts.back() = addRows(builder, loc, parts.back(), ofLast(ofType.bias));
    }
    rows =
        ConcatTypesOp::create(builder, loc, slice.getResult().getType(), parts,
                              cast<ConcatTypesOp>(first.op).getGraph());
  }
  for (size_t number = 0; number + 1 < steps.size(); ++number)
    rows = addRows(builder, loc, rows, ofLast(getBias(first, steps, number)));
  return rows;
}
