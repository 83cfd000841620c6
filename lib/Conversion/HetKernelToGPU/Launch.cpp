//===- Launch.cpp - a launch that may have no blocks ----------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

gpu::LaunchOp hetkernel::enterLaunch(ImplicitLocOpBuilder &builder,
                                     ArrayRef<Value> blocks,
                                     ArrayRef<int64_t> threads) {
  Value total;
  for (Value count : blocks)
    if (!getConstantIntValue(count))
      total = total ? builder.createOrFold<arith::MulIOp>(total, count) : count;
  SmallVector<Value> block;
  for (int64_t count : threads)
    block.push_back(createIndex(builder, count));
  if (total) {
    Value any = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, total,
                                      createIndex(builder, 0));
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

int64_t hetkernel::getArgumentBytes(Type type) {
  // Two pointers, an offset, sizes and strides; or a number.
  auto memref = dyn_cast<MemRefType>(type);
  return memref ? 8 * (3 + 2 * memref.getRank()) : 8;
}

Location hetkernel::nameLocation(Location location, const Twine &name,
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

FailureOr<int64_t> hetkernel::getThreads(Operation *kernel,
                                         GemmScheduleAttr schedule,
                                         const LaunchOptions &options) {
  int64_t threads =
      schedule.getThreads() ? schedule.getThreads() : options.threads;
  int64_t lanes = schedule.getVectorWidth();
  if (lanes > threads || threads % lanes != 0)
    return kernel->emitOpError()
           << "expected vectors that divide a block of " << threads
           << " threads, got " << lanes << " lanes";
  return threads;
}

SmallVector<Value> hetkernel::getSizes(ImplicitLocOpBuilder &builder,
                                       Value buffer, int64_t first,
                                       int64_t last) {
  SmallVector<Value> sizes;
  for (int64_t dim = first; dim < last; ++dim)
    sizes.push_back(builder.createOrFold<memref::DimOp>(buffer, dim));
  return sizes;
}

Value hetkernel::multiply(ImplicitLocOpBuilder &builder, ValueRange sizes) {
  Value product = createIndex(builder, 1);
  for (Value size : sizes)
    product = builder.createOrFold<arith::MulIOp>(product, size);
  return product;
}

SmallVector<Value> hetkernel::delinearize(ImplicitLocOpBuilder &builder,
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

Value hetkernel::enterCoarse(ImplicitLocOpBuilder &builder, Value block,
                             Value tasks, int64_t coarsening) {
  if (coarsening == 1)
    return block;
  Value step = createIndex(builder, coarsening);
  Value begin = arith::MulIOp::create(builder, block, step);
  Value end = arith::AddIOp::create(builder, begin, step);
  return enterLoop(builder, begin, arith::MinUIOp::create(builder, end, tasks),
                   1);
}
