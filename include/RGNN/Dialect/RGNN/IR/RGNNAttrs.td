//===- RGNNAttrs.td - domains, paths, encodings and the graph type --------===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNATTRS
#define RGNN_DIALECT_RGNN_IR_RGNNATTRS

include "RGNN/Dialect/RGNN/IR/RGNNBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

// How kernels compute an op. One none of whose tensors has rows is computed on whole tensors instead.
def RGNN_KernelForm : I32EnumAttr<"KernelForm", "how kernels compute an op", [
    I32EnumAttrCase<"Boundary", 0, "boundary">, // no kernel: graphs are made, rows enter or leave
    I32EnumAttrCase<"Load", 1, "load">,         // no kernel of its own: what reads the result moves rows itself
    I32EnumAttrCase<"View", 2, "view">,         // at most a copy: rows that exist already, one after another
    I32EnumAttrCase<"Row", 3, "row">,           // a loop over rows: row `i` depends on row `i` of the operands
    I32EnumAttrCase<"Table", 4, "table">,       // a loop over rows: row `i` depends on the type and ends of `i`
    I32EnumAttrCase<"Group", 5, "group">,       // a loop over rows around one over the rows that lead to each
    I32EnumAttrCase<"Product", 6, "product">,   // a GEMM: row `i` times a weight
    I32EnumAttrCase<"Sum", 7, "sum">,           // a sum of rows, or of their products, over many rows
    I32EnumAttrCase<"Rank", 8, "rank">]> {      // a sort of the rows that lead to each
  let cppNamespace = "::mlir::rgnn";
  let genSpecializedAttr = 0;
}

// What a result takes, beside storing and loading it.
def RGNN_Work : I32EnumAttr<"Work", "what the result of an op takes", [
    I32EnumAttrCase<"View", 0, "view">,   // nothing: the same numbers at the same places
    I32EnumAttrCase<"Copy", 1, "copy">,   // nothing but its numbers' way from other places
    I32EnumAttrCase<"Light", 2, "light">, // less than to store and load it: what reads it may compute it again
    I32EnumAttrCase<"Heavy", 3, "heavy">]> { // more than that: a product, or a reduction
  let cppNamespace = "::mlir::rgnn";
  let genSpecializedAttr = 0;
}

def RGNN_Domain : I32EnumAttr<"Domain", "what the rows of a tensor enumerate", [
    I32EnumAttrCase<"Edge", 0, "edge">, I32EnumAttrCase<"SrcPair", 1, "src_pair">,
    I32EnumAttrCase<"DstPair", 2, "dst_pair">, I32EnumAttrCase<"Node", 3, "node">,
    I32EnumAttrCase<"EType", 4, "etype">, I32EnumAttrCase<"NType", 5, "ntype">]> {
  let cppNamespace = "::mlir::rgnn";
  let genSpecializedAttr = 0;
}

def RGNN_Path : I32EnumAttr<"Path", "an arrow of the lattice of domains", [
    I32EnumAttrCase<"Src", 0, "src">, I32EnumAttrCase<"Dst", 1, "dst">,
    I32EnumAttrCase<"SrcPair", 2, "src_pair">, I32EnumAttrCase<"DstPair", 3, "dst_pair">,
    I32EnumAttrCase<"EType", 4, "etype">, I32EnumAttrCase<"NType", 5, "ntype">,
    I32EnumAttrCase<"Whole", 6, "whole">]> {
  let cppNamespace = "::mlir::rgnn";
  let genSpecializedAttr = 0;
}

def RGNN_Reduction : I32EnumAttr<"Reduction", "how several values become one", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Mul", 4, "mul">]> {
  let cppNamespace = "::mlir::rgnn";
  let genSpecializedAttr = 0;
}

def RGNN_Iterator : I32EnumAttr<"Iterator", "what a loop visits", [
    I32EnumAttrCase<"Nodes", 0, "nodes">, I32EnumAttrCase<"SrcNodes", 1, "src_nodes">,
    I32EnumAttrCase<"DstNodes", 2, "dst_nodes">, I32EnumAttrCase<"Edges", 3, "edges">,
    I32EnumAttrCase<"IncomingEdges", 4, "incoming_edges">, I32EnumAttrCase<"OutgoingEdges", 5, "outgoing_edges">]> {
  let cppNamespace = "::mlir::rgnn";
  let genSpecializedAttr = 0;
}

def RGNN_Part : I32EnumAttr<"Part", "which edge types of a graph have edges", [
    I32EnumAttrCase<"Whole", 0, "whole">, I32EnumAttrCase<"Src", 1, "src">, I32EnumAttrCase<"Dst", 2, "dst">]> {
  let cppNamespace = "::mlir::rgnn";
  let genSpecializedAttr = 0;
}

