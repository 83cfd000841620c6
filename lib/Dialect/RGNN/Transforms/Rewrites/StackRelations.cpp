//===- StackRelations.cpp - computes alike relations at once --------------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/RelationStack.h"
#include "RGNN/Dialect/RGNN/Utils/Sums.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNSTACKRELATIONSPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// A sum, for the nodes of one type, of what relations and others give.
struct NodeSum {
  MapOp root;
  SmallVector<Value> terms;
  /// How many sums its terms come behind.
  int64_t level;
  bool isChanged = false;
};

/// Terms that compute the same, and the sum of each.
struct Group {
  SmallVector<RelationTerm> terms;
  SmallVector<NodeSum *> sums;

  bool takes(const RelationTerm &term, const NodeSum &sum) const;
  Value getNumNodes(size_t term) const {
    return rgnn::getNumNodes(terms[term].relation, Path::Dst);
  }
};

/// The stacking of one function.
class Stacking {
public:
  Stacking(func::FuncOp function, SymbolTable &symbols, PassRemarks remarks)
      : block(function.getBody().front()), symbols(symbols), remarks(remarks) {}

  void run();
  int64_t countStacked() const { return numStacked; }

private:
  void findSums();
  SmallVector<Group> makeGroups(int64_t level);
  void stack(Group &group);
  void rewrite(NodeSum &sum);
  /// Computes rows of nodes of one relation on those of a joint graph.
  void moveRows();
  JointGraph &getJoint(ArrayRef<COOGraphOp> relations);
  void eraseDead();

  Block &block;
  SymbolTable &symbols;
  PassRemarks remarks;
  SmallVector<std::unique_ptr<NodeSum>> sums;
  SmallVector<std::unique_ptr<JointGraph>> joints;
  int64_t numStacked = 0;
};
} // namespace

bool Group::takes(const RelationTerm &term, const NodeSum &sum) const {
  if (!terms.front().isAlike(term))
    return false;
  // Rows of a type are summed once.
  Value nodes = rgnn::getNumNodes(term.relation, Path::Dst);
  for (size_t i = 0; i < terms.size(); ++i)
    if (getNumNodes(i) == nodes && sums[i] != &sum)
      return false;
  return true;
}

/// What `value` is as a term of a sum; nothing where no relation gives it, or
/// it is not zero where the relation has no edges.
static std::optional<RelationTerm> getTerm(Value value, Type ofSum) {
  if (!getRows(value.getType()) ||
      getRowShape(value.getType()) != getRowShape(ofSum))
    return std::nullopt;
  RelationTerm term{RelationTerm::findRelation(value), skipPlaces(value)};
  if (!term.relation || JointGraph::whyNotJoined(term.relation) ||
      !term.isZeroWithoutEdges())
    return std::nullopt;
  return term;
}

void Stacking::findSums() {
  DenseMap<Value, int64_t> levels;
  for (Operation &op : block) {
    int64_t level = 0;
    for (Value operand : op.getOperands())
      level = std::max(level, levels.lookup(operand));
    auto map = dyn_cast<MapOp>(op);
    if (map && getRows(map.getType()) && isSum(map) && !isPartOfSum(map)) {
      SmallVector<Value> terms = getSummands(map);
      if (llvm::any_of(terms, [&](Value term) {
            return getTerm(term, map.getType()).has_value();
          }))
        sums.push_back(
            std::make_unique<NodeSum>(NodeSum{map, std::move(terms), level++}));
    }
    for (Value result : op.getResults())
      levels[result] = level;
  }
}

SmallVector<Group> Stacking::makeGroups(int64_t level) {
  SmallVector<Group> groups;
  for (auto &sum : sums)
    for (Value value : sum->terms) {
      std::optional<RelationTerm> term =
          sum->level == level ? getTerm(value, sum->root.getType())
                              : std::nullopt;
      if (!term)
        continue;
      auto *group = llvm::find_if(
          groups, [&](Group &each) { return each.takes(*term, *sum); });
      if (group == groups.end()) {
        groups.emplace_back();
        group = &groups.back();
      }
      group->terms.push_back(*term);
      group->sums.push_back(sum.get());
    }
  return groups;
}

JointGraph &Stacking::getJoint(ArrayRef<COOGraphOp> relations) {
  for (auto &joint : joints)
    if (joint->getRelations() == relations)
      return *joint;
  joints.push_back(std::make_unique<JointGraph>(relations, symbols));
  return *joints.back();
}

