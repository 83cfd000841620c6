//===- RGNNInterfaces.td - what passes ask of rgnn ops --------------------===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNINTERFACES
#define RGNN_DIALECT_RGNN_IR_RGNNINTERFACES

include "mlir/IR/OpBase.td"

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
    }], "::mlir::Value", "emitRow", (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$rows)>
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
