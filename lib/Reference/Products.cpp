//===- Products.cpp - evaluation of products of rows and weights ----------===//

#include "Frame.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

static LogicalResult checkType(Operation *op, int64_t type, int64_t types) {
  if (type >= types)
    return op->emitError() << "rgnn interpreter: expected weights of type "
                           << type << ", got " << types << " types";
  return success();
}

static LogicalResult checkNodes(Operation *op, int64_t nodes,
                                const Graph &graph) {
  if (nodes != graph.getNumNodes())
    return op->emitError() << "rgnn interpreter: expected a table of "
                           << graph.getNumNodes() << " nodes, got " << nodes;
  return success();
}

namespace mlir::rgnn::reference {

static FailureOr<Tensor> evaluateOp(LookupOp op, Frame &frame) {
  const Tensor &table = frame.tensor(op.getTable());
  const Tensor *comp = frame.tensorOrNull(op.getComp());
  const Graph &graph = frame.graph(op.getGraph());
  int64_t width = table.shape[2];
  if (failed(checkNodes(op, table.shape[1], graph))) // C3
    return failure();
  ArrayRef<int64_t> ends =
      op.getPath() == Path::Src ? graph.getSrc() : graph.getDst();
  int64_t numEdges = ends.size();
  FailureOr<Tensor> result = makeZeros(op, {numEdges, width});
  if (failed(result))
    return failure();
  auto at = [&](int64_t matrix, int64_t node) {
    return table.getRow(matrix).slice(node * width, width);
  };
  for (int64_t edge = 0; edge < numEdges; ++edge) {
    int64_t type = graph.getEType()[edge];
    if (failed(checkType(op, type, comp ? comp->shape[0] : table.shape[0])))
      return failure();
    for (int64_t i = 0; i < width; ++i) {
      double &out = result->getRow(edge)[i];
      if (!comp) {
        out = at(type, ends[edge])[i];
        continue;
      }
      for (int64_t basis = 0; basis < comp->shape[1]; ++basis)
        out += comp->getRow(type)[basis] * at(basis, ends[edge])[i];
    }
  }
  return result;
}

static FailureOr<Tensor> evaluateOp(LookupSumOp op, Frame &frame) {
  const Tensor &rows = frame.tensor(op.getRows());
  const Graph &graph = frame.graph(op.getGraph());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (failed(checkNodes(op, type.getDimSize(1), graph))) // C4
    return failure();
  ArrayRef<int64_t> ends =
      op.getPath() == Path::Src ? graph.getSrc() : graph.getDst();
  int64_t numEdges = ends.size(), width = type.getDimSize(2);
  if (rows.getNumRows() != numEdges)
    return op->emitError() << "rgnn interpreter: expected " << numEdges
                           << " rows, got " << formatShape(rows.shape);
  FailureOr<Tensor> result = makeZeros(op, type.getShape());
  if (failed(result))
    return failure();
  for (int64_t edge = 0; edge < numEdges; ++edge) {
    int64_t etype = graph.getEType()[edge];
    if (failed(checkType(op, etype, type.getDimSize(0))))
      return failure();
    for (int64_t i = 0; i < width; ++i)
      result->getRow(etype)[ends[edge] * width + i] += rows.getRow(edge)[i];
  }
  return result;
}

static FailureOr<Tensor> evaluateOp(LinearOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX());
  const Tensor &weight = frame.tensor(op.getWeight());
  bool transposed = op.getTransposed();
  int64_t in = weight.shape[transposed ? 1 : 0];
  int64_t out = weight.shape[transposed ? 0 : 1];
  SmallVector<int64_t> shape = x.shape;
  if (shape.empty() || shape.back() != in)
    return op->emitError() << "rgnn interpreter: expected " << in
                           << " features, got " << formatShape(x.shape);
  shape.back() = out;
  FailureOr<Tensor> result = makeZeros(op, shape);
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    int64_t vector = i / out, n = i % out;
    for (int64_t k = 0; k < in; ++k)
      result->values[i] +=
          x.values[vector * in + k] *
          (transposed ? weight.getRow(n)[k] : weight.getRow(k)[n]);
  }
  return result;
}

static FailureOr<Tensor> evaluateOp(TypedLinearOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX());
  const Tensor &weight = frame.tensor(op.getWeight());
  const Graph &graph = frame.graph(op.getGraph());
  Domain from = getRows(op.getX().getType()).getDomain();
  std::optional<std::vector<int64_t>> types = graph.getMap(from, op.getPath());
  if (!types || static_cast<int64_t>(types->size()) != x.getNumRows())
    return op->emitError() << "rgnn interpreter: expected a type for each of "
                           << x.getNumRows() << " rows, got "
                           << (types ? std::to_string(types->size())
                                     : "unknown node types");
  int64_t in = x.shape.back(), out = weight.shape.back();
  SmallVector<int64_t> shape = x.shape;
  shape.back() = out;
  FailureOr<Tensor> result = makeZeros(op, shape);
  if (failed(result))
    return failure();
  int64_t numBlocks = in == 0 ? 0 : x.getRowSize() / in;
  for (auto [row, type] : llvm::enumerate(*types)) {
    if (failed(checkType(op, type, weight.shape[0])))
      return failure();
    ArrayRef<double> matrices = weight.getRow(type);
    for (int64_t block = 0; block < numBlocks; ++block)
      for (int64_t n = 0; n < out; ++n)
        for (int64_t k = 0; k < in; ++k)
          result->getRow(row)[block * out + n] +=
              x.getRow(row)[block * in + k] *
              matrices[(block * in + k) * out + n];
  }
  return result;
}

