//===- Graphs.cpp - the graphs that a captured function computes on -------===//

#include "Graphs.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "Scatters.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "rgnn-lift-torch"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

namespace {
/// What one operator tells of the graph that it works on.
struct Use {
  /// An end of edges, or what may be one: a list that picks nodes, or that rows
  /// are added up by.
  Value index;
  bool isGroup = false;
  std::optional<End> end;
  Value types;
  /// The number of nodes that ends of edges count.
  std::optional<Size> nodes;
  /// The number of edge types: of weights, or as an argument says.
  std::optional<int64_t> weightTypes, saidTypes;
};

/// Edge types used with a set of edges, and how many there are.
struct Types {
  Value value;
  std::optional<int64_t> ofWeights, said;

  /// A type must be below all of these numbers; weights are the better witness.
  void add(const Use &use) {
    auto least = [](std::optional<int64_t> &to, std::optional<int64_t> from) {
      if (from && (!to || *from < *to))
        to = from;
    };
    least(ofWeights, use.weightTypes);
    least(said, use.saidTypes);
  }
};
} // namespace

static std::optional<int64_t> getLeadingSize(Value tensor) {
  auto type = tensor ? dyn_cast<RankedTensorType>(tensor.getType())
                     : RankedTensorType();
  if (!type || type.getRank() == 0 || type.isDynamicDim(0))
    return std::nullopt;
  return type.getDimSize(0);
}

static bool isListOfIntegers(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 1 &&
         (type.getElementType().isInteger(64) ||
          type.getElementType().isInteger(32));
}

/// The nodes that a table `[types, nodes, width]` has rows for.
static std::optional<Size> getTableNodes(Value table, Sizes &sizes) {
  if (!table || cast<RankedTensorType>(table.getType()).getRank() != 3)
    return std::nullopt;
  return sizes.of(table, 1);
}

static Use getUse(Arguments arguments, Roles &roles, Sizes &sizes) {
  Use use;
  auto setIndex = [&](Value index, bool isGroup) {
    use.index = roles.resolve(index);
    use.isGroup = isGroup;
    use.end = roles.getEnd(index, sizes);
  };
  auto end = [&](unsigned i) {
    if (Value index = arguments.value(i))
      setIndex(index, /*isGroup=*/true);
  };
  auto types = [&](unsigned i) {
    if (Value value = arguments.value(i); value && isListOfIntegers(value))
      use.types = roles.resolve(value);
  };
  if (std::optional<RowLookup> lookup = getRowLookup(arguments)) {
    if (!roles.isWeight(lookup->table))
      setIndex(lookup->index, /*isGroup=*/false);
    else
      use.end = roles.getEndOf(*lookup, sizes);
    if (use.end) {
      use.nodes = sizes.of(lookup->table, 0);
    } else {
      use.types = roles.resolve(lookup->index);
      use.weightTypes = getLeadingSize(lookup->table);
    }
    return use;
  }
  if (std::optional<RowScatter> scatter = getRowScatter(arguments)) {
    setIndex(scatter->list, /*isGroup=*/true);
    use.nodes = sizes.of(scatter->into, 0);
    return use;
  }
  StringRef name = arguments.name();
  if (name == "rgnn.aggregate" || name == "rgnn.edge_softmax") {
    end(1);
    use.nodes = sizes.of(arguments, 2);
  } else if (name == "rgnn.group_excess") {
    end(2);
    use.nodes = sizes.of(arguments, 3);
  } else if (name == "rgnn.pair_softmax") {
    end(1);
    types(2);
    use.nodes = sizes.of(arguments, 3);
    use.saidTypes = arguments.integer(4);
  } else if (name == "rgnn.degree") {
    end(0);
    use.nodes = sizes.of(arguments, 1);
  } else if (name == "rgnn.pair_degree") {
    end(0);
    types(1);
    use.nodes = sizes.of(arguments, 2);
    use.saidTypes = arguments.integer(3);
  } else if (name == "rgnn.typed_linear") {
    types(1);
    use.weightTypes = getLeadingSize(arguments.value(2));
  } else if (name == "rgnn.lookup") {
    types(1);
    end(2);
    use.weightTypes = getLeadingSize(arguments.value(0));
    use.nodes = getTableNodes(arguments.floats(0), sizes);
  } else if (name == "rgnn.basis_lookup") {
    types(2);
    end(3);
    use.weightTypes = getLeadingSize(arguments.value(0));
    use.nodes = getTableNodes(arguments.floats(1), sizes);
  }
  return use;
}