void Stacking::stack(Group &group) {
  // The same relations make the same graph, in whatever order they are added.
  SmallVector<size_t> order = llvm::to_vector(llvm::seq(group.terms.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    COOGraphOp one = group.terms[a].relation, other = group.terms[b].relation;
    return one != other && one->isBeforeInBlock(other);
  });
  SmallVector<RelationTerm> terms;
  SmallVector<NodeSum *> sumOf;
  for (size_t i : order) {
    terms.push_back(group.terms[i]);
    sumOf.push_back(group.sums[i]);
  }
  JointGraph &joint = getJoint(llvm::map_to_vector(
      terms, [](const RelationTerm &term) { return term.relation; }));
  OpBuilder builder(block.getTerminator());
  RelationStack stack(builder, joint, terms);
  Location loc = terms.front().rows.getLoc();
  Value pairs = stack.build();
  if (!pairs) {
    remarks.missed(loc, "relations are computed one by one",
                   stack.getRefusal());
    return;
  }
  Value nodes = ReduceOp::create(builder, loc, pairs, joint.getGraph(),
                                 Path::Dst, Reduction::Sum);
  for (auto [term, sum] : llvm::zip(terms, sumOf)) {
    auto is = [&, rows = term.rows](Value value) {
      return skipPlaces(value) == rows;
    };
    sum->terms.erase(llvm::find_if(sum->terms, is));
    RowsAttr domain =
        joint.getNodes(*joint.findType(getNumNodes(term.relation, Path::Dst)));
    if (llvm::any_of(sum->terms, [&](Value value) {
          auto slice = value.getDefiningOp<SliceTypeOp>();
          return slice && slice.getRows() == nodes;
        }))
      continue;
    sum->terms.push_back(
        SliceTypeOp::create(builder, loc,
                            getRowsType(domain, getRowShape(nodes.getType()),
                                        getElementTypeOrSelf(nodes)),
                            nodes, joint.getGraph()));
    sum->isChanged = true;
  }
  remarks.passed(loc, Twine(terms.size()) + " relations are computed at once");
  numStacked += terms.size();
}

void Stacking::rewrite(NodeSum &sum) {
  OpBuilder builder(block.getTerminator());
  RowsAttr rows = getRows(sum.root.getType());
  FailureOr<Value> graph = findGraph(sum.root, rows);
  assert(succeeded(graph) && "a sum has rows of a graph of the function");
  for (Value &term : sum.terms)
    if (getRows(term.getType()))
      term = placeOn(builder, term, rows, *graph);
  Value total =
      addUp(builder, sum.root.getLoc(), sum.root.getType(), sum.terms);
  sum.root.getResult().replaceAllUsesWith(total);
  sum.isChanged = false;
}

void Stacking::moveRows() {
  DenseMap<RowsAttr, Value> numbers;
  for (COOGraphOp graph : block.getOps<COOGraphOp>())
    if (!JointGraph::whyNotJoined(graph))
      for (Path end : {Path::Src, Path::Dst})
        numbers[graph.getGraph().getType().getRows(end, Domain::Edge)] =
            getNumNodes(graph, end);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    RowsAttr rows = isa<RowOpInterface, LinearOp>(op)
                        ? getRows(op.getResult(0).getType())
                        : RowsAttr();
    Value number = rows ? numbers.lookup(rows) : Value();
    auto *joint = llvm::find_if(
        joints, [&](auto &each) { return number && each->findType(number); });
    if (joint == joints.end())
      continue;
    RowsAttr domain = (*joint)->getNodes(*(*joint)->findType(number));
    FailureOr<Value> graph = findGraph(&op, rows);
    assert(succeeded(graph) && "an op has rows of a graph of the function");
    // Behind all that it may read, until ops are sorted.
    OpBuilder builder(block.getTerminator());
    IRMapping operands;
    for (Value operand : op.getOperands())
      if (getRows(operand.getType()))
        operands.map(operand,
                     placeOn(builder, operand, domain, (*joint)->getGraph()));
    Value result = op.getResult(0);
    Value moved = cloneOnto(builder, &op, operands,
                            getRowsType(domain, getRowShape(result.getType()),
                                        getElementTypeOrSelf(result)));
    result.replaceAllUsesWith(placeOn(builder, moved, rows, *graph));
  }
  // What was placed on the rows of a relation, and from there on its own.
  for (auto place : block.getOps<PlaceOp>())
    if (Value rows = skipPlaces(place);
        rows != place.getResult() && rows.getType() == place.getType())
      place.getResult().replaceAllUsesWith(rows);
}

void Stacking::eraseDead() {
  DenseMap<Operation *, StringAttr> schemas;
  for (auto &joint : joints)
    schemas[joint->getGraph().getDefiningOp()] =
        joint->getGraph().getType().getSchema().getAttr();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!isOpTriviallyDead(&op))
      continue;
    if (StringAttr schema = schemas.lookup(&op))
      symbols.erase(symbols.lookup(schema));
    op.erase();
  }
}

void Stacking::run() {
  findSums();
  int64_t numLevels = 0;
  for (auto &sum : sums)
    numLevels = std::max(numLevels, sum->level + 1);
  // Rows behind a sum that is rewritten are no more of its relations.
  for (int64_t level = 0; level < numLevels; ++level) {
    for (Group &group : makeGroups(level))
      if (group.terms.size() > 1)
        stack(group);
    for (auto &sum : sums)
      if (sum->isChanged)
        rewrite(*sum);
  }
  if (joints.empty())
    return;
  sortTopologically(&block);
  if (numStacked) {
    moveRows();
    sortTopologically(&block);
  }
  eraseDead();
}

namespace {
struct StackRelations : rgnn::impl::RGNNStackRelationsPassBase<StackRelations> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      Stacking stacking(function, symbols,
                        PassRemarks(function, getArgument(), "Relations"));
      stacking.run();
      reportCounts(function, getArgument(),
                   {{"num-stacked", stacking.countStacked()}});
    }
  }
};
} // namespace
