//===- HetKernelBase.td - the hetkernel dialect, its enums, types, attrs --===//

#ifndef RGNN_DIALECT_HETKERNEL_IR_HETKERNELBASE
#define RGNN_DIALECT_HETKERNEL_IR_HETKERNELBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def HetKernel_Dialect : Dialect {
  let name = "hetkernel";
  let cppNamespace = "::mlir::hetkernel";
  let summary = "kernels of a relational graph neural network, with access schemes and schedules";
  let description = [{
    Two templates do all the work of a model (Hector, ASPLOS 2024, sec. 3.3):

    * `hetkernel.gemm` multiplies rows by weight matrices, `Y[S] = X[G] x W[type]`,
      with gather and scatter lists fused in and one launch for all types; its
      twin `hetkernel.outer_sum` makes the gradients of weights;
    * `hetkernel.traverse` is a loop nest over rows and, within each, over a
      segment of others (a node and its incoming edges), whose region computes on
      one row at a time.

    Adjacency is explicit: `hetkernel.view` names an integer array derived from a
    graph, kernels look entries up in it, and the pass
    `hetkernel-collect-preprocessing` turns the views that a function uses into
    its request to the runtime, which builds each once per graph.

    Inside the library, edges are held in the order of (destination, edge type,
    original number); the *position* of an edge is its place in that order. Edge
    tensors made by kernels have one row a position.

    Kernels work on tensors in destination-passing style, and on buffers after
    bufferisation. A schedule attribute says how a kernel maps to the machine;
    passes obey it.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::rgnn::RGNNDialect", "::mlir::tensor::TensorDialect"];
}

def HetKernel_ViewKind : I32EnumAttr<"ViewKind", "an integer array derived from a graph", [
    I32EnumAttrCase<"DstOffsets", 0, "dst_offsets">, I32EnumAttrCase<"SrcOfEdge", 1, "src_of_edge">,
    I32EnumAttrCase<"DstOfEdge", 2, "dst_of_edge">, I32EnumAttrCase<"ETypeOfEdge", 3, "etype_of_edge">,
    I32EnumAttrCase<"EdgeId", 4, "edge_id">, I32EnumAttrCase<"DstPairOfEdge", 5, "dst_pair_of_edge">,
    I32EnumAttrCase<"DstPairOffsets", 6, "dst_pair_offsets">, I32EnumAttrCase<"ETypeEdges", 7, "etype_edges">,
    I32EnumAttrCase<"ETypeSrc", 8, "etype_src">, I32EnumAttrCase<"ETypeDst", 9, "etype_dst">,
    I32EnumAttrCase<"ETypeEdgeId", 10, "etype_edge_id">, I32EnumAttrCase<"ETypeTiles", 11, "etype_tiles">,
    I32EnumAttrCase<"NTypeTiles", 12, "ntype_tiles">, I32EnumAttrCase<"EdgePosition", 13, "edge_position">,
    I32EnumAttrCase<"DstPairRuns", 14, "dst_pair_runs">, I32EnumAttrCase<"DstPairRank", 15, "dst_pair_rank">,
    I32EnumAttrCase<"DstPairNode", 16, "dst_pair_node">, I32EnumAttrCase<"DstPairEType", 17, "dst_pair_etype">,
    I32EnumAttrCase<"DstPairDstOffsets", 18, "dst_pair_dst_offsets">,
    I32EnumAttrCase<"DstPairETypeOffsets", 19, "dst_pair_etype_offsets">,
    I32EnumAttrCase<"DstPairTiles", 20, "dst_pair_tiles">,
    I32EnumAttrCase<"ETypeOffsets", 21, "etype_offsets">, I32EnumAttrCase<"NTypeOfNode", 22, "ntype_of_node">,
    I32EnumAttrCase<"NTypeOffsets", 23, "ntype_offsets">, I32EnumAttrCase<"SrcOffsets", 24, "src_offsets">,
    I32EnumAttrCase<"SrcEdges", 25, "src_edges">, I32EnumAttrCase<"SrcPairOfEdge", 26, "src_pair_of_edge">,
    I32EnumAttrCase<"SrcPairNode", 27, "src_pair_node">, I32EnumAttrCase<"SrcPairEType", 28, "src_pair_etype">,
    I32EnumAttrCase<"SrcPairOffsets", 29, "src_pair_offsets">, I32EnumAttrCase<"SrcPairEdges", 30, "src_pair_edges">,
    I32EnumAttrCase<"SrcPairSrcOffsets", 31, "src_pair_src_offsets">,
    I32EnumAttrCase<"SrcPairSrcPairs", 32, "src_pair_src_pairs">,
    I32EnumAttrCase<"SrcPairETypeOffsets", 33, "src_pair_etype_offsets">,
    I32EnumAttrCase<"SrcPairTiles", 34, "src_pair_tiles">,
    I32EnumAttrCase<"SrcTableOffsets", 35, "src_table_offsets">,
    I32EnumAttrCase<"DstTableOffsets", 36, "dst_table_offsets">,
    I32EnumAttrCase<"WholeEdge", 37, "whole_edge">, I32EnumAttrCase<"WholeOffsets", 38, "whole_offsets">]> {
  let cppNamespace = "::mlir::hetkernel";
  let genSpecializedAttr = 0;
}
def HetKernel_ViewKindAttr : EnumAttr<HetKernel_Dialect, HetKernel_ViewKind, "view_kind">;

def HetKernel_SizeKind : I32EnumAttr<"SizeKind", "a number of rows of a graph", [
    I32EnumAttrCase<"Node", 0, "node">, I32EnumAttrCase<"Edge", 1, "edge">,
    I32EnumAttrCase<"DstPair", 2, "dst_pair">, I32EnumAttrCase<"NodeType", 3, "node_type">,
    I32EnumAttrCase<"SrcPair", 4, "src_pair">, I32EnumAttrCase<"EdgeTypeCount", 5, "edge_type">,
    I32EnumAttrCase<"NodeTypeCount", 6, "node_type_count">]> {
  let cppNamespace = "::mlir::hetkernel";
  let genSpecializedAttr = 0;
}
def HetKernel_SizeKindAttr : EnumAttr<HetKernel_Dialect, HetKernel_SizeKind, "size_kind">;

def HetKernel_SegmentType : TypeDef<HetKernel_Dialect, "Segment"> {
  let mnemonic = "segment";
  let summary = "one value for each inner row of the current outer row";
  let description = [{
    What an inner loop keeps for a later one: `!hetkernel.segment<vector<4xf32>>`
    holds four numbers for each edge of the node at hand.
  }];
  let parameters = (ins "Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

#endif // RGNN_DIALECT_HETKERNEL_IR_HETKERNELBASE
