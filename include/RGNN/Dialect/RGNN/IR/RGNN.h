//===- RGNN.h - the rgnn dialect --------------------------------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNN_H
#define RGNN_DIALECT_RGNN_IR_RGNN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "RGNN/Dialect/RGNN/IR/Compute.h"

#include "RGNN/Dialect/RGNN/IR/RGNNDialect.h.inc"
#include "RGNN/Dialect/RGNN/IR/RGNNInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "RGNN/Dialect/RGNN/IR/RGNNAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "RGNN/Dialect/RGNN/IR/RGNNTypes.h.inc"

namespace mlir {
class IRMapping;
} // namespace mlir

namespace mlir::rgnn {

/// The number that changes nothing where it is reduced with others. A mean is a
/// sum until it is divided.
double getNeutral(Reduction kind);

/// The domain that `path` leads to from `from`, or nothing where the lattice
/// has no such arrow.
std::optional<Domain> follow(Domain from, Path path);

/// The node types of a bipartite graph.
constexpr int64_t kSrcNodes = 0, kDstNodes = 1;

/// Whether rows on a domain follow from the edges, of which parts of a graph
/// have only some.
bool isOfEdges(Domain domain);

/// The encoding of a tensor type, or null if its rows are not on a domain.
RowsAttr getRows(Type type);

/// The shape of one row: all dimensions but the first where the tensor lives on
/// a domain, all of them otherwise.
ArrayRef<int64_t> getRowShape(Type type);

/// How many elements a row has.
int64_t getRowWidth(Type type);

/// A tensor of rows of `rowShape` on `rows`, or without rows if `rows` is null.
RankedTensorType getRowsType(RowsAttr rows, ArrayRef<int64_t> rowShape,
                             Type elementType);

/// A copy of `op`, of one result, that computes a value of `type` of what
/// `operands` has in the place of the op's operands.
Value cloneOnto(OpBuilder &builder, Operation *op, const IRMapping &operands,
                Type type);

/// Whether two types of rank 1 or more differ in their last dimension at most.
bool agreeButForLast(RankedTensorType a, RankedTensorType b);

/// The row's value inside a loop over rows: a scalar, or a vector of
/// `rowShape`.
Type getRowValueType(ArrayRef<int64_t> rowShape, Type elementType);

/// The type in which kernels compute a scalar or vector that memory holds as
/// `type`: f32 for floats of 16 bits, in which the sum of many rows stops
/// growing (256 + 1 is 256 in bf16).
Type getComputeType(Type type);

/// The number of types that `rows` of an etype or ntype domain have, if the
/// schema says so.
std::optional<int64_t> getNumTypes(Operation *from, FlatSymbolRefAttr schema,
                                   Domain domain);

/// The form of an op; nothing where it has none, or is null.
std::optional<KernelForm> getKernelForm(Operation *op);
/// The same for what its results take.
std::optional<Work> getWork(Operation *op);

/// Whether row `i` of the result depends on row `i` of the operands, and on
/// tensors without rows, alone.
bool isRowwise(Operation *op);

/// The graph of `rows` in the block of `op`, or an error at `op`: a function
/// has one for each schema and part.
FailureOr<Value> findGraph(Operation *op, RowsAttr rows);

} // namespace mlir::rgnn

#define GET_OP_CLASSES
#include "RGNN/Dialect/RGNN/IR/RGNNOps.h.inc"

#endif // RGNN_DIALECT_RGNN_IR_RGNN_H
