//===- Reductions.cpp - reductions, softmax, norm: within rows, or of all -===//

#include "Elements/Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// The product that a sum over the last dimension makes an inner product of:
/// one of two tensors on the same rows that nothing else reads.
static MapOp getOnlyProduct(TorchCall &call, Value x) {
  Value captured = call.value(0);
  auto product = captured.getDefiningOp<TorchOp>();
  auto map = x.getDefiningOp<MapOp>();
  if (!product || product.getName() != "aten.mul.Tensor" ||
      !rgnn::getRows(x.getType()) || !captured.hasOneUse() || !map ||
      map.getInputs().size() != 2 ||
      map.getInputs()[0].getType() != x.getType() ||
      map.getInputs()[1].getType() != x.getType())
    return {};
  return map;
}

/// `reduced`, which is of a tensor of `type`, with the dimensions that it has
/// lost, of size 1.
static Value keepDims(TorchCall &call, Value reduced, RankedTensorType type,
                      ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t dim : dims)
    shape[dim] = 1;
  auto kept = RankedTensorType::get(
      shape, type.getElementType(),
      cast<RankedTensorType>(reduced.getType()).getEncoding());
  return ReshapeOp::create(call.builder, call.loc, kept, reduced);
}

Value lift::countRows(TorchCall &call, RowsAttr rows, Type element) {
  Value any = call.lifter.getAnyRows(call.builder, call.loc, rows);
  Value ones =
      MapOp::create(call.builder, call.loc, getRowsType(rows, {}, element), any,
                    [&](OpBuilder &builder, Location loc, ValueRange) -> Value {
                      return arith::ConstantOp::create(
                          builder, loc, builder.getFloatAttr(element, 1.0));
                    });
  return SumRowsOp::create(call.builder, call.loc, ones);
}

/// The sum or the mean of all rows; null with a reason for others.
static Value reduceAll(TorchCall &call, Value x, Reduction kind) {
  if (kind != Reduction::Sum && kind != Reduction::Mean) {
    (void)call.refuse("it takes the " + stringifyReduction(kind) +
                      " of all rows");
    return {};
  }
  Value sum = SumRowsOp::create(call.builder, call.loc, x);
  if (kind == Reduction::Sum)
    return sum;
  Value count =
      countRows(call, rgnn::getRows(x.getType()), getElementTypeOrSelf(x));
  return buildMap(
      call, sum.getType(), {sum, count},
      [](Scalars &s, ArrayRef<Value> a) { return s.div(a[0], a[1]); });
}

/// Argument 1: some dimensions, or one.
static std::optional<SmallVector<int64_t>> getReducedDims(Arguments arguments) {
  if (std::optional<int64_t> dim = arguments.integer(1))
    return SmallVector<int64_t>{*dim};
  return arguments.integers(1);
}

/// sum(x, dims, keepdim, dtype), mean, amax, amin, prod of one dimension
static LogicalResult liftReduction(TorchCall &call, Reduction kind) {
  Value x = call.rowsOrPlain(0);
  RankedTensorType result = call.resultType();
  if (!x)
    return failure();
  auto type = cast<RankedTensorType>(x.getType());
  std::optional<SmallVector<int64_t>> dims = getReducedDims(call);
  bool hasType = kind != Reduction::Max && kind != Reduction::Min;
  if (!dims || dims->empty() || !call.boolean(2) || !result ||
      (hasType && !call.isNone(3)))
    return call.refuse("its arguments are not dimensions, keepdim and no type");
  for (int64_t &dim : *dims) {
    std::optional<int64_t> normal = normalizeDim(dim, type.getRank());
    if (!normal)
      return call.refuse("argument 1 is not a list of dimensions");
    dim = *normal;
  }
  llvm::sort(*dims, std::greater<int64_t>());
  if (std::adjacent_find(dims->begin(), dims->end()) != dims->end())
    return call.refuse("argument 1 names a dimension twice");
  MapOp product;
  if (kind == Reduction::Sum && dims->size() == 1 &&
      dims->front() == type.getRank() - 1 &&
      !(dims->front() == 0 && rgnn::getRows(type)))
    product = getOnlyProduct(call, x);
  if (product)
    x = DotOp::create(call.builder, call.loc, product.getInputs()[0],
                      product.getInputs()[1]);
  else
    for (int64_t dim : *dims) {
      bool isOfRows = dim == 0 && rgnn::getRows(type);
      x = isOfRows
              ? reduceAll(call, x, kind)
              : ReduceFeaturesOp::create(call.builder, call.loc, x, kind, dim);
      if (!x)
        return failure();
    }
  if (*call.boolean(2))
    x = keepDims(call, x, type, *dims);
  return call.replace({x});
}

