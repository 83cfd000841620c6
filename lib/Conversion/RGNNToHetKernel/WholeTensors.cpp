//===- WholeTensors.cpp - ops on tensors without rows ---------------------===//

#include "Converter.h"

#include "RGNN/Conversion/RGNNToHetKernel/WholeTensorOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

#include "RGNN/Conversion/RGNNToHetKernel/WholeTensorOpInterface.cpp.inc"

namespace mlir::rgnn {

/// An uninitialised tensor of the result's type.
static Value createOut(Operation *op, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                 type.getElementType());
}

/// Broadcast by PyTorch's rules.
static FailureOr<Value> emitWhole(MapOp op, Converter &converter,
                                  ValueRange inputs) {
  OpBuilder &builder = converter.builder;
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

static Value createNeutral(OpBuilder &builder, Location loc, Reduction kind,
                           FloatType type) {
  return arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(type, getNeutral(kind)));
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
  case Reduction::Mul:
    return arith::MulFOp::create(builder, loc, a, b);
  }
  llvm_unreachable("all reductions are handled");
}

/// A scalar of two, the first of which may be what earlier ones gave.
using Combine = function_ref<Value(OpBuilder &, Location, Value, Value)>;
/// A scalar of what was combined.
using Finish = function_ref<Value(OpBuilder &, Location, Value)>;

/// Combines the numbers along dimension `dim` by `step`, from `start`;
/// `finish`, which may be null, makes the result of that. 16-bit floats are
/// computed as those of 32 bits.
static Value reduceDim(Operation *op, OpBuilder &builder, Value input,
                       int64_t dim, Value start, Combine step, Finish finish) {
  Location loc = op->getLoc();
  auto from = cast<RankedTensorType>(input.getType());
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Type wide = start.getType();
  int64_t rank = from.getRank();

  // What is reduced is the innermost loop.
  SmallVector<AffineExpr> kept, place;
  for (int64_t i = 0; i < rank - 1; ++i)
    kept.push_back(builder.getAffineDimExpr(i));
  place = kept;
  place.insert(place.begin() + dim, builder.getAffineDimExpr(rank - 1));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops.back() = utils::IteratorType::reduction;
  Value filled = linalg::FillOp::create(builder, loc, start,
                                        tensor::EmptyOp::create(
                                            builder, loc, type.getShape(), wide)
                                            .getResult())
                     .getResult(0);
  Value reduced = linalg::GenericOp::create(
                      builder, loc, filled.getType(), input, filled,
                      {AffineMap::get(rank, 0, place, builder.getContext()),
                       AffineMap::get(rank, 0, kept, builder.getContext())},
                      loops,
                      [&](OpBuilder &inner, Location at, ValueRange arguments) {
                        Value next = arguments[0];
                        if (next.getType() != wide)
                          next = arith::ExtFOp::create(inner, at, wide, next);
                        linalg::YieldOp::create(
                            inner, at, step(inner, at, arguments[1], next));
                      })
                      .getResult(0);
  if (!finish && wide == type.getElementType())
    return reduced;

  // Finished, and rounded once.
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
               if (finish)
                 value = finish(inner, at, value);
               if (wide != type.getElementType())
                 value = arith::TruncFOp::create(inner, at,
                                                 type.getElementType(), value);
               linalg::YieldOp::create(inner, at, value);
             })
      .getResult(0);
}

static FailureOr<Value> emitWhole(ReduceFeaturesOp op, Converter &converter,
                                  ValueRange inputs) {
  OpBuilder &builder = converter.builder;
  Reduction kind = op.getKind();
  auto type = cast<RankedTensorType>(inputs[0].getType());
  auto wide = cast<FloatType>(getComputeType(type.getElementType()));
  auto divide = [&](OpBuilder &inner, Location at, Value sum) -> Value {
    double size = type.getDimSize(op.getDim());
    return arith::DivFOp::create(
        inner, at, sum,
        arith::ConstantOp::create(inner, at, inner.getFloatAttr(wide, size)));
  };
  return reduceDim(
      op, builder, inputs[0], op.getDim(),
      createNeutral(builder, op.getLoc(), kind, wide),
      [&](OpBuilder &inner, Location at, Value a, Value b) {
        return combine(inner, at, kind, a, b);
      },
      kind == Reduction::Mean ? Finish(divide) : Finish());
}

