//===- StackTypes.cpp - one op for the rows of all node types -------------===//
//
// A tree of ops for each node type, all alike, becomes one tree on the rows of
// all nodes, down to rows that are slices of such rows already, or that have to
// be copied one after another.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Transforms/Counts.h"

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNSTACKTYPESPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Whether `value` has the rows of nodes of one type.
static bool isOfOneType(Value value) {
  RowsAttr rows = getRows(value.getType());
  return rows && rows.getDomain() == Domain::Node && rows.getType() >= 0;
}

static int64_t getWidth(Value rows) {
  return ShapedType::getNumElements(getRowShape(rows.getType()));
}

/// Whether ops of two types compute the same of their operands.
static bool areAlike(Operation *one, Operation *other) {
  auto areAlikeTypes = [](Type a, Type b) {
    return a == b ||
           (getRows(a) && getRows(b) && getRowShape(a) == getRowShape(b) &&
            getElementTypeOrSelf(a) == getElementTypeOrSelf(b));
  };
  return one->getName() == other->getName() &&
         one->getAttrDictionary() == other->getAttrDictionary() &&
         one->getNumOperands() == other->getNumOperands() &&
         llvm::all_of_zip(one->getOperandTypes(), other->getOperandTypes(),
                          areAlikeTypes) &&
         areAlikeTypes(one->getResult(0).getType(),
                       other->getResult(0).getType()) &&
         llvm::all_of_zip(one->getRegions(), other->getRegions(),
                          [](Region &a, Region &b) {
                            return OperationEquivalence::isRegionEquivalentTo(
                                &a, &b, OperationEquivalence::IgnoreLocations);
                          });
}

namespace {
/// Rows of all nodes, made of the rows of each type in their order.
class Stack {
public:
  Stack(OpBuilder &builder, Value graph) : builder(builder), graph(graph) {}

  /// Numbers to copy for each node to have the rows of `parts` in one tensor.
  static int64_t countCopied(ArrayRef<Value> parts);
  /// Those for the operands of the ops that make `parts` and become one, if
  /// they can.
  static std::optional<int64_t> countCopiedOperands(ArrayRef<Value> parts);
  /// The rows that `parts` are slices of, if all of the same.
  static Value getWhole(ArrayRef<Value> parts);
  Value build(ArrayRef<Value> parts);
  Value getGraph() const { return graph; }

private:
  using Parts = SmallVector<Value>;

  /// The operands with number `operand` of the ops that make `parts`.
  static Parts getOperands(ArrayRef<Value> parts, unsigned operand);
  Value buildOp(ArrayRef<Value> parts);
  /// `values`, one for each type, as one tensor `[types, ...]`.
  Value stackPlain(ArrayRef<Value> values);

  RowsAttr getAllNodes(Value part) const {
    RowsAttr rows = getRows(part.getType());
    return RowsAttr::get(rows.getContext(), Domain::Node, rows.getGraph());
  }

  OpBuilder &builder;
  Value graph;
  /// By the rows of the first type, what was built of these and the others'.
  DenseMap<Value, SmallVector<std::pair<Parts, Value>, 1>> built;
};
} // namespace

Value Stack::getWhole(ArrayRef<Value> parts) {
  Value whole;
  for (Value part : parts) {
    auto slice = part.getDefiningOp<SliceTypeOp>();
    if (!slice || (whole && whole != slice.getRows()))
      return {};
    whole = slice.getRows();
  }
  return whole;
}

Stack::Parts Stack::getOperands(ArrayRef<Value> parts, unsigned operand) {
  return llvm::map_to_vector(parts, [&](Value part) {
    return part.getDefiningOp()->getOperand(operand);
  });
}

std::optional<int64_t> Stack::countCopiedOperands(ArrayRef<Value> parts) {
  Operation *first = parts.front().getDefiningOp();
  if (!isa_and_nonnull<RowOpInterface, LinearOp>(first) ||
      !llvm::any_of(first->getOperands(), isOfOneType) ||
      // One weight for each type and head is no product by type.
      (isa<LinearOp>(first) &&
       getRowShape(first->getOperand(0).getType()).size() != 1))
    return std::nullopt;
  for (Value part : parts.drop_front())
    if (!part.getDefiningOp() || !areAlike(first, part.getDefiningOp()))
      return std::nullopt;
  int64_t copied = 0;
  for (unsigned i = 0; i < first->getNumOperands(); ++i)
    if (isOfOneType(first->getOperand(i)))
      copied += countCopied(getOperands(parts, i));
  return copied;
}

int64_t Stack::countCopied(ArrayRef<Value> parts) {
  if (getWhole(parts))
    return 0;
  int64_t width = getWidth(parts.front());
  return std::min(width, countCopiedOperands(parts).value_or(width));
}

