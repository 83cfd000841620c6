//===- Normalisations.cpp - deviations of numbers within rows -------------===//
//
// Normalisations of layers and groups, variances: each row by itself. That of
// batches is so where its means and variances are given, in evaluation; in
// training it takes those of all rows.
//
//===----------------------------------------------------------------------===//

#include "../Elements/Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value reshape(TorchCall &call, Value x, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(x),
                                    getType(x).getEncoding());
  return ReshapeOp::create(call.builder, call.loc, type, x);
}

static Value subtract(TorchCall &call, Value x, Value mean) {
  return buildMap(
      call, x.getType(), {x, mean},
      [](Scalars &s, ArrayRef<Value> a) { return s.sub(a[0], a[1]); });
}

/// The numbers of the last dimension divided by the root of their mean square,
/// after their mean was taken off where `centers` says so.
static Value normalizeLast(TorchCall &call, Value x, double epsilon,
                           bool centers) {
  RankedTensorType type = getType(x);
  int64_t last = type.getRank() - 1, width = type.getDimSize(last);
  SmallVector<int64_t> kept(type.getShape());
  kept.back() = 1;
  if (centers) {
    Value mean = ReduceFeaturesOp::create(call.builder, call.loc, x,
                                          Reduction::Mean, last);
    x = subtract(call, x, reshape(call, mean, kept));
  }
  Value squares = DotOp::create(call.builder, call.loc, x, x);
  return buildMap(call, type, {x, reshape(call, squares, kept)},
                  [&](Scalars &s, ArrayRef<Value> a) {
                    Value variance = s.div(a[1], s.constant(width));
                    return s.mul(a[0], s.unary<math::RsqrtOp>(s.add(
                                           variance, s.constant(epsilon))));
                  });
}

/// `x` times weight argument `weight` and plus argument `bias`, each of which
/// may be None, and has shape `shape`; null with a reason.
static Value scaleAndShift(TorchCall &call, Value x, unsigned weight,
                           std::optional<unsigned> bias,
                           ArrayRef<int64_t> shape) {
  for (bool isWeight : {true, false}) {
    if (!isWeight && !bias)
      continue;
    unsigned argument = isWeight ? weight : *bias;
    if (call.isNone(argument))
      continue;
    Value factor = call.plain(argument);
    if (!factor)
      return {};
    if (getType(factor).getNumElements() != ShapedType::getNumElements(shape)) {
      (void)call.refuse("argument " + Twine(argument) +
                        " is not one number for each that is normalised");
      return {};
    }
    x = buildMap(call, x.getType(), {x, reshape(call, factor, shape)},
                 [&](Scalars &s, ArrayRef<Value> a) {
                   return isWeight ? s.mul(a[0], a[1]) : s.add(a[0], a[1]);
                 });
  }
  return x;
}

/// layer_norm(x, shape, weight, bias, eps), rms_norm(x, shape, weight, eps)
static LogicalResult liftLayerNorm(TorchCall &call) {
  bool centers = call.name() == "aten.layer_norm";
  Value x = call.rowsOrPlain(0);
  if (!x)
    return failure();
  RankedTensorType type = getType(x);
  std::optional<SmallVector<int64_t>> shape = call.integers(1);
  ArrayRef<int64_t> rowShape = getRowShape(type);
  if (!rgnn::getRows(type) || !shape || shape->empty() ||
      shape->size() > rowShape.size() ||
      rowShape.take_back(shape->size()) != ArrayRef(*shape))
    return call.refuse("it does not normalise the last dimensions of rows");
  unsigned ofEpsilon = centers ? 4 : 3;
  std::optional<double> epsilon = call.number(ofEpsilon);
  if (!epsilon && call.isNone(ofEpsilon))
    epsilon = type.getElementType().isF64()
                  ? std::numeric_limits<double>::epsilon()
                  : std::numeric_limits<float>::epsilon();
  if (!epsilon || type.getElementTypeBitWidth() < 32)
    return call.refuse("its epsilon is no number, or it rounds to 16 bits");
  SmallVector<int64_t> flat(type.getShape().drop_back(shape->size()));
  flat.push_back(ShapedType::getNumElements(*shape));
  Value result = normalizeLast(call, reshape(call, x, flat), *epsilon, centers);
  result = reshape(call, result, type.getShape());
  result = scaleAndShift(call, result, 2,
                         centers ? std::optional(3u) : std::nullopt, *shape);
  return result ? call.replace({result}) : failure();
}

