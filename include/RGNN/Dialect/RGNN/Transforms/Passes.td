//===- Passes.td - passes over the rgnn dialect -----------*- tablegen -*-===//

#ifndef RGNN_DIALECT_RGNN_TRANSFORMS_PASSES
#define RGNN_DIALECT_RGNN_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def RGNNLiftTorchPass : Pass<"rgnn-lift-torch", "::mlir::ModuleOp"> {
  let summary = "turns captured PyTorch operators into the mathematics of a model";
  let description = [{
    Finds out by dataflow what a captured function does to a graph. No name of a
    module or argument matters, only how tensors are used:

    - an integer tensor `[2, E]` whose row 0 or 1 indexes rows of a tensor, or
      says where to aggregate, is a list of edges; row 0 are the sources;
    - an integer tensor as long as the edges that picks weights holds edge types;
    - the number of rows that aggregations are told to make is the number of
      nodes. Sizes are compared as sums of symbols; they are equal where the
      operators that ran required it.

    One schema and one graph are made for each list of edges, its types and its
    number of nodes; stacked layers share them. A tensor whose number of rows is
    that of a domain is placed there, and each operator becomes ops of the
    dialect.

    Before:  %0 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0]
             %1 = rgnn.torch "aten.index_select"(%x, %0) [#rgnn.operand<0>, 0, #rgnn.operand<1>]
             %2 = rgnn.torch "rgnn.typed_linear"(%1, %edge_type, %w) [...]
    After:   %g = rgnn.coo_graph edges(%edge_index) types(%edge_type) nodes(%n)
             %h = rgnn.place %x in %g
             %1 = rgnn.gather src %h in %g
             %2 = rgnn.typed_linear %1, %w by etype in %g

    Refused, with a missed remark that says why: operators without a rule here,
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

    Fails, with the reason, where an iteration reads or writes data that
    another one changes in the same loop (a sum that is not complete, the other
    end's new data), where a nest does not visit each edge once, and where a
    value is the same for all rows but a row for each is needed.

    Counts: `num-raised` programs raised.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNReorderLinearPass : Pass<"rgnn-reorder-linear", "::mlir::func::FuncOp"> {
  let summary = "multiplies weights first where a product of rows follows another";
  let description = [{
    `(x W) V = x (W V)`: what was multiplied for each row is multiplied once for
    each type (linear operator reordering: Hector, ASPLOS 2024, sec. 3.2.3). The
    attention score of the destination in RGAT becomes one product of a narrow
    weight. Gradients of both weights come through the product of the weights.

    Before:  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x64xf32, #edge>, tensor<5x64x64xf32>
             %s = rgnn.linear %z, %q : tensor<?x64xf32, #edge>, tensor<64x1xf32>
    After:   %w2 = rgnn.reshape %w : tensor<5x64x64xf32> -> tensor<320x64xf32>
             %p2 = rgnn.linear %w2, %q : tensor<320x64xf32>, tensor<64x1xf32>
             %p = rgnn.reshape %p2 : tensor<320x1xf32> -> tensor<5x64x1xf32>
             %s = rgnn.typed_linear %u, %p by etype in %g : tensor<?x64xf32, #edge>, tensor<5x64x1xf32>

    Refused, with a missed remark: rows of the first product that something else
    reads, too (a bias, an activation, dropout, a message), so that they are
    computed anyway; and products that take no fewer multiplications for a row
    together with their weights multiplied first.

    Counts: `num-reordered` products merged into one before them.
  }];
  let dependentDialects = ["::mlir::rgnn::RGNNDialect"];
}

def RGNNCompactPass : Pass<"rgnn-compact", "::mlir::func::FuncOp"> {
  let summary = "computes rows once for all edges that share an end and a type";
  let description = [{
    A product on edges whose rows come from the source node and depend on the
    edge's type alone has one row for each unique (source, type), from which
    edges read it (compact materialisation: Hector, ASPLOS 2024, sec. 3.2.2); the
    same for destinations. Sums over the features of a row, such as attention
    scores, move with it. In the backward, which is
    differentiated after this, the edges' gradients are summed for each pair
    before the products of gradients.

    Before:  %u = rgnn.gather src %x in %g
             %z = rgnn.typed_linear %u, %w by etype in %g
    After:   %u = rgnn.gather src %x in %g to src_pair
             %p = rgnn.typed_linear %u, %w by etype in %g
             %z = rgnn.gather src_pair %p in %g

    Refused, with a missed remark: rows that depend on more of an edge than one
    end and the type. Element-wise ops move only with a product that reads them.

    Counts: `num-compacted` ops moved.
  }];
  let dependentDialects = ["::mlir::rgnn::RGNNDialect"];
}

def RGNNAggregateFirstPass : Pass<"rgnn-aggregate-first", "::mlir::func::FuncOp"> {
  let summary = "sums rows for each end and type before it multiplies them";
  let description = [{
    Edges of one destination and type have one weight, so that their rows can be
    summed before the product: one row of it for each unique pair instead of each
    edge, and no rows of products on edges at all. Factors between the product
    and the sum stay behind the product, if they are the same for all edges of a
    pair (the mean within a relation of RGCN). The same for sums over the
    outgoing edges of a source.

    Before:  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x64xf32, #edge>, tensor<5x64x32xf32>
             %y = rgnn.reduce sum dst %z in %g : tensor<?x32xf32, #edge>
    After:   %s = rgnn.reduce sum dst_pair %u in %g : tensor<?x64xf32, #edge>
             %z = rgnn.typed_linear %s, %w by etype in %g : tensor<?x64xf32, #dst_pair>, tensor<5x64x32xf32>
             %y = rgnn.reduce sum dst %z in %g : tensor<?x32xf32, #dst_pair>

    Refused, with a missed remark: a maximum, minimum or mean over edges of
    several types; what is not linear between product and sum; a factor that
    differs among the edges of a pair, such as an attention weight; and rows of
    the product that something else reads, too.

    Counts: `num-aggregated` products that sums come before.
  }];
  let dependentDialects = ["::mlir::rgnn::RGNNDialect"];
}

def RGNNPostponePropagationPass : Pass<"rgnn-postpone-propagation", "::mlir::func::FuncOp"> {
  let summary = "computes rows once for each node or type, before they go to edges";
  let description = [{
    A product on edges whose rows come from one end, or from the type, alone is
    computed for each node, or type, and then gathered (postponed propagation:
    Zhang et al., MLSys 2022, sec. 4; broadcast reordering: Graphiler, MLSys
    2022, sec. 4.3.1).

    Before:  %u = rgnn.gather src %x in %g
             %z = rgnn.linear %u, %w
    After:   %p = rgnn.linear %x, %w
             %z = rgnn.gather src %p in %g

    Refused, with a missed remark: rows that depend on more of an edge than one
    node or the type, a weight for each edge type among it.

    Counts: `num-postponed` ops moved.
  }];
  let dependentDialects = ["::mlir::rgnn::RGNNDialect"];
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

    Values that the backward gets from `@f` are its results `{rgnn.saved}`, and
    arguments `{rgnn.result = N}` of the backward.

    Refused, with an error: an op between a wanted argument and a result that
    has no gradient.

    Counts: `num-gradients` arguments differentiated by, `num-saved` values kept
    for the backward.
  }];
  let options = [ListOption<"arguments", "arguments", "int64_t",
                            "numbers of the arguments to differentiate by; all of floating-point numbers by default">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::rgnn::RGNNDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // RGNN_DIALECT_RGNN_TRANSFORMS_PASSES
