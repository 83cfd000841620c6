//===- Parts.cpp - slices of features, and features joined ----------------===//

#include "Rules.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// Whether argument `i` names a dimension of argument 0 that is not the rows'.
static bool isFeatureDim(Arguments arguments, unsigned i) {
  std::optional<int64_t> dim = getDim(arguments, i);
  return arguments.floats(0) && dim && *dim > 0;
}

template <unsigned i>
static void keepRowsOfFeatures(Arguments arguments, Sizes &sizes) {
  if (!isFeatureDim(arguments, i))
    return;
  Size rows = sizes.of(arguments.floats(0), 0);
  for (Value result : arguments.op.getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType());
        type && type.getRank() > 0)
      sizes.unify(rows, sizes.of(result, 0));
}

/// Argument `i` as a dimension of `x` other than its rows; with a reason.
static std::optional<int64_t> getFeatureDim(TorchCall &call, Value x,
                                            unsigned i) {
  auto type = cast<RankedTensorType>(x.getType());
  std::optional<int64_t> dim = normalizeDim(call.integer(i), type.getRank());
  if (!dim)
    (void)call.refuse("argument " + Twine(i) + " is not a dimension");
  else if (*dim == 0 && rgnn::getRows(type))
    (void)call.refuse("it works across rows");
  else
    return dim;
  return std::nullopt;
}

/// An end of a slice as PyTorch reads it: from the back if negative, clamped.
static int64_t clampIndex(int64_t index, int64_t size) {
  return std::clamp(index < 0 ? index + size : index, int64_t(0), size);
}

/// `x` with dimensions of some sizes in the place of `removed` ones.
static Value reshapeAt(TorchCall &call, Value x, int64_t dim, int64_t removed,
                       ArrayRef<int64_t> sizes) {
  ArrayRef<int64_t> from = cast<RankedTensorType>(x.getType()).getShape();
  SmallVector<int64_t> shape(from.take_front(dim));
  llvm::append_range(shape, sizes);
  llvm::append_range(shape, from.drop_front(dim + removed));
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(x),
                                    rgnn::getRows(x.getType()));
  return ReshapeOp::create(call.builder, call.loc, type, x);
}

/// Every `step`-th of a dimension's numbers from `first` on, before `last`: a
/// column of the matrix that has `step` of them in a row.
static Value sliceByStep(TorchCall &call, Value x, int64_t dim, int64_t first,
                         int64_t last, int64_t step) {
  int64_t size = cast<RankedTensorType>(x.getType()).getDimSize(dim);
  if (size % step != 0 || first == last) {
    (void)call.refuse("its step does not divide the size");
    return {};
  }
  Value matrix = reshapeAt(call, x, dim, 1, {size / step, step});
  Value column =
      SliceOp::create(call.builder, call.loc, matrix, dim + 1, first % step, 1);
  Value all = reshapeAt(call, column, dim + 1, 1, {});
  return SliceOp::create(call.builder, call.loc, all, dim, first / step,
                         llvm::divideCeil(last - first, step));
}

/// slice(x, dim, start, end, step)
static LogicalResult liftSlice(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  std::optional<int64_t> dim =
      x ? getFeatureDim(call, x, 1) : std::optional<int64_t>();
  if (!dim)
    return failure();
  int64_t size = cast<RankedTensorType>(x.getType()).getDimSize(*dim);
  std::optional<int64_t> begin = call.isNone(2) ? 0 : call.integer(2),
                         end = call.isNone(3) ? size : call.integer(3);
  std::optional<int64_t> step = call.integer(4);
  if (!begin || !end || !step || *step < 1)
    return call.refuse("its range is not three numbers");
  int64_t first = clampIndex(*begin, size);
  int64_t last = std::max(first, clampIndex(*end, size));
  Value slice = *step == 1 ? SliceOp::create(call.builder, call.loc, x, *dim,
                                             first, last - first)
                                 .getResult()
                           : sliceByStep(call, x, *dim, first, last, *step);
  return slice ? call.replace({slice}) : failure();
}

/// split and chunk: argument 2 is the dimension, the results tell the sizes.
static LogicalResult liftSplit(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  std::optional<int64_t> dim =
      x ? getFeatureDim(call, x, 2) : std::optional<int64_t>();
  if (!dim)
    return failure();
  int64_t begin = 0;
  SmallVector<Value> parts;
  for (unsigned i = 0; i < call.op.getNumResults(); ++i) {
    RankedTensorType type = call.resultType(i);
    int64_t total = cast<RankedTensorType>(x.getType()).getDimSize(*dim);
    if (!type || type.getRank() <= *dim || type.isDynamicDim(*dim) ||
        begin + type.getDimSize(*dim) > total)
      return call.refuse("its parts do not make up its operand");
    parts.push_back(SliceOp::create(call.builder, call.loc, x, *dim, begin,
                                    type.getDimSize(*dim)));
    begin += type.getDimSize(*dim);
  }
  return call.replace(parts);
}

