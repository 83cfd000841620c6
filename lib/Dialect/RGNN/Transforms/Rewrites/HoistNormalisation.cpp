//===- HoistNormalisation.cpp - what the graph decides, once for it -------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/Entries.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNHOISTNORMALISATIONPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

static bool isGraph(Value value) {
  return isa<rgnn::GraphType>(value.getType());
}

/// The whole graphs that a function has.
static SmallVector<Value> getGraphs(func::FuncOp function) {
  SmallVector<Value> graphs =
      llvm::filter_to_vector(ValueRange(function.getArguments()), isGraph);
  for (Operation &op : function.getBody().front())
    if (!isa<SplitGraphOp>(op))
      llvm::append_range(graphs,
                         llvm::make_filter_range(op.getResults(), isGraph));
  return graphs;
}

/// Why the function has no graph that another can take as an argument.
static Refusal whyNoGraph(func::FuncOp function, ArrayRef<Value> graphs) {
  if (graphs.size() != 1)
    return "there is not one graph";
  auto schema = SymbolTable::lookupNearestSymbolFrom<SchemaOp>(
      function, cast<rgnn::GraphType>(graphs.front().getType()).getSchema());
  if (!schema || !schema.getEdgeTypes())
    return "the schema does not say how many edge types there are";
  auto made = graphs.front().getDefiningOp<COOGraphOp>();
  int64_t nodeTypes = schema.getNodeTypes().value_or(1);
  if (made && static_cast<int64_t>(made.getNodes().size()) != nodeTypes)
    return "numbers of nodes are not known by type";
  return {};
}

/// Whether `user` gives rows to the caller, who gets tensors of his own.
static bool isGiven(Operation *user) {
  if (isa<ReshapeOp, SliceOp>(user) || getKernelForm(user) == KernelForm::View)
    return llvm::any_of(user->getUsers(), isGiven);
  return isa<UnplaceOp>(user) || user->hasTrait<OpTrait::IsTerminator>();
}

/// Whether `map` computes something: the numbers that it reads matter.
static bool readsNumbers(MapOp map) {
  return llvm::any_of(
      map.getBody().front().getArguments(),
      [](BlockArgument argument) { return !argument.use_empty(); });
}

namespace {

/// The rows of one function that nothing but the graph decides.
class GraphRows {
public:
  GraphRows(func::FuncOp function, Value graph) {
    known.insert(graph);
    for (Operation &op : function.getBody().front())
      if (isOfGraph(&op))
        known.insert_range(op.getResults());
    for (Value rows : known)
      if (!isGraph(rows) && llvm::any_of(rows.getUsers(), [&](Operation *op) {
            return !isGiven(op) && (op->getNumResults() == 0 ||
                                    !known.contains(op->getResult(0)));
          }))
        addSource(rows);
  }

  /// What is worth keeping.
  ArrayRef<Value> getSources() const { return sources.getArrayRef(); }

private:
  bool isOfGraph(Operation *op) const {
    auto path = op->getAttrOfType<PathAttr>("path");
    if (path && path.getValue() == Path::NType)
      return false;
    std::optional<KernelForm> form = getKernelForm(op);
    bool followsGraph = form == KernelForm::Load || form == KernelForm::Group ||
                        isa<SplitGraphOp, ReduceOp>(op);
    return (followsGraph || isa<ReshapeOp, MapOp>(op)) &&
           llvm::all_of(op->getOperands(),
                        [&](Value value) { return known.contains(value); });
  }

  /// Rows are moved by what reads them, and computed for the caller apart. How
  /// many edges there are, kernels find where they are for these rows anyway.
  void addSource(Value rows) {
    bool isGathered = false;
    while (isa<GatherOp, ReshapeOp>(rows.getDefiningOp())) {
      isGathered |= isa<GatherOp>(rows.getDefiningOp());
      rows = rows.getDefiningOp()->getOperand(0);
    }
    if (llvm::all_of(rows.getUsers(), isGiven))
      return;
    auto map = rows.getDefiningOp<MapOp>();
    if (map ? readsNumbers(map) : isGathered || !rows.getDefiningOp<DegreeOp>())
      sources.insert(rows);
  }

  /// In the order of the block.
  llvm::SetVector<Value> known, sources;
};

struct HoistNormalisation
    : rgnn::impl::RGNNHoistNormalisationPassBase<HoistNormalisation> {
  void runOnOperation() override {
    for (func::FuncOp function : getEntries(getOperation()))
      if (function.getBody().hasOneBlock() &&
          function.getOps<func::CallOp>().empty())
        hoist(function);
  }

private:
  void hoist(func::FuncOp function) {
    SmallVector<Value> graphs = getGraphs(function);
    if (graphs.empty())
      return;
    SmallVector<Value> sources(
        GraphRows(function, graphs.front()).getSources());
    if (sources.empty())
      return;
    PassRemarks remarks(function, getArgument(), "Once");
    if (Refusal refusal = whyNoGraph(function, graphs)) {
      remarks.missed(function.getLoc(),
                     "what the graph decides is computed in each call",
                     refusal);
      return;
    }
    for (Value source : sources)
      remarks.passed(source.getLoc(),
                     source.getDefiningOp()->getName().getStringRef() +
                         " is computed once for each graph");
    func::FuncOp once = outline(function, graphs.front(), sources);
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(graphs.front());
    auto call =
        func::CallOp::create(builder, function.getLoc(), once, graphs.front());
    for (auto [source, result] : llvm::zip(sources, call.getResults()))
      source.replaceUsesWithIf(
          result, [](OpOperand &use) { return !isGiven(use.getOwner()); });
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    reportCounts(function, getArgument(),
                 {{"num-hoisted", static_cast<int64_t>(sources.size())}});
  }

  /// A function of the graph that gives `sources`.
  func::FuncOp outline(func::FuncOp function, Value graph,
                       ArrayRef<Value> sources) {
    OpBuilder builder(function);
    auto once = func::FuncOp::create(
        builder, function.getLoc(), (function.getName() + "_once").str(),
        builder.getFunctionType(graph.getType(), ValueRange(sources)));
    once.setPrivate();
    once->setAttr(kOnceAttr, function.getNameAttr());
    SymbolTable(getOperation()).insert(once);
    builder.setInsertionPointToStart(once.addEntryBlock());
    IRMapping mapping;
    mapping.map(graph, once.getArgument(0));
    llvm::SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [&](Operation *op) { return op != graph.getDefiningOp(); };
    for (Value source : sources)
      (void)getBackwardSlice(source, &slice, options);
    for (Operation &op : function.getBody().front())
      if (slice.contains(&op))
        builder.clone(op, mapping);
    SmallVector<Value> results = llvm::map_to_vector(
        sources, [&](Value source) { return mapping.lookup(source); });
    func::ReturnOp::create(builder, function.getLoc(), results);
    return once;
  }
};

} // namespace
