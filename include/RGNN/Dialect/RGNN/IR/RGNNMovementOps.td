//===- RGNNMovementOps.td - rows along the lattice of domains ---*- tablegen -*-===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNMOVEMENTOPS
#define RGNN_DIALECT_RGNN_IR_RGNNMOVEMENTOPS

include "RGNN/Dialect/RGNN/IR/RGNNOpBase.td"

def RGNN_GatherOp : RGNN_InferredOp<"gather", "Load", "Copy", [Differentiable], /*ownReads=*/true> {
  let summary = "each row of a finer domain reads the row that an arrow leads to";
  let description = [{
    Row `i` of the result, on domain `to`, is row `path(i)` of `rows`: for path
    `src` every edge gets the row of its source node. This is the broadcast of
    message passing (Zhang et al. 2022, sec. 2, "Scatter"). Its transpose and
    gradient is `rgnn.reduce sum` along the same path.

    (C1) `path` leads from `to` to the domain of `rows`; `whole` does from edges
    of a part of a graph.
    (C2) `rows` belongs to the graph's schema and part; for path `whole`, to the
    whole graph.

    Example:

    ```mlir
    %u = rgnn.gather src %h in %g : tensor<?x64xf32, #rgnn.rows<node, @g0>>
    %p = rgnn.gather src %h in %g to src_pair : tensor<?x64xf32, #rgnn.rows<node, @g0>>
    %s = rgnn.gather src %h in %part : tensor<?x64xf32, #rgnn.rows<node, @g0>> part src
    %a = rgnn.gather whole %alpha in %part : tensor<?x1xf32, #rgnn.rows<edge, @g0>> part src
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$rows, RGNN_GraphType:$graph, RGNN_PathAttr:$path,
                       DefaultValuedAttr<RGNN_DomainAttr, "::mlir::rgnn::Domain::Edge">:$to);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $path $rows `in` $graph (`to` $to^)? attr-dict `:` type($rows) custom<GraphOfRows>(ref(type($rows)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_ReduceOp : RGNN_InferredOp<"reduce", "", "Heavy", [Differentiable]> {
  let summary = "each row of a coarser domain reduces the rows that an arrow leads from";
  let description = [{
    Row `j` of the result is the sum, mean, maximum, minimum or product of the
    rows `i` of `rows` with `path(i) = j`, and zero where there are none.
    Repeated edges count as often as they occur. Gradient: `rgnn.gather` along
    the same path, scaled by one over the degree for `mean`; for `max` and `min`
    divided equally among ties, as PyTorch does; for `mul` times the product of
    the others, which is zero where two of these are.

    (C1) `path` starts at the domain of `rows`; `whole` does at edges of a part of
    a graph, and leads to those of the whole graph.
    (C2) `rows` belongs to the graph's schema and part.
    (C3) Along `whole`, which leads to an edge from one or none, there are sums
    alone.

    Example:

    ```mlir
    %s = rgnn.reduce sum dst %m in %g : tensor<?x64xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$rows, RGNN_GraphType:$graph, RGNN_PathAttr:$path, RGNN_ReductionAttr:$kind);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $kind $path $rows `in` $graph attr-dict `:` type($rows) custom<GraphOfRows>(ref(type($rows)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_GroupSoftmaxOp : RGNN_InferredOp<"group_softmax", "Group", "Heavy", [Differentiable], /*ownReads=*/true> {
  let summary = "softmax over the edges that share an end (and a type)";
  let description = [{
    For each element of a row, with `G(e)` the edges `f` with `path(f) = path(e)`:
    `result[e] = exp(x[e] - max_G x) / (sum_G exp(x - max_G x) + 1e-16)`.
    The maximum is always subtracted; the small constant is PyG's. Path `dst` is
    attention across relations, `dst_pair` within a relation (RGAT).

    (C1) `rows` lives on edges, and `path` starts there.
    (C2) `rows` belongs to the graph's schema.

    Example:

    ```mlir
    %a = rgnn.group_softmax dst %logits in %g : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$rows, RGNN_GraphType:$graph, RGNN_PathAttr:$path);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $path $rows `in` $graph attr-dict `:` type($rows) custom<GraphOfRows>(ref(type($rows)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_DegreeOp : RGNN_ComputeOp<"degree", "Load", "Light", []> {
  let summary = "number of edges that an arrow leads from";
  let description = [{
    Row `j` of the result is the number of edges `e` with `path(e) = j`.

    (C1) The result has rows of shape `[]` on the domain that `path` leads to
    from edges, of the graph's schema.

    Example:

    ```mlir
    %d = rgnn.degree dst_pair in %g : tensor<?xf32, #rgnn.rows<dst_pair, @g0>>
    ```
  }];
  let arguments = (ins RGNN_GraphType:$graph, RGNN_PathAttr:$path);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$path `in` $graph attr-dict `:` type($result) custom<GraphOfRows>(ref(type($result)), type($graph))";
  let hasVerifier = 1;
}

def RGNN_LookupOp : RGNN_InferredOp<"lookup", "Table", "Light", [Differentiable], /*ownReads=*/true> {
  let summary = "gives every edge the weight row of its type and of an end node";
  let description = [{
    The message of a relational layer without node features, whose weights are
    embeddings (RGCN, Schlichtkrull et al. 2018). Without `comp`, row `e` of the
    result is `table[etype(e), path(e), :]`. With `comp` (basis decomposition) it
    is `sum_b comp[etype(e), b] * table[b, path(e), :]`, so that no tensor of
    types x nodes x width is ever built. Gradient of the table without `comp`:
    `rgnn.lookup_sum`.

    (C1) `table` is `[R or B, N, O]`, `comp` is `[R, B]`.
    (C2) `path` is `src` or `dst`.
    (C3) `N` is the number of nodes of the graph (checked at run time).
    (C4) The graph is not bipartite.

    Example:

    ```mlir
    %m = rgnn.lookup src %basis bases(%comp) in %g : (tensor<30x7262x16xf32>, tensor<104x30xf32>) -> !rgnn.graph<@g0>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$table, Optional<RGNN_FloatTensor>:$comp, RGNN_GraphType:$graph, RGNN_PathAttr:$path);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $path $table (`bases` `(` $comp^ `)`)? `in` $graph attr-dict
    `:` `(` type($table) (`,` type($comp)^)? `)` `->` qualified(type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_LookupSumOp : RGNN_ComputeOp<"lookup_sum", "Sum", "Heavy", [Differentiable]> {
  let summary = "sums the rows of edges that share their type and an end node";
  let description = [{
    The transpose and gradient of `rgnn.lookup` without `comp`: `result[t, n, :]`
    is the sum of the rows of the edges `e` with `etype(e) = t` and
    `path(e) = n`, and zero where there are none. Repeated edges count as often
    as they occur.

    (C1) `rows` lives on edges, with rows of one dimension.
    (C2) `result` is `[R, N, O]` without rows, with the `O` of `rows` and as many
    types as the schema has, where it says so.
    (C3) `path` is `src` or `dst`.
    (C4) `N` is the number of nodes of the graph (checked at run time).
    (C5) The graph is not bipartite.

    Example:

    ```mlir
    %dtable = rgnn.lookup_sum src %dm in %g : tensor<?x16xf32, #rgnn.rows<edge, @g0>> -> tensor<104x7262x16xf32>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$rows, RGNN_GraphType:$graph, RGNN_PathAttr:$path);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $path $rows `in` $graph attr-dict `:` type($rows) `->` type($result) custom<GraphOfRows>(ref(type($rows)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_ConcatTypesOp : RGNN_ComputeOp<"concat_types", "View", "Copy", [Differentiable]> {
  let summary = "joins the rows of each node type to the rows of all nodes";
  let description = [{
    Nodes are numbered type by type, so that the result is the operands one after
    another.

    (C1) Operand `k` lives on `node, type = k`; there is one for each node type.
    (C2) All have the row shape and element type of the result, which lives on `node`.

    Example:

    ```mlir
    %h = rgnn.concat_types %a, %p in %g : (tensor<?x8xf32, #rgnn.rows<node, @g0, type = 0>>,
      tensor<?x8xf32, #rgnn.rows<node, @g0, type = 1>>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins Variadic<RGNN_FloatTensor>:$parts, RGNN_GraphType:$graph);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $parts `in` $graph attr-dict `:` `(` type($parts) `)` `->` type($result) custom<GraphOfRows>(ref(type($result)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_SliceTypeOp : RGNN_ComputeOp<"slice_type", "View", "View", [Differentiable]> {
  let summary = "the rows of one node type";
  let description = [{
    (C1) `rows` lives on `node`, the result on `node, type = k`, of the same schema.
    (C2) Row shape and element type are equal.

    Example:

    ```mlir
    %a = rgnn.slice_type %h in %g : tensor<?x8xf32, #rgnn.rows<node, @g0>> -> tensor<?x8xf32, #rgnn.rows<node, @g0, type = 1>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$rows, RGNN_GraphType:$graph);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $rows `in` $graph attr-dict `:` type($rows) `->` type($result) custom<GraphOfRows>(ref(type($result)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_ConcatRowsOp : RGNN_ComputeOp<"concat_rows", "View", "Copy", [Differentiable]> {
  let summary = "joins rows of any domains, one after another";
  let description = [{
    The result has as many rows as all parts together: edges that a model joined,
    such as those that are no self loops and one for each node, have features
    that come from both. That the numbers add up is for whoever makes the op to
    see to, as for `rgnn.place` of what the function computes: the interpreter
    checks it, compiled code does not. Gradient: the rows of each part.

    (C1) The parts have rows, of any graphs; the result lives on rows of `graph`.
    (C2) All have the row shape and element type of the result.

    Example:

    ```mlir
    %w = rgnn.concat_rows %kept, %loops in %g : (tensor<?x8xf32, #rgnn.rows<edge, @g1>>,
      tensor<?x8xf32, #rgnn.rows<node, @g0>>) -> tensor<?x8xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins Variadic<RGNN_FloatTensor>:$parts, RGNN_GraphType:$graph);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $parts `in` $graph attr-dict `:` `(` type($parts) `)` `->` type($result) custom<GraphOfRows>(ref(type($result)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_RegroupRowsOp : RGNN_ComputeOp<"regroup_rows", "View", "View", [Differentiable]> {
  let summary = "several rows of one domain as one row of another, or the reverse";
  let description = [{
    Row `i` of the result holds the numbers of `rows` that come next in order:
    those of rows `k * i` to `k * i + k - 1` where its rows are `k` times as wide,
    and a `k`-th of row `i / k` where they are narrower. So sums for each node
    and relation, which are the destinations `node * R + relation` of edges,
    become one row per node. That the numbers of rows agree is for whoever makes
    the op to see to: the interpreter checks it, compiled code does not.
    Gradient: the numbers of the gradient, as rows of the other domain.

    (C1) `rows` has rows, of any graph; the result lives on rows of `graph`.
    (C2) Element types are equal.
    (C3) The rows of one are a whole number of times as wide as those of the other.

    Example:

    ```mlir
    %per_node = rgnn.regroup_rows %sums in %g : tensor<?x8xf32, #rgnn.rows<node, @g1>>
      -> tensor<?x3x8xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$rows, RGNN_GraphType:$graph);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $rows `in` $graph attr-dict `:` type($rows) `->` type($result) custom<GraphOfRows>(ref(type($result)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_SliceRowsOp : RGNN_ComputeOp<"slice_rows", "View", "View", []> {
  let summary = "rows behind those of other domains";
  let description = [{
    The result is the part of `rows` behind as many rows as the domains `after`
    have together: one of the parts that `rgnn.concat_rows` joins.

    (C1) `rows` has rows; there is a graph for each domain of `after`, and one for
    the result, in this order.
    (C2) Row shape and element type are equal.

    Example:

    ```mlir
    %loops = rgnn.slice_rows %w after [#rgnn.rows<edge, @g1>] in %kept, %g : tensor<?x8xf32, #rgnn.rows<edge, @g0>>
      -> tensor<?x8xf32, #rgnn.rows<node, @g0>> (!rgnn.graph<@g1>, !rgnn.graph<@g0>)
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$rows, TypedArrayAttrBase<RGNN_RowsAttr, "domains">:$after,
                       Variadic<RGNN_GraphType>:$graphs);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $rows `after` $after `in` $graphs attr-dict `:` type($rows) `->` type($result) `(` type($graphs) `)`
  }];
  let hasVerifier = 1;
}

#endif // RGNN_DIALECT_RGNN_IR_RGNNMOVEMENTOPS
