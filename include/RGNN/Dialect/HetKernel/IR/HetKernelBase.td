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

// An enum that RGNN/Support/GraphViews.def lists, declared by GraphViews.h.
class HetKernel_KindParameter<string enum> : AttrParameter<"::mlir::hetkernel::" # enum, ""> {
  let parser = "::mlir::hetkernel::parse" # enum # "($_parser)";
  let printer = "$_printer << ::mlir::hetkernel::stringify" # enum # "($_self)";
}
class HetKernel_KindAttr<string enum, string word> : AttrDef<HetKernel_Dialect, enum> {
  let mnemonic = word;
  let description = "One of those that `build/docs/GraphViews.md` lists.";
  let parameters = (ins HetKernel_KindParameter<enum>:$value);
  let assemblyFormat = "$value";
  let returnType = "::mlir::hetkernel::" # enum;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::mlir::hetkernel::" # enum # "Attr::get($_builder.getContext(), $0)";
}
def HetKernel_ViewKindAttr : HetKernel_KindAttr<"ViewKind", "view_kind"> {
  let summary = "an integer array derived from a graph";
}
def HetKernel_SizeKindAttr : HetKernel_KindAttr<"SizeKind", "size_kind"> {
  let summary = "a number of rows of a graph";
}

def HetKernel_RowScale : I32EnumAttr<"RowScale", "where a GEMM applies the scale of a row", [
    I32EnumAttrCase<"Store", 0, "store">, I32EnumAttrCase<"Load", 1, "load">]> {
  let cppNamespace = "::mlir::hetkernel";
  let genSpecializedAttr = 0;
}

def HetKernel_Mapping : I32EnumAttr<"Mapping", "how the rows of a traversal are shared out", [
    I32EnumAttrCase<"Vertex", 0, "vertex">, I32EnumAttrCase<"Edge", 1, "edge">]> {
  let cppNamespace = "::mlir::hetkernel";
  let genSpecializedAttr = 0;
}

class HetKernel_FlagParameter<string default, string desc> : DefaultValuedParameter<"bool", default, desc> {
  let parser = "::mlir::hetkernel::parseFlag($_parser)";
  let printer = "$_printer << ($_self ? \"true\" : \"false\")";
}

def HetKernel_GemmScheduleAttr : AttrDef<HetKernel_Dialect, "GemmSchedule"> {
  let mnemonic = "gemm_schedule";
  let summary = "how a GEMM maps to the machine";
  let description = [{
    `tile_rows` rows are one tile of the view that maps tiles to types, and
    `coarsening` tiles (1, 2 or 4) one task of a thread, or of a block of a GPU.
    Within a tile, register blocks of `block_rows` rows by `block_vectors`
    vectors of `vector_width` elements accumulate the product. A per-row scale
    multiplies the sums as they are stored, or with `scale = load` the row as it
    is loaded. `threads` is the size of a block of a GPU; 0 leaves it to the
    target.

    A `hetkernel.outer_sum` has tiles of the rows that it sums up, and register
    blocks of rows of the matrix that it makes. Without a view of tiles, those of
    a GPU have more rows where there would be too many.
  }];
  let parameters = (ins "int64_t":$tile_rows, "int64_t":$block_rows, "int64_t":$block_vectors, "int64_t":$vector_width,
                        DefaultValuedParameter<"int64_t", "1">:$coarsening,
                        DefaultValuedParameter<"::mlir::hetkernel::RowScale", "RowScale::Store">:$scale,
                        DefaultValuedParameter<"int64_t", "0">:$threads);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HetKernel_TraverseScheduleAttr : AttrDef<HetKernel_Dialect, "TraverseSchedule"> {
  let mnemonic = "traverse_schedule";
  let summary = "how a traversal maps to the machine";
  let description = [{
    With `mapping = vertex`, or without inner rows, a task of a thread is
    `task_rows` outer rows. With `mapping = edge` it is as many outer rows as
    have, with their inner rows, about `task_rows` rows, so that a few nodes
    with many edges do not make one task long. No outer row is split.

    An inner loop computes `coarsening` rows (1, 2 or 4) in one step, on GPUs
    fewer of large ones, and up to twice as many where a block has the row. With
    `hoisting` what does not depend on an inner row is computed and loaded
    before the loop, and what does not depend on an outer row before the task's
    loop. With `partial_aggregation` an accumulator stays in registers until its
    outer row ends; without it, it is loaded and stored for each inner row. Rows
    that a list picks are asked for `prefetch` inner rows before they are read,
    if it is not 0. `threads` is the size of a block of a GPU; 0 leaves it to
    the target. There, with `block_above` not 0, a whole block computes each
    outer row that has more inner rows than that, so that a hub takes no longer
    than others; a warp or a thread has each of the rest.
  }];
  let parameters = (ins "int64_t":$task_rows,
                        DefaultValuedParameter<"::mlir::hetkernel::Mapping", "Mapping::Vertex">:$mapping,
                        DefaultValuedParameter<"int64_t", "1">:$coarsening,
                        HetKernel_FlagParameter<"true", "">:$hoisting,
                        HetKernel_FlagParameter<"true", "">:$partial_aggregation,
                        DefaultValuedParameter<"int64_t", "0">:$prefetch,
                        DefaultValuedParameter<"int64_t", "0">:$threads,
                        DefaultValuedParameter<"int64_t", "0">:$block_above);
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
