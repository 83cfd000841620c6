//===- RowsFirst.cpp - rows that another dimension is in front of ---------===//
//
// Models stack what several relations or hops bring, multiply by several
// weights at once, or have several rows of each node. Rows stay rows where each
// has the numbers of all of these:
//
//   Before:  %s = stack([%a, %b], 0) : tensor<2x?x8xf32>
//            %t = linear(%s, %w)
//            %y = sum(%t, [0])
//
//   After:   %s = stack([%a, %b], 1) : tensor<?x2x8xf32>
//            %t = linear(%s, %w)
//            %y = sum(%t, [1])
//
// Each operator is written once more on tensors whose rows are the first
// dimension. Where one is not known, those in front of it stay as they were.
//
//===----------------------------------------------------------------------===//

#include "RowsFirst.h"
#include "../Rules.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

std::optional<int64_t> lift::getRowDim(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getNumDynamicDims() != 1)
    return std::nullopt;
  return llvm::find_if(tensor.getShape(), ShapedType::isDynamic) -
         tensor.getShape().begin();
}

std::optional<int64_t> RowsFirst::getDim(Value value) const {
  if (auto it = moved.find(value); it != moved.end())
    return it->second.rows;
  std::optional<int64_t> rows = getRowDim(value.getType());
  return rows == 0 ? rows : std::nullopt;
}

Value RowsFirst::getFirst(Value value) const {
  auto it = moved.find(value);
  return it == moved.end() ? value : it->second.first;
}

std::optional<int64_t> RowsFirst::getBroadcastDim(TorchOp op) const {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (std::optional<int64_t> rows = getRowDim(type))
    return rows;
  for (Value operand : op->getOperands())
    if (auto it = moved.find(operand); it != moved.end())
      return it->second.rows + type.getRank() -
             cast<RankedTensorType>(operand.getType()).getRank();
  return std::nullopt;
}

Value RowsFirst::reshape(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  SmallVector<int64_t> sizes(shape);
  llvm::replace(sizes, ShapedType::kDynamic, int64_t(-1));
  return create("aten.reshape", type.clone(shape), value,
                {OperandAttr::get(value.getContext(), 0),
                 builder.getI64ArrayAttr(sizes)})
      ->getResult(0);
}

TorchOp RowsFirst::create(StringRef name, TypeRange types, ValueRange operands,
                          ArrayRef<Attribute> args) {
  return TorchOp::create(builder, loc, types, builder.getStringAttr(name),
                         operands, builder.getArrayAttr(args));
}

/// Which argument of an operator that fills a tensor has its sizes.
static std::optional<unsigned> getSizes(StringRef name) {
  return llvm::StringSwitch<std::optional<unsigned>>(name)
      .Cases({"aten.ones", "aten.zeros", "aten.full"}, 0)
      .Cases(
          {"aten.new_ones", "aten.new_zeros", "aten.new_full", "aten.expand"},
          1)
      .Default(std::nullopt);
}

Value RowsFirst::bringStatic(Value value, int64_t rows) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape = bringToFront(type.getShape(), rows);
  if (type.getDimSize(rows) == 1)
    return reshape(value, shape);
  // Zeros stay zeros that reductions start from.
  auto op = value.getDefiningOp<TorchOp>();
  std::optional<unsigned> sizes = op ? getSizes(op.getName()) : std::nullopt;
  if (sizes && op.getName() != "aten.expand") {
    SmallVector<Attribute> args(op.getArgs().getValue());
    args[*sizes] = builder.getI64ArrayAttr(shape);
    return create(op.getName(), type.clone(shape),
                  llvm::map_to_vector(op->getOperands(),
                                      [&](Value x) { return getFirst(x); }),
                  args)
        ->getResult(0);
  }
  return create("aten.permute", type.clone(shape), value,
                {OperandAttr::get(value.getContext(), 0),
                 builder.getI64ArrayAttr(bringToFront<int64_t>(
                     llvm::to_vector(llvm::seq(type.getRank())), rows))})
      ->getResult(0);
}

Value RowsFirst::bring(Value value, int64_t rank, int64_t rows) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return value;
  int64_t missing = rank - type.getRank();
  if (missing < 0)
    return {};
  // It is broadcast along the rows, which are in front of its dimensions.
  if (missing > rows)
    return type.hasStaticShape() ? value : Value();
  SmallVector<int64_t> shape(missing, 1);
  if (type.hasStaticShape() && !moved.contains(value)) {
    llvm::append_range(shape, type.getShape());
    return bringStatic(reshape(value, shape), rows);
  }
  if (getDim(value) != rows - missing)
    return {};
  Value first = getFirst(value);
  ArrayRef<int64_t> row = cast<RankedTensorType>(first.getType()).getShape();
  shape.insert(shape.begin(), row.front());
  llvm::append_range(shape, row.drop_front());
  return reshape(first, shape);
}