/// The sets of edges that `use` is about: those of its end, or all that are as
/// long as its types.
static SmallVector<EdgeSet *> getEdgeSets(const Use &use, Roles &roles,
                                          Sizes &sizes) {
  if (use.end)
    return {use.end->edges};
  SmallVector<EdgeSet *> sets;
  if (use.types)
    for (EdgeSet &set : roles.edgeSets)
      if (sizes.equal(sizes.of(use.types, 0), set.edges))
        sets.push_back(&set);
  return sets;
}

/// Moves `builder` behind everything that the graph is made from.
static void setInsertionPoint(OpBuilder &builder, Operation *first,
                              const CapturedGraph &graph, Sizes &sizes) {
  Operation *last = nullptr;
  for (Value source : getSources(graph, sizes))
    if (Operation *op = source.getDefiningOp();
        op && (!last || last->isBeforeInBlock(op)))
      last = op;
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPoint(first);
}

static void emitGraph(CapturedGraph &graph, func::FuncOp func, Operation *first,
                      SymbolTable &symbols, Sizes &sizes) {
  MLIRContext *context = func.getContext();
  EdgeSet &edges = *graph.edges;
  OpBuilder builder(context);
  auto attribute = [&](std::optional<int64_t> number) {
    return number ? builder.getI64IntegerAttr(*number) : IntegerAttr();
  };
  Location loc = edges.lists[0].getLoc();
  SmallVector<Size> counts(graph.nodesOfTypes);
  if (counts.empty())
    counts.push_back(graph.srcNodes);
  if (graph.isBipartite)
    counts.push_back(graph.dstNodes);
  int64_t numNodeTypes = counts.size();
  SchemaOp schema;
  if (edges.isHetero())
    schema = SchemaOp::create(
        builder, loc, builder.getStringAttr("g0"), attribute(numNodeTypes),
        attribute(graph.numTypes), builder.getDenseI64ArrayAttr(edges.srcTypes),
        builder.getDenseI64ArrayAttr(edges.dstTypes));
  else
    schema = SchemaOp::create(
        builder, loc, builder.getStringAttr("g0"),
        numNodeTypes > 1 ? attribute(numNodeTypes) : IntegerAttr(),
        attribute(graph.numTypes), DenseI64ArrayAttr(), DenseI64ArrayAttr());
  // Another name where this one is taken, in front of all functions.
  for (unsigned number = 1; symbols.lookup(schema.getSymName()); ++number)
    schema.setSymName("g" + std::to_string(number));
  Block *module = func->getBlock();
  Block::iterator place = module->begin();
  while (isa<SchemaOp>(*place))
    ++place;
  symbols.insert(schema, place);

  setInsertionPoint(builder, first, graph, sizes);
  SmallVector<Value> nodes;
  for (const Size &size : counts)
    nodes.push_back(sizes.emit(builder, loc, size));
  graph.op = COOGraphOp::create(
      builder, loc,
      rgnn::GraphType::get(
          context, FlatSymbolRefAttr::get(schema.getSymNameAttr()), Part::Whole,
          graph.isBipartite ? NodeSets::Bipartite : NodeSets::One),
      edges.lists, edges.isHetero() ? Value() : graph.types, nodes);
  graph.lastPlaced = graph.op;
  LDBG() << "graph " << graph.op;
}

namespace {
/// What is known of the graphs of a set of edges: the numbers of nodes that
/// each end counts, and types of edges.
struct Known {
  SmallVector<Size> nodes[2];
  SmallVector<Types> types;

