//===- HetKernelSchedules.td - how kernels map to machines -*- tablegen -*-===//
//
// Each template has one attribute for processors and one for GPUs, behind an
// interface with what passes ask of both.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_HETKERNEL_IR_HETKERNELSCHEDULES
#define RGNN_DIALECT_HETKERNEL_IR_HETKERNELSCHEDULES

include "RGNN/Dialect/HetKernel/IR/HetKernelBase.td"

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

//===----------------------------------------------------------------------===//
// GEMMs and outer sums
//===----------------------------------------------------------------------===//

def HetKernel_GemmScheduleInterface : AttrInterface<"GemmScheduleInterface"> {
  let cppNamespace = "::mlir::hetkernel";
  let description = [{
    How a GEMM maps to a machine: `tile_rows` rows are one tile of the view that
    maps tiles to types, and `coarsening` tiles (1, 2 or 4) one task. A per-row
    scale multiplies the sums as they are stored, or with `scale = load` the row
    as it is loaded.

    A `hetkernel.outer_sum` has tiles of the rows that it sums up, and register
    blocks of rows of the matrix that it makes. Without a view of tiles, those of
    a GPU have more rows where there would be too many.
  }];
  let methods = [
    InterfaceMethod<"Rows of a tile.", "int64_t", "getTileRows">,
    InterfaceMethod<"Tiles of a task.", "int64_t", "getCoarsening">,
    InterfaceMethod<"Where the scale of a row is applied.", "::mlir::hetkernel::RowScale", "getScale">];
}

class HetKernel_GemmSchedule<string target, dag fields> : AttrDef<HetKernel_Dialect, target # "GemmSchedule",
    [HetKernel_GemmScheduleInterface]> {
  let parameters = fields;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HetKernel_CPUGemmScheduleAttr : HetKernel_GemmSchedule<"CPU", (ins
    "int64_t":$tile_rows, "int64_t":$block_rows, "int64_t":$block_vectors, "int64_t":$vector_width,
    DefaultValuedParameter<"int64_t", "1">:$coarsening,
    DefaultValuedParameter<"::mlir::hetkernel::RowScale", "RowScale::Store">:$scale)> {
  let mnemonic = "cpu_gemm";
  let summary = "how a GEMM maps to a processor";
  let description = [{
    A task is run by a thread. Within a tile, register blocks of `block_rows` rows
    by `block_vectors` vectors of `vector_width` elements accumulate the product.
  }];
}

def HetKernel_GPUGemmScheduleAttr : HetKernel_GemmSchedule<"GPU", (ins
    "int64_t":$tile_rows, "int64_t":$block_rows, "int64_t":$block_columns, "int64_t":$lanes,
    DefaultValuedParameter<"int64_t", "1">:$coarsening,
    DefaultValuedParameter<"::mlir::hetkernel::RowScale", "RowScale::Store">:$scale,
    DefaultValuedParameter<"int64_t", "0">:$threads)> {
  let mnemonic = "gpu_gemm";
  let summary = "how a GEMM maps to a GPU";
  let description = [{
    A task is run by a block of `threads` threads; 0 leaves their number to the
    target. `lanes` of them lie side by side along the columns, the others along
    the rows; each accumulates a register block of `block_rows` rows by
    `block_columns` columns.
  }];
}

//===----------------------------------------------------------------------===//
// Traversals
//===----------------------------------------------------------------------===//

def HetKernel_TraverseScheduleInterface : AttrInterface<"TraverseScheduleInterface"> {
  let cppNamespace = "::mlir::hetkernel";
  let description = [{
    How a traversal maps to a machine. An inner loop computes `coarsening` rows
    (1, 2 or 4) in one step. With `hoisting` what does not depend on an inner row
    is computed and loaded before the loop, and what does not depend on an outer
    row before the task's loop. With `partial_aggregation` an accumulator stays
    in registers until its outer row ends; without it, it is loaded and stored
    for each inner row.
  }];
  let methods = [
    InterfaceMethod<"Inner rows of a step.", "int64_t", "getCoarsening">,
    InterfaceMethod<"Whether what does not depend on a loop moves before it.", "bool", "getHoisting">,
    InterfaceMethod<"Whether accumulators stay in registers.", "bool", "getPartialAggregation">];
}

class HetKernel_TraverseSchedule<string target, dag fields> : AttrDef<HetKernel_Dialect, target # "TraverseSchedule",
    [HetKernel_TraverseScheduleInterface]> {
  let parameters = fields;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HetKernel_CPUTraverseScheduleAttr : HetKernel_TraverseSchedule<"CPU", (ins
    "int64_t":$task_rows,
    DefaultValuedParameter<"::mlir::hetkernel::Mapping", "Mapping::Vertex">:$mapping,
    DefaultValuedParameter<"int64_t", "1">:$coarsening,
    HetKernel_FlagParameter<"true", "">:$hoisting,
    HetKernel_FlagParameter<"true", "">:$partial_aggregation,
    DefaultValuedParameter<"int64_t", "0">:$prefetch)> {
  let mnemonic = "cpu_traverse";
  let summary = "how a traversal maps to a processor";
  let description = [{
    With `mapping = vertex`, or without inner rows, a task of a thread is
    `task_rows` outer rows. With `mapping = edge` it is as many outer rows as
    have, with their inner rows, about `task_rows` rows, so that a few nodes
    with many edges do not make one task long. No outer row is split. Rows that a
    list picks are asked for `prefetch` inner rows before they are read, if it is
    not 0.
  }];
}

def HetKernel_GPUTraverseScheduleAttr : HetKernel_TraverseSchedule<"GPU", (ins
    "int64_t":$coarsening,
    HetKernel_FlagParameter<"true", "">:$hoisting,
    HetKernel_FlagParameter<"true", "">:$partial_aggregation,
    DefaultValuedParameter<"int64_t", "0">:$threads,
    DefaultValuedParameter<"int64_t", "0">:$block_above)> {
  let mnemonic = "gpu_traverse";
  let summary = "how a traversal maps to a GPU";
  let description = [{
    A warp or a thread has an outer row, in blocks of `threads` threads; 0 leaves
    their number to the target. With `block_above` not 0, a whole block computes
    each outer row that has more inner rows than that, so that a hub takes no
    longer than others. Steps have fewer than `coarsening` large rows, and up to
    twice as many where a block has the row.
  }];
}

#endif // RGNN_DIALECT_HETKERNEL_IR_HETKERNELSCHEDULES