Value Stack::stackPlain(ArrayRef<Value> values) {
  Location loc = values.front().getLoc();
  SmallVector<Value> rows;
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    rows.push_back(ReshapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        value));
  }
  return ConcatOp::create(builder, loc, rows, /*dim=*/0);
}

Value Stack::buildOp(ArrayRef<Value> parts) {
  Operation *op = parts.front().getDefiningOp();
  Location loc = op->getLoc();
  IRMapping mapping;
  bool isTyped = false;
  Value weight;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Parts operands = getOperands(parts, i);
    Value operand = operands.front();
    if (isOfOneType(operand)) {
      mapping.map(operand, build(operands));
    } else if (!llvm::all_equal(operands)) {
      Value stacked = stackPlain(operands);
      isTyped = true;
      weight = stacked;
      if (isa<LinearOp>(op))
        continue;
      RowsAttr all = getAllNodes(parts.front());
      auto types =
          RowsAttr::get(all.getContext(), Domain::NType, all.getGraph());
      auto type = cast<RankedTensorType>(stacked.getType());
      Value placed = PlaceOp::create(
          builder, loc,
          RankedTensorType::get(type.getShape(), type.getElementType(), types),
          stacked, graph);
      mapping.map(operand, GatherOp::create(builder, loc, placed, graph,
                                            Path::NType, Domain::Node));
    }
  }
  if (auto linear = dyn_cast<LinearOp>(op); linear && isTyped) {
    if (linear.getTransposed())
      weight =
          PermuteOp::create(builder, loc, weight, ArrayRef<int64_t>{0, 2, 1});
    return TypedLinearOp::create(builder, loc, mapping.lookup(linear.getX()),
                                 weight, graph, Path::NType);
  }
  Value result = builder.clone(*op, mapping)->getResult(0);
  Value part = parts.front();
  result.setType(getRowsType(getAllNodes(part), getRowShape(part.getType()),
                             getElementTypeOrSelf(part)));
  return result;
}

Value Stack::build(ArrayRef<Value> parts) {
  if (Value whole = getWhole(parts))
    return whole;
  for (auto &[others, stacked] : built.lookup(parts.front()))
    if (ArrayRef(others) == parts)
      return stacked;
  Value part = parts.front(), stacked;
  std::optional<int64_t> copied = countCopiedOperands(parts);
  if (copied && *copied <= getWidth(part))
    stacked = buildOp(parts);
  else
    stacked = ConcatTypesOp::create(builder, part.getLoc(),
                                    getRowsType(getAllNodes(part),
                                                getRowShape(part.getType()),
                                                getElementTypeOrSelf(part)),
                                    parts, graph);
  built[part].emplace_back(Parts(parts), stacked);
  return stacked;
}

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
    std::optional<Stack> stack;
    auto getStack = [&](Value graph) -> Stack & {
      if (!stack || stack->getGraph() != graph)
        stack.emplace(builder, graph);
      return *stack;
    };
    for (auto concat : llvm::to_vector(block.getOps<ConcatTypesOp>())) {
      SmallVector<Value> parts(concat.getParts());
      if (!Stack::getWhole(parts) && !isWorthStacking(parts))
        continue;
      concat.getResult().replaceAllUsesWith(
          getStack(concat.getGraph()).build(parts));
      reportTaken(concat.getLoc());
      ++numStacked;
    }
    eraseDeadOps(block);
    for (SmallVector<Value> &parts : findProducts(block)) {
      if (Stack::countCopiedOperands(parts) != 0)
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

  remark::RemarkOpts getOptions() {
    return remark::RemarkOpts::name("Types")
        .category(getArgument())
        .function(getOperation().getName());
  }

  void reportTaken(Location loc) {
    remark::passed(loc, getOptions())
        << "rows of all node types are computed at once";
  }

  /// Whether rows that are joined are to be computed after they are.
  bool isWorthStacking(ArrayRef<Value> parts) {
    Operation *first = parts.front().getDefiningOp();
    std::optional<int64_t> copied = Stack::countCopiedOperands(parts);
    if (copied && *copied <= getWidth(parts.front()))
      return true;
    if (isa_and_nonnull<RowOpInterface, LinearOp>(first))
      remark::missed(first->getLoc(), getOptions())
          << (copied ? "rows are computed for each node type: those that they "
                       "are computed of are wider"
                     : "rows are computed for each node type: the types "
                       "differ in how, or in the shape of rows");
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
    if (Stack::countCopiedOperands(sums) == 0)
      parts.assign(sums);
  }

  static void eraseDeadOps(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
