//===- CollectPreprocessing.cpp - what a function asks of its graphs ------===//

#include "Access.h"
#include "SizeDescriber.h"

#include "RGNN/Conversion/RGNNToHetKernel/RGNNToHetKernel.h"

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Support/Entries.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_HETKERNELCOLLECTPREPROCESSINGPASS
#include "RGNN/Conversion/RGNNToHetKernel/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;
namespace json = llvm::json;

namespace {

/// PyTorch's name of an element type.
std::string getDTypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() == 1
               ? "bool"
               : llvm::formatv("int{0}", integer.getWidth()).str();
  if (type.isBF16())
    return "bfloat16";
  return llvm::formatv("float{0}", type.getIntOrFloatBitWidth()).str();
}

json::Array toJSON(std::optional<ArrayRef<int64_t>> values) {
  return json::Array(values.value_or(ArrayRef<int64_t>()));
}

class Collector {
public:
  explicit Collector(func::FuncOp function) : function(function) {}

  /// The manifest of the function.
  FailureOr<json::Object> run() {
    for (BlockArgument argument : function.getArguments())
      if (isa<rgnn::GraphType>(argument.getType()))
        graphs.push_back(argument);
      else if (!isa<RankedTensorType>(argument.getType()))
        return function.emitOpError()
               << "expected tensors and graphs as arguments, got "
               << argument.getType();
    bool hasParts = false;
    for (Operation &op : function.getBody().front()) {
      hasParts |= isa<SplitGraphOp>(op);
      if (auto graph = dyn_cast<COOGraphOp>(op))
        graphs.push_back(graph.getGraph());
      else if (!isa<SplitGraphOp>(op) &&
               llvm::any_of(op.getResultTypes(),
                            llvm::IsaPred<rgnn::GraphType>))
        return op.emitOpError("expected graphs that are arguments, or made of "
                              "the function's arguments by rgnn.coo_graph");
    }
    std::string entry = ("rgnn_" + function.getName()).str();
    json::Object manifest{{"version", hasParts ? 2 : 1},
                          {"entry", entry},
                          {"workspace", entry + "_workspace"}};
    if (failed(describeGraphs(manifest)) || failed(describeOutputs(manifest)))
      return failure();
    separateResults();
    collectRequests(manifest);
    if (failed(collectOnce(manifest)))
      return failure();
    replaceInputs(manifest);
    return manifest;
  }

private:
  LogicalResult describeGraphs(json::Object &manifest);
  LogicalResult describeMade(COOGraphOp graph, json::Object &object);
  LogicalResult describeOutputs(json::Object &manifest);
  void separateResults();
  void collectRequests(json::Object &manifest);
  LogicalResult collectOnce(json::Object &manifest);
  json::Value describeRows(RowsAttr rows);
  void replaceInputs(json::Object &manifest);

  func::FuncOp function;
  /// Those that are arguments, then those made of arguments.
  SmallVector<Value> graphs;
  SmallVector<FlatSymbolRefAttr> schemas;
};

} // namespace

/// Which inputs a graph is made of.
LogicalResult Collector::describeMade(COOGraphOp graph, json::Object &object) {
  json::Array edges, nodes;
  for (Value edge : graph.getEdges()) {
    std::optional<unsigned> input = getInputIndex(edge);
    if (!input)
      return graph.emitOpError("expected edges that are arguments of the "
                               "function");
    edges.push_back(*input);
  }
  SizeDescriber sizes(graphs);
  for (Value node : graph.getNodes()) {
    std::optional<json::Value> size = sizes.describe(node);
    if (!size)
      return graph.emitOpError("expected numbers of nodes that are sizes of "
                               "arguments, or constants");
    nodes.push_back(std::move(*size));
  }
  object["edge_index"] = std::move(edges);
  object["num_nodes"] = std::move(nodes);
  if (graph.getTypes()) {
    std::optional<unsigned> input = getInputIndex(graph.getTypes());
    if (!input)
      return graph.emitOpError("expected types that are an argument of the "
                               "function");
    object["edge_type"] = *input;
  }
  return success();
}

/// Whether some kernel needs to know the types of nodes.
static bool usesNodeTypes(Value graph) {
  return llvm::any_of(graph.getUsers(), [](Operation *user) {
    if (auto size = dyn_cast<SizeOp>(user))
      return size.getKind() == SizeKind::NodeOfType ||
             size.getKind() == SizeKind::NodeTypeCount;
    auto view = dyn_cast<ViewOp>(user);
    return view && getGroup(view.getKind()) == ViewGroup::NodeTypes;
  });
}

