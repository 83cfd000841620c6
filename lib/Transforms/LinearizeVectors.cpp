//===- LinearizeVectors.cpp - rows as vectors of one dimension ------------===//

#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNLINEARIZEVECTORSPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

/// The elements of a vector of one dimension that `mask` numbers.
static Value pick(OpBuilder &builder, Location loc, Value from,
                  ArrayRef<int64_t> mask) {
  int64_t size = cast<VectorType>(from.getType()).getNumElements();
  if (llvm::equal(mask, llvm::seq<int64_t>(0, size)))
    return from;
  return vector::ShuffleOp::create(builder, loc, from, from, mask);
}

/// Calls `give` with the position of each element of a vector of `shape`.
static void forEachElement(ArrayRef<int64_t> shape,
                           function_ref<void(ArrayRef<int64_t>)> give) {
  SmallVector<int64_t> strides = computeStrides(shape);
  for (int64_t i = 0, e = ShapedType::getNumElements(shape); i < e; ++i)
    give(delinearize(i, strides));
}

/// The elements of a vector of one dimension that one of `shape` reads with a
/// stride for each dimension; of 0, the same ones again.
static Value read(OpBuilder &builder, Location loc, Value from,
                  ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  SmallVector<int64_t> mask;
  forEachElement(shape, [&](ArrayRef<int64_t> position) {
    int64_t number = 0;
    for (auto [stride, at] : llvm::zip(strides, position))
      number += stride * at;
    mask.push_back(number);
  });
  return pick(builder, loc, from, mask);
}

namespace {
struct LinearizeBroadcast : OpConversionPattern<vector::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(vector::BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto source = dyn_cast<VectorType>(op.getSourceType());
    if (!source) {
      rewriter.replaceOpWithNewOp<vector::BroadcastOp>(
          op, getTypeConverter()->convertType(op.getType()),
          adaptor.getSource());
      return success();
    }
    SmallVector<int64_t> strides(op.getType().getRank() - source.getRank(), 0);
    for (auto [size, stride] :
         llvm::zip(source.getShape(), computeStrides(source.getShape())))
      strides.push_back(size == 1 ? 0 : stride);
    rewriter.replaceOp(op, read(rewriter, op.getLoc(), adaptor.getSource(),
                                op.getType().getShape(), strides));
    return success();
  }
};

struct LinearizeTranspose : OpConversionPattern<vector::TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(vector::TransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> strides =
        applyPermutation(computeStrides(op.getSourceVectorType().getShape()),
                         op.getPermutation());
    rewriter.replaceOp(op, read(rewriter, op.getLoc(), adaptor.getVector(),
                                op.getResultVectorType().getShape(), strides));
    return success();
  }
};

/// Few terms of many sums are added as vectors of all sums; of few sums, each
/// is a reduction of its own.
struct LinearizeReduction : OpConversionPattern<vector::MultiDimReductionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(vector::MultiDimReductionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = adaptor.getSource(), total = adaptor.getAcc();
    auto sums = dyn_cast<VectorType>(total.getType());
    if (!sums) {
      rewriter.replaceOpWithNewOp<vector::ReductionOp>(op, op.getKind(), source,
                                                       total);
      return success();
    }
    // Of each sum, the numbers of its terms.
    SmallVector<SmallVector<int64_t>> terms(sums.getNumElements());
    SmallVector<bool> isReduced = op.getReductionMask();
    int64_t number = 0;
    SmallVector<int64_t> kept;
    for (auto [size, reduced] :
         llvm::zip(op.getSourceVectorType().getShape(), isReduced))
      if (!reduced)
        kept.push_back(size);
    SmallVector<int64_t> strides = computeStrides(kept);
    forEachElement(op.getSourceVectorType().getShape(),
                   [&](ArrayRef<int64_t> position) {
                     int64_t sum = 0, dim = 0;
                     for (auto [at, reduced] : llvm::zip(position, isReduced))
                       if (!reduced)
                         sum += strides[dim++] * at;
                     terms[sum].push_back(number++);
                   });
    size_t numTerms = terms.front().size();
    if (numTerms <= 8 || numTerms <= terms.size()) {
      for (size_t term = 0; term < numTerms; ++term) {
        SmallVector<int64_t> mask = llvm::map_to_vector(
            terms, [&](ArrayRef<int64_t> of) { return of[term]; });
        total = vector::makeArithReduction(rewriter, loc, op.getKind(), total,
                                           pick(rewriter, loc, source, mask));
      }
      rewriter.replaceOp(op, total);
      return success();
    }
    for (auto [sum, mask] : llvm::enumerate(terms)) {
      Value reduced = vector::ReductionOp::create(
          rewriter, loc, op.getKind(), pick(rewriter, loc, source, mask),
          vector::ExtractOp::create(rewriter, loc, adaptor.getAcc(), sum));
      total = vector::InsertOp::create(rewriter, loc, reduced, total, sum);
    }
    rewriter.replaceOp(op, total);
    return success();
  }
};

/// Vectors of one dimension in the place of those of several.
void addLinearTypes(TypeConverter &types) {
  types.addConversion([](Type type) -> std::optional<Type> {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector || vector.getRank() < 2 || vector.isScalable())
      return type;
    return VectorType::get(vector.getNumElements(), vector.getElementType());
  });
  auto cast = [](OpBuilder &builder, Type type, ValueRange inputs,
                 Location loc) -> Value {
    return vector::ShapeCastOp::create(builder, loc, type, inputs.front());
  };
  types.addSourceMaterialization(cast);
  types.addTargetMaterialization(cast);
}

struct LinearizeVectorsPass
    : rgnn::impl::RGNNLinearizeVectorsPassBase<LinearizeVectorsPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    TypeConverter types;
    ConversionTarget target(*context);
    RewritePatternSet patterns(context);
    addLinearTypes(types);
    vector::populateVectorLinearizeBasePatterns(types, target, patterns);
    vector::populateVectorLinearizeShuffleLikeOpsPatterns(types, target,
                                                          patterns);
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns,
                                                         target);
    patterns.add<LinearizeBroadcast, LinearizeTranspose, LinearizeReduction>(
        types, context);
    // What no pattern converts, such as loads, keeps its dimensions.
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) -> std::optional<bool> {
          return types.isLegal(op) ? std::optional(true) : std::nullopt;
        });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    // Casts from and to vectors of several dimensions cancel.
    RewritePatternSet casts(context);
    vector::ShapeCastOp::getCanonicalizationPatterns(casts, context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(casts))))
      signalPassFailure();
  }
};
} // namespace