/// The shape of what there is one of for each channel of `type`.
static SmallVector<int64_t> getChannelShape(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getRank() - 1, 1);
  shape[0] = type.getDimSize(1);
  return shape;
}

/// group_norm(x, groups, weight, bias, eps)
static LogicalResult liftGroupNorm(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  if (!x)
    return failure();
  RankedTensorType type = getType(x);
  std::optional<int64_t> groups = call.integer(1);
  std::optional<double> epsilon = call.number(4);
  if (!rgnn::getRows(type) || getRowShape(type).empty() || !groups ||
      *groups < 1 || !epsilon || type.getDimSize(1) % *groups != 0 ||
      type.getElementTypeBitWidth() < 32)
    return call.refuse("it does not normalise groups of rows of 32 bits");
  int64_t width = ShapedType::getNumElements(getRowShape(type)) / *groups;
  Value split = reshape(call, x, {type.getDimSize(0), *groups, width});
  Value result = normalizeLast(call, split, *epsilon, /*centers=*/true);
  result = scaleAndShift(call, reshape(call, result, type.getShape()), 2, 3,
                         getChannelShape(type));
  return result ? call.replace({result}) : failure();
}

/// `x` minus `mean`, divided by the root of `variance` and `epsilon`.
static Value standardize(TorchCall &call, Value x, Value mean, Value variance,
                         double epsilon) {
  SmallVector<int64_t> shape = getChannelShape(getType(x));
  Value from = subtract(call, x, reshape(call, mean, shape));
  return buildMap(call, x.getType(), {from, reshape(call, variance, shape)},
                  [&](Scalars &s, ArrayRef<Value> a) {
                    return s.mul(a[0], s.unary<math::RsqrtOp>(
                                           s.add(a[1], s.constant(epsilon))));
                  });
}

/// Whether channels of `x` are normalised, which are rows; with a reason.
static bool isBatch(TorchCall &call, Value x, std::optional<double> epsilon) {
  RankedTensorType type = getType(x);
  if (epsilon && rgnn::getRows(type) && !getRowShape(type).empty() &&
      type.getElementTypeBitWidth() >= 32)
    return true;
  (void)call.refuse("it does not normalise features of rows of 32 bits");
  return false;
}

/// _native_batch_norm_legit_no_training(x, weight, bias, mean, variance,
/// momentum, eps): the results but the first are empty.
static LogicalResult liftBatchNorm(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  Value mean = x ? call.plain(3) : Value(),
        variance = mean ? call.plain(4) : mean;
  std::optional<double> epsilon = call.number(6);
  if (!variance || !isBatch(call, x, epsilon))
    return failure();
  if (getElementTypeOrSelf(mean) != getElementTypeOrSelf(x))
    return call.refuse("its means have another element type");
  Value result = standardize(call, x, mean, variance, *epsilon);
  result = scaleAndShift(call, result, 1, 2, getChannelShape(getType(x)));
  return result ? call.replaceFirst(result) : failure();
}

/// `1 - momentum` of what was there, argument `i`, and `momentum` of `value`.
static Value moveAverage(TorchCall &call, unsigned i, Value value,
                         double momentum) {
  Value before = call.plain(i);
  if (!before || before.getType() != value.getType())
    return {};
  return buildMap(call, value.getType(), {before, value},
                  [&](Scalars &s, ArrayRef<Value> a) {
                    return s.add(s.scale(a[0], 1.0 - momentum),
                                 s.scale(a[1], momentum));
                  });
}

/// What a batch says of its channels: how many rows it has, as a tensor, and
/// mean and variance of each channel.
struct Batch {
  Value count, mean, variance;
};

