// RUN: rgnn-opt %s --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --buffer-results-to-out-params="modify-public-functions hoist-static-allocs hoist-dynamic-allocs" --cse --canonicalize | FileCheck %s

// Kernels write straight into the result, and nothing is allocated or copied.
// CHECK-LABEL: func @gemm
//  CHECK-SAME: (%[[X:.*]]: memref<?x64xf32>, %[[G:.*]]: memref<?xi32>, %[[W:.*]]: memref<5x64x32xf32>, %[[T:.*]]: memref<?x3xi32>, %{{.*}}: index, %[[O:.*]]: memref<?x32xf32>)
//   CHECK-NOT: alloc
//       CHECK: hetkernel.gemm x(%[[X]] gather %[[G]] : {{.*}}) weight(%[[W]] : {{.*}}) tiles(%[[T]] : {{.*}}) outs(%[[O]] : memref<?x32xf32>)
//  CHECK-NEXT: return
func.func @gemm(%x: tensor<?x64xf32>, %g: tensor<?xi32>, %w: tensor<5x64x32xf32>, %t: tensor<?x3xi32>, %n: index) -> tensor<?x32xf32> {
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %y = hetkernel.gemm x(%x gather %g : tensor<?x64xf32>, tensor<?xi32>) weight(%w : tensor<5x64x32xf32>)
      tiles(%t : tensor<?x3xi32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// CHECK-LABEL: func @traverse
//  CHECK-SAME: (%{{.*}}: index, %[[P:.*]]: memref<?xi32>, %[[S:.*]]: memref<?xi32>, %[[Y:.*]]: memref<?x8xf32>, %[[O:.*]]: memref<?x8xf32>)
//   CHECK-NOT: alloc
//       CHECK: hetkernel.traverse {{.*}} segments(%[[P]] : memref<?xi32>) outs(%[[O]] : memref<?x8xf32>)
//       CHECK:   hetkernel.lookup %[[S]][{{.*}}] : memref<?xi32>
//       CHECK:   hetkernel.row %[[Y]][{{.*}}] : memref<?x8xf32> -> vector<8xf32>
//   CHECK-NOT: copy
func.func @traverse(%n: index, %p: tensor<?xi32>, %s: tensor<?xi32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %sum = hetkernel.traverse rows(%n) segments(%p : tensor<?xi32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%i: index):
    %a = hetkernel.for_each %i init(%zero : vector<8xf32>) {
    ^bb0(%j: index, %acc: vector<8xf32>):
      %u = hetkernel.lookup %s[%j] : tensor<?xi32>
      %r = hetkernel.row %y[%u] : tensor<?x8xf32> -> vector<8xf32>
      %next = arith.addf %acc, %r : vector<8xf32>
      hetkernel.yield %next : vector<8xf32>
    } -> vector<8xf32>
    hetkernel.yield %a : vector<8xf32>
  } -> tensor<?x8xf32>
  return %sum : tensor<?x8xf32>
}

// Rows of one node type, read in place, and written into their part of the result.
// CHECK-LABEL: func @parts
//  CHECK-SAME: (%[[X:.*]]: memref<?x8xf32>, %[[W:.*]]: memref<2x8x4xf32>, %{{.*}}: index, %{{.*}}: index, %[[O:.*]]: memref<?x4xf32>)
//   CHECK-NOT: alloc
//   CHECK-NOT: copy
//   CHECK-DAG: %[[X1:.*]] = memref.subview %[[X]][%{{.*}}, 0]
//   CHECK-DAG: %[[O1:.*]] = memref.subview %[[O]][%{{.*}}, 0]
//       CHECK: hetkernel.gemm x(%[[X1]] : {{.*}}) {{.*}} outs(%[[O1]] :
//   CHECK-NOT: copy
//       CHECK: return
func.func @parts(%x: tensor<?x8xf32>, %w: tensor<2x8x4xf32>, %na: index, %nb: index) -> tensor<?x4xf32> {
  %n = arith.addi %na, %nb : index
  %all = tensor.empty(%n) : tensor<?x4xf32>
  %xa = tensor.extract_slice %x[0, 0] [%na, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %wa = tensor.extract_slice %w[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %ea = tensor.empty(%na) : tensor<?x4xf32>
  %ya = hetkernel.gemm x(%xa : tensor<?x8xf32>) weight(%wa : tensor<8x4xf32>) outs(%ea : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = tensor.insert_slice %ya into %all[0, 0] [%na, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  %xb = tensor.extract_slice %x[%na, 0] [%nb, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %wb = tensor.extract_slice %w[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %eb = tensor.empty(%nb) : tensor<?x4xf32>
  %yb = hetkernel.gemm x(%xb : tensor<?x8xf32>) weight(%wb : tensor<8x4xf32>) outs(%eb : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = tensor.insert_slice %yb into %0[%na, 0] [%nb, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// A second term is added in place.
// CHECK-LABEL: func @accumulate
//   CHECK-NOT: alloc
//       CHECK: hetkernel.gemm {{.*}} outs(%[[O:.*]] : memref<?x4xf32>)
//  CHECK-NEXT: hetkernel.gemm {{.*}} outs(%[[O]] : memref<?x4xf32>) accumulate
//  CHECK-NEXT: return
func.func @accumulate(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %w: tensor<8x4xf32>, %n: index) -> tensor<?x4xf32> {
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %0 = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = hetkernel.gemm x(%y : tensor<?x8xf32>) weight(%w : tensor<8x4xf32>) outs(%0 : tensor<?x4xf32>) accumulate -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// Rows that a kernel reads at random cannot be where it writes.
// CHECK-LABEL: func @not_in_place
//       CHECK: %[[A:.*]] = memref.alloc
//       CHECK: hetkernel.traverse {{.*}} outs(%[[A]] :
//       CHECK: hetkernel.traverse {{.*}} outs(%arg
//       CHECK:   hetkernel.row %[[A]]
func.func @not_in_place(%x: tensor<?x8xf32>, %s: tensor<?xi32>, %n: index) -> tensor<?x8xf32> {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %0 = hetkernel.traverse rows(%n) outs(%e : tensor<?x8xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %x[%i] : tensor<?x8xf32> -> vector<8xf32>
    %f = math.absf %r : vector<8xf32>
    hetkernel.yield %f : vector<8xf32>
  } -> tensor<?x8xf32>
  %1 = hetkernel.traverse rows(%n) outs(%0 : tensor<?x8xf32>) {
  ^bb0(%i: index):
    %u = hetkernel.lookup %s[%i] : tensor<?xi32>
    %r = hetkernel.row %0[%u] : tensor<?x8xf32> -> vector<8xf32>
    hetkernel.yield %r : vector<8xf32>
  } -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// CHECK-LABEL: func @concat
//  CHECK-SAME: (%[[A:.*]]: memref<?x8xf32>, %[[B:.*]]: memref<3x8xf32>, %{{.*}}: index, %[[O:.*]]: memref<?x8xf32>)
//  CHECK-NEXT: hetkernel.concat(%[[A]], %[[B]] : {{.*}}) outs(%[[O]] : memref<?x8xf32>)
//  CHECK-NEXT: return
func.func @concat(%a: tensor<?x8xf32>, %b: tensor<3x8xf32>, %n: index) -> tensor<?x8xf32> {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %all = hetkernel.concat (%a, %b : tensor<?x8xf32>, tensor<3x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %all : tensor<?x8xf32>
}

// CHECK-LABEL: func @outer_sum
//  CHECK-SAME: (%[[X:.*]]: memref<?x8xf32>, %[[Y:.*]]: memref<?x4xf32>, %[[T:.*]]: memref<?x3xi32>, %[[O:.*]]: memref<5x8x4xf32>)
//   CHECK-NOT: alloc
//       CHECK: hetkernel.outer_sum x(%[[X]] : {{.*}}) y(%[[Y]] : {{.*}}) tiles(%[[T]] : {{.*}}) outs(%[[O]] : memref<5x8x4xf32>)
//  CHECK-NEXT: return
func.func @outer_sum(%x: tensor<?x8xf32>, %y: tensor<?x4xf32>, %t: tensor<?x3xi32>) -> tensor<5x8x4xf32> {
  %e = tensor.empty() : tensor<5x8x4xf32>
  %s = hetkernel.outer_sum x(%x : tensor<?x8xf32>) y(%y : tensor<?x4xf32>) tiles(%t : tensor<?x3xi32>) outs(%e : tensor<5x8x4xf32>) -> tensor<5x8x4xf32>
  return %s : tensor<5x8x4xf32>
}
