//===- Concat.cpp - copies of buffers one after another -------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

LogicalResult hetkernel::lowerConcat(ConcatOp concat) {
  for (Value buffer : concat->getOperands())
    if (!isa<MemRefType>(buffer.getType()))
      return concat.emitOpError("expected buffers, got ") << buffer.getType();
  ImplicitLocOpBuilder builder(concat.getLoc(), concat);
  Value zero = createIndex(builder, 0), offset = zero;
  for (Value part : concat.getParts()) {
    auto type = cast<MemRefType>(part.getType());
    Value rows = builder.createOrFold<memref::DimOp>(part, zero);
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
        strides(type.getRank(), builder.getIndexAttr(1)), sizes;
    offsets[0] = offset;
    sizes.push_back(rows);
    for (int64_t size : type.getShape().drop_front())
      sizes.push_back(builder.getIndexAttr(size));
    Value place = memref::SubViewOp::create(builder, concat.getOut(), offsets,
                                            sizes, strides);
    memref::CopyOp::create(builder, part, place);
    offset = builder.createOrFold<arith::AddIOp>(offset, rows);
  }
  concat.erase();
  return success();
}
