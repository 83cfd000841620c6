//===- Passes.td - passes over the rgnn dialect -----------*- tablegen -*-===//

#ifndef RGNN_DIALECT_RGNN_TRANSFORMS_PASSES
#define RGNN_DIALECT_RGNN_TRANSFORMS_PASSES

include "RGNN/Analysis/GraphSizeOptions.td"
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
    `(x W + b) V = x (W V) + b V`: what was multiplied for each row is multiplied
    once for each type (linear operator reordering: Hector, ASPLOS 2024, sec.
    3.2.3). The attention score of the destination in RGAT becomes one product of
    a narrow weight. Gradients of both weights come through the product of the
    weights, which is computed again at each call.

    Before:  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x64xf32, #edge>, tensor<5x64x64xf32>
             %s = rgnn.linear %z, %q : tensor<?x64xf32, #edge>, tensor<64x1xf32>
    After:   %w2 = rgnn.reshape %w : tensor<5x64x64xf32> -> tensor<320x64xf32>
             %p2 = rgnn.linear %w2, %q : tensor<320x64xf32>, tensor<64x1xf32>
             %p = rgnn.reshape %p2 : tensor<320x1xf32> -> tensor<5x64x1xf32>
             %s = rgnn.typed_linear %u, %p by etype in %g : tensor<?x64xf32, #edge>, tensor<5x64x1xf32>

    Each of the two weights may be shared, by edge type or by node type. Between
    the products there may be biases, slices and heads of columns, which the
    weight and the bias are given as well, and gathers, of which the rows of `x`
    get a copy. Heads of the second product stay blocks: `[types, heads, K, N]`
    makes `[types, in, heads * N]`, with no product of one head with another.

    The first product may be by the type of a node, of one weight or of a product
    for the nodes of each type, and the second by the type of edges that enter or
    leave it: keys, queries and values of HGT. An edge type then needs to know
    the type of its end, which a schema says by `src_types` or `dst_types`.

    Before:  %k = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x64xf32, #node>, tensor<2x64x64xf32>
             %u = rgnn.gather src %k in %g
             %z = rgnn.typed_linear %u, %v by etype in %g : tensor<?x64xf32, #edge>, tensor<3x64x64xf32>
    After:   %w0 = rgnn.slice %w dim 0 from 0 size 1 : tensor<2x64x64xf32>
             %w1 = rgnn.slice %w dim 0 from 1 size 1 : tensor<2x64x64xf32>
             %e = rgnn.concat %w0, %w1, %w1 dim 0       // src_types([0, 1, 1])
             %p = rgnn.matmul %e, %v : tensor<3x64x64xf32>, tensor<3x64x64xf32>
             %u = rgnn.gather src %x in %g
             %z = rgnn.typed_linear %u, %p by etype in %g : tensor<?x64xf32, #edge>, tensor<3x64x64xf32>

    A bias is multiplied once, or once for each type, and then read by rows:

    Before:  %b = rgnn.map %z, %bias                    // z + bias, 64 columns
             %s = rgnn.linear %b, %q : tensor<?x64xf32, #edge>, tensor<64x1xf32>
    After:   %c = rgnn.linear %bias, %q                 // of one row
             %s = rgnn.map %r, %c                       // x (W Q) + bias Q, one column

    Where rows of nodes are gathered and then multiplied by type, a bias of the
    first weight's types becomes a row of that weight instead, for a one at the
    end of each row of nodes: `(x 1) (W; b) V`. Nothing is then added to edges, and
    the gradient of the bias is that of a row of the weight (a row of it more,
    which is not counted below).

    Multiplications for one row are counted: those of both products against one
    of both weights' product. Behind a gather there are more rows than in front
    of it (edges, unique pairs of a node and a type, nodes): there a row must take
    no more of them than the second product took, so that all of the first is
    saved, whatever the graph. Columns of the first product that something else
    reads are kept, where they are a slice of their own.

    Refused, with a missed remark: rows of the first product that something else
    reads, too (a message, a result), so that they are computed anyway, unless
    the new product takes at most half the multiplications of the second; anything
    but a bias between the products (an activation, dropout, a transposition of
    heads); a type of one weight that the other's does not lead to, as where the
    schema does not say the node types of edge types; features of node types that
    differ in width; heads of the first product that are not those of the second;
    and products that take no fewer multiplications.

    Counts: `num-reordered` products merged into one before them.
  }];
  let dependentDialects = ["::mlir::rgnn::RGNNDialect"];
}

