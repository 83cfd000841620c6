//===- LinearChain.h - products of rows that follow each other --*- C++ -*-===//
//
// `(x W + b) V`: a product of rows, the products of what it makes, and what is
// between. Biases, slices, heads and gathers may be: what is done to the
// columns of rows can be done to those of the weight and of the bias, and rows
// of `x` move as those of the product do.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_ANALYSIS_LINEARCHAIN_H
#define RGNN_DIALECT_RGNN_ANALYSIS_LINEARCHAIN_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {

/// The product of the nodes of one type, which a `concat_types` joins to those
/// of all types.
struct NodeTypeProduct {
  LinearOp product;
  Value bias; // null where nothing is added
};

/// A product whose rows other products multiply.
struct FirstProduct {
  /// LinearOp, TypedLinearOp or ConcatTypesOp.
  Operation *op = nullptr;
  /// What the latter joins.
  SmallVector<NodeTypeProduct> ofTypes;

  static std::optional<FirstProduct> match(Operation *op);

  Value getX() const {
    return ofTypes.empty() ? op->getOperand(0)
                           : ofTypes[0].product->getOperand(0);
  }
  /// The numbers that each column of a row is a sum of.
  int64_t getInner() const { return getRowShape(getX().getType()).back(); }
  /// Whether rows of `x` have heads.
  bool hasHeads() const { return getRowShape(getX().getType()).size() > 1; }
};

/// A product that multiplies rows of another one, and the ops that these come
/// through, in their order.
struct LinearChain {
  SmallVector<Operation *> steps;
  Operation *second = nullptr;
};

/// Columns of the rows of a first product that are read together: all of them,
/// or a slice that shares none with others.
struct ReadColumns {
  /// What the columns come through that all chains share, and its result.
  SmallVector<Operation *> steps;
  Value rows;
  SmallVector<LinearChain> chains;
  /// Whether something else than the chains reads them.
  bool isReadOtherwise = false;
  /// Why a product behind something else is in no chain.
  Refusal barrier;
};

SmallVector<ReadColumns> findReadColumns(const FirstProduct &first);

/// What `map` adds to each of `rows`, or to each of a type: a tensor without
/// rows, or the gather of rows on types. Null where `map` does something else.
Value getBias(MapOp map, Value rows);

/// The bias that a step of a chain adds; null where it is another step.
Value getBias(const FirstProduct &first, ArrayRef<Operation *> steps,
              size_t number);

/// What the first dimension of a weight or bias enumerates.
struct TypeIndex {
  /// EType or NType; nothing where all rows share it.
  std::optional<Path> type;
  /// The end of an edge, Src or Dst, whose node the type is of.
  std::optional<Path> end;
  /// How many there are, if known.
  int64_t count = 0;
};

/// The index of the weight of `first`, or of the bias that a step adds, behind
/// `steps`.
TypeIndex getWeightIndex(const FirstProduct &first,
                         ArrayRef<Operation *> steps);
TypeIndex getBiasIndex(Value bias, ArrayRef<Operation *> steps);

/// The node types at `end` of each edge type, as far as `second` multiplies by
/// edge type and its schema says them, one for each of its weights and all
/// below `count`.
std::optional<ArrayRef<int64_t>> getNodeTypes(Operation *second, Path end,
                                              int64_t count);

/// Why the weights of `chain` have no product.
Refusal whyNotComposed(const FirstProduct &first, const LinearChain &chain);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_ANALYSIS_LINEARCHAIN_H
