//===- Passes.td - from kernels to launches on a GPU -----------*- tablegen -*-===//

#ifndef RGNN_CONVERSION_HETKERNELTOGPU_PASSES
#define RGNN_CONVERSION_HETKERNELTOGPU_PASSES

include "mlir/Pass/PassBase.td"

def ConvertHetKernelToGPUPass : Pass<"convert-hetkernel-to-gpu", "::mlir::func::FuncOp"> {
  let summary = "turns kernels on buffers into launches of threads";
  let description = [{
    A GEMM is a grid of row tiles x column tiles x heads, in one launch for all
    types. In a thread block, `lanes` threads lie side by side along the
    columns and the others along the rows; each keeps a register block of
    `block_rows` rows by `block_columns` columns. Columns in 16 bytes follow
    each other where a thread can store them at once, in rows that are aligned;
    of other rows, and of a transposed weight, they are `lanes` apart, so
    that threads store columns that follow each other: a GPU writes memory in
    parts of 32 bytes, and whole ones once. The block loads rows and weights
    into shared memory 8 terms of the sum at a time, the next while it computes
    on the last; from sm_80 on they go there past the registers (cp.async). A
    thread copies 16 bytes at once where those of a row are aligned: tensors
    are, and so are parts of them whose place and width are known. What follows
    each other in memory does in shared memory, too, behind padding that lets
    lanes read different banks. A matrix with fewer columns or rows than a block
    has smaller blocks. Behind the last row or column a thread reads the last
    one again and stores nothing; terms behind the last are zeros. A transposed
    weight is read as it lies. Products of 16-bit floats sum up in f32, from
    sm_80 on by tensor cores where warps divide a block into parts of 16 x 8:
    these multiply the first 11 bits of an f32, which is all that such a float
    has. With `tf32` they multiply f32 too, rounded to the nearest of so many
    bits.

    An outer sum is the same grid over blocks of its matrices, where the terms
    are the rows of a tile: each tile's sums go to a temporary. A second launch
    adds those of each type in their order, of which it reads eight at a time:
    results are the same on every run. Without types there are at most 512
    tiles, of more rows than the schedule says if need be. Sums of rows, without
    `x`, add pairs in shared memory, in f64 where the rows are f32, as the CPU
    does.

    A traversal is what `convert-hetkernel-to-scf` makes of it, with the region's
    own ops, where one thread runs one task. If every vector in it has the same
    number of elements and every op on them works element by element, a thread
    computes one element of a task instead: neighbours then read neighbouring
    addresses. Otherwise, if some vector has 16 elements or more and warps fill a
    block, a warp runs a task: lane `j % 32` has element `j` of every vector,
    scalars are computed by all lanes, and what crosses lanes (a dot product, a
    head's score spread over its features) is shuffled.

    With `block_above` in its schedule, a warp has an outer row whatever its
    vectors, or a thread where they are narrow, and computes `coarsening` inner
    rows in one step: it asks for all they read before it waits. Behind the last
    inner row it reads its first of the step again, and drops the result. Outer
    rows with more than `block_above` inner rows are left to the whole block:
    warps share out the inner rows, or threads where the loop's vectors are
    narrow; what they sum up goes to shared memory and is added in the order of
    the warps. That takes loops whose accumulators are sums, maxima or minima of
    floats, of 32 kB for all warps, and bounds that are known before them; other
    traversals are as above. Where there are registers for them, a step of such
    a row asks for the entries of lists that the next one reads with, before it
    waits for its own rows.

    A concatenation is one launch, for as many parts as 32 kB of arguments hold,
    640 of one dimension or any number of one buffer. A block copies from up to
    16 that are laid out alike, of which a thread chooses one without branches,
    for up to 8 numbers, as far apart as there are threads. Copies and ops of
    linalg have a thread for each element. What is left to the host may compute
    sizes, allocate and free, and launch: `rgnn-verify-host` makes sure of it.

    The location of a launch has the names of the kernels that it computes, with
    their numbers in the function.

    Before:  hetkernel.gemm x(%x ...) weight(%w ...) tiles(%t ...) outs(%o ...)
               schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
    After:   gpu.launch blocks(%tile, %columns, %head) in (...) threads(%lane, %line, %_) in (8, 8, 1)
                 workgroup(%a : memref<2x64x12xf32, #gpu.address_space<workgroup>>,
                           %b : memref<2x8x64xf32, ...>) {
               %type, %begin, %end = ... memref.load %t[%tile, ...]
               ... nvgpu.device_async_copy of the first 8 terms
               %sums:64 = scf.for %k = 0 to %K step 8 {
                 nvgpu.device_async_wait, gpu.barrier
                 ... nvgpu.device_async_copy of the next 8 terms
                 scf.for 8 terms by 2 { 8 + 4 x vector.load, 128 x math.fma } }
               8 x scf.if { 2 x vector.store } }

    Where a tile may have more rows than a block, this is in a loop over them.

    A launch without blocks is an error of the driver, so a launch whose size is
    not known stands in an `scf.if`. Temporaries are `memref.alloc`, in whatever
    memory the buffers are.

    Refused, with an error: a chip before sm_75, kernels on tensors, without a
    schedule, with a number of columns that is not known, with rows that are not
    contiguous, or with vectors that do not divide a thread block.

    Counts: `num-gemms` GEMMs, `num-outer-sums` outer sums and `num-traversals`
    traversals lowered, `num-spread` loops with one thread for each element,
    `num-warps` loops with a warp for each iteration, `num-blocks` loops with
    blocks for long rows, `num-launches` launches made, `num-temporaries` buffers
    allocated.
  }];
  let options = [
    Option<"threads", "threads", "int64_t", "128", "threads of a block">,
    Option<"chip", "chip", "std::string", "\"sm_90\"", "GPU that the launches are for: sm_75 or later">,
    Option<"tf32", "tf32", "bool", "false", "multiply f32 on tensor cores, rounded to 11 bits">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // RGNN_CONVERSION_HETKERNELTOGPU_PASSES
