//===- Rules.h - how captured operators are lifted --------------*- C++ -*-===//
//
// Sizes (Sizes.cpp) and roles (Roles.cpp) are found before anything is
// rewritten; from them follow the graphs (Graphs.cpp) and where each tensor can
// be placed (Placement.cpp). The rules for operators are in one table by name,
// filled by the file of each concept.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_RULES_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_RULES_H

#include "Lifter.h"

#include <functional>

namespace mlir::rgnn::lift {

/// What LLVM makes code of in seconds: where rows of several dimensions are
/// broadcast or summed, their numbers are in registers all at once.
constexpr int64_t maxNumbersOfRows = 4096;

/// One captured operator while it is lifted; new ops go in front of it.
class TorchCall : public Arguments {
public:
  TorchCall(TorchOp op, Lifter &lifter)
      : Arguments(op), lifter(lifter), builder(op), loc(op.getLoc()) {}

  /// Fails, with the reason for the remark.
  LogicalResult refuse(const Twine &why) {
    reason = why.str();
    return failure();
  }
  /// Takes ops as the results, if they are what was captured.
  LogicalResult replace(ArrayRef<Value> results);
  /// The same for the first of several results, of which others have no use.
  LogicalResult replaceFirst(Value result);

  /// Argument `i` placed on `rows`, or null with a reason.
  Value on(unsigned i, RowsAttr rows);
  Value on(Value captured, RowsAttr rows);
  /// Argument `i` as a plain tensor of static shape, or null with a reason.
  Value plain(unsigned i);
  Value plain(Value value);
  /// Argument `i`, a tensor of floats, where it lives or can be placed; null
  /// with a reason.
  Value rowsOrPlain(unsigned i);

  Lifter &lifter;
  OpBuilder builder;
  Location loc;
  std::string reason;

private:
  /// Whether `result` is what was captured; fails with a reason.
  LogicalResult check(Value captured, Value result);
};

struct Rule {
  /// Records which sizes are equal; may be null.
  void (*sizes)(Arguments, Sizes &) = nullptr;
  std::function<LogicalResult(TorchCall &)> lift;
};
using Rules = llvm::StringMap<Rule>;

/// The result has the rows of argument 0.
void keepRows(Arguments arguments, Sizes &sizes);
/// Operands of the result's rank have its rows, or one.
void broadcastRows(Arguments arguments, Sizes &sizes);
/// The same, and the result has the sizes that argument 1 lists.
void expandRows(Arguments arguments, Sizes &sizes);

/// Whether the operator named so shows its first argument in another shape.
bool isView(StringRef name);
/// Whether the operator named so copies or converts a tensor.
bool isCopy(StringRef name);
/// What moves truth values moves what is compared, or zeros and ones.
void moveAboveTruths(Block &block);
/// The order of the dimensions that a transposition gives, or nothing.
std::optional<SmallVector<int64_t>> getOrder(Arguments arguments);
/// What has rows behind another dimension is computed with rows first.
void bringRowsFirst(Block &block);

/// How many rows a domain has, as a number without dimensions.
Value countRows(TorchCall &call, RowsAttr rows, Type element);

/// The rows of edges reduced at an end of them; null with a reason.
Value reduceRows(TorchCall &call, CapturedGraph *graph, End end, Reduction kind,
                 Value captured);

/// Rows times a matrix, argument `weight`; null with a reason.
Value multiplyRows(TorchCall &call, Value rows, unsigned weight,
                   bool isTransposed);
/// Adds the vector that is argument `i` to every row; null with a reason.
Value addBias(TorchCall &call, Value rows, unsigned i);

void addCellRules(Rules &rules);
void addConstantRules(Rules &rules);
void addCopyRules(Rules &rules);
void addEinsumRules(Rules &rules);
void addElementwiseRules(Rules &rules);
void addMovementRules(Rules &rules);
void addNodeTypeRules(Rules &rules);
void addNormalisationRules(Rules &rules);
void addPartRules(Rules &rules);
void addProductRules(Rules &rules);
void addReductionRules(Rules &rules);
void addScatterRules(Rules &rules);
void addShapeRules(Rules &rules);
void addSizeRules(Rules &rules);

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_RULES_H
