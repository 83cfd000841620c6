//===- HetKernel.h - the hetkernel dialect ----------------------*- C++ -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_IR_HETKERNEL_H
#define RGNN_DIALECT_HETKERNEL_IR_HETKERNEL_H

#include "RGNN/Dialect/HetKernel/IR/GraphViews.h"
#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "RGNN/Dialect/HetKernel/IR/HetKernelDialect.h.inc"
#include "RGNN/Dialect/HetKernel/IR/HetKernelEnums.h.inc"

namespace mlir::hetkernel {
/// `true` or `false`, as a parameter of a schedule.
FailureOr<bool> parseFlag(AsmParser &parser);

/// A kernel: what targets lower to code that is launched.
template <typename ConcreteOp>
class IsKernel : public OpTrait::TraitBase<ConcreteOp, IsKernel> {};
} // namespace mlir::hetkernel

#include "RGNN/Dialect/HetKernel/IR/HetKernelAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "RGNN/Dialect/HetKernel/IR/HetKernelAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "RGNN/Dialect/HetKernel/IR/HetKernelTypes.h.inc"

#define GET_OP_CLASSES
#include "RGNN/Dialect/HetKernel/IR/HetKernelOps.h.inc"

#endif // RGNN_DIALECT_HETKERNEL_IR_HETKERNEL_H
