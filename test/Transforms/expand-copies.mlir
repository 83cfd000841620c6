// RUN: rgnn-opt %s --rgnn-expand-copies | FileCheck %s

// CHECK-LABEL: func.func @strided
//       CHECK:   linalg.copy ins(%{{.*}} : memref<4xf32>) outs(%{{.*}} : memref<4xf32, strided<[8]>>)
func.func @strided(%a: memref<4xf32>, %b: memref<4xf32, strided<[8]>>) {
  memref.copy %a, %b : memref<4xf32> to memref<4xf32, strided<[8]>>
  return
}

// CHECK-LABEL: func.func @contiguous
//       CHECK:   memref.copy
func.func @contiguous(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  return
}
