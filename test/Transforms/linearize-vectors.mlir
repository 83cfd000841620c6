// RUN: rgnn-opt %s --rgnn-linearize-vectors | FileCheck %s

// Heads of four numbers: a factor for each, their product, and its sum over each head.

// CHECK-LABEL: func.func @heads
//       CHECK:   %[[X:.*]] = vector.load %{{.*}} : memref<?x12xf32>, vector<12xf32>
//       CHECK:   %[[A:.*]] = vector.load %{{.*}} : memref<?x3xf32>, vector<3xf32>
//       CHECK:   %[[B:.*]] = vector.shuffle %[[A]], %[[A]] [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2] : vector<3xf32>, vector<3xf32>
//       CHECK:   %[[M:.*]] = arith.mulf %[[X]], %[[B]] : vector<12xf32>
//       CHECK:   %[[S0:.*]] = vector.shuffle %[[M]], %[[M]] [0, 4, 8]
//       CHECK:   %[[T0:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<3xf32>
//       CHECK:   vector.shuffle %[[M]], %[[M]] [3, 7, 11]
//   CHECK-NOT:   vector.multi_reduction
//       CHECK:   vector.store
func.func @heads(%x: memref<?x12xf32>, %a: memref<?x3xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<3xf32>
  %0 = vector.load %x[%i, %c0] : memref<?x12xf32>, vector<12xf32>
  %1 = vector.shape_cast %0 : vector<12xf32> to vector<3x4xf32>
  %2 = vector.load %a[%i, %c0] : memref<?x3xf32>, vector<3xf32>
  %3 = vector.shape_cast %2 : vector<3xf32> to vector<3x1xf32>
  %4 = vector.broadcast %3 : vector<3x1xf32> to vector<3x4xf32>
  %5 = arith.mulf %1, %4 : vector<3x4xf32>
  %6 = vector.multi_reduction <add>, %5, %zero [1] : vector<3x4xf32> to vector<3xf32>
  vector.store %6, %a[%i, %c0] : memref<?x3xf32>, vector<3xf32>
  return
}

// Long sums of few heads are reductions of their own; loops carry one dimension.

// CHECK-LABEL: func.func @long
//       CHECK:   scf.for {{.*}} -> (vector<64xf32>)
//       CHECK:     arith.addf %{{.*}} : vector<64xf32>
//       CHECK:   vector.reduction <maximumf>, %{{.*}}, %{{.*}} : vector<32xf32> into f32
//       CHECK:   vector.reduction <maximumf>, %{{.*}}, %{{.*}} : vector<32xf32> into f32
func.func @long(%x: memref<?x64xf32>, %n: index) -> vector<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<2x32xf32>
  %least = arith.constant dense<-1.0> : vector<2xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (vector<2x32xf32>) {
    %0 = vector.load %x[%i, %c0] : memref<?x64xf32>, vector<64xf32>
    %1 = vector.shape_cast %0 : vector<64xf32> to vector<2x32xf32>
    %2 = arith.addf %t, %1 : vector<2x32xf32>
    scf.yield %2 : vector<2x32xf32>
  }
  %m = vector.multi_reduction <maximumf>, %s, %least [1] : vector<2x32xf32> to vector<2xf32>
  return %m : vector<2xf32>
}

// CHECK-LABEL: func.func @transposed
//       CHECK:   vector.shuffle %{{.*}} [0, 3, 1, 4, 2, 5] : vector<6xf32>, vector<6xf32>
func.func @transposed(%x: vector<6xf32>) -> vector<6xf32> {
  %0 = vector.shape_cast %x : vector<6xf32> to vector<2x3xf32>
  %1 = vector.transpose %0, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
  %2 = arith.negf %1 : vector<3x2xf32>
  %3 = vector.shape_cast %2 : vector<3x2xf32> to vector<6xf32>
  return %3 : vector<6xf32>
}

// What no pattern converts keeps its dimensions.
// CHECK-LABEL: func.func @masked
//       CHECK:   vector.create_mask %{{.*}}, %{{.*}} : vector<2x4xi1>
func.func @masked(%a: index, %b: index) -> vector<2x4xi1> {
  %0 = vector.create_mask %a, %b : vector<2x4xi1>
  return %0 : vector<2x4xi1>
}
