//===- WarpVectors.h - vectors whose elements lanes share out ---*- C++ -*-===//
//
// Element `j` of a vector is in lane `j % 32`, as its number `j / 32`: lanes
// that lie side by side load and store addresses that do. Or a thread has all
// elements, as the only lane.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_WARPVECTORS_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_WARPVECTORS_H

#include "ElementMap.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::hetkernel {

/// What a lane has of a vector.
using Share = SmallVector<Value, 2>;

/// The number that changes nothing it is combined with; nullopt for kinds that
/// no kernel uses.
std::optional<TypedAttr> getNeutral(vector::CombiningKind kind, Type type);

/// Code of the lanes of a warp, all of which run it.
class WarpCode {
public:
  WarpCode(ImplicitLocOpBuilder &builder, Value lane)
      : builder(builder), lane(lane), numLanes(warpSize) {}
  /// Code of a thread by itself.
  explicit WarpCode(ImplicitLocOpBuilder &builder)
      : builder(builder), numLanes(1) {}

  bool isThread() { return numLanes == 1; }
  /// How many elements a lane has, those behind the last included; 1 for
  /// scalars.
  int64_t getShareSize(Type type);

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
  /// What lane `from` has.
  Value broadcast(Value value, int64_t from = 0);
  /// Combines what all lanes have.
  Value reduceLanes(Value value, vector::CombiningKind kind) {
    return reduceRuns({value}, numLanes, kind).front();
  }

  Value combine(Value a, Value b, vector::CombiningKind kind);

  /// Whether this lane has an element number `number`; null if all have.
  Value hasElement(int64_t number, int64_t numElements);
  /// The element that is number `number` of this lane.
  Value getElement(int64_t number);
  /// Null for a thread by itself.
  Value isFirstLane();

private:
  Value shuffle(Value value, Value lane, gpu::ShuffleMode mode);
  Share reduceRuns(ArrayRef<Value> source, int64_t run,
                   vector::CombiningKind kind);

  ImplicitLocOpBuilder &builder;
  /// Null for a thread by itself.
  Value lane;
  int64_t numLanes;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_WARPVECTORS_H
