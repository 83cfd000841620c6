//===- Einsums.cpp - sums of products of two tensors ----------------------===//
//
//   Before:  %y = einsum("nhf,hf->nh", %x, %w)      rows are the letter `n`
//   After:   rgnn.linear where it is rows times a matrix, and else a map that
//            multiplies elements, and rgnn.reduce_features of the letters that
//            the result has not; one for each matrix, where there are several
//
//===----------------------------------------------------------------------===//

#include "../Elements/Elementwise.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

namespace {
/// The letters of `ab,bc->ac`.
struct Equation {
  std::string lhs, rhs, result;
};
} // namespace

static bool isPlain(StringRef letters) {
  return llvm::all_of(letters, llvm::isAlpha) &&
         llvm::all_of(letters,
                      [&](char letter) { return letters.count(letter) == 1; });
}

/// Nothing for equations of other than two tensors, and those with diagonals,
/// an ellipsis or no result.
static std::optional<Equation> parse(Arguments arguments) {
  std::string text;
  for (char letter : arguments.string(0))
    if (letter != ' ')
      text += letter;
  auto [operands, result] = StringRef(text).split("->");
  auto [lhs, rhs] = operands.split(",");
  if (!StringRef(text).contains("->") || !operands.contains(",") ||
      !isPlain(lhs) || !isPlain(rhs) || !isPlain(result) || result.empty())
    return std::nullopt;
  for (char letter : result)
    if (!lhs.contains(letter) && !rhs.contains(letter))
      return std::nullopt;
  return Equation{lhs.str(), rhs.str(), result.str()};
}

/// `x`, whose dimensions are `letters`, with one for each of `all`.
static Value align(TorchCall &call, Value x, StringRef letters, StringRef all) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t first = rgnn::getRows(type) ? 1 : 0;
  SmallVector<int64_t> order(first, 0), shape;
  if (first)
    shape.push_back(type.getDimSize(0));
  for (char letter : all) {
    size_t place = letters.find(letter);
    if (place == StringRef::npos) {
      shape.push_back(1);
      continue;
    }
    order.push_back(first + place);
    shape.push_back(type.getDimSize(first + place));
  }
  if (!llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
    x = PermuteOp::create(call.builder, call.loc, x, order);
  auto aligned =
      RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
  return x.getType() == aligned
             ? x
             : ReshapeOp::create(call.builder, call.loc, aligned, x)
                   .getResult();
}

/// Rows `k` or `bk` times matrices `bkm`, as rows `bm`; null for others.
static Value multiplyBlocks(TorchCall &call, ArrayRef<Value> values,
                            ArrayRef<StringRef> letters, StringRef result) {
  constexpr int64_t maxBlocks = 16;
  Value x = values[0], weight = values[1];
  StringRef of = letters[0], by = letters[1];
  if (rgnn::getRows(weight.getType()) || by.size() != 3 || of.empty() ||
      of.back() != by[1] || result.size() != 2 || result[0] != by[0] ||
      result[1] != by[2] ||
      (of.size() != 1 && of.drop_back() != by.take_front()))
    return {};
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t blocks = type.getDimSize(0), width = type.getDimSize(1),
          columns = type.getDimSize(2);
  auto reshape = [&](Value value, ArrayRef<int64_t> shape) -> Value {
    auto to = RankedTensorType::get(
        shape, type.getElementType(),
        cast<RankedTensorType>(value.getType()).getEncoding());
    return ReshapeOp::create(call.builder, call.loc, to, value);
  };
  int64_t numRows = cast<RankedTensorType>(x.getType()).getDimSize(0);
  if (of.size() == 1) {
    // The same rows by all matrices, as one of all their columns.
    Value matrix = PermuteOp::create(call.builder, call.loc, weight, {1, 0, 2});
    Value product =
        LinearOp::create(call.builder, call.loc, x,
                         reshape(matrix, {width, blocks * columns}), false);
    return reshape(product, {numRows, blocks, columns});
  }
  if (blocks > maxBlocks)
    return {};
  SmallVector<Value> parts;
  for (int64_t block = 0; block < blocks; ++block) {
    auto slice = [&](Value value, int64_t dim) -> Value {
      return SliceOp::create(call.builder, call.loc, value, dim, block, 1);
    };
    parts.push_back(
        LinearOp::create(call.builder, call.loc, slice(x, 1),
                         reshape(slice(weight, 0), {width, columns}), false));
  }
  return ConcatOp::create(call.builder, call.loc, parts, 1);
}

