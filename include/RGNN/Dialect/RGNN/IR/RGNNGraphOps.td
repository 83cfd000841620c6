//===- RGNNGraphOps.td - schemas, graphs, rows in and out -------*- tablegen -*-===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNGRAPHOPS
#define RGNN_DIALECT_RGNN_IR_RGNNGRAPHOPS

include "RGNN/Dialect/RGNN/IR/RGNNOpBase.td"

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

def RGNN_COOGraphOp : RGNN_ComputeOp<"coo_graph", "Boundary", "View", [AttrSizedOperandSegments]> {
  let summary = "makes a graph from lists of end nodes";
  let description = [{
    Edge `e` goes from node `edges[0, e]` to node `edges[1, e]` and has type
    `types[e]`, or type 0 without `types`. Given one list an edge type, edge
    type `i` is the `i`-th list, its numbers count within the node types of its
    ends, and the nodes of the graph are numbered type by type. In a bipartite
    graph, `edges[0, e]` counts sources and `edges[1, e]` destinations, of which
    `nodes` has the two numbers. Lists of rank 1 have one end of each edge:
    sources and destinations, or, of a single one, both.

    (C1) There is one list of rank 2, or one for each edge type of the schema; or
    one or two of rank 1.
    (C2) There is one number of nodes, or one for each node type of the schema.
    (C3) `types` does not go with a list for each edge type.
    (C4) A bipartite graph has no lists for each edge type, two numbers of nodes,
    and a schema of two node types that says nothing of the ends of edge types.

    Example:

    ```mlir
    %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) types(%et : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
    %b = rgnn.coo_graph edges(%from, %to : tensor<?xi64>, tensor<?xi64>) nodes(%s, %d) : !rgnn.graph<@g1, bipartite>
    ```
  }];
  let arguments = (ins Variadic<RGNN_IndexTensor>:$edges, Optional<RGNN_IndexTensor>:$types, Variadic<Index>:$nodes);
  let results = (outs RGNN_GraphType:$graph);
  let assemblyFormat = [{
    `edges` `(` $edges `:` type($edges) `)` (`types` `(` $types^ `:` type($types) `)`)? `nodes` `(` $nodes `)`
    attr-dict `:` qualified(type($graph))
  }];
  let ownDeclarations = [{
    /// Whether the lists have one end of each edge.
    bool isOfEnds() { return cast<RankedTensorType>(getEdges()[0].getType()).getRank() == 1; }
    bool hasListPerType() { return getEdges().size() > 1 && !isOfEnds(); }
  }];
  let hasVerifier = 1;
}

def RGNN_ConstantGraphOp : RGNN_ComputeOp<"constant_graph", "Boundary", "View", []> {
  let summary = "a graph written down edge by edge, for tests";
  let description = [{
    `nodes` gives the number of nodes of each node type; nodes are numbered type
    by type. Without `types` every edge has type 0.

    (C1) `src`, `dst` and `types` have one entry an edge.
    (C2) Their entries are nodes, and edge types of the schema.
    (C3) For a bipartite graph, `nodes` has the numbers of sources and of
    destinations, and the schema is one that (C4) of `rgnn.coo_graph` asks for.

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

def RGNN_SplitGraphOp : RGNN_InferredOp<"split_graph", "Boundary", "View"> {
  let summary = "two graphs, by the side on which edge types have fewer nodes";
  let description = [{
    The graphs have the nodes and types of `graph`. Edges are in `src` where their
    type has at most as many different sources as destinations, and in `dst`
    otherwise, so that a product for each edge type and node has the fewest rows
    for each unique source in the one and for each unique destination in the
    other. Which types these are is known at run time. Edges of a part are in the
    order of (destination, type, number in the whole graph).

    (C1) `graph` is a whole graph.

    Example:

    ```mlir
    %s, %d = rgnn.split_graph %g : !rgnn.graph<@g0>
    ```
  }];
  let arguments = (ins RGNN_GraphType:$graph);
  let results = (outs RGNN_GraphType:$src, RGNN_GraphType:$dst);
  let assemblyFormat = "$graph attr-dict `:` qualified(type($graph))";
  let hasVerifier = 1;
}

def RGNN_PlaceOp : RGNN_ComputeOp<"place", "Boundary", "View", [Differentiable]> {
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

def RGNN_UnplaceOp : RGNN_InferredOp<"unplace", "Boundary", "View", [Differentiable]> {
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

#endif // RGNN_DIALECT_RGNN_IR_RGNNGRAPHOPS
