//===- Words.cpp - values as arrays of 64-bit words -----------------------===//

#include "RGNN/Support/Words.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <limits>

using namespace mlir;
using namespace mlir::rgnn;

FailureOr<int64_t> WordCursor::numWords(Type type) {
  if (isa<IndexType, LLVM::LLVMPointerType>(type))
    return 1;
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64)
    return 1;
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return failure();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return failure();
  // The strides of an identity layout follow from its sizes.
  const int64_t openStrides = memref.getLayout().isIdentity()
                                  ? 0
                                  : llvm::count(strides, ShapedType::kDynamic);
  return 1 + ShapedType::isDynamic(offset) + memref.getNumDynamicDims() +
         openStrides;
}

Value WordCursor::address() {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::GEPOp::create(
      builder, loc, pointer, builder.getI64Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(word++)});
}

void WordCursor::store(Value value) {
  LLVM::StoreOp::create(builder, loc, value, address(), /*alignment=*/8);
}

Value WordCursor::load(Type llvmType) {
  return LLVM::LoadOp::create(builder, loc, llvmType, address(),
                              /*alignment=*/8);
}

static Value castTo(OpBuilder &builder, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(builder, loc, type, value)
      .getResult(0);
}

void WordCursor::write(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  Value lowered =
      castTo(builder, loc, converter.convertType(value.getType()), value);
  if (!type)
    return store(lowered);

  MemRefDescriptor descriptor(lowered);
  auto [strides, offset] = type.getStridesAndOffset();
  store(descriptor.alignedPtr(builder, loc));
  if (ShapedType::isDynamic(offset))
    store(descriptor.offset(builder, loc));
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      store(descriptor.size(builder, loc, dim));
  if (type.getLayout().isIdentity())
    return;
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (ShapedType::isDynamic(stride))
      store(descriptor.stride(builder, loc, dim));
}

FailureOr<int64_t> WordCursor::numParameters(Type type) {
  if (failed(numWords(type)))
    return failure();
  auto memref = dyn_cast<MemRefType>(type);
  return memref ? 3 + 2 * memref.getRank() : 1;
}

void WordCursor::writeParameters(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return write(value);
  MemRefDescriptor descriptor(
      castTo(builder, loc, converter.convertType(type), value));
  store(descriptor.allocatedPtr(builder, loc));
  store(descriptor.alignedPtr(builder, loc));
  store(descriptor.offset(builder, loc));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    store(descriptor.size(builder, loc, dim));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    store(descriptor.stride(builder, loc, dim));
}

Value WordCursor::read(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return readMemRef(memref);
  return castTo(builder, loc, type, load(converter.convertType(type)));
}

Value WordCursor::readMemRef(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  MemRefDescriptor descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  Value pointer = load(descriptor.getElementPtrType());
  descriptor.setAllocatedPtr(builder, loc, pointer);
  descriptor.setAlignedPtr(builder, loc, pointer);
  if (ShapedType::isDynamic(offset))
    descriptor.setOffset(builder, loc, load(descriptor.getIndexType()));
  else
    descriptor.setConstantOffset(builder, loc, offset);

  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    sizes.push_back(ShapedType::isDynamic(size)
                        ? load(descriptor.getIndexType())
                        : LLVM::ConstantOp::create(
                              builder, loc, descriptor.getIndexType(), size)
                              .getResult());
    descriptor.setSize(builder, loc, dim, sizes.back());
  }
  if (!type.getLayout().isIdentity()) {
    for (auto [dim, stride] : llvm::enumerate(strides)) {
      if (ShapedType::isDynamic(stride))
        descriptor.setStride(builder, loc, dim,
                             load(descriptor.getIndexType()));
      else
        descriptor.setConstantStride(builder, loc, dim, stride);
    }
    return castTo(builder, loc, type, descriptor);
  }
  Value running;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (!ShapedType::isDynamic(strides[dim]))
      running = LLVM::ConstantOp::create(
          builder, loc, descriptor.getIndexType(), strides[dim]);
    descriptor.setStride(builder, loc, dim, running);
    if (dim > 0 && ShapedType::isDynamic(strides[dim - 1]))
      running = LLVM::MulOp::create(builder, loc, running, sizes[dim],
                                    LLVM::IntegerOverflowFlags::nsw);
  }
  return castTo(builder, loc, type, descriptor);
}

Value WordCursor::readWorkspace(MemRefType type) {
  MemRefDescriptor descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  Value pointer = load(descriptor.getElementPtrType());
  descriptor.setAllocatedPtr(builder, loc, pointer);
  descriptor.setAlignedPtr(builder, loc, pointer);
  descriptor.setConstantOffset(builder, loc, 0);
  descriptor.setConstantSize(builder, loc, 0,
                             std::numeric_limits<int64_t>::max());
  descriptor.setConstantStride(builder, loc, 0, 1);
  return castTo(builder, loc, type, descriptor);
}
