//===- SeparateOnes.cpp - rows without their column of ones ---------------===//

#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"
#include "RGNN/Dialect/RGNN/Utils/ComposeProducts.h"
#include "RGNN/Dialect/RGNN/Utils/EraseDead.h"

#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNSEPARATEONESPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

static int64_t getLastDim(Value rows) {
  return cast<RankedTensorType>(rows.getType()).getRank() - 1;
}

static int64_t getWidth(Value rows) {
  return cast<RankedTensorType>(rows.getType()).getShape().back();
}

static Value sliceColumns(OpBuilder &builder, Value value, int64_t dim,
                          int64_t begin, int64_t size) {
  return SliceOp::create(builder, value.getLoc(), value, dim, begin, size);
}

/// Columns of rows, taken before they are gathered.
static Value takeColumns(OpBuilder &builder, Value rows, int64_t begin,
                         int64_t size) {
  auto gather = rows.getDefiningOp<GatherOp>();
  if (!gather)
    return sliceColumns(builder, rows, getLastDim(rows), begin, size);
  Value columns = takeColumns(builder, gather.getRows(), begin, size);
  return GatherOp::create(builder, gather.getLoc(), columns, gather.getGraph(),
                          gather.getPath(), gather.getTo());
}

namespace {

/// Rows, of one dimension, of which the last column was made as one of ones.
struct Separated {
  Value others;
  /// Null as long as it is one of ones.
  Value last;
};

/// The concatenation that puts a column of ones behind rows, and all that is
/// made of these.
class OnesColumn {
public:
  /// Outer sums are separated, too, if they take a block of `blockRows` rows
  /// less then; never if that is 0.
  static std::optional<OnesColumn> match(ConcatOp concat, int64_t blockRows);

  /// Collects what keeps or reads the column. Gives the op that needs the rows
  /// with it; null if none does.
  Operation *collectReaders();
  /// Computes all without the column; gives the rows without it, and notes in
  /// `erased` what is no more.
  Value separateAll(DenseSet<Operation *> &erased);

private:
  OnesColumn(ConcatOp concat, bool ofOuterSums)
      : concat(concat), ofOuterSums(ofOuterSums) {}

  /// Whether the result has the column, too, or is computed without it.
  enum class Role { Unrelated, Keeps, KeepsOnes, Reads, Barrier };
  Role getRole(Operation *op) const;
  Separated separate(OpBuilder &builder, Operation *op);
  Value compute(OpBuilder &builder, TypedLinearOp op);
  Value compute(OpBuilder &builder, DotOp op);
  Value compute(OpBuilder &builder, TypedOuterSumOp op);
  Value getOperand(Operation *op) const;

  ConcatOp concat;
  bool ofOuterSums;
  /// Values with the column, and whether it is still one of ones.
  DenseMap<Value, bool> isOnes;
  /// What keeps or reads the column, in the order of the block.
  SmallVector<Operation *> ops;
  DenseMap<Value, Separated> separated;
};

} // namespace

/// Whether these are rows of one number, which is a one.
static bool areOnes(Value rows) {
  auto map = rows.getDefiningOp<MapOp>();
  return map && getRows(rows.getType()) &&
         getRowShape(rows.getType()).size() == 1 && getWidth(rows) == 1 &&
         matchPattern(map.getBody().front().getTerminator()->getOperand(0),
                      m_OneFloat());
}

std::optional<OnesColumn> OnesColumn::match(ConcatOp concat,
                                            int64_t blockRows) {
  if (concat.getDim() != 1 || concat.getNumOperands() < 2 ||
      concat.getResult().use_empty() || !areOnes(concat.getInputs().back()))
    return std::nullopt;
  // Of several columns of ones, one after the other will go.
  int64_t numOnes = 0;
  for (Value input : llvm::reverse(concat.getInputs().drop_front())) {
    if (!areOnes(input))
      break;
    ++numOnes;
  }
  int64_t width = getWidth(concat.getResult());
  bool savesBlock = blockRows > 0 &&
                    llvm::divideCeil(uint64_t(width), blockRows) >
                        llvm::divideCeil(uint64_t(width - numOnes), blockRows);
  return OnesColumn(concat, savesBlock);
}

/// The operand of `op` that has the column; null if several are.
Value OnesColumn::getOperand(Operation *op) const {
  Value found;
  for (Value operand : op->getOperands())
    if (isOnes.contains(operand)) {
      if (found)
        return {};
      found = operand;
    }
  return found;
}