SmallVector<Value> RowsFirst::bringOperands(TorchOp op, int64_t rank,
                                            int64_t rows) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(bring(operand, rank, rows));
    if (!operands.back())
      return {};
  }
  return operands;
}

void RowsFirst::setForm(Value captured, Value first, int64_t rows) {
  if (rows == 0)
    captured.replaceAllUsesWith(first);
  else
    moved[captured] = {first, rows};
}

void RowsFirst::set(TorchOp op, int64_t rows, StringRef name,
                    ValueRange operands, ArrayRef<Attribute> args) {
  auto rowsOf = [&](Type type) { return getRowDim(type).value_or(rows); };
  auto types =
      llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Type {
        auto tensor = dyn_cast<RankedTensorType>(type);
        if (!tensor || rowsOf(type) >= tensor.getRank())
          return type;
        return tensor.clone(bringToFront(tensor.getShape(), rowsOf(type)));
      });
  TorchOp made = create(name, types, operands, args);
  for (auto [captured, result] : llvm::zip(op.getResults(), made.getResults()))
    setForm(captured, result, rowsOf(captured.getType()));
}

/// Whether `op` normalises what is behind the rows, dimension `rows`.
static bool isNormOfColumns(TorchOp op, int64_t rows) {
  auto sizes = op.getName() == "aten.layer_norm"
                   ? dyn_cast<ArrayAttr>(op.getArgs()[1])
                   : ArrayAttr();
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  return sizes && static_cast<int64_t>(sizes.size()) < type.getRank() - rows;
}

bool RowsFirst::move(TorchOp op) {
  StringRef name = op.getName();
  bool isMoved = op->getNumOperands() > 0 && moved.contains(op->getOperand(0));
  // The argument that names dimensions.
  std::optional<unsigned> dims =
      llvm::StringSwitch<std::optional<unsigned>>(name)
          .Cases({"aten.sum.dim_IntList", "aten.mean.dim", "aten.amax",
                  "aten.amin", "aten.max.dim", "aten.min.dim"},
                 1)
          .Cases({"aten.var.correction", "aten.std.correction",
                  "aten.softmax.int", "aten.log_softmax.int", "aten._softmax",
                  "aten._log_softmax", "aten.select.int", "aten.slice.Tensor",
                  "aten.unbind.int"},
                 1)
          .Cases({"aten.linalg_vector_norm", "aten.split.Tensor",
                  "aten.split_with_sizes", "aten.chunk"},
                 2)
          .Default(std::nullopt);
  if (dims)
    return isMoved && moveOfDims(op, *dims);
  if (name == "aten.permute" || name == "aten.transpose.int" ||
      name == "aten.t")
    return movePermutation(op);
  if (isView(name))
    return moveView(op);
  if (name == "aten.index.Tensor" || name == "aten.index_select")
    return movePick(op);
  if (name == "aten.scatter_add" || name == "aten.scatter_reduce.two")
    return moveScatter(op);
  if (name == "aten.index_add" || name == "aten.index_reduce")
    return moveSums(op);
  if (name == "aten.stack" || name == "aten.cat")
    return moveJoin(op);
  std::optional<int64_t> rows = getBroadcastDim(op);
  if (!rows || *rows == 0)
    return false;
  if (std::optional<unsigned> sizes = getSizes(name))
    return moveFill(op, *sizes);
  if (elementwise.contains(name) || isCopy(name))
    return moveElementwise(op);
  if (name == "aten.mm" || name == "aten.matmul")
    if (moveColumns(op))
      return true;
  if (name == "aten.matmul" || name == "aten.bmm")
    return moveProduct(op);
  bool isOfFirst = llvm::is_contained({"aten.linear", "aten.ones_like",
                                       "aten.zeros_like", "aten.full_like"},
                                      name) ||
                   isNormOfColumns(op, *rows);
  if (!isMoved || !isOfFirst)
    return false;
  SmallVector<Value> operands(op->getOperands());
  operands[0] = getFirst(operands[0]);
  set(op, *rows, name, operands, op.getArgs().getValue());
  return true;
}

void RowsFirst::run() {
  SmallVector<TorchOp> ops(block.getOps<TorchOp>());
  for (TorchOp op : ops) {
    auto isLate = [&](Type type) { return getRowDim(type).value_or(0) > 0; };
    if (op->getNumResults() == 0 ||
        !llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
        (llvm::none_of(op->getResultTypes(), isLate) &&
         llvm::none_of(op->getOperands(),
                       [&](Value operand) { return moved.contains(operand); })))
      continue;
    builder.setInsertionPoint(op);
    loc = op.getLoc();
    if (move(op))
      written.push_back(op);
  }
  for (TorchOp op : llvm::reverse(written))
    if (op.use_empty())
      op.erase();
}

void lift::bringRowsFirst(Block &block) {
  Rules rules;
  addElementwiseRules(rules);
  llvm::StringSet<> elementwise;
  for (StringRef name : rules.keys())
    elementwise.insert(name);
  RowsFirst(block, std::move(elementwise)).run();
}