def RGNNStackTypesPass : Pass<"rgnn-stack-types", "::mlir::func::FuncOp"> {
  let summary = "computes the rows of all node types at once";
  let description = [{
    What is done alike for the nodes of each type, with weights of the type,
    becomes one op on the rows of all nodes: one kernel instead of one for each
    type, and rows need not be copied where nodes of several types meet. The
    weights of all types are copied into one tensor instead.

    Before:  %a = rgnn.linear %x, %w0 : tensor<?x8xf32, #rgnn.rows<node, @g0, type = 0>>, tensor<8x16xf32>
             %b = rgnn.linear %y, %w1 : tensor<?x8xf32, #rgnn.rows<node, @g0, type = 1>>, tensor<8x16xf32>
             %h = rgnn.concat_types %a, %b in %g
    After:   %z = rgnn.concat_types %x, %y in %g
             %w = rgnn.concat %w0, %w1 dim 0 : tensor<1x8x16xf32>, tensor<1x8x16xf32>
             %h = rgnn.typed_linear %z, %w by ntype in %g

    Products of rows that are slices of the rows of all nodes are computed
    before the slices are taken; element-wise ops behind the last product stay
    with the types, each of which is a result of its own.

    Refused, with a missed remark: rows that are computed differently for the
    types, such as of features of different widths, and those computed of more
    numbers than they have, which would have to be copied.

    Counts: `num-stacked` joins and products that were moved.
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
    scores, move with it. In the backward, which is differentiated after this,
    the edges' gradients are summed for each pair before the products of
    gradients.

    Before:  %u = rgnn.gather src %x in %g
             %z = rgnn.typed_linear %u, %w by etype in %g
    After:   %u = rgnn.gather src %x in %g to src_pair
             %p = rgnn.typed_linear %u, %w by etype in %g
             %z = rgnn.gather src_pair %p in %g

    A product of joined rows is split as `rgnn-postpone-propagation` does it, where
    pieces depend on an end and the type.

    Before:  %c = rgnn.concat %xu, %xv dim 1
             %z = rgnn.typed_linear %c, %w by etype in %g
    After:   %l = rgnn.slice %w dim 1 from 0 size 8
             %p = rgnn.typed_linear %us, %l by etype in %g      // src_pair
             %r = rgnn.slice %w dim 1 from 8 size 8
             %q = rgnn.typed_linear %vs, %r by etype in %g      // dst_pair
             %pu = rgnn.gather src_pair %p in %g
             %qv = rgnn.gather dst_pair %q in %g
             %z = rgnn.map %pu, %qv                             // their sum

    Refused, with a missed remark: rows that depend on more of an edge than one
    end and the type. Sums are not split: unique pairs of both ends may be more
    than the edges. Element-wise ops move with a product that reads them, and
    alone if they compute a function, root or quotient of pair rows that are there
    already.

    Counts: `num-compacted` ops moved.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNAggregateFirstPass : Pass<"rgnn-aggregate-first", "::mlir::func::FuncOp"> {
  let summary = "sums rows for each end and type before it multiplies them";
  let description = [{
    Edges of one destination and type have one weight, so that their rows can be
    summed before the product: one row of it for each unique pair instead of each
    edge, and no rows of products on edges at all. Factors between the product
    and the sum stay behind the product, if they are the same for all edges of a
    pair (the mean within a relation of RGCN), and go in front of the sum, if
    each edge has one number (an attention weight). The same for sums over the
    outgoing edges of a source, for sums and means within a pair, and for means
    over all edges of a node, which are divided by their number at the end.

    Before:  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x64xf32, #edge>, tensor<5x64x32xf32>
             %y = rgnn.reduce sum dst %z in %g : tensor<?x32xf32, #edge>
    After:   %s = rgnn.reduce sum dst_pair %u in %g : tensor<?x64xf32, #edge>
             %z = rgnn.typed_linear %s, %w by etype in %g : tensor<?x64xf32, #dst_pair>, tensor<5x64x32xf32>
             %y = rgnn.reduce sum dst %z in %g : tensor<?x32xf32, #dst_pair>

    Refused, with a missed remark: a maximum or minimum; what is not linear
    between product and sum; several factors for each row that differ among the
    edges of a pair, such as the weights of several heads; and rows of the
    product that something else reads, too.

    Counts: `num-aggregated` products that sums come before.
  }];
  let dependentDialects = ["::mlir::rgnn::RGNNDialect"];
}

def RGNNSplitSidesPass : Pass<"rgnn-split-sides", "::mlir::func::FuncOp"> {
  let summary = "multiplies rows for each source or destination, by the edge type";
  let description = [{
    A sum over edges of products by edge type has one product for each unique
    (source, type), which edges then read, or one for each unique (destination,
    type), of what edges add up to before. Edge types differ in which are fewer:
    thousands of molecules have a few kinds of atoms, and a few kinds have
    thousands. The graph is split into the types that have fewer sources and
    those that have fewer destinations, and each part takes its own way; on the
    data set mutag, the products of a layer fall from 76,204 to 22,950. Which
    types these are is found at run time, once for each graph.

    Before:  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x64xf32, #edge>, tensor<5x64x64xf32>
             %y = rgnn.reduce sum dst %z in %g
    After:   %s, %d = rgnn.split_graph %g : !rgnn.graph<@g0>
             %zs = rgnn.typed_linear %us, %w by etype in %s     // edges, for rgnn-compact
             %ys = rgnn.reduce sum dst %zs in %s
             %ud = rgnn.reduce sum dst_pair %x in %d
             %zd = rgnn.typed_linear %ud, %w by etype in %d     // dst_pair
             %yd = rgnn.reduce sum dst %zd in %d
             %y = rgnn.map %ys, %yd                             // their sum

    The second way is that of `rgnn-aggregate-first`, with its conditions, but
    for attention scores that are computed of the product's rows as well: they
    multiply the weights first. What edges have of their own, such as what a
    softmax over all edges of a node makes, parts read from the whole graph.

    The inner product of such a row with one of the destination (the score of
    HGT) becomes that of a row of the source with a product of the destination,
    by the transposed weight; the scores of both parts are joined.

    Before:  %z = rgnn.typed_linear %u, %w by etype in %g
             %a = rgnn.dot %q, %z                               // q of destinations
    After:   %as = rgnn.dot %qs, %zs                            // edges of %s
             %zd = rgnn.typed_linear %qd, %wt by etype in %d    // for rgnn-compact
             %ad = rgnn.dot %ud, %zd
             %ws = rgnn.reduce sum whole %as in %s
             %wd = rgnn.reduce sum whole %ad in %d
             %a = rgnn.map %ws, %wd                             // their sum

    Refused, with a missed remark, are also: graphs of one edge type, and parts;
    sums for others than destinations, or in another graph; rows that depend on
    more than the source and the type, or that the caller gives for edges or
    pairs; a score for each of several heads; and rows that the product makes less
    than half as wide, of which edges of the second part would read the wide ones.

    Counts: `num-split` sums and inner products.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNNormaliseSumsPass : Pass<"rgnn-normalise-sums", "::mlir::func::FuncOp"> {
  let summary = "divides sums of rows that a softmax weights, instead of the weights";
  let description = [{
    The denominator of a softmax is the same for all edges of a group, so that it
    leaves a sum over the group. What is added up does not wait for it any more:
    two loops over the edges of a node remain, one for the maximum, one for the
    denominator and the sum of rows.

    Before:  %p = rgnn.group_softmax dst %s in %g
             %t = rgnn.map %p, %z { arith.mulf }
             %y = rgnn.reduce sum dst %t in %g
    After:   %m = rgnn.reduce max dst %s in %g
             %e = rgnn.map %s, %m of dst { math.exp of arith.subf }
             %d = rgnn.reduce sum dst %e in %g
             %r = rgnn.map %d { 1 / (%d + 1e-16) }
             %t = rgnn.map %e, %z { arith.mulf }
             %u = rgnn.reduce sum dst %t in %g
             %y = rgnn.map %u, %r { arith.mulf }

    A node without edges has the sum 0, and 0 times the finite 1e16. The sum of
    the rows themselves must not overflow: the largest number of a node's rows
    times the number of its edges.

    Refused, with a missed remark, are: a softmax that something else reads, too,
    such as the caller or a backward; sums in other groups, or of a part of the
    graph; maxima and means; and floats of 16 bits, which round the exponentials
    and the sum apart.

    The gradient of a softmax is simpler than that of its parts: the pass is for
    what is not differentiated any more.

    Counts: `num-normalised` softmaxes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNHoistNormalisationPass : Pass<"rgnn-hoist-normalisation", "::mlir::ModuleOp"> {
  let summary = "computes what the graph alone decides once for each graph";
  let description = [{
    Rows that are made of numbers of edges and of nothing else, such as the
    factors of a normalised adjacency matrix, are the same in every call with the
    same graph (loop-invariant normalisation: SENSEi). They move to a function of
    the graph, `@forward_once`, which the runtime calls when it prepares a graph,
    and whose results it keeps with the graph.

    Before:  func.func @forward(%g: !rgnn.graph<@g0>, %x: ...) {
               %d = rgnn.degree dst in %g : tensor<?xf32, #node>
               %n = rgnn.map %d { math.rsqrt }
               %u = rgnn.gather src %n in %g
               ...
    After:   func.func @forward_once(%g: !rgnn.graph<@g0>) -> tensor<?xf32, #node> attributes {rgnn.once = "forward"} {
               %d = rgnn.degree dst in %g : tensor<?xf32, #node>
               %n = rgnn.map %d { math.rsqrt }
               return %n
             }
             func.func @forward(%g: !rgnn.graph<@g0>, %x: ...) {
               %n = call @forward_once(%g)
               %u = rgnn.gather src %n in %g
               ...

    Kernels that read such rows move them. Numbers of edges themselves stay where
    a kernel finds them beside the rows that it computes, and what is given to the
    caller, or depends on node types, stays as well. Refused, with a missed remark:
    functions of several graphs, graphs whose schema does not say how many edge
    types there are, and those that have one number of nodes for several types.

    Counts: `num-hoisted` results of `@forward_once`.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNSeparateOnesPass : Pass<"rgnn-separate-ones", "::mlir::func::FuncOp"> {
  let summary = "computes without the column of ones that makes a bias part of a weight";
  let description = [{
    Where products of weights come first, a bias is one more row of a weight, and
    the rows that are multiplied have a column of ones: its gradient is then part
    of that of the weight. To compute, rows of 64 numbers are better than those of
    65, which start anywhere in a cache line and fill no vector. What is made of
    such rows is computed of their other columns and of the last one, apart: of
    ones, a product makes the bias of a type, and weighted sums make the sum of
    the weights.

    Before:  %o = rgnn.map %s { arith.constant 1.0 }             // one number each
             %c = rgnn.concat %x, %o dim 1 : tensor<?x64xf32, #node>, tensor<?x1xf32, #node>
             %u = rgnn.gather src %c in %g
             %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x65xf32, #edge>, tensor<5x65x32xf32>
    After:   %u = rgnn.gather src %x in %g
             %p = rgnn.typed_linear %u, %w64 by etype in %g      // slices of %w
             %b = rgnn.gather etype %w1 in %g
             %z = rgnn.map %p, %b                                // their sum

    Rows go on through gathers, scales by one number a row, and sums of what was
    scaled; products by type and inner products read them. Refused, with a missed
    remark: rows that anything else reads, and floats of 16 bits, which would be
    rounded before the bias is added. As with `rgnn-scale-rows`, the pass is for
    what is not differentiated any more.

    Counts: `num-separated` columns.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNScaleRowsPass : Pass<"rgnn-scale-rows", "::mlir::func::FuncOp"> {
  let summary = "scales rows of one number by the weight of their type";
  let description = [{
    A product with one term for each number needs no GEMM: it is element-wise, so
    that it shares a traversal with what makes its rows or reads its result. The
    gradient of an attention score by the rows that it is computed of is such a
    product.

    Before:  %z = rgnn.typed_linear %s, %w by etype in %g : tensor<?x2x1xf32, #src_pair>, tensor<5x2x1x32xf32>
    After:   %f = rgnn.reshape %w : tensor<5x2x1x32xf32> -> tensor<5x2x32xf32>
             %t = rgnn.place %f in %g : tensor<5x2x32xf32> -> tensor<5x2x32xf32, #etype>
             %v = rgnn.gather etype %t in %g to src_pair
             %z = rgnn.map %s, %v { arith.mulf }

    The gradient of the weight is an outer sum of the product, but of the map a
    sum of rows that are as wide as the result. The pass is for what is not
    differentiated any more.

    Counts: `num-scaled` products.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNPostponePropagationPass : Pass<"rgnn-postpone-propagation", "::mlir::func::FuncOp"> {
  let summary = "computes rows once for each node or type, before they go to edges";
  let description = [{
    What is computed on edges of rows that come from one end, or from the type,
    alone is computed for each node, or type, and then gathered (postponed
    propagation: Zhang et al., MLSys 2022, sec. 4; broadcast reordering:
    Graphiler, MLSys 2022, sec. 4.3.1).

    Before:  %u = rgnn.gather src %x in %g
             %z = rgnn.linear %u, %w
    After:   %p = rgnn.linear %x, %w
             %z = rgnn.gather src %p in %g

    A product of rows joined of several origins is the sum of the products of
    the pieces, each with its rows of the weight (GAT's `a [h_u || h_v]`). Pieces
    of one origin share a product, and so do all that stay on edges. The same for
    typed products, inner products and sums over features, and through functions
    of each element.

    Before:  %c = rgnn.concat %hu, %hv dim 1
             %s = rgnn.linear %c, %a
    After:   %l = rgnn.slice %a dim 0 from 0 size 8
             %p = rgnn.linear %h, %l
             %r = rgnn.slice %a dim 0 from 8 size 8
             %q = rgnn.linear %h, %r
             %pu = rgnn.gather src %p in %g
             %qv = rgnn.gather dst %q in %g
             %s = rgnn.map %pu, %qv                 // their sum

    A product of sums, differences and multiples of such rows is that of its
    terms, if all can leave the edges (EdgeConv's `(x_u - x_v) W`). It is left
    alone if one cannot: that one would cost as much as all of them.

    Before:  %d = rgnn.map %xu, %xv                 // xu - xv
             %z = rgnn.linear %d, %w
    After:   %p = rgnn.linear %x, %w
             %pu = rgnn.gather src %p in %g
             %pv = rgnn.gather dst %p in %g
             %z = rgnn.map %pu, %pv                 // pu - pv

    What edges of a group share leaves their maximum or minimum: terms, and
    factors that are positive. Groups without edges keep their zero. The backward
    then compares rows of nodes with the maximum, and none of edges is kept.

    Before:  %s = rgnn.map %pu, %bv                 // pu + bv
             %y = rgnn.reduce max dst %s in %g
    After:   %m = rgnn.reduce max dst %pu in %g
             %y = rgnn.map %m, %b, %degree          // m + b, or 0 where %degree is

    Of element-wise ops alone, those move that compute a function (`exp`, `tanh`,
    `erf`, ...), a root or a quotient of rows that are there already and as long
    as the result: a pass over the nodes instead of the work for each edge. Sums,
    factors and comparisons stay: a kernel that reads edge rows computes them on
    the way, for less than it would cost to store them (measured: ReLU gains
    nothing at 7 edges for each node, a quotient a fifth, a root half, `tanh`
    four fifths).

    Refused, with a missed remark: rows that depend on more of an edge than one
    node or the type, a weight for each edge type among it; a sum with a term
    that does; factors of a maximum that may be negative; functions of narrower
    rows than their result. Pieces of one column stay with the edges, which scale
    them. Of floats of 16 bits, which kernels round only where they store them,
    neither functions nor differences move.

    Counts: `num-postponed` ops moved, `num-hoisted` maxima and minima that terms
    or factors left.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::rgnn::RGNNDialect"];
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
