//===- RowsFirst.cpp - rows that another dimension is in front of ---------===//
//
// Models stack what several relations or hops bring, or multiply by several
// weights at once. Rows stay rows where each has the numbers of all of these:
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
#include "Rules.h"

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
  std::optional<int64_t> rows = getRowDim(value.getType());
  return rows == 0 || moved.contains(value) ? rows : std::nullopt;
}

static Type getMovedType(Type type) {
  std::optional<int64_t> rows = getRowDim(type);
  if (!rows)
    return type;
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(bringToFront(tensor.getShape(), *rows));
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
  if (type.hasStaticShape()) {
    llvm::append_range(shape, type.getShape());
    return shape[rows] == 1 ? reshape(value, bringToFront<int64_t>(shape, rows))
                            : Value();
  }
  if (getDim(value) != rows - missing)
    return {};
  Value first = moved.contains(value) ? moved.lookup(value) : value;
  ArrayRef<int64_t> row =
      cast<RankedTensorType>(first.getType()).getShape().drop_front();
  shape.insert(shape.begin(), ShapedType::kDynamic);
  llvm::append_range(shape, row);
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

void RowsFirst::set(TorchOp op, TorchOp made) {
  for (auto [captured, result] : llvm::zip(op.getResults(), made.getResults()))
    if (getRowDim(captured.getType()).value_or(0) == 0)
      captured.replaceAllUsesWith(result);
    else
      moved[captured] = result;
}

SmallVector<Type> RowsFirst::getMovedTypes(TorchOp op) {
  return llvm::map_to_vector(op->getResultTypes(), getMovedType);
}

bool RowsFirst::moveElementwise(TorchOp op) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  int64_t rows = *getRowDim(op.getResult(0).getType());
  SmallVector<Value> operands = bringOperands(op, type.getRank(), rows);
  if (operands.empty())
    return false;
  set(op, create(op.getName(), getMovedTypes(op), operands,
                 op.getArgs().getValue()));
  return true;
}

bool RowsFirst::moveFill(TorchOp op, unsigned sizes) {
  ArrayRef<Attribute> args = op.getArgs().getValue();
  auto list =
      sizes < args.size() ? dyn_cast<ArrayAttr>(args[sizes]) : ArrayAttr();
  int64_t rows = *getRowDim(op.getResult(0).getType());
  if (!list || static_cast<int64_t>(list.size()) <= rows)
    return false;
  SmallVector<Attribute> changed(args);
  changed[sizes] = builder.getArrayAttr(bringToFront(list.getValue(), rows));
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value first = moved.lookup(operand);
    operands.push_back(first ? first : operand);
  }
  if (op.getName() == "aten.expand") {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    operands[0] = bring(op->getOperand(0), type.getRank(), rows);
    if (!operands[0])
      return false;
  }
  set(op, create(op.getName(), getMovedTypes(op), operands, changed));
  return true;
}

/// `dim`, of a tensor of `rank` dimensions, where the rows come to the front.
static Attribute moveDim(Builder &builder, Attribute dim, int64_t rank,
                         int64_t rows) {
  auto integer = dyn_cast<IntegerAttr>(dim);
  std::optional<int64_t> normal =
      integer ? normalizeDim(integer.getInt(), rank) : std::nullopt;
  return normal ? builder.getI64IntegerAttr(getMovedDim(*normal, rows))
                : Attribute();
}