  void add(const Use &use, const EdgeSet &set, Sizes &sizes);
};
} // namespace

void Known::add(const Use &use, const EdgeSet &set, Sizes &sizes) {
  auto isNodes = [&](const Size &count) {
    return sizes.equal(count, *use.nodes);
  };
  if (use.end && use.nodes && llvm::none_of(nodes[use.end->isDst], isNodes))
    nodes[use.end->isDst].push_back(*use.nodes);
  if (set.hasOneEnd() && set.lists[0] == use.types && use.weightTypes &&
      nodes[1].empty())
    nodes[1].push_back(Size::of(*use.weightTypes));
  // Lists for each edge type bring their own types.
  if (!use.types || (!use.weightTypes && !use.saidTypes) ||
      (set.isHetero() && use.types != set.types))
    return;
  auto *known = llvm::find_if(
      types, [&](const Types &type) { return type.value == use.types; });
  if (known == types.end())
    known = &types.emplace_back(Types{use.types, {}, {}});
  known->add(use);
}

/// Adds the graphs of a set of edges, one for each pair of numbers of nodes
/// that its ends count. Those that nothing lives on go again.
static void addGraphs(EdgeSet *set, Known &known, Sizes &sizes,
                      std::deque<CapturedGraph> &graphs) {
  constexpr unsigned maxGraphs = 4;
  if (set->isHetero()) {
    Size all = sizes.sum(set->nodes);
    graphs.push_back({set, set->types, static_cast<int64_t>(set->lists.size()),
                      all, all,
                      /*isBipartite=*/false, set->nodes});
    return;
  }
  if (known.types.empty())
    known.types.push_back({Value(), 1, {}});
  // Where only one end is used, the other counts the same nodes.
  bool isOneEnd = known.nodes[0].empty() || known.nodes[1].empty();
  SmallVector<std::pair<Size, Size>> counts;
  for (const Size &src : known.nodes[known.nodes[0].empty()])
    for (const Size &dst : known.nodes[!known.nodes[1].empty()])
      if (!isOneEnd || sizes.equal(src, dst))
        counts.emplace_back(src, dst);
  if (counts.size() > maxGraphs)
    return;
  for (const Types &types : known.types)
    for (auto &[src, dst] : counts) {
      bool isBipartite = !sizes.equal(src, dst);
      graphs.push_back(
          {set, types.value, types.ofWeights ? types.ofWeights : types.said,
           src, dst, isBipartite,
           isBipartite ? SmallVector<Size>() : sizes.getTerms(src)});
    }
}

/// Makes edges of the lists that have none: each list that rows are added up by
/// with the one other list as long that picks nodes, if there is one such, and
/// then lists that only pick rows, in pairs where two are as long.
static void pairEnds(const llvm::MapVector<Value, bool> &lists, Roles &roles,
                     Sizes &sizes) {
  for (bool groups : {true, false})
    for (auto [dst, isGroup] : lists) {
      if (isGroup != groups || roles.getEnd(dst, sizes))
        continue;
      SmallVector<Value> others;
      for (auto &[other, _] : lists)
        if (other != dst && !roles.getEnd(other, sizes) &&
            sizes.equal(sizes.of(other, 0), sizes.of(dst, 0)))
          others.push_back(other);
      roles.addEnds(others.size() == 1 ? others.front() : Value(), dst, sizes);
    }
}

/// Whether a list is said to hold each number once, as that of the first rows.
static bool isDistinct(Value list) {
  auto argument = dyn_cast<BlockArgument>(list);
  auto func = argument
                  ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                  : func::FuncOp();
  return func && func.getArgAttr(argument.getArgNumber(), kDistinctAttr);
}

