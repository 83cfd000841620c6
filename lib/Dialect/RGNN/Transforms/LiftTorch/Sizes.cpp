//===- Sizes.cpp - which sizes of tensors are equal -----------------------===//

#include "Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

Size Sizes::symbol(Value value, int64_t dim) {
  auto [entry, isNew] = ids.try_emplace({value, dim}, symbols.size());
  if (isNew)
    symbols.push_back({value, dim, std::nullopt});
  return canonical({0, {entry->second}});
}

Size Sizes::of(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return Size::of(type.getDimSize(dim));
  return symbol(tensor, dim);
}

Size Sizes::of(Value integer) { return symbol(integer, -1); }

std::optional<Size> Sizes::of(Arguments arguments, unsigned i) {
  if (std::optional<int64_t> integer = arguments.integer(i))
    return Size::of(*integer);
  Value value = arguments.value(i);
  if (!value || !value.getType().isInteger(64))
    return std::nullopt;
  return of(value);
}

std::optional<Size> Sizes::ofElement(Arguments arguments, unsigned list,
                                     unsigned i) {
  auto elements = dyn_cast_if_present<ArrayAttr>(arguments.get(list));
  if (!elements || i >= elements.size())
    return std::nullopt;
  if (auto operand = dyn_cast<OperandAttr>(elements[i])) {
    Value value = arguments.op.getInputs()[operand.getIndex()];
    return value.getType().isInteger(64) ? std::optional(of(value))
                                         : std::nullopt;
  }
  auto integer = dyn_cast<IntegerAttr>(elements[i]);
  return integer && integer.getInt() >= 0
             ? std::optional(Size::of(integer.getInt()))
             : std::nullopt;
}

Size Sizes::sum(ArrayRef<Size> sizes) {
  Size total;
  for (const Size &size : sizes) {
    total.constant += size.constant;
    llvm::append_range(total.symbols, size.symbols);
  }
  return canonical(total);
}

Size Sizes::multiply(const Size &size, int64_t factor) {
  return sum(SmallVector<Size>(factor, size));
}

std::optional<Size> Sizes::divide(const Size &size, int64_t factor) {
  Size total = canonical(size), result = Size::of(total.constant / factor);
  for (auto [i, symbol] : llvm::enumerate(total.symbols))
    if (i % factor == 0)
      result.symbols.push_back(symbol); // they are sorted
  return multiply(result, factor) == total ? std::optional(result)
                                           : std::nullopt;
}

Size Sizes::canonical(const Size &size) {
  Size result = Size::of(size.constant);
  SmallVector<unsigned> work(size.symbols.begin(), size.symbols.end());
  while (!work.empty()) {
    unsigned id = work.pop_back_val();
    if (const std::optional<Size> &other = symbols[id].replacement) {
      result.constant += other->constant;
      llvm::append_range(work, other->symbols);
    } else {
      result.symbols.push_back(id);
    }
  }
  llvm::sort(result.symbols);
  return result;
}

bool Sizes::equal(const Size &a, const Size &b) {
  return canonical(a) == canonical(b);
}

/// What a size has beyond another one.
static Size subtract(const Size &size, const Size &other) {
  Size rest = Size::of(size.constant - std::min(size.constant, other.constant));
  std::set_difference(size.symbols.begin(), size.symbols.end(),
                      other.symbols.begin(), other.symbols.end(),
                      std::back_inserter(rest.symbols));
  return rest;
}

void Sizes::unify(Size a, Size b) {
  Size all = canonical(a), other = canonical(b);
  // n + m = n + k says that m = k.
  a = subtract(all, other);
  b = subtract(other, all);
  auto isSymbol = [](const Size &size) {
    return size.constant == 0 && size.symbols.size() == 1;
  };
  if (a == b)
    return;
  // Of two symbols the one seen first stays: it is computed earlier.
  if (!isSymbol(a) || (isSymbol(b) && b.symbols[0] > a.symbols[0]))
    std::swap(a, b);
  if (isSymbol(a) && !llvm::is_contained(b.symbols, a.symbols[0]))
    symbols[a.symbols[0]].replacement = b;
}

Size Sizes::inArguments(const Size &size) {
  Size total = canonical(size);
  if (total.symbols.size() + (total.constant != 0) <= 1)
    return total;
  for (auto [id, symbol] : llvm::enumerate(symbols))
    if (isa<BlockArgument>(symbol.value) && symbol.replacement &&
        canonical({0, {static_cast<unsigned>(id)}}) == total)
      return {0, {static_cast<unsigned>(id)}};
  return total;
}

