//===- ScoreProducts.cpp - scores of products of rows ---------------------===//

#include "RGNN/Dialect/RGNN/Utils/ScoreProducts.h"
#include "RGNN/Dialect/RGNN/Utils/WeightProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Whether `map` multiplies two operands.
static bool isProductOfTwo(MapOp map) {
  if (!map || map.getInputs().size() != 2)
    return false;
  auto product = dyn_cast<arith::MulFOp>(map.getBody().front().front());
  Block &body = map.getBody().front();
  return product && llvm::hasNItems(body, 2) &&
         product.getLhs() != product.getRhs() &&
         llvm::all_of(product.getOperands(), llvm::IsaPred<BlockArgument>);
}

/// The product that `rows` are a view of with other heads, if nothing else
/// reads it.
static Operation *findProduct(Value rows) {
  while (rows.hasOneUse()) {
    Operation *op = rows.getDefiningOp();
    if (isa_and_nonnull<LinearOp, TypedLinearOp>(op))
      return getRows(rows.getType()) && getRowShape(rows.getType()).size() == 1
                 ? op
                 : nullptr;
    auto reshape = dyn_cast_or_null<ReshapeOp>(op);
    if (!reshape)
      break;
    rows = reshape.getX();
  }
  return nullptr;
}

/// Whether `tensor` has no rows, and all its sizes are known.
static bool isWhole(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return !getRows(type) && type.hasStaticShape();
}

int64_t ScoreOfProduct::countFactors() const {
  auto shaped = cast<RankedTensorType>(factor.getType());
  return shaped.getNumElements() / (type ? shaped.getDimSize(0) : 1);
}

bool ScoreOfProduct::isOfHeads() {
  return countFactors() == getRowWidth(sum.getX().getType());
}

bool ScoreOfProduct::isOfAll() {
  auto shaped = cast<RankedTensorType>(factor.getType());
  int64_t width = getRowShape(sum.getX().getType()).back();
  return shaped.getRank() > 0 && shaped.getShape().back() == width &&
         countFactors() == width;
}

std::optional<ScoreOfProduct> ScoreOfProduct::match(ReduceFeaturesOp sum) {
  Type rows = sum.getX().getType();
  auto map = sum.getX().getDefiningOp<MapOp>();
  if (sum.getKind() != Reduction::Sum || !getRows(rows) ||
      sum.getDim() != static_cast<int64_t>(getRowShape(rows).size()) ||
      !sum.getX().hasOneUse() || !isProductOfTwo(map))
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    Value input = map.getInputs()[i], factor = map.getInputs()[1 - i];
    Operation *product = input.getType() == rows ? findProduct(input) : nullptr;
    if (!product)
      continue;
    std::optional<Path> type;
    Value graph;
    if (auto gather = factor.getDefiningOp<GatherOp>()) {
      auto place = gather.getRows().getDefiningOp<PlaceOp>();
      if (!place ||
          (gather.getPath() != Path::EType && gather.getPath() != Path::NType))
        continue;
      type = gather.getPath();
      factor = place.getTensor();
      graph = gather.getGraph();
    }
    auto typed = dyn_cast<TypedLinearOp>(product);
    if (typed) {
      graph = typed.getGraph();
      if (type && *type != typed.getPath())
        continue;
    }
    ScoreOfProduct score{sum, product, factor, type, graph};
    if (isWhole(factor) && isWhole(product->getOperand(1)) &&
        (score.isOfHeads() || score.isOfAll()))
      return score;
  }
  return std::nullopt;
}

Value ScoreOfProduct::multiplyWeight(OpBuilder &builder) {
  Location loc = sum.getLoc();
  auto typed = dyn_cast<TypedLinearOp>(product);
  auto linear = dyn_cast<LinearOp>(product);
  ArrayRef<int64_t> heads = getRowShape(sum.getX().getType()).drop_back();
  int64_t width = getRowShape(sum.getX().getType()).back();
  int64_t numHeads = ShapedType::getNumElements(heads);
  Value x = product->getOperand(0), weight = product->getOperand(1);
  int64_t inner = getRowShape(x.getType()).back();

  // A column of the weight is one of a head.
  std::string left = linear && linear.getTransposed() ? "Aki" : "iAk",
              right = isOfHeads() ? "Ak" : "k", made = "iA";
  SmallVector<int64_t> columns = {numHeads, width}, rows = {inner};
  SmallVector<int64_t> shape = left == "Aki" ? columns : rows;
  llvm::append_range(shape, left == "Aki" ? rows : columns);
  SmallVector<int64_t> ofFactor =
      isOfHeads() ? columns : SmallVector<int64_t>{width};
  auto getTypes = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getDimSize(0);
  };
  if (typed) {
    left = "t" + left;
    shape.insert(shape.begin(), getTypes(weight));
  }
  if (type) {
    right = "t" + right;
    ofFactor.insert(ofFactor.begin(), getTypes(factor));
  }
  if (typed || type)
    made = "t" + made;
  Value scoring =
      contract(builder, loc, reshapePlain(builder, loc, weight, shape), left,
               reshapePlain(builder, loc, factor, ofFactor), right, made);
  Value scores = typed || type
                     ? TypedLinearOp::create(builder, loc, x, scoring, graph,
                                             type ? *type : typed.getPath())
                           .getResult()
                     : LinearOp::create(builder, loc, x, scoring).getResult();
  Type result = sum.getResult().getType();
  return scores.getType() == result
             ? scores
             : ReshapeOp::create(builder, loc, result, scores).getResult();
}
