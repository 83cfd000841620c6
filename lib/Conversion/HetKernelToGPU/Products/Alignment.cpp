//===- Alignment.cpp - how many numbers a thread may move at once ---------===//

#include "Alignment.h"
#include "RGNN/Dialect/GPU/Utils/Limits.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;

/// What is known of the buffer that `view` is of: a power of two that divides
/// the address where it begins.
static int64_t getAlignment(Value view) {
  while (auto *op = view.getDefiningOp()) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return alloc.getAlignment().value_or(1);
    // The others say in their layout how far from the beginning they are.
    if (!isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
             memref::CastOp>(op))
      return 1;
    view = op->getOperand(0);
  }
  Block *owner = cast<BlockArgument>(view).getOwner();
  bool isTensor =
      isa<func::FuncOp>(owner->getParentOp()) && owner->isEntryBlock();
  return isTensor ? rgnn::tensorAlignment : 1;
}

int64_t hetkernel::getMovedAtOnce(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getRank() == 0 ||
      failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return 1;
  // All rows begin at multiples of it.
  int64_t bytes = std::max(8u, type.getElementTypeBitWidth()) / 8,
          atOnce = std::max<int64_t>(
              std::min(getAlignment(buffer), rgnn::tensorAlignment) / bytes, 1);
  SmallVector<int64_t> distances(ArrayRef(strides).drop_back());
  distances.append({offset, type.getShape().back()});
  for (int64_t distance : distances) {
    if (ShapedType::isDynamic(distance))
      return 1;
    atOnce = std::gcd(atOnce, distance);
  }
  return atOnce;
}

llvm::Align hetkernel::getVectorAlignment(VectorType numbers) {
  uint64_t bytes =
      numbers.getNumElements() * numbers.getElementTypeBitWidth() / 8;
  return llvm::Align(std::min<uint64_t>(bytes, rgnn::tensorAlignment));
}

void hetkernel::storeAtOnce(ImplicitLocOpBuilder &builder, ValueRange numbers,
                            Value buffer, ValueRange position) {
  auto type = VectorType::get(numbers.size(), numbers.front().getType());
  vector::StoreOp::create(
      builder, vector::FromElementsOp::create(builder, type, numbers), buffer,
      position, /*nontemporal=*/false, getVectorAlignment(type));
}