LogicalResult Collector::describeGraphs(json::Object &manifest) {
  json::Array list;
  for (Value graph : graphs) {
    auto schema = cast<rgnn::GraphType>(graph.getType()).getSchema();
    schemas.push_back(schema);
    auto op = SymbolTable::lookupNearestSymbolFrom<SchemaOp>(function, schema);
    auto made = graph.getDefiningOp<COOGraphOp>();
    Operation *user = made ? made.getOperation() : function.getOperation();
    if (!op)
      return user->emitOpError() << "expected a schema " << schema;
    if (!made && !op.getNodeTypes() && usesNodeTypes(graph))
      return user->emitOpError()
             << "expected a number of node types in schema " << schema;
    if (!op.getEdgeTypes() && (!made || made.getTypes()))
      return user->emitOpError()
             << "expected a number of edge types in schema " << schema;
    int64_t edgeTypes = op.getEdgeTypes().value_or(0);
    if (!op.getEdgeTypes())
      edgeTypes = made.getEdges().size();
    json::Object object{{"edge_index", json::Array()},
                        {"edge_type", -1},
                        {"num_edge_types", edgeTypes},
                        {"src_type", toJSON(op.getSrcTypes())},
                        {"dst_type", toJSON(op.getDstTypes())}};
    // A graph that the caller made has any numbers of nodes.
    object["num_nodes"] =
        json::Array(SmallVector<int64_t>(op.getNodeTypes().value_or(1), -1));
    if (auto argument = dyn_cast<BlockArgument>(graph))
      if (auto nodes = function.getArgAttrOfType<IntegerAttr>(
              argument.getArgNumber(), "rgnn.total_nodes"))
        object["total_nodes"] = nodes.getInt();
    if (made && failed(describeMade(made, object)))
      return failure();
    list.push_back(std::move(object));
  }
  manifest["graphs"] = std::move(list);
  return success();
}

LogicalResult Collector::describeOutputs(json::Object &manifest) {
  json::Array outputs;
  SizeDescriber sizes(graphs);
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return terminator->emitOpError()
             << "expected tensors as results, got " << value.getType();
    json::Array shape;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      std::optional<json::Value> size = sizes.describeDim(value, dim);
      if (!size)
        return terminator->emitOpError()
               << "expected result " << index
               << " with sizes known before the run, got dimension " << dim;
      shape.push_back(std::move(*size));
    }
    json::Object output{{"dtype", getDTypeName(type.getElementType())},
                        {"shape", std::move(shape)}};
    if (function.getResultAttr(index, "rgnn.saved"))
      output["saved"] = true;
    outputs.push_back(std::move(output));
  }
  manifest["outputs"] = std::move(outputs);
  return success();
}

/// Copies what is returned again: each result has memory of its own. An op that
/// only bufferisation looks into, which would let a copy share its source's.
void Collector::separateResults() {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  Location loc = terminator->getLoc();
  llvm::DenseSet<Value> returned;
  for (OpOperand &result : terminator->getOpOperands()) {
    Value value = result.get();
    if (returned.insert(value).second)
      continue;
    result.set(bufferization::AllocTensorOp::create(
        builder, loc, cast<RankedTensorType>(value.getType()),
        /*dynamicSizes=*/ValueRange(), /*copy=*/value));
  }
}

/// Gives every view and size that is used an argument of its own, sizes first.
void Collector::collectRequests(json::Object &manifest) {
  SizeDescriber describer(graphs);
  llvm::MapVector<std::tuple<Value, int64_t, int64_t>, SmallVector<Operation *>>
      sizes, views;
  function.walk([&](Operation *op) {
    if (auto size = dyn_cast<SizeOp>(op))
      sizes[{size.getGraph(), static_cast<int64_t>(size.getKind()),
             static_cast<int64_t>(size.getParam())}]
          .push_back(op);
    else if (auto view = dyn_cast<ViewOp>(op))
      views[{view.getGraph(), static_cast<int64_t>(view.getKind()),
             static_cast<int64_t>(view.getParam())}]
          .push_back(op);
  });
  json::Array sizeList, viewList;
  unsigned position = 0;
  auto replace = [&](ArrayRef<Operation *> ops, StringRef name) {
    Builder builder(function.getContext());
    auto attributes = builder.getDictionaryAttr(
        builder.getNamedAttr(name, builder.getUnitAttr()));
    (void)function.insertArgument(position, ops[0]->getResult(0).getType(),
                                  attributes, ops[0]->getLoc());
    for (Operation *op : ops) {
      op->getResult(0).replaceAllUsesWith(function.getArgument(position));
      op->erase();
    }
    ++position;
  };
  for (auto &[key, ops] : sizes) {
    sizeList.push_back(describer.describe(cast<SizeOp>(ops[0])));
    replace(ops, "rgnn.size");
  }
  for (auto &[key, ops] : views) {
    auto view = cast<ViewOp>(ops[0]);
    int64_t tileRows = view.getParam();
    json::Object object = describer.describeGraph(view.getGraph());
    object["kind"] = stringifyViewKind(view.getKind());
    object["param"] = static_cast<int64_t>(view.getParam());
    viewList.push_back(std::move(object));
    replace(ops, "rgnn.view");
    if (tileRows > 0)
      function.setArgAttr(
          position - 1, "rgnn.tile_rows",
          IntegerAttr::get(IntegerType::get(function.getContext(), 64),
                           tileRows));
  }
  manifest["sizes"] = std::move(sizeList);
  manifest["views"] = std::move(viewList);
}

