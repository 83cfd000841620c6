//===- Graphs.cpp - the graphs that a captured function computes on -------===//

#include "Graphs.h"
#include "Scatters.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "rgnn-lift-torch"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

namespace {
/// What one operator tells of the graph that it works on.
struct Use {
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
  auto end = [&](unsigned i) {
    if (Value index = arguments.value(i))
      use.end = roles.getEnd(index, sizes);
  };
  auto types = [&](unsigned i) {
    if (Value value = arguments.value(i); value && isListOfIntegers(value))
      use.types = roles.resolve(value);
  };
  if (std::optional<RowLookup> lookup = getRowLookup(arguments)) {
    use.end = roles.getEnd(lookup->index, sizes);
    if (use.end) {
      use.nodes = sizes.of(lookup->table, 0);
    } else {
      use.types = roles.resolve(lookup->index);
      use.weightTypes = getLeadingSize(lookup->table);
    }
    return use;
  }
  if (std::optional<RowScatter> scatter = getRowScatter(arguments)) {
    use.end = roles.getEnd(scatter->list, sizes);
    use.nodes = sizes.of(scatter->into, 0);
    return use;
  }
  StringRef name = arguments.name();
  if (name == "rgnn.aggregate" || name == "rgnn.edge_softmax") {
    end(1);
    use.nodes = sizes.of(arguments, 2);
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
  SchemaOp schema;
  if (edges.isHetero())
    schema = SchemaOp::create(builder, loc, builder.getStringAttr("g0"),
                              attribute(edges.nodes.size()),
                              attribute(graph.numTypes),
                              builder.getDenseI64ArrayAttr(edges.srcTypes),
                              builder.getDenseI64ArrayAttr(edges.dstTypes));
  else
    schema = SchemaOp::create(builder, loc, builder.getStringAttr("g0"),
                              IntegerAttr(), attribute(graph.numTypes),
                              DenseI64ArrayAttr(), DenseI64ArrayAttr());
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
  for (const Size &size :
       edges.isHetero() ? ArrayRef<Size>(edges.nodes) : ArrayRef(graph.nodes))
    nodes.push_back(sizes.emit(builder, loc, size));
  graph.op = COOGraphOp::create(
      builder, loc,
      rgnn::GraphType::get(context,
                           FlatSymbolRefAttr::get(schema.getSymNameAttr())),
      edges.lists, edges.isHetero() ? Value() : graph.types, nodes);
  graph.lastPlaced = graph.op;
  LDBG() << "graph " << graph.op;
}

std::deque<CapturedGraph> lift::emitGraphs(func::FuncOp func, Roles &roles,
                                           Sizes &sizes) {
  llvm::MapVector<EdgeSet *, std::pair<SmallVector<Size>, SmallVector<Types>>>
      found;
  for (TorchOp op : func.getBody().getOps<TorchOp>()) {
    Use use = getUse(Arguments(op), roles, sizes);
    for (EdgeSet *set : getEdgeSets(use, roles, sizes)) {
      auto &[counts, types] = found[set];
      if (use.end && use.nodes && llvm::none_of(counts, [&](const Size &count) {
            return sizes.equal(count, *use.nodes);
          }))
        counts.push_back(*use.nodes);
      // Lists for each edge type bring their own types.
      if (!use.types || (!use.weightTypes && !use.saidTypes) ||
          (set->isHetero() && use.types != set->types))
        continue;
      auto *known = llvm::find_if(
          types, [&](const Types &t) { return t.value == use.types; });
      if (known == types.end())
        known = &types.emplace_back(Types{use.types, {}, {}});
      known->add(use);
    }
  }

  std::deque<CapturedGraph> graphs;
  for (auto &[set, parts] : found) {
    auto &[counts, types] = parts;
    // Ends of edges that count different nodes: a bipartite graph, which one
    // numbering of nodes cannot describe.
    if (set->isHetero())
      counts.assign(1, sizes.sum(set->nodes));
    if (counts.size() != 1)
      continue;
    if (set->isHetero()) {
      graphs.push_back({set,
                        set->types,
                        counts[0],
                        static_cast<int64_t>(set->lists.size()),
                        {}});
      continue;
    }
    if (types.empty())
      graphs.push_back({set, Value(), counts[0], 1, {}});
    for (const Types &known : types)
      graphs.push_back({set,
                        known.value,
                        counts[0],
                        known.ofWeights ? known.ofWeights : known.said,
                        {}});
  }
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
