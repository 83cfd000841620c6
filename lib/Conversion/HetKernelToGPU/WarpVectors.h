//===- WarpVectors.h - vectors whose elements lanes share out ---*- C++ -*-===//
//
// Element `j` of a vector is in lane `j % 32`, as its number `j / 32`: lanes
// that lie side by side load and store addresses that do.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_WARPVECTORS_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_WARPVECTORS_H

#include "Lowering.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::hetkernel {

constexpr int64_t warpSize = 32;

/// What a lane has of a vector.
using Share = SmallVector<Value, 2>;

/// How many elements a lane has, those behind the last included.
int64_t getShareSize(VectorType type);

/// Which element of one vector another has at each of its places: element `j`,
/// whose indices are `i...`, is element `offset + sum of i * strides`.
struct ElementMap {
  SmallVector<int64_t> sizes, strides;
  int64_t offset = 0;

  int64_t getNumElements() const;
  int64_t get(int64_t element) const;
  Value get(ImplicitLocOpBuilder &builder, Value element) const;
};

/// The number that changes nothing it is combined with; nullopt for kinds that
/// no kernel uses.
std::optional<TypedAttr> getNeutral(vector::CombiningKind kind, Type type);

/// The strides of dense elements of `sizes`.
SmallVector<int64_t> getDenseStrides(ArrayRef<int64_t> sizes);

/// Code of the lanes of a warp, all of which run it.
class WarpCode {
public:
  WarpCode(ImplicitLocOpBuilder &builder, Value lane)
      : builder(builder), lane(lane) {}

  /// The vector of the elements that `map` picks of `source`; anything for
  /// those that `isPicked` leaves out, null where no lane has another.
  Share pick(ArrayRef<Value> source, const ElementMap &map,
             function_ref<bool(int64_t)> isPicked = nullptr);
  /// Combines the elements of `source` along the dimensions that `isReduced`
  /// marks.
  Share reduce(ArrayRef<Value> source, VectorType type,
               ArrayRef<bool> isReduced, vector::CombiningKind kind);
  /// Combines all elements; every lane has the result.
  Value reduceAll(ArrayRef<Value> source, int64_t numElements,
                  vector::CombiningKind kind);
  /// What lane 0 has.
  Value broadcastFirst(Value value) {
    return shuffle(value, createIndex(builder, 0), gpu::ShuffleMode::IDX);
  }

  /// Whether this lane has an element number `number`; null if all have.
  Value hasElement(int64_t number, int64_t numElements);
  /// The element that is number `number` of this lane.
  Value getElement(int64_t number);
  Value isFirstLane();

private:
  Value shuffle(Value value, Value lane, gpu::ShuffleMode mode);
  Value combine(Value a, Value b, vector::CombiningKind kind);
  Share reduceRuns(ArrayRef<Value> source, int64_t run,
                   vector::CombiningKind kind);

  ImplicitLocOpBuilder &builder;
  Value lane;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_WARPVECTORS_H
