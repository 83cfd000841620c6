//===- Tensor.h - numbers as the reference interpreter holds them -*- C++
//-*-===//

#ifndef RGNN_REFERENCE_TENSOR_H
#define RGNN_REFERENCE_TENSOR_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

#include <vector>

namespace mlir::rgnn::reference {

/// A dense tensor in row-major order, or a scalar, whose shape is empty.
/// Integers are held as doubles too: exact up to 2^53, far above any index.
struct Tensor {
  SmallVector<int64_t> shape;
  std::vector<double> values;

  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const { return values.size(); }

  /// Number of rows, and of elements in each: the first dimension, and the
  /// product of the others. A tensor of rank 0 is one row.
  int64_t getNumRows() const { return shape.empty() ? 1 : shape.front(); }
  int64_t getRowSize() const {
    int64_t size = 1;
    for (int64_t dim : ArrayRef(shape).drop_front(shape.empty() ? 0 : 1))
      size *= dim;
    return size;
  }
  MutableArrayRef<double> getRow(int64_t row) {
    return MutableArrayRef(values).slice(row * getRowSize(), getRowSize());
  }
  ArrayRef<double> getRow(int64_t row) const {
    return ArrayRef(values).slice(row * getRowSize(), getRowSize());
  }

  static Tensor scalar(double value) { return {{}, {value}}; }
};

/// A tensor of zeros; an error at `op` where it would have more elements than
/// a reference evaluation should (2^26) or a negative size.
FailureOr<Tensor> makeZeros(Operation *op, ArrayRef<int64_t> shape);

/// The numbers of a constant; an error at `op` where it holds anything else.
FailureOr<Tensor> makeConstant(Operation *op, Attribute value);

/// `value` as the element type holds it: the nearest f32, bf16, ... of it.
/// Integer types leave it as it is.
double roundTo(double value, Type elementType);

/// A place where two tensors differ, and by how much.
struct Difference {
  SmallVector<int64_t> index;
  double expected, got;
};

/// The first element with `|got - expected| > bound(expected)`. NaN equals NaN,
/// and an infinity only itself. Shapes must be equal.
std::optional<Difference> findDifference(const Tensor &got,
                                         const Tensor &expected,
                                         function_ref<double(double)> bound);

/// "2x3", or "scalar".
std::string formatShape(ArrayRef<int64_t> shape);
/// "[1, 2]".
std::string formatIndex(ArrayRef<int64_t> index);
/// Nine significant digits; every NaN is "nan".
std::string formatNumber(double value);

} // namespace mlir::rgnn::reference

#endif // RGNN_REFERENCE_TENSOR_H
