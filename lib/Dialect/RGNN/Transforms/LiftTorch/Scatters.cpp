//===- Scatters.cpp - rows reduced by an index, as PyTorch spells it ------===//
//
//   Before:  %i = expand(view(%dst, [-1, 1]), [-1, 4])
//            %y = scatter_add(%z, 0, %i, %m)
//   After:   %s = rgnn.reduce sum dst %m in %g
//            %y = rgnn.map %s, %z: the sum, or %s alone where %z is zeros
//
//===----------------------------------------------------------------------===//

#include "Scatters.h"
#include "Elements/Elementwise.h"

#include <limits>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

static RankedTensorType getTensorType(Value value) {
  return value ? dyn_cast<RankedTensorType>(value.getType())
               : RankedTensorType();
}

Value lift::getRepeatedList(Value index) {
  auto isColumn = [](RankedTensorType type) {
    return type && type.getRank() > 0 && type.getDimSize(0) != 1 &&
           llvm::all_of(type.getShape().drop_front(),
                        [](int64_t size) { return size == 1; });
  };
  while (RankedTensorType type = getTensorType(index)) {
    auto op = index.getDefiningOp<TorchOp>();
    bool isList = type.getRank() == 1;
    if (isList && (!op || (op.getName() != "aten.expand" &&
                           op.getName() != "aten.expand_as")))
      return index;
    if (!op)
      return {};
    Arguments arguments(op);
    Value from = arguments.value(0);
    RankedTensorType fromType = getTensorType(from);
    if (!isColumn(fromType))
      return isList ? index : Value();
    StringRef name = op.getName();
    bool repeats = name == "aten.expand" || name == "aten.expand_as";
    if (name == "aten.repeat") {
      auto times = dyn_cast_if_present<ArrayAttr>(arguments.get(1));
      auto first = times && !times.empty() ? dyn_cast<IntegerAttr>(times[0])
                                           : IntegerAttr();
      repeats = first && first.getInt() == 1;
    }
    bool reshapes = llvm::is_contained(
        ArrayRef<StringRef>{"aten.view", "aten.reshape", "aten._unsafe_view",
                            "aten.unsqueeze"},
        name);
    if (!(repeats && fromType.getRank() == type.getRank()) &&
        !(reshapes && isColumn(type)))
      return {};
    index = from;
  }
  return {};
}

static std::optional<Reduction> getReduction(StringRef name) {
  if (name == "sum")
    return Reduction::Sum;
  if (name == "mean")
    return Reduction::Mean;
  if (name == "amax")
    return Reduction::Max;
  if (name == "amin")
    return Reduction::Min;
  if (name == "prod")
    return Reduction::Mul;
  return std::nullopt;
}

std::optional<RowScatter> lift::getRowScatter(Arguments arguments) {
  StringRef name = arguments.name();
  RowScatter scatter;
  scatter.into = arguments.floats(0);
  std::optional<Reduction> kind = Reduction::Sum;
  std::optional<bool> includesSelf = true;
  bool isWhole = name == "aten.index_add" || name == "aten.index_reduce";
  if (name == "aten.index_put") {
    std::optional<SmallVector<Value>> lists = arguments.values(1);
    if (!lists || lists->size() != 1 || arguments.boolean(3) != true)
      return std::nullopt;
    scatter.list = lists->front();
    scatter.rows = arguments.floats(2);
    isWhole = true;
  } else {
    scatter.list = arguments.value(2);
    scatter.rows = arguments.floats(3);
    if (name == "aten.index_add") {
      std::optional<double> alpha = arguments.number(4);
      if (!alpha)
        return std::nullopt;
      scatter.scale = *alpha;
    } else if (name == "aten.scatter_reduce.two" ||
               name == "aten.index_reduce") {
      kind = getReduction(arguments.string(4));
      includesSelf = arguments.boolean(5);
    } else if (name != "aten.scatter_add") {
      return std::nullopt;
    }
    if (getDim(arguments, 1) != 0)
      return std::nullopt;
  }
  RankedTensorType into = getTensorType(scatter.into),
                   rows = getTensorType(scatter.rows),
                   list = getTensorType(scatter.list);
  if (!kind || !includesSelf || !into || !rows || !list ||
      into.getRank() == 0 || into.getRank() != rows.getRank() ||
      into.getShape().drop_front() != rows.getShape().drop_front() ||
      into.getElementType() != rows.getElementType() ||
      !list.getElementType().isInteger(64))
    return std::nullopt;
  if (!isWhole) {
    if (list.getRank() != into.getRank() ||
        list.getShape().drop_front() != into.getShape().drop_front())
      return std::nullopt;
    scatter.list = getRepeatedList(scatter.list);
  }
  if (!scatter.list || getTensorType(scatter.list).getRank() != 1)
    return std::nullopt;
  scatter.kind = *kind;
  scatter.includesSelf = *includesSelf;
  return scatter;
}

//===----------------------------------------------------------------------===//
// Lifting
//===----------------------------------------------------------------------===//

/// The reduction of edges that all have the same number, which degrees give.
static Value reduceConstant(TorchCall &call, CapturedGraph *graph, End end,
                            Reduction kind, double number,
                            RankedTensorType type) {
  Type element = type.getElementType();
  RowsAttr rows = getRowsOfEnd(graph, end);
  Value degree =
      DegreeOp::create(call.builder, call.loc, getRowsType(rows, {}, element),
                       graph->op, end.isDst ? Path::Dst : Path::Src);
  return buildMap(
      call, getRowsType(rows, type.getShape().drop_front(), element), degree,
      [&](Scalars &s, ArrayRef<Value> x) {
        return kind == Reduction::Sum
                   ? s.scale(x[0], number)
                   : s.ifPositive(x[0], s.constant(number), s.constant(0));
      });
}