static Batch getBatch(TorchCall &call, Value x) {
  RankedTensorType type = getType(x);
  // Of each channel alone.
  auto average = [&](Value rows, Value count) {
    for (int64_t dim = type.getRank() - 1; dim > 1; --dim)
      rows = ReduceFeaturesOp::create(call.builder, call.loc, rows,
                                      Reduction::Mean, dim);
    Value sum = SumRowsOp::create(call.builder, call.loc, rows);
    return buildMap(
        call, sum.getType(), {sum, count},
        [](Scalars &s, ArrayRef<Value> a) { return s.div(a[0], a[1]); });
  };
  Batch batch;
  batch.count = countRows(call, rgnn::getRows(type), type.getElementType());
  batch.mean = average(x, batch.count);
  Value from =
      subtract(call, x, reshape(call, batch.mean, getChannelShape(type)));
  batch.variance = average(
      buildMap(call, type, from,
               [](Scalars &s, ArrayRef<Value> a) { return s.mul(a[0], a[0]); }),
      batch.count);
  return batch;
}

/// `x` by what its batch says of it.
static Value normalizeBatch(TorchCall &call, Value x, const Batch &batch,
                            double epsilon) {
  Value result = standardize(call, x, batch.mean, batch.variance, epsilon);
  return scaleAndShift(call, result, 1, 2, getChannelShape(getType(x)));
}

static Value getReciprocalDeviation(TorchCall &call, const Batch &batch,
                                    double epsilon) {
  return buildMap(call, batch.variance.getType(), batch.variance,
                  [&](Scalars &s, ArrayRef<Value> a) {
                    return s.unary<math::RsqrtOp>(
                        s.add(a[0], s.constant(epsilon)));
                  });
}

/// _native_batch_norm_legit_functional(x, weight, bias, mean, variance,
/// training, momentum, eps) gives also the means and reciprocal deviations of
/// this batch, and the moved averages of means and variances. The variance of a
/// batch is that of its rows, of averages that of what they are a sample of.
static LogicalResult liftBatchNormInTraining(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  std::optional<double> epsilon = call.number(7), momentum = call.number(6);
  if (!x || !isBatch(call, x, epsilon))
    return failure();
  if (!momentum || call.boolean(5) != true || call.op.getNumResults() != 5)
    return call.refuse("its arguments are not those of training");
  Batch batch = getBatch(call, x);
  Value result = normalizeBatch(call, x, batch, *epsilon);
  if (!result)
    return failure();
  RankedTensorType type = getType(x);
  int64_t perRow =
      ShapedType::getNumElements(getRowShape(type)) / type.getDimSize(1);
  Value ofAll =
      buildMap(call, batch.variance.getType(), {batch.variance, batch.count},
               [&](Scalars &s, ArrayRef<Value> a) {
                 Value n = s.scale(a[1], perRow);
                 return s.mul(a[0], s.div(n, s.sub(n, s.constant(1.0))));
               });
  Value deviation = getReciprocalDeviation(call, batch, *epsilon);
  Value means = moveAverage(call, 3, batch.mean, *momentum),
        variances = moveAverage(call, 4, ofAll, *momentum);
  if (!means || !variances)
    return call.refuse("its averages are not one number for each channel");
  return call.replace({result, batch.mean, deviation, means, variances});
}

/// _native_batch_norm_legit.no_stats(x, weight, bias, training, momentum, eps)
/// keeps no averages: it is the same in training and evaluation.
static LogicalResult liftBatchNormWithoutAverages(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  std::optional<double> epsilon = call.number(5);
  if (!x || !isBatch(call, x, epsilon))
    return failure();
  if (call.boolean(3) != true)
    return call.refuse("it normalises by averages that it does not have");
  Batch batch = getBatch(call, x);
  Value result = normalizeBatch(call, x, batch, *epsilon);
  if (!result)
    return failure();
  return call.replace(
      {result, batch.mean, getReciprocalDeviation(call, batch, *epsilon)});
}