static FailureOr<Value> emitWhole(NormOp op, Converter &converter,
                                  ValueRange inputs) {
  OpBuilder &builder = converter.builder;
  auto type = cast<RankedTensorType>(inputs[0].getType());
  auto wide = cast<FloatType>(getComputeType(type.getElementType()));
  return reduceDim(
      op, builder, inputs[0], type.getRank() - 1,
      createNeutral(builder, op.getLoc(), Reduction::Sum, wide),
      [](OpBuilder &inner, Location at, Value sum, Value next) -> Value {
        Value square = arith::MulFOp::create(inner, at, next, next);
        return arith::AddFOp::create(inner, at, sum, square);
      },
      [](OpBuilder &inner, Location at, Value sum) -> Value {
        return math::SqrtOp::create(inner, at, sum);
      });
}

/// `(y, z, x)` of `(x, y, z)`, along the last dimension.
static Value rotate(OpBuilder &builder, Location loc, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t last = type.getRank() - 1;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, x);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  Value rotated = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                          type.getElementType());
  auto move = [&](int64_t from, int64_t to, int64_t size) {
    sizes[last] = builder.getIndexAttr(size);
    offsets[last] = builder.getIndexAttr(to);
    Value part =
        slice(builder, loc, x, last, builder.getIndexAttr(from), sizes[last]);
    rotated = tensor::InsertSliceOp::create(builder, loc, part, rotated,
                                            offsets, sizes, strides);
  };
  move(1, 0, 2);
  move(0, 2, 1);
  return rotated;
}

/// As of a row: `lhs * rotate(rhs) - rotate(lhs) * rhs`, rotated.
static FailureOr<Value> emitWhole(CrossOp op, Converter &converter,
                                  ValueRange inputs) {
  OpBuilder &builder = converter.builder;
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type narrow = type.getElementType(), wide = getComputeType(narrow);
  SmallVector<AffineMap> maps(5,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  SmallVector<Value> factors{inputs[0], rotate(builder, loc, inputs[1]),
                             rotate(builder, loc, inputs[0]), inputs[1]};
  Value product =
      linalg::GenericOp::create(
          builder, loc, type, factors, createOut(op, builder), maps, loops,
          [&](OpBuilder &inner, Location at, ValueRange arguments) {
            SmallVector<Value> x(arguments.take_front(4));
            if (wide != narrow)
              for (Value &value : x)
                value = arith::ExtFOp::create(inner, at, wide, value);
            Value plus = arith::MulFOp::create(inner, at, x[0], x[1]);
            Value minus = arith::MulFOp::create(inner, at, x[2], x[3]);
            Value result = arith::SubFOp::create(inner, at, plus, minus);
            if (wide != narrow)
              result = arith::TruncFOp::create(inner, at, narrow, result);
            linalg::YieldOp::create(inner, at, result);
          })
          .getResult(0);
  return rotate(builder, loc, product);
}

static FailureOr<Value> emitWhole(ReshapeOp op, Converter &converter,
                                  ValueRange inputs) {
  return reshape(converter.builder, op.getLoc(), inputs[0],
                 cast<RankedTensorType>(op.getType()), /*rowDims=*/0);
}

static FailureOr<Value> emitWhole(PermuteOp op, Converter &converter,
                                  ValueRange inputs) {
  OpBuilder &builder = converter.builder;
  return linalg::TransposeOp::create(builder, op.getLoc(), inputs[0],
                                     createOut(op, builder), op.getOrder())
      ->getResult(0);
}

/// Whether a traversal reads the result of `op`, or a view of it.
static bool isReadByTraversal(Operation *op, const Converter &converter) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return converter.plan.get(user).getNest() ||
           (isa<ReshapeOp, SliceOp>(user) &&
            isReadByTraversal(user, converter));
  });
}

