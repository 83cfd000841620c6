// RUN: rgnn-opt %s --hetkernel-fold-transposes | FileCheck %s
// RUN: rgnn-opt %s --hetkernel-fold-transposes --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// The weights of two GEMMs, one of which was given them transposed.
//       COUNT: Function=two | num-folded=2
// CHECK-LABEL: func @two
//  CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x8xf32>
//   CHECK-NOT: linalg.transpose
//       CHECK: hetkernel.gemm {{.*}} weight(%[[W]] transposed : tensor<4x8xf32>)
//       CHECK: hetkernel.gemm {{.*}} weight(%[[W]] : tensor<4x8xf32>)
func.func @two(%x: tensor<?x8xf32>, %z: tensor<?x4xf32>, %w: tensor<4x8xf32>, %o: tensor<?x4xf32>, %p: tensor<?x8xf32>)
    -> (tensor<?x4xf32>, tensor<?x8xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%t : tensor<8x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  %v = hetkernel.gemm x(%z : tensor<?x4xf32>) weight(%t transposed : tensor<8x4xf32>) outs(%p : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y, %v : tensor<?x4xf32>, tensor<?x8xf32>
}

// Matrices of types; what else reads them transposed keeps the copy.
// CHECK-LABEL: func @types
//       CHECK: %[[T:.*]] = linalg.transpose
//       CHECK: hetkernel.gemm {{.*}} weight(%{{[a-z0-9]+}} transposed : tensor<3x4x8xf32>)
//       CHECK: return %{{.*}}, %[[T]]
func.func @types(%x: tensor<?x8xf32>, %w: tensor<3x4x8xf32>, %tiles: tensor<?x3xi32>, %o: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<3x8x4xf32>) {
  %e = tensor.empty() : tensor<3x8x4xf32>
  %t = linalg.transpose ins(%w : tensor<3x4x8xf32>) outs(%e : tensor<3x8x4xf32>) permutation = [0, 2, 1]
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%t : tensor<3x8x4xf32>) tiles(%tiles : tensor<?x3xi32>) outs(%o : tensor<?x4xf32>)
      -> tensor<?x4xf32>
  return %y, %t : tensor<?x4xf32>, tensor<3x8x4xf32>
}

// Types change places too: a copy.
// CHECK-LABEL: func @other
//       CHECK: %[[T:.*]] = linalg.transpose
//       CHECK: hetkernel.gemm {{.*}} weight(%[[T]] : tensor<3x8x4xf32>)
func.func @other(%x: tensor<?x8xf32>, %w: tensor<8x3x4xf32>, %tiles: tensor<?x3xi32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %e = tensor.empty() : tensor<3x8x4xf32>
  %t = linalg.transpose ins(%w : tensor<8x3x4xf32>) outs(%e : tensor<3x8x4xf32>) permutation = [1, 0, 2]
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%t : tensor<3x8x4xf32>) tiles(%tiles : tensor<?x3xi32>) outs(%o : tensor<?x4xf32>)
      -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
