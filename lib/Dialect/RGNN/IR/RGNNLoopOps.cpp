//===- RGNNLoopOps.cpp - what a program of loops may hold -----------------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::rgnn;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult LoopOp::verify() {
  bool ofNode = getIterator() == Iterator::IncomingEdges ||
                getIterator() == Iterator::OutgoingEdges;
  // C1
  if (ofNode != static_cast<bool>(getNode()))
    return emitOpError() << "expected " << (ofNode ? "a node" : "no node")
                         << " for " << stringifyIterator(getIterator())
                         << ", got " << (ofNode ? "none" : "one");
  // C2
  if (ofNode != isa<LoopOp>((*this)->getParentOp()))
    return emitOpError() << "expected " << stringifyIterator(getIterator())
                         << (ofNode ? " inside a loop, got it outside"
                                    : " outside of loops, got it in one");
  // C3
  Type element = ofNode || getIterator() == Iterator::Edges
                     ? Type(EdgeType::get(getContext()))
                     : Type(NodeType::get(getContext()));
  if (getBody().getArgumentTypes() != TypeRange(element))
    return emitOpError() << "expected one region argument of type " << element
                         << ", got " << getBody().getArgumentTypes();
  return success();
}

LogicalResult WeightOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         WeightOpAdaptor op,
                                         SmallVectorImpl<Type> &types) {
  auto table = cast<RankedTensorType>(op.getTable().getType());
  // C1
  if (table.getRank() == 0 || table.getEncoding() || !table.hasStaticShape())
    return emitOptionalError(
        location, "expected a static table of types without rows, got ", table);
  types.push_back(RankedTensorType::get(table.getShape().drop_front(),
                                        table.getElementType()));
  return success();
}