/// Gives what another function makes of the graph alone arguments behind those
/// of the views; its manifest becomes a part of this one.
LogicalResult Collector::collectOnce(json::Object &manifest) {
  auto calls = llvm::to_vector(function.getOps<func::CallOp>());
  if (calls.empty())
    return success();
  func::CallOp call = calls.front();
  auto once = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (calls.size() > 1 || !once || once.isDeclaration() ||
      !isCalledOnce(once, function))
    return calls.back().emitOpError()
           << "expected one call, of a function with " << kOnce << " = "
           << function.getName();
  FailureOr<json::Object> inner = Collector(once).run();
  if (failed(inner))
    return failure();
  auto isRequest = [&](unsigned number) {
    return function.getArgAttr(number, "rgnn.size") ||
           function.getArgAttr(number, "rgnn.view");
  };
  unsigned position = 0;
  while (position < function.getNumArguments() && isRequest(position))
    ++position;
  Builder builder(function.getContext());
  for (Value result : call.getResults()) {
    (void)function.insertArgument(
        position, result.getType(),
        builder.getDictionaryAttr(
            builder.getNamedAttr(kOnce, builder.getUnitAttr())),
        call.getLoc());
    result.replaceAllUsesWith(function.getArgument(position++));
  }
  call->erase();
  manifest["once"] = std::move(*inner);
  manifest["version"] = 3;
  return success();
}

/// The number of rows that an input must have.
json::Value Collector::describeRows(RowsAttr rows) {
  for (auto [index, schema] : llvm::enumerate(schemas))
    if (schema == rows.getGraph()) {
      if (rows.getType() >= 0)
        return json::Object{{"graph", static_cast<int64_t>(index)},
                            {"of", stringifySizeKind(SizeKind::NodeOfType)},
                            {"param", rows.getType()}};
      json::Object size{
          {"graph", static_cast<int64_t>(index)},
          {"of", stringifySizeKind(getSizeKind(rows.getDomain()))}};
      if (rows.getPart() != Part::Whole)
        size["part"] = stringifyPart(rows.getPart());
      return size;
    }
  return -1;
}

/// Drops the graphs, and the arguments that only they used.
void Collector::replaceInputs(json::Object &manifest) {
  // Sizes and casts of arguments may be all that is left of what made a graph.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  json::Array inputs;
  BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (function.getArgAttr(number, "rgnn.size") ||
        function.getArgAttr(number, "rgnn.view") ||
        function.getArgAttr(number, kOnce))
      continue;
    if (isa<rgnn::GraphType>(argument.getType())) {
      unused[number] = argument.use_empty();
      continue;
    }
    auto name = function.getArgAttrOfType<StringAttr>(number, "rgnn.input");
    if (!name)
      name = function.getArgAttrOfType<StringAttr>(number, "rgnn.param");
    auto type = cast<RankedTensorType>(argument.getType());
    json::Array shape;
    for (int64_t size : type.getShape())
      shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
    if (auto rows = function.getArgAttrOfType<RowsAttr>(number, "rgnn.rows"))
      shape[0] = describeRows(rows);
    json::Object input{{"name", name ? name.getValue() : StringRef()},
                       {"dtype", getDTypeName(type.getElementType())},
                       {"shape", std::move(shape)}};
    if (argument.use_empty()) {
      unused.set(number);
      input["used"] = false;
    }
    inputs.push_back(std::move(input));
  }
  (void)function.eraseArguments(unused);
  manifest["inputs"] = std::move(inputs);
}

namespace {
struct HetKernelCollectPreprocessing
    : rgnn::impl::HetKernelCollectPreprocessingPassBase<
          HetKernelCollectPreprocessing> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> entries = getEntries(getOperation());
    if (entries.empty())
      return;
    FailureOr<json::Object> manifest = Collector(entries.front()).run();
    if (failed(manifest))
      return signalPassFailure();
    json::Array variants;
    for (func::FuncOp entry : llvm::drop_begin(entries)) {
      FailureOr<json::Object> variant = Collector(entry).run();
      if (failed(variant))
        return signalPassFailure();
      (*variant)["edges_per_node_below"] = *getEdgesPerNodeBelow(entry);
      variants.push_back(std::move(*variant));
    }
    if (!variants.empty())
      (*manifest)["variants"] = std::move(variants);
    std::string text;
    llvm::raw_string_ostream(text) << json::Value(std::move(*manifest));
    getOperation()->setAttr("rgnn.manifest",
                            StringAttr::get(&getContext(), text));
    for (SchemaOp schema :
         llvm::make_early_inc_range(getOperation().getOps<SchemaOp>()))
      schema.erase();
  }
};
} // namespace
