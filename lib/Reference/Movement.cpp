//===- Movement.cpp - evaluation of rows moving along the lattice ---------===//

#include "Frame.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

/// The map of `path`, and the number of rows that it leads to.
namespace {
struct Arrow {
  std::vector<int64_t> map;
  int64_t numRows;
};
} // namespace

static FailureOr<Arrow> getArrow(Operation *op, const reference::Graph &graph,
                                 Domain from, Path path) {
  std::optional<std::vector<int64_t>> map = graph.getMap(from, path);
  if (!map)
    return op->emitError() << "rgnn interpreter: expected a graph with path "
                           << stringifyPath(path) << " from "
                           << stringifyDomain(from)
                           << ", got one whose node types are unknown";
  return Arrow{std::move(*map), *graph.getNumTargets(from, path)};
}

/// Rows of a value must be as many as its domain has in this graph: values of
/// two graphs of one schema could meet.
static LogicalResult checkRows(Operation *op, const Tensor &rows,
                               int64_t expected) {
  if (rows.shape.empty() || rows.shape[0] != expected)
    return op->emitError() << "rgnn interpreter: expected " << expected
                           << " rows, got " << formatShape(rows.shape);
  return success();
}

static SmallVector<int64_t> withRows(const Tensor &rows, int64_t numRows) {
  SmallVector<int64_t> shape = rows.shape;
  shape[0] = numRows;
  return shape;
}

namespace mlir::rgnn::reference {

static FailureOr<Tensor> evaluateOp(GatherOp op, Frame &frame) {
  const Tensor &rows = frame.tensor(op.getRows());
  const Graph &graph = frame.graph(op.getGraph());
  FailureOr<Arrow> arrow = getArrow(op, graph, op.getTo(), op.getPath());
  if (failed(arrow) || failed(checkRows(op, rows, arrow->numRows)))
    return failure();
  FailureOr<Tensor> result = makeZeros(op, withRows(rows, arrow->map.size()));
  if (failed(result))
    return failure();
  for (auto [row, target] : llvm::enumerate(arrow->map))
    llvm::copy(rows.getRow(target), result->getRow(row).begin());
  return result;
}

double reduce(Reduction kind, ArrayRef<double> values) {
  if (values.empty())
    return 0;
  double result = values[0];
  for (double value : values.drop_front()) {
    if (kind == Reduction::Sum || kind == Reduction::Mean)
      result += value;
    else if (kind == Reduction::Mul)
      result *= value;
    else if (std::isnan(result) || std::isnan(value))
      result = NAN;
    else
      result = kind == Reduction::Max ? std::max(result, value)
                                      : std::min(result, value);
  }
  return kind == Reduction::Mean ? result / values.size() : result;
}

static FailureOr<Tensor> evaluateOp(ReduceOp op, Frame &frame) {
  const Tensor &rows = frame.tensor(op.getRows());
  const Graph &graph = frame.graph(op.getGraph());
  Domain from = getRows(op.getRows().getType()).getDomain();
  FailureOr<Arrow> arrow = getArrow(op, graph, from, op.getPath());
  if (failed(arrow) || failed(checkRows(op, rows, arrow->map.size())))
    return failure();
  FailureOr<Tensor> result = makeZeros(op, withRows(rows, arrow->numRows));
  if (failed(result))
    return failure();
  std::vector<SmallVector<int64_t>> groups(arrow->numRows);
  for (auto [row, target] : llvm::enumerate(arrow->map))
    groups[target].push_back(row);
  for (auto [target, group] : llvm::enumerate(groups))
    for (int64_t i = 0; i < rows.getRowSize(); ++i) {
      SmallVector<double> values;
      for (int64_t row : group)
        values.push_back(rows.getRow(row)[i]);
      result->getRow(target)[i] = reduce(op.getKind(), values);
    }
  return result;
}

void softmax(MutableArrayRef<double> values, double epsilon) {
  double max = reduce(Reduction::Max, values), sum = 0;
  for (double &value : values)
    sum += value = std::exp(value - max);
  for (double &value : values)
    value /= sum + epsilon;
}

static FailureOr<Tensor> evaluateOp(GroupSoftmaxOp op, Frame &frame) {
  const Tensor &rows = frame.tensor(op.getRows());
  const Graph &graph = frame.graph(op.getGraph());
  FailureOr<Arrow> arrow = getArrow(op, graph, Domain::Edge, op.getPath());
  if (failed(arrow) || failed(checkRows(op, rows, arrow->map.size())))
    return failure();
  Tensor result = rows;
  std::vector<SmallVector<int64_t>> groups(arrow->numRows);
  for (auto [edge, target] : llvm::enumerate(arrow->map))
    groups[target].push_back(edge);
  for (ArrayRef<int64_t> group : groups)
    for (int64_t i = 0; i < rows.getRowSize(); ++i) {
      SmallVector<double> values;
      for (int64_t edge : group)
        values.push_back(rows.getRow(edge)[i]);
      softmax(values, /*epsilon=*/1e-16);
      for (auto [edge, value] : llvm::zip(group, values))
        result.getRow(edge)[i] = value;
    }
  return result;
}

/// For each element of the edges' rows: what `add` makes of it and of each edge
/// of its group, added up.
static FailureOr<Tensor>
sumOverPairs(Operation *op, const Tensor &like, const Graph &graph, Path path,
             function_ref<double(int64_t edge, int64_t other, int64_t i)> add) {
  FailureOr<Arrow> arrow = getArrow(op, graph, Domain::Edge, path);
  if (failed(arrow) || failed(checkRows(op, like, arrow->map.size())))
    return failure();
  Tensor result = like;
  for (int64_t edge = 0, edges = arrow->map.size(); edge < edges; ++edge)
    for (int64_t i = 0; i < like.getRowSize(); ++i) {
      double sum = 0;
      for (int64_t other = 0; other < edges; ++other)
        if (arrow->map[edge] == arrow->map[other])
          sum += add(edge, other, i);
      result.getRow(edge)[i] = sum;
    }
  return result;
}

static FailureOr<Tensor> evaluateOp(GroupExcessOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getX()), &y = frame.tensor(op.getY());
  const Graph &graph = frame.graph(op.getGraph());
  if (failed(checkRows(op, y, x.shape[0])))
    return failure();
  return sumOverPairs(op, x, graph, op.getPath(),
                      [&](int64_t edge, int64_t other, int64_t i) {
                        double gap = x.getRow(edge)[i] - y.getRow(other)[i];
                        return gap <= 0 ? 0 : gap;
                      });
}