OnesColumn::Role OnesColumn::getRole(Operation *op) const {
  if (llvm::none_of(op->getOperands(),
                    [&](Value value) { return isOnes.contains(value); }))
    return Role::Unrelated;
  Value rows = getOperand(op);
  if (!rows)
    return Role::Barrier;
  if (isa<GatherOp>(op))
    return isOnes.lookup(rows) ? Role::KeepsOnes : Role::Keeps;
  // A sum of ones is a count.
  if (isa<ReduceOp>(op) && !isOnes.lookup(rows))
    return Role::Keeps;
  if (auto map = dyn_cast<MapOp>(op)) {
    Type made = map.getResult().getType();
    bool hasOtherRows = false;
    for (Value input : map.getInputs()) {
      if (input == rows)
        continue;
      ArrayRef<int64_t> row = getRowShape(input.getType());
      if (!row.empty() && row.back() != 1)
        return Role::Barrier;
      hasOtherRows |= getRows(input.getType()) == getRows(made);
    }
    if (!hasOtherRows || getRowShape(made) != getRowShape(rows.getType()))
      return Role::Barrier;
    return Role::Keeps;
  }
  if (auto product = dyn_cast<TypedLinearOp>(op))
    return product.getX() == rows ? Role::Reads : Role::Barrier;
  if (auto sum = dyn_cast<TypedOuterSumOp>(op))
    return ofOuterSums && sum.getX() == rows ? Role::Reads : Role::Barrier;
  return isa<DotOp>(op) ? Role::Reads : Role::Barrier;
}

Operation *OnesColumn::collectReaders() {
  isOnes[concat.getResult()] = true;
  // Floats of 16 bits would be rounded before the last column is added.
  if (isRoundedWhenStored(concat.getResult()))
    return concat;
  for (Operation *op = concat->getNextNode(); op; op = op->getNextNode()) {
    switch (Role role = getRole(op)) {
    case Role::Unrelated:
      continue;
    case Role::Barrier:
      return op;
    case Role::Keeps:
    case Role::KeepsOnes:
      isOnes[op->getResult(0)] = role == Role::KeepsOnes;
      [[fallthrough]];
    case Role::Reads:
      ops.push_back(op);
    }
  }
  return nullptr;
}

Separated OnesColumn::separate(OpBuilder &builder, Operation *op) {
  Value rows = getOperand(op);
  Separated before = separated.lookup(rows), after;
  auto clone = [&](Value operand) -> Value {
    IRMapping mapping;
    mapping.map(rows, operand);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = getWidth(operand);
    return cloneOnto(builder, op, mapping, type.clone(shape));
  };
  after.others = clone(before.others);
  if (before.last) {
    after.last = clone(before.last);
  } else if (isa<MapOp>(op)) {
    // Of a one, instead of an operand.
    Operation *map = clone(concat.getInputs().back()).getDefiningOp();
    Block &body = map->getRegion(0).front();
    auto inner = OpBuilder::atBlockBegin(&body);
    unsigned number = llvm::find(op->getOperands(), rows).getIndex();
    BlockArgument argument = body.getArgument(number);
    argument.replaceAllUsesWith(arith::ConstantOp::create(
        inner, op->getLoc(), inner.getFloatAttr(argument.getType(), 1.0)));
    body.eraseArgument(number);
    map->eraseOperand(number);
    after.last = map->getResult(0);
  }
  return after;
}

/// `x W + last w`, with `w` the last rows of the weights.
Value OnesColumn::compute(OpBuilder &builder, TypedLinearOp op) {
  Location loc = op.getLoc();
  Separated rows = separated.lookup(op.getX());
  auto made = cast<RankedTensorType>(op.getResult().getType());
  int64_t dim = getLastDim(op.getWeight()) - 1, width = getWidth(rows.others);
  auto multiply = [&](Value x, int64_t begin) -> Value {
    Value weight =
        sliceColumns(builder, op.getWeight(), dim, begin, getWidth(x));
    return TypedLinearOp::create(builder, loc, x, weight, op.getGraph(),
                                 op.getPath());
  };
  Value product = multiply(rows.others, 0);
  if (rows.last)
    return addRows(builder, loc, product, multiply(rows.last, width));

  SmallVector<int64_t> shape(made.getShape());
  shape.front() =
      cast<RankedTensorType>(op.getWeight().getType()).getDimSize(0);
  Value bias = ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, made.getElementType()),
      sliceColumns(builder, op.getWeight(), dim, width, 1));
  return addRows(builder, loc, product,
                 gatherByType(builder, loc, bias, getRows(made), op.getGraph(),
                              op.getPath()));
}

