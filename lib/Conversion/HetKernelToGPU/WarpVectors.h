//===- WarpVectors.h - vectors whose elements lanes share out ---*- C++ -*-===//
//
// Element `j` of a vector is in lane `j % 32`, as its number `j / 32`: lanes
// that lie side by side load and store addresses that do.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_WARPVECTORS_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_WARPVECTORS_H

#include "ElementMap.h"

namespace mlir::hetkernel {

/// What a lane has of a vector.
using Share = SmallVector<Value, 2>;

/// How many elements a lane has, those behind the last included.
int64_t getShareSize(VectorType type);

/// Whether `op` itself takes or makes vectors.
bool hasVectors(Operation *op);

/// The number that changes nothing it is combined with; nullopt for kinds that
/// no kernel uses.
std::optional<TypedAttr> getNeutral(vector::CombiningKind kind, Type type);

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
