// RUN: rgnn-opt %s --hetkernel-collect-preprocessing | FileCheck %s

// A product of weights has tiles that are known, of all rows: 5 matrices of 4 rows.

// CHECK: \22operations\22:[5120],\22rows\22:[20],\22sizes\22:[]
func.func @forward(%a: tensor<20x8xf32>, %w: tensor<5x8x16xf32>) -> tensor<20x16xf32> {
  %tiles = arith.constant dense<[[0, 0, 4], [1, 4, 8], [2, 8, 12], [3, 12, 16], [4, 16, 20]]> : tensor<5x3xi32>
  %o = tensor.empty() : tensor<20x16xf32>
  %0 = hetkernel.gemm x(%a : tensor<20x8xf32>) weight(%w : tensor<5x8x16xf32>) tiles(%tiles : tensor<5x3xi32>)
      outs(%o : tensor<20x16xf32>) -> tensor<20x16xf32>
  return %0 : tensor<20x16xf32>
}
