//===- StackRelations.cpp - computes alike relations at once --------------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/JointRows.h"
#include "RGNN/Dialect/RGNN/Utils/RelationStack.h"
#include "RGNN/Dialect/RGNN/Utils/Sums.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNSTACKRELATIONSPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// Rows of the nodes of one type that add up what relations, and others, give.
struct NodeSum {
  Value rows;
  SmallVector<Value> terms;
  /// How many sums its terms come behind.
  int64_t level;
  bool isChanged = false;
};

/// Terms that compute the same, and the sum of each.
struct Group {
  SmallVector<RelationTerm> terms;
  SmallVector<NodeSum *> sums;

  void add(const RelationTerm &term, NodeSum *sum) {
    terms.push_back(term);
    sums.push_back(sum);
  }
  /// The same relations make the same graph, in whatever order they are added.
  void sort();
  /// Whether they are worth it, of which `fewest` are where rows of several
  /// types have to be joined, and half as many where all are of the same nodes.
  Refusal whyFew(int64_t fewest) const;
  /// The relations, those of different sums apart.
  SmallVector<JointGraph::Relation> getRelations() const;
};

/// The stacking of one function.
class Stacking {
public:
  Stacking(func::FuncOp function, SymbolTable &symbols, PassRemarks remarks)
      : block(function.getBody().front()), symbols(symbols), remarks(remarks) {}

  /// Of groups with at least `fewest` relations.
  void run(int64_t fewest);
  int64_t countStacked() const { return numStacked; }

private:
  void findSums();
  SmallVector<Group> makeGroups(int64_t level);
  void addLoneTerms(int64_t level, SmallVector<Group> &groups);
  void stack(Group &group);
  void rewrite(NodeSum &sum);
  JointGraph &getJoint(ArrayRef<JointGraph::Relation> relations);
  void eraseDead();

  Block &block;
  SymbolTable &symbols;
  PassRemarks remarks;
  SmallVector<std::unique_ptr<NodeSum>> sums;
  /// Rows that relations sum for nodes, and nothing adds up.
  struct LoneTerm {
    Value sum;
    int64_t level;
  };
  SmallVector<LoneTerm> loneTerms;
  SmallVector<std::unique_ptr<JointGraph>> joints;
  int64_t numStacked = 0;
};
} // namespace

void Group::sort() {
  SmallVector<size_t> order = llvm::to_vector(llvm::seq(terms.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    COOGraphOp one = terms[a].relation, other = terms[b].relation;
    return one != other && one->isBeforeInBlock(other);
  });
  Group sorted;
  for (size_t i : order)
    sorted.add(terms[i], sums[i]);
  *this = std::move(sorted);
}

Refusal Group::whyFew(int64_t fewest) const {
  Value nodes = getNumNodes(terms.front().relation, Path::Src);
  bool isOfOneType = llvm::all_of(terms, [&](const RelationTerm &term) {
    return getNumNodes(term.relation, Path::Src) == nodes &&
           getNumNodes(term.relation, Path::Dst) == nodes;
  });
  int64_t count = terms.size();
  if (count >= std::max<int64_t>(isOfOneType ? fewest / 2 : fewest, 2))
    return {};
  return "only " + Twine(count) + (count == 1 ? " is" : " are") + " alike";
}

SmallVector<JointGraph::Relation> Group::getRelations() const {
  DenseMap<Value, SmallVector<NodeSum *>> sumsOfNodes;
  SmallVector<JointGraph::Relation> relations;
  for (auto [term, sum] : llvm::zip(terms, sums)) {
    auto &all = sumsOfNodes[getNumNodes(term.relation, Path::Dst)];
    auto *found = llvm::find(all, sum);
    unsigned copy = found - all.begin();
    if (found == all.end())
      all.push_back(sum);
    relations.push_back({term.relation, copy});
  }
  return relations;
}

/// What `rows` are as a term of a sum; nothing where no relation gives them, or
/// they are not zero where the relation has no edges.
static std::optional<RelationTerm> getTerm(Value rows) {
  if (!getRows(rows.getType()))
    return std::nullopt;
  RelationTerm term{RelationTerm::findRelation(rows), skipPlaces(rows)};
  if (!term.relation || JointGraph::whyNotJoined(term.relation) ||
      !term.isZeroWithoutEdges())
    return std::nullopt;
  return term;
}

/// The same of one of the terms that make rows of the type `ofSum`, if nothing
/// else reads it.
static std::optional<RelationTerm> getTerm(Value rows, Type ofSum) {
  return getRows(rows.getType()) &&
                 getRowShape(rows.getType()) == getRowShape(ofSum) &&
                 isReadOnce(skipPlaces(rows))
             ? getTerm(rows)
             : std::nullopt;
}

void Stacking::findSums() {
  DenseMap<Value, int64_t> levels;
  DenseSet<Value> found;
  for (Operation &op : block) {
    int64_t level = 0;
    for (Value operand : op.getOperands())
      level = std::max(level, levels.lookup(operand));
    auto map = dyn_cast<MapOp>(op);
    if (map && getRows(map.getType()) && isSum(map) && !isPartOfSum(map)) {
      SmallVector<Value> terms = getSummands(map);
      bool isOfRelations = false;
      for (Value term : terms)
        if (getTerm(term, map.getType())) {
          isOfRelations = true;
          for (Value source : RelationTerm::findSums(term))
            found.insert(source);
        }
      if (isOfRelations)
        sums.push_back(std::make_unique<NodeSum>(
            NodeSum{map.getResult(), std::move(terms), level++}));
    }
    if (auto reduce = dyn_cast<ReduceOp>(op); reduce && getTerm(reduce))
      loneTerms.push_back({reduce, level});
    for (Value result : op.getResults())
      levels[result] = level;
  }
  llvm::erase_if(loneTerms, [&](const LoneTerm &term) {
    return found.contains(term.sum);
  });
}

