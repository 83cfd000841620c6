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

  // 512 threads of a product, which has much in shared memory or few threads.
  // CHECK: gpu.func @product({{.*}}) workgroup({{.*}}) kernel attributes {known_block_size = array<i32: 16, 16, 1>, nvvm.minctasm = 2 : i32}
  gpu.func @product(%n: index) workgroup(%rows: memref<2x64x10xf64, #gpu.address_space<workgroup>>, %columns: memref<2x8x64xf64, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 16, 16, 1>} {
    gpu.return
  }

  // CHECK: gpu.func @small_product({{.*}}) workgroup({{.*}}) kernel attributes {known_block_size = array<i32: 64, 1, 1>, nvvm.minctasm = 8 : i32}
  gpu.func @small_product(%n: index) workgroup(%rows: memref<2x64x12xf32, #gpu.address_space<workgroup>>, %columns: memref<2x8x64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }

  // Blocks of very few threads, or of more than are to be busy, and what is not known.
  // CHECK-NOT: nvvm.minctasm
  gpu.func @warp(%n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
  gpu.func @large_product(%n: index) workgroup(%factors: memref<2x8x264xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 768, 1, 1>} {
    gpu.return
  }
  gpu.func @unknown(%n: index) kernel {
    gpu.return
  }
}
