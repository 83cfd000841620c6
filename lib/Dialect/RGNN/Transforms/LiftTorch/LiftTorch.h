//===- LiftTorch.h - what the rules of rgnn-lift-torch share ----*- C++ -*-===//
//
// Sizes (Sizes.cpp) and roles (Roles.cpp) are found before anything is
// rewritten; from them follow the graphs (Graphs.cpp) and where each tensor can
// be placed (Placement.cpp). The rules for operators are in one table by name,
// filled by the file of each concept.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_LIFTTORCH_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_LIFTTORCH_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <deque>
#include <functional>

namespace mlir::rgnn::lift {

//===----------------------------------------------------------------------===//
// Arguments (Arguments.cpp)
//===----------------------------------------------------------------------===//

/// The arguments of a captured operator, in the order of its schema.
class Arguments {
public:
  explicit Arguments(TorchOp op) : op(op) {}

  /// The argument as written, or null if the list is shorter.
  Attribute get(unsigned i);
  /// The operand that the argument stands for, or null.
  Value value(unsigned i);
  /// The same if it is a tensor of floats, or null.
  Value floats(unsigned i);
  /// The operands of a list of tensors; nothing where one is not an operand.
  std::optional<SmallVector<Value>> values(unsigned i);
  std::optional<int64_t> integer(unsigned i);
  std::optional<SmallVector<int64_t>> integers(unsigned i);
  /// An integer or a float, or a constant tensor without dimensions.
  std::optional<double> number(unsigned i);
  std::optional<bool> boolean(unsigned i);
  StringRef string(unsigned i);
  bool isNone(unsigned i) { return isa_and_present<UnitAttr>(get(i)); }

  StringRef name() { return op.getName(); }
  /// The type that was captured for a result, or null if it is no tensor.
  RankedTensorType resultType(unsigned i = 0);

  TorchOp op;

private:
  Value resolve(Attribute argument);
};

/// The values of a constant that was captured as an argument of the function;
/// null if they are not known.
DenseElementsAttr getConstant(Value value);

/// `dim` counted from the front, or nothing if there is no such dimension.
std::optional<int64_t> normalizeDim(std::optional<int64_t> dim, int64_t rank);

/// The dimension of argument 0 that argument `i` names.
std::optional<int64_t> getDim(Arguments arguments, unsigned i);

//===----------------------------------------------------------------------===//
// Sizes and roles (Sizes.cpp, Roles.cpp)
//===----------------------------------------------------------------------===//

/// A size of a tensor: a sum of symbols and a constant.
struct Size {
  int64_t constant = 0;
  SmallVector<unsigned, 2> symbols; // sorted

  static Size of(int64_t constant) { return {constant, {}}; }
  bool operator==(const Size &other) const {
    return constant == other.constant && symbols == other.symbols;
  }
  bool operator!=(const Size &other) const { return !(*this == other); }
};

/// What is known of the sizes of tensors. Each unknown size is a symbol, and
/// symbols are replaced as sizes turn out to be equal.
class Sizes {
public:
  Size of(Value tensor, int64_t dim);
  /// The size that a symbolic integer holds.
  Size of(Value integer);
  /// The size that an argument gives: an integer or a symbolic one.
  std::optional<Size> of(Arguments arguments, unsigned i);
  Size sum(ArrayRef<Size> sizes);
  /// Records that the program would have failed were they not equal.
  void unify(Size a, Size b);
  bool equal(const Size &a, const Size &b);

  /// Computes the size as an `index`.
  Value emit(OpBuilder &builder, Location loc, const Size &size);
  /// The values that this reads.
  SmallVector<Value> getSources(const Size &size);

private:
  struct Symbol {
    Value value;
    int64_t dim; // -1: the value is itself the size
    std::optional<Size> replacement;
  };
  Size canonical(const Size &size);
  Size symbol(Value value, int64_t dim);

  std::vector<Symbol> symbols;
  llvm::DenseMap<std::pair<Value, int64_t>, unsigned> ids;
};

/// Lists of edges that a model uses together: one, or one for each edge type.
struct EdgeSet {
  SmallVector<Value> lists;
  /// The ends of each edge type and the number of nodes of each node type,
  /// where there is a list for each edge type.
  SmallVector<int64_t> srcTypes, dstTypes;
  SmallVector<Size> nodes;
  /// Edge types where the lists themselves give them.
  Value types;
  Size edges;

  bool isHetero() const { return !nodes.empty(); }
};

/// The role of an integer tensor that holds a node for each edge.
struct End {
  EdgeSet *edges = nullptr;
  bool isDst = false;
};

class Roles {
public:
  /// Nothing is known of the operators of the names `left`.
  explicit Roles(const llvm::StringSet<> &left) : left(left) {}

