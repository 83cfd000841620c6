//===- FallbackPlan.h - what PyTorch runs around compiled regions -*- C++
//-*-===//

#ifndef RGNN_CODEGEN_FALLBACKPLAN_H
#define RGNN_CODEGEN_FALLBACKPLAN_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::rgnn {

/// Describes a module after `rgnn-outline-fallback` as JSON:
///
///   {"num_inputs": 2,
///    "steps": [{"region": 0, "inputs": [0, 1], "outputs": [2]},
///              {"torch": "aten.cumsum", "inputs": [2], "args": [{"operand":
///              0}, 1, null], "outputs": [3],
///               "where": "model.py:7"}],
///    "results": [3],
///    "regions": ["module { ... func.func @forward ... }"]}
///
/// Values are numbered: the inputs first, then the outputs of each step. A
/// region's text is a module of its own. Without captured operators there are
/// no regions and no steps.
FailureOr<std::string> describeFallback(ModuleOp module);

} // namespace mlir::rgnn

#endif // RGNN_CODEGEN_FALLBACKPLAN_H