Value lift::reduceRows(TorchCall &call, CapturedGraph *graph, End end,
                       Reduction kind, Value captured) {
  Path path = end.isDst ? Path::Dst : Path::Src;
  auto type = cast<RankedTensorType>(captured.getType());
  std::optional<double> number = call.lifter.roles.getNumber(captured);
  if (number && kind != Reduction::Mul && type.getRank() > 0 &&
      !ShapedType::isDynamicShape(type.getShape().drop_front()) &&
      call.lifter.sizes.equal(call.lifter.sizes.of(captured, 0),
                              graph->edges->edges))
    return reduceConstant(call, graph, end, kind, *number, type);
  Value rows = call.on(captured, getRowsOf(graph, Domain::Edge));
  return rows ? ReduceOp::create(call.builder, call.loc, rows, graph->op, path,
                                 kind)
                    .getResult()
              : Value();
}

/// What a reduction makes of rows that were there, given the degree of each.
static Value includeSelf(TorchCall &call, const RowScatter &scatter,
                         Value reduced, CapturedGraph *graph, End end) {
  Value self = call.on(scatter.into, getRowsOfEnd(graph, end));
  if (!self)
    return {};
  bool isSum = scatter.kind == Reduction::Sum, adds = scatter.includesSelf,
       isProduct = scatter.kind == Reduction::Mul;
  SmallVector<Value> inputs{reduced, self};
  Type element = getElementTypeOrSelf(self);
  if (!isSum || !adds)
    inputs.push_back(
        DegreeOp::create(call.builder, call.loc,
                         getRowsType(getRowsOfEnd(graph, end), {}, element),
                         graph->op, end.isDst ? Path::Dst : Path::Src));
  return buildMap(call, self.getType(), inputs,
                  [&](Scalars &s, ArrayRef<Value> x) {
                    if (!adds)
                      return s.ifPositive(x[2], x[0], x[1]);
                    if (isProduct)
                      return s.ifPositive(x[2], s.mul(x[1], x[0]), x[1]);
                    Value sum = s.add(x[1], x[0]);
                    return isSum ? sum : s.div(sum, s.add(x[2], s.constant(1)));
                  });
}

/// scatter_add(into, dim, index, rows) and its kin
static LogicalResult liftScatter(TorchCall &call) {
  std::optional<RowScatter> scatter = getRowScatter(call);
  if (!scatter)
    return call.refuse("it does not reduce whole rows by one list of integers");
  Lifter &lifter = call.lifter;
  std::optional<End> end = lifter.roles.getEnd(scatter->list, lifter.sizes);
  if (!end)
    return call.refuse("its index is not an end of edges");
  CapturedGraph *graph = lifter.findGraph(
      end, Value(), lifter.sizes.of(scatter->into, 0), scatter->rows, call.op);
  if (!graph)
    return call.refuse("no graph has these edges and this number of nodes "
                       "alone");
  std::optional<double> self = lifter.roles.getNumber(scatter->into);
  bool isExtreme =
      scatter->kind == Reduction::Max || scatter->kind == Reduction::Min;
  if (isExtreme && scatter->includesSelf) {
    // What no number is beyond takes no part.
    double infinity = std::numeric_limits<double>::infinity();
    if (self != (scatter->kind == Reduction::Max ? -infinity : infinity))
      return call.refuse("what was there takes part in a maximum, and in its "
                         "gradient");
    scatter->includesSelf = false;
  }
  bool isMeanOfAll = scatter->kind == Reduction::Mean && scatter->includesSelf;
  Value reduced =
      reduceRows(call, graph, *end,
                 isMeanOfAll ? Reduction::Sum : scatter->kind, scatter->rows);
  if (!reduced)
    return failure();
  if (scatter->scale != 1.0)
    reduced = buildMap(call, reduced.getType(), reduced,
                       [&](Scalars &s, ArrayRef<Value> x) {
                         return s.scale(x[0], scatter->scale);
                       });
  // Rows that nothing is reduced to are zero.
  bool isProduct = scatter->kind == Reduction::Mul;
  if (self != 0.0 || isMeanOfAll || (isProduct && scatter->includesSelf))
    reduced = includeSelf(call, *scatter, reduced, graph, *end);
  return reduced ? call.replace({reduced}) : failure();
}

static void rowsOfScatter(Arguments arguments, Sizes &sizes) {
  std::optional<RowScatter> scatter = getRowScatter(arguments);
  if (!scatter)
    return;
  sizes.unify(sizes.of(scatter->into, 0),
              sizes.of(arguments.op.getResult(0), 0));
  // Others may have more rows than entries in the list.
  if (arguments.name().starts_with("aten.index_") &&
      getTensorType(scatter->rows).getDimSize(0) != 1)
    sizes.unify(sizes.of(scatter->list, 0), sizes.of(scatter->rows, 0));
}

void lift::addScatterRules(Rules &rules) {
  for (StringRef name :
       {"aten.scatter_add", "aten.scatter_reduce.two", "aten.index_add",
        "aten.index_reduce", "aten.index_put"})
    rules[name] = {rowsOfScatter, liftScatter};
}
