//===- Passes.td - from kernels to launches on a GPU -----------*- tablegen -*-===//

#ifndef RGNN_CONVERSION_HETKERNELTOGPU_PASSES
#define RGNN_CONVERSION_HETKERNELTOGPU_PASSES

include "mlir/Pass/PassBase.td"

def ConvertHetKernelToGPUPass : Pass<"convert-hetkernel-to-gpu", "::mlir::func::FuncOp"> {
  let summary = "turns kernels on buffers into launches of threads";
  let description = [{
    A GEMM is a grid of row tiles x column tiles x heads. In a thread block,
    `vector_width` threads lie side by side along the columns and the others
    along the rows; each keeps a register block of `block_rows` rows by
    `block_vectors` columns while the loop over the inner dimension runs. So a
    vector of the schedule is a run of threads, and its loads are next to each
    other. Behind the last row or column a thread reads the last one again and
    stores nothing. A transposed weight is read as it lies. Products of 16-bit
    floats sum up in f32.

    A traversal is what `convert-hetkernel-to-scf` makes of it, with the region's
    own ops, where one thread runs one task. If every vector in it has the same
    number of elements and every op on them works element by element, a thread
    computes one element of a task instead: neighbours then read neighbouring
    addresses.

    Before:  hetkernel.gemm x(%x ...) weight(%w ...) tiles(%t ...) outs(%o ...)
               schedule <tile_rows = 64, block_rows = 4, block_vectors = 4, vector_width = 16>
    After:   gpu.launch blocks(%tile, %columns, %head) in (...) threads(%lane, %line, %_) in (16, 8, 1) {
               %type, %begin, %end = ... memref.load %t[%tile, ...]
               scf.for %row = %begin + %line to %end step 32 {
                 %sums:16 = scf.for %k = ... iter_args(...) { 4 + 4 x memref.load, 16 x math.fma }
                 4 x scf.if { 4 x memref.store } } }

    A launch without blocks is an error of the driver, so a launch whose size is
    not known stands in an `scf.if`. Temporaries are `memref.alloc`, in whatever
    memory the buffers are; `hetkernel.concat` stays, since it is no kernel but
    copies.

    Refused, with an error: kernels on tensors, without a schedule, with a number
    of columns that is not known, with rows that are not contiguous, or with
    vectors that do not divide a thread block; `hetkernel.outer_sum`.

    Counts: `num-gemms` GEMM kernels lowered, `num-traversals` traversals
    lowered, `num-spread` loops with one thread for each element.
  }];
  let options = [Option<"threads", "threads", "int64_t", "128", "threads of a block">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def SerializeLaunchesPass : Pass<"rgnn-serialize-launches", "::mlir::func::FuncOp"> {
  let summary = "runs the threads of launches one after another";
  let description = [{
    The meaning of a kernel on a machine without a GPU: loops over blocks, and
    over the threads of each. Threads of the kernels here do not wait for each
    other, so one order is as good as any.

    Before:  gpu.launch blocks(%b, ...) in (%n, ...) threads(%t, ...) in (%m, ...) { ... }
    After:   scf.for %b = %c0 to %n step %c1 { ... scf.for %t = %c0 to %m step %c1 { ... } }

    Refused, with an error: a launch with any other op of the gpu dialect, such
    as a barrier, with asynchronous dependencies, or with a body of more than
    one block.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect"];
}

#endif // RGNN_CONVERSION_HETKERNELTOGPU_PASSES
