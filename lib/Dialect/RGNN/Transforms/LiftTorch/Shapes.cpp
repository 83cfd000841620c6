//===- Shapes.cpp - other shapes for the elements of rows -----------------===//

#include "Rules.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// Whether a view from `from` to `to` splits or joins features only: both have
/// rows of as many elements, and so as many rows.
static bool keepsRows(RankedTensorType from, RankedTensorType to) {
  if (from.getRank() == 0 || to.getRank() == 0)
    return false;
  ArrayRef<int64_t> a = from.getShape().drop_front(),
                    b = to.getShape().drop_front();
  return !ShapedType::isDynamicShape(a) && !ShapedType::isDynamicShape(b) &&
         ShapedType::getNumElements(a) == ShapedType::getNumElements(b) &&
         ShapedType::getNumElements(a) > 0;
}

/// How many times as wide as those of `from` the rows of `to` are, where that
/// is a whole number; nothing where it is not known, or is one.
static std::optional<int64_t> getFactor(RankedTensorType from,
                                        RankedTensorType to) {
  if (from.getRank() == 0 || to.getRank() == 0)
    return std::nullopt;
  ArrayRef<int64_t> a = from.getShape().drop_front(),
                    b = to.getShape().drop_front();
  if (ShapedType::isDynamicShape(a) || ShapedType::isDynamicShape(b))
    return std::nullopt;
  int64_t width = ShapedType::getNumElements(a),
          wider = ShapedType::getNumElements(b);
  if (width == 0 || wider % width != 0)
    return std::nullopt;
  int64_t factor = wider / width;
  return factor > 1 && factor <= maxFactor ? std::optional(factor)
                                           : std::nullopt;
}

static void viewRows(Arguments arguments, Sizes &sizes) {
  Value x = arguments.value(0);
  auto type = x ? dyn_cast<RankedTensorType>(x.getType()) : nullptr;
  RankedTensorType result = arguments.resultType();
  if (!type || !result)
    return;
  if (keepsRows(type, result)) {
    keepRows(arguments, sizes);
    return;
  }
  auto regroup = [&](Size many, Size few, int64_t factor) {
    if (std::optional<Size> part = sizes.divide(many, factor))
      sizes.unify(few, *part);
    else
      sizes.unify(many, sizes.multiply(few, factor));
  };
  if (std::optional<int64_t> factor = getFactor(type, result))
    regroup(sizes.of(x, 0), sizes.of(arguments.op.getResult(0), 0), *factor);
  else if (std::optional<int64_t> factor = getFactor(result, type))
    regroup(sizes.of(arguments.op.getResult(0), 0), sizes.of(x, 0), *factor);
}

/// Rows of another domain that hold the same numbers, several in one or one in
/// several.
static LogicalResult liftRegrouped(TorchCall &call, Value x) {
  auto from = cast<RankedTensorType>(x.getType());
  RankedTensorType result = call.resultType();
  std::optional<RowsAttr> rows =
      call.lifter.getRows(call.op.getResult(0), call.op);
  bool isRegrouped = getFactor(from, result) || getFactor(result, from);
  if (!isRegrouped || !rows || !*rows)
    return call.refuse("it does not keep rows");
  Type type = getRowsType(*rows, result.getShape().drop_front(),
                          result.getElementType());
  return call.replace({RegroupRowsOp::create(call.builder, call.loc, type, x,
                                             call.lifter.getGraph(*rows)->op)});
}

/// view(x, size) and its kin, which keep the order of elements.
static LogicalResult liftView(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  RankedTensorType result = call.resultType();
  if (!x)
    return failure();
  if (!result || getElementTypeOrSelf(x) != result.getElementType())
    return call.refuse("its result has another element type");
  RowsAttr rows = rgnn::getRows(x.getType());
  if (rows && !keepsRows(cast<RankedTensorType>(x.getType()), result)) {
    auto captured = cast<RankedTensorType>(call.value(0).getType());
    if (!captured.hasStaticShape())
      return liftRegrouped(call, x);
    rows = {}; // a result for the whole graph
    x = call.plain(0);
    if (!x)
      return failure();
  }
  if (!rows && !result.hasStaticShape())
    return call.refuse("its result has a dynamic size");
  Type type = rows ? getRowsType(rows, result.getShape().drop_front(),
                                 result.getElementType())
                   : result;
  if (getRowWidth(x.getType()) != getRowWidth(type))
    return call.refuse("its result has another number of elements");
  return call.replace(
      {ReshapeOp::create(call.builder, call.loc, type, x).getResult()});
}

std::optional<SmallVector<int64_t>> lift::getOrder(Arguments arguments) {
  Value x = arguments.floats(0);
  if (!x)
    return std::nullopt;
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (arguments.name() == "aten.permute") {
    std::optional<SmallVector<int64_t>> dims = arguments.integers(1);
    if (!dims || static_cast<int64_t>(dims->size()) != rank)
      return std::nullopt;
    for (auto [to, from] : llvm::zip(order, *dims)) {
      std::optional<int64_t> dim = normalizeDim(from, rank);
      if (!dim)
        return std::nullopt;
      to = *dim;
    }
    SmallVector<int64_t> sorted(order);
    llvm::sort(sorted);
    if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
      return std::nullopt;
    return order;
  }
  if (arguments.name() == "aten.t") {
    if (rank == 2)
      std::swap(order[0], order[1]);
    return rank <= 2 ? std::optional(order) : std::nullopt;
  }
  if (arguments.name() != "aten.transpose.int")
    return std::nullopt;
  std::optional<int64_t> a = normalizeDim(arguments.integer(1), rank),
                         b = normalizeDim(arguments.integer(2), rank);
  if (!a || !b)
    return std::nullopt;
  std::swap(order[*a], order[*b]);
  return order;
}

static void orderRows(Arguments arguments, Sizes &sizes) {
  std::optional<SmallVector<int64_t>> order = getOrder(arguments);
  if (order && !order->empty() && order->front() == 0)
    keepRows(arguments, sizes);
}

/// transpose(x, dim0, dim1), permute(x, dims), t(x)
static LogicalResult liftPermute(TorchCall &call) {
  Value x = call.rowsOrPlain(0);
  if (!x)
    return failure();
  std::optional<SmallVector<int64_t>> order = getOrder(call);
  if (!order)
    return call.refuse("its dimensions are not those of its operand");
  if (rgnn::getRows(x.getType()) && order->front() != 0)
    return call.refuse("it moves the rows to another dimension");
  return call.replace({PermuteOp::create(call.builder, call.loc, x, *order)});
}

static constexpr StringRef views[] = {
    "aten.view",         "aten.reshape",       "aten._unsafe_view",
    "aten.unsqueeze",    "aten.squeeze",       "aten.squeeze.dim",
    "aten.squeeze.dims", "aten.unflatten.int", "aten.flatten.using_ints"};

bool lift::isView(StringRef name) { return llvm::is_contained(views, name); }

void lift::addShapeRules(Rules &rules) {
  for (StringRef name : views)
    rules[name] = {viewRows, liftView};
  for (StringRef name : {"aten.transpose.int", "aten.permute", "aten.t"})
    rules[name] = {orderRows, liftPermute};
}