  /// Finds sizes that must be equal, and the lists of edges. O(ops).
  void analyze(func::FuncOp func, const llvm::StringMap<struct Rule> &rules,
               Sizes &sizes);
  /// Whether the operator gives back its first argument.
  bool isIdentity(Arguments arguments) const;
  /// The value that `value` is a copy of.
  Value resolve(Value value);
  /// The end of edges that the integer tensor holds, if it does.
  std::optional<End> getEnd(Value index, Sizes &sizes);

  std::deque<EdgeSet> edgeSets;

private:
  EdgeSet *getEdgeSet(Value edgeIndex, Sizes &sizes);
  void addHeteroEdges(Arguments arguments, Sizes &sizes);

  const llvm::StringSet<> &left;
  llvm::DenseMap<Value, EdgeSet *> edgeSetOf;
  llvm::DenseMap<Value, Value> copies;
};

/// An operator that picks rows of a table by an index.
struct RowLookup {
  Value table, index;
};
std::optional<RowLookup> getRowLookup(Arguments arguments);

//===----------------------------------------------------------------------===//
// Graphs (Graphs.cpp)
//===----------------------------------------------------------------------===//

/// A graph of the function, and the op that makes it.
struct Graph {
  EdgeSet *edges;
  /// Null where all edges have one type.
  Value types;
  Size nodes;
  std::optional<int64_t> numTypes;
  COOGraphOp op;
  /// Arguments of the function are placed after this op, in order of use.
  Operation *lastPlaced = nullptr;

  FlatSymbolRefAttr getSchema() { return op.getGraph().getType().getSchema(); }
};

/// The rows of a domain of the graph.
inline RowsAttr getRowsOf(Graph *graph, Domain domain, int64_t type = -1) {
  return RowsAttr::get(graph->op.getContext(), domain, graph->getSchema(),
                       type);
}

/// Finds the graphs of a function and emits them, each with its schema.
std::deque<Graph> emitGraphs(func::FuncOp func, Roles &roles, Sizes &sizes);

//===----------------------------------------------------------------------===//
// Placement (Placement.cpp)
//===----------------------------------------------------------------------===//

/// The state of one function. A captured value has one form or more: as
/// captured, or on a domain.
class Lifter {
public:
  /// `left` has the names of operators that are not to be lifted.
  Lifter(func::FuncOp func, const llvm::StringMap<Rule> &rules,
         const llvm::StringSet<> &left);

  /// The value on `rows` (none: a plain tensor of the captured type). Null if
  /// its number of rows is not known to be that of the domain.
  Value get(Value captured, RowsAttr rows);
  /// Where the rows of the value are, or could be placed for an op at `before`.
  /// A null attribute is a plain tensor; nothing is a tensor whose dynamic
  /// number of rows is that of no domain.
  std::optional<RowsAttr> getRows(Value captured, Operation *before);
  /// The graph of an end of edges, of types, of both, or of any, and with so
  /// many nodes; the one that `prefer` lives on if there is a choice.
  Graph *findGraph(std::optional<End> end, Value types,
                   std::optional<Size> nodes, Value prefer, Operation *before);
  Graph *getGraph(RowsAttr rows);
  Size getNumRows(RowsAttr rows);
  void setForm(Value captured, Value form);

  Sizes sizes;
  Roles roles;
  std::deque<Graph> graphs;

private:
  llvm::DenseMap<Value, SmallVector<Value, 2>> forms;
};

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// One captured operator while it is lifted; new ops go in front of it.
class Call : public Arguments {
public:
  Call(TorchOp op, Lifter &lifter)
      : Arguments(op), lifter(lifter), builder(op), loc(op.getLoc()) {}

  /// Fails, with the reason for the remark.
  LogicalResult refuse(const Twine &why) {
    reason = why.str();
    return failure();
  }
  /// Takes ops as the results, if they are what was captured.
  LogicalResult replace(ArrayRef<Value> results);

  /// Argument `i` placed on `rows`, or null with a reason.
  Value on(unsigned i, RowsAttr rows);
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
};

struct Rule {
  /// Records which sizes are equal; may be null.
  void (*sizes)(Arguments, Sizes &) = nullptr;
  std::function<LogicalResult(Call &)> lift;
};
using Rules = llvm::StringMap<Rule>;

/// The result has the rows of argument 0.
void keepRows(Arguments arguments, Sizes &sizes);
/// Operands of the result's rank have its rows, or one.
void broadcastRows(Arguments arguments, Sizes &sizes);

void addCopyRules(Rules &rules);
void addElementwiseRules(Rules &rules);
void addMovementRules(Rules &rules);
void addNodeTypeRules(Rules &rules);
void addPartRules(Rules &rules);
void addProductRules(Rules &rules);
void addReductionRules(Rules &rules);
void addShapeRules(Rules &rules);
void addSizeRules(Rules &rules);

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_LIFTTORCH_H
