//===- RGNNLoopOps.td - models written per node and per edge -*- tablegen -*-===//
//
// The loop form of the dialect. It has the constructs of Hector's inter-operator
// IR (ASPLOS 2024, sec. 3.2, Table 2):
//
//   g.edges(), g.nodes(), ...       rgnn.for_each %e in edges
//   n.incoming_edges(), ...         rgnn.for_each %e in incoming_edges of %n
//   e["att"], n["sum"]              rgnn.read, rgnn.write, rgnn.accumulate
//   e.src, e.dst                    rgnn.source, rgnn.destination
//   W[e.etype], V[n.ntype]          rgnn.weight
//   linear(), dot_prod(), ...       the ops on rows, on tensors of one row
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNLOOPOPS
#define RGNN_DIALECT_RGNN_IR_RGNNLOOPOPS

include "RGNN/Dialect/RGNN/IR/RGNNOpBase.td"

def RGNN_RowTensor : StaticShapeTensorOf<[AnyFloat]>;
def RGNN_Element : AnyTypeOf<[RGNN_NodeType, RGNN_EdgeType], "a node or an edge">;

def RGNN_ProgramOp : RGNN_Op<"program", [Pure, SingleBlock, NoTerminator]> {
  let summary = "computes named data of a graph by loops over its nodes and edges";
  let description = [{
    The operands become data of the nodes or edges under the names
    `input_names`; the loops of the region run one after another; the results
    are the data named `output_names`. Every other name is a temporary of the
    program. A row of data that no loop has written is zero.

    Inside the loops there is one node or edge at a time, and data are tensors
    of one row. What all rows share, such as weights, is used from outside.
    `rgnn-raise-loops` turns a program into ops on all rows.

    (C1) There is one name an operand and one a result, and each is given once.
    (C2) Operands and results live on `node` or `edge` of the graph's schema.
    (C3) A name stands for data of one domain, row shape and element type.
    (C4) What is read has a value: it is an operand, or an op before the read
    writes or accumulates it. The same holds for results.
    (C5) A mean, maximum, minimum or product is accumulated into data without a value; a
    sum may add to what is there.
    (C6) The region holds loops; a loop holds loops, ops of the loop form, and
    pure ops without regions of their own but `rgnn.map`, on tensors that are
    not rows of a domain.

    Example:

    ```mlir
    %y = rgnn.program in %g takes ["x"](%x) gives ["y"]
        : (!rgnn.graph<@g0>, tensor<?x8xf32, #rgnn.rows<node, @g0>>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>> {
      rgnn.for_each %e in edges {
        %u = rgnn.source %e
        %h = rgnn.read "x" of %u : tensor<8xf32> of !rgnn.node
        %w = rgnn.weight %weights of %e : tensor<3x8x4xf32> of !rgnn.edge
        %m = rgnn.linear %h, %w : tensor<8xf32>, tensor<8x4xf32>
        %v = rgnn.destination %e
        rgnn.accumulate sum "y" of %v, %m : tensor<4xf32> of !rgnn.node
      }
    }
    ```
  }];
  let arguments = (ins RGNN_GraphType:$graph, Variadic<RGNN_FloatTensor>:$inputs, StrArrayAttr:$input_names,
                       StrArrayAttr:$output_names);
  let results = (outs Variadic<RGNN_FloatTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `in` $graph `takes` $input_names `(` $inputs `)` `gives` $output_names attr-dict
    `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def RGNN_LoopOp : RGNN_Op<"for_each", [ParentOneOf<["ProgramOp", "LoopOp"]>, SingleBlock, NoTerminator,
                                           RecursiveMemoryEffects]> {
  let summary = "runs its region for each node or edge";
  let description = [{
    Iterations run in no particular order. `nodes`, `src_nodes`, `dst_nodes` and
    `edges` are those of the graph; in a graph that is not bipartite every node
    counts as source and as destination. `incoming_edges` and `outgoing_edges`
    are those of one node, so that both nests below visit each edge once, as
    `edges` does (Hector, sec. 3.2.4):

    ```
    edges  ==  dst_nodes x incoming_edges  ==  src_nodes x outgoing_edges
    ```

    (C1) Edges of a node need the node, and other iterators have none.
    (C2) Edges of a node are visited in a loop, and everything else outside one.
    (C3) The region has one argument: the edge, or the node.

    Example:

    ```mlir
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %a = rgnn.read "att" of %e : tensor<f32> of !rgnn.edge
        rgnn.accumulate sum "att_sum" of %n, %a : tensor<f32> of !rgnn.node
      }
    }
    ```
  }];
  let arguments = (ins RGNN_IteratorAttr:$iterator, Optional<RGNN_NodeType>:$node);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Loop>($iterator, $node, $body) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The node or edge of an iteration.
    BlockArgument getElement() { return getBody().getArgument(0); }
  }];
}

class RGNN_EndOp<string mnemonic> : RGNN_Op<mnemonic, [Pure]> {
  let arguments = (ins RGNN_EdgeType:$edge);
  let results = (outs RGNN_NodeType:$node);
  let assemblyFormat = "$edge attr-dict";
}

def RGNN_SourceOp : RGNN_EndOp<"source"> {
  let summary = "the node that an edge leaves";
  let description = [{
    Example: `%u = rgnn.source %e`
  }];
}

def RGNN_DestinationOp : RGNN_EndOp<"destination"> {
  let summary = "the node that an edge enters";
  let description = [{
    Example: `%v = rgnn.destination %e`
  }];
}

def RGNN_ReadOp : RGNN_Op<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "the row of named data that a node or edge has now";
  let description = [{
    Example: `%h = rgnn.read "h" of %n : tensor<64xf32> of !rgnn.node`
  }];
  let arguments = (ins StrAttr:$name, RGNN_Element:$element);
  let results = (outs RGNN_RowTensor:$row);
  let assemblyFormat = "$name `of` $element attr-dict `:` type($row) `of` type($element)";
}

def RGNN_WriteOp : RGNN_Op<"write", [MemoryEffects<[MemWrite]>]> {
  let summary = "gives a node or edge a row of named data";
  let description = [{
    Example: `rgnn.write "att" of %e, %a : tensor<f32> of !rgnn.edge`
  }];
  let arguments = (ins StrAttr:$name, RGNN_Element:$element, RGNN_RowTensor:$row);
  let assemblyFormat = "$name `of` $element `,` $row attr-dict `:` type($row) `of` type($element)";
}

def RGNN_AccumulateOp : RGNN_Op<"accumulate", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "combines a row with the named data of a node or edge";
  let description = [{
    After all iterations the data is the sum, mean, maximum, minimum or product of the
    rows that were accumulated, and zero where there are none; a sum adds to the
    value that was there before.

    Example: `rgnn.accumulate sum "h_out" of %n, %m : tensor<64xf32> of !rgnn.node`
  }];
  let arguments = (ins RGNN_ReductionAttr:$kind, StrAttr:$name, RGNN_Element:$element, RGNN_RowTensor:$row);
  let assemblyFormat = "$kind $name `of` $element `,` $row attr-dict `:` type($row) `of` type($element)";
}

def RGNN_WeightOp : RGNN_Op<"weight", [Pure, InferTypeOpAdaptor]> {
  let summary = "the weight of the type that a node or edge has";
  let description = [{
    Entry `etype(e)` of `table` for an edge `e`, and `ntype(n)` for a node `n`.

    (C1) `table` is static, has no rows, and its first dimension enumerates types.
    (C2) It has as many types as the schema, where that says so.

    Example: `%w = rgnn.weight %weights of %e : tensor<3x64x32xf32> of !rgnn.edge`
  }];
  let arguments = (ins RGNN_FloatTensor:$table, RGNN_Element:$element);
  let results = (outs RGNN_RowTensor:$weight);
  let assemblyFormat = "$table `of` $element attr-dict `:` type($table) `of` type($element)";
  let hasVerifier = 1;
}

#endif // RGNN_DIALECT_RGNN_IR_RGNNLOOPOPS
