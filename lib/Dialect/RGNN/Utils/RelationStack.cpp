//===- RelationStack.cpp - rows of alike relations as one -----------------===//

#include "RGNN/Dialect/RGNN/Utils/RelationStack.h"
#include "RGNN/Dialect/RGNN/Utils/ConstantRows.h"
#include "RGNN/Dialect/RGNN/Utils/Sums.h"
#include "RGNN/Dialect/RGNN/Utils/TypeStack.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// How a value follows from what it is computed of, seen from one relation.
enum class Derivation {
  Plain,  // it has no rows
  Given,  // its rows are there, whatever the relation computes
  Pairs,  // it is a sum over, or the number of, the relation's edges of a node
  Moved,  // edges read it from nodes
  Shares, // edges divide it among those of a node
  Row,    // an op on rows
};
} // namespace

static Path getPairs(Path end) {
  return end == Path::Src ? Path::SrcPair : Path::DstPair;
}

static bool isEnd(Path path) { return path == Path::Src || path == Path::Dst; }

/// Whether a row of the result depends on the same row of the operands,
/// whatever its type is.
static bool isUntypedRowwise(Operation *op) {
  return isa_and_nonnull<RowOpInterface, LinearOp>(op);
}

/// What rows of nodes are computed of by ops on rows alone: sums over edges,
/// rows that are given, and whatever else makes rows.
static SetVector<Value> getSources(Value rows) {
  SetVector<Value> sources;
  SmallVector<Value> left = {rows};
  DenseSet<Value> seen;
  while (!left.empty()) {
    Value next = skipPlaces(left.pop_back_val());
    if (!rgnn::getRows(next.getType()) || !seen.insert(next).second)
      continue;
    if (Operation *op = next.getDefiningOp(); isUntypedRowwise(op))
      llvm::append_range(left, op->getOperands());
    else
      sources.insert(next);
  }
  return sources;
}

/// Whether rows of nodes follow from sums over edges of `relation`.
static bool hasSums(Value rows, COOGraphOp relation) {
  return llvm::any_of(getSources(rows), [&](Value source) {
    Operation *op = source.getDefiningOp();
    if (auto reduce = dyn_cast_or_null<ReduceOp>(op))
      return reduce.getGraph() == relation.getGraph() &&
             isEnd(reduce.getPath());
    auto degree = dyn_cast_or_null<DegreeOp>(op);
    return degree && degree.getGraph() == relation.getGraph() &&
           isEnd(degree.getPath());
  });
}

static Derivation getDerivation(Value value, COOGraphOp relation,
                                Position position) {
  if (!rgnn::getRows(value.getType()))
    return Derivation::Plain;
  Operation *op = value.getDefiningOp();
  if (position.end) {
    if (!hasSums(value, relation))
      return Derivation::Given;
    return isUntypedRowwise(op) ? Derivation::Row : Derivation::Pairs;
  }
  if (auto gather = dyn_cast_or_null<GatherOp>(op);
      gather && gather.getGraph() == relation.getGraph() &&
      isEnd(gather.getPath()))
    return Derivation::Moved;
  if (auto softmax = dyn_cast_or_null<GroupSoftmaxOp>(op);
      softmax && softmax.getGraph() == relation.getGraph() &&
      isEnd(softmax.getPath()))
    return Derivation::Shares;
  return isUntypedRowwise(op) ? Derivation::Row : Derivation::Given;
}

/// Where operands of the op that makes a value are, given where that is.
static Position getOperandPosition(Operation *op, Position position) {
  if (isa<ReduceOp>(op))
    return {Domain::Edge, std::nullopt};
  if (auto gather = dyn_cast<GatherOp>(op))
    return {position.domain, gather.getPath()};
  return position;
}

static SmallVector<Value> getOperands(ArrayRef<Value> values, unsigned number) {
  return llvm::map_to_vector(values, [&](Value value) {
    return value.getDefiningOp()->getOperand(number);
  });
}

