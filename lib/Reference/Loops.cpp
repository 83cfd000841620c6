//===- Loops.cpp - evaluation of programs, iteration by iteration ---------===//

#include "Frame.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

namespace {
/// Named data of all nodes or all edges, and how often each row was
/// accumulated.
struct Data {
  Tensor rows;
  std::vector<int64_t> counts;
};

/// One evaluation of a program.
class ProgramRun {
public:
  ProgramRun(ProgramOp program, Frame &frame)
      : program(program), graph(frame.graph(program.getGraph())), frame(frame),
        typeOfNode(graph.getMap(Domain::Node, Path::NType)) {}

  LogicalResult run();

private:
  LogicalResult runLoop(LoopOp loop);
  LogicalResult runOp(Operation *op);
  LogicalResult accumulate(AccumulateOp op);
  LogicalResult pickWeight(WeightOp op);

  /// The data of a name; zeros if it is new.
  FailureOr<Data *> getData(Operation *op, StringRef name, bool onEdges,
                            Type row);

  ProgramOp program;
  const reference::Graph &graph;
  Frame &frame;
  std::optional<std::vector<int64_t>> typeOfNode;
  llvm::StringMap<Data> data;
  /// The number of the node or edge that a value is now.
  DenseMap<Value, int64_t> elements;
};
} // namespace

FailureOr<Data *> ProgramRun::getData(Operation *op, StringRef name,
                                      bool onEdges, Type row) {
  Data &result = data[name];
  int64_t numRows = *graph.getNumRows(onEdges ? Domain::Edge : Domain::Node);
  if (result.rows.shape.empty()) {
    SmallVector<int64_t> shape{numRows};
    llvm::append_range(shape, cast<RankedTensorType>(row).getShape());
    FailureOr<Tensor> zeros = makeZeros(op, shape);
    if (failed(zeros))
      return failure();
    result.rows = std::move(*zeros);
  }
  if (result.rows.getNumRows() != numRows)
    return op->emitError() << "rgnn interpreter: expected " << numRows
                           << " rows, got " << formatShape(result.rows.shape);
  result.counts.resize(numRows);
  return &result;
}

LogicalResult ProgramRun::runLoop(LoopOp loop) {
  auto runBody = [&](int64_t element) {
    elements[loop.getElement()] = element;
    for (Operation &op : loop.getBody().front())
      if (failed(runOp(&op)))
        return failure();
    return success();
  };
  Iterator iterator = loop.getIterator();
  ArrayRef<int64_t> ends =
      iterator == Iterator::IncomingEdges ? graph.getDst() : graph.getSrc();
  bool onEdges = loop.getNode() || iterator == Iterator::Edges;
  int64_t count = *graph.getNumRows(onEdges ? Domain::Edge : Domain::Node);
  for (int64_t element = 0; element < count; ++element)
    if (!loop.getNode() || ends[element] == elements.at(loop.getNode()))
      if (failed(runBody(element)))
        return failure();
  return success();
}

LogicalResult ProgramRun::accumulate(AccumulateOp op) {
  bool onEdges = isa<EdgeType>(op.getElement().getType());
  FailureOr<Data *> found =
      getData(op, op.getName(), onEdges, op.getRow().getType());
  if (failed(found))
    return failure();
  int64_t row = elements.at(op.getElement());
  int64_t &count = (*found)->counts[row];
  ++count;
  for (auto [old, value] :
       llvm::zip((*found)->rows.getRow(row), frame.tensor(op.getRow()).values))
    switch (op.getKind()) {
    case Reduction::Sum:
      old += value;
      break;
    case Reduction::Mean:
      old += (value - old) / count;
      break;
    case Reduction::Max:
    case Reduction::Min:
    case Reduction::Mul:
      old = count == 1 ? value : reduce(op.getKind(), {old, value});
      break;
    }
  return success();
}

LogicalResult ProgramRun::pickWeight(WeightOp op) {
  int64_t element = elements.at(op.getElement());
  bool ofEdge = isa<EdgeType>(op.getElement().getType());
  if (!ofEdge && !typeOfNode)
    return op.emitError() << "rgnn interpreter: expected a graph with node "
                             "types, got one without";
  int64_t type = ofEdge ? graph.getEType()[element] : (*typeOfNode)[element];
  const Tensor &table = frame.tensor(op.getTable());
  if (type >= table.getNumRows())
    return op.emitError() << "rgnn interpreter: expected weights of type "
                          << type << ", got " << table.getNumRows() << " types";
  ArrayRef<double> values = table.getRow(type);
  frame.set(op.getWeight(),
            Tensor{SmallVector<int64_t>(ArrayRef(table.shape).drop_front()),
                   {values.begin(), values.end()}});
  return success();
}

LogicalResult ProgramRun::runOp(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LoopOp op) { return runLoop(op); })
      .Case([&](SourceOp op) {
        elements[op.getNode()] = graph.getSrc()[elements.at(op.getEdge())];
        return success();
      })
      .Case([&](DestinationOp op) {
        elements[op.getNode()] = graph.getDst()[elements.at(op.getEdge())];
        return success();
      })
      .Case([&](ReadOp op) -> LogicalResult {
        bool onEdges = isa<EdgeType>(op.getElement().getType());
        FailureOr<Data *> found =
            getData(op, op.getName(), onEdges, op.getRow().getType());
        if (failed(found))
          return failure();
        ArrayRef<double> values =
            (*found)->rows.getRow(elements.at(op.getElement()));
        SmallVector<int64_t> shape(
            cast<RankedTensorType>(op.getRow().getType()).getShape());
        frame.set(op.getRow(), Tensor{shape, {values.begin(), values.end()}});
        return success();
      })
      .Case([&](WriteOp op) -> LogicalResult {
        bool onEdges = isa<EdgeType>(op.getElement().getType());
        FailureOr<Data *> found =
            getData(op, op.getName(), onEdges, op.getRow().getType());
        if (failed(found))
          return failure();
        llvm::copy(frame.tensor(op.getRow()).values,
                   (*found)->rows.getRow(elements.at(op.getElement())).begin());
        return success();
      })
      .Case([&](AccumulateOp op) { return accumulate(op); })
      .Case([&](WeightOp op) { return pickWeight(op); })
      .Default([&](Operation *op) { return frame.evaluate(op); });
}

LogicalResult ProgramRun::run() {
  for (auto [name, input] :
       llvm::zip(program.getInputNames().getAsValueRange<StringAttr>(),
                 program.getInputs()))
    data[name].rows = frame.tensor(input);
  for (auto loop : program.getBody().front().getOps<LoopOp>())
    if (failed(runLoop(loop)))
      return failure();
  for (auto [name, output] :
       llvm::zip(program.getOutputNames().getAsValueRange<StringAttr>(),
                 program.getOutputs())) {
    Type type = output.getType();
    // Loops that had no iteration have not made the data.
    FailureOr<Data *> found = getData(
        program, name, getRows(type).getDomain() == Domain::Edge,
        RankedTensorType::get(getRowShape(type), getElementTypeOrSelf(type)));
    if (failed(found))
      return failure();
    frame.set(output, (*found)->rows);
  }
  return success();
}

namespace mlir::rgnn::reference {

static LogicalResult evaluateOp(ProgramOp op, Frame &frame) {
  return ProgramRun(op, frame).run();
}

void attachLoopEvaluations(MLIRContext *context) { attach<ProgramOp>(context); }

} // namespace mlir::rgnn::reference
