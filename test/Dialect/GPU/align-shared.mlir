// RUN: rgnn-opt %s --pass-pipeline="builtin.module(gpu.module(rgnn-align-shared))" | FileCheck %s

gpu.module @kernels {
  // Threads read 16 bytes at once from each.
  // CHECK: gpu.func @product({{.*}}) workgroup(%{{[a-z0-9_]*}} : memref<2x64x12xf32, {{[^>]*>>}} {llvm.align = 16 : i64}, %{{[a-z0-9_]*}} : memref<2x8x64xf64, {{[^>]*>>}} {llvm.align = 16 : i64}) kernel
  gpu.func @product(%n: index) workgroup(%rows: memref<2x64x12xf32, #gpu.address_space<workgroup>>, %columns: memref<2x8x64xf64, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }

  // Memory of a thread stays as it is.
  // CHECK-NOT: llvm.align
  gpu.func @own(%n: index) private(%own: memref<4xf32, #gpu.address_space<private>>) kernel {
    gpu.return
  }
  gpu.func @none(%n: index) kernel {
    gpu.return
  }
}