/// Finds edges whose ends are in lists of their own.
static void findEnds(func::FuncOp func, Roles &roles, Sizes &sizes) {
  llvm::MapVector<Value, bool> lists; // whether rows are added up by them
  llvm::SetVector<Value> typed;
  for (TorchOp op : func.getBody().getOps<TorchOp>()) {
    Use use = getUse(Arguments(op), roles, sizes);
    if (use.index && !use.end && isListOfIntegers(use.index))
      lists[use.index] |= use.isGroup;
    else if (use.types && !use.index &&
             (!getLeadingSize(use.types) || isDistinct(use.types)) &&
             getEdgeSets(use, roles, sizes).empty())
      typed.insert(use.types);
  }
  pairEnds(lists, roles, sizes);
  // Rows of types that are no edges are taken for edges between their types.
  for (Value types : typed)
    if (!roles.getEnd(types, sizes))
      roles.addEnds(Value(), types, sizes);
}

/// How many rows an argument has; edges, of a list of both ends.
static Size countOf(BlockArgument argument, Sizes &sizes) {
  auto type = cast<RankedTensorType>(argument.getType());
  bool isEdges = type.getRank() == 2 && type.getElementType().isInteger();
  return sizes.of(argument, isEdges ? 1 : 0);
}

/// Adds edges, of which there are none, for rows that the capture says are to
/// be nodes, where they are rows of no other graph.
static void addGraphsOfNodes(func::FuncOp func,
                             llvm::MapVector<EdgeSet *, Known> &found,
                             Roles &roles, Sizes &sizes) {
  for (BlockArgument list : func.getArguments()) {
    auto number =
        func.getArgAttrOfType<IntegerAttr>(list.getArgNumber(), kNodesOfAttr);
    if (!number || number.getValue().uge(func.getNumArguments()))
      continue;
    SmallVector<Size> counts{countOf(func.getArgument(number.getInt()), sizes)};
    if (auto more = func.getArgAttrOfType<DenseI64ArrayAttr>(
            list.getArgNumber(), kMoreNodesOfAttr))
      for (int64_t other : more.asArrayRef())
        if (other >= 0 && other < func.getNumArguments())
          counts.push_back(countOf(func.getArgument(other), sizes));
    func.removeArgAttr(list.getArgNumber(), kNodesOfAttr);
    func.removeArgAttr(list.getArgNumber(), kMoreNodesOfAttr);
    Size nodes = sizes.sum(counts);
    auto isNodes = [&](const Size &size) { return sizes.equal(size, nodes); };
    if (llvm::any_of(found, [&](const auto &graph) {
          const auto &[set, known] = graph;
          return isNodes(set->edges) || llvm::any_of(set->nodes, isNodes) ||
                 llvm::any_of(known.nodes[0], isNodes) ||
                 llvm::any_of(known.nodes[1], isNodes);
        }))
      continue;
    roles.addEnds(/*src=*/Value(), list, sizes);
    found[&roles.edgeSets.back()].nodes[1].push_back(nodes);
  }
}

std::deque<CapturedGraph> lift::emitGraphs(func::FuncOp func, Roles &roles,
                                           Sizes &sizes) {
  findEnds(func, roles, sizes);
  llvm::MapVector<EdgeSet *, Known> found;
  for (TorchOp op : func.getBody().getOps<TorchOp>()) {
    Use use = getUse(Arguments(op), roles, sizes);
    for (EdgeSet *set : getEdgeSets(use, roles, sizes))
      found[set].add(use, *set, sizes);
  }
  addGraphsOfNodes(func, found, roles, sizes);
  std::deque<CapturedGraph> graphs;
  for (auto &[set, known] : found)
    addGraphs(set, known, sizes, graphs);
  SmallVector<Value> sources;
  for (const CapturedGraph &graph : graphs)
    llvm::append_range(sources, getSources(graph, sizes));
  moveSourcesFirst(func.getBody().front(), sources);
  SymbolTable symbols(SymbolTable::getNearestSymbolTable(func->getParentOp()));
  Operation *first = &func.getBody().front().front();
  for (CapturedGraph &graph : graphs)
    emitGraph(graph, func, first, symbols, sizes);
  return graphs;
}
