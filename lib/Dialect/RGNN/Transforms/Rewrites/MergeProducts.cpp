//===- MergeProducts.cpp - adds up weights of products of the same rows ---===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/Sums.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNMERGEPRODUCTSPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// Products of the same rows that one sum adds up.
struct Products {
  Operation *first;
  SmallVector<Value> weights;

  /// Whether `op` multiplies the same rows, by a weight of the same shape.
  bool has(Operation *op) const {
    return op->getName() == first->getName() &&
           op->getDiscardableAttrDictionary() ==
               first->getDiscardableAttrDictionary() &&
           op->getPropertiesAsAttribute() ==
               first->getPropertiesAsAttribute() &&
           getPlaced(op->getOperand(0)) == getPlaced(first->getOperand(0)) &&
           op->getOperand(1).getType() == first->getOperand(1).getType() &&
           llvm::equal(llvm::drop_begin(op->getOperands(), 2),
                       llvm::drop_begin(first->getOperands(), 2));
  }
};

/// The terms of one sum.
class Sum {
public:
  Sum(MapOp root, const PassRemarks &remarks) : root(root), remarks(remarks) {
    for (Value term : getSummands(root))
      addTerm(term);
  }
  /// How many products go into another one.
  int64_t countMerged() const {
    int64_t count = 0;
    for (const Products &each : products)
      count += each.weights.size() - 1;
    return count;
  }
  Value rewrite();

private:
  void addTerm(Value value);

  MapOp root;
  const PassRemarks &remarks;
  SmallVector<Products> products;
  SmallVector<Value> biases, others;
};
} // namespace

void Sum::addTerm(Value value) {
  if (!getRows(value.getType())) {
    biases.push_back(value);
    return;
  }
  Value term = skipPlaces(value);
  Operation *op = term.getDefiningOp();
  if (!isa_and_nonnull<LinearOp, TypedLinearOp>(op) ||
      getRowShape(term.getType()) != getRowShape(root.getType())) {
    others.push_back(value);
    return;
  }
  auto *known = llvm::find_if(
      products, [&](const Products &each) { return each.has(op); });
  if (!isReadOnce(term)) {
    if (known != products.end())
      remarks.missed(op->getLoc(), "products of the same rows are added up",
                     "something else reads one of them");
    others.push_back(value);
  } else if (known != products.end()) {
    known->weights.push_back(op->getOperand(1));
  } else {
    products.push_back({op, {op->getOperand(1)}});
  }
}

Value Sum::rewrite() {
  OpBuilder builder(root);
  Location loc = root.getLoc();
  RowsAttr rows = getRows(root.getType());
  auto onRows = [&](Value value) -> Value {
    if (getRows(value.getType()) == rows)
      return value;
    FailureOr<Value> graph = findGraph(root, rows);
    assert(succeeded(graph) && "a sum has rows of a graph of the function");
    return placeOn(builder, value, rows, *graph);
  };
  SmallVector<Value> terms = llvm::map_to_vector(others, onRows);
  for (Products &each : products) {
    Operation *product = each.first;
    if (each.weights.size() > 1) {
      Value weight =
          addUp(builder, loc, each.weights.front().getType(), each.weights);
      product = builder.clone(*each.first);
      product->setOperand(1, weight);
      remarks.passed(product->getLoc(),
                     "products of the same rows are one, of the sum of " +
                         Twine(each.weights.size()) + " weights");
    }
    terms.push_back(onRows(product->getResult(0)));
  }
  while (!biases.empty()) {
    Type type = biases.front().getType();
    SmallVector<Value> alike;
    llvm::copy_if(biases, std::back_inserter(alike),
                  [&](Value bias) { return bias.getType() == type; });
    llvm::erase_if(biases, [&](Value bias) { return bias.getType() == type; });
    terms.push_back(addUp(builder, loc, type, alike));
  }
  return addUp(builder, loc, root.getType(), terms);
}

namespace {
struct MergeProducts : rgnn::impl::RGNNMergeProductsPassBase<MergeProducts> {
  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    PassRemarks remarks(getOperation(), getArgument(), "Products");
    int64_t numMerged = 0;
    Block &block = getOperation().getBody().front();
    // From the end, so that a sum comes before those that are its terms.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (isOpTriviallyDead(&op)) {
        op.erase();
        continue;
      }
      auto map = dyn_cast<MapOp>(op);
      if (!map || !isSum(map) || !getRows(map.getType()))
        continue;
      Sum sum(map, remarks);
      if (int64_t count = sum.countMerged()) {
        map.getResult().replaceAllUsesWith(sum.rewrite());
        numMerged += count;
      }
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    reportCounts(getOperation(), getArgument(), {{"num-merged", numMerged}});
  }
};
} // namespace
