//===- Constants.cpp - tensors that are one number everywhere -------------===//
//
//   Before:  %o = ones([%n])                After:  %d = rgnn.degree dst in %g
//            %d = scatter_add(%z, 0, %dst, %o)
//
// Who reads a number computes with it, and needs no rows of it. Where there
// must be rows, as for a result, a map makes them, which has an operand that it
// does not read to say how many.
//
//===----------------------------------------------------------------------===//

#include "../Rules.h"
#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

namespace {
/// An operator that fills a tensor with a number, or with argument `number`.
struct Fill {
  StringRef name;
  std::optional<double> number;
  unsigned argument = 0;
  /// The argument that holds the sizes; nothing where they are argument 0's.
  std::optional<unsigned> sizes = std::nullopt;
};
} // namespace

/// What may hold any numbers holds zeros.
static const Fill fills[] = {{"aten.ones", 1.0, 0, 0},
                             {"aten.empty.memory_format", 0.0, 0, 0},
                             {"aten.new_empty", 0.0, 0, 1},
                             {"aten.empty_like", 0.0},
                             {"aten.zeros", 0.0, 0, 0},
                             {"aten.full", std::nullopt, 1, 0},
                             {"aten.new_ones", 1.0, 0, 1},
                             {"aten.new_zeros", 0.0, 0, 1},
                             {"aten.new_full", std::nullopt, 2, 1},
                             {"aten.ones_like", 1.0},
                             {"aten.zeros_like", 0.0},
                             {"aten.full_like", std::nullopt, 1}};

/// Beside views.
static constexpr StringRef shapeOperators[] = {
    "aten.expand",  "aten.expand_as", "aten.repeat",
    "aten.permute", "aten.t",         "aten.transpose.int"};

static const Fill *getFill(StringRef name) {
  const Fill *found =
      llvm::find_if(fills, [&](const Fill &fill) { return fill.name == name; });
  return found == std::end(fills) ? nullptr : found;
}

/// The number of a floating-point type that is next to `number`.
static double roundTo(FloatType type, double number) {
  APFloat rounded(number);
  bool losesInfo = false;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return rounded.convertToDouble();
}

std::optional<double> Roles::getNumber(Value value) {
  SmallVector<FloatType> types; // that it is converted to, the last one first
  while (true) {
    value = resolve(value);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    auto op = value.getDefiningOp<TorchOp>();
    if (!op || !type || !isa<FloatType>(type.getElementType()))
      return std::nullopt;
    Arguments arguments(op);
    types.push_back(cast<FloatType>(type.getElementType()));
    if (const Fill *fill = getFill(op.getName())) {
      std::optional<double> number =
          fill->number ? fill->number : arguments.number(fill->argument);
      for (FloatType each : llvm::reverse(types))
        if (number)
          number = roundTo(each, *number);
      return number;
    }
    if ((!isView(op.getName()) &&
         !llvm::is_contained(shapeOperators, op.getName())) ||
        !arguments.floats(0))
      return std::nullopt;
    value = arguments.floats(0);
  }
}

Value Lifter::getAnyRows(OpBuilder &builder, Location loc, RowsAttr rows) {
  return createRows(builder, loc, getGraph(rows)->op, rows,
                    builder.getF32Type());
}

/// Rows, or a tensor that all rows share, of one number.
static LogicalResult liftFill(TorchCall &call) {
  Value captured = call.op.getResult(0);
  RankedTensorType result = call.resultType();
  std::optional<double> number = call.lifter.roles.getNumber(captured);
  if (!result || !number)
    return call.refuse("it is not filled with one number");
  TypedAttr element =
      call.builder.getFloatAttr(result.getElementType(), *number);
  if (result.hasStaticShape()) {
    auto constant = DenseElementsAttr::get(result, element);
    return call.replace(
        {arith::ConstantOp::create(call.builder, call.loc, constant)});
  }
  std::optional<RowsAttr> rows = call.lifter.getRows(captured, call.op);
  if (!rows || !*rows)
    return call.refuse("its rows are neither nodes nor edges of a graph");
  ArrayRef<int64_t> shape = result.getShape().drop_front();
  if (ShapedType::isDynamicShape(shape))
    return call.refuse("its rows have a dynamic size");
  Value any = call.lifter.getAnyRows(call.builder, call.loc, *rows);
  Type type = getRowsType(*rows, shape, result.getElementType());
  return call.replace({MapOp::create(
      call.builder, call.loc, type, any,
      [&](OpBuilder &builder, Location loc, ValueRange) -> Value {
        return arith::ConstantOp::create(builder, loc, element);
      })});
}

static void sizesOfFill(Arguments arguments, Sizes &sizes) {
  const Fill *fill = getFill(arguments.name());
  RankedTensorType result = arguments.resultType();
  if (!result || result.getRank() == 0)
    return;
  if (!fill->sizes) {
    keepRows(arguments, sizes);
    return;
  }
  if (std::optional<Size> rows = sizes.ofElement(arguments, *fill->sizes, 0))
    sizes.unify(*rows, sizes.of(arguments.op.getResult(0), 0));
}

void lift::addConstantRules(Rules &rules) {
  for (const Fill &fill : fills)
    rules[fill.name] = {sizesOfFill, liftFill};
}
