//===- Operands.cpp - what element-wise operators read --------------------===//
//
//   Before:  %m = eq(%x, 0)
//            %y = masked_fill(%x, %m, 1)
//
//   After:   %y = rgnn.map %x {
//            ^bb0(%a: f32):
//              %m = arith.cmpf oeq, %a, %zero : f32
//              %b = arith.select %m, %one, %a : f32
//              rgnn.yield %b : f32
//            }
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

using P = arith::CmpFPredicate;

namespace {
struct Comparison {
  StringRef name;
  P predicate;
};
} // namespace

static constexpr Comparison comparisons[] = {
    {"aten.eq.Scalar", P::OEQ}, {"aten.eq.Tensor", P::OEQ},
    {"aten.ne.Scalar", P::UNE}, {"aten.ne.Tensor", P::UNE},
    {"aten.lt.Scalar", P::OLT}, {"aten.lt.Tensor", P::OLT},
    {"aten.le.Scalar", P::OLE}, {"aten.le.Tensor", P::OLE},
    {"aten.gt.Scalar", P::OGT}, {"aten.gt.Tensor", P::OGT},
    {"aten.ge.Scalar", P::OGE}, {"aten.ge.Tensor", P::OGE}};

static constexpr StringRef conjunctions[] = {"aten.logical_and",
                                             "aten.bitwise_and.Tensor",
                                             "aten.__and__.Tensor"},
                           disjunctions[] = {"aten.logical_or",
                                             "aten.bitwise_or.Tensor",
                                             "aten.__or__.Tensor"},
                           differences[] = {"aten.logical_xor",
                                            "aten.bitwise_xor.Tensor",
                                            "aten.__xor__.Tensor"},
                           negations[] = {"aten.logical_not",
                                          "aten.bitwise_not"},
                           classes[] = {"aten.isnan", "aten.isinf",
                                        "aten.isfinite"};

static std::optional<P> getComparison(StringRef name) {
  const auto *found = llvm::find_if(
      comparisons, [&](const Comparison &known) { return known.name == name; });
  return found == std::end(comparisons) ? std::nullopt
                                        : std::optional(found->predicate);
}

bool lift::comparesNumbers(StringRef name) {
  return getComparison(name).has_value();
}

static bool takesTwoTruths(StringRef name) {
  return llvm::is_contained(conjunctions, name) ||
         llvm::is_contained(disjunctions, name) ||
         llvm::is_contained(differences, name);
}

SmallVector<StringRef> lift::getTruthOperators() {
  SmallVector<StringRef> names;
  for (const Comparison &comparison : comparisons)
    names.push_back(comparison.name);
  for (ArrayRef<StringRef> group :
       {ArrayRef<StringRef>(conjunctions), ArrayRef<StringRef>(disjunctions),
        ArrayRef<StringRef>(differences), ArrayRef<StringRef>(negations),
        ArrayRef<StringRef>(classes)})
    llvm::append_range(names, group);
  return names;
}

/// Whether numbers do not compare so.
static P invert(P predicate) {
  switch (predicate) {
  case P::OEQ:
    return P::UNE;
  case P::UNE:
    return P::OEQ;
  case P::OLT:
    return P::UGE;
  case P::OLE:
    return P::UGT;
  case P::OGT:
    return P::ULE;
  case P::OGE:
    return P::ULT;
  case P::UNO:
    return P::ORD;
  default:
    llvm_unreachable("no operator compares so");
  }
}

bool lift::isTruth(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger(1);
}

FailureOr<unsigned> ElementOperands::read(Arguments arguments, unsigned i) {
  Node node;
  Value value = arguments.value(i);
  if (std::optional<double> number = arguments.number(i)) {
    node.number = number;
  } else if (!value) {
    return call.refuse("argument " + Twine(i) +
                       " is neither a tensor nor a number");
  } else if (isTruth(value)) {
    node.truth = call.lifter.roles.resolve(value).getDefiningOp<TorchOp>();
    StringRef name = node.truth ? node.truth.getName() : StringRef();
    if (!node.truth || !llvm::is_contained(getTruthOperators(), name))
      return call.refuse("argument " + Twine(i) +
                         " holds truth values that compare no numbers");
    unsigned numParts = getComparison(name) || takesTwoTruths(name) ? 2 : 1;
    for (unsigned part = 0; part < numParts; ++part) {
      FailureOr<unsigned> read = this->read(Arguments(node.truth), part);
      if (failed(read))
        return failure();
      node.parts.push_back(*read);
    }
  } else if (std::optional<double> filled =
                 call.lifter.roles.getNumber(value)) {
    node.number = filled;
  } else {
    Value tensor = arguments.floats(i);
    if (!tensor)
      return call.refuse("argument " + Twine(i) + " is not a tensor of floats");
    node.tensor = tensors.size();
    tensors.push_back(tensor);
  }
  nodes.push_back(node);
  return nodes.size() - 1;
}

