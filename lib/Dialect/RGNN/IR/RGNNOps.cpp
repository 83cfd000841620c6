//===- RGNNOps.cpp - the generated code of the ops, and its custom syntax -===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::rgnn;

/// The graph's type follows from the rows', so that it is not written.
static ParseResult parseGraphOfRows(OpAsmParser &parser, Type rows,
                                    Type &graph) {
  RowsAttr encoding = getRows(rows);
  if (!encoding)
    return parser.emitError(parser.getNameLoc())
           << "expected a tensor with #rgnn.rows, got " << rows;
  graph = rgnn::GraphType::get(parser.getContext(), encoding.getGraph());
  return success();
}
static void printGraphOfRows(OpAsmPrinter &, Operation *, Type, Type) {}

#define GET_OP_CLASSES
#include "RGNN/Dialect/RGNN/IR/RGNNOps.cpp.inc"
