//===- HoistFromMaximum.cpp - what leaves a maximum over edges ------------===//
//
// max_e (x_e + b) = max_e x_e + b, where b is the same for all edges of a group
// and the group is not empty: its maximum is zero, and stays zero.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/RGNN/Utils/HoistFromMaximum.h"
#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"
#include "RGNN/Support/CloneSlice.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::rgnn;

namespace {

/// A scalar in the region of a map, in a sum of such.
struct ScalarTerm {
  Value scalar;
  bool isSubtracted;
};

/// What is done to the maximum of the rest of a map's rows.
struct HoistedMap {
  MapOp map;
  SmallVector<ScalarTerm> terms; // one, if it is a factor
  bool isFactor;
};

/// One maximum or minimum.
class Hoisting {
public:
  Hoisting(ReduceOp reduce, RowOrigins &origins)
      : reduce(reduce), origins(origins), rows(reduce.getRows()),
        builder(reduce) {}

  /// Takes from the rows what their groups share, until there is nothing. Says
  /// why something that is shared stays where all does.
  Refusal findMaps();
  bool isFound() const { return !maps.empty(); }
  /// The maximum of the rest, and then the maps.
  Value build();

private:
  bool isShared(MapOp map, Value scalar);
  Refusal findMap(MapOp map);
  Refusal findFactor(MapOp map, Value scalar);
  void setRest(MapOp map, ArrayRef<ScalarTerm> terms);
  Value buildAgain(const HoistedMap &hoisted, Value best);
  Value keepEmptyGroups(Value best);

  ReduceOp reduce;
  RowOrigins &origins;
  Value rows; // what is left to take the maximum of
  OpBuilder builder;
  SmallVector<HoistedMap> maps; // the last one taken is the first to be undone
};

} // namespace

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static void collectArguments(Value scalar, SmallVectorImpl<unsigned> &numbers) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    if (!llvm::is_contained(numbers, argument.getArgNumber()))
      numbers.push_back(argument.getArgNumber());
    return;
  }
  for (Value operand : scalar.getDefiningOp()->getOperands())
    collectArguments(operand, numbers);
}

/// The terms of a sum or difference of scalars.
static void collectTerms(Value scalar, bool isSubtracted,
                         SmallVectorImpl<ScalarTerm> &terms) {
  Operation *op = scalar.getDefiningOp();
  if (isa_and_nonnull<arith::NegFOp>(op)) {
    collectTerms(op->getOperand(0), !isSubtracted, terms);
  } else if (isa_and_nonnull<arith::AddFOp, arith::SubFOp>(op)) {
    collectTerms(op->getOperand(0), isSubtracted, terms);
    collectTerms(op->getOperand(1), isSubtracted != isa<arith::SubFOp>(op),
                 terms);
  } else {
    terms.push_back({scalar, isSubtracted});
  }
}

static bool isPositive(Value scalar) {
  FloatAttr number;
  if (matchPattern(scalar, m_Constant(&number)))
    return number.getValueAsDouble() > 0;
  Operation *op = scalar.getDefiningOp();
  if (isa_and_nonnull<arith::AddFOp, arith::MulFOp, arith::DivFOp>(op))
    return llvm::all_of(op->getOperands(), isPositive);
  return isa_and_nonnull<math::ExpOp, math::Exp2Op>(op);
}

