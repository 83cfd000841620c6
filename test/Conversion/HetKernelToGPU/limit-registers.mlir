// RUN: rgnn-opt %s --pass-pipeline="builtin.module(gpu.module(rgnn-limit-registers))" | FileCheck %s

gpu.module @kernels {
  // 768 threads are to find room on a multiprocessor.
  // CHECK: gpu.func @rows({{.*}}) workgroup({{.*}}) kernel attributes {known_block_size = array<i32: 256, 1, 1>, nvvm.minctasm = 3 : i32}
  gpu.func @rows(%n: index) workgroup(%parts: memref<8x64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    gpu.return
  }

  // CHECK: gpu.func @large({{.*}}) kernel attributes {known_block_size = array<i32: 512, 1, 1>, nvvm.minctasm = 1 : i32}
  gpu.func @large(%n: index) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    gpu.return
  }

  // Factors of a product in shared memory, blocks of few threads, and what is not known.
  // CHECK-NOT: nvvm.minctasm
  gpu.func @product(%n: index) workgroup(%factors: memref<2x16x132xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    gpu.return
  }
  gpu.func @small(%n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
  gpu.func @unknown(%n: index) kernel {
    gpu.return
  }
}