static FailureOr<Tensor> evaluateOp(GroupSumBelowOp op, Frame &frame) {
  const Tensor &rows = frame.tensor(op.getRows()), &x = frame.tensor(op.getX()),
               &y = frame.tensor(op.getY());
  const Graph &graph = frame.graph(op.getGraph());
  if (failed(checkRows(op, x, rows.shape[0])) ||
      failed(checkRows(op, y, rows.shape[0])))
    return failure();
  return sumOverPairs(op, rows, graph, op.getPath(),
                      [&](int64_t edge, int64_t other, int64_t i) {
                        return y.getRow(other)[i] < x.getRow(edge)[i]
                                   ? rows.getRow(other)[i]
                                   : 0;
                      });
}

static FailureOr<Tensor> evaluateOp(DegreeOp op, Frame &frame) {
  const Graph &graph = frame.graph(op.getGraph());
  FailureOr<Arrow> arrow = getArrow(op, graph, Domain::Edge, op.getPath());
  if (failed(arrow))
    return failure();
  FailureOr<Tensor> result = makeZeros(op, arrow->numRows);
  if (failed(result))
    return failure();
  for (int64_t target : arrow->map)
    result->values[target] += 1;
  return result;
}

static FailureOr<Tensor> evaluateOp(ConcatTypesOp op, Frame &frame) {
  SmallVector<Tensor> parts = frame.tensors(op.getParts());
  const Graph &graph = frame.graph(op.getGraph());
  const auto &counts = graph.getNodesOfType();
  if (!counts || counts->size() != parts.size())
    return op->emitError() << "rgnn interpreter: expected a graph of "
                           << parts.size() << " node types, got "
                           << (counts ? std::to_string(counts->size())
                                      : "unknown node types");
  SmallVector<int64_t> shape{graph.getNumNodes()};
  llvm::append_range(shape, getRowShape(op.getResult().getType()));
  Tensor result{shape, {}};
  for (auto [part, count] : llvm::zip(parts, *counts)) {
    if (failed(checkRows(op, part, count)))
      return failure();
    llvm::append_range(result.values, part.values);
  }
  return result;
}

