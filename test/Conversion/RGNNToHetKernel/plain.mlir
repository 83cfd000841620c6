// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel | FileCheck %s

// Tensors without rows are computed by linalg, also where the function returns them.

// CHECK-DAG:   #[[$FROM:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG:   #[[$TO:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @forward
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK:         return %[[R]]
func.func @forward(%x: tensor<1xf64>) -> tensor<1xf64> {
  %y = rgnn.map %x : (tensor<1xf64>) -> tensor<1xf64> {
  ^bb0(%a: f64):
    %e = math.exp %a : f64
    rgnn.yield %e : f64
  }
  return %y : tensor<1xf64>
}

// Matrices one below the other are rows of as many types.
// CHECK-LABEL: func @matmul
//  CHECK-SAME:   %[[A:.*]]: tensor<2x2x3x4xf32>, %[[B:.*]]: tensor<2x2x4x5xf32>
//       CHECK:   %[[X:.*]] = tensor.expand_shape %{{.*}} : tensor<48xf32> into tensor<12x4xf32>
//       CHECK:   %[[W:.*]] = tensor.expand_shape %{{.*}} : tensor<80xf32> into tensor<4x4x5xf32>
//       CHECK:   %[[L:.*]] = arith.constant dense<{{\[\[}}0, 0, 3], [1, 3, 6], [2, 6, 9], [3, 9, 12]]> : tensor<4x3xi32>
//       CHECK:   %[[T:.*]] = tensor.cast %[[L]] : tensor<4x3xi32> to tensor<?x3xi32>
//       CHECK:   hetkernel.gemm x(%[[X]] : tensor<12x4xf32>) weight(%[[W]] : tensor<4x4x5xf32>) tiles(%[[T]] : tensor<?x3xi32>)
//       CHECK:   tensor<12x5xf32>
func.func @matmul(%a: tensor<2x2x3x4xf32>, %b: tensor<2x2x4x5xf32>) -> tensor<2x2x3x5xf32> {
  %0 = rgnn.matmul %a, %b : tensor<2x2x3x4xf32>, tensor<2x2x4x5xf32>
  return %0 : tensor<2x2x3x5xf32>
}

// The dimension that is reduced is the innermost loop. 16-bit floats are summed up as those of 32 bits, and a mean is
// divided before it is rounded.
// CHECK-LABEL: func @reduce_features
//  CHECK-SAME:   %[[X:.*]]: tensor<2x3x4xbf16>
//       CHECK:   %[[ZERO:.*]] = linalg.fill {{.*}} -> tensor<2x4xf32>
//       CHECK:   %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[$FROM]], #[[$TO]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]] : tensor<2x3x4xbf16>) outs(%[[ZERO]] : tensor<2x4xf32>)
//       CHECK:   ^bb0(%[[NEXT:.*]]: bf16, %[[SO_FAR:.*]]: f32):
//       CHECK:     %[[WIDE:.*]] = arith.extf %[[NEXT]]
//       CHECK:     arith.addf %[[SO_FAR]], %[[WIDE]]
//       CHECK:   linalg.generic {{.*}} ins(%[[SUM]] : tensor<2x4xf32>)
//       CHECK:     %[[MEAN:.*]] = arith.divf
//       CHECK:     arith.truncf %[[MEAN]] : f32 to bf16
func.func @reduce_features(%x: tensor<2x3x4xbf16>) -> tensor<2x4xbf16> {
  %0 = rgnn.reduce_features mean %x dim 1 : tensor<2x3x4xbf16>
  return %0 : tensor<2x4xbf16>
}

// Traversals read tensors as one run of memory: of columns, also where they have another shape in between, a copy.
// CHECK-LABEL: func @a_column
//       CHECK:   %[[SLICE:.*]] = tensor.extract_slice %{{.*}}[0, 2] [4, 1] [1, 1] : tensor<4x3xf32> to tensor<4x1xf32>
//       CHECK:   %[[COPY:.*]] = linalg.copy ins(%[[SLICE]] : tensor<4x1xf32>)
//       CHECK:   %[[COLUMN:.*]] = tensor.collapse_shape %[[COPY]] {{.*}} into tensor<4xf32>
//       CHECK:   hetkernel.traverse
//       CHECK:     hetkernel.row %[[COLUMN]][] : tensor<4xf32> -> vector<4xf32>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)
func.func @a_column(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<4x3xf32>) -> tensor<?x4xf32, #node> {
  %0 = rgnn.slice %w dim 1 from 2 size 1 : tensor<4x3xf32>
  %1 = rgnn.reshape %0 : tensor<4x1xf32> -> tensor<4xf32>
  %2 = rgnn.map %x, %1 : (tensor<?x4xf32, #node>, tensor<4xf32>) -> tensor<?x4xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    rgnn.yield %m : f32
  }
  return %2 : tensor<?x4xf32, #node>
}

// The number of types is known of one side alone.
// CHECK-LABEL: func @rows_of_types
//       CHECK:   tensor.cast %{{.*}} : tensor<?x1x2xf32> to tensor<3x1x2xf32>
func.func @rows_of_types(%x: tensor<?x1x2xf32, #rgnn.rows<etype, @g0>>) -> tensor<3x2xf32> {
  %0 = rgnn.reshape %x : tensor<?x1x2xf32, #rgnn.rows<etype, @g0>> -> tensor<3x2xf32, #rgnn.rows<etype, @g0>>
  %1 = rgnn.unplace %0 : tensor<3x2xf32, #rgnn.rows<etype, @g0>>
  return %1 : tensor<3x2xf32>
}
