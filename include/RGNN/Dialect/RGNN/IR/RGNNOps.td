//===- RGNNOps.td - the operations of the rgnn dialect ---------*- tablegen -*-===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNOPS
#define RGNN_DIALECT_RGNN_IR_RGNNOPS

include "RGNN/Dialect/RGNN/IR/RGNNGraphOps.td"
include "RGNN/Dialect/RGNN/IR/RGNNMovementOps.td"
include "RGNN/Dialect/RGNN/IR/RGNNRankOps.td"
include "RGNN/Dialect/RGNN/IR/RGNNRowOps.td"

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

def RGNN_TorchOp : RGNN_Op<"torch"> {
  let summary = "a PyTorch operator as captured";
  let description = [{
    `name` is PyTorch's name of the overload, with a dot after the namespace.
    `args` lists the arguments in the order of the operator's schema, defaults
    included: `#rgnn.operand<i>` stands for operand `i`, `unit` for None; numbers,
    strings and lists stand for themselves. Symbolic sizes are values of type
    `i64`. `rgnn-lift-torch` turns these ops into the rest of the dialect; what
    it does not know is left, and runs in PyTorch.

    (C1) Every `#rgnn.operand` of `args` is an operand.

    Example:

    ```mlir
    %0 = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$inputs, ArrayAttr:$args);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$name `(` $inputs `)` $args attr-dict `:` functional-type($inputs, $results)";
  let hasVerifier = 1;
}

include "RGNN/Dialect/RGNN/IR/RGNNLoopOps.td"

#endif // RGNN_DIALECT_RGNN_IR_RGNNOPS
