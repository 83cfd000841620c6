//===- RGNNRankOps.td - edges compared with those of their group -*- tablegen -*-===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNRANKOPS
#define RGNN_DIALECT_RGNN_IR_RGNNRANKOPS

include "RGNN/Dialect/RGNN/IR/RGNNOpBase.td"

def RGNN_GroupExcessOp : RGNN_InferredOp<"group_excess", "Rank", "Heavy", [Differentiable, AllTypesMatch<["x", "y"]>]> {
  let summary = "by how much an edge's numbers exceed those of the edges that share an end";
  let description = [{
    For each element of a row, with `G(e)` the edges `f` with `path(f) = path(e)`:
    `result[e] = sum over f in G(e) of max(0, x[e] - y[f])`. With `y = x` these
    are the weights of C-GAT, a sum over all pairs of edges of a destination
    (Graphiler, MLSys 2022). Kernels sort a group instead: `d log d` steps for
    `d` edges. Gradient: of `x`, times the number of `f` with `y[f] < x[e]`; of
    `y[f]`, less what `e` with `x[e] > y[f]` have; both by `rgnn.group_sum_below`.
    No gradient passes where the two are equal, as in PyTorch.

    (C1) `x` and `y` live on edges, and `path` starts there.
    (C2) They belong to the graph's schema and part.

    Example:

    ```mlir
    %a = rgnn.group_excess dst %x over %x in %g : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, RGNN_FloatTensor:$y, RGNN_GraphType:$graph, RGNN_PathAttr:$path);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $path $x `over` $y `in` $graph attr-dict `:` type($x)
    custom<GraphOfRows>(ref(type($x)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_GroupSumBelowOp : RGNN_InferredOp<"group_sum_below", "Rank", "Heavy", [
    Differentiable, AllTypesMatch<["rows", "y", "x"]>]> {
  let summary = "sums, for each edge, rows of the edges that share an end and have smaller numbers";
  let description = [{
    For each element of a row, with `G(e)` the edges `f` with `path(f) = path(e)`:
    `result[e] = sum over f in G(e) with y[f] < x[e] of rows[f]`. Gradient of
    `rows`: the same with `-x` and `-y` in each other's place; `x` and `y` have
    none. It is what the gradient of `rgnn.group_excess` is made of.

    (C1) `rows`, `x` and `y` live on edges, and `path` starts there.
    (C2) They belong to the graph's schema and part.

    Example:

    ```mlir
    %s = rgnn.group_sum_below dst %rows where %y below %x in %g : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$rows, RGNN_FloatTensor:$y, RGNN_FloatTensor:$x, RGNN_GraphType:$graph,
                       RGNN_PathAttr:$path);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $path $rows `where` $y `below` $x `in` $graph attr-dict `:` type($rows)
    custom<GraphOfRows>(ref(type($rows)), type($graph))
  }];
  let hasVerifier = 1;
}

#endif // RGNN_DIALECT_RGNN_IR_RGNNRANKOPS