static FailureOr<Tensor> evaluateOp(MatmulOp op, Frame &frame) {
  const Tensor &lhs = frame.tensor(op.getLhs());
  const Tensor &rhs = frame.tensor(op.getRhs());
  ArrayRef<int64_t> left = lhs.shape;
  int64_t in = left.back(), out = rhs.shape.back(),
          rows = left.drop_back().back();
  SmallVector<int64_t> shape = lhs.shape;
  shape.back() = out;
  FailureOr<Tensor> result = makeZeros(op, shape);
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    int64_t row = i / out, matrix = row / rows, n = i % out;
    for (int64_t k = 0; k < in; ++k)
      result->values[i] +=
          lhs.values[row * in + k] * rhs.values[(matrix * in + k) * out + n];
  }
  return result;
}

static FailureOr<Tensor> evaluateOp(OuterSumOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX());
  const Tensor &y = frame.tensor(op.getY());
  if (ArrayRef(x.shape).drop_back() != ArrayRef(y.shape).drop_back())
    return op->emitError() << "rgnn interpreter: expected equal rows, got "
                           << formatShape(x.shape) << " and "
                           << formatShape(y.shape);
  int64_t in = x.shape.back(), out = y.shape.back();
  FailureOr<Tensor> result = makeZeros(op, {in, out});
  if (failed(result))
    return failure();
  int64_t numVectors = in == 0 ? 0 : x.getNumElements() / in;
  for (int64_t vector = 0; vector < numVectors; ++vector)
    for (int64_t k = 0; k < in; ++k)
      for (int64_t n = 0; n < out; ++n)
        result->getRow(k)[n] +=
            x.values[vector * in + k] * y.values[vector * out + n];
  return result;
}

static FailureOr<Tensor> evaluateOp(TypedOuterSumOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX());
  const Tensor &y = frame.tensor(op.getY());
  const Graph &graph = frame.graph(op.getGraph());
  Domain from = getRows(op.getX().getType()).getDomain();
  std::optional<std::vector<int64_t>> types = graph.getMap(from, op.getPath());
  if (!types || static_cast<int64_t>(types->size()) != x.getNumRows() ||
      x.getNumRows() != y.getNumRows())
    return op->emitError() << "rgnn interpreter: expected a type for each of "
                           << x.getNumRows() << " and " << y.getNumRows()
                           << " rows, got "
                           << (types ? std::to_string(types->size())
                                     : "unknown node types");
  FailureOr<Tensor> result = makeZeros(
      op, cast<RankedTensorType>(op.getResult().getType()).getShape());
  if (failed(result))
    return failure();
  int64_t in = x.shape.back(), out = y.shape.back();
  int64_t numBlocks = in == 0 ? 0 : x.getRowSize() / in;
  for (auto [row, type] : llvm::enumerate(*types)) {
    if (failed(checkType(op, type, result->shape[0])))
      return failure();
    MutableArrayRef<double> matrices = result->getRow(type);
    for (int64_t block = 0; block < numBlocks; ++block)
      for (int64_t k = 0; k < in; ++k)
        for (int64_t n = 0; n < out; ++n)
          matrices[(block * in + k) * out + n] +=
              x.getRow(row)[block * in + k] * y.getRow(row)[block * out + n];
  }
  return result;
}

static FailureOr<Tensor> evaluateOp(SumRowsOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX());
  FailureOr<Tensor> result = makeZeros(op, ArrayRef(x.shape).drop_front());
  if (failed(result))
    return failure();
  for (int64_t row = 0; row < x.getNumRows(); ++row)
    for (auto [sum, value] : llvm::zip(result->values, x.getRow(row)))
      sum += value;
  return result;
}

static FailureOr<Tensor> evaluateOp(DotOp op, Frame &frame) {
  const Tensor &lhs = frame.tensor(op.getLhs());
  const Tensor &rhs = frame.tensor(op.getRhs());
  if (lhs.shape != rhs.shape)
    return op->emitError() << "rgnn interpreter: expected equal shapes, got "
                           << formatShape(lhs.shape) << " and "
                           << formatShape(rhs.shape);
  int64_t width = lhs.shape.back();
  FailureOr<Tensor> result = makeZeros(op, ArrayRef(lhs.shape).drop_back());
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < lhs.getNumElements(); ++i)
    result->values[i / width] += lhs.values[i] * rhs.values[i];
  return result;
}

void attachProductEvaluations(MLIRContext *context) {
  attach<LookupOp, LookupSumOp, LinearOp, TypedLinearOp, MatmulOp, OuterSumOp,
         TypedOuterSumOp, SumRowsOp, DotOp>(context);
}

} // namespace mlir::rgnn::reference
