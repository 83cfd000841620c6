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

/// The only dimension of dynamic size.
static std::optional<int64_t> getRowDim(Type type) {
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

/// `elements`, one for each dimension, with that of the rows in front.
template <typename T>
static SmallVector<T> bringToFront(ArrayRef<T> elements, int64_t rows) {
  SmallVector<T> result{elements[rows]};
  llvm::append_range(result, elements.take_front(rows));
  llvm::append_range(result, elements.drop_front(rows + 1));
  return result;
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

/// Dimension `dim` of a tensor whose rows come to the front.
static int64_t getMovedDim(int64_t dim, int64_t rows) {
  return dim == rows ? 0 : dim < rows ? dim + 1 : dim;
}

/// `dim`, of a tensor of `rank` dimensions, where the rows come to the front.
static Attribute getMovedDim(Builder &builder, Attribute dim, int64_t rank,
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
    changed.push_back(getMovedDim(builder, dim, type.getRank(), rows));
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

bool RowsFirst::moveView(TorchOp op) {
  Value x = op->getOperand(0);
  auto from = cast<RankedTensorType>(x.getType()),
       to = cast<RankedTensorType>(op.getResult(0).getType());
  std::optional<int64_t> rows = getDim(x), newRows = getRowDim(to);
  if (!rows || !newRows)
    return false;
  // What is in front of the rows and what is behind them is viewed apart.
  ArrayRef<int64_t> before = from.getShape(), after = to.getShape();
  auto count = [](ArrayRef<int64_t> sizes) {
    return ShapedType::getNumElements(sizes);
  };
  if (count(before.take_front(*rows)) != count(after.take_front(*newRows)) ||
      count(before.drop_front(*rows + 1)) !=
          count(after.drop_front(*newRows + 1)))
    return false;
  Value first = moved.contains(x) ? moved.lookup(x) : x;
  Value viewed = reshape(first, bringToFront(after, *newRows));
  if (*newRows == 0)
    op.getResult(0).replaceAllUsesWith(viewed);
  else
    moved[op.getResult(0)] = viewed;
  return true;
}

bool RowsFirst::movePermutation(TorchOp op) {
  Value x = op->getOperand(0);
  std::optional<int64_t> rows = getDim(x);
  std::optional<SmallVector<int64_t>> order = getOrder(Arguments(op));
  if (!rows || !order)
    return false;
  int64_t newRows = llvm::find(*order, *rows) - order->begin();
  SmallVector<int64_t> ofMoved;
  for (int64_t dim : bringToFront<int64_t>(*order, newRows))
    ofMoved.push_back(getMovedDim(dim, *rows));
  Value first = moved.contains(x) ? moved.lookup(x) : x;
  set(op, create("aten.permute", getMovedTypes(op), first,
                 {OperandAttr::get(builder.getContext(), 0),
                  builder.getI64ArrayAttr(ofMoved)}));
  return true;
}

/// Rows `[b..., n, k]` times matrices `[b..., k, m]`: an einsum, of the
/// dimensions that both have or one of them.
bool RowsFirst::moveProduct(TorchOp op) {
  Value x = op->getOperand(0), weight = op->getOperand(1);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  auto ofX = dyn_cast<RankedTensorType>(x.getType()),
       ofWeight = dyn_cast<RankedTensorType>(weight.getType());
  int64_t rank = type.getRank();
  if (!ofX || !ofWeight || !ofWeight.hasStaticShape() ||
      ofWeight.getRank() < 2 || getRowDim(type) != rank - 2)
    return false;
  Value first = bring(x, rank, rank - 2);
  if (!first)
    return false;
  if (ofWeight.getRank() == 2) {
    set(op, create(op.getName(), getMovedTypes(op), {first, weight},
                   op.getArgs().getValue()));
    return true;
  }
  SmallVector<int64_t> lhs{ShapedType::kDynamic}, rhs;
  std::string ofRows = "n", ofMatrix, ofResult = "n";
  auto firstType = cast<RankedTensorType>(first.getType());
  for (int64_t dim = 0; dim < rank - 2; ++dim) {
    int64_t inMatrix = dim - (rank - ofWeight.getRank());
    int64_t rowSize = firstType.getDimSize(dim + 1),
            size = inMatrix < 0 ? 1 : ofWeight.getDimSize(inMatrix);
    char letter = 'a' + dim;
    if (rowSize > 1 || size == 1) {
      lhs.push_back(rowSize);
      ofRows += letter;
    }
    if (size > 1) {
      rhs.push_back(size);
      ofMatrix += letter;
    }
    ofResult += letter;
  }
  if (rank > 12)
    return false;
  lhs.push_back(ofX.getShape().back());
  llvm::append_range(rhs, ofWeight.getShape().take_back(2));
  std::string equation =
      ofRows + "k," + ofMatrix + "km->" + ofResult + "m";
  Value product =
      create("aten.einsum", getMovedTypes(op),
             {reshape(first, lhs), reshape(weight, rhs)},
             {builder.getStringAttr(equation),
              builder.getArrayAttr({OperandAttr::get(builder.getContext(), 0),
                                    OperandAttr::get(builder.getContext(), 1)}),
              builder.getUnitAttr()})
          ->getResult(0);
  moved[op.getResult(0)] = product;
  return true;
}

/// The list of integers that `index` repeats along all but one dimension.
static Value getRepeated(Value index) {
  while (cast<RankedTensorType>(index.getType()).getRank() > 1) {
    auto op = index.getDefiningOp<TorchOp>();
    if (!op || (op.getName() != "aten.expand" &&
                op.getName() != "aten.expand_as" && !isView(op.getName())))
      return {};
    index = op->getOperand(0);
  }
  return index;
}

/// scatter_add(into, dim, index, rows), scatter_reduce(..., reduce, self) along
/// the rows: index_add and index_reduce, whose index is a list.
bool RowsFirst::moveScatter(TorchOp op) {
  Arguments arguments(op);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  int64_t rows = *getRowDim(type);
  bool adds = op.getName() == "aten.scatter_add";
  Value list = arguments.value(2) ? getRepeated(arguments.value(2)) : Value();
  Value into = arguments.floats(0), source = arguments.floats(3);
  if (normalizeDim(arguments.integer(1), type.getRank()) != rows || !list ||
      !into || !source || (!adds && arguments.string(4) == "sum"))
    return false;
  into = bring(into, type.getRank(), rows);
  source = bring(source, type.getRank(), rows);
  if (!into || !source)
    return false;
  auto operand = [&](unsigned number) {
    return OperandAttr::get(builder.getContext(), number);
  };
  SmallVector<Attribute> args{operand(0), builder.getI64IntegerAttr(0),
                              operand(1), operand(2)};
  if (adds)
    args.push_back(builder.getI64IntegerAttr(1));
  else
    args.append({arguments.get(4), arguments.get(5)});
  set(op, create(adds ? "aten.index_add" : "aten.index_reduce",
                 getMovedTypes(op), {into, list, source}, args));
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
         llvm::none_of(op->getOperands(), [&](Value operand) {
           return moved.contains(operand);
         })))
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
