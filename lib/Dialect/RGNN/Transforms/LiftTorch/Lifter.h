//===- Lifter.h - where captured values are placed --------------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_LIFTER_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_LIFTER_H

#include "Graphs.h"

namespace mlir::rgnn::lift {

/// The state of one function. A captured value has one form or more: as
/// captured, or on a domain.
class Lifter {
public:
  Lifter(func::FuncOp func, const llvm::StringMap<Rule> &rules);

  /// The value on `rows` (none: a plain tensor of the captured type). Null if
  /// its number of rows is not known to be that of the domain.
  Value get(Value captured, RowsAttr rows);
  /// Where the rows of the value are, or could be placed for an op at `before`.
  /// A null attribute is a plain tensor; nothing is a tensor whose dynamic
  /// number of rows is that of no domain.
  std::optional<RowsAttr> getRows(Value captured, Operation *before);
  /// A domain that has so many rows, of a graph that is there at `before`.
  std::optional<RowsAttr> findRows(const Size &size, Operation *before);
  /// The graph of an end of edges, of types, of both, or of any, and with so
  /// many nodes; the one that `prefer` lives on if there is a choice.
  CapturedGraph *findGraph(std::optional<End> end, Value types,
                           std::optional<Size> nodes, Value prefer,
                           Operation *before);
  CapturedGraph *getGraph(RowsAttr rows);
  Size getNumRows(RowsAttr rows);
  /// A tensor on `rows`, whose numbers nobody is to read.
  Value getAnyRows(OpBuilder &builder, Location loc, RowsAttr rows);
  void setForm(Value captured, Value form);

  Sizes sizes;
  Roles roles;
  std::deque<CapturedGraph> graphs;

private:
  llvm::DenseMap<Value, SmallVector<Value, 2>> forms;
};

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_LIFTER_H