static bool areSameRows(Value one, Value other) {
  return getRowShape(one.getType()) == getRowShape(other.getType()) &&
         getElementTypeOrSelf(one) == getElementTypeOrSelf(other);
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

SmallVector<Value> RelationTerm::findSums(Value rows) {
  SmallVector<Value> sums;
  for (Value source : getSources(rows))
    if (auto reduce = source.getDefiningOp<ReduceOp>();
        reduce && reduce.getPath() == Path::Dst)
      sums.push_back(source);
  return sums;
}

COOGraphOp RelationTerm::findRelation(Value rows) {
  COOGraphOp found;
  for (Value sum : findSums(rows)) {
    auto relation =
        sum.getDefiningOp<ReduceOp>().getGraph().getDefiningOp<COOGraphOp>();
    if (!relation || (found && found != relation))
      return {};
    found = relation;
  }
  return found;
}

namespace {
/// What rows of destinations are where a relation has no edges.
class WithoutEdges {
public:
  explicit WithoutEdges(COOGraphOp relation) : relation(relation) {}

  std::optional<double> getConstant(Value value) {
    value = skipPlaces(value);
    auto found = known.find(value);
    if (found != known.end())
      return found->second;
    std::optional<double> result = compute(value);
    known[value] = result;
    return result;
  }

private:
  std::optional<double> compute(Value value) {
    Operation *op = value.getDefiningOp();
    switch (getDerivation(value, relation, {Domain::DstPair, Path::Dst})) {
    case Derivation::Pairs:
      if ((isa<ReduceOp>(op) ? cast<ReduceOp>(op).getPath()
                             : cast<DegreeOp>(op).getPath()) != Path::Dst)
        return std::nullopt;
      return 0;
    case Derivation::Row:
      return evaluateConstantRow(
          op, [&](Value operand) { return getConstant(operand); });
    default:
      return std::nullopt;
    }
  }

  COOGraphOp relation;
  DenseMap<Value, std::optional<double>> known;
};

/// Whether what two relations compute is the same, but for weights.
class Comparison {
public:
  Comparison(COOGraphOp first, COOGraphOp second)
      : first(first), second(second) {}

  bool areAlike(Value one, Value other, Position position);

private:
  COOGraphOp first, second;
  /// What was found alike, or is assumed to be while it is compared.
  DenseSet<std::tuple<Value, Value, unsigned>> alike;
};
} // namespace

bool RelationTerm::isZeroWithoutEdges() const {
  return WithoutEdges(relation).getConstant(rows) == 0.0;
}

bool Comparison::areAlike(Value one, Value other, Position position) {
  if (position.end) {
    one = skipPlaces(one);
    other = skipPlaces(other);
  }
  if (!alike.insert({one, other, unsigned(position.end.has_value())}).second)
    return true;
  Derivation derivation = getDerivation(one, first, position);
  if (derivation != getDerivation(other, second, position) ||
      !areSameRows(one, other))
    return false;
  if (derivation == Derivation::Plain)
    return one.getType() == other.getType();
  if (derivation == Derivation::Given)
    return true;
  Operation *op = one.getDefiningOp(), *like = other.getDefiningOp();
  Position next = getOperandPosition(op, position);
  return rgnn::areAlike(op, like) &&
         llvm::all_of_zip(
             op->getOperands(), like->getOperands(), [&](Value a, Value b) {
               return !isa<TensorType>(a.getType()) || areAlike(a, b, next);
             });
}

bool RelationTerm::isAlike(const RelationTerm &other) const {
  return Comparison(relation, other.relation)
      .areAlike(rows, other.rows, {Domain::DstPair, Path::Dst});
}

//===----------------------------------------------------------------------===//
// RelationStack
//===----------------------------------------------------------------------===//

Value RelationStack::build() {
  return build(llvm::map_to_vector(terms, [](auto &term) { return term.rows; }),
               {Domain::DstPair, Path::Dst});
}

Value RelationStack::build(ArrayRef<Value> values, Position position) {
  Values own(values);
  if (position.end)
    for (Value &value : own)
      value = skipPlaces(value);
  for (const Built &each : built[own.front()])
    if (each.values == own && each.position == position)
      return each.rows;
  Value rows = buildAnew(own, position);
  built[own.front()].push_back({own, position, rows});
  return rows;
}

Value RelationStack::buildAnew(ArrayRef<Value> values, Position position) {
  auto derivations = llvm::map_to_vector(
      llvm::zip(values, terms), [&](auto pair) -> Derivation {
        auto [value, term] = pair;
        return getDerivation(value, term.relation, position);
      });
  if (!llvm::all_equal(derivations))
    return refuse("the relations differ in what they compute");
  Operation *op = values.front().getDefiningOp();
  switch (derivations.front()) {
  case Derivation::Plain:
    return llvm::all_equal(values)
               ? values.front()
               : joint.spread(builder, values, position.domain);
  case Derivation::Given:
    if (!position.end)
      return joint.joinEdges(builder, values);
    if (Value shared = buildShared(values, position))
      return shared;
    if (!llvm::all_of(values, [](Value value) {
          return isUntypedRowwise(value.getDefiningOp());
        }))
      return refuse("several of them read other rows of the same nodes");
    return buildRows(values, position);
  case Derivation::Row:
    return buildRows(values, position);
  case Derivation::Pairs:
    return buildPairs(values, position);
  case Derivation::Moved:
    return build(getOperands(values, 0), getOperandPosition(op, position));
  case Derivation::Shares: {
    Value scores = build(getOperands(values, 0), position);
    if (!scores)
      return {};
    Path end = cast<GroupSoftmaxOp>(op).getPath();
    return GroupSoftmaxOp::create(builder, op->getLoc(), scores,
                                  joint.getGraph(), getPairs(end));
  }
  }
  llvm_unreachable("unknown derivation");
}

Value RelationStack::buildPairs(ArrayRef<Value> values, Position position) {
  Operation *op = values.front().getDefiningOp();
  Location loc = op->getLoc();
  TypedValue<rgnn::GraphType> graph = joint.getGraph();
  Path pairs = getPairs(*position.end);
  Value rows;
  if (auto degree = dyn_cast<DegreeOp>(op)) {
    if (degree.getPath() != *position.end)
      return refuse("a relation counts edges of other nodes than it sums");
    Type type = getRowsType(graph.getType().getRows(pairs, Domain::Edge), {},
                            getElementTypeOrSelf(values.front()));
    rows = DegreeOp::create(builder, loc, type, graph, pairs);
  } else {
    auto reduce = cast<ReduceOp>(op);
    if (reduce.getPath() != *position.end)
      return refuse("a relation follows its edges twice");
    Value edges =
        build(getOperands(values, 0), getOperandPosition(op, position));
    if (!edges)
      return {};
    rows =
        ReduceOp::create(builder, loc, edges, graph, pairs, reduce.getKind());
  }
  return position.domain == Domain::Edge
             ? GatherOp::create(builder, loc, rows, graph, pairs, Domain::Edge)
             : rows;
}

Value RelationStack::buildShared(ArrayRef<Value> values, Position position) {
  Values ofTypes(joint.getNumTypes());
  for (auto [i, value] : llvm::enumerate(values)) {
    Value &ofType = ofTypes[joint.getType(i, *position.end)];
    Value rows = getPlaced(value);
    if (ofType && ofType != rows)
      return {};
    ofType = rows;
  }
  Location loc = values.front().getLoc();
  Value nodes =
      joint.joinNodes(builder, loc, values.front().getType(), ofTypes);
  return GatherOp::create(builder, loc, nodes, joint.getGraph(), *position.end,
                          position.domain);
}

Value RelationStack::buildRows(ArrayRef<Value> values, Position position) {
  Operation *op = values.front().getDefiningOp();
  for (Value value : values)
    if (!areAlike(op, value.getDefiningOp()))
      return refuse("the relations differ in what they compute");
  IRMapping mapping;
  RowsAttr rows = joint.getRows(position.domain);
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Values operands = getOperands(values, i);
    auto linear = dyn_cast<LinearOp>(op);
    if (linear && i == 1 && !llvm::all_equal(operands)) {
      if (getRowShape(linear.getX().getType()).size() != 1)
        return refuse("a weight of each relation multiplies heads of rows");
      return buildTypedLinear(builder, linear, mapping.lookup(linear.getX()),
                              operands, joint.getGraph(), Path::EType);
    }
    Value operand = build(operands, position);
    if (!operand)
      return {};
    mapping.map(op->getOperand(i), operand);
  }
  Value first = values.front();
  return cloneOnto(builder, op, mapping,
                   getRowsType(rows, getRowShape(first.getType()),
                               getElementTypeOrSelf(first)));
}
