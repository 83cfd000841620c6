//===- Sizes.h - numbers of rows as sizes of graphs -------------*- C++ -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_UTILS_SIZES_H
#define RGNN_DIALECT_HETKERNEL_UTILS_SIZES_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

namespace mlir::hetkernel {

/// The size that is the number of rows of a domain.
SizeKind getSizeKind(rgnn::Domain domain);

} // namespace mlir::hetkernel

#endif // RGNN_DIALECT_HETKERNEL_UTILS_SIZES_H
