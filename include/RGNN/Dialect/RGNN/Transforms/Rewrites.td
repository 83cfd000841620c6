//===- Rewrites.td - passes that rewrite the mathematics --*- tablegen -*-===//
//
// Those of lib/Dialect/RGNN/Transforms/Rewrites: the same values with fewer, or
// smaller, products and rows. The other passes of the dialect, in Passes.td,
// include this file.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_TRANSFORMS_REWRITES
#define RGNN_DIALECT_RGNN_TRANSFORMS_REWRITES

include "mlir/Pass/PassBase.td"

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

    The second product may be a score of each head, as attention has it of nodes:
    the inner product with one row, or with that of the type. Nothing else may
    read the first one then.

    Before:  %z = rgnn.linear %x, %w : tensor<?x64xf32, #node>, tensor<64x64xf32>
             %h = rgnn.map %z, %a                       // z * a, of 64 columns
             %s = rgnn.reduce_features sum %h dim 1
    After:   %p = rgnn.linear %w, %q : tensor<64x64xf32>, tensor<64x1xf32> // a, as a column
             %s = rgnn.linear %x, %p : tensor<?x64xf32, #node>, tensor<64x1xf32>

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
    softmax over all edges of a node makes, parts read from the whole graph; and so
    they do functions (exponentials) that the whole graph adds up, too.

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

    With `outer-sum-rows`, outer sums are separated, too, where they are computed
    in blocks of so many rows and take a block less then: 64 rows are one of 64,
    65 are two. The gradient of the weight is put together from an outer sum with
    the other columns and one with the last, or of ones the sums of the rows of
    each type, as of a bias. Either reads the rows once more.

    Counts: `num-separated` columns.
  }];
  let options = [
    Option<"outerSumRows", "outer-sum-rows", "int64_t", "0", "rows of the blocks of an outer sum; 0: outer sums keep the column">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::rgnn::RGNNDialect", "::mlir::tensor::TensorDialect"];
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

def RGNNMergeProductsPass : Pass<"rgnn-merge-products", "::mlir::func::FuncOp"> {
  let summary = "adds up weights of products of the same rows";
  let description = [{
    `x W + x V = x (W + V)`: where several relations lead to the same nodes, each
    adds a product of their own rows (`HeteroConv` of `SAGEConv`), and one is
    enough. The weights are added at each call; the gradient of each is that of
    their sum, which the backward computes once.

    Before:  %a = rgnn.linear %x, %w : tensor<?x64xf32, #node>, tensor<64x64xf32>
             %b = rgnn.linear %x, %v : tensor<?x64xf32, #node>, tensor<64x64xf32>
             %y = rgnn.map %a, %s, %b               // a + s + b
    After:   %u = rgnn.map %w, %v                   // w + v
             %p = rgnn.linear %x, %u : tensor<?x64xf32, #node>, tensor<64x64xf32>
             %y = rgnn.map %s, %p                   // s + p

    The terms are those of a tree of maps that add alone, across graphs on whose
    nodes the same rows are placed; products by type are merged where their types
    are the same, too. Biases, which all rows share, are added up in front of the
    rows.

    Refused, with a missed remark: a product that something else reads, too.

    Counts: `num-merged` products that went into another.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNStackRelationsPass : Pass<"rgnn-stack-relations", "::mlir::ModuleOp"> {
  let summary = "computes alike relations at once";
  let description = [{
    A model that keeps a list of edges for each relation (`HeteroConv`,
    `to_hetero`, a loop over edge types) computes the same of each, with other
    weights, and adds up what reaches the same nodes. The lists become the edge
    types of one joint graph; each op is done for the edges, or for the pairs of a
    destination and a relation, of all of them: as many kernels for any number of
    relations as for one. A relation costs what its edges do, however many nodes
    it does not reach.

    Before:  %a = rgnn.gather src %x in %g : tensor<?x8xf32, #rgnn.rows<node, @g0>>
             %b = rgnn.reduce mean dst %a in %g : tensor<?x8xf32, #rgnn.rows<edge, @g0>>
             %c = rgnn.linear %b, %w0 : tensor<?x8xf32, #rgnn.rows<node, @g0>>, tensor<8x8xf32>
             %d = rgnn.gather src %y in %h : tensor<?x8xf32, #rgnn.rows<node, @g1>>
             %e = rgnn.reduce mean dst %d in %h : tensor<?x8xf32, #rgnn.rows<edge, @g1>>
             %f = rgnn.linear %e, %w1 : tensor<?x8xf32, #rgnn.rows<node, @g1>>, tensor<8x8xf32>
             // ... one for each relation, and, for each type of nodes,
             %z = rgnn.map %c, %s, ...               // c + s + ...
    After:   %j = rgnn.coo_graph edges(%ei0, %ei1, ...) nodes(%n0, %n1) : !rgnn.graph<@joint>
             %a = rgnn.concat_types %x, %y in %j
             %b = rgnn.gather src %a in %j
             %c = rgnn.reduce mean dst_pair %b in %j
             %d = rgnn.typed_linear %c, %w by etype in %j
             %e = rgnn.reduce sum dst %d in %j
             %f = rgnn.slice_type %e in %j           // of one type of nodes
             %z = rgnn.map %f, %s                    // f + s

    Rows of nodes that several relations read are joined once for all of them;
    what a relation computes of them with weights of its own is computed on edges,
    from where `rgnn-compact` and `rgnn-postpone-propagation` take it. Rows of
    nodes behind the sums become rows of the joint graph, where
    `rgnn-stack-types` finds them. Relations of other shapes are groups of their
    own.

    What rests on it: a term is zero for nodes that no edge of its relation leads
    to, as far as weights are finite; those rows are never computed.

    Relations whose sums stay apart (a maximum over them, or rows that are
    normalised first) lead to copies of the nodes, which are types of their own in
    the joint graph.

    Refused, with a missed remark: fewer alike relations than `fewest`, or than half
    of it where all lead from and to the same nodes, whose rows need no joining;
    relations
    that read other rows of the same nodes; one that follows its edges twice; a
    weight of each relation that multiplies heads of rows. Terms that are not zero
    without edges, and edges that have types already, stay as they are, without a
    remark.

    Counts: `num-stacked` terms of sums that were moved.
  }];
  let options = [Option<"fewest", "fewest", "int64_t", "2", "the number of alike relations from which on they are computed at once">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::rgnn::RGNNDialect"];
}

#endif // RGNN_DIALECT_RGNN_TRANSFORMS_REWRITES
