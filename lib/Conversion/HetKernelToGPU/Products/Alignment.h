//===- Alignment.h - how many numbers a thread moves at once ----*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_ALIGNMENT_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_ALIGNMENT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::hetkernel {

/// How many numbers that follow each other, in at most 16 bytes, a thread may
/// load or store at once: a power of two that divides the rows of `buffer`.
int64_t getMovedAtOnce(Value buffer);
/// The alignment that loads and stores of so many numbers have then.
llvm::Align getVectorAlignment(VectorType numbers);
/// Stores numbers side by side, from `position` on, at once.
void storeAtOnce(ImplicitLocOpBuilder &builder, ValueRange numbers,
                 Value buffer, ValueRange position);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_ALIGNMENT_H
