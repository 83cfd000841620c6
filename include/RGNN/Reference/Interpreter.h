//===- Interpreter.h - slow and plain evaluation of rgnn functions -*- C++
//-*-===//
//
// What every other way of running a program is compared with. It evaluates in
// double precision, one op after another, each by a function that follows the
// formula of the op's description.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_REFERENCE_INTERPRETER_H
#define RGNN_REFERENCE_INTERPRETER_H

#include "RGNN/Reference/Graph.h"
#include "RGNN/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>
#include <variant>

namespace mlir::rgnn::reference {

/// What an SSA value stands for.
using Datum = std::variant<Tensor, std::shared_ptr<const Graph>>;

struct Options {
  /// Round the results of each op to its element type (and each scalar of a
  /// map's region), as a plain evaluation in that type does.
  bool roundToElementType = false;
};

/// Evaluates a function on as many arguments as it has. A failure has been
/// reported at the op that could not be evaluated or whose expectation failed.
FailureOr<SmallVector<Datum>> evaluate(func::FuncOp function,
                                       ArrayRef<Datum> arguments,
                                       const Options &options = {});

/// Attaches to each op the function that evaluates it. A context needs this
/// before `evaluate`.
void registerEvaluations(DialectRegistry &registry);

/// The graph of a `rgnn.constant_graph`.
FailureOr<Graph> makeGraph(ConstantGraphOp op);

/// Made-up arguments of a function, the same for the same seed: for each schema
/// one awkward graph, and numbers in [-1, 1] for tensors, whose rows fit the
/// graph of their schema. Where rows are stated by a `rgnn.place` or edges go
/// into a `rgnn.coo_graph`, the plain tensors fit too; other dynamic sizes and
/// numbers of type index are the number of nodes.
FailureOr<SmallVector<Datum>> makeArguments(func::FuncOp function,
                                            uint64_t seed);

/// A graph of a schema (null: nothing is known of it) with isolated nodes, self
/// loops, repeated edges, an empty edge type and an empty node type as far as
/// the schema permits. Every eighth seed gives no edges, the next one node.
/// Where `user` looks tables up, the graph has as many nodes as they.
FailureOr<Graph> makeRandomGraph(func::FuncOp user, FlatSymbolRefAttr schema,
                                 uint64_t seed);

/// Writes shape and values, a row a line.
void print(const Datum &datum, raw_ostream &os);

} // namespace mlir::rgnn::reference

#endif // RGNN_REFERENCE_INTERPRETER_H
