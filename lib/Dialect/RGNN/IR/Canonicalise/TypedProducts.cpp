//===- TypedProducts.cpp - sums of products that are products by type -----===//
//
// A model that picks the matrix of each edge's type and multiplies by it, as a
// product, an einsum or a sum of products, means rgnn.typed_linear, which
// copies no matrix:
//
//   Before: %w = rgnn.gather etype %placed in %g   : tensor<?x32x16xf32, #edge>
//           %x = rgnn.reshape %u                   : tensor<?x32x1xf32, #edge>
//           %p = rgnn.map %x, %w { mulf }          : tensor<?x32x16xf32, #edge>
//           %y = rgnn.reduce_features sum %p dim 1 : tensor<?x16xf32, #edge>
//
//   After:  %y = rgnn.typed_linear %u, %weight by etype in %g
//
//===----------------------------------------------------------------------===//

#include "TypedProducts.h"

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// With fewer columns, kernels over edges read what a product would write.
constexpr int64_t minColumns = 4;

/// Whether `map` multiplies two operands.
bool isProduct(MapOp map) {
  Block &body = map.getBody().front();
  if (map.getInputs().size() != 2 || !llvm::hasNItems(body, 2))
    return false;
  auto product = dyn_cast<arith::MulFOp>(body.front());
  if (!product || body.getTerminator()->getOperand(0) != product.getResult())
    return false;
  return product.getLhs() != product.getRhs() &&
         llvm::all_of(product->getOperands(), llvm::IsaPred<BlockArgument>);
}

/// Weights placed as rows of types, gathered, and seen in another form.
struct Picked {
  GatherOp gather;
  SmallVector<Operation *> forms; // reshape and permute, the last one first

  /// The weights in that form, with types in the place of rows.
  Value getWeights(OpBuilder &builder) {
    Value weights = cast<PlaceOp>(gather.getRows().getDefiningOp()).getTensor();
    for (Operation *form : llvm::reverse(forms)) {
      auto type = cast<RankedTensorType>(weights.getType());
      SmallVector<int64_t> shape{type.getDimSize(0)};
      llvm::append_range(shape, getRowShape(form->getResult(0).getType()));
      if (auto permute = dyn_cast<PermuteOp>(form))
        weights = PermuteOp::create(builder, form->getLoc(), weights,
                                    permute.getOrder());
      else
        weights = ReshapeOp::create(builder, form->getLoc(), type.clone(shape),
                                    weights);
    }
    return weights;
  }
};

std::optional<Picked> getPicked(Value value) {
  Picked picked;
  while (isa_and_nonnull<ReshapeOp, PermuteOp>(value.getDefiningOp())) {
    picked.forms.push_back(value.getDefiningOp());
    value = value.getDefiningOp()->getOperand(0);
  }
  picked.gather = value.getDefiningOp<GatherOp>();
  if (!picked.gather || !picked.gather.getRows().getDefiningOp<PlaceOp>())
    return std::nullopt;
  Domain from = getRows(picked.gather.getRows().getType()).getDomain();
  if (from != Domain::EType && from != Domain::NType)
    return std::nullopt;
  return picked;
}

/// What the dimensions of the products are: of rows (heads, which may share a
/// matrix), of the weights alone (columns).
struct Dims {
  SmallVector<int64_t> heads, columns;
  int64_t terms; // the one that is added up
};

std::optional<Dims> sortDims(ArrayRef<int64_t> products, ArrayRef<int64_t> x,
                             ArrayRef<int64_t> weight, int64_t terms) {
  if (x.size() != products.size() || weight.size() != products.size() ||
      x[terms] != products[terms] || weight[terms] != products[terms])
    return std::nullopt;
  Dims dims{{}, {}, terms};
  for (int64_t dim : llvm::seq<int64_t>(products.size())) {
    if (dim == terms || products[dim] == 1)
      continue;
    (x[dim] == 1 ? dims.columns : dims.heads).push_back(dim);
  }
  return dims;
}

class ProductBuilder {
public:
  ProductBuilder(PatternRewriter &rewriter, Location loc,
                 ArrayRef<int64_t> sizes)
      : rewriter(rewriter), loc(loc), sizes(sizes) {}

