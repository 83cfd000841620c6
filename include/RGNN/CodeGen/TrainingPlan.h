//===- TrainingPlan.h - a forward and a backward to compile -----*- C++ -*-===//

#ifndef RGNN_CODEGEN_TRAININGPLAN_H
#define RGNN_CODEGEN_TRAININGPLAN_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::rgnn {

/// Describes `@forward` and `@forward_backward` of a module after
/// `rgnn-differentiate` as JSON:
///
///   {"forward": "module { ... func.func @forward ... }",
///    "backward": "module { ... func.func @forward ... }",
///    "inputs": [{"argument": 0}, {"result": 1}, {"gradient": 0}],
///    "gradients": [0, 3],
///    "of": [[0], [0, 1]],
///    "num_results": 1}
///
/// Both texts are modules of their own, whose functions take and give plain
/// tensors. Each input of the backward is an argument or a result of the
/// forward, or the gradient of a result; `gradients` says of which arguments
/// its results are, and `of` which results of the forward each comes from. The
/// forward returns what the backward reads after the first `num_results`
/// results.
FailureOr<std::string> describeTraining(ModuleOp module);

} // namespace mlir::rgnn

#endif // RGNN_CODEGEN_TRAININGPLAN_H