LogicalResult ElementOperands::add(unsigned i) {
  FailureOr<unsigned> node = read(call, i);
  if (succeeded(node))
    operands.push_back(*node);
  return node;
}

Value ElementOperands::emitNumber(unsigned node, Scalars &scalars,
                                  ArrayRef<Value> elements) {
  const Node &known = nodes[node];
  if (known.number)
    return scalars.constant(*known.number);
  if (!known.truth)
    return convertFloat(scalars.builder, scalars.loc, scalars.type,
                        elements[known.tensor]);
  Value truth = emitTruth(node, /*isNegated=*/false, scalars.builder,
                          scalars.loc, elements);
  return arith::SelectOp::create(scalars.builder, scalars.loc, truth,
                                 scalars.constant(1), scalars.constant(0));
}

/// The number as a tensor of type `type` would hold it.
static double roundTo(Type type, double number) {
  APFloat rounded(number);
  bool losesInfo;
  rounded.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
  rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return rounded.convertToDouble();
}

/// Numbers are compared in the wider of their types.
Value ElementOperands::emitTruth(unsigned node, bool isNegated,
                                 OpBuilder &builder, Location loc,
                                 ArrayRef<Value> elements) {
  Node &known = nodes[node];
  StringRef name = known.truth ? known.truth.getName() : StringRef();
  auto part = [&](unsigned i, bool isPartNegated) {
    return emitTruth(known.parts[i], isPartNegated, builder, loc, elements);
  };
  if (llvm::is_contained(negations, name))
    return part(0, !isNegated);
  if (llvm::is_contained(differences, name)) {
    Value first = part(0, isNegated), second = part(1, false);
    return arith::XOrIOp::create(builder, loc, first, second);
  }
  bool isAnd = llvm::is_contained(conjunctions, name);
  if (isAnd || llvm::is_contained(disjunctions, name)) {
    Value first = part(0, isNegated), second = part(1, isNegated);
    if (isAnd != isNegated)
      return arith::AndIOp::create(builder, loc, first, second);
    return arith::OrIOp::create(builder, loc, first, second);
  }

  // A number is true if it is not zero.
  SmallVector<unsigned> compared(known.parts);
  if (!known.truth)
    compared.push_back(node);
  Type type;
  for (unsigned i : compared) {
    if (nodes[i].number)
      continue;
    Type other = nodes[i].truth ? builder.getF32Type()
                                : elements[nodes[i].tensor].getType();
    if (!type || other.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
      type = other;
    else if (other != type && type.getIntOrFloatBitWidth() == 16)
      type = builder.getF32Type();
  }
  type = type ? type : builder.getF64Type();
  Scalars scalars{builder, loc,
                  type.getIntOrFloatBitWidth() < 32 ? builder.getF32Type()
                                                    : type};
  auto number = [&](unsigned i) {
    const Node &read = nodes[compared[i]];
    return read.number ? scalars.constant(roundTo(type, *read.number))
                       : emitNumber(compared[i], scalars, elements);
  };
  auto compare = [&](P predicate, Value a, Value b) -> Value {
    return arith::CmpFOp::create(
        builder, loc, isNegated ? invert(predicate) : predicate, a, b);
  };
  Value first = number(0);
  if (!known.truth)
    return compare(P::UNE, first, scalars.constant(0));
  if (std::optional<P> predicate = getComparison(name))
    return compare(*predicate, first, number(1));
  if (name == "aten.isnan")
    return compare(P::UNO, first, first);
  return compare(name == "aten.isinf" ? P::OEQ : P::OLT,
                 scalars.unary<math::AbsFOp>(first),
                 scalars.constant(std::numeric_limits<double>::infinity()));
}

Value ElementOperands::emit(unsigned i, bool isTruth, Scalars &scalars,
                            ArrayRef<Value> elements) {
  return isTruth ? emitTruth(operands[i], /*isNegated=*/false, scalars.builder,
                             scalars.loc, elements)
                 : emitNumber(operands[i], scalars, elements);
}
