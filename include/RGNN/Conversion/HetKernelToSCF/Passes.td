//===- Passes.td - from kernels to loops and vectors -----------*- tablegen -*-===//

#ifndef RGNN_CONVERSION_HETKERNELTOSCF_PASSES
#define RGNN_CONVERSION_HETKERNELTOSCF_PASSES

include "mlir/Pass/PassBase.td"

def ConvertHetKernelToSCFPass : Pass<"convert-hetkernel-to-scf", "::mlir::func::FuncOp"> {
  let summary = "turns kernels on buffers into parallel loops over tasks and vector code in them";
  let description = [{
    A kernel becomes a `scf.forall` whose iterations are its tasks, as the
    kernel's schedule says; different tasks write different rows. Where the sizes
    say that a kernel computes less than `serial-below` elements of vectors, it is
    one task: to wake a thread would take longer.

    A GEMM task is a tile of rows of one type. Its blocks of rows x vectors stay
    in registers while the loop over the inner dimension runs; one vector of the
    weight serves all rows of a block, and a panel of the weight as wide as a
    block serves all rows of the tile. The last block of a tile repeats its last
    row instead of running a slower loop, and stores what exists. The last vector
    of a row is masked. A transposed weight is copied once, before the tasks,
    since a column of it is no vector. Products of 16-bit floats sum up in f32.

    An outer sum is two loops. A task of the first is a tile of rows, which it
    sums up in a matrix of its own, in register blocks of rows x vectors of that
    matrix; rows are taken 128 at a time, so that they stay in the cache over all
    blocks. The second loop adds up the matrices of each type in the order of the
    tiles, a row of the matrix a task: no atomics, and the same sums for any
    number of threads.

    Before:  hetkernel.outer_sum x(%x ...) y(%y ...) tiles(%t ...) outs(%o ...)
               schedule #hetkernel.cpu_gemm<tile_rows = 1024, block_rows = 6, block_vectors = 2, vector_width = 8>
    After:   %partial = memref.alloc(%tiles) : memref<?x64x64xf32>
             scf.forall (%task) in (...) {
               scf.for %tile = ... {
                 ... vector.store zeros
                 scf.for %piece = %begin to %end step 128 {
                   scf.for %column = ... step 16 {
                     scf.for %k = ... step 6 {
                       %acc:12 = scf.for %row = ... iter_args(12 x vector.load %partial[%tile, ...]) {
                         2 x vector.load, 6 x (broadcast, 2 x vector.fma) }
                       12 x vector.store %partial[%tile, ...] } } } } }
             scf.forall (%k) in (...) {
               ... vector.store zeros for each type
               scf.for %column = ... step 16 {
                 scf.for %tile = ... iter_args(2 x sum, type before) {
                   2 x arith.addf, 2 x vector.store %o[%type, %k, ...] } } }

    A traversal task is a range of outer rows. The region's own ops stay as they
    are; rows become loads of whole vectors, `for_each` a loop with accumulators.
    What a loop keeps for a later one goes directly to the output where the
    kernel yields it, else to a buffer that is allocated before the tasks, of
    which a task uses the same few lines for each of its rows. Rows that do not
    depend on a loop are loaded before it.

    A rank task is a range of segments. For each column of a segment, a merge sort
    of its numbers, sums of what is before each, and a binary search for each `x`
    that is not `y`.

    Before:  hetkernel.gemm x(%x gather %g ...) weight(%w ...) tiles(%t ...) outs(%o ...)
               schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 6, block_vectors = 2, vector_width = 8>
    After:   %step = arith.select %serial, %tiles, %c1
             scf.forall (%task) in (%tiles ceildiv %step) {
               scf.for %tile = ... the %step tiles of %task {
                 %type, %begin, %end = ... memref.load %t[%tile, ...]
                 scf.for %column = ... step 16 {
                   scf.for %row = %begin to %end step 6 {
                     %acc:12 = scf.for %k = ... iter_args(...) { 2 x vector.load, 6 x (broadcast, 2 x vector.fma) }
                     6 x scf.if { 2 x vector.store } } } } }

    Refused, with an error: kernels on tensors, without a schedule, with a number
    of columns that is not known, or with rows that are not contiguous.

    Counts: `num-gemms` GEMM kernels, `num-outer-sums` outer sums, `num-concats`
    concatenations, `num-ranks` ranks and `num-traversals` traversals lowered,
    `num-temporaries` buffers allocated for kept segments, packed weights,
    partial sums and the order of ranks.
  }];
  let options = [Option<"serialBelow", "serial-below", "int64_t", /*default=*/"32768",
                        "elements of vectors that a kernel computes, below which it is one task">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // RGNN_CONVERSION_HETKERNELTOSCF_PASSES