/// The rows of argument 0 and the dimension of features that argument 1 names;
/// nothing with a reason, none for ends of edges, which go with their last use.
static std::optional<std::pair<Value, int64_t>> getFeatures(TorchCall &call) {
  if (!call.floats(0)) {
    (void)call.refuse("");
    return std::nullopt;
  }
  Value x = call.rowsOrPlain(0);
  std::optional<int64_t> dim =
      x ? getFeatureDim(call, x, 1) : std::optional<int64_t>();
  return dim ? std::optional(std::pair(x, *dim)) : std::nullopt;
}

/// Element `index` of a dimension, which goes.
static Value selectAt(TorchCall &call, Value x, int64_t dim, int64_t index) {
  Value slice = SliceOp::create(call.builder, call.loc, x, dim, index, 1);
  return reshapeAt(call, slice, dim, 1, {});
}

/// select(x, dim, index) of a dimension of features
static LogicalResult liftSelect(TorchCall &call) {
  auto features = getFeatures(call);
  if (!features)
    return failure();
  auto [x, dim] = *features;
  std::optional<int64_t> index = normalizeDim(
      call.integer(2), cast<RankedTensorType>(x.getType()).getDimSize(dim));
  if (!index)
    return call.refuse("argument 2 is not an index");
  return call.replace({selectAt(call, x, dim, *index)});
}

/// unbind(x, dim) of a dimension of features
static LogicalResult liftUnbind(TorchCall &call) {
  auto features = getFeatures(call);
  if (!features)
    return failure();
  SmallVector<Value> parts;
  for (unsigned i = 0; i < call.op.getNumResults(); ++i)
    parts.push_back(selectAt(call, features->first, features->second, i));
  return call.replace(parts);
}

/// repeat(x, times) along features
static LogicalResult liftRepeat(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  if (!x)
    return failure();
  std::optional<SmallVector<int64_t>> times = call.integers(1);
  auto type = cast<RankedTensorType>(x.getType());
  if (!times || static_cast<int64_t>(times->size()) != type.getRank() ||
      (rgnn::getRows(type) && times->front() != 1))
    return call.refuse("it repeats rows, or adds dimensions");
  for (auto [dim, count] : llvm::enumerate(*times)) {
    if (count < 1 || count > 64)
      return call.refuse("it repeats not at all, or more than 64 times");
    SmallVector<Value> copies(count, x);
    if (count > 1)
      x = ConcatOp::create(call.builder, call.loc, copies, dim);
  }
  return call.replace({x});
}

static void repeatRows(Arguments arguments, Sizes &sizes) {
  auto times = dyn_cast_if_present<ArrayAttr>(arguments.get(1));
  Value x = arguments.value(0);
  auto type = x ? dyn_cast<RankedTensorType>(x.getType()) : nullptr;
  auto first =
      times && !times.empty() ? dyn_cast<IntegerAttr>(times[0]) : IntegerAttr();
  if (type && first && first.getInt() == 1 &&
      type.getRank() == static_cast<int64_t>(times.size()))
    keepRows(arguments, sizes);
}

static void concatRows(Arguments arguments, Sizes &sizes) {
  std::optional<SmallVector<Value>> parts = arguments.values(0);
  RankedTensorType result = arguments.resultType();
  if (!parts || !result)
    return;
  std::optional<int64_t> dim =
      normalizeDim(arguments.integer(1), result.getRank());
  bool isStack = arguments.name() == "aten.stack";
  SmallVector<Size> rows;
  for (Value part : *parts)
    if (auto type = dyn_cast<RankedTensorType>(part.getType());
        dim && type && type.getRank() > 0 &&
        type.getRank() + isStack == result.getRank())
      rows.push_back(sizes.of(part, 0));
  if (rows.size() < parts->size())
    return;
  Size all = sizes.of(arguments.op.getResult(0), 0);
  if (*dim > 0)
    for (const Size &part : rows)
      sizes.unify(part, all);
  else if (!isStack)
    sizes.unify(all, sizes.sum(rows));
}

