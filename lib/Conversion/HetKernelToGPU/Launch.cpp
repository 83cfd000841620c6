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
