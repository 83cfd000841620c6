//===- RGNNOps.cpp - generated code, its custom syntax, captured operators ===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::rgnn;

LogicalResult TorchOp::verify() {
  // C1
  WalkResult result = getArgs().walk([&](OperandAttr operand) {
    if (operand.getIndex() < getInputs().size())
      return WalkResult::advance();
    emitOpError() << "expected operands below " << getInputs().size()
                  << " in args, got " << operand.getIndex();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The graph's type follows from the rows', so that it is not written; but for
/// a part of a graph beside rows of nodes or types, which are the whole's, and
/// for a bipartite one.
static ParseResult parseGraphOfRows(OpAsmParser &parser, Type rows,
                                    Type &graph) {
  RowsAttr encoding = getRows(rows);
  if (!encoding)
    return parser.emitError(parser.getNameLoc())
           << "expected a tensor with #rgnn.rows, got " << rows;
  FailureOr<Part> part = encoding.getPart();
  if (succeeded(parser.parseOptionalKeyword("part"))) {
    part = FieldParser<Part>::parse(parser);
    if (failed(part))
      return failure();
  }
  NodeSets nodeSets = succeeded(parser.parseOptionalKeyword("bipartite"))
                          ? NodeSets::Bipartite
                          : NodeSets::One;
  graph = rgnn::GraphType::get(parser.getContext(), encoding.getGraph(), *part,
                               nodeSets);
  return success();
}
static void printGraphOfRows(OpAsmPrinter &printer, Operation *, Type rows,
                             Type graph) {
  auto type = cast<rgnn::GraphType>(graph);
  bool isOther = type.getPart() != getRows(rows).getPart();
  if (isOther)
    printer << "part " << stringifyPart(type.getPart());
  if (type.isBipartite())
    printer << (isOther ? " " : "") << "bipartite";
}

/// `%e in edges { ... }`, or `%e in incoming_edges of %n { ... }`.
static ParseResult
parseLoop(OpAsmParser &parser, IteratorAttr &iterator,
          std::optional<OpAsmParser::UnresolvedOperand> &node, Region &body) {
  OpAsmParser::Argument element;
  StringRef keyword;
  SMLoc loc;
  if (parser.parseArgument(element) || parser.parseKeyword("in") ||
      parser.getCurrentLocation(&loc) || parser.parseKeyword(&keyword))
    return failure();
  std::optional<Iterator> known = symbolizeIterator(keyword);
  if (!known)
    return parser.emitError(loc) << "expected an iterator, got " << keyword;
  MLIRContext *context = parser.getContext();
  iterator = IteratorAttr::get(context, *known);
  if (succeeded(parser.parseOptionalKeyword("of"))) {
    node.emplace();
    if (parser.parseOperand(*node))
      return failure();
  }
  bool onNodes = *known == Iterator::Nodes || *known == Iterator::SrcNodes ||
                 *known == Iterator::DstNodes;
  element.type = onNodes ? Type(rgnn::NodeType::get(context))
                         : Type(rgnn::EdgeType::get(context));
  return parser.parseRegion(body, element);
}
static void printLoop(OpAsmPrinter &printer, LoopOp op, IteratorAttr iterator,
                      Value node, Region &body) {
  printer << op.getElement() << " in "
          << stringifyIterator(iterator.getValue());
  if (node)
    printer << " of " << node;
  printer << " ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

#define GET_OP_CLASSES
#include "RGNN/Dialect/RGNN/IR/RGNNOps.cpp.inc"
