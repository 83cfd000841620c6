//===- EvaluableOpInterface.td - ops that the interpreter evaluates -------===//

#ifndef RGNN_REFERENCE_EVALUABLEOPINTERFACE
#define RGNN_REFERENCE_EVALUABLEOPINTERFACE

include "mlir/IR/OpBase.td"

def RGNN_EvaluableOpInterface : OpInterface<"EvaluableOpInterface"> {
  let cppNamespace = "::mlir::rgnn::reference";
  let description = [{
    An op that the reference interpreter evaluates. Its models are external: the
    dialect does not know of numbers.
  }];
  let methods = [
    InterfaceMethod<[{
      Computes the results of values that the frame holds, and gives them to it;
      a failure has been reported at the op.
    }], "::llvm::LogicalResult", "evaluate", (ins "::mlir::rgnn::reference::Frame &":$frame)>
  ];
}

#endif // RGNN_REFERENCE_EVALUABLEOPINTERFACE