/// Rows of any graphs one after another, on those that are as many; with a
/// reason.
static LogicalResult joinRows(TorchCall &call, ArrayRef<Value> captured) {
  RankedTensorType result = call.resultType();
  std::optional<RowsAttr> to =
      call.lifter.getRows(call.op.getResult(0), call.op);
  if (!to || !*to)
    return call.refuse(
        "no graph has as many nodes or edges as the rows that it "
        "joins");
  SmallVector<Value> parts;
  CapturedGraph *graph = call.lifter.getGraph(*to);
  Type type =
      getRowsType(*to, result.getShape().drop_front(), result.getElementType());
  // Rows of all node types, in order, are those of all nodes.
  if (to->getDomain() == Domain::Node && to->getType() < 0 &&
      graph->nodesOfTypes.size() == captured.size()) {
    for (auto [number, part] : llvm::enumerate(captured))
      parts.push_back(call.lifter.get(
          part, getRowsOf(graph, Domain::Node, static_cast<int64_t>(number))));
    if (llvm::all_of(parts, [](Value part) { return bool(part); }))
      return call.replace({ConcatTypesOp::create(call.builder, call.loc, type,
                                                 parts, graph->op)});
    parts.clear();
  }
  for (Value part : captured) {
    std::optional<RowsAttr> rows = call.lifter.getRows(part, call.op);
    if (rows && !*rows) // weights, which are nodes beside others
      rows = call.lifter.findRows(call.lifter.sizes.of(part, 0), call.op);
    if (!rows || !*rows)
      return call.refuse("it joins rows that are neither nodes nor edges");
    parts.push_back(call.lifter.get(part, *rows));
  }
  return call.replace(
      {ConcatRowsOp::create(call.builder, call.loc, type, parts, graph->op)});
}

/// cat(tensors, dim), and stack, whose dimension is a new one
static LogicalResult liftConcat(TorchCall &call) {
  bool isStack = call.name() == "aten.stack";
  std::optional<SmallVector<Value>> captured = call.values(0);
  RankedTensorType result = call.resultType();
  if (!captured || captured->empty() || !result)
    return call.refuse("its argument is not a list of tensors");
  std::optional<int64_t> dim = normalizeDim(call.integer(1), result.getRank());
  if (!dim)
    return call.refuse("argument 1 is not a dimension");
  // All live where one of them does.
  RowsAttr rows;
  for (Value part : *captured) {
    auto type = dyn_cast<RankedTensorType>(part.getType());
    if (!type || !isa<FloatType>(type.getElementType()) ||
        type.getElementType() != result.getElementType() ||
        type.getRank() + isStack != result.getRank() || type.getRank() == 0 ||
        ShapedType::isDynamicShape(type.getShape().drop_front()))
      return call.refuse("its operands are not tensors like the result");
    for (int64_t d = 1; d < type.getRank(); ++d)
      if ((isStack || d != *dim) &&
          type.getDimSize(d) != result.getDimSize(d + (isStack && d >= *dim)))
        return call.refuse("its operands are not tensors like the result");
    std::optional<RowsAttr> lives = call.lifter.getRows(part, call.op);
    if (!lives)
      return call.refuse("the rows of an operand are neither nodes nor edges "
                         "of a graph");
    if (*lives && !rows)
      rows = *lives;
  }
  if (rows && *dim == 0)
    return isStack ? call.refuse("it works across rows")
                   : joinRows(call, *captured);
  SmallVector<Value> parts;
  for (Value part : *captured) {
    parts.push_back(rows ? call.lifter.get(part, rows) : call.plain(part));
    if (!parts.back())
      return call.refuse("its operands are not all on the same rows");
    if (isStack)
      parts.back() = reshapeAt(call, parts.back(), *dim, 0, {1});
  }
  return call.replace(
      {ConcatOp::create(call.builder, call.loc, parts, *dim).getResult()});
}

/// The ends of edges are as many as the edges.
static void selectRows(Arguments arguments, Sizes &sizes) {
  Value x = arguments.value(0);
  auto type = x ? dyn_cast<RankedTensorType>(x.getType()) : nullptr;
  if (!type || type.getRank() < 2)
    return;
  std::optional<int64_t> dim =
      normalizeDim(arguments.integer(1), type.getRank());
  for (Value result : arguments.op.getResults())
    if (auto to = dyn_cast<RankedTensorType>(result.getType());
        dim && to && to.getRank() + 1 == type.getRank())
      sizes.unify(sizes.of(x, *dim == 0 ? 1 : 0), sizes.of(result, 0));
}

void lift::addPartRules(Rules &rules) {
  rules["aten.slice.Tensor"] = {keepRowsOfFeatures<1>, liftSlice};
  for (StringRef name :
       {"aten.split.Tensor", "aten.split_with_sizes", "aten.chunk"})
    rules[name] = {keepRowsOfFeatures<2>, liftSplit};
  rules["aten.select.int"] = {selectRows, liftSelect};
  rules["aten.unbind.int"] = {selectRows, liftUnbind};
  rules["aten.repeat"] = {repeatRows, liftRepeat};
  for (StringRef name : {"aten.cat", "aten.stack"})
    rules[name] = {concatRows, liftConcat};
}
