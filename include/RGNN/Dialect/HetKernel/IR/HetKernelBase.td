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
      with gather and scatter lists fused in and one launch for all types;
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
  let dependentDialects = ["::mlir::rgnn::RGNNDialect"];
}

def HetKernel_ViewKind : I32EnumAttr<"ViewKind", "an integer array derived from a graph", [
    I32EnumAttrCase<"DstOffsets", 0, "dst_offsets">, I32EnumAttrCase<"SrcOfEdge", 1, "src_of_edge">,
    I32EnumAttrCase<"DstOfEdge", 2, "dst_of_edge">, I32EnumAttrCase<"ETypeOfEdge", 3, "etype_of_edge">,
    I32EnumAttrCase<"EdgeId", 4, "edge_id">, I32EnumAttrCase<"DstPairOfEdge", 5, "dst_pair_of_edge">,
    I32EnumAttrCase<"DstPairOffsets", 6, "dst_pair_offsets">, I32EnumAttrCase<"ETypeEdges", 7, "etype_edges">,
    I32EnumAttrCase<"ETypeSrc", 8, "etype_src">, I32EnumAttrCase<"ETypeDst", 9, "etype_dst">,
    I32EnumAttrCase<"ETypeEdgeId", 10, "etype_edge_id">, I32EnumAttrCase<"ETypeTiles", 11, "etype_tiles">,
    I32EnumAttrCase<"NTypeTiles", 12, "ntype_tiles">]> {
  let cppNamespace = "::mlir::hetkernel";
  let genSpecializedAttr = 0;
}
def HetKernel_ViewKindAttr : EnumAttr<HetKernel_Dialect, HetKernel_ViewKind, "view_kind">;

def HetKernel_SizeKind : I32EnumAttr<"SizeKind", "a number of rows of a graph", [
    I32EnumAttrCase<"Node", 0, "node">, I32EnumAttrCase<"Edge", 1, "edge">,
    I32EnumAttrCase<"DstPair", 2, "dst_pair">, I32EnumAttrCase<"NodeType", 3, "node_type">]> {
  let cppNamespace = "::mlir::hetkernel";
  let genSpecializedAttr = 0;
}
def HetKernel_SizeKindAttr : EnumAttr<HetKernel_Dialect, HetKernel_SizeKind, "size_kind">;

def HetKernel_GemmScheduleAttr : AttrDef<HetKernel_Dialect, "GemmSchedule"> {
  let mnemonic = "gemm_schedule";
  let summary = "how a GEMM maps to the machine";
  let description = [{
    `tile_rows` rows are one task of a thread, and one tile of the view that maps
    tiles to types. Within it, register blocks of `block_rows` rows by
    `block_vectors` vectors of `vector_width` elements accumulate the product.
  }];
  let parameters = (ins "int64_t":$tile_rows, "int64_t":$block_rows, "int64_t":$block_vectors, "int64_t":$vector_width);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HetKernel_TraverseScheduleAttr : AttrDef<HetKernel_Dialect, "TraverseSchedule"> {
  let mnemonic = "traverse_schedule";
  let summary = "how a traversal maps to the machine";
  let description = [{
    `task_rows` outer rows are one task of a thread.
  }];
  let parameters = (ins "int64_t":$task_rows);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

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
