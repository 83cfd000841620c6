//===- Context.h - what compiled code calls of the runtime ------*- C++ -*-===//

#ifndef RGNN_LIB_TRANSFORMS_CONTEXT_H
#define RGNN_LIB_TRANSFORMS_CONTEXT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::rgnn {

/// Functions that RgnnContext (runtime/include/rgnn/runtime.h) has, by their
/// byte position in it.
enum class ContextFunction : int32_t {
  ParallelFor = 8,
  Launch = 24,
  ParallelForAll = 32
};

/// The context argument of a function, added in front if there is none yet.
Value getContextArgument(func::FuncOp function);

/// Calls a function of the context, which is the first of `arguments` and
/// returns nothing.
void callContext(OpBuilder &builder, Location loc, ContextFunction function,
                 ValueRange arguments);

} // namespace mlir::rgnn

#endif // RGNN_LIB_TRANSFORMS_CONTEXT_H
