//===- RaiseLoops.cpp - programs of loops become ops on all rows ----------===//

#include "RaiseLoops.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNRAISELOOPSPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::raise;

namespace {
/// Raises one program whose dependences permit it.
class ProgramRaiser {
public:
  explicit ProgramRaiser(ProgramOp program)
      : program(program), builder(program) {}

  LogicalResult run();

private:
  LogicalResult raiseLoop(LoopOp loop);
  LogicalResult raiseOp(Operation *op, BlockArgument visited);
  LogicalResult accumulate(AccumulateOp op, BlockArgument visited);
  FailureOr<Value> reduceIterations(AccumulateOp op, const Row &row,
                                    Element target, BlockArgument visited);

  Row getRow(Value value) {
    auto known = rows.find(value);
    return known == rows.end() ? Row::shared(value) : known->second;
  }

  ProgramOp program;
  RowBuilder builder;
  /// What the values in the loops are.
  DenseMap<Value, Row> rows;
  /// Named data: rows of a domain, or what all rows are.
  llvm::StringMap<Value> data;
};
} // namespace

static bool isShared(const Row &row) { return row.kind == Row::Kind::Shared; }

/// The rows that the iterations of the innermost loop give to `target`.
FailureOr<Value> ProgramRaiser::reduceIterations(AccumulateOp op,
                                                 const Row &row, Element target,
                                                 BlockArgument visited) {
  // One iteration an element, but for pairs: the mean or maximum of one row is
  // that row.
  if (target == Element{visited, std::nullopt} && !isOfPairs(target.getLoop()))
    return isShared(row) ? row.value : builder.getRows(op, row, target);
  Element edge{visited, std::nullopt};
  if (isOfPairs(edge.getLoop()))
    return builder.sumPairs(op, row, visited);
  Path path = target.end.value_or(getOrigin(edge.getLoop()));
  if (isShared(row) && op.getKind() == Reduction::Sum)
    return builder.scaleByDegree(op.getLoc(), path, row.value);
  FailureOr<Value> value = builder.getRows(op, row, edge);
  if (failed(value))
    return failure();
  return builder.reduce(op.getLoc(), op.getKind(), path, *value);
}

LogicalResult ProgramRaiser::accumulate(AccumulateOp op,
                                        BlockArgument visited) {
  Row row = getRow(op.getRow());
  Element target = getElement(op.getElement());
  FailureOr<Value> reduced = reduceIterations(op, row, target, visited);
  if (failed(reduced))
    return failure();
  Value &value = data[op.getName()];
  if (!value || matchPattern(value, m_AnyZeroFloat())) {
    value = *reduced;
    return success();
  }
  auto type = cast<RankedTensorType>(op.getRow().getType());
  RowsAttr encoding;
  if (getRows(value.getType()) || getRows(reduced->getType()))
    encoding = builder.getEncoding(target.isEdge());
  value = builder.add(
      op.getLoc(), value, *reduced,
      getRowsType(encoding, type.getShape(), type.getElementType()));
  return success();
}

LogicalResult ProgramRaiser::raiseOp(Operation *op, BlockArgument visited) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LoopOp op) { return raiseLoop(op); })
      .Case<SourceOp, DestinationOp>([](Operation *) { return success(); })
      .Case([&](WeightOp op) {
        rows[op.getWeight()] = {Row::Kind::Weight, op.getTable(),
                                getElement(op.getElement())};
        return success();
      })
      .Case([&](ReadOp op) {
        Value value = data[op.getName()];
        rows[op.getRow()] = getRows(value.getType())
                                ? Row::rows(value, getElement(op.getElement()))
                                : Row::shared(value);
        return success();
      })
      .Case([&](WriteOp op) -> LogicalResult {
        Row row = getRow(op.getRow());
        if (isShared(row)) {
          data[op.getName()] = row.value;
          return success();
        }
        FailureOr<Value> value =
            builder.getRows(op, row, getElement(op.getElement()));
        if (failed(value))
          return failure();
        data[op.getName()] = *value;
        return success();
      })
      .Case([&](AccumulateOp op) { return accumulate(op, visited); })
      .Default([&](Operation *op) -> LogicalResult {
        SmallVector<Row> operands;
        for (Value operand : op->getOperands())
          operands.push_back(getRow(operand));
        if (op->getNumResults() != 1)
          return refuse(op, "it has " + Twine(op->getNumResults()) +
                                " results instead of one");
        bool isPair = isOfPairs(Element{visited, std::nullopt}.getLoop());
        FailureOr<Row> row = isPair
                                 ? builder.raiseOfPairs(op, operands, visited)
                                 : builder.raise(op, operands, visited);
        if (failed(row))
          return failure();
        rows[op->getResult(0)] = *row;
        return success();
      });
}

LogicalResult ProgramRaiser::raiseLoop(LoopOp loop) {
  for (Operation &op : loop.getBody().front())
    if (failed(raiseOp(&op, loop.getElement())))
      return failure();
  return success();
}

LogicalResult ProgramRaiser::run() {
  for (auto [name, input] :
       llvm::zip(program.getInputNames().getAsValueRange<StringAttr>(),
                 program.getInputs()))
    data[name] = input;
  for (auto loop : program.getBody().front().getOps<LoopOp>())
    if (failed(raiseLoop(loop)))
      return failure();
  SmallVector<Value> outputs;
  for (StringRef name :
       program.getOutputNames().getAsValueRange<StringAttr>()) {
    Value value = data[name];
    if (!getRows(value.getType())) {
      bool onEdges =
          getRows(program.getOutputs()[outputs.size()].getType()).getDomain() ==
          Domain::Edge;
      value = builder.repeat(program.getLoc(), value, onEdges);
    }
    outputs.push_back(value);
  }
  program->replaceAllUsesWith(outputs);
  program.erase();
  return success();
}

namespace {
struct RaiseLoopsPass
    : public rgnn::impl::RGNNRaiseLoopsPassBase<RaiseLoopsPass> {
  void runOnOperation() override {
    auto programs = llvm::to_vector(getOperation().getOps<ProgramOp>());
    for (ProgramOp program : programs)
      if (failed(checkDependences(program)) ||
          failed(ProgramRaiser(program).run()))
        return signalPassFailure();
    if (programs.empty())
      return;
    Block &block = getOperation().getBody().front();
    recognizeSoftmax(block);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    int64_t numRaised = programs.size();
    reportCounts(getOperation(), getArgument(), {{"num-raised", numRaised}});
  }
};
} // namespace