/// `best`, if there is one, and scalars of a map's region, added up or
/// multiplied. Operands of the map are those that `place` gives for them.
static Value buildMap(OpBuilder &builder, Type type, const HoistedMap &hoisted,
                      Value best, function_ref<Value(Value)> place) {
  SmallVector<unsigned> numbers;
  for (ScalarTerm term : hoisted.terms)
    collectArguments(term.scalar, numbers);
  SmallVector<Value> inputs;
  if (best)
    inputs.push_back(best);
  MapOp map = hoisted.map;
  for (unsigned number : numbers)
    inputs.push_back(place(map.getInputs()[number]));
  return MapOp::create(
      builder, map.getLoc(), type, inputs,
      [&](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        Value result = best ? x.front() : Value();
        IRMapping mapping;
        for (auto [number, argument] :
             llvm::zip(numbers, x.drop_front(best ? 1 : 0)))
          mapping.map(map.getBody().getArgument(number), argument);
        for (ScalarTerm term : hoisted.terms) {
          Value scalar = cloneSlice(inner, term.scalar, mapping);
          if (hoisted.isFactor)
            result = arith::MulFOp::create(inner, loc, result, scalar);
          else if (result && term.isSubtracted)
            result = arith::SubFOp::create(inner, loc, result, scalar);
          else if (result)
            result = arith::AddFOp::create(inner, loc, result, scalar);
          else if (term.isSubtracted)
            result = arith::NegFOp::create(inner, loc, scalar);
          else
            result = scalar;
        }
        return result;
      });
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// Whether all edges of a group have the same `scalar`, which is not the same
/// for all groups.
bool Hoisting::isShared(MapOp map, Value scalar) {
  SmallVector<unsigned> numbers;
  collectArguments(scalar, numbers);
  return !numbers.empty() && llvm::all_of(numbers, [&](unsigned number) {
    Value input = map.getInputs()[number];
    return !isOnEdges(input) ||
           origins.getPaths(input).contains(reduce.getPath());
  });
}

/// Lets `terms` be the rows whose maximum is taken.
void Hoisting::setRest(MapOp map, ArrayRef<ScalarTerm> terms) {
  auto argument = dyn_cast<BlockArgument>(terms.front().scalar);
  if (terms.size() == 1 && argument && !terms.front().isSubtracted)
    rows = map.getInputs()[argument.getArgNumber()];
  else
    rows = buildMap(builder, map.getResult().getType(),
                    {map, llvm::to_vector(terms), /*isFactor=*/false}, Value(),
                    [](Value input) { return input; });
}

Refusal Hoisting::findFactor(MapOp map, Value scalar) {
  auto product = scalar.getDefiningOp<arith::MulFOp>();
  if (!product)
    return {};
  Value factor = product.getLhs(), rest = product.getRhs();
  if (!isShared(map, factor))
    std::swap(factor, rest);
  if (!isShared(map, factor) || isShared(map, rest))
    return {};
  if (!isPositive(factor))
    return "a factor that the edges of a group share may be negative";
  maps.push_back({map, {{factor, false}}, /*isFactor=*/true});
  setRest(map, {{rest, false}});
  return {};
}

Refusal Hoisting::findMap(MapOp map) {
  SmallVector<ScalarTerm> terms, shared, rest;
  collectTerms(map.getBody().front().getTerminator()->getOperand(0), false,
               terms);
  for (ScalarTerm term : terms)
    (isShared(map, term.scalar) ? shared : rest).push_back(term);
  if (rest.empty())
    return {};
  if (shared.empty())
    return rest.size() == 1 && !rest.front().isSubtracted
               ? findFactor(map, rest.front().scalar)
               : Refusal();
  maps.push_back({map, shared, /*isFactor=*/false});
  setRest(map, rest);
  return {};
}

Refusal Hoisting::findMaps() {
  // What others read, too, is computed anyway; what was made here, nobody yet.
  while (auto map = rows.getDefiningOp<MapOp>()) {
    if (rows.hasNUsesOrMore(2))
      break;
    size_t known = maps.size();
    Refusal refusal = findMap(map);
    if (maps.size() == known)
      return isFound() ? Refusal() : refusal;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value Hoisting::buildAgain(const HoistedMap &hoisted, Value best) {
  MapOp map = hoisted.map;
  Type type = getTypeOn(map.getResult().getType(),
                        getRows(reduce.getResult().getType()));
  return buildMap(builder, type, hoisted, best, [&](Value input) {
    return origins.rebuild(builder, input, reduce.getPath());
  });
}

/// Zero where no edge is in a group, else `best`.
Value Hoisting::keepEmptyGroups(Value best) {
  auto type = cast<RankedTensorType>(best.getType());
  Location loc = reduce.getLoc();
  Value degree = DegreeOp::create(
      builder, loc, getRowsType(getRows(type), {}, type.getElementType()),
      reduce.getGraph(), reduce.getPath());
  return MapOp::create(
      builder, loc, type, {best, degree},
      [](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        Value zero = arith::ConstantOp::create(
            inner, loc, inner.getZeroAttr(x[0].getType()));
        Value isEmpty = arith::CmpFOp::create(
            inner, loc, arith::CmpFPredicate::OEQ, x[1], zero);
        return arith::SelectOp::create(inner, loc, isEmpty, zero, x[0]);
      });
}

Value Hoisting::build() {
  Value best =
      ReduceOp::create(builder, reduce.getLoc(), rows, reduce.getGraph(),
                       reduce.getPath(), reduce.getKind());
  for (const HoistedMap &hoisted : llvm::reverse(maps))
    best = buildAgain(hoisted, best);
  return keepEmptyGroups(best);
}

int64_t rgnn::hoistFromMaxima(func::FuncOp function, StringRef pass) {
  RowOrigins origins; // knows values, which therefore stay until the end
  PassRemarks remarks(function, pass, "Maxima");
  SmallVector<ReduceOp> replaced;
  for (auto reduce : llvm::make_early_inc_range(
           function.getBody().front().getOps<ReduceOp>())) {
    bool isMaximum = reduce.getKind() == Reduction::Max;
    if ((!isMaximum && reduce.getKind() != Reduction::Min) ||
        !isOnEdges(reduce.getRows()))
      continue;
    Hoisting hoisting(reduce, origins);
    if (Refusal refusal = hoisting.findMaps())
      remarks.missed(reduce.getLoc(),
                     "rows stay as they are before their " +
                         stringifyReduction(reduce.getKind()),
                     refusal);
    if (!hoisting.isFound())
      continue;
    reduce.getResult().replaceAllUsesWith(hoisting.build());
    replaced.push_back(reduce);
    remarks.passed(reduce.getLoc(),
                   "what edges of a group share leaves their " +
                       stringifyReduction(reduce.getKind()));
  }
  for (ReduceOp reduce : replaced)
    reduce.erase();
  return replaced.size();
}