/// The inner product without the last column, and what this adds.
Value OnesColumn::compute(OpBuilder &builder, DotOp op) {
  Location loc = op.getLoc();
  Value rows = getOperand(op);
  Separated ofRows = separated.lookup(rows);
  Value other = op.getLhs() == rows ? op.getRhs() : op.getLhs();
  int64_t width = getWidth(ofRows.others);
  Value dot = DotOp::create(builder, loc, ofRows.others,
                            takeColumns(builder, other, 0, width));
  auto flatten = [&](Value column) -> Value {
    return ReshapeOp::create(builder, loc, dot.getType(), column);
  };
  Value last = flatten(takeColumns(builder, other, width, 1));
  if (ofRows.last)
    last = multiply(builder, loc, dot.getType(), last, flatten(ofRows.last));
  return addRows(builder, loc, dot, last);
}

/// The sums of the other columns, and behind them those of the last one: of
/// ones, these are the sums of the rows of each type.
Value OnesColumn::compute(OpBuilder &builder, TypedOuterSumOp op) {
  Location loc = op.getLoc();
  Separated rows = separated.lookup(op.getX());
  auto made = cast<RankedTensorType>(op.getResult().getType());
  int64_t dim = getLastDim(op.getResult()) - 1;
  auto resize = [&](int64_t size) {
    SmallVector<int64_t> shape(made.getShape());
    shape[dim] = size;
    return made.clone(shape);
  };
  auto sumProducts = [&](Value x) -> Value {
    return TypedOuterSumOp::create(builder, loc, resize(getWidth(x)), x,
                                   op.getY(), op.getGraph(), op.getPath());
  };
  Value others = sumProducts(rows.others), last;
  if (rows.last) {
    last = sumProducts(rows.last);
  } else {
    Value sums = ReduceOp::create(builder, loc, op.getY(), op.getGraph(),
                                  op.getPath(), Reduction::Sum);
    SmallVector<int64_t> shape(made.getShape());
    shape.erase(shape.begin() + dim);
    sums = tensor::CastOp::create(builder, loc, made.clone(shape),
                                  UnplaceOp::create(builder, loc, sums));
    last = ReshapeOp::create(builder, loc, resize(1), sums);
  }
  return ConcatOp::create(builder, loc, ValueRange{others, last}, dim);
}

Value OnesColumn::separateAll(DenseSet<Operation *> &erased) {
  OpBuilder builder(concat);
  ValueRange inputs = concat.getInputs().drop_back();
  Value others = inputs.front();
  if (inputs.size() > 1)
    others =
        ConcatOp::create(builder, concat.getLoc(), inputs, concat.getDim());
  separated[concat.getResult()].others = others;
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    if (auto product = dyn_cast<TypedLinearOp>(op))
      op->getResult(0).replaceAllUsesWith(compute(builder, product));
    else if (auto dot = dyn_cast<DotOp>(op))
      op->getResult(0).replaceAllUsesWith(compute(builder, dot));
    else if (auto sum = dyn_cast<TypedOuterSumOp>(op))
      op->getResult(0).replaceAllUsesWith(compute(builder, sum));
    else
      separated[op->getResult(0)] = separate(builder, op);
  }
  for (Operation *op : llvm::reverse(ops))
    if (!erased.contains(op))
      eraseDead(op, erased);
  return others;
}

namespace {
struct SeparateOnes : rgnn::impl::RGNNSeparateOnesPassBase<SeparateOnes> {
  using RGNNSeparateOnesPassBase::RGNNSeparateOnesPassBase;

  void runOnOperation() override {
    llvm::SetVector<Operation *> concats;
    getOperation().walk([&](ConcatOp op) { concats.insert(op); });
    PassRemarks remarks(getOperation(), getArgument(), "Ones");
    int64_t numSeparated = 0;
    while (!concats.empty()) {
      auto concat = cast<ConcatOp>(concats.pop_back_val());
      std::optional<OnesColumn> column =
          OnesColumn::match(concat, outerSumRows);
      if (!column)
        continue;
      if (Operation *barrier = column->collectReaders()) {
        remarks.missed(concat.getLoc(), "rows keep their column of ones",
                       barrier->getName().getStringRef() + " needs it");
        continue;
      }
      remarks.passed(concat.getLoc(),
                     "rows are read without their column of ones");
      DenseSet<Operation *> erased;
      Value others = column->separateAll(erased);
      concats.remove_if([&](Operation *op) { return erased.contains(op); });
      // There may be another column of ones before it.
      if (auto rest = others.getDefiningOp<ConcatOp>())
        concats.insert(rest);
      ++numSeparated;
    }
    reportCounts(getOperation(), getArgument(),
                 {{"num-separated", numSeparated}});
  }
};
} // namespace