/// max(x, dim, keepdim) and min, without the indices: numbers compared one
/// after another, so that the gradient is that of the first of equal ones.
static LogicalResult liftExtreme(TorchCall &call) {
  constexpr int64_t maxNumbers = 64;
  Value x = call.rowsOrPlain(0);
  if (!x)
    return failure();
  auto type = cast<RankedTensorType>(x.getType());
  std::optional<int64_t> dim = normalizeDim(call.integer(1), type.getRank());
  if (!dim || (*dim == 0 && rgnn::getRows(type)) || !call.boolean(2))
    return call.refuse("it is not over a dimension of rows");
  int64_t size = type.getDimSize(*dim);
  if (size < 1 || size > maxNumbers)
    return call.refuse("it is over none or more than " + Twine(maxNumbers) +
                       " numbers");
  SmallVector<Value> parts;
  for (int64_t i = 0; i < size; ++i)
    parts.push_back(SliceOp::create(call.builder, call.loc, x, *dim, i, 1));
  auto isBeyond = call.name() == "aten.max.dim" ? arith::CmpFPredicate::OGT
                                                : arith::CmpFPredicate::OLT;
  Value result = buildMap(
      call, parts[0].getType(), parts,
      [&](Scalars &s, ArrayRef<Value> numbers) {
        auto compare = [&](arith::CmpFPredicate test, Value a, Value b) {
          return arith::CmpFOp::create(s.builder, s.loc, test, a, b);
        };
        Value first = numbers[0];
        for (Value number : numbers.drop_front()) {
          // The first NaN is beyond all numbers.
          Value isFirstNaN = arith::AndIOp::create(
              s.builder, s.loc,
              compare(arith::CmpFPredicate::UNO, number, number),
              compare(arith::CmpFPredicate::ORD, first, first));
          Value isNext = arith::OrIOp::create(
              s.builder, s.loc, compare(isBeyond, number, first), isFirstNaN);
          first =
              arith::SelectOp::create(s.builder, s.loc, isNext, number, first);
        }
        return first;
      });
  if (!*call.boolean(2)) {
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + *dim);
    result = ReshapeOp::create(
        call.builder, call.loc,
        RankedTensorType::get(shape, type.getElementType(), type.getEncoding()),
        result);
  }
  return call.replaceFirst(result);
}

/// The result has the rows of argument 0, where `dims` leave them.
static void keepRowsBeside(std::optional<SmallVector<int64_t>> dims,
                           Arguments arguments, Sizes &sizes) {
  Value x = arguments.floats(0);
  if (!x || !dims || dims->empty())
    return;
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  if (llvm::all_of(*dims, [&](int64_t dim) {
        std::optional<int64_t> normal = normalizeDim(dim, rank);
        return normal && *normal > 0;
      }))
    keepRows(arguments, sizes);
}

static void reducedRows(Arguments arguments, Sizes &sizes) {
  keepRowsBeside(getReducedDims(arguments), arguments, sizes);
}

static void rowsOfNorm(Arguments arguments, Sizes &sizes) {
  keepRowsBeside(arguments.integers(2), arguments, sizes);
}

