//===- Absorption.h - what a kernel computes besides its op -----*- C++ -*-===//
//
// Kernels of products and sums gather their operands, add a bias, and add their
// rows to those of nodes: the ops that do so have no kernel of their own.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_ABSORPTION_H
#define RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_ABSORPTION_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// A product of rows and a bias that its kernel adds: for all rows, or by the
/// type that the weight has, too.
struct BiasedProduct {
  Operation *product;
  Value bias;
};
/// Those that `sum` adds up, if nothing else reads the product.
std::optional<BiasedProduct> getBiasedProduct(Operation *sum);

/// The product of which `op` sums up rows for each node, if a GEMM can add them
/// to those of the nodes at once; nothing else reads it. Null if it cannot.
Operation *getSummedProduct(Operation *op);

/// Whether the heads of the rows that `product` reads become rows themselves.
bool joinsHeads(Operation *product);

/// Whether the kernel of a product, or of a sum of products, can do the gather
/// of its operand.
bool canFuseGather(Operation *product, GatherOp gather);
/// The gather of `operand` if it can; else none.
GatherOp getFusedGather(Operation *product, Value operand);

} // namespace mlir::rgnn

#endif // RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_ABSORPTION_H
