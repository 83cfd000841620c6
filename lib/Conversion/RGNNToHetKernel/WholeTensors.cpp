//===- WholeTensors.cpp - maps and reductions of tensors without rows -----===//

#include "Converter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;

Value rgnn::emitMap(OpBuilder &builder, MapOp op, ValueRange inputs) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  int64_t rank = type.getRank();
  SmallVector<AffineMap> maps;
  for (Value input : inputs) {
    auto shape = cast<RankedTensorType>(input.getType()).getShape();
    SmallVector<AffineExpr> dims;
    for (auto [dim, size] : llvm::enumerate(shape))
      dims.push_back(size == 1
                         ? builder.getAffineConstantExpr(0)
                         : builder.getAffineDimExpr(rank - shape.size() + dim));
    maps.push_back(AffineMap::get(rank, 0, dims, builder.getContext()));
  }
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  Value out = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                      type.getElementType());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, op.getLoc(), type, inputs, out, maps, loops,
             [&](OpBuilder &inner, Location loc, ValueRange arguments) {
               IRMapping mapping;
               Block &body = op.getBody().front();
               mapping.map(body.getArguments(),
                           arguments.take_front(inputs.size()));
               for (Operation &nested : body.without_terminator())
                 inner.clone(nested, mapping);
               auto yield = cast<rgnn::YieldOp>(body.getTerminator());
               linalg::YieldOp::create(
                   inner, loc, mapping.lookupOrDefault(yield.getValues()[0]));
             })
      .getResult(0);
}

/// The number that changes nothing. A mean is a sum until it is divided.
static Value createNeutral(OpBuilder &builder, Location loc, Reduction kind,
                           FloatType type) {
  double infinity = std::numeric_limits<double>::infinity();
  double value = kind == Reduction::Max   ? -infinity
                 : kind == Reduction::Min ? infinity
                                          : 0.0;
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

static Value combine(OpBuilder &builder, Location loc, Reduction kind, Value a,
                     Value b) {
  switch (kind) {
  case Reduction::Sum:
  case Reduction::Mean:
    return arith::AddFOp::create(builder, loc, a, b);
  case Reduction::Max:
    return arith::MaximumFOp::create(builder, loc, a, b);
  case Reduction::Min:
    return arith::MinimumFOp::create(builder, loc, a, b);
  }
  llvm_unreachable("all reductions are handled");
}

Value rgnn::emitReduction(OpBuilder &builder, ReduceFeaturesOp op,
                          Value input) {
  Location loc = op.getLoc();
  auto from = cast<RankedTensorType>(input.getType());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto wide = cast<FloatType>(getComputeType(type.getElementType()));
  int64_t rank = from.getRank(), dim = op.getDim();

  // What is reduced is the innermost loop.
  SmallVector<AffineExpr> kept, place;
  for (int64_t i = 0; i < rank - 1; ++i)
    kept.push_back(builder.getAffineDimExpr(i));
  place = kept;
  place.insert(place.begin() + dim, builder.getAffineDimExpr(rank - 1));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops.back() = utils::IteratorType::reduction;
  Value start =
      linalg::FillOp::create(
          builder, loc, createNeutral(builder, loc, op.getKind(), wide),
          tensor::EmptyOp::create(builder, loc, type.getShape(), wide)
              .getResult())
          .getResult(0);
  Value reduced = linalg::GenericOp::create(
                      builder, loc, start.getType(), input, start,
                      {AffineMap::get(rank, 0, place, builder.getContext()),
                       AffineMap::get(rank, 0, kept, builder.getContext())},
                      loops,
                      [&](OpBuilder &inner, Location at, ValueRange arguments) {
                        Value next = arguments[0];
                        if (next.getType() != wide)
                          next = arith::ExtFOp::create(inner, at, wide, next);
                        linalg::YieldOp::create(inner, at,
                                                combine(inner, at, op.getKind(),
                                                        arguments[1], next));
                      })
                      .getResult(0);
  if (op.getKind() != Reduction::Mean && wide == type.getElementType())
    return reduced;

  // Divided, and rounded once.
  AffineMap each = builder.getMultiDimIdentityMap(rank - 1);
  loops.assign(rank - 1, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, reduced,
             tensor::EmptyOp::create(builder, loc, type.getShape(),
                                     type.getElementType())
                 .getResult(),
             {each, each}, loops,
             [&](OpBuilder &inner, Location at, ValueRange arguments) {
               Value value = arguments[0];
               if (op.getKind() == Reduction::Mean)
                 value = arith::DivFOp::create(
                     inner, at, value,
                     arith::ConstantOp::create(
                         inner, at,
                         inner.getFloatAttr(
                             wide, static_cast<double>(from.getDimSize(dim)))));
               if (wide != type.getElementType())
                 value = arith::TruncFOp::create(inner, at,
                                                 type.getElementType(), value);
               linalg::YieldOp::create(inner, at, value);
             })
      .getResult(0);
}
