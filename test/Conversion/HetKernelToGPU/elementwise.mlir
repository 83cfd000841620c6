// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s

// What is no kernel has a thread for each element.

// CHECK-LABEL: func @copy
//       CHECK: gpu.launch
//       CHECK:   %[[NUMBER:[a-z0-9_]*]] = memref.load %{{.*}} : memref<?x4xf32>
//       CHECK:   memref.store %[[NUMBER]], %{{.*}} : memref<?x4xf32, strided<[8, 1]>>
//   CHECK-NOT: memref.copy
func.func @copy(%a: memref<?x4xf32>, %o: memref<?x4xf32, strided<[8, 1]>>) {
  memref.copy %a, %o : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  return
}

// CHECK-LABEL: func @transpose
//       CHECK: gpu.launch {{.*}} in (%{{[a-z0-9_]*}} = %c1, %{{[a-z0-9_]*}} = %c1, %{{[a-z0-9_]*}} = %c1)
//       CHECK:   arith.cmpi ult, %{{.*}}, %c24
//       CHECK:   memref.load %{{.*}} : memref<2x3x4xf32>
//       CHECK:   memref.store %{{.*}} : memref<2x4x3xf32>
func.func @transpose(%a: memref<2x3x4xf32>, %o: memref<2x4x3xf32>) {
  linalg.transpose ins(%a : memref<2x3x4xf32>) outs(%o : memref<2x4x3xf32>) permutation = [0, 2, 1]
  return
}

// A scalar takes one thread.
// CHECK-LABEL: func @scalar
//       CHECK: gpu.launch
//       CHECK:   arith.cmpi ult, %{{.*}}, %c1
//       CHECK:   memref.store %{{.*}} : memref<f32>
func.func @scalar(%a: memref<f32>, %o: memref<f32>) {
  linalg.copy ins(%a : memref<f32>) outs(%o : memref<f32>)
  return
}

// A copy to the same place is none.
// CHECK-LABEL: func @copy_onto_itself
//       CHECK: gpu.launch
//   CHECK-NOT: gpu.launch
func.func @copy_onto_itself(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  memref.copy %a, %a : memref<?x4xf32> to memref<?x4xf32>
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  return
}
