//===- RandomGraph.cpp - made-up graphs -----------------------------------===//

#include "Generator.h"
#include "RGNN/Reference/Interpreter.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

namespace {
/// Numbers of types and their ends, guessed where the schema is silent.
struct Types {
  int64_t numNodeTypes = 1, numEdgeTypes = 2;
  std::vector<int64_t> src, dst;
  NodeSets nodeSets = NodeSets::One;
};
} // namespace

/// A type count that weights in `user` ask for.
static std::optional<int64_t>
countWeights(func::FuncOp user, FlatSymbolRefAttr schema, Path path) {
  std::optional<int64_t> count;
  auto atMost = [&](rgnn::GraphType graph, int64_t types) {
    if (graph.getSchema() == schema && !ShapedType::isDynamic(types))
      count = std::min(count.value_or(types), types);
  };
  user.walk([&](Operation *op) {
    if (auto linear = dyn_cast<TypedLinearOp>(op)) {
      if (linear.getPath() == path)
        atMost(linear.getGraph().getType(),
               cast<ShapedType>(linear.getWeight().getType()).getDimSize(0));
    } else if (auto sum = dyn_cast<TypedOuterSumOp>(op)) {
      if (sum.getPath() == path)
        atMost(sum.getGraph().getType(),
               cast<ShapedType>(sum.getResult().getType()).getDimSize(0));
    } else if (auto lookup = dyn_cast<LookupOp>(op)) {
      Value weights = lookup.getComp() ? lookup.getComp() : lookup.getTable();
      if (path == Path::EType)
        atMost(lookup.getGraph().getType(),
               cast<ShapedType>(weights.getType()).getDimSize(0));
    } else if (auto sum = dyn_cast<LookupSumOp>(op)) {
      if (path == Path::EType)
        atMost(sum.getGraph().getType(),
               cast<ShapedType>(sum.getResult().getType()).getDimSize(0));
    } else if (auto weight = dyn_cast<WeightOp>(op)) {
      bool ofEdge = isa<EdgeType>(weight.getElement().getType());
      auto program = weight->getParentOfType<ProgramOp>();
      if (path == (ofEdge ? Path::EType : Path::NType))
        atMost(program.getGraph().getType(),
               cast<ShapedType>(weight.getTable().getType()).getDimSize(0));
    } else if (auto graph = dyn_cast<COOGraphOp>(op)) {
      if (path == Path::EType && graph.hasListPerType())
        atMost(graph.getGraph().getType(), graph.getEdges().size());
      if (path == Path::NType && graph.getNodes().size() > 1)
        atMost(graph.getGraph().getType(), graph.getNodes().size());
    }
  });
  return count;
}