/// linalg_vector_norm(x, ord, dims, keepdim, dtype)
static LogicalResult liftNorm(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  if (!x)
    return failure();
  auto type = cast<RankedTensorType>(x.getType());
  std::optional<bool> keepsDim = call.boolean(3);
  if (call.number(1) != 2.0)
    return call.refuse("it is not the Euclidean norm");
  if (!call.isNone(4))
    return call.refuse("it converts to another element type");
  if (!keepsDim)
    return call.refuse("argument 3 is not a boolean");
  int64_t rank = type.getRank();
  // Without dimensions, it is over all.
  if (call.isNone(2) && !rgnn::getRows(type) && rank > 0 && !*keepsDim) {
    auto flat =
        RankedTensorType::get({type.getNumElements()}, type.getElementType());
    Value all = ReshapeOp::create(call.builder, call.loc, flat, x);
    return call.replace({NormOp::create(call.builder, call.loc, all)});
  }
  std::optional<SmallVector<int64_t>> dims = call.integers(2);
  std::optional<int64_t> dim = dims && dims->size() == 1
                                   ? normalizeDim(dims->front(), rank)
                                   : std::nullopt;
  if (!dim || (rgnn::getRows(type) && *dim == 0))
    return call.refuse("it is not over one dimension of rows");
  if (*dim != rank - 1) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
    order.erase(order.begin() + *dim);
    order.push_back(*dim);
    x = PermuteOp::create(call.builder, call.loc, x, order);
  }
  Value norm = NormOp::create(call.builder, call.loc, x);
  if (*keepsDim)
    norm = keepDims(call, norm, type, *dim);
  return call.replace({norm});
}

/// The softmax of a tensor without rows, or its logarithm, over `dim`.
static Value softmaxOfAll(TorchCall &call, Value x, int64_t dim, bool isLog) {
  auto type = cast<RankedTensorType>(x.getType());
  auto reduce = [&](Value value, Reduction kind) {
    return keepDims(
        call,
        ReduceFeaturesOp::create(call.builder, call.loc, value, kind, dim),
        type, dim);
  };
  auto combine = [&](Value a, Value b, auto build) {
    return buildMap(call, type, {a, b}, build);
  };
  x = combine(x, reduce(x, Reduction::Max),
              [](Scalars &s, ArrayRef<Value> a) { return s.sub(a[0], a[1]); });
  Value powers = buildMap(call, type, x, [](Scalars &s, ArrayRef<Value> a) {
    return s.unary<math::ExpOp>(a[0]);
  });
  Value sum = reduce(powers, Reduction::Sum);
  if (isLog)
    return combine(x, sum, [](Scalars &s, ArrayRef<Value> a) {
      return s.sub(a[0], s.unary<math::LogOp>(a[1]));
    });
  return combine(powers, sum, [](Scalars &s, ArrayRef<Value> a) {
    return s.div(a[0], a[1]);
  });
}

/// softmax(x, dim, dtype) and log_softmax
static LogicalResult liftFeatureSoftmax(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  if (!x)
    return failure();
  auto type = cast<RankedTensorType>(x.getType());
  std::optional<int64_t> dim = normalizeDim(call.integer(1), type.getRank());
  bool isInternal = call.name().starts_with("aten._");
  if (isInternal ? call.boolean(2) != false : !call.isNone(2))
    return call.refuse("it converts to another element type");
  if (dim && !rgnn::getRows(type) && type.hasStaticShape())
    return call.replace(
        {softmaxOfAll(call, x, *dim, call.name().contains("log"))});
  if (!dim || getRowShape(type).empty() || *dim == 0)
    return call.refuse("it is not over a dimension of rows");
  // Its dimension last, and back again.
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(order[*dim], order.back());
  bool isLast = *dim == type.getRank() - 1;
  auto permute = [&](Value value) -> Value {
    return isLast ? value
                  : PermuteOp::create(call.builder, call.loc, value, order)
                        .getResult();
  };
  Value softmax = SoftmaxOp::create(call.builder, call.loc, permute(x),
                                    call.name().contains("log"));
  return call.replace({permute(softmax)});
}

void lift::addReductionRules(Rules &rules) {
  const std::pair<StringRef, Reduction> reductions[] = {
      {"aten.sum.dim_IntList", Reduction::Sum},
      {"aten.mean.dim", Reduction::Mean},
      {"aten.amax", Reduction::Max},
      {"aten.amin", Reduction::Min},
      {"aten.prod.dim_int", Reduction::Mul}};
  for (auto [name, kind] : reductions)
    rules[name] = {reducedRows, [kind = kind](TorchCall &call) {
                     return liftReduction(call, kind);
                   }};
  for (StringRef name : {"aten.softmax.int", "aten.log_softmax.int",
                         "aten._softmax", "aten._log_softmax"})
    rules[name] = {keepRows, liftFeatureSoftmax};
  for (StringRef name : {"aten.max.dim", "aten.min.dim"})
    rules[name] = {reducedRows, liftExtreme};
  rules["aten.linalg_vector_norm"] = {rowsOfNorm, liftNorm};
}
