// The kernels that the compiler makes are right as they are, and without their barriers or waits the simulator tells that
// they are not.

// RUN: rgnn-opt %s --convert-hetkernel-to-gpu=threads=64 --canonicalize --cse > %t.mlir
// RUN: rgnn-translate --rgnn-simulate-gpu %t.mlir | FileCheck %s --match-full-lines
// RUN: sed /gpu.barrier/d %t.mlir > %t.racing.mlir
// RUN: not rgnn-translate --rgnn-simulate-gpu %t.racing.mlir --entry=gemm 2>&1 | FileCheck %s --check-prefix=RACING
// RUN: not rgnn-translate --rgnn-simulate-gpu %t.racing.mlir --entry=outer_sum 2>&1 | FileCheck %s --check-prefix=RACING
// RUN: not rgnn-translate --rgnn-simulate-gpu %t.racing.mlir --entry=row_sum 2>&1 | FileCheck %s --check-prefix=RACING
// RUN: sed /device_async_wait/d %t.mlir > %t.early.mlir
// RUN: not rgnn-translate --rgnn-simulate-gpu %t.early.mlir --entry=gemm 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not rgnn-translate --rgnn-simulate-gpu %t.early.mlir --entry=outer_sum 2>&1 | FileCheck %s --check-prefix=EARLY

// RACING: op {{races on|reads element}} {{.*}}workgroup{{.*}} in thread
// EARLY: but an asynchronous copy into it was not waited for, in thread

// Rows 2, 0, 1 and 0 of x by two weights: the identity and twice it.
// CHECK-LABEL: @gemm: 1 launches
//  CHECK-NEXT: result 0: 4x4
//  CHECK-NEXT: 9 10 11 12
//  CHECK-NEXT: 1 2 3 4
//  CHECK-NEXT: 10 12 14 16
//  CHECK-NEXT: 2 4 6 8
memref.global "private" constant @x : memref<3x4xf32> = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]>
memref.global "private" constant @gather : memref<4xi32> = dense<[2, 0, 1, 0]>
memref.global "private" constant @tiles : memref<2x3xi32> = dense<[[0, 0, 2], [1, 2, 4]]>
memref.global "private" constant @weight : memref<2x4x4xf32> = dense<[
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
    [[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 2.0]]]>
func.func @gemm() -> memref<4x4xf32> {
  %x = memref.get_global @x : memref<3x4xf32>
  %gather = memref.get_global @gather : memref<4xi32>
  %tiles = memref.get_global @tiles : memref<2x3xi32>
  %weight = memref.get_global @weight : memref<2x4x4xf32>
  %o = memref.alloc() : memref<4x4xf32>
  hetkernel.gemm x(%x gather %gather : memref<3x4xf32>, memref<4xi32>) weight(%weight : memref<2x4x4xf32>) tiles(%tiles : memref<2x3xi32>)
      outs(%o : memref<4x4xf32>) schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 2, block_columns = 2, lanes = 16>
  return %o : memref<4x4xf32>
}

// Rows 2 and 0 by themselves, and rows 1 and 0.
// CHECK-LABEL: @outer_sum: 2 launches
//  CHECK-NEXT: result 0: 2x4x4
//  CHECK-NEXT: 82 92 102 112 92 104 116 128 102 116 130 144 112 128 144 160
//  CHECK-NEXT: 26 32 38 44 32 40 48 56 38 48 58 68 44 56 68 80
func.func @outer_sum() -> memref<2x4x4xf32> {
  %x = memref.get_global @x : memref<3x4xf32>
  %gather = memref.get_global @gather : memref<4xi32>
  %tiles = memref.get_global @tiles : memref<2x3xi32>
  %o = memref.alloc() : memref<2x4x4xf32>
  hetkernel.outer_sum x(%x gather %gather : memref<3x4xf32>, memref<4xi32>) y(%x gather %gather : memref<3x4xf32>, memref<4xi32>)
      tiles(%tiles : memref<2x3xi32>) outs(%o : memref<2x4x4xf32>) schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 2, block_columns = 2, lanes = 16>
  return %o : memref<2x4x4xf32>
}

// CHECK-LABEL: @row_sum: 2 launches
//  CHECK-NEXT: result 0: 2x4
//  CHECK-NEXT: 10 12 14 16
//  CHECK-NEXT: 6 8 10 12
func.func @row_sum() -> memref<2x4xf32> {
  %x = memref.get_global @x : memref<3x4xf32>
  %gather = memref.get_global @gather : memref<4xi32>
  %tiles = memref.get_global @tiles : memref<2x3xi32>
  %o = memref.alloc() : memref<2x4xf32>
  hetkernel.outer_sum y(%x gather %gather : memref<3x4xf32>, memref<4xi32>) tiles(%tiles : memref<2x3xi32>) outs(%o : memref<2x4xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 2, block_columns = 2, lanes = 16>
  return %o : memref<2x4xf32>
}