  /// `value`, whose dimensions behind the first, rows or types, are those of
  /// the products in `order`, with them in that order.
  Value arrange(Value value, ArrayRef<int64_t> order) {
    SmallVector<int64_t> sorted(order), permutation{0};
    llvm::sort(sorted);
    value = reshape(value, sorted);
    for (int64_t dim : order)
      permutation.push_back(1 + (llvm::find(sorted, dim) - sorted.begin()));
    if (llvm::is_sorted(permutation))
      return value;
    return PermuteOp::create(rewriter, loc, value, permutation);
  }

  /// `value`, which has all dimensions of the products, with those of `dims`
  /// in full size.
  Value repeat(Value value, ArrayRef<int64_t> dims) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t dim : dims)
      shape[dim + 1] = sizes[dim];
    if (type.getShape() == ArrayRef(shape))
      return value;
    return MapOp::create(
        rewriter, loc, type.clone(shape), value,
        [](OpBuilder &, Location, ValueRange numbers) { return numbers[0]; });
  }

  /// `value` with the dimensions `dims` behind its first.
  Value reshape(Value value, ArrayRef<int64_t> dims) {
    return reshapeTo(value, llvm::map_to_vector(
                                dims, [&](int64_t dim) { return sizes[dim]; }));
  }

  Value reshapeTo(Value value, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> whole{type.getDimSize(0)};
    llvm::append_range(whole, shape);
    if (type.getShape() == ArrayRef(whole))
      return value;
    return ReshapeOp::create(rewriter, loc, type.clone(whole), value);
  }

private:
  PatternRewriter &rewriter;
  Location loc;
  ArrayRef<int64_t> sizes;
};

struct MultiplyByType : OpRewritePattern<ReduceFeaturesOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceFeaturesOp op,
                                PatternRewriter &rewriter) const override {
    auto map = op.getX().getDefiningOp<MapOp>();
    if (op.getKind() != Reduction::Sum || !map || !map->hasOneUse() ||
        !isProduct(map))
      return rewriter.notifyMatchFailure(op, "no sum of products");
    ArrayRef<int64_t> sizes = getRowShape(map.getType());
    for (unsigned place : {0, 1}) {
      Value factor = map.getInputs()[place], x = map.getInputs()[1 - place];
      std::optional<Picked> picked = getPicked(factor);
      if (!picked || getRows(x.getType()) != getRows(factor.getType()))
        continue;
      std::optional<Dims> dims =
          sortDims(sizes, getRowShape(x.getType()),
                   getRowShape(factor.getType()), op.getDim() - 1);
      int64_t columns = 1;
      for (int64_t dim : dims ? dims->columns : SmallVector<int64_t>())
        columns *= sizes[dim];
      if (columns < minColumns)
        continue;
      rewriter.replaceOp(
          op, build(op, x, *picked, *dims, sizes, columns, rewriter));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no matrix is picked by a type");
  }

private:
  static Value build(ReduceFeaturesOp op, Value x, Picked picked,
                     const Dims &dims, ArrayRef<int64_t> sizes, int64_t columns,
                     PatternRewriter &rewriter) {
    ProductBuilder builder(rewriter, op.getLoc(), sizes);
    SmallVector<int64_t> ofX(dims.heads), ofWeight, shape;
    ofX.push_back(dims.terms);
    ofWeight = ofX;
    llvm::append_range(ofWeight, dims.columns);
    for (int64_t dim : ofX)
      shape.push_back(sizes[dim]);
    shape.push_back(columns);
    Value weight = builder.repeat(picked.getWeights(rewriter), dims.heads);
    weight = builder.reshapeTo(builder.arrange(weight, ofWeight), shape);
    Value product = TypedLinearOp::create(
        rewriter, op.getLoc(), builder.arrange(x, ofX), weight,
        picked.gather.getGraph(), picked.gather.getPath());
    SmallVector<int64_t> made(dims.heads), wanted;
    llvm::append_range(made, dims.columns);
    product = builder.reshape(product, made);
    // Heads may stand behind columns in the result.
    wanted = made;
    llvm::sort(wanted);
    SmallVector<int64_t> permutation{0};
    for (int64_t dim : wanted)
      permutation.push_back(1 + (llvm::find(made, dim) - made.begin()));
    if (!llvm::is_sorted(permutation))
      product = PermuteOp::create(rewriter, op.getLoc(), product, permutation);
    return builder.reshapeTo(product, getRowShape(op.getType()));
  }
};
} // namespace

void rgnn::populateTypedProductPatterns(RewritePatternSet &patterns) {
  patterns.add<MultiplyByType>(patterns.getContext());
}
