//===- WholeTensorOpInterface.td - ops on tensors without rows ------------===//

#ifndef RGNN_CONVERSION_RGNNTOHETKERNEL_WHOLETENSOROPINTERFACE
#define RGNN_CONVERSION_RGNNTOHETKERNEL_WHOLETENSOROPINTERFACE

include "mlir/IR/OpBase.td"

def RGNN_WholeTensorOpInterface : OpInterface<"WholeTensorOpInterface"> {
  let cppNamespace = "::mlir::rgnn";
  let description = [{
    An op of weights alone: none of its tensors has rows, and all sizes are
    known. Models are external (`registerWholeTensorModels`), since kernels are
    no business of the dialect.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds what computes the result from `inputs`, the tensors of the operands.
      Fails, with an error at the op, where nothing does.
    }], "::mlir::FailureOr<::mlir::Value>", "emitWhole",
      (ins "::mlir::rgnn::Converter &":$converter, "::mlir::ValueRange":$inputs)>
  ];
}

#endif // RGNN_CONVERSION_RGNNTOHETKERNEL_WHOLETENSOROPINTERFACE