LogicalResult WeightOp::verify() {
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (!program)
    return emitOpError() << "expected a program around, got none";
  // C2
  Domain domain =
      isa<EdgeType>(getElement().getType()) ? Domain::EType : Domain::NType;
  std::optional<int64_t> types =
      getNumTypes(program, program.getGraph().getType().getSchema(), domain);
  int64_t got = cast<RankedTensorType>(getTable().getType()).getDimSize(0);
  if (types && *types != got)
    return emitOpError() << "expected weights of " << *types << " types, got "
                         << got;
  return success();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// C1, C2 of one side of a program.
static LogicalResult verifyData(ProgramOp op, ArrayAttr names, TypeRange types,
                                StringRef side) {
  // C1
  if (names.size() != types.size())
    return op.emitOpError() << "expected " << types.size() << " names of "
                            << side << "s, got " << names.size();
  llvm::StringSet<> known;
  for (auto [name, type] :
       llvm::zip(names.getAsValueRange<StringAttr>(), types)) {
    if (!known.insert(name).second)
      return op.emitOpError() << "expected each " << side << " once, got \""
                              << name << "\" again";
    // C2
    RowsAttr rows = getRows(type);
    bool onElements =
        rows && rows.getType() < 0 &&
        (rows.getDomain() == Domain::Node || rows.getDomain() == Domain::Edge);
    if (!onElements || rows.getGraph() != op.getGraph().getType().getSchema())
      return op.emitOpError()
             << "expected " << side << " \"" << name << "\" on node or edge of "
             << op.getGraph().getType().getSchema() << ", got " << type;
  }
  return success();
}

LogicalResult ProgramOp::verify() {
  if (failed(verifyData(*this, getInputNames(), getInputs().getTypes(),
                        "operand")))
    return failure();
  return verifyData(*this, getOutputNames(), getOutputs().getTypes(), "result");
}

namespace {
/// Walks a program in the order of its text and knows the data so far.
class DataVerifier {
public:
  explicit DataVerifier(ProgramOp program) : program(program) {}

  LogicalResult run();

private:
  /// What one row of data is: on a node or an edge, of some type.
  struct Data {
    bool onEdge;
    RankedTensorType row;
    bool operator!=(const Data &other) const {
      return onEdge != other.onEdge || row != other.row;
    }
  };
  friend Diagnostic &operator<<(Diagnostic &os, const Data &data) {
    return os << data.row << " of " << (data.onEdge ? "edges" : "nodes");
  }
  static Data ofRows(Type type) {
    return {
        getRows(type).getDomain() == Domain::Edge,
        RankedTensorType::get(getRowShape(type), getElementTypeOrSelf(type))};
  }

  LogicalResult verify(Operation *op);
  LogicalResult declare(Operation *op, StringRef name, Data data);
  LogicalResult requireValue(Operation *op, StringRef name);

  ProgramOp program;
  llvm::StringMap<Data> known;
};
} // namespace

// C3
LogicalResult DataVerifier::declare(Operation *op, StringRef name, Data data) {
  auto [entry, isNew] = known.try_emplace(name, data);
  if (!isNew && entry->second != data)
    return op->emitOpError() << "expected \"" << name << "\" to be "
                             << entry->second << ", got " << data;
  return success();
}

// C4
LogicalResult DataVerifier::requireValue(Operation *op, StringRef name) {
  if (!known.contains(name))
    return op->emitOpError() << "expected \"" << name
                             << "\" to have a value, got a name that is not an "
                                "operand nor written before";
  return success();
}

LogicalResult DataVerifier::verify(Operation *op) {
  auto getData = [](Value element, Value row) -> Data {
    return {isa<EdgeType>(element.getType()),
            cast<RankedTensorType>(row.getType())};
  };
  if (auto read = dyn_cast<ReadOp>(op)) {
    if (failed(requireValue(op, read.getName())))
      return failure();
    return declare(op, read.getName(),
                   getData(read.getElement(), read.getRow()));
  }
  if (auto write = dyn_cast<WriteOp>(op))
    return declare(op, write.getName(),
                   getData(write.getElement(), write.getRow()));
  if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
    // C5
    StringRef name = accumulate.getName();
    if (accumulate.getKind() != Reduction::Sum && known.contains(name))
      return op->emitOpError()
             << "expected \"" << name << "\" to have no value before a "
             << stringifyReduction(accumulate.getKind())
             << ", got one that has";
    return declare(op, name,
                   getData(accumulate.getElement(), accumulate.getRow()));
  }
  bool isOfElement =
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<NodeType, EdgeType>);
  if (isa<LoopOp>(op) ||
      (isOfElement && isa_and_nonnull<RGNNDialect>(op->getDialect())))
    return success();
  // C6
  if (!isPure(op) || (op->getNumRegions() > 0 && !isa<MapOp>(op)))
    return op->emitOpError()
           << "expected a pure op or one of the loop form in a loop, got one "
              "with effects or regions";
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (isa<rgnn::GraphType>(type) || getRows(type))
        return op->emitOpError()
               << "expected tensors of one row in a loop, got " << type;
  return success();
}

LogicalResult DataVerifier::run() {
  for (auto [name, input] :
       llvm::zip(program.getInputNames().getAsValueRange<StringAttr>(),
                 program.getInputs()))
    known.try_emplace(name, ofRows(input.getType()));
  // C6
  for (Operation &op : program.getBody().front())
    if (!isa<LoopOp>(op))
      return op.emitOpError() << "expected to be in a loop of the program, got "
                                 "it outside";
  WalkResult result =
      program.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (failed(verify(op)))
          return WalkResult::interrupt();
        return isa<MapOp>(op) ? WalkResult::skip() : WalkResult::advance();
      });
  if (result.wasInterrupted())
    return failure();
  for (auto [name, output] :
       llvm::zip(program.getOutputNames().getAsValueRange<StringAttr>(),
                 program.getOutputs()))
    if (failed(requireValue(program, name)) ||
        failed(declare(program, name, ofRows(output.getType()))))
      return failure();
  return success();
}

LogicalResult ProgramOp::verifyRegions() { return DataVerifier(*this).run(); }
