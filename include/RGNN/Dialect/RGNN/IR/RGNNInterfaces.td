//===- RGNNInterfaces.td - what passes ask of rgnn ops --------------------===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNINTERFACES
#define RGNN_DIALECT_RGNN_IR_RGNNINTERFACES

include "mlir/IR/OpBase.td"

def RGNN_ComputeOpInterface : OpInterface<"ComputeOpInterface"> {
  let cppNamespace = "::mlir::rgnn";
  let description = [{
    An op on graphs or on tensors of floats: all but captured operators, those of
    loops, and what has no result. The planner of kernels asks for its form; what
    chooses whether a result is saved, computed again, or computed on coarser
    rows asks for its work; the analysis of costs asks for numbers.
  }];
  let methods = [
    InterfaceMethod<"How kernels compute the op.", "::mlir::rgnn::KernelForm", "getKernelForm">,
    InterfaceMethod<"What its results take.", "::mlir::rgnn::Work", "getWork">,
    InterfaceMethod<[{
      The scalar operations. To compare, to choose and to convert is none.
    }], "int64_t", "countOperations", (ins "::mlir::rgnn::SizeFn":$size)>,
    InterfaceMethod<[{
      The bytes that are read: those of the operands, each once however often the
      op uses it.
    }], "int64_t", "countBytesRead", (ins "::mlir::rgnn::SizeFn":$size), /*methodBody=*/"",
      /*defaultImplementation=*/"return ::mlir::rgnn::countBytesOfOperands($_op, size);">
  ];
}

def RGNN_ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::mlir::rgnn";
  let description = [{
    An op that adds up what it computes of the elements at the same place of a
    dimension of each operand, so that it is the sum of the same op on parts of
    that dimension.
  }];
  let methods = [
    InterfaceMethod<[{
      The dimensions, of the operands that have them; nothing where it does not
      add up.
    }], "::llvm::SmallVector<::mlir::rgnn::Summed>", "getSummed">
  ];
}

def RGNN_RowOpInterface : OpInterface<"RowOpInterface"> {
  let cppNamespace = "::mlir::rgnn";
  let description = [{
    An op whose result row `i` depends on row `i` of its operands (and on
    operands without rows) alone. It can be computed anywhere a loop over its
    rows runs, which is what traversal kernels do. A row of shape `[]` is a
    scalar; a row of shape `[2, 32]` is a `vector<2x32>`.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the computation of one row. `rows` holds one scalar or vector for
      each operand: its row, or all of it where the operand has no rows.
      Where the tensor has floats of 16 bits, its rows are f32: those of the
      result as those of operands.
    }], "::mlir::Value", "emitRow", (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$rows)>,
    InterfaceMethod<[{
      Builds the op that does on every row what this one, none of whose tensors
      has rows, does on whole tensors. `inputs` are the operands with rows, or
      without where the op broadcasts them; `type` is the type of the result.
    }], "::mlir::Value", "buildOnRows",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$inputs, "::mlir::RankedTensorType":$type)>
  ];
}

def RGNN_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::mlir::rgnn";
  let description = [{
    An op of one result with a gradient that ops of its own kind compute: ops of
    this dialect for tensors, of arith and math for the scalars of a
    `rgnn.map`.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds what the operands contribute to the change of a number, given
      `gradient`, by how much the number changes with the result: one value for
      each operand, of its type, and null where `needed` does not ask for it or
      the result does not change with the operand. Fails, with an error at the
      op, where there is no gradient.
    }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildGradients",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$gradient, "::llvm::ArrayRef<bool>":$needed)>
  ];
}

#endif // RGNN_DIALECT_RGNN_IR_RGNNINTERFACES