SmallVector<Size> Sizes::getTerms(const Size &size) {
  Size total = inArguments(size);
  auto isOfArgument = [&](unsigned id) {
    return isa<BlockArgument>(symbols[id].value) && symbols[id].dim >= 0;
  };
  if (total.constant < 0 || !llvm::all_of(total.symbols, isOfArgument))
    return {};
  SmallVector<Size> terms;
  for (unsigned id : total.symbols)
    terms.push_back({0, {id}});
  if (total.constant > 0)
    terms.push_back(Size::of(total.constant));
  return terms.size() < 2 ? SmallVector<Size>() : terms;
}

SmallVector<Value> Sizes::getSources(const Size &size) {
  SmallVector<Value> sources;
  for (unsigned id : inArguments(size).symbols)
    sources.push_back(symbols[id].value);
  return sources;
}

Value Sizes::emit(OpBuilder &builder, Location loc, const Size &size) {
  Size total = inArguments(size);
  Value sum;
  auto add = [&](Value term) {
    sum = sum ? arith::AddIOp::create(builder, loc, sum, term) : term;
  };
  for (unsigned id : total.symbols) {
    const Symbol &symbol = symbols[id];
    if (symbol.dim >= 0)
      add(tensor::DimOp::create(builder, loc, symbol.value, symbol.dim));
    else
      add(arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                     symbol.value));
  }
  if (total.constant != 0 || !sum)
    add(arith::ConstantIndexOp::create(builder, loc, total.constant));
  return sum;
}

void lift::keepRows(Arguments arguments, Sizes &sizes) {
  Value x = arguments.value(0);
  auto type = x ? dyn_cast<RankedTensorType>(x.getType()) : nullptr;
  RankedTensorType result = arguments.resultType();
  if (type && result && result.getRank() > 0 && type.getRank() > 0)
    sizes.unify(sizes.of(x, 0), sizes.of(arguments.op.getResult(0), 0));
}

void lift::broadcastRows(Arguments arguments, Sizes &sizes) {
  RankedTensorType result = arguments.resultType();
  if (!result || result.getRank() == 0)
    return;
  // Sizes that were captured as dynamic are never 1.
  for (Value operand : arguments.op.getInputs()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (type && type.getRank() == result.getRank() && type.getDimSize(0) != 1)
      sizes.unify(sizes.of(operand, 0), sizes.of(arguments.op.getResult(0), 0));
  }
}

void lift::expandRows(Arguments arguments, Sizes &sizes) {
  broadcastRows(arguments, sizes);
  RankedTensorType result = arguments.resultType();
  if (std::optional<Size> rows = sizes.ofElement(arguments, 1, 0);
      rows && result && result.getRank() > 0)
    sizes.unify(*rows, sizes.of(arguments.op.getResult(0), 0));
}

/// Operators on symbolic sizes. They are erased with their last use.
void lift::addSizeRules(Rules &rules) {
  auto keep = [](TorchCall &call) { return call.refuse(""); };
  rules["aten.sym_size.int"] = {
      [](Arguments arguments, Sizes &sizes) {
        if (std::optional<int64_t> dim = getDim(arguments, 1))
          sizes.unify(sizes.of(arguments.value(0), *dim),
                      sizes.of(arguments.op.getResult(0)));
      },
      keep};
  rules["sym.add"] = {[](Arguments arguments, Sizes &sizes) {
                        std::optional<Size> lhs = sizes.of(arguments, 0),
                                            rhs = sizes.of(arguments, 1);
                        if (lhs && rhs)
                          sizes.unify(sizes.of(arguments.op.getResult(0)),
                                      sizes.sum({*lhs, *rhs}));
                      },
                      keep};
  // Nodes of which each has a row for each of a few types: a sum of as many.
  rules["sym.mul"] = {[](Arguments arguments, Sizes &sizes) {
                        std::optional<Size> lhs = sizes.of(arguments, 0),
                                            rhs = sizes.of(arguments, 1);
                        if (lhs && !lhs->symbols.empty())
                          std::swap(lhs, rhs);
                        if (!lhs || !rhs || !lhs->symbols.empty() ||
                            lhs->constant < 1 || lhs->constant > maxFactor)
                          return;
                        sizes.unify(sizes.of(arguments.op.getResult(0)),
                                    sizes.multiply(*rhs, lhs->constant));
                      },
                      keep};
  for (StringRef name : {"sym.sub", "sym.floordiv"})
    rules[name] = {nullptr, keep};
}
