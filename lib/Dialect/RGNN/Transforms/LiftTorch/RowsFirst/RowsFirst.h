//===- RowsFirst.h - rows that another dimension is in front of -*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ROWSFIRST_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ROWSFIRST_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "llvm/ADT/StringSet.h"

namespace mlir::rgnn::lift {

/// The only dimension of dynamic size.
std::optional<int64_t> getRowDim(Type type);

/// `elements`, one for each dimension, with that of the rows in front.
template <typename T>
SmallVector<T> bringToFront(ArrayRef<T> elements, int64_t rows) {
  SmallVector<T> result{elements[rows]};
  llvm::append_range(result, elements.take_front(rows));
  llvm::append_range(result, elements.drop_front(rows + 1));
  return result;
}

/// Dimension `dim` of a tensor whose rows come to the front.
inline int64_t getMovedDim(int64_t dim, int64_t rows) {
  return dim == rows ? 0 : dim < rows ? dim + 1 : dim;
}

/// Writes the operators of a block once more whose tensors have a known
/// dimension, or more, in front of the rows: the only one of dynamic size, or
/// one of known size that lists pick from or add up into.
class RowsFirst {
public:
  /// `elementwise` has the names of operators that compute each element of the
  /// result from those in the same place.
  RowsFirst(Block &block, llvm::StringSet<> elementwise)
      : block(block), elementwise(std::move(elementwise)),
        builder(block.getParentOp()->getContext()),
        loc(builder.getUnknownLoc()) {}

  void run();

private:
  bool move(TorchOp op);
  bool moveElementwise(TorchOp op);
  /// A tensor of one number, or one repeated, in the sizes of list `sizes`.
  bool moveFill(TorchOp op, unsigned sizes);
  /// What works on a dimension of its first operand, or a list of some, as
  /// argument `dims`.
  bool moveOfDims(TorchOp op, unsigned dims);
  bool moveJoin(TorchOp op);
  bool moveView(TorchOp op);
  bool movePermutation(TorchOp op);
  bool moveColumns(TorchOp op);
  bool moveProduct(TorchOp op);
  bool movePick(TorchOp op);
  bool moveScatter(TorchOp op);
  bool moveSums(TorchOp op);

  /// A tensor with its rows, dimension `rows` of what it stands for, first.
  struct Moved {
    Value first;
    int64_t rows;
  };

  /// Which dimension of a tensor the rows are, if they are the first one, or
  /// the tensor has a form in which they are.
  std::optional<int64_t> getDim(Value value) const;
  /// The form of `value` in which they are first; itself where it has none.
  Value getFirst(Value value) const;
  /// Which dimension of the result the rows are, where operands are broadcast.
  std::optional<int64_t> getBroadcastDim(TorchOp op) const;
  /// `value` with rows first, as what is broadcast to `rank` dimensions whose
  /// dimension `rows` the rows are; null where that is not known.
  Value bring(Value value, int64_t rank, int64_t rows);
  /// The same of a tensor of known sizes, dimension `rows` of which comes
  /// first.
  Value bringStatic(Value value, int64_t rows);
  /// All operands so; none where one cannot be.
  SmallVector<Value> bringOperands(TorchOp op, int64_t rank, int64_t rows);
  Value reshape(Value value, ArrayRef<int64_t> shape);
  TorchOp create(StringRef name, TypeRange types, ValueRange operands,
                 ArrayRef<Attribute> args);
  /// Takes `first` for `captured` with its rows, dimension `rows`, first.
  void setForm(Value captured, Value first, int64_t rows);
  /// Takes the results of an operator like `op` for its own, with their rows,
  /// dimension `rows` where the type does not say it, first.
  void set(TorchOp op, int64_t rows, StringRef name, ValueRange operands,
           ArrayRef<Attribute> args);

  Block &block;
  llvm::StringSet<> elementwise;
  OpBuilder builder;
  Location loc; // of the operator at hand
  llvm::DenseMap<Value, Moved> moved;
  SmallVector<TorchOp> written; // those that are written once more
};

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ROWSFIRST_H
