//===- Dots.cpp - GEMMs of one column -------------------------------------===//
//
// A column has no vectors: lanes go along the inner dimension, and are added up
// at the end.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Whether elements along `dim` are side by side.
static bool isContiguous(MemRefType type, int64_t dim) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides[dim] == 1;
}

bool GemmLowering::isDot() {
  auto x = cast<MemRefType>(gemm.getX().getType()),
       weight = cast<MemRefType>(gemm.getWeight().getType());
  int64_t inner = x.getShape().back();
  return cast<MemRefType>(gemm.getOut().getType()).getShape().back() == 1 &&
         !ShapedType::isDynamic(inner) && schedule.getVectorWidth() > 1 &&
         inner >= schedule.getVectorWidth() &&
         isContiguous(x, x.getRank() - 1) &&
         isContiguous(weight,
                      weight.getRank() - (gemm.getTransposed() ? 1 : 2));
}

Value GemmLowering::getColumnOfWeight() {
  Value weight = gemm.getWeight();
  SmallVector<ReassociationIndices> dims;
  for (int64_t dim = 0, rank = cast<MemRefType>(weight.getType()).getRank();
       dim < rank - 1; ++dim)
    dims.push_back({dim});
  dims.back().push_back(dims.size());
  return memref::CollapseShapeOp::create(builder, weight, dims);
}

SmallVector<Value> GemmLowering::emitDots(Value column,
                                          ArrayRef<Value> listRows) {
  int64_t inner = cast<MemRefType>(gemm.getX().getType()).getShape().back(),
          width = schedule.getVectorWidth(), full = inner / width * width;
  SmallVector<Value> rows;
  for (Value row : listRows)
    rows.push_back(getRow(gemm.getGather(), row));
  auto addProducts = [&](Value k, int64_t lanes, SmallVector<Value> &sums) {
    Value factors = vectors.load(column, around(type, k), lanes);
    for (auto [row, sum] : llvm::zip(rows, sums))
      sum = vector::FMAOp::create(
          builder, vectors.load(gemm.getX(), around(row, k), lanes), factors,
          sum);
  };
  Value zero = arith::ConstantOp::create(
      builder, builder.getZeroAttr(vectors.getType(sumType)));
  SmallVector<Value> sums(rows.size(), zero);
  auto loop = scf::ForOp::create(builder, createIndex(builder, 0),
                                 createIndex(builder, full),
                                 createIndex(builder, width), sums);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    llvm::copy(loop.getRegionIterArgs(), sums.begin());
    addProducts(loop.getInductionVar(), width, sums);
    scf::YieldOp::create(builder, sums);
  }
  llvm::copy(loop.getResults(), sums.begin());
  if (full < inner)
    addProducts(createIndex(builder, full), inner - full, sums);
  for (auto [row, sum] : llvm::zip(listRows, sums)) {
    sum = vector::ReductionOp::create(builder, vector::CombiningKind::ADD, sum);
    if (gemm.getScale())
      sum = arith::MulFOp::create(builder, sum, load(gemm.getScale(), row));
  }
  return sums;
}
