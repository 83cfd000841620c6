//===- StackTypes.cpp - one op for the rows of all node types -------------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Utils/TypeStack.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNSTACKTYPESPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {
struct StackTypes : rgnn::impl::RGNNStackTypesPassBase<StackTypes> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    int64_t numStacked = 0;
    Block &block = function.getBody().front();
    // Ops are made at the end, where all they read is, and sorted then.
    OpBuilder builder(block.getTerminator());
    std::optional<TypeStack> stack;
    auto getStack = [&](Value graph) -> TypeStack & {
      if (!stack || stack->getGraph() != graph)
        stack.emplace(builder, graph);
      return *stack;
    };
    for (auto concat : llvm::to_vector(block.getOps<ConcatTypesOp>())) {
      SmallVector<Value> parts(concat.getParts());
      if (!TypeStack::getWhole(parts) && !isWorthStacking(parts))
        continue;
      concat.getResult().replaceAllUsesWith(
          getStack(concat.getGraph()).build(parts));
      reportTaken(concat.getLoc());
      ++numStacked;
    }
    eraseDeadOps(block);
    for (SmallVector<Value> &parts : findProducts(block)) {
      readJoined(builder, parts);
      if (TypeStack::countCopiedOperands(parts) != 0)
        continue;
      FailureOr<Value> graph =
          findGraph(parts.front().getDefiningOp(), getRows(parts[0].getType()));
      if (failed(graph))
        return signalPassFailure();
      reportTaken(parts.front().getLoc());
      addBiases(parts);
      Value all = getStack(*graph).build(parts);
      for (Value part : parts)
        part.replaceAllUsesWith(SliceTypeOp::create(
            builder, part.getLoc(), part.getType(), all, *graph));
      ++numStacked;
    }
    sortTopologically(&block);
    eraseDeadOps(block);
    reportCounts(function, getArgument(), {{"num-stacked", numStacked}});
  }

private:
  using Products = SmallVector<SmallVector<Value>>;

  PassRemarks getRemarks() {
    return PassRemarks(getOperation(), getArgument(), "Types");
  }

  void reportTaken(Location loc) {
    getRemarks().passed(loc, "rows of all node types are computed at once");
  }

  /// Whether rows that are joined are to be computed after they are.
  bool isWorthStacking(ArrayRef<Value> parts) {
    Operation *first = parts.front().getDefiningOp();
    std::optional<int64_t> copied = TypeStack::countCopiedOperands(parts);
    if (copied && *copied <= getRowWidth(parts.front().getType()))
      return true;
    if (isa_and_nonnull<RowOpInterface, LinearOp>(first))
      getRemarks().missed(
          first->getLoc(), "rows are computed for each node type",
          copied ? "those that they are computed of are wider"
                 : "the types differ in how, or in the shape of rows");
    return false;
  }

  /// Products of the rows of each type, one for each: the first of each type,
  /// the second of each, and so on.
  static Products findProducts(Block &block) {
    SmallVector<SmallVector<Value>> ofType;
    for (LinearOp linear : block.getOps<LinearOp>()) {
      if (!isOfOneType(linear.getResult()))
        continue;
      RowsAttr rows = getRows(linear.getResult().getType());
      std::optional<int64_t> types =
          getNumTypes(linear, rows.getGraph(), Domain::NType);
      if (!types)
        return {};
      ofType.resize(*types);
      ofType[rows.getType()].push_back(linear.getResult());
    }
    Products products;
    while (!ofType.empty() &&
           llvm::none_of(ofType, [](auto &list) { return list.empty(); }))
      products.push_back(llvm::map_to_vector(ofType, [](auto &list) {
        Value next = list.front();
        list.erase(list.begin());
        return next;
      }));
    return products;
  }

  /// Lets alike products read the rows of their types from where those were
  /// joined for something else.
  static void readJoined(OpBuilder &builder, ArrayRef<Value> products) {
    if (!TypeStack::countCopiedOperands(products))
      return;
    auto getX = [](Value product) {
      return product.getDefiningOp<LinearOp>().getX();
    };
    ConcatTypesOp joined;
    for (Operation *user : getX(products.front()).getUsers())
      if (auto concat = dyn_cast<ConcatTypesOp>(user);
          concat &&
          llvm::equal(concat.getParts(), llvm::map_range(products, getX)))
        joined = concat;
    if (!joined)
      return;
    for (Value product : products) {
      auto linear = product.getDefiningOp<LinearOp>();
      linear.getXMutable().assign(
          SliceTypeOp::create(builder, linear.getLoc(), linear.getX().getType(),
                              joined, joined.getGraph()));
    }
  }

  /// Goes on to the sums of products and biases, which a product by type adds.
  static void addBiases(SmallVectorImpl<Value> &parts) {
    SmallVector<Value> sums;
    for (Value part : parts) {
      auto map =
          part.hasOneUse() ? dyn_cast<MapOp>(*part.user_begin()) : MapOp();
      if (!map || map.getInputs().size() != 2 ||
          !isa<arith::AddFOp>(map.getBody().front().front()) ||
          llvm::count_if(map.getInputs(), isOfOneType) != 1)
        return;
      sums.push_back(map.getResult());
    }
    if (TypeStack::countCopiedOperands(sums) == 0)
      parts.assign(sums);
  }

  static void eraseDeadOps(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