/// Whether `user` has a bipartite graph of the schema.
static bool isBipartite(func::FuncOp user, FlatSymbolRefAttr schema) {
  auto is = [&](Type type) {
    auto graph = dyn_cast<rgnn::GraphType>(type);
    return graph && graph.getSchema() == schema && graph.isBipartite();
  };
  return llvm::any_of(user.getArgumentTypes(), is) ||
         user.walk([&](Operation *op) {
               return llvm::any_of(op->getResultTypes(), is)
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

static FailureOr<Types> getTypes(func::FuncOp user, FlatSymbolRefAttr name,
                                 Generator &random) {
  Types types;
  auto schema = SymbolTable::lookupNearestSymbolFrom<SchemaOp>(user, name);
  std::optional<ArrayRef<int64_t>> src, dst;
  if (schema) {
    src = schema.getSrcTypes();
    dst = schema.getDstTypes();
  }
  if (schema && schema.getEdgeTypes())
    types.numEdgeTypes = *schema.getEdgeTypes();
  else if (src || dst)
    types.numEdgeTypes = src ? src->size() : dst->size();
  else
    types.numEdgeTypes = countWeights(user, name, Path::EType).value_or(2);
  if (schema && schema.getNodeTypes())
    types.numNodeTypes = *schema.getNodeTypes();
  else
    types.numNodeTypes = countWeights(user, name, Path::NType).value_or(1);
  if (!schema || !schema.getNodeTypes())
    for (auto ends : {src, dst})
      for (int64_t type : ends.value_or(ArrayRef<int64_t>()))
        types.numNodeTypes = std::max(types.numNodeTypes, type + 1);
  constexpr int64_t limit = 1 << 20;
  if (types.numNodeTypes < 0 || types.numNodeTypes > limit ||
      types.numEdgeTypes < 0 || types.numEdgeTypes > limit)
    return user.emitError()
           << "rgnn interpreter: expected at most " << limit << " types, got "
           << types.numNodeTypes << " node types and " << types.numEdgeTypes
           << " edge types";
  if (isBipartite(user, name)) {
    types.nodeSets = NodeSets::Bipartite;
    types.src.assign(types.numEdgeTypes, kSrcNodes);
    types.dst.assign(types.numEdgeTypes, kDstNodes);
    return types;
  }
  for (int64_t type = 0; type < types.numEdgeTypes; ++type) {
    auto get = [&](std::optional<ArrayRef<int64_t>> ends) {
      return ends && type < static_cast<int64_t>(ends->size())
                 ? (*ends)[type]
                 : random.below(types.numNodeTypes);
    };
    types.src.push_back(get(src));
    types.dst.push_back(get(dst));
  }
  return types;
}

/// Nodes of each type. Odd seeds leave one type empty, if there are several
/// and an edge type remains that does not need it. Of eight seeds the third
/// makes one node and the fourth no edges, so that four meet it all.
static std::vector<int64_t> makeNodes(const Types &types, uint64_t seed,
                                      Generator &random) {
  std::vector<int64_t> nodes(types.numNodeTypes);
  if (nodes.empty())
    return nodes;
  if (seed % 8 == 2) {
    nodes[random.below(nodes.size())] = 1;
    return nodes;
  }
  for (int64_t &count : nodes)
    count = 2 + random.below(5);
  if (nodes.size() == 1 || seed % 2 == 0)
    return nodes;
  int64_t first = random.below(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    int64_t empty = (first + i) % nodes.size();
    for (auto [src, dst] : llvm::zip(types.src, types.dst))
      if (src != empty && dst != empty) {
        nodes[empty] = 0;
        return nodes;
      }
  }
  return nodes;
}

/// Makes as many nodes as the tables of lookups, and of their transposes, in
/// `user` have, or as it says itself.
static void fitNodes(func::FuncOp user, FlatSymbolRefAttr schema,
                     MutableArrayRef<int64_t> nodes) {
  std::optional<int64_t> rest;
  auto fit = [&](rgnn::GraphType graph, Value table) {
    if (graph.getSchema() == schema)
      rest = cast<ShapedType>(table.getType()).getDimSize(1);
  };
  user.walk([&](LookupOp lookup) {
    fit(lookup.getGraph().getType(), lookup.getTable());
  });
  user.walk(
      [&](LookupSumOp sum) { fit(sum.getGraph().getType(), sum.getResult()); });
  user.walk([&](COOGraphOp graph) {
    APInt count;
    if (graph.getGraph().getType().getSchema() == schema &&
        graph.getNodes().size() == 1 &&
        matchPattern(graph.getNodes().front(), m_ConstantInt(&count)))
      rest = count.getZExtValue();
  });
  if (!rest || nodes.empty())
    return;
  for (int64_t &count : nodes) {
    count = std::min(count, *rest);
    *rest -= count;
  }
  nodes.back() += *rest;
}

/// The edge types that `user` gives constantly no edges.
static llvm::SmallDenseSet<int64_t> findEmptyTypes(func::FuncOp user,
                                                   FlatSymbolRefAttr schema) {
  llvm::SmallDenseSet<int64_t> empty;
  user.walk([&](COOGraphOp graph) {
    if (graph.getGraph().getType().getSchema() != schema ||
        !graph.hasListPerType())
      return;
    for (auto [type, list] : llvm::enumerate(graph.getEdges()))
      if (cast<ShapedType>(list.getType()).getDimSize(1) == 0)
        empty.insert(type);
  });
  return empty;
}

/// Whether both ends of each edge are the same, as a list that `user` has says.
static bool areEndsEqual(func::FuncOp user, FlatSymbolRefAttr schema) {
  return user
      .walk([&](COOGraphOp graph) {
        bool isOne = graph.getGraph().getType().getSchema() == schema &&
                     graph.isOfEnds() && graph.getEdges().size() == 1;
        return isOne ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<reference::Graph> reference::makeRandomGraph(func::FuncOp user,
                                                       FlatSymbolRefAttr schema,
                                                       uint64_t seed) {
  Generator random(seed * 0x9e3779b97f4a7c15ull + 1);
  FailureOr<Types> made = getTypes(user, schema, random);
  if (failed(made))
    return failure();
  const Types &types = *made;
  std::vector<int64_t> nodes = makeNodes(types, seed, random), first;
  fitNodes(user, schema, nodes);
  int64_t numNodes = 0;
  for (int64_t count : nodes) {
    first.push_back(types.nodeSets == NodeSets::Bipartite ? 0 : numNodes);
    numNodes += count;
  }

  struct Edge {
    int64_t src, dst, type;
  };
  std::vector<Edge> edges;
  llvm::SmallDenseSet<int64_t> empty = findEmptyTypes(user, schema);
  if (types.numEdgeTypes > 1)
    empty.insert(random.below(types.numEdgeTypes));
  for (int64_t type = 0; type < types.numEdgeTypes && seed % 8 != 3; ++type) {
    int64_t srcs = nodes[types.src[type]], dsts = nodes[types.dst[type]];
    if (empty.contains(type) || srcs == 0 || dsts == 0)
      continue;
    // The last node of a type stays isolated, if it is not the only one.
    int64_t src = first[types.src[type]], dst = first[types.dst[type]];
    auto add = [&](int64_t s, int64_t d) { edges.push_back({s, d, type}); };
    add(src + random.below(srcs - 1), dst + random.below(dsts - 1));
    add(edges.back().src, edges.back().dst);
    if (types.src[type] == types.dst[type])
      add(src, src);
    for (int64_t more = random.below(7); more > 0; --more)
      add(src + random.below(srcs - 1), dst + random.below(dsts - 1));
  }
  for (size_t i = edges.size(); i > 1; --i)
    std::swap(edges[i - 1], edges[random.below(i)]);

  std::vector<int64_t> src, dst, etype;
  bool isOfOneEnd = areEndsEqual(user, schema);
  for (Edge edge : edges) {
    src.push_back(isOfOneEnd ? edge.dst : edge.src);
    dst.push_back(edge.dst);
    etype.push_back(edge.type);
  }
  return Graph::make([&] { return user.emitError("rgnn interpreter: "); },
                     std::move(src), std::move(dst), std::move(etype), numNodes,
                     types.numEdgeTypes, std::move(nodes), types.nodeSets);
}
