//===- Passes.td - passes over launches of a GPU ---------------*- tablegen -*-===//

#ifndef RGNN_DIALECT_GPU_TRANSFORMS_PASSES
#define RGNN_DIALECT_GPU_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def RGNNVerifyHostPass : Pass<"rgnn-verify-host", "::mlir::func::FuncOp"> {
  let summary = "refuses what reads or writes a buffer outside launches";
  let description = [{
    Buffers are memory of the device, which the host may allocate, free and take
    parts of. The pass changes nothing.

    Refused, with an error at the op: any other effect on memory, such as a load
    of a size that the host would need before it launches.

    Before:  %n = memref.load %sizes[%c0]
    After:   error: expected work on buffers in launches only, got it on the host
  }];
}

def RGNNSinkViewsPass : Pass<"rgnn-sink-views", "::mlir::func::FuncOp"> {
  let summary = "makes views and names constants where launches read them";
  let description = [{
    Views that need only their buffer are made in the launch: a kernel takes the
    buffer once, whatever parts of it it reads. Constants are named there, so
    that outlining copies them into the kernel's module: those of the host are not
    memory of the device.

    Before:  %v = memref.subview %b[0, 0] [4, 4] [1, 1]
             gpu.launch ... { ... memref.load %v[%i, %j] }
    After:   gpu.launch ... {
               %v = memref.subview %b[0, 0] [4, 4] [1, 1]
               ... memref.load %v[%i, %j] }

    Refused, with an error: a launch that reads a global that is no constant,
    which the host may change.
  }];
}

def RGNNMergeLaunchesPass : Pass<"rgnn-merge-launches", "::mlir::func::FuncOp"> {
  let summary = "makes one launch of those that do not depend on each other";
  let description = [{
    Launches that do not depend on each other, or that touch different parts of a
    buffer, become one, whose blocks are those of each after those of the other,
    where blocks have as many threads and all or none share factors of products.
    What the blocks of one keep in shared memory takes the place of what those of
    others do. A comment ends the code of each (`llvm.inline_asm`), so that code
    that is alike in two stays apart. One that waits for nothing may come late,
    with others like it: a search finds the order with the fewest launches. Sizes
    and temporaries come before them all, and what is freed is freed after its
    last launch.

    Before:  gpu.launch blocks(%x, ...) in (%n, ...) threads(...) in (%c64, ...) { A }
             gpu.launch blocks(%y, ...) in (%m, ...) threads(...) in (%c64, ...) { B }
    After:   %all = arith.addi %n, %m
             gpu.launch blocks(%z, ...) in (%all, ...) threads(...) in (%c64, ...) {
               %first = arith.cmpi ult, %z, %n
               scf.if %first { A } else { B of block %z - %n } }

    A function with branches, or with an op whose effects are not known, stays as
    it is.

    Counts: `num-launches` launches left, after `num-merged` became part of
    another.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

def RGNNLimitRegistersPass : Pass<"rgnn-limit-registers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "how many blocks a multiprocessor is to run at a time";
  let description = [{
    A kernel that waits for memory rather than for its own arithmetic is faster
    with more warps, of which each has fewer registers. Where blocks share little
    memory, three eighths of the warps of a multiprocessor find room: 768 threads
    of 80 registers. Without being told, ptxas aims higher for some kernels, by keeping
    registers in memory.

    Before:  gpu.func @forward_kernel(...) kernel attributes {known_block_size = array<i32: 256, 1, 1>}
    After:   gpu.func @forward_kernel(...) kernel attributes {..., nvvm.minctasm = 3 : i32}

    Products have what they multiply in shared memory, and their sums in
    registers: 512 threads of 128.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def RGNNAlignSharedPass : Pass<"rgnn-align-shared", "::mlir::gpu::GPUModuleOp"> {
  let summary = "shared memory begins where a thread may read 16 bytes at once";
  let description = [{
    Threads read and copy vectors of numbers, and LLVM puts an array where one
    number may lie.

    Before:  gpu.func @forward_kernel(...) workgroup(%rows : memref<2x64x12xf32, ...>)
    After:   gpu.func @forward_kernel(...) workgroup(%rows : memref<2x64x12xf32, ...> {llvm.align = 16 : i64})
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // RGNN_DIALECT_GPU_TRANSFORMS_PASSES
