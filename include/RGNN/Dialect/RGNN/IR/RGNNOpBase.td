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

// An op that computes tensors or graphs, and its answers to ComputeOpInterface: `form` and `work` are names of KernelForm and
// Work (RGNNAttrs.td), `form` empty where that depends on the op. What is no view defines countOperations, with `ownReads`
// countBytesRead, too. `ownDeclarations` are those that only this op has.
class RGNN_ComputeOp<string mnemonic, string form, string work, list<Trait> traits, bit ownReads = false>
    : RGNN_Op<mnemonic, !listconcat([Pure, RGNN_ComputeOpInterface], traits)> {
  code ownDeclarations = "";
  let extraClassDeclaration =
    "::mlir::rgnn::KernelForm getKernelForm()" # !if(!empty(form), ";", " { return ::mlir::rgnn::KernelForm::" # form # "; }") #
    "\n::mlir::rgnn::Work getWork() { return ::mlir::rgnn::Work::" # work # "; }" #
    "\nint64_t countOperations(::mlir::rgnn::SizeFn size)" # !if(!eq(work, "View"), " { return 0; }", ";") #
    !if(ownReads, "\nint64_t countBytesRead(::mlir::rgnn::SizeFn size);", "") # ownDeclarations;
}

// One that says its own result type.
class RGNN_InferredOp<string mnemonic, string form, string work, list<Trait> traits = [], bit ownReads = false>
    : RGNN_ComputeOp<mnemonic, form, work, !listconcat([InferTypeOpAdaptor], traits), ownReads>;

defvar RowOp = DeclareOpInterfaceMethods<RGNN_RowOpInterface>;
defvar Contraction = DeclareOpInterfaceMethods<RGNN_ContractionOpInterface>;
defvar Differentiable = DeclareOpInterfaceMethods<RGNN_DifferentiableOpInterface>;

#endif // RGNN_DIALECT_RGNN_IR_RGNNOPBASE
