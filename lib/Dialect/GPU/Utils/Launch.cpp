//===- Launch.cpp - launches, and what they take from the host ------------===//

#include "RGNN/Dialect/GPU/Utils/Launch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

gpu::LaunchOp rgnn::enterLaunch(ImplicitLocOpBuilder &builder,
                                ArrayRef<Value> blocks,
                                ArrayRef<int64_t> threads) {
  Value total;
  for (Value count : blocks)
    if (!getConstantIntValue(count))
      total = total ? builder.createOrFold<arith::MulIOp>(total, count) : count;
  SmallVector<Value> block;
  for (int64_t count : threads)
    block.push_back(arith::ConstantIndexOp::create(builder, count));
  if (total) {
    Value any =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, total,
                              arith::ConstantIndexOp::create(builder, 0));
    auto guarded = scf::IfOp::create(builder, any, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  auto launch = gpu::LaunchOp::create(builder, blocks[0], blocks[1], blocks[2],
                                      block[0], block[1], block[2]);
  builder.setInsertionPointToStart(&launch.getBody().front());
  gpu::TerminatorOp::create(builder);
  builder.setInsertionPointToStart(&launch.getBody().front());
  return launch;
}

Operation *rgnn::getSinkable(Value memref) {
  Operation *op = memref.getDefiningOp();
  bool isView =
      isa_and_nonnull<ViewLikeOpInterface>(op) && op->getNumOperands() == 1;
  return isView || isa_and_nonnull<memref::GetGlobalOp>(op) ? op : nullptr;
}

Value rgnn::getCaptured(Value memref) {
  for (Operation *op = getSinkable(memref); op && op->getNumOperands() == 1;
       op = getSinkable(memref))
    memref = op->getOperand(0);
  return memref;
}

Value rgnn::addSharedBuffer(gpu::LaunchOp launch, ArrayRef<int64_t> sizes,
                            Type type, Location loc) {
  auto space = gpu::AddressSpaceAttr::get(
      launch.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return launch.addWorkgroupAttribution(
      MemRefType::get(sizes, type, MemRefLayoutAttrInterface(), space), loc);
}

int64_t rgnn::getArgumentBytes(Type type) {
  // Two pointers, an offset, sizes and strides; or a number.
  auto memref = dyn_cast<MemRefType>(type);
  return memref ? 8 * (3 + 2 * memref.getRank()) : 8;
}

Location rgnn::nameLocation(Location location, const Twine &name,
                            ValueRange buffers) {
  std::string text = name.str();
  llvm::raw_string_ostream os(text);
  for (Value buffer : buffers)
    if (auto type = dyn_cast<MemRefType>(buffer.getType())) {
      os << ' ';
      for (int64_t size : type.getShape())
        (ShapedType::isDynamic(size) ? os << '?' : os << size) << 'x';
      os << type.getElementType();
    }
  return NameLoc::get(StringAttr::get(location.getContext(), text), location);
}

SmallVector<Value> rgnn::getSizes(ImplicitLocOpBuilder &builder, Value buffer,
                                  int64_t first, int64_t last) {
  SmallVector<Value> sizes;
  for (int64_t dim = first; dim < last; ++dim)
    sizes.push_back(builder.createOrFold<memref::DimOp>(buffer, dim));
  return sizes;
}

Value rgnn::multiply(ImplicitLocOpBuilder &builder, ValueRange sizes) {
  Value product = arith::ConstantIndexOp::create(builder, 1);
  for (Value size : sizes)
    product = builder.createOrFold<arith::MulIOp>(product, size);
  return product;
}

SmallVector<Value> rgnn::delinearize(ImplicitLocOpBuilder &builder,
                                     Value number, ValueRange sizes) {
  SmallVector<Value> indices(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 1;) {
    indices[dim] = arith::RemUIOp::create(builder, number, sizes[dim]);
    number = arith::DivUIOp::create(builder, number, sizes[dim]);
  }
  if (!sizes.empty())
    indices[0] = number;
  return indices;
}