bool RowsFirst::moveOfDims(TorchOp op, unsigned dims) {
  Value x = op->getOperand(0);
  auto type = cast<RankedTensorType>(x.getType());
  if (!moved.contains(x) || dims >= op.getArgs().size())
    return false;
  int64_t rows = *getDim(x);
  SmallVector<Attribute> args(op.getArgs().getValue()), changed;
  auto list = dyn_cast<ArrayAttr>(args[dims]);
  for (Attribute dim : list ? list.getValue() : ArrayRef(args[dims])) {
    changed.push_back(moveDim(builder, dim, type.getRank(), rows));
    if (!changed.back())
      return false;
  }
  args[dims] = list ? builder.getArrayAttr(changed) : changed.front();
  SmallVector<Type> types = getMovedTypes(op);
  SmallVector<Value> operands(op->getOperands());
  operands[0] = moved.lookup(x);
  // A dimension of size 1 where the rows were is put back.
  auto result = dyn_cast<RankedTensorType>(op->getResultTypes().front());
  if (result && result.hasStaticShape() && result.getRank() == type.getRank()) {
    if (op->getNumResults() != 1)
      return false;
    types[0] = result.clone(bringToFront(result.getShape(), rows));
    Value reduced = create(op.getName(), types, operands, args)->getResult(0);
    op.getResult(0).replaceAllUsesWith(reshape(reduced, result.getShape()));
    return true;
  }
  set(op, create(op.getName(), types, operands, args));
  return true;
}

bool RowsFirst::moveJoin(TorchOp op) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  std::optional<int64_t> dim =
      normalizeDim(Arguments(op).integer(1), type.getRank());
  int64_t rows = *getRowDim(type);
  bool isStack = op.getName() == "aten.stack";
  if (!dim)
    return false;
  int64_t rank = type.getRank() - isStack,
          ofParts = rows - (isStack && *dim < rows);
  SmallVector<Value> parts;
  for (Value part : op->getOperands()) {
    auto own = dyn_cast<RankedTensorType>(part.getType());
    parts.push_back(own && own.getRank() == rank ? bring(part, rank, ofParts)
                                                 : Value());
    if (!parts.back())
      return false;
  }
  SmallVector<Attribute> args(op.getArgs().getValue());
  args[1] = builder.getI64IntegerAttr(getMovedDim(*dim, rows));
  set(op, create(op.getName(), getMovedTypes(op), parts, args));
  return true;
}

bool RowsFirst::move(TorchOp op) {
  StringRef name = op.getName();
  std::optional<int64_t> rows = getRowDim(op->getResultTypes().front());
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
                  "aten.unbind.int", "aten.index_select"},
                 1)
          .Cases({"aten.linalg_vector_norm", "aten.split.Tensor",
                  "aten.split_with_sizes", "aten.chunk"},
                 2)
          .Default(std::nullopt);
  if (dims)
    return moveOfDims(op, *dims);
  if (name == "aten.permute" || name == "aten.transpose.int" ||
      name == "aten.t")
    return movePermutation(op);
  if (isView(name))
    return moveView(op);
  if (!rows || *rows == 0)
    return false;
  if (std::optional<unsigned> sizes =
          llvm::StringSwitch<std::optional<unsigned>>(name)
              .Cases({"aten.ones", "aten.zeros", "aten.full"}, 0)
              .Cases({"aten.new_ones", "aten.new_zeros", "aten.new_full",
                      "aten.expand"},
                     1)
              .Default(std::nullopt))
    return moveFill(op, *sizes);
  if (elementwise.contains(name) || isCopy(name))
    return moveElementwise(op);
  if (name == "aten.stack" || name == "aten.cat")
    return moveJoin(op);
  if (name == "aten.matmul" || name == "aten.bmm")
    return moveProduct(op);
  if (name == "aten.scatter_add" || name == "aten.scatter_reduce.two")
    return moveScatter(op);
  if (name != "aten.linear" || !isMoved)
    return false;
  SmallVector<Value> operands(op->getOperands());
  operands[0] = moved.lookup(operands[0]);
  set(op, create(name, getMovedTypes(op), operands, op.getArgs().getValue()));
  return true;
}

void RowsFirst::run() {
  SmallVector<TorchOp> ops(block.getOps<TorchOp>());
  for (TorchOp op : ops) {
    auto isLate = [&](Type type) { return getRowDim(type).value_or(0) > 0; };
    if (op->getNumResults() == 0 ||
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
