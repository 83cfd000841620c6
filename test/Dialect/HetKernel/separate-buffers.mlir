// RUN: rgnn-opt %s --hetkernel-separate-buffers | FileCheck %s
// RUN: rgnn-opt %s --hetkernel-separate-buffers --one-shot-bufferize | FileCheck %s --check-prefix=BUFFER
// RUN: rgnn-opt %s --one-shot-bufferize | FileCheck %s --check-prefix=SHARED

// The first sum is no longer where the second one comes.
// CHECK-LABEL: func @two_sums(
//       CHECK: %[[A:.*]] = tensor.empty() : tensor<1xf32>
//       CHECK: %[[B:.*]] = tensor.empty() : tensor<1xf32>
//       CHECK: hetkernel.outer_sum {{.*}} outs(%[[A]] : tensor<1xf32>)
//       CHECK: hetkernel.outer_sum {{.*}} outs(%[[B]] : tensor<1xf32>)
//   CHECK-NOT: tensor.empty

// BUFFER-LABEL: func @two_sums(
// BUFFER-COUNT-2: memref.alloc
//    BUFFER-NOT: memref.alloc
//        BUFFER: return
// SHARED-LABEL: func @two_sums(
// SHARED-COUNT-1: memref.alloc
//    SHARED-NOT: memref.alloc
//        SHARED: return
func.func @two_sums(%y: tensor<?x1xf32>, %z: tensor<?x1xf32>) -> (f32, f32) {
  %zero = arith.constant 0 : index
  %o = tensor.empty() : tensor<1xf32>
  %a = hetkernel.outer_sum y(%y : tensor<?x1xf32>) outs(%o : tensor<1xf32>) -> tensor<1xf32>
  %first = tensor.extract %a[%zero] : tensor<1xf32>
  %b = hetkernel.outer_sum y(%z : tensor<?x1xf32>) outs(%o : tensor<1xf32>) -> tensor<1xf32>
  %second = tensor.extract %b[%zero] : tensor<1xf32>
  return %first, %second : f32, f32
}

// What has one use stays.
// CHECK-LABEL: func @one_use(
//       CHECK: tensor.empty
//   CHECK-NOT: tensor.empty
func.func @one_use(%y: tensor<?x1xf32>) -> tensor<1xf32> {
  %o = tensor.empty() : tensor<1xf32>
  %a = hetkernel.outer_sum y(%y : tensor<?x1xf32>) outs(%o : tensor<1xf32>) -> tensor<1xf32>
  return %a : tensor<1xf32>
}

// Rows of the graph take much memory, and share it.
// CHECK-LABEL: func @rows_of_the_graph(
//       CHECK: %[[O:.*]] = tensor.empty(%{{.*}}) : tensor<?x4xf32>
//       CHECK: hetkernel.gemm {{.*}} outs(%[[O]] : tensor<?x4xf32>)
//       CHECK: hetkernel.gemm {{.*}} outs(%[[O]] : tensor<?x4xf32>)
func.func @rows_of_the_graph(%n: index, %x: tensor<?x8xf32>, %v: tensor<8x4xf32>, %w: tensor<8x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %o = tensor.empty(%n) : tensor<?x4xf32>
  %a = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%v : tensor<8x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// Only zeros are.
// CHECK-LABEL: func @not_zeros(
// CHECK-COUNT-1: hetkernel.traverse
//     CHECK-NOT: hetkernel.traverse
//         CHECK: return
func.func @not_zeros(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>, %to: tensor<?xi32>, %rows: index) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %one = arith.constant dense<1.0> : vector<4xf32>
  %o = tensor.empty(%rows) : tensor<?x4xf32>
  %z:2 = hetkernel.traverse rows(%rows) outs(%o, %o : tensor<?x4xf32>, tensor<?x4xf32>) {
  ^bb0(%row: index):
    hetkernel.yield %zero, %one : vector<4xf32>, vector<4xf32>
  } -> tensor<?x4xf32>, tensor<?x4xf32>
  %a = hetkernel.gemm x(%x : tensor<?x4xf32>) weight(%w : tensor<4x4xf32>) outs(%z#0 scatter %to : tensor<?x4xf32>, tensor<?xi32>) accumulate atomic -> tensor<?x4xf32>
  %b = hetkernel.gemm x(%x : tensor<?x4xf32>) weight(%w : tensor<4x4xf32>) outs(%z#1 scatter %to : tensor<?x4xf32>, tensor<?xi32>) accumulate atomic -> tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// Zeros that two products add to are written for each of them, not copied.
// CHECK-LABEL: func @zeros(
//       CHECK: %[[A:.*]] = hetkernel.traverse
//       CHECK: %[[B:.*]] = hetkernel.traverse
//       CHECK: hetkernel.gemm {{.*}} outs(%[[A]] scatter {{.*}} accumulate atomic
//       CHECK: hetkernel.gemm {{.*}} outs(%[[B]] scatter {{.*}} accumulate atomic

// BUFFER-LABEL: func @zeros(
//    BUFFER-NOT: memref.copy
//        BUFFER: return
// SHARED-LABEL: func @zeros(
//        SHARED: memref.copy
func.func @zeros(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>, %to: tensor<?xi32>, %rows: index) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %o = tensor.empty(%rows) : tensor<?x4xf32>
  %z = hetkernel.traverse rows(%rows) outs(%o : tensor<?x4xf32>) {
  ^bb0(%row: index):
    hetkernel.yield %zero : vector<4xf32>
  } -> tensor<?x4xf32>
  %a = hetkernel.gemm x(%x : tensor<?x4xf32>) weight(%w : tensor<4x4xf32>) outs(%z scatter %to : tensor<?x4xf32>, tensor<?xi32>) accumulate atomic -> tensor<?x4xf32>
  %b = hetkernel.gemm x(%x : tensor<?x4xf32>) weight(%w : tensor<4x4xf32>) outs(%z scatter %to : tensor<?x4xf32>, tensor<?xi32>) accumulate atomic -> tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}
