//===- Passes.td - passes over the hetkernel dialect ------*- tablegen -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_TRANSFORMS_PASSES
#define RGNN_DIALECT_HETKERNEL_TRANSFORMS_PASSES

include "RGNN/Analysis/GraphSizeOptions.td"
include "mlir/Pass/PassBase.td"

def HetKernelChooseSchedulePass : Pass<"hetkernel-choose-schedule", "::mlir::func::FuncOp"> {
  let summary = "gives every kernel without a schedule one that suits the machine";
  let description = [{
    A GEMM gets the block of vectors that fills the registers: 6 rows x 2
    vectors of the 16 registers of AVX2, 12 x 2 of the 32 of AVX-512, and more
    rows by one vector where the output is narrow. An outer sum gets the same
    blocks of the matrices that it makes. Tiles are those of the view where a
    kernel has one. A schedule that is there stays (IREE's discipline: a
    chooser proposes, an attribute carries, passes obey).

    Before:  hetkernel.gemm x(...) weight(%w : tensor<5x64x64xf32>) ...
    After:   hetkernel.gemm ... schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 6, block_vectors = 2, vector_width = 8>

    Counts: `num-chosen` schedules chosen.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "256", "bits of a vector register: 128, 256 or 512">,
    Option<"gpuThreads", "gpu-threads", "int64_t", "0", "threads of a block of a GPU; 0 for a CPU">];
  let dependentDialects = ["::mlir::hetkernel::HetKernelDialect"];
}

def HetKernelFuseRowScalePass : Pass<"hetkernel-fuse-row-scale", "::mlir::func::FuncOp"> {
  let summary = "multiplies rows by a factor each within the GEMM that makes them";
  let description = [{
    A traversal that does nothing else with the rows of a GEMM than to multiply
    each by a number of its own leaves that to the GEMM (Hector, ASPLOS 2024,
    sec. 3.3: per-row scalars), and goes if nothing is left of it.

    Refused, with a missed remark: rows that are also used without the scale, a
    GEMM that scatters, accumulates or has a scale, a scale computed later.

    Before:  %y = hetkernel.gemm x(%x ...) weight(%w ...) ...
             %z = hetkernel.traverse rows(%n) ... { row %y[%i] * broadcast(row %s[%i]) }
    After:   %z = hetkernel.gemm x(%x ...) weight(%w ...) scale(%s ...) ...

    Counts: `num-fused` scales fused.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def HetKernelFuseRowSumPass : Pass<"hetkernel-fuse-row-sum", "::mlir::func::FuncOp"> {
  let summary = "adds products up within the GEMMs that make them";
  let description = [{
    Where a traversal adds the rows of two GEMMs, and nothing else reads them,
    the later GEMM adds its product to what the earlier one wrote: the sum of a
    root and of neighbours (SAGE), of hops (TAGCN) or of polynomials (Chebyshev)
    is written once for each product and never read apart. The traversal goes if
    nothing is left of it.

    Refused, with a missed remark: rows that are also used apart from the sum,
    other rows of one product than of the other, and a later GEMM that
    accumulates already.

    Before:  %y = hetkernel.gemm x(%x ...) weight(%w ...) outs(%o) ...
             %z = hetkernel.gemm x(%u ...) weight(%v ...) outs(%p) ...
             %s = hetkernel.traverse rows(%n) ... { row %y[%i] + row %z[%i] }
    After:   %y = hetkernel.gemm x(%x ...) weight(%w ...) outs(%o) ...
             %s = hetkernel.gemm x(%u ...) weight(%v ...) outs(%y) accumulate ...

    Counts: `num-fused` sums of two products.
  }];
}

def HetKernelFoldTransposesPass : Pass<"hetkernel-fold-transposes", "::mlir::func::FuncOp"> {
  let summary = "lets GEMMs read transposed weights as they lie";
  let description = [{
    A GEMM multiplies by the matrix `[N, K]` of a type as well as by `[K, N]`: a
    weight that is transposed for it alone, such as in the gradient of its rows,
    needs no copy. For GPUs, which load a weight into shared memory in either
    order; on CPUs a copy with the numbers of a vector side by side pays.

    Before:  %t = linalg.transpose ins(%w : tensor<5x64x32xf32>) outs(%e) permutation = [0, 2, 1]
             %y = hetkernel.gemm x(%x ...) weight(%t : tensor<5x32x64xf32>) ...
    After:   %y = hetkernel.gemm x(%x ...) weight(%w transposed : tensor<5x64x32xf32>) ...

    Counts: `num-folded` transposes that a GEMM does not need any more.
  }];
}

def HetKernelOrderKernelsPass : Pass<"hetkernel-order-kernels", "::mlir::func::FuncOp"> {
  let summary = "orders kernels so that fewer temporaries are in memory at a time";
  let description = [{
    Of three orders the one with the lowest peak: as written; each op right
    behind what it needs, for one use after the other; always the op that needs
    the least memory more than it frees. A graph is expected to have 8 edges for
    each node, and half as many pairs of an end and a type.

    Before:  %a = hetkernel.traverse ... outs(%o : tensor<?x64xf32>) // read last
             %b = hetkernel.traverse ... outs(%o : tensor<?x64xf32>)
             %c = hetkernel.gemm x(%b : tensor<?x64xf32>) ...
             %d = hetkernel.outer_sum x(%a : tensor<?x64xf32>) ...
    After:   %b = hetkernel.traverse ... outs(%o : tensor<?x64xf32>)
             %c = hetkernel.gemm x(%b : tensor<?x64xf32>) ...
             %a = hetkernel.traverse ... outs(%o : tensor<?x64xf32>)
             %d = hetkernel.outer_sum x(%a : tensor<?x64xf32>) ...

    Counts: `percent-saved` of the expected peak.
  }];
}

def HetKernelPadRowsPass : Pass<"hetkernel-pad-rows", "::mlir::func::FuncOp"> {
  let summary = "starts every row of a temporary at a multiple of a size";
  let description = [{
    A row of 33 numbers takes the place of 40 with `multiple=8`, so that each
    starts where a vector register can be loaded without crossing a cache line.
    The padding is part of the buffer's layout (its strides), and no kernel reads
    or writes it.

    Rows that leave the function, that are reshaped, or that have heads, which
    kernels read as one run of memory, stay as they are.

    Before:  %o = tensor.empty(%n) : tensor<?x33xf32>
    After:   %p = tensor.empty(%n) : tensor<?x40xf32>
             %o = tensor.extract_slice %p[0, 0] [%n, 33] [1, 1] : tensor<?x40xf32> to tensor<?x33xf32>

    Counts: `num-padded` buffers padded.
  }];
  let options = [Option<"multiple", "multiple", "int64_t", "8", "rows start at multiples of this number of elements">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def HetKernelSeparateBuffersPass : Pass<"hetkernel-separate-buffers", "::mlir::func::FuncOp"> {
  let summary = "gives ops that fill a tensor of fixed size, or add to zeros, one of their own";
  let description = [{
    Empty tensors of one type are one for CSE, and buffers that follow from it
    hold one value after another, though nothing else says which is computed
    first. On a GPU such kernels would wait for each other: those of the weights
    of each node type, of which there may be many. Tensors with a size of the
    graph keep sharing memory, since they are large; but zeros to which several
    products add with atomics are written for each of them, instead of copied.

    Before:  %o = tensor.empty() : tensor<1xf32>
             %a = linalg.generic ... outs(%o : tensor<1xf32>)
             %b = linalg.generic ... outs(%o : tensor<1xf32>)
    After:   %p = tensor.empty() : tensor<1xf32>
             %o = tensor.empty() : tensor<1xf32>
             %a = linalg.generic ... outs(%p : tensor<1xf32>)
             %b = linalg.generic ... outs(%o : tensor<1xf32>)

    Counts: `num-separated` tensors made.
  }];
}

def HetKernelSetSchedulePass : Pass<"hetkernel-set-schedule", "::mlir::func::FuncOp"> {
  let summary = "sets the schedule of kernels by hand";
  let description = [{
    Changes fields of schedules by name, for experiments and tuning; fields that
    are not named stay as they are, or as chosen where a kernel has no schedule.
    Fields are those of a processor's schedules (`cpu_gemm`, `cpu_traverse`), or
    with `gpu-threads` those of a GPU's (`gpu_gemm`, `gpu_traverse`).
    Kernels are numbered in the order in which they stand in the function, from
    0.

    `--hetkernel-set-schedule="gemm=block_rows:8,block_vectors:1 kernels=0,3"`
    changes the GEMMs or outer sums 0 and 3, `--hetkernel-set-schedule="traverse=mapping:edge"`
    all traversals.

    Refused, with an error: a field that schedules of the target lack, a value that the schedule cannot
    have (see the attributes), tiles that are not those of the kernel's view, a
    number that is not that of a kernel.

    Before:  hetkernel.gemm ... schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 6, block_vectors = 2, vector_width = 8>
    After:   hetkernel.gemm ... schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 8, block_vectors = 1, vector_width = 8>
  }];
  let options = [
    ListOption<"gemm", "gemm", "std::string", "fields of the schedules of GEMMs and outer sums, as name:value">,
    ListOption<"traverse", "traverse", "std::string", "fields of traversal schedules, as name:value">,
    ListOption<"kernels", "kernels", "int64_t", "numbers of the kernels to set; all without it">,
    Option<"gpuThreads", "gpu-threads", "int64_t", "0", "threads of a block of a GPU; 0 for a CPU">];
  let dependentDialects = ["::mlir::hetkernel::HetKernelDialect"];
}

def HetKernelCollectPreprocessingPass : Pass<"hetkernel-collect-preprocessing", "::mlir::ModuleOp"> {
  let summary = "turns the views that a function uses into its request to the runtime";
  let description = [{
    Views and sizes of graphs become leading arguments of `@forward`, each once,
    and the graphs themselves disappear from it: what is left runs on arrays
    alone. The module attribute `rgnn.manifest` says, as JSON, how to call it:
    inputs, how each graph is made of them, which views of it are needed, sizes,
    and outputs (Hector, ASPLOS 2024, sec. 3.6: preprocessing is generated from
    what the kernels ask for).

    Before:  func.func @forward(%x: tensor<?x64xf32>, %ei: tensor<2x?xi64>) {
               %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) nodes(%n)
               %o = hetkernel.view dst_offsets of %g -> tensor<?xi32>
    After:   func.func @forward(%o: tensor<?xi32> {rgnn.view}, %x: tensor<?x64xf32>)

    A graph that is an argument itself disappears too: the caller hands over one
    of its schema, and the manifest lists it before those made of arguments,
    with an empty `edge_index`. What is returned twice is copied, since results
    have memory of their own.

    Kernels are numbered (`rgnn.kernel`), and the manifest says of each where it
    comes from and what it reads, writes and computes, as sums of sizes: on any
    graph, without a run (docs/ModuleFormat.md).

    Refused, with an error, where a graph is neither an argument nor made of the
    function's own arguments.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::tensor::TensorDialect"];
}

def HetKernelPrintTrafficPass : Pass<"hetkernel-print-traffic", "::mlir::ModuleOp"> {
  let summary = "prints what each kernel reads and writes on a graph of given sizes";
  let description = [{
    The bytes of numbers that pass between memory and kernels, which is what
    fusion saves (Zhang et al., MLSys 2022, sec. 5): a kernel reads a row as
    often as the loop around runs, and rows that it keeps for itself are none.
    What has no index, a weight, is read once. Lists of the graph do not count,
    nor do ops between kernels, which are on weights. Kernels are on tensors,
    before they are given buffers. `rgnn-print-cost` counts the same if each op
    is a kernel.

    The bytes needed are those that must pass even if a cache keeps all that was
    read once: of each tensor that a kernel reads no more than there is, the
    lists, and what it writes. Operations are those of floats: a product with an
    addition is two, a function one, and to compare, to choose or to convert is
    none. Over what a machine does in a second, the larger of both is the time
    that a kernel takes at least.

    Example: `rgnn-opt --hetkernel-print-traffic="nodes=3 edges=10"` prints to
    the standard error stream for a kernel that sums rows of 8 numbers of the
    edges of each node

    ```
    traffic of @f
      kernel              rows  inner rows  bytes read  bytes written  bytes needed  operations
      hetkernel.traverse     3          10         320             96           432          80
      all                    3          10         320             96           432          80
    ```

    Fails, with an error at the kernel, where a size is not given or not that of
    a graph. It changes nothing.
  }];
  let options = GraphSizeOptions;
}

#endif // RGNN_DIALECT_HETKERNEL_TRANSFORMS_PASSES