static FailureOr<Tensor> evaluateOp(SliceTypeOp op, Frame &frame) {
  const Tensor &rows = frame.tensor(op.getRows());
  const Graph &graph = frame.graph(op.getGraph());
  int64_t type = getRows(op.getResult().getType()).getType();
  auto range = graph.getNodeRange(type);
  if (!range)
    return op->emitError() << "rgnn interpreter: expected a graph with nodes "
                              "of type "
                           << type << ", got one without";
  if (failed(checkRows(op, rows, graph.getNumNodes())))
    return failure();
  Tensor result{withRows(rows, range->second - range->first), {}};
  for (int64_t node = range->first; node < range->second; ++node)
    llvm::append_range(result.values, rows.getRow(node));
  return result;
}

/// How many rows `graph` has on `rows`.
static FailureOr<int64_t> countRows(Operation *op, const Graph &graph,
                                    RowsAttr rows) {
  if (std::optional<int64_t> count = graph.getNumRows(rows))
    return *count;
  return op->emitError() << "rgnn interpreter: expected a graph with rows on "
                         << rows << ", got unknown node types";
}

/// A tensor without numbers, of the shape that rows of a graph have.
template <typename Op>
static FailureOr<Tensor> getShaped(Op op, Frame &frame) {
  Type type = op.getResult().getType();
  FailureOr<int64_t> numRows =
      countRows(op, frame.graph(op.getGraph()), getRows(type));
  if (failed(numRows))
    return failure();
  SmallVector<int64_t> shape{*numRows};
  llvm::append_range(shape, getRowShape(type));
  return Tensor{shape, {}};
}

static FailureOr<Tensor> evaluateOp(ConcatRowsOp op, Frame &frame) {
  FailureOr<Tensor> result = getShaped(op, frame);
  if (failed(result))
    return failure();
  int64_t count = 0;
  for (const Tensor &part : frame.tensors(op.getParts())) {
    llvm::append_range(result->values, part.values);
    count += part.getNumRows();
  }
  if (count != result->getNumRows())
    return op->emitError() << "rgnn interpreter: expected parts of "
                           << result->getNumRows() << " rows together, got "
                           << count;
  return result;
}

static FailureOr<Tensor> evaluateOp(SliceRowsOp op, Frame &frame) {
  const Tensor &rows = frame.tensor(op.getRows());
  SmallVector<RowsAttr> domains(op.getAfter().getAsRange<RowsAttr>());
  domains.push_back(getRows(op.getResult().getType()));
  int64_t begin = 0, size = 0;
  for (auto [domain, graph] : llvm::zip(domains, op.getGraphs())) {
    FailureOr<int64_t> count = countRows(op, frame.graph(graph), domain);
    if (failed(count))
      return failure();
    begin += size;
    size = *count;
  }
  if (begin + size > rows.getNumRows())
    return op->emitError() << "rgnn interpreter: expected at least "
                           << begin + size << " rows, got "
                           << rows.getNumRows();
  Tensor result{withRows(rows, size), {}};
  for (int64_t row = begin; row < begin + size; ++row)
    llvm::append_range(result.values, rows.getRow(row));
  return result;
}

static FailureOr<Tensor> evaluateOp(RegroupRowsOp op, Frame &frame) {
  FailureOr<Tensor> result = getShaped(op, frame);
  if (failed(result))
    return failure();
  result->values = frame.tensor(op.getRows()).values;
  int64_t expected =
      result->getNumRows() * getRowWidth(op.getResult().getType());
  if (static_cast<int64_t>(result->values.size()) != expected)
    return op->emitError() << "rgnn interpreter: expected rows of " << expected
                           << " numbers together, got "
                           << result->values.size();
  return result;
}

void attachMovementEvaluations(MLIRContext *context) {
  attach<GatherOp, ReduceOp, GroupSoftmaxOp, GroupExcessOp, GroupSumBelowOp,
         DegreeOp, ConcatTypesOp, SliceTypeOp, ConcatRowsOp, RegroupRowsOp,
         SliceRowsOp>(context);
}

} // namespace mlir::rgnn::reference