SmallVector<Group> Stacking::makeGroups(int64_t level) {
  SmallVector<Group> groups;
  for (auto &sum : sums)
    for (Value value : sum->terms) {
      std::optional<RelationTerm> term =
          sum->level == level ? getTerm(value, sum->rows.getType())
                              : std::nullopt;
      if (!term)
        continue;
      auto *group = llvm::find_if(groups, [&](Group &each) {
        return each.terms.front().isAlike(*term);
      });
      if (group == groups.end()) {
        groups.emplace_back();
        group = &groups.back();
      }
      group->add(*term, sum.get());
    }
  addLoneTerms(level, groups);
  return groups;
}

/// Adds rows that nothing adds up to the groups that have others like them: the
/// sums over edges themselves, or what is computed of these.
void Stacking::addLoneTerms(int64_t level, SmallVector<Group> &groups) {
  for (const LoneTerm &lone : loneTerms) {
    Group *group = nullptr;
    std::optional<RelationTerm> term;
    for (Value rows = lone.sum; lone.level == level && !group;) {
      if (!(term = getTerm(rows)))
        break;
      group = llvm::find_if(groups, [&](Group &each) {
        return each.terms.front().isAlike(*term);
      });
      if (group == groups.end())
        group = nullptr;
      if (!rows.hasOneUse() || (*rows.user_begin())->getNumResults() != 1)
        break;
      rows = (*rows.user_begin())->getResult(0);
    }
    if (!group)
      continue;
    sums.push_back(
        std::make_unique<NodeSum>(NodeSum{term->rows, {term->rows}, level}));
    group->add(*term, sums.back().get());
  }
}

JointGraph &Stacking::getJoint(ArrayRef<JointGraph::Relation> relations) {
  for (auto &joint : joints)
    if (joint->getRelations() == relations)
      return *joint;
  joints.push_back(std::make_unique<JointGraph>(relations, symbols));
  return *joints.back();
}

void Stacking::stack(Group &group) {
  group.sort();
  JointGraph &joint = getJoint(group.getRelations());
  OpBuilder builder(block.getTerminator());
  RelationStack stack(builder, joint, group.terms);
  Location loc = group.terms.front().rows.getLoc();
  Value pairs = stack.build();
  if (!pairs) {
    remarks.missed(loc, "relations are computed one by one",
                   stack.getRefusal());
    return;
  }
  Value nodes = ReduceOp::create(builder, loc, pairs, joint.getGraph(),
                                 Path::Dst, Reduction::Sum);
  SmallVector<Value> ofTypes(joint.getNumTypes());
  for (size_t i = 0; i < group.terms.size(); ++i) {
    NodeSum *sum = group.sums[i];
    sum->terms.erase(llvm::find_if(sum->terms, [&](Value value) {
      return skipPlaces(value) == group.terms[i].rows;
    }));
    sum->isChanged = true;
    int64_t type = joint.getType(i, Path::Dst);
    if (ofTypes[type])
      continue;
    ofTypes[type] = SliceTypeOp::create(
        builder, loc,
        getRowsType(joint.getNodes(type), getRowShape(nodes.getType()),
                    getElementTypeOrSelf(nodes)),
        nodes, joint.getGraph());
    sum->terms.push_back(ofTypes[type]);
  }
  remarks.passed(loc,
                 Twine(group.terms.size()) + " relations are computed at once");
  numStacked += group.terms.size();
}

void Stacking::rewrite(NodeSum &sum) {
  OpBuilder builder(block.getTerminator());
  RowsAttr rows = getRows(sum.rows.getType());
  FailureOr<Value> graph = findGraph(sum.rows.getDefiningOp(), rows);
  assert(succeeded(graph) && "a sum has rows of a graph of the function");
  for (Value &term : sum.terms)
    if (getRows(term.getType()))
      term = placeOn(builder, term, rows, *graph);
  sum.rows.replaceAllUsesWith(
      addUp(builder, sum.rows.getLoc(), sum.rows.getType(), sum.terms));
  sum.isChanged = false;
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

void Stacking::run(int64_t fewest) {
  findSums();
  int64_t numLevels = 0;
  for (auto &sum : sums)
    numLevels = std::max(numLevels, sum->level + 1);
  for (const LoneTerm &term : loneTerms)
    numLevels = std::max(numLevels, term.level + 1);
  // Rows behind a sum that is rewritten are no more of its relations.
  for (int64_t level = 0; level < numLevels; ++level) {
    for (Group &group : makeGroups(level))
      if (Refusal refusal = group.whyFew(fewest)) {
        if (group.terms.size() > 1)
          remarks.missed(group.terms.front().rows.getLoc(),
                         "relations are computed one by one", refusal);
      } else {
        stack(group);
      }
    for (auto &sum : sums)
      if (sum->isChanged)
        rewrite(*sum);
  }
  if (joints.empty())
    return;
  sortTopologically(&block);
  if (numStacked) {
    moveToJointGraphs(block, joints);
    sortTopologically(&block);
  }
  eraseDead();
}

namespace {
struct StackRelations : rgnn::impl::RGNNStackRelationsPassBase<StackRelations> {
  using RGNNStackRelationsPassBase::RGNNStackRelationsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      Stacking stacking(function, symbols,
                        PassRemarks(function, getArgument(), "Relations"));
      stacking.run(fewest);
      reportCounts(function, getArgument(),
                   {{"num-stacked", stacking.countStacked()}});
    }
  }
};
} // namespace
