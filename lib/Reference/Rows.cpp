//===- Rows.cpp - evaluation of ops on each row by itself -----------------===//

#include "Frame.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

/// A tensor seen as [outer, size, inner] around one dimension.
namespace {
struct View {
  View(ArrayRef<int64_t> shape, int64_t dim) : size(shape[dim]) {
    for (int64_t d : shape.take_front(dim))
      outer *= d;
    for (int64_t d : shape.drop_front(dim + 1))
      inner *= d;
  }
  int64_t at(int64_t o, int64_t s, int64_t i) const {
    return (o * size + s) * inner + i;
  }
  int64_t outer = 1, size, inner = 1;
};
} // namespace

namespace mlir::rgnn::reference {

static FailureOr<Tensor> evaluateOp(ReshapeOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<int64_t> shape(type.getShape());
  if (getRows(type))
    shape[0] = x.getNumRows();
  FailureOr<Tensor> result = makeZeros(op, shape);
  if (failed(result))
    return failure();
  if (result->getNumElements() != x.getNumElements())
    return op->emitError() << "rgnn interpreter: expected "
                           << result->getNumElements() << " elements, got "
                           << formatShape(x.shape);
  result->values = x.values;
  return result;
}

static FailureOr<Tensor> evaluateOp(PermuteOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX());
  ArrayRef<int64_t> order = op.getOrder();
  SmallVector<int64_t> shape, strides(x.getRank(), 1);
  for (int64_t dim = x.getRank() - 1; dim > 0; --dim)
    strides[dim - 1] = strides[dim] * x.shape[dim];
  for (int64_t dim : order)
    shape.push_back(x.shape[dim]);
  FailureOr<Tensor> result = makeZeros(op, shape);
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    int64_t from = 0, rest = i;
    for (int64_t dim = x.getRank(); dim-- > 0;) {
      from += rest % shape[dim] * strides[order[dim]];
      rest /= shape[dim];
    }
    result->values[i] = x.values[from];
  }
  return result;
}

static FailureOr<Tensor> evaluateOp(ConcatOp op, Frame &frame) {
  SmallVector<Tensor> inputs = frame.tensors(op.getInputs());
  int64_t dim = op.getDim();
  SmallVector<int64_t> shape = inputs[0].shape;
  shape[dim] = 0;
  for (const Tensor &input : inputs) {
    SmallVector<int64_t> others = input.shape;
    shape[dim] += others[dim];
    others[dim] = shape[dim];
    if (others != shape)
      return op->emitError() << "rgnn interpreter: expected operands like "
                             << formatShape(inputs[0].shape) << ", got "
                             << formatShape(input.shape);
  }
  FailureOr<Tensor> result = makeZeros(op, shape);
  if (failed(result))
    return failure();
  View to(shape, dim);
  int64_t begin = 0;
  for (const Tensor &input : inputs) {
    View from(input.shape, dim);
    for (int64_t o = 0; o < from.outer; ++o)
      for (int64_t s = 0; s < from.size; ++s)
        for (int64_t i = 0; i < from.inner; ++i)
          result->values[to.at(o, begin + s, i)] =
              input.values[from.at(o, s, i)];
    begin += from.size;
  }
  return result;
}

static FailureOr<Tensor> evaluateOp(SliceOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX());
  int64_t begin = op.getBegin(), size = op.getSize();
  View from(x.shape, op.getDim());
  if (begin < 0 || size < 0 || begin > from.size || size > from.size - begin)
    return op->emitError() << "rgnn interpreter: expected a range within [0, "
                           << from.size << "), got " << size << " elements at "
                           << begin;
  SmallVector<int64_t> shape = x.shape;
  shape[op.getDim()] = size;
  FailureOr<Tensor> result = makeZeros(op, shape);
  if (failed(result))
    return failure();
  View to(shape, op.getDim());
  for (int64_t o = 0; o < to.outer; ++o)
    for (int64_t s = 0; s < size; ++s)
      for (int64_t i = 0; i < to.inner; ++i)
        result->values[to.at(o, s, i)] = x.values[from.at(o, begin + s, i)];
  return result;
}

static FailureOr<Tensor> evaluateOp(ReduceFeaturesOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX());
  View from(x.shape, op.getDim());
  SmallVector<int64_t> shape = x.shape;
  shape.erase(shape.begin() + op.getDim());
  FailureOr<Tensor> result = makeZeros(op, shape);
  if (failed(result))
    return failure();
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t i = 0; i < from.inner; ++i) {
      SmallVector<double> values;
      for (int64_t s = 0; s < from.size; ++s)
        values.push_back(x.values[from.at(o, s, i)]);
      result->values[o * from.inner + i] = reduce(op.getKind(), values);
    }
  return result;
}

static FailureOr<Tensor> evaluateOp(SoftmaxOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX());
  Tensor result = x;
  int64_t width = x.shape.back();
  if (width == 0)
    return result;
  for (int64_t begin = 0; begin < x.getNumElements(); begin += width) {
    auto values = MutableArrayRef(result.values).slice(begin, width);
    if (!op.getLog()) {
      softmax(values, /*epsilon=*/0);
      continue;
    }
    double max = reduce(Reduction::Max, values), sum = 0;
    for (double value : values)
      sum += std::exp(value - max);
    for (double &value : values)
      value = value - max - std::log(sum);
  }
  return result;
}

static FailureOr<Tensor> evaluateOp(NormOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX());
  View from(x.shape, x.getRank() - 1);
  FailureOr<Tensor> result = makeZeros(op, ArrayRef(x.shape).drop_back());
  if (failed(result))
    return failure();
  for (int64_t o = 0; o < from.outer; ++o) {
    double sum = 0;
    for (int64_t s = 0; s < from.size; ++s) {
      double value = x.values[from.at(o, s, 0)];
      sum += value * value;
    }
    result->values[o] = std::sqrt(sum);
  }
  return result;
}

static FailureOr<Tensor> evaluateOp(CrossOp op, Frame &frame) {
  const Tensor &lhs = frame.tensor(op.getLhs()),
               &rhs = frame.tensor(op.getRhs());
  if (lhs.shape != rhs.shape)
    return op->emitError() << "rgnn interpreter: expected operands like "
                           << formatShape(lhs.shape) << ", got "
                           << formatShape(rhs.shape);
  Tensor result = lhs;
  for (int64_t begin = 0; begin < lhs.getNumElements(); begin += 3)
    for (int64_t c = 0; c < 3; ++c) {
      int64_t next = begin + (c + 1) % 3, last = begin + (c + 2) % 3;
      result.values[begin + c] = lhs.values[next] * rhs.values[last] -
                                 lhs.values[last] * rhs.values[next];
    }
  return result;
}

static FailureOr<Tensor> evaluateOp(DetachOp op, Frame &frame) {
  return frame.tensor(op.getX());
}

static FailureOr<Tensor> evaluateOp(WithSlopeOp op, Frame &frame) {
  return frame.tensor(op.getValue());
}

void attachRowEvaluations(MLIRContext *context) {
  attach<ReshapeOp, PermuteOp, ConcatOp, SliceOp, ReduceFeaturesOp, SoftmaxOp,
         NormOp, CrossOp, DetachOp, WithSlopeOp>(context);
}

} // namespace mlir::rgnn::reference