/// var.correction(x, dims, correction, keepdim) and std, of features or also of
/// all rows
static LogicalResult liftVariance(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  if (!x)
    return failure();
  RankedTensorType type = getType(x), result = call.resultType();
  std::optional<SmallVector<int64_t>> dims = call.integers(1);
  std::optional<double> correction =
      call.isNone(2) ? std::optional(1.0) : call.number(2);
  if (std::optional<bool> isUnbiased = call.boolean(2))
    correction = *isUnbiased;
  if (!dims || dims->empty() || !correction || !result)
    return call.refuse("its arguments are not dimensions and a correction");
  double count = 1;
  Value numRows;
  SmallVector<int64_t> kept(type.getShape());
  for (int64_t &dim : *dims) {
    std::optional<int64_t> normal = normalizeDim(dim, type.getRank());
    if (!normal)
      return call.refuse("argument 1 is not a list of dimensions");
    dim = *normal;
    if (RowsAttr rows = rgnn::getRows(type); rows && dim == 0)
      numRows = countRows(call, rows, type.getElementType());
    else
      count *= kept[dim];
    kept[dim] = 1;
  }
  if (!numRows && (count == 1 || count <= *correction))
    return call.refuse("it does not reduce features of more than one number");
  llvm::sort(*dims, std::greater<int64_t>());
  auto sum = [&](Value value) -> Value {
    for (int64_t dim : *dims)
      if (dim == 0 && numRows)
        value = SumRowsOp::create(call.builder, call.loc, value);
      else
        value = ReduceFeaturesOp::create(call.builder, call.loc, value,
                                         Reduction::Sum, dim);
    return value;
  };
  auto divide = [&](Value value, double less, bool isRoot) {
    SmallVector<Value> operands{value};
    if (numRows)
      operands.push_back(numRows);
    return buildMap(
        call, value.getType(), operands,
        [&](Scalars &s, ArrayRef<Value> a) -> Value {
          Value by = s.constant(count - less);
          if (numRows)
            by = arith::MaximumFOp::create(
                s.builder, s.loc, s.constant(0.0),
                s.sub(s.scale(a[1], count), s.constant(less)));
          Value quotient = s.div(a[0], by);
          if (!isRoot)
            return quotient;
          // At zero the root has no slope, as in PyTorch.
          Value zero = s.constant(0.0);
          Value isZero = arith::CmpFOp::create(
              s.builder, s.loc, arith::CmpFPredicate::OEQ, quotient, zero);
          Value some = arith::SelectOp::create(s.builder, s.loc, isZero,
                                               s.constant(1.0), quotient);
          return arith::SelectOp::create(s.builder, s.loc, isZero, zero,
                                         s.unary<math::SqrtOp>(some));
        });
  };
  Value mean = divide(sum(x), /*less=*/0, /*isRoot=*/false);
  // What is of all rows broadcasts to them.
  Value spread =
      reshape(call, mean, ArrayRef(kept).drop_front(numRows ? 1 : 0));
  Value from = subtract(call, x, spread);
  Value squares = buildMap(call, type, from, [](Scalars &s, ArrayRef<Value> a) {
    return s.mul(a[0], a[0]);
  });
  Value variance =
      divide(sum(squares), *correction, call.name().starts_with("aten.std"));
  if (call.boolean(3) == true)
    variance = reshape(call, variance, kept);
  return call.replace({variance});
}

static void rowsOfVariance(Arguments arguments, Sizes &sizes) {
  Value x = arguments.floats(0);
  std::optional<SmallVector<int64_t>> dims = arguments.integers(1);
  if (!x || !dims || dims->empty())
    return;
  int64_t rank = getType(x).getRank();
  if (llvm::all_of(*dims, [&](int64_t dim) {
        return normalizeDim(dim, rank).value_or(0) > 0;
      }))
    keepRows(arguments, sizes);
}

void lift::addNormalisationRules(Rules &rules) {
  for (StringRef name : {"aten.layer_norm", "aten.rms_norm"})
    rules[name] = {keepRows, liftLayerNorm};
  rules["aten.group_norm"] = {keepRows, liftGroupNorm};
  rules["aten._native_batch_norm_legit_no_training"] = {keepRows,
                                                        liftBatchNorm};
  rules["aten._native_batch_norm_legit_functional"] = {keepRows,
                                                       liftBatchNormInTraining};
  rules["aten._native_batch_norm_legit.no_stats"] = {
      keepRows, liftBatchNormWithoutAverages};
  for (StringRef name : {"aten.var.correction", "aten.std.correction",
                         "aten.var.dim", "aten.std.dim"})
    rules[name] = {rowsOfVariance, liftVariance};
}
