//===- Passes.td - passes over the rgnn dialect -----------*- tablegen -*-===//

#ifndef RGNN_DIALECT_RGNN_TRANSFORMS_PASSES
#define RGNN_DIALECT_RGNN_TRANSFORMS_PASSES

include "RGNN/Analysis/GraphSizeOptions.td"
include "RGNN/Dialect/RGNN/Transforms/Rewrites.td"
include "mlir/Pass/PassBase.td"

def RGNNLiftTorchPass : Pass<"rgnn-lift-torch", "::mlir::ModuleOp"> {
  let summary = "turns captured PyTorch operators into the mathematics of a model";
  let description = [{
    Finds out by dataflow what a captured function does to a graph. No name of a
    module or argument matters, only how tensors are used:

    - an integer tensor `[2, E]` whose row 0 or 1 indexes rows of a tensor, or
      says where to aggregate, is a list of edges; row 0 are the sources;
    - an integer tensor as long as the edges that picks weights holds edge types;
    - a list `[E]` by which rows are added up holds destinations; another list as
      long that picks rows holds sources, where there is just one such;
    - the number of rows that an end picks from, or that aggregations are told to
      make, is the number of nodes that it counts; where the two ends count
      different numbers, the graph is bipartite. Sizes are compared as sums of
      symbols; they are equal where the operators that ran required it.

    One schema and one graph are made for each list of edges, its types and its
    numbers of nodes; stacked layers share them. What a model makes these of is
    moved to the front, and the graphs with it. A tensor whose number of rows is
    that of a domain is placed there, and each operator becomes ops of the
    dialect. Rows hold floats alone: who reads a comparison makes it, and who
    reads a tensor that is filled with a number computes with the number.

    Before:  %0 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0]
             %1 = rgnn.torch "aten.index_select"(%x, %0) [#rgnn.operand<0>, 0, #rgnn.operand<1>]
             %2 = rgnn.torch "rgnn.typed_linear"(%1, %edge_type, %w) [...]
    After:   %g = rgnn.coo_graph edges(%edge_index) types(%edge_type) nodes(%n)
             %h = rgnn.place %x in %g
             %1 = rgnn.gather src %h in %g
             %2 = rgnn.typed_linear %1, %w by etype in %g

    Refused, with a missed remark that says why: operators without a rule here
    and those whose sizes, types or arguments are not what the rule needs. They
    stay `rgnn.torch`; rows reach them by `rgnn.unplace`. The pass never fails.
    Operators whose results nobody uses are erased: captured ones are pure.

    Counts: `num-lifted` operators turned into ops of the dialect, `num-left`
    operators left as captured.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::rgnn::RGNNDialect",
                           "::mlir::tensor::TensorDialect"];
}

def RGNNRaiseLoopsPass : Pass<"rgnn-raise-loops", "::mlir::func::FuncOp"> {
  let summary = "turns loops over nodes and edges into ops on all rows";
  let description = [{
    What a statement does in one iteration becomes one op for all iterations.
    A row of the edge that a loop visits is a row of a tensor on edges; a row of
    a node is gathered where it meets others. Both nests of
    edges = dst_nodes x incoming_edges = src_nodes x outgoing_edges become the
    same ops (Hector, sec. 3.2.4). A softmax that subtracts the maximum becomes
    `rgnn.group_softmax`.

    Before:  rgnn.for_each %e in edges {
               %u = rgnn.source %e
               %h = rgnn.read "x" of %u : tensor<8xf32> of !rgnn.node
               %w = rgnn.weight %weights of %e : tensor<3x8x4xf32> of !rgnn.edge
               %m = rgnn.linear %h, %w : tensor<8xf32>, tensor<8x4xf32>
               %v = rgnn.destination %e
               rgnn.accumulate sum "y" of %v, %m : tensor<4xf32> of !rgnn.node
             }
    After:   %h = rgnn.gather src %x in %g
             %m = rgnn.typed_linear %h, %weights by etype in %g
             %y = rgnn.reduce sum dst %m in %g

    A product with the weight of a type is `rgnn.typed_linear`: of one vector, of
    heads that share the weight, which is then repeated for each, and, as
    `rgnn.matmul` of one row, of heads with a weight each. Other products with
    matrices that differ (data, the type of another node) are made number by
    number. What all iterations share is repeated where rows are needed.

    Fails, with the reason, where an iteration reads or writes data that
    another one changes in the same loop (a sum that is not complete, the other
    end's new data), where a nest does not visit each edge once, and where no op
    on all rows does what a statement does.

    Counts: `num-raised` programs raised.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNReassociatePass : Pass<"rgnn-reassociate", "::mlir::func::FuncOp"> {
  let summary = "chooses in which order sums over edges, products and factors of nodes are computed";
  let description = [{
    A layer is a product of matrices: nodes' rows `H`, weights `W`, a sum over
    edges `A` with or without factors of edges, factors of nodes `D` on the
    diagonal, as `D A D H W` of GCN. All orders are enumerated in which there is
    a kernel for each product; those are dropped that another one beats on every
    graph, since it does the same or less on matrices as large or smaller; of the
    rest, the cheapest for the widths at hand and a graph of `edges-per-node` is
    written (SENSEi, arXiv:2306.15155v2, sec. 3). GCN has 12 orders, of which 4
    are kept: product first or last, factors of nodes or of edges. GAT has 2,
    and its attention reads `H W`, too: the sum reads it again, or the narrower
    `H`, with a product of its own behind the sum.

    Before:  %h = rgnn.linear %x, %w : tensor<?x16xf32, #node>, tensor<16x64xf32>
             %u = rgnn.gather src %h in %g : tensor<?x64xf32, #node>
             %y = rgnn.reduce sum dst %u in %g : tensor<?x64xf32, #edge>
    After:   %u = rgnn.gather src %x in %g : tensor<?x16xf32, #node>
             %s = rgnn.reduce sum dst %u in %g : tensor<?x16xf32, #edge>
             %y = rgnn.linear %s, %w : tensor<?x16xf32, #node>, tensor<16x64xf32>

    A factor that edges read may be infinite at nodes without any, such as one
    over the degree. Where it moves to nodes, it becomes 1 there, so that the sum
    over no edges stays 0.

    Refused, with a missed remark: a maximum or minimum; what is not a product
    between gather and sum; rows on edges that something else reads, too; to
    move a factor of nodes to edges where it is not known to be finite: zero
    times infinity is no number, which edges would hide. Biases, activations and
    products of weights by type end a chain; of one of more than 8 matrices, the
    last 8 are one and the rest is another. An order is only changed for one that
    is expected to cost 10 % less.

    An analysis remark lists the orders that are kept, `variant` chooses one of
    them by its number. A function with the attribute `rgnn.edges_per_node` is
    made for graphs of so many edges for each node instead.

    Counts: `num-reassociated` chains written in another order.
  }];
  let options = [
    Option<"variant", "variant", "int64_t", "0", "number of the order to take, of those that are kept; 0: the cheapest">,
    Option<"edgesPerNode", "edges-per-node", "double", "8", "edges for each node in the graphs to expect">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNAddVariantsPass : Pass<"rgnn-add-variants", "::mlir::ModuleOp"> {
  let summary = "clones @forward for graphs on which other orders are cheaper";
  let description = [{
    Which order of a product `rgnn-reassociate` should take may depend on how
    many edges a graph has for each node, which nobody knows before the call.
    Where it does, `@forward` stays as it is for graphs with many, and gets a
    clone for each range of fewer. Each says what it is made for, so that
    `rgnn-reassociate` gives it another order; from then on they are functions
    with entries of their own, and the runtime calls the one that fits a graph
    (SENSEi, arXiv:2306.15155v2, sec. 3.4).

    Before:  func.func @forward(...)
    After:   func.func @forward(...) attributes {rgnn.edges_per_node = 4.0}
             func.func @forward_1(...) attributes {rgnn.edges_per_node = 2.0, rgnn.edges_per_node_below = 3.2}

    Functions of several graphs stay alone.

    Counts: `num-variants` clones.
  }];
}

def RGNNNoteChangesPass : Pass<"rgnn-note-changes", "::mlir::func::FuncOp"> {
  let summary = "notes which results change with each argument, as the model has it";
  let description = [{
    A parameter that a loss does not depend on has no gradient, and no optimiser
    moves it. Rewrites may compute in one op what leads to several results, so
    that all its operands reach all of them: what the model says is noted before,
    and `rgnn-differentiate` hands it on to the gradients. What a map only
    compares changes nothing, as in PyTorch.

    Before:  func.func @f(%x: tensor<?x4xf32>, %v: tensor<4x4xf32>, %w: tensor<4x4xf32>) {
               ... return %xv, %xw
             }
    After:   func.func @f(%x: tensor<?x4xf32> {rgnn.changes = array<i64: 0, 1>},
                          %v: tensor<4x4xf32> {rgnn.changes = array<i64: 0>},
                          %w: tensor<4x4xf32> {rgnn.changes = array<i64: 1>})
  }];
}

def RGNNDifferentiatePass : Pass<"rgnn-differentiate", "::mlir::ModuleOp"> {
  let summary = "makes a backward function for each function, by reverse mode";
  let description = [{
    For each public function `@f` a function `@f_backward` computes, given by how
    much a number changes with the results of `@f`, how much it changes with its
    arguments: each op adds, from the last to the first, what the interface
    `DifferentiableOpInterface` builds for it. Nothing is computed for arguments
    that are not asked for, and nothing returned for those that no result changes
    with. The backward is made of ops of this dialect, so that
    every later pass applies to it; gradients of gathered rows are sums over the
    transposed path, so that no two threads write one row.

    The backward gets those arguments of `@f` that it needs, and what `@f`
    returns in addition for it: results of products and sums, and what a maximum
    or minimum was taken of. What costs as much to load as to compute (gathered
    rows, element-wise work) it computes again. Nothing is kept for its shape
    alone: sizes are those of gradients and graphs, and the backward is
    canonicalised before it is decided what it reads.

    Before:  func.func @f(%g: !rgnn.graph<@g0>, %x: ..., %w: ...) -> tensor<?x8xf32, #edge> {
               %u = rgnn.gather src %x in %g
               %y = rgnn.typed_linear %u, %w by etype in %g
               return %y
             }
    After:   func.func @f_backward(%g: ... {rgnn.argument = 0}, %x: ... {rgnn.argument = 1}, %w: ... {rgnn.argument = 2},
                                   %dy: ... {rgnn.gradient_of_result = 0})
                 -> (tensor<?x4xf32, #node> {rgnn.gradient_of_argument = 1},
                     tensor<3x4x8xf32> {rgnn.gradient_of_argument = 2}) {
               %u = rgnn.gather src %x in %g
               %t = rgnn.permute %w [0, 2, 1]
               %du = rgnn.typed_linear %dy, %t by etype in %g
               %dw = rgnn.typed_outer_sum %u, %dy by etype in %g
               %dx = rgnn.reduce sum src %du in %g
               return %dx, %dw
             }

    Where `rgnn-note-changes` has noted the results that change with an argument,
    its gradient has the note, `{rgnn.changes}`.

    Values that the backward gets from `@f` are its results `{rgnn.saved}`, and
    arguments `{rgnn.result = N}` of the backward.

    Refused, with an error: an op between a wanted argument and a result that
    has no gradient.

    Counts: `num-gradients` arguments differentiated by, `num-saved` values kept
    for the backward.
  }];
  let options = [ListOption<"arguments", "arguments", "int64_t",
                            "numbers of the arguments to differentiate by; all of floating-point numbers by default">,
                 Option<"recompute", "recompute", "bool", "false",
                        "whether the backward computes all of the forward again but what maxima are taken of">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::rgnn::RGNNDialect",
                           "::mlir::tensor::TensorDialect"];
}

def RGNNEraseDetachPass : Pass<"rgnn-erase-detach", "::mlir::func::FuncOp"> {
  let summary = "takes what is detached for what it is made of";
  let description = [{
    Before:  %d = rgnn.detach %x
             %s = rgnn.with_slope %d by %z slope %t
             %y = rgnn.map %s
    After:   %y = rgnn.map %x

    For functions that are not differentiated any more: there they are one
    value, and rewrites see through it.

    Counts: `num-erased` ops.
  }];
  let dependentDialects = [];
}

def RGNNRecomputePass : Pass<"rgnn-recompute", "::mlir::ModuleOp"> {
  let summary = "computes values of edges again in the backward instead of keeping them";
  let description = [{
    Of a function and the backward that `rgnn-differentiate` made of it: a value
    that is saved, but costs about as much to compute as to load, is computed
    again, where what it is made of takes less memory (Zhang et al., MLSys 2022,
    sec. 6). Of a softmax over edges, the maximum and one over the denominator of
    each group are saved instead; of a maximum, what the candidates are made of.

    Before:  func.func @f(...) {
               %a = rgnn.group_softmax dst %s in %g : tensor<?x1xf32, #edge>
               ...
               return ..., %a : ..., tensor<?x1xf32, #edge>
             }
    After:   func.func @f(...) {
               %m = rgnn.reduce max dst %s in %g : tensor<?x1xf32, #edge>
               %e = rgnn.map %s, %{gathered m}  // exp(s - m)
               %d = rgnn.reduce sum dst %e in %g : tensor<?x1xf32, #edge>
               %r = rgnn.map %d                 // 1 / (d + 1e-16)
               ...
               return ..., %m, %r : ..., tensor<?x1xf32, #node>, tensor<?x1xf32, #node>
             }
             func.func @f_backward(...) {
               %a = ... // exp(s - m) r, of s computed again
             }

    Only gathers and other movements of rows, element-wise ops and ops on weights
    are repeated. A graph is expected to have 8 edges for each node, and half as
    many pairs of an end and a type.

    Refused, with a missed remark: a value made of products or sums that are not
    saved; what takes no less memory, such as the parts of a softmax over pairs;
    numbers of 16 bits, which kernels round only when they store them; of a
    maximum, candidates that another kernel might round differently (`exp`, or
    the sum of a product): the backward compares them with the maximum, bit for
    bit.

    Counts: `num-recomputed` values.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNPrintCostPass : Pass<"rgnn-print-cost", "::mlir::ModuleOp"> {
  let summary = "prints what each op computes, reads and writes on a graph of given sizes";
  let description = [{
    Counts follow Zhang et al. (MLSys 2022, sec. 4 to 6) and need no graph, only
    its sizes, which are options:

    - operations: two for a multiplication with its addition in a product, one
      for each scalar function of a map (to compare, to choose and to convert is
      none: LeakyReLU is one), one for each element that a sum or maximum reads
      or a concatenation writes, five for each element of a softmax;
    - bytes that ops read and write as if each were a kernel of its own. Gathers,
      slices and other shapes cost nothing: what reads a gathered row reads the
      row of the node. A softmax over edges reads its rows twice;
    - redundant operations: those of an op on edges that are more than on the
      smallest domain that its rows are a function of. A product of a sum,
      difference or concatenation of rows counts as one of each of them. Domains
      whose size is not given are no smaller;
    - `products`: `linear`, `typed_linear`, `matmul` and gradients of weights
      alone. Ops on weights have no rows.

    After `rgnn-differentiate`, also the memory of training: what the backward
    would read of the forward if it computed nothing again, and what is saved
    for it, as shares of all memory (arguments, results and what is kept; not
    the graph's indices), and of all that ops of the forward compute.

    Example: `rgnn-opt --rgnn-print-cost="nodes=3 edges=10"` prints to the
    standard error stream for

    ```mlir
    func.func @f(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %w: tensor<8x4xf32>) -> tensor<?x4xf32, #edge> {
      %u = rgnn.gather src %x in %g : tensor<?x8xf32, #node>
      %z = rgnn.linear %u, %w : tensor<?x8xf32, #edge>, tensor<8x4xf32>
      return %z : tensor<?x4xf32, #edge>
    }
    ```

    ```
    cost of @f
      op           domain  rows  operations  bytes read  bytes written  redundant
      rgnn.linear  edge      10         640         448            160        448
      products               10         640         448            160        448
      all                    10         640         448            160        448
      redundant: 70.0 % of operations
    ```

    Fails, with an error at the op, where a size is not given and the schema
    does not say it, and at loops and captured operators: they have no cost
    before they are raised and lifted. It changes nothing.
  }];
  let options = GraphSizeOptions;
}

#endif // RGNN_DIALECT_RGNN_TRANSFORMS_PASSES
