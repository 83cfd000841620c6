//===- Sizes.h - which sizes of tensors are equal ---------------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_SIZES_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_SIZES_H

#include "Arguments.h"

#include "mlir/IR/Builders.h"

namespace mlir::rgnn::lift {

/// Up to which number a product of a size is a sum: of relations, say.
constexpr int64_t maxFactor = 1024;

/// A size of a tensor: a sum of symbols and a constant.
struct Size {
  int64_t constant = 0;
  SmallVector<unsigned, 2> symbols; // sorted

  static Size of(int64_t constant) { return {constant, {}}; }
  bool operator==(const Size &other) const {
    return constant == other.constant && symbols == other.symbols;
  }
  bool operator!=(const Size &other) const { return !(*this == other); }
};

/// What is known of the sizes of tensors. Each unknown size is a symbol, and
/// symbols are replaced as sizes turn out to be equal.
class Sizes {
public:
  Size of(Value tensor, int64_t dim);
  /// The size that a symbolic integer holds.
  Size of(Value integer);
  /// The size that an argument gives: an integer or a symbolic one.
  std::optional<Size> of(Arguments arguments, unsigned i);
  /// Element `i` of the list of sizes that argument `list` is; nothing where it
  /// is negative: left open.
  std::optional<Size> ofElement(Arguments arguments, unsigned list, unsigned i);
  Size sum(ArrayRef<Size> sizes);
  Size multiply(const Size &size, int64_t factor);
  /// A `factor`-th of a size; nothing where it is not known to be whole.
  std::optional<Size> divide(const Size &size, int64_t factor);
  /// Records that the program would have failed were they not equal.
  void unify(Size a, Size b);
  bool equal(const Size &a, const Size &b);
  /// The sizes of arguments, and a number behind them, that a size is the sum
  /// of; none where it is itself one of these, or there is more to it.
  SmallVector<Size> getTerms(const Size &size);

  /// Computes the size as an `index`.
  Value emit(OpBuilder &builder, Location loc, const Size &size);
  /// The values that this reads.
  SmallVector<Value> getSources(const Size &size);

private:
  struct Symbol {
    Value value;
    int64_t dim; // -1: the value is itself the size
    std::optional<Size> replacement;
  };
  Size canonical(const Size &size);
  /// The same as one size of an argument, where it is a sum of several that is
  /// equal to one.
  Size inArguments(const Size &size);
  Size symbol(Value value, int64_t dim);

  std::vector<Symbol> symbols;
  llvm::DenseMap<std::pair<Value, int64_t>, unsigned> ids;
};

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_SIZES_H
