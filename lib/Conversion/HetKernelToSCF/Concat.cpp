//===- Concat.cpp - copies of buffers one after another -------------------===//

#include "Lowering.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Rows of a task: one thread copies slower than memory can.
static constexpr int64_t taskRows = 1024;

/// `count` rows of `buffer` from row `first` on.
static Value takeRows(ImplicitLocOpBuilder &builder, Value buffer, Value first,
                      Value count) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      strides(type.getRank(), builder.getIndexAttr(1)), sizes{count};
  offsets[0] = first;
  for (int64_t size : type.getShape().drop_front())
    sizes.push_back(builder.getIndexAttr(size));
  return memref::SubViewOp::create(builder, buffer, offsets, sizes, strides);
}

/// Copies rows of nodes, in tasks where they are many.
static void copyRows(ImplicitLocOpBuilder &builder, Value from, Value to,
                     Value offset, Value rows, int64_t serialBelow) {
  int64_t width = ShapedType::getNumElements(
      cast<MemRefType>(from.getType()).getShape().drop_front());
  Value isSerial;
  if (serialBelow > 0) {
    Value work =
        arith::MulIOp::create(builder, rows, createIndex(builder, width));
    isSerial = isBelow(builder, work, serialBelow);
  }
  OpBuilder::InsertionGuard guard(builder);
  auto [begin, end] = enterTasks(builder, rows, taskRows, isSerial);
  Value count = arith::SubIOp::create(builder, end, begin);
  Value place = arith::AddIOp::create(builder, offset, begin);
  memref::CopyOp::create(builder, takeRows(builder, from, begin, count),
                         takeRows(builder, to, place, count));
}

LogicalResult hetkernel::lowerConcat(ConcatOp concat, int64_t serialBelow) {
  for (Value buffer : concat->getOperands())
    if (!isa<MemRefType>(buffer.getType()))
      return concat.emitOpError("expected buffers, got ") << buffer.getType();
  ImplicitLocOpBuilder builder(concat.getLoc(), concat);
  Value zero = createIndex(builder, 0), offset = zero;
  for (Value part : concat.getParts()) {
    auto type = cast<MemRefType>(part.getType());
    Value rows = builder.createOrFold<memref::DimOp>(part, zero);
    if (type.isDynamicDim(0))
      copyRows(builder, part, concat.getOut(), offset, rows, serialBelow);
    else
      memref::CopyOp::create(builder, part,
                             takeRows(builder, concat.getOut(), offset, rows));
    offset = builder.createOrFold<arith::AddIOp>(offset, rows);
  }
  concat.erase();
  return success();
}
