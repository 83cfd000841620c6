//===- Columns.cpp - what products sum over -------------------------------===//

#include "RGNN/Dialect/RGNN/Utils/Columns.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::rgnn;

static RankedTensorType getTypeOfRows(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t getLastDim(Value value) {
  return getTypeOfRows(value).getRank() - 1;
}

/// What `value` was joined of along dimension `dim`; nothing if it was not.
static OperandRange getJoined(Value value, int64_t dim) {
  auto concat = value.getDefiningOp<ConcatOp>();
  if (concat && static_cast<int64_t>(concat.getDim()) == dim)
    return concat.getInputs();
  return OperandRange(nullptr, 0);
}

/// Whether element `i` of the last dimension of a map is computed from element
/// `i` of `input`: it is not broadcast.
static bool isAligned(MapOp map, Value input) {
  return !getRowShape(input.getType()).empty() &&
         getTypeOfRows(input).getShape().back() ==
             getTypeOfRows(map.getResult()).getShape().back();
}

SmallVector<int64_t> rgnn::getPieces(Value rows) {
  SmallVector<int64_t> widths;
  for (Value input : getJoined(rows, getLastDim(rows)))
    llvm::append_range(widths, getPieces(input));
  if (auto map = rows.getDefiningOp<MapOp>())
    for (Value input : map.getInputs())
      if (widths.size() < 2 && isOnEdges(input) && isAligned(map, input))
        widths = getPieces(input);
  if (widths.empty())
    widths.push_back(getTypeOfRows(rows).getShape().back());
  return widths;
}

/// The input of a concatenation that holds all of `range`, which then counts
/// within it; null if there is none.
static Value findJoined(Value value, int64_t dim, ColumnRange &range) {
  int64_t begin = 0;
  for (Value input : getJoined(value, dim)) {
    int64_t end = begin + getTypeOfRows(input).getDimSize(dim);
    if (begin <= range.begin && range.end <= end) {
      range = {range.begin - begin, range.end - begin};
      return input;
    }
    begin = end;
  }
  return Value();
}

static bool isWhole(Value value, int64_t dim, ColumnRange range) {
  return range.begin == 0 && range.end == getTypeOfRows(value).getDimSize(dim);
}

/// Columns of `value`, taken from what it was joined of.
static Value getColumns(OpBuilder &builder, Value value, int64_t dim,
                        ColumnRange range) {
  if (isWhole(value, dim, range))
    return value;
  if (Value input = findJoined(value, dim, range))
    return getColumns(builder, input, dim, range);
  auto map = value.getDefiningOp<MapOp>();
  if (!map || !isOnEdges(value))
    return SliceOp::create(builder, value.getLoc(), value, dim, range.begin,
                           range.end - range.begin);
  IRMapping mapping;
  for (Value input : map.getInputs())
    if (isAligned(map, input))
      mapping.map(input, getColumns(builder, input, getLastDim(input), range));
  SmallVector<int64_t> shape(getTypeOfRows(value).getShape());
  shape[dim] = range.end - range.begin;
  return cloneOnto(builder, map, mapping, getTypeOfRows(value).clone(shape));
}

Value rgnn::joinColumns(OpBuilder &builder, Value value, int64_t dim,
                        ArrayRef<ColumnRange> ranges) {
  // Pieces of rows stay apart, since they have been so; a weight is cut as
  // seldom as possible.
  SmallVector<ColumnRange> merged;
  for (ColumnRange range : ranges)
    if (!isOnEdges(value) && !merged.empty() &&
        merged.back().end == range.begin)
      merged.back().end = range.end;
    else
      merged.push_back(range);
  SmallVector<Value> columns;
  for (ColumnRange range : merged)
    columns.push_back(getColumns(builder, value, dim, range));
  if (columns.size() == 1)
    return columns.front();
  return ConcatOp::create(builder, value.getLoc(), columns, dim);
}

PathSet rgnn::getPathsOfColumns(Value rows, ColumnRange range,
                                RowOrigins &origins) {
  int64_t dim = getLastDim(rows);
  if (isWhole(rows, dim, range))
    return origins.getPaths(rows);
  if (Value input = findJoined(rows, dim, range))
    return getPathsOfColumns(input, range, origins);
  auto map = rows.getDefiningOp<MapOp>();
  if (!map)
    return origins.getPaths(rows);
  PathSet paths = PathSet::all();
  for (Value input : map.getInputs())
    if (isOnEdges(input))
      paths &= isAligned(map, input) ? getPathsOfColumns(input, range, origins)
                                     : origins.getPaths(input);
  return paths;
}

Value rgnn::findColumns(Value rows, ColumnRange range) {
  int64_t dim = getLastDim(rows);
  if (isWhole(rows, dim, range))
    return rows;
  Value input = findJoined(rows, dim, range);
  return input ? findColumns(input, range) : input;
}