static FailureOr<Value> emitWhole(SliceOp op, Converter &converter,
                                  ValueRange inputs) {
  OpBuilder &builder = converter.builder;
  Value part = slice(builder, op.getLoc(), inputs[0], op.getDim(),
                     builder.getIndexAttr(op.getBegin()),
                     builder.getIndexAttr(op.getSize()));
  // Traversals read tensors as one run of memory.
  if (op.getDim() == 0 || !isReadByTraversal(op, converter))
    return part;
  return linalg::CopyOp::create(builder, op.getLoc(), part,
                                createOut(op, builder))
      ->getResult(0);
}

static FailureOr<Value> emitWhole(rgnn::ConcatOp op, Converter &converter,
                                  ValueRange inputs) {
  OpBuilder &builder = converter.builder;
  Location loc = op.getLoc();
  Value joined = createOut(op, builder);
  if (op.getDim() == 0)
    return hetkernel::ConcatOp::create(builder, loc, joined.getType(), inputs,
                                       joined)
        .getResult();
  int64_t offset = 0;
  for (Value input : inputs) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, input);
    SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
    offsets[op.getDim()] = builder.getIndexAttr(offset);
    joined = tensor::InsertSliceOp::create(builder, loc, input, joined, offsets,
                                           sizes, strides);
    offset += cast<RankedTensorType>(input.getType()).getDimSize(op.getDim());
  }
  return joined;
}

static FailureOr<Value> emitWhole(LinearOp op, Converter &converter,
                                  ValueRange inputs) {
  auto type = cast<RankedTensorType>(op.getType());
  if (type.getRank() != 2)
    return op.emitOpError("cannot be lowered: no kernel computes products of "
                          "other than matrices on tensors without rows");
  OpBuilder &builder = converter.builder;
  auto gemm = GemmOp::create(builder, op.getLoc(), type, inputs[0], Value(),
                             inputs[1], Value(), Value(), Value(), Value(),
                             createOut(op, builder), UnitAttr(), UnitAttr(),
                             UnitAttr(), hetkernel::GemmScheduleInterface());
  gemm.setTransposed(op.getTransposed());
  return gemm.getResult();
}

static FailureOr<Value> emitWhole(MatmulOp op, Converter &converter,
                                  ValueRange inputs) {
  return converter.emitMatmul(op, inputs[0], inputs[1]);
}

static FailureOr<Value> emitWhole(rgnn::OuterSumOp op, Converter &converter,
                                  ValueRange) {
  if (failed(converter.convertOuterSum(op)))
    return failure();
  return converter.getTensor(op.getResult());
}

namespace {
/// Computes `Op` by the function for it.
template <typename Op>
struct WholeTensorModel
    : WholeTensorOpInterface::ExternalModel<WholeTensorModel<Op>, Op> {
  FailureOr<Value> emitWhole(Operation *op, Converter &converter,
                             ValueRange inputs) const {
    return rgnn::emitWhole(cast<Op>(op), converter, inputs);
  }
};

template <typename... Ops>
void attach(MLIRContext *context) {
  (Ops::template attachInterface<WholeTensorModel<Ops>>(*context), ...);
}
} // namespace

} // namespace mlir::rgnn

void rgnn::registerWholeTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RGNNDialect *) {
    attach<LinearOp, MatmulOp, rgnn::OuterSumOp, MapOp, ReshapeOp, PermuteOp,
           rgnn::ConcatOp, SliceOp, ReduceFeaturesOp, NormOp, CrossOp>(context);
  });
}

LogicalResult Converter::convertWhole(Operation *op) {
  auto whole = dyn_cast<WholeTensorOpInterface>(op);
  if (!whole)
    return op->emitOpError(
        "cannot be lowered: no kernel computes it on tensors without rows");
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.hasStaticShape())
    return op->emitOpError() << "cannot be lowered: rows of a graph or static "
                                "sizes expected, got "
                             << type;
  SmallVector<Value> inputs = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return getTensor(operand); });
  FailureOr<Value> tensor = whole.emitWhole(*this, inputs);
  if (failed(tensor))
    return failure();
  setTensor(op->getResult(0), *tensor);
  return success();
}
