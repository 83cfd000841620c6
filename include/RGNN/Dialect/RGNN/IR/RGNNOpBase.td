//===- RGNNOpBase.td - what the ops of the rgnn dialect share --*- tablegen -*-===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNOPBASE
#define RGNN_DIALECT_RGNN_IR_RGNNOPBASE

include "RGNN/Dialect/RGNN/IR/RGNNAttrs.td"
include "RGNN/Dialect/RGNN/IR/RGNNInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def RGNN_FloatTensor : RankedTensorOf<[AnyFloat]>;
def RGNN_IndexTensor : RankedTensorOf<[I64, I32]>;

// The row ops that say their own result type.
class RGNN_InferredOp<string mnemonic, list<Trait> traits = []>
    : RGNN_Op<mnemonic, !listconcat([Pure, InferTypeOpAdaptor], traits)>;
defvar RowOp = DeclareOpInterfaceMethods<RGNN_RowOpInterface>;
defvar Differentiable = DeclareOpInterfaceMethods<RGNN_DifferentiableOpInterface>;

#endif // RGNN_DIALECT_RGNN_IR_RGNNOPBASE
