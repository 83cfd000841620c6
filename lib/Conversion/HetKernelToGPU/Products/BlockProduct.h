//===- BlockProduct.h - products by blocks of threads -----------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_BLOCKPRODUCT_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_BLOCKPRODUCT_H

#include "../Launches.h"
#include "ProductCore.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <functional>

namespace mlir::hetkernel {

/// A factor of a product: rows of the first, columns of the second.
struct ProductOperand {
  Value source;
  /// Whether neighbours in memory are of one row (or column), so that the
  /// threads that load them side by side go along the sum.
  bool isSumContiguous;
  /// How many such neighbours a thread copies at once, of which `locate` gets
  /// the first. Those along rows (or columns) divide a block's.
  int64_t copiedAtOnce;
  /// What row or column `index` of the block is in `source`; computed once.
  std::function<Value(Value index)> locate;
  /// Where in `source` its term number `depth` of the sum is.
  std::function<SmallVector<Value>(Value place, Value depth)> getPosition;
  /// Whether there is a row (or column) `index`, for an asynchronous copy,
  /// which makes zeros of what is not there; null where `locate` gives one in
  /// its place. Many copies have one address in common then, and not each its
  /// own.
  std::function<Value(Value index)> exists = nullptr;
};

/// What a product runs on, beside threads.
struct ProductUnits {
  /// Copies to shared memory go past registers.
  bool asyncCopies;
  bool tensorCores;
  /// Tensor cores take less of a factor than it has.
  bool rounds;
};

/// What products of numbers of type `stored` may use.
ProductUnits getUnits(const LaunchOptions &options, Type stored);
/// Whether numbers of `source` are copied as they are, past registers.
bool isCopiedAsync(const ProductUnits &units, Value source, Type sumType);

/// Sums of products, `out[r, c] = sum over d of first[r, d] * second[c, d]`, of
/// the rows and columns of a block. Threads load both factors into shared
/// memory a few terms at a time, the next while they compute on the last; with
/// asynchronous copies, these need no registers.
class BlockProduct {
public:
  BlockProduct(ImplicitLocOpBuilder &builder, gpu::LaunchOp launch,
               BlockShape shape, Type sumType, ProductOperand first,
               ProductOperand second, ProductUnits units);

  /// What this thread has of the block, row by row, summed up over `depth`
  /// terms. All threads of the block come here. Each of `scales`, if any, is
  /// multiplied by one of its rows of the first factor.
  SmallVector<Value> emit(Value depth, ArrayRef<Value> scales = {});

  /// The rows and columns of the block that this thread has.
  ArrayRef<Value> getRows() const { return core->getRows(); }
  ArrayRef<Value> getColumns() const { return core->getColumns(); }
  int64_t getAdjacentColumns() const { return core->getAdjacentColumns(); }

private:
  /// A factor in shared memory.
  struct Tile {
    ProductOperand operand;
    int64_t size;
    SharedFactor shared;
    /// Where the elements that this thread copies begin: the place in the
    /// source, and the term and row (or column) in the tile.
    struct Copy {
      Value place, depth, index;
      /// Whether this thread has it, and whether it is there; null if all are.
      Value isOwn, exists;
    };
    SmallVector<Copy> copies;
  };

  Tile makeTile(gpu::LaunchOp launch, ProductOperand operand, int64_t size);
  /// Finds out what this thread copies.
  void locate(Tile &tile);
  /// Fills half `slot` with the terms from `begin`; zeros behind `depth`.
  void load(const Tile &tile, Value begin, Value depth, Value slot);
  void copy(const Tile &tile, const Tile::Copy &copy, Value begin, Value depth,
            Value slot);
  bool isAsync(const Tile &tile) {
    return isCopiedAsync(units, tile.operand.source, sumType);
  }

  ImplicitLocOpBuilder &builder;
  int64_t numThreads;
  Type sumType;
  ProductUnits units;
  Tile first, second;
  /// The number of this thread in its block.
  Value thread;
  std::unique_ptr<ProductCore> core;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_BLOCKPRODUCT_H
