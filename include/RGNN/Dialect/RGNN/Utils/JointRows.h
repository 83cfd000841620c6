//===- JointRows.h - rows of nodes on those of joint graphs -----*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_JOINTROWS_H
#define RGNN_DIALECT_RGNN_UTILS_JOINTROWS_H

#include "RGNN/Dialect/RGNN/Utils/JointGraph.h"

#include <memory>

namespace mlir::rgnn {

/// Computes rows of the nodes of one relation on those of their type in a joint
/// graph, where what is done for all types can be found. Leaves the ops of
/// `block` to be sorted.
void moveToJointGraphs(Block &block,
                       ArrayRef<std::unique_ptr<JointGraph>> joints);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_JOINTROWS_H