def RGNN_NodeSets : I32EnumAttr<"NodeSets", "which nodes the two ends of edges count", [
    I32EnumAttrCase<"One", 0, "one">, I32EnumAttrCase<"Bipartite", 1, "bipartite">]> {
  let cppNamespace = "::mlir::rgnn";
  let genSpecializedAttr = 0;
}

def RGNN_DomainAttr : EnumAttr<RGNN_Dialect, RGNN_Domain, "domain">;
def RGNN_PathAttr : EnumAttr<RGNN_Dialect, RGNN_Path, "path">;
def RGNN_ReductionAttr : EnumAttr<RGNN_Dialect, RGNN_Reduction, "reduction">;
def RGNN_IteratorAttr : EnumAttr<RGNN_Dialect, RGNN_Iterator, "iterator">;

def RGNN_RowsAttr : AttrDef<RGNN_Dialect, "Rows", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "rows";
  let summary = "tensor encoding: the domain that the first dimension enumerates";
  let description = [{
    `tensor<?x64xf32, #rgnn.rows<edge, @g0>>` holds one row of 64 numbers for
    each edge of the graphs of schema `@g0`. `#rgnn.rows<node, @g0, type = 2>`
    holds rows for the nodes of type 2 alone, whose width may differ from that
    of other types. `#rgnn.rows<edge, @g0 : src>` holds rows for the edges of a
    part of the graph (`rgnn.split_graph`); nodes and types are the whole
    graph's.
  }];
  let parameters = (ins "Domain":$domain, "FlatSymbolRefAttr":$graph, DefaultValuedParameter<"Part", "Part::Whole">:$part,
                        DefaultValuedParameter<"int64_t", "-1">:$type);
  let assemblyFormat = "`<` $domain `,` $graph (`:` $part^)? (`,` `type` `=` $type^)? `>`";
  let builders = [AttrBuilder<(ins "Domain":$domain, "FlatSymbolRefAttr":$graph, CArg<"int64_t", "-1">:$type), [{
    return $_get($_ctxt, domain, graph, Part::Whole, type);
  }]>];
  let extraClassDeclaration = [{
    /// The rows of another domain of the same graph.
    RowsAttr on(Domain domain) const;
  }];
  let genVerifyDecl = 1;
}

def RGNN_OperandAttr : AttrDef<RGNN_Dialect, "Operand"> {
  let mnemonic = "operand";
  let summary = "stands for an operand in the argument list of `rgnn.torch`";
  let parameters = (ins "unsigned":$index);
  let assemblyFormat = "`<` $index `>`";
}

def RGNN_GraphType : TypeDef<RGNN_Dialect, "Graph"> {
  let mnemonic = "graph";
  let summary = "a graph of a schema; its sizes are known at run time only";
  let description = [{
    `!rgnn.graph<@g0>`, or `!rgnn.graph<@g0 : src>` for a part of one
    (`rgnn.split_graph`).

    In `!rgnn.graph<@g0, bipartite>` all edges lead from nodes of type 0 to nodes
    of type 1, and the two ends of an edge are numbers within these types. There
    are no rows of all nodes: those of sources are `#rgnn.rows<node, @g0, type =
    0>`, those of destinations `type = 1`.
  }];
  let parameters = (ins "FlatSymbolRefAttr":$schema, DefaultValuedParameter<"Part", "Part::Whole">:$part,
                        DefaultValuedParameter<"NodeSets", "NodeSets::One">:$nodeSets);
  let assemblyFormat = "`<` $schema (`:` $part^)? (`,` $nodeSets^)? `>`";
  let builders = [TypeBuilder<(ins "FlatSymbolRefAttr":$schema), [{
    return $_get($_ctxt, schema, Part::Whole, NodeSets::One);
  }]>];
  let extraClassDeclaration = [{
    /// The same, but for the part.
    GraphType getPart(Part part) const { return get(getContext(), getSchema(), part, getNodeSets()); }
    bool isBipartite() const { return getNodeSets() == NodeSets::Bipartite; }
    /// What rows on a domain of the graph are; the nodes and types of a part are
    /// the whole graph's. Not of nodes where the graph is bipartite.
    RowsAttr getRows(Domain domain) const;
    /// The rows that `path` leads to from those on a domain of the graph.
    RowsAttr getRows(Path path, Domain from) const;
    /// Whether `rows` are on a domain of the graph.
    bool has(RowsAttr rows) const;
  }];
}

// One node or edge, inside a loop over them.
def RGNN_NodeType : TypeDef<RGNN_Dialect, "Node">, BuildableType<"$_builder.getType<::mlir::rgnn::NodeType>()"> {
  let mnemonic = "node";
  let summary = "a node of the graph that a loop runs over";
}
def RGNN_EdgeType : TypeDef<RGNN_Dialect, "Edge">, BuildableType<"$_builder.getType<::mlir::rgnn::EdgeType>()"> {
  let mnemonic = "edge";
  let summary = "an edge of the graph that a loop runs over";
}

#endif // RGNN_DIALECT_RGNN_IR_RGNNATTRS
