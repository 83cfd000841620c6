//===- Movement.cpp - what moves rows along the edges of a graph ----------===//

#include "Rules.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// The graph of an operator that names an end of edges (argument `index`),
/// their types (or -1) and the number of nodes; null with a reason.
static CapturedGraph *findGraph(TorchCall &call, unsigned index, int types,
                                unsigned nodes, Value prefer,
                                std::optional<End> &end) {
  Value indexValue = call.value(index);
  if (indexValue)
    end = call.lifter.roles.getEnd(indexValue, call.lifter.sizes);
  if (!end) {
    (void)call.refuse("argument " + Twine(index) + " is not an end of edges");
    return nullptr;
  }
  std::optional<Size> count = call.lifter.sizes.of(call, nodes);
  if (!count) {
    (void)call.refuse("argument " + Twine(nodes) + " is not a size");
    return nullptr;
  }
  Value typesValue = types < 0 ? Value() : call.value(types);
  if (types >= 0 && !typesValue) {
    (void)call.refuse("argument " + Twine(types) + " is not a tensor");
    return nullptr;
  }
  CapturedGraph *graph =
      call.lifter.findGraph(end, typesValue, count, prefer, call.op);
  if (!graph)
    (void)call.refuse("no graph has these edges and this number of nodes "
                      "alone");
  return graph;
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// Weights picked by constant indices: slices, one for each run of indices that
/// follow each other, joined again.
static LogicalResult liftConstantLookup(TorchCall &call,
                                        const RowLookup &lookup,
                                        DenseElementsAttr indices) {
  constexpr int64_t maxSlices = 64;
  Value table = call.plain(lookup.table);
  if (!table)
    return failure();
  int64_t size = cast<RankedTensorType>(table.getType()).getDimSize(0);
  SmallVector<std::pair<int64_t, int64_t>> runs; // first index, length
  for (const APInt &value : indices.getValues<APInt>()) {
    int64_t index = value.getSExtValue();
    if (index < 0 || index >= size)
      return call.refuse("a constant index is out of range");
    if (!runs.empty() && runs.back().first + runs.back().second == index)
      ++runs.back().second;
    else
      runs.emplace_back(index, 1);
  }
  if (runs.empty() || runs.size() > maxSlices)
    return call.refuse("it picks none or more than " + Twine(maxSlices) +
                       " runs of rows by constants");
  SmallVector<Value> slices;
  for (auto [first, length] : runs)
    slices.push_back(
        SliceOp::create(call.builder, call.loc, table, 0, first, length));
  if (slices.size() == 1)
    return call.replace(slices);
  return call.replace(
      {ConcatOp::create(call.builder, call.loc, slices, 0).getResult()});
}

/// Rows of `table` by ends of edges (nodes) or by edge types (weights).
static LogicalResult liftLookupOfRows(TorchCall &call) {
  // embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse)
  if (call.name() == "aten.embedding" &&
      (call.integer(2).value_or(-1) >= 0 || call.boolean(3) == true ||
       call.boolean(4) == true))
    return call.refuse("its gradient leaves rows out, or is scaled or sparse");
  std::optional<RowLookup> lookup = getRowLookup(call);
  if (!lookup)
    return call.refuse("it does not pick whole rows by one list of integers");
  if (!call.floats(0))
    return call.refuse("argument 0 is not a tensor of floats");
  Lifter &lifter = call.lifter;
  Value index = lifter.roles.resolve(lookup->index);
  if (DenseElementsAttr constant = getConstant(index))
    return liftConstantLookup(call, *lookup, constant);

  if (std::optional<End> end = lifter.roles.getEndOf(*lookup, lifter.sizes)) {
    CapturedGraph *graph =
        lifter.findGraph(end, Value(), lifter.sizes.of(lookup->table, 0),
                         lookup->table, call.op);
    if (!graph)
      return call.refuse("the edges that index argument 0 are not known to "
                         "have as many nodes as it has rows");
    Value rows = call.on(0, getRowsOfEnd(graph, *end));
    if (!rows)
      return failure();
    return call.replace(
        {GatherOp::create(call.builder, call.loc, rows, graph->op,
                          end->isDst ? Path::Dst : Path::Src)});
  }

  CapturedGraph *graph =
      lifter.findGraph(std::nullopt, index, std::nullopt, Value(), call.op);
  if (!graph)
    return call.refuse("its index is neither an end of edges nor their types");
  auto type = cast<RankedTensorType>(lookup->table.getType());
  if (!type.hasStaticShape())
    return call.refuse("the weights of edge types have a dynamic size");
  if (graph->numTypes && *graph->numTypes != type.getDimSize(0))
    return call.refuse("it has weights of " + Twine(type.getDimSize(0)) +
                       " types, the graph has " + Twine(*graph->numTypes));
  Value rows = call.on(0, getRowsOf(graph, Domain::EType));
  if (!rows)
    return failure();
  return call.replace(
      {GatherOp::create(call.builder, call.loc, rows, graph->op, Path::EType)});
}

/// lookup(weight, types, index) and basis_lookup(comp, basis, types, index):
/// weights by the type of an edge and one of its ends.
static LogicalResult liftLookup(TorchCall &call) {
  bool isBasis = call.name() == "rgnn.basis_lookup";
  unsigned table = isBasis ? 1 : 0, types = isBasis ? 2 : 1,
           index = isBasis ? 3 : 2;
  Value weight = call.plain(table);
  Value comp = weight && isBasis ? call.plain(0u) : Value();
  if (!weight || (isBasis && !comp))
    return failure();
  auto type = cast<RankedTensorType>(weight.getType());
  if (type.getRank() != 3)
    return call.refuse("its table has not 3 dimensions");
  auto compType = comp ? cast<RankedTensorType>(comp.getType()) : type;
  if (comp && (compType.getRank() != 2 ||
               compType.getDimSize(1) != type.getDimSize(0) ||
               compType.getElementType() != type.getElementType()))
    return call.refuse("its coefficients are not one for each type and basis");
  Value indexValue = call.value(index), typesValue = call.value(types);
  std::optional<End> end =
      indexValue ? call.lifter.roles.getEnd(indexValue, call.lifter.sizes)
                 : std::nullopt;
  if (!end || !typesValue)
    return call.refuse("argument " + Twine(index) + " is not an end of edges");
  CapturedGraph *graph = call.lifter.findGraph(
      end, typesValue, Size::of(type.getDimSize(1)), Value(), call.op);
  if (!graph)
    return call.refuse("no graph has these edges and types, and as many nodes "
                       "as the table");
  if (graph->isBipartite)
    return call.refuse("tables are of graphs whose ends are of the same nodes");
  if (graph->numTypes && *graph->numTypes != compType.getDimSize(0))
    return call.refuse("it has weights of " + Twine(compType.getDimSize(0)) +
                       " types, the graph has " + Twine(*graph->numTypes));
  return call.replace(
      {LookupOp::create(call.builder, call.loc, weight, comp, graph->op,
                        end->isDst ? Path::Dst : Path::Src)});
}

//===----------------------------------------------------------------------===//
// Reduce, softmax, degree
//===----------------------------------------------------------------------===//

/// aggregate(src, index, dim_size, reduce)
static LogicalResult liftAggregate(TorchCall &call) {
  std::optional<End> end;
  CapturedGraph *graph = findGraph(call, 1, -1, 2, call.floats(0), end);
  if (!graph)
    return failure();
  std::optional<Reduction> kind = symbolizeReduction(call.string(3));
  if (!kind)
    return call.refuse("its reduction is not sum, mean, max, min or mul");
  if (!call.floats(0))
    return call.refuse("argument 0 is not a tensor of floats");
  Value reduced = reduceRows(call, graph, *end, *kind, call.floats(0));
  return reduced ? call.replace({reduced}) : failure();
}

/// edge_softmax(src, index, dim_size), and
/// pair_softmax(src, index, types, dim_size, num_types)
static LogicalResult liftSoftmax(TorchCall &call) {
  bool isPair = call.name() == "rgnn.pair_softmax";
  std::optional<End> end;
  CapturedGraph *graph =
      findGraph(call, 1, isPair ? 2 : -1, isPair ? 3 : 2, call.floats(0), end);
  if (!graph)
    return failure();
  if (isPair && (!call.integer(4) || !graph->numTypes ||
                 *call.integer(4) < *graph->numTypes))
    return call.refuse("num_types is less than the types of the graph");
  Value rows = call.on(0, getRowsOf(graph, Domain::Edge));
  if (!rows)
    return failure();
  Path path = isPair ? (end->isDst ? Path::DstPair : Path::SrcPair)
                     : (end->isDst ? Path::Dst : Path::Src);
  return call.replace(
      {GroupSoftmaxOp::create(call.builder, call.loc, rows, graph->op, path)});
}

/// group_excess(x, y, index, dim_size)
static LogicalResult liftExcess(TorchCall &call) {
  std::optional<End> end;
  CapturedGraph *graph = findGraph(call, 2, -1, 3, call.floats(0), end);
  if (!graph)
    return failure();
  RowsAttr edges = getRowsOf(graph, Domain::Edge);
  Value x = call.on(0, edges), y = x ? call.on(1, edges) : Value();
  if (!y)
    return failure();
  return call.replace(
      {GroupExcessOp::create(call.builder, call.loc, x, y, graph->op,
                             end->isDst ? Path::Dst : Path::Src)});
}

/// pair_degree(index, types, dim_size, num_types, like): given to every edge.
static LogicalResult liftPairDegree(TorchCall &call) {
  std::optional<End> end;
  CapturedGraph *graph = findGraph(call, 0, 1, 2, Value(), end);
  if (!graph)
    return failure();
  if (!call.integer(3) || !graph->numTypes ||
      *call.integer(3) < *graph->numTypes)
    return call.refuse("num_types is less than the types of the graph");
  RankedTensorType result = call.resultType();
  if (!result || !isa<FloatType>(result.getElementType()))
    return call.refuse("its result is not a tensor of floats");
  Domain domain = end->isDst ? Domain::DstPair : Domain::SrcPair;
  Path path = end->isDst ? Path::DstPair : Path::SrcPair;
  Value degree = DegreeOp::create(
      call.builder, call.loc,
      getRowsType(getRowsOf(graph, domain), {}, result.getElementType()),
      graph->op, path);
  return call.replace(
      {GatherOp::create(call.builder, call.loc, degree, graph->op, path)});
}

/// degree(index, dim_size, like): of every node.
static LogicalResult liftDegree(TorchCall &call) {
  std::optional<End> end;
  CapturedGraph *graph = findGraph(call, 0, -1, 1, Value(), end);
  if (!graph)
    return failure();
  RankedTensorType result = call.resultType();
  if (!result || !isa<FloatType>(result.getElementType()))
    return call.refuse("its result is not a tensor of floats");
  return call.replace({DegreeOp::create(
      call.builder, call.loc,
      getRowsType(getRowsOfEnd(graph, *end), {}, result.getElementType()),
      graph->op, end->isDst ? Path::Dst : Path::Src)});
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The result has a row for each entry of the integers in argument `index`.
template <unsigned index>
static void rowsOfIndex(Arguments arguments, Sizes &sizes) {
  Value ends = arguments.value(index);
  RankedTensorType result = arguments.resultType();
  auto type = ends ? dyn_cast<RankedTensorType>(ends.getType()) : nullptr;
  if (type && type.getRank() == 1 && result && result.getRank() > 0)
    sizes.unify(sizes.of(ends, 0), sizes.of(arguments.op.getResult(0), 0));
}

static void rowsOfLookup(Arguments arguments, Sizes &sizes) {
  std::optional<RowLookup> lookup = getRowLookup(arguments);
  RankedTensorType result = arguments.resultType();
  if (lookup && result && result.getRank() > 0)
    sizes.unify(sizes.of(lookup->index, 0),
                sizes.of(arguments.op.getResult(0), 0));
}

static void rowsOfDegree(Arguments arguments, Sizes &sizes) {
  std::optional<Size> nodes = sizes.of(arguments, 1);
  RankedTensorType result = arguments.resultType();
  if (nodes && result && result.getRank() == 1)
    sizes.unify(*nodes, sizes.of(arguments.op.getResult(0), 0));
}

static void rowsOfAggregate(Arguments arguments, Sizes &sizes) {
  std::optional<Size> nodes = sizes.of(arguments, 2);
  RankedTensorType result = arguments.resultType();
  if (nodes && result && result.getRank() > 0)
    sizes.unify(*nodes, sizes.of(arguments.op.getResult(0), 0));
  Value src = arguments.floats(0), index = arguments.value(1);
  auto rank = [](Value tensor) {
    auto type = tensor ? dyn_cast<RankedTensorType>(tensor.getType()) : nullptr;
    return type ? type.getRank() : 0;
  };
  if (rank(src) > 0 && rank(index) == 1)
    sizes.unify(sizes.of(index, 0), sizes.of(src, 0));
}

/// The result has the rows of argument 0, one for each entry of `index`.
template <unsigned index>
static void rowsOfEdges(Arguments arguments, Sizes &sizes) {
  rowsOfIndex<index>(arguments, sizes);
  keepRows(arguments, sizes);
}

void lift::addMovementRules(Rules &rules) {
  for (StringRef name : {"aten.index_select", "aten.index.Tensor",
                         "aten.embedding", "aten.gather"})
    rules[name] = {rowsOfLookup, liftLookupOfRows};
  rules["rgnn.lookup"] = {rowsOfIndex<2>, liftLookup};
  rules["rgnn.basis_lookup"] = {rowsOfIndex<3>, liftLookup};
  rules["rgnn.aggregate"] = {rowsOfAggregate, liftAggregate};
  rules["rgnn.edge_softmax"] = {rowsOfEdges<1>, liftSoftmax};
  rules["rgnn.pair_softmax"] = {rowsOfEdges<1>, liftSoftmax};
  rules["rgnn.group_excess"] = {rowsOfEdges<2>, liftExcess};
  rules["rgnn.pair_degree"] = {rowsOfIndex<0>, liftPairDegree};
  rules["rgnn.degree"] = {rowsOfDegree, liftDegree};
}
