//===- Roles.h - what integer tensors of a function are ---------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ROLES_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ROLES_H

#include "Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <deque>

namespace mlir::rgnn::lift {

/// Lists of edges that a model uses together: one, or one for each edge type;
/// or lists of one end of each edge, those of sources and of destinations, or
/// of destinations alone.
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
  /// Whether only destinations are listed, which sources then are, too.
  bool hasOneEnd() const {
    return lists.size() == 1 &&
           cast<RankedTensorType>(lists[0].getType()).getRank() == 1;
  }
};

/// The role of an integer tensor that holds a node for each edge.
struct End {
  EdgeSet *edges = nullptr;
  bool isDst = false;
};

/// An operator that picks rows of a table by an index.
struct RowLookup {
  Value table, index;
};

struct Rule;

class Roles {
public:
  /// Finds sizes that must be equal, and the lists of edges. O(ops).
  void analyze(func::FuncOp func, const llvm::StringMap<Rule> &rules,
               Sizes &sizes);
  /// The argument whose elements the operator gives back; null for others.
  Value getCopied(Arguments arguments) const;
  /// The value that `value` is a copy of.
  Value resolve(Value value);
  /// The number that each element of a tensor of floats is, if one fills it.
  std::optional<double> getNumber(Value value);
  /// The end of edges that the integer tensor holds, if it does.
  std::optional<End> getEnd(Value index, Sizes &sizes);
  /// The end that rows of a table are picked by, if that is one. Of rows that
  /// are no edges, a list that picks matrices has the types.
  std::optional<End> getEndOf(const RowLookup &lookup, Sizes &sizes);
  /// Whether the sizes of a tensor are known, and of all that it is made of.
  bool isWeight(Value tensor) const { return weights.contains(tensor); }
  /// Makes edges of lists of ends: sources, which may be null, and
  /// destinations.
  void addEnds(Value src, Value dst, Sizes &sizes);

  std::deque<EdgeSet> edgeSets;

private:
  EdgeSet *getEdgeSet(Value edgeIndex, Sizes &sizes);
  void addHeteroEdges(Arguments arguments, Sizes &sizes);
  void findWeights(func::FuncOp func);

  llvm::DenseMap<Value, EdgeSet *> edgeSetOf;
  llvm::DenseMap<Value, End> endOf; // of lists that are one end each
  llvm::DenseMap<Value, Value> copies;
  llvm::DenseSet<Value> weights;
};

std::optional<RowLookup> getRowLookup(Arguments arguments);

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ROLES_H
