//===- ElementMap.cpp - elements of vectors made of those of others -------===//

#include "ElementMap.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::hetkernel;

SmallVector<int64_t> hetkernel::getDenseStrides(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (size_t dim = sizes.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * sizes[dim];
  return strides;
}

int64_t ElementMap::getNumElements() const {
  return ShapedType::getNumElements(sizes);
}

int64_t ElementMap::get(int64_t element) const {
  int64_t result = offset;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    result += element % sizes[dim] * strides[dim];
    element /= sizes[dim];
  }
  return result;
}

Value ElementMap::get(ImplicitLocOpBuilder &builder, Value element) const {
  Value result = createIndex(builder, offset);
  for (size_t dim = sizes.size(); dim-- > 0;) {
    Value size = createIndex(builder, sizes[dim]);
    if (strides[dim] != 0) {
      Value index = builder.createOrFold<arith::RemUIOp>(element, size);
      result = builder.createOrFold<arith::AddIOp>(
          result, builder.createOrFold<arith::MulIOp>(
                      index, createIndex(builder, strides[dim])));
    }
    if (dim > 0)
      element = builder.createOrFold<arith::DivUIOp>(element, size);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Maps of ops
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getShape(Value vector) {
  return SmallVector<int64_t>(cast<VectorType>(vector.getType()).getShape());
}

static std::optional<ElementMap> getMap(vector::BroadcastOp broadcast) {
  if (!isa<VectorType>(broadcast.getSourceType()))
    return std::nullopt;
  SmallVector<int64_t> source = getShape(broadcast.getSource());
  ElementMap map{getShape(broadcast), {}, 0};
  map.strides.resize(map.sizes.size() - source.size(), 0);
  // A dimension of one element repeats it.
  for (auto [size, stride] : llvm::zip(source, getDenseStrides(source)))
    map.strides.push_back(size == 1 ? 0 : stride);
  return map;
}

static ElementMap getMap(vector::ExtractStridedSliceOp slice) {
  ElementMap map{getShape(slice), getDenseStrides(getShape(slice.getSource())),
                 0};
  for (auto [offset, stride] : llvm::zip(slice.getOffsets(), map.strides))
    map.offset += cast<IntegerAttr>(offset).getInt() * stride;
  return map;
}

static ElementMap getMap(vector::TransposeOp transpose) {
  ElementMap map{getShape(transpose), {}, 0};
  SmallVector<int64_t> dense = getDenseStrides(getShape(transpose.getVector()));
  for (int64_t dim : transpose.getPermutation())
    map.strides.push_back(dense[dim]);
  return map;
}

/// A scalar goes to all lanes.
static ElementMap getMap(vector::ExtractOp extract) {
  ElementMap map{{warpSize}, {0}, 0};
  if (isa<VectorType>(extract.getType()))
    map = {getShape(extract), getDenseStrides(getShape(extract)), 0};
  for (auto [index, stride] :
       llvm::zip(extract.getStaticPosition(),
                 getDenseStrides(getShape(extract.getSource()))))
    map.offset += index * stride;
  return map;
}

std::optional<ElementMap> hetkernel::getPickedElements(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ElementMap>>(op)
      .Case<vector::BroadcastOp, vector::ExtractStridedSliceOp,
            vector::TransposeOp, vector::ExtractOp>(
          [](auto op) { return getMap(op); })
      .Default([](Operation *) { return std::nullopt; });
}
