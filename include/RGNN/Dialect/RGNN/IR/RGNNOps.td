//===- RGNNOps.td - the operations of the rgnn dialect ---------*- tablegen -*-===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNOPS
#define RGNN_DIALECT_RGNN_IR_RGNNOPS

include "RGNN/Dialect/RGNN/IR/RGNNAttrs.td"
include "RGNN/Dialect/RGNN/IR/RGNNInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def RGNN_FloatTensor : RankedTensorOf<[AnyFloat]>;
def RGNN_IndexTensor : RankedTensorOf<[I64, I32]>;

// The row ops that say their own result type.
class RGNN_InferredOp<string mnemonic, list<Trait> traits = []>
    : RGNN_Op<mnemonic, !listconcat([Pure, InferTypeOpAdaptor], traits)>;
defvar RowOp = DeclareOpInterfaceMethods<RGNN_RowOpInterface>;

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

def RGNN_SchemaOp : RGNN_Op<"schema", [Symbol]> {
  let summary = "declares what is known of a family of graphs at compile time";
  let description = [{
    Numbers of node and edge types, and the node types at both ends of each edge
    type. Whatever is left out is unknown, and a pass that needs it refuses.
    Numbers of nodes and edges are never part of a schema: compiled code runs on
    any graph of its schema.

    (C1) `src_types` and `dst_types` have one entry an edge type.
    (C2) Their entries are node types of the schema.

    Example:

    ```mlir
    rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$node_types, OptionalAttr<I64Attr>:$edge_types,
                       OptionalAttr<DenseI64ArrayAttr>:$src_types, OptionalAttr<DenseI64ArrayAttr>:$dst_types);
  let assemblyFormat = [{
    $sym_name (`node_types` `(` $node_types^ `)`)? (`edge_types` `(` $edge_types^ `)`)?
    (`src_types` `(` $src_types^ `)`)? (`dst_types` `(` $dst_types^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def RGNN_COOGraphOp : RGNN_Op<"coo_graph", [Pure, AttrSizedOperandSegments]> {
  let summary = "makes a graph from lists of end nodes";
  let description = [{
    Edge `e` goes from node `edges[0, e]` to node `edges[1, e]` and has type
    `types[e]`, or type 0 without `types`. Given one list an edge type, edge
    type `i` is the `i`-th list, its numbers count within the node types of its
    ends, and the nodes of the graph are numbered type by type.

    (C1) There is one list, or one for each edge type of the schema.
    (C2) There is one number of nodes, or one for each node type of the schema.
    (C3) `types` goes with a single list.

    Example:

    ```mlir
    %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) types(%et : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
    ```
  }];
  let arguments = (ins Variadic<RGNN_IndexTensor>:$edges, Optional<RGNN_IndexTensor>:$types, Variadic<Index>:$nodes);
  let results = (outs RGNN_GraphType:$graph);
  let assemblyFormat = [{
    `edges` `(` $edges `:` type($edges) `)` (`types` `(` $types^ `:` type($types) `)`)? `nodes` `(` $nodes `)`
    attr-dict `:` qualified(type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_ConstantGraphOp : RGNN_Op<"constant_graph", [Pure]> {
  let summary = "a graph written down edge by edge, for tests";
  let description = [{
    `nodes` gives the number of nodes of each node type; nodes are numbered type
    by type. Without `types` every edge has type 0.

    (C1) `src`, `dst` and `types` have one entry an edge.
    (C2) Their entries are nodes, and edge types of the schema.

    Example:

    ```mlir
    %g = rgnn.constant_graph src([0, 0, 2]) dst([1, 1, 2]) types([0, 1, 1]) nodes([4]) : !rgnn.graph<@g0>
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$src, DenseI64ArrayAttr:$dst, OptionalAttr<DenseI64ArrayAttr>:$types,
                       DenseI64ArrayAttr:$nodes);
  let results = (outs RGNN_GraphType:$graph);
  let assemblyFormat = [{
    `src` `(` $src `)` `dst` `(` $dst `)` (`types` `(` $types^ `)`)? `nodes` `(` $nodes `)` attr-dict `:` qualified(type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_PlaceOp : RGNN_Op<"place", [Pure]> {
  let summary = "states which domain the rows of a plain tensor enumerate";
  let description = [{
    The first dimension of `tensor` must have as many rows as the domain; this is
    checked when compiled code is called. Rows of edges come in the order of
    the lists that made the graph.

    (C1) The types differ in nothing but the encoding, and `tensor` has none.
    (C2) The encoding is `#rgnn.rows` of the graph's schema.

    Example:

    ```mlir
    %h = rgnn.place %x in %g : tensor<?x64xf32> -> tensor<?x64xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$tensor, RGNN_GraphType:$graph);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$tensor `in` $graph attr-dict `:` type($tensor) `->` type($result) custom<GraphOfRows>(ref(type($result)), type($graph))";
  let hasVerifier = 1;
}

def RGNN_UnplaceOp : RGNN_InferredOp<"unplace"> {
  let summary = "gives the rows as a plain tensor";
  let description = [{
    The inverse of `rgnn.place`.

    Example:

    ```mlir
    %y = rgnn.unplace %h : tensor<?x64xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$rows);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$rows attr-dict `:` type($rows)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

def RGNN_GatherOp : RGNN_InferredOp<"gather"> {
  let summary = "each row of a finer domain reads the row that an arrow leads to";
  let description = [{
    Row `i` of the result, on domain `to`, is row `path(i)` of `rows`: for path
    `src` every edge gets the row of its source node. This is the broadcast of
    message passing (Zhang et al. 2022, sec. 2, "Scatter"). Its transpose and
    gradient is `rgnn.reduce sum` along the same path.

    (C1) `path` leads from `to` to the domain of `rows`.
    (C2) `rows` belongs to the graph's schema.

    Example:

    ```mlir
    %u = rgnn.gather src %h in %g : tensor<?x64xf32, #rgnn.rows<node, @g0>>
    %p = rgnn.gather src %h in %g to src_pair : tensor<?x64xf32, #rgnn.rows<node, @g0>>
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

def RGNN_ReduceOp : RGNN_InferredOp<"reduce"> {
  let summary = "each row of a coarser domain reduces the rows that an arrow leads from";
  let description = [{
    Row `j` of the result is the sum, mean, maximum or minimum of the rows `i`
    of `rows` with `path(i) = j`, and zero where there are none. Repeated edges
    count as often as they occur. Gradient: `rgnn.gather` along the same path,
    scaled by one over the degree for `mean`; for `max` and `min` divided
    equally among ties, as PyTorch does.

    (C1) `path` starts at the domain of `rows`.
    (C2) `rows` belongs to the graph's schema.

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

def RGNN_GroupSoftmaxOp : RGNN_InferredOp<"group_softmax"> {
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

def RGNN_DegreeOp : RGNN_Op<"degree", [Pure]> {
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

def RGNN_LookupOp : RGNN_InferredOp<"lookup"> {
  let summary = "gives every edge the weight row of its type and of an end node";
  let description = [{
    The message of a relational layer without node features, whose weights are
    embeddings (RGCN, Schlichtkrull et al. 2018). Without `comp`, row `e` of the
    result is `table[etype(e), path(e), :]`. With `comp` (basis decomposition) it
    is `sum_b comp[etype(e), b] * table[b, path(e), :]`, so that no tensor of
    types x nodes x width is ever built.

    (C1) `table` is `[R or B, N, O]`, `comp` is `[R, B]`.
    (C2) `path` is `src` or `dst`.
    (C3) `N` is the number of nodes of the graph (checked at run time).

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

def RGNN_ConcatTypesOp : RGNN_Op<"concat_types", [Pure]> {
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

def RGNN_SliceTypeOp : RGNN_Op<"slice_type", [Pure]> {
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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def RGNN_LinearOp : RGNN_InferredOp<"linear"> {
  let summary = "multiplies every row by one weight matrix";
  let description = [{
    `result[i, ..., n] = sum_k x[i, ..., k] * weight[k, n]`, or `weight[n, k]` if
    `transposed`, which is how PyTorch's `Linear` stores it. A tensor without
    rows is multiplied in the same way (products of weights: bases of RGCN).

    (C1) `weight` is a matrix without rows, of `x`'s element type.
    (C2) The last dimension of `x` is `K`.

    Example:

    ```mlir
    %y = rgnn.linear %h, %w : tensor<?x64xf32, #rgnn.rows<node, @g0>>, tensor<64x32xf32>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, RGNN_FloatTensor:$weight, UnitAttr:$transposed);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x `,` $weight (`transposed` $transposed^)? attr-dict `:` type($x) `,` type($weight)";
  let hasVerifier = 1;
}

def RGNN_TypedLinearOp : RGNN_InferredOp<"typed_linear"> {
  let summary = "multiplies every row by the weight matrix of its type";
  let description = [{
    `result[i, b..., n] = sum_k x[i, b..., k] * weight[type(i), b..., k, n]`, with
    `type` the edge type of edge and pair rows (`etype`) or the node type of node
    rows (`ntype`). The dimensions `b` between row and `K` are heads (HGT) or
    blocks (block-diagonal RGCN): each has a matrix of its own. The weight of a
    row is never copied.

    (C1) `path` leads from the domain of `x` to `etype` or `ntype`.
    (C2) `weight` is `[types, b..., K, N]` without rows, with `x`'s `b...` and `K`.
    (C3) `weight` has as many types as the schema, where it says so.

    Example:

    ```mlir
    %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x64xf32, #rgnn.rows<edge, @g0>>, tensor<5x64x32xf32>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, RGNN_FloatTensor:$weight, RGNN_GraphType:$graph, RGNN_PathAttr:$path);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $weight `by` $path `in` $graph attr-dict `:` type($x) `,` type($weight) custom<GraphOfRows>(ref(type($x)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_DotOp : RGNN_InferredOp<"dot", [RowOp, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "inner product over the last dimension";
  let description = [{
    `result[i, b...] = sum_c lhs[i, b..., c] * rhs[i, b..., c]`: one attention
    score a head from two vectors a head.

    (C1) Both types are equal, with rows of at least one dimension.

    Example:

    ```mlir
    %s = rgnn.dot %q, %k : tensor<?x2x32xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$lhs, RGNN_FloatTensor:$rhs);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

//===----------------------------------------------------------------------===//
// Row ops
//===----------------------------------------------------------------------===//

def RGNN_MapOp : RGNN_Op<"map", [Pure, RowOp, IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "element-wise computation, written for scalars";
  let description = [{
    Every element of the result is computed by the region from the elements of
    the operands at its place. Operands on the result's domain are broadcast
    along row dimensions of size 1, and missing leading ones; operands without
    rows are broadcast to every row (a bias).

    (C1) Operands live on the result's domain or have no rows.
    (C2) Their row shapes broadcast to the result's by PyTorch's rules.
    (C3) The region has one scalar argument an operand and yields one scalar, of
    the element types.
    (C4) The region holds scalar ops of arith and math without side effects only.

    Example:

    ```mlir
    %m = rgnn.map %z, %a : (tensor<?x2x32xf32, #rgnn.rows<edge, @g0>>, tensor<?x2x1xf32, #rgnn.rows<edge, @g0>>)
        -> tensor<?x2x32xf32, #rgnn.rows<edge, @g0>> {
    ^bb0(%x: f32, %y: f32):
      %p = arith.mulf %x, %y : f32
      rgnn.yield %p : f32
    }
    ```
  }];
  let arguments = (ins Variadic<RGNN_FloatTensor>:$inputs);
  let results = (outs RGNN_FloatTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "($inputs^)? attr-dict `:` functional-type($inputs, $result) $body";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def RGNN_YieldOp : RGNN_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"MapOp">]> {
  let summary = "gives the element that a map computes";
  let description = [{
    Example: `rgnn.yield %p : f32`
  }];
  let arguments = (ins Variadic<AnyFloat>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def RGNN_ReshapeOp : RGNN_Op<"reshape", [Pure, RowOp]> {
  let summary = "another shape for the elements of each row";
  let description = [{
    Splits features into heads or joins them, in row-major order. A tensor
    without rows is reshaped as a whole.

    (C1) Domain, element type and number of elements (of a row) stay.

    Example:

    ```mlir
    %z = rgnn.reshape %y : tensor<?x64xf32, #rgnn.rows<edge, @g0>> -> tensor<?x2x32xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def RGNN_PermuteOp : RGNN_InferredOp<"permute", [RowOp]> {
  let summary = "another order of dimensions";
  let description = [{
    Dimension `d` of the result is dimension `order[d]` of `x`.

    (C1) `order` is a permutation of the dimensions.
    (C2) If `x` has rows, `order[0] = 0`.

    Example:

    ```mlir
    %t = rgnn.permute %w [1, 0, 2, 3] : tensor<2x5x32x32xf32>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, DenseI64ArrayAttr:$order);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x $order attr-dict `:` type($x)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def RGNN_ConcatOp : RGNN_InferredOp<"concat", [RowOp]> {
  let summary = "joins tensors along a dimension";
  let description = [{
    (C1) `dim` is a dimension, and not that of the rows.
    (C2) The types agree but for the size of `dim`.

    Example:

    ```mlir
    %c = rgnn.concat %a, %b dim 1 : tensor<?x8xf32, #rgnn.rows<edge, @g0>>, tensor<?x4xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins Variadic<RGNN_FloatTensor>:$inputs, I64Attr:$dim);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$inputs `dim` $dim attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

def RGNN_SliceOp : RGNN_InferredOp<"slice", [RowOp]> {
  let summary = "a range of a dimension";
  let description = [{
    Elements `begin` to `begin + size` (not included) of dimension `dim`.

    (C1) `dim` is a dimension, and not that of the rows.
    (C2) The range lies within it.

    Example:

    ```mlir
    %q = rgnn.slice %kqv dim 1 from 64 size 64 : tensor<?x192xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, I64Attr:$dim, I64Attr:$begin, I64Attr:$size);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x `dim` $dim `from` $begin `size` $size attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def RGNN_ReduceFeaturesOp : RGNN_InferredOp<"reduce_features", [RowOp]> {
  let summary = "reduces one dimension of each row";
  let description = [{
    Sum, mean, maximum or minimum over dimension `dim`, which disappears: the
    mean over heads.

    (C1) `dim` is a dimension of the row.

    Example:

    ```mlir
    %m = rgnn.reduce_features mean %h dim 1 : tensor<?x2x32xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, RGNN_ReductionAttr:$kind, I64Attr:$dim);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$kind $x `dim` $dim attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def RGNN_SoftmaxOp : RGNN_InferredOp<"softmax", [RowOp]> {
  let summary = "softmax over the last dimension of each row, or its logarithm";
  let description = [{
    `exp(x - m) / sum exp(x - m)` with `m` the maximum of the last dimension; with
    `log`, `x - m - log(sum exp(x - m))`.

    (C1) Rows have at least one dimension.

    Example:

    ```mlir
    %y = rgnn.softmax log %h : tensor<?x4xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, UnitAttr:$log);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "(`log` $log^)? $x attr-dict `:` type($x)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

def RGNN_TorchOp : RGNN_Op<"torch"> {
  let summary = "a PyTorch operator as captured";
  let description = [{
    `name` is PyTorch's name of the overload, with a dot after the namespace.
    `args` lists the arguments in the order of the operator's schema, defaults
    included: `#rgnn.operand<i>` stands for operand `i`, `unit` for None; numbers,
    strings and lists stand for themselves. Symbolic sizes are values of type
    `i64`. `rgnn-lift-torch` turns these ops into the rest of the dialect; what
    it does not know is left, and runs in PyTorch.

    (C1) Every `#rgnn.operand` of `args` is an operand.

    Example:

    ```mlir
    %0 = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$inputs, ArrayAttr:$args);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$name `(` $inputs `)` $args attr-dict `:` functional-type($inputs, $results)";
  let hasVerifier = 1;
}

include "RGNN/Dialect/RGNN/IR/RGNNLoopOps.td"

#endif // RGNN_DIALECT_RGNN_IR_RGNNOPS