/// einsum(equation, [a, b], path)
static LogicalResult liftEinsum(TorchCall &call) {
  std::optional<Equation> equation = parse(call);
  std::optional<SmallVector<Value>> operands = call.values(1);
  RankedTensorType result = call.resultType();
  if (!equation || !operands || operands->size() != 2 || !result)
    return call.refuse("it is not a sum of products of two tensors");
  RowsAttr rows;
  for (Value operand : *operands) {
    std::optional<RowsAttr> lives = call.lifter.getRows(operand, call.op);
    rows = rows ? rows : lives.value_or(RowsAttr());
  }
  if (!rows)
    return call.refuse("its rows are neither nodes nor edges of a graph");
  // Behind the letter of the rows, which is the result's first.
  StringRef to = equation->result;
  char rowLetter = to.front();
  SmallVector<Value> values;
  SmallVector<StringRef> letters;
  llvm::SmallDenseMap<char, int64_t> sizes;
  StringRef ofOperands[] = {equation->lhs, equation->rhs};
  for (auto [captured, known] : llvm::zip(*operands, ofOperands)) {
    bool hasRows = known.contains(rowLetter);
    if (hasRows && known.front() != rowLetter)
      return call.refuse("it moves the rows to another dimension");
    values.push_back(hasRows ? call.on(captured, rows) : call.plain(captured));
    if (!values.back())
      return failure();
    letters.push_back(hasRows ? known.drop_front() : known);
    ArrayRef<int64_t> shape = getRowShape(values.back().getType());
    if (shape.size() != letters.back().size() ||
        getElementTypeOrSelf(values.back()) != result.getElementType())
      return call.refuse("its operands are not tensors like the result");
    for (auto [letter, size] : llvm::zip(letters.back(), shape))
      if (!sizes.try_emplace(letter, size).second && sizes[letter] != size)
        return call.refuse("it broadcasts a dimension");
  }
  if (rgnn::getRows(values[1].getType()) &&
      !rgnn::getRows(values[0].getType())) {
    std::swap(values[0], values[1]);
    std::swap(letters[0], letters[1]);
  }
  std::string all = to.drop_front().str();
  for (StringRef known : letters)
    for (char letter : known)
      if (!StringRef(all).contains(letter))
        all += letter;
  int64_t numKept = to.size() - 1, numSummed = all.size() - numKept;

  // Rows times a matrix.
  StringRef of = letters[0], by = letters[1];
  if (!rgnn::getRows(values[1].getType()) && by.size() == 2 && numSummed == 1 &&
      !of.empty() && of.back() == all.back() && by.contains(all.back())) {
    bool isTransposed = by[1] == all.back();
    char column = by[isTransposed ? 0 : 1];
    if (!of.contains(column) &&
        to.drop_front().str() == of.drop_back().str() + column)
      return call.replace({LinearOp::create(call.builder, call.loc, values[0],
                                            values[1], isTransposed)
                               .getResult()});
  }

  if (Value product = multiplyBlocks(call, values, letters, to.drop_front()))
    return call.replace({product});

  int64_t numTerms = 1;
  SmallVector<int64_t> shape;
  for (char letter : all) {
    shape.push_back(sizes[letter]);
    numTerms *= shape.back();
  }
  if (shape.size() > 1 && numTerms > maxNumbersOfRows)
    return call.refuse("its products have more than " +
                       Twine(maxNumbersOfRows) + " terms in a row");
  Value product = buildMap(
      call, getRowsType(rows, shape, result.getElementType()),
      {align(call, values[0], of, all), align(call, values[1], by, all)},
      [](Scalars &s, ArrayRef<Value> x) { return s.mul(x[0], x[1]); });
  for (int64_t dim = numKept + numSummed; dim > numKept; --dim)
    product = ReduceFeaturesOp::create(call.builder, call.loc, product,
                                       Reduction::Sum, dim);
  return call.replace({product});
}

/// Operands whose first letter is the result's have its rows.
static void rowsOfEinsum(Arguments arguments, Sizes &sizes) {
  std::optional<Equation> equation = parse(arguments);
  std::optional<SmallVector<Value>> operands = arguments.values(1);
  if (!equation || !operands || operands->size() != 2)
    return;
  StringRef ofOperands[] = {equation->lhs, equation->rhs};
  for (auto [operand, letters] : llvm::zip(*operands, ofOperands))
    if (auto type = dyn_cast<RankedTensorType>(operand.getType());
        type && type.getRank() > 0 && type.getDimSize(0) != 1 &&
        !letters.empty() && letters.front() == equation->result.front())
      sizes.unify(sizes.of(operand, 0), sizes.of(arguments.op.getResult(0), 0));
}

void lift::addEinsumRules(Rules &rules) {
  rules["aten.einsum"] = {rowsOfEinsum, liftEinsum};
}
