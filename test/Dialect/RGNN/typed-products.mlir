// RUN: rgnn-opt %s --canonicalize --split-input-file | FileCheck %s

#node = #rgnn.rows<node, @g>
#edge = #rgnn.rows<edge, @g>
#etype = #rgnn.rows<etype, @g>
!graph = !rgnn.graph<@g>

rgnn.schema @g edge_types(3)

// A row times the matrix that its type picks, as a sum of products.

// CHECK-LABEL: func @product
//  CHECK-SAME: (%[[G:.*]]: !rgnn.graph<@g>, %[[X:.*]]: tensor<?x4xf32, #[[EDGE:.*]]>, %[[W:.*]]: tensor<3x4x5xf32>)
//       CHECK: %[[Y:.*]] = rgnn.typed_linear %[[X]], %[[W]] by etype in %[[G]]
//  CHECK-NEXT: return %[[Y]]
func.func @product(%g: !graph, %x: tensor<?x4xf32, #edge>, %w: tensor<3x4x5xf32>) -> tensor<?x5xf32, #edge> {
  %p = rgnn.place %w in %g : tensor<3x4x5xf32> -> tensor<3x4x5xf32, #etype>
  %t = rgnn.gather etype %p in %g : tensor<3x4x5xf32, #etype>
  %c = rgnn.reshape %x : tensor<?x4xf32, #edge> -> tensor<?x4x1xf32, #edge>
  %m = rgnn.map %c, %t : (tensor<?x4x1xf32, #edge>, tensor<?x4x5xf32, #edge>) -> tensor<?x4x5xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    rgnn.yield %r : f32
  }
  %y = rgnn.reduce_features sum %m dim 1 : tensor<?x4x5xf32, #edge>
  return %y : tensor<?x5xf32, #edge>
}

// Matrices are transposed for all types, not for each edge.

// CHECK-LABEL: func @transposed
//       CHECK: %[[T:.*]] = rgnn.permute %{{.*}} [0, 2, 1] : tensor<3x5x4xf32>
//       CHECK: rgnn.typed_linear %{{.*}}, %[[T]] by etype
func.func @transposed(%g: !graph, %x: tensor<?x4xf32, #edge>, %w: tensor<3x5x4xf32>) -> tensor<?x5xf32, #edge> {
  %p = rgnn.place %w in %g : tensor<3x5x4xf32> -> tensor<3x5x4xf32, #etype>
  %t = rgnn.gather etype %p in %g : tensor<3x5x4xf32, #etype>
  %c = rgnn.reshape %x : tensor<?x4xf32, #edge> -> tensor<?x1x4xf32, #edge>
  %m = rgnn.map %t, %c : (tensor<?x5x4xf32, #edge>, tensor<?x1x4xf32, #edge>) -> tensor<?x5x4xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    rgnn.yield %r : f32
  }
  %y = rgnn.reduce_features sum %m dim 2 : tensor<?x5x4xf32, #edge>
  return %y : tensor<?x5xf32, #edge>
}

// Heads that share the matrix of a type have one each.

// CHECK-LABEL: func @heads
//       CHECK: %[[R:.*]] = rgnn.map %{{.*}} : (tensor<3x1x4x5xf32>) -> tensor<3x2x4x5xf32>
//       CHECK: rgnn.typed_linear %{{.*}}, %[[R]] by etype in %{{.*}} : tensor<?x2x4xf32, #{{.*}}>, tensor<3x2x4x5xf32>
func.func @heads(%g: !graph, %x: tensor<?x2x4x1xf32, #edge>, %w: tensor<3x4x5xf32>) -> tensor<?x2x5xf32, #edge> {
  %p = rgnn.place %w in %g : tensor<3x4x5xf32> -> tensor<3x4x5xf32, #etype>
  %t = rgnn.gather etype %p in %g : tensor<3x4x5xf32, #etype>
  %u = rgnn.reshape %t : tensor<?x4x5xf32, #edge> -> tensor<?x1x4x5xf32, #edge>
  %m = rgnn.map %x, %u : (tensor<?x2x4x1xf32, #edge>, tensor<?x1x4x5xf32, #edge>) -> tensor<?x2x4x5xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    rgnn.yield %r : f32
  }
  %y = rgnn.reduce_features sum %m dim 2 : tensor<?x2x4x5xf32, #edge>
  return %y : tensor<?x2x5xf32, #edge>
}

// A vector of each type, and maxima of products, stay.

// CHECK-LABEL: func @others
//   CHECK-NOT: rgnn.typed_linear
func.func @others(%g: !graph, %x: tensor<?x4x5xf32, #edge>, %w: tensor<3x4x5xf32>) -> (tensor<?x5xf32, #edge>, tensor<?x4xf32, #edge>) {
  %p = rgnn.place %w in %g : tensor<3x4x5xf32> -> tensor<3x4x5xf32, #etype>
  %t = rgnn.gather etype %p in %g : tensor<3x4x5xf32, #etype>
  %m = rgnn.map %x, %t : (tensor<?x4x5xf32, #edge>, tensor<?x4x5xf32, #edge>) -> tensor<?x4x5xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    rgnn.yield %r : f32
  }
  %y = rgnn.reduce_features max %m dim 1 : tensor<?x4x5xf32, #edge>
  %n = rgnn.map %t, %x : (tensor<?x4x5xf32, #edge>, tensor<?x4x5xf32, #edge>) -> tensor<?x4x5xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    rgnn.yield %r : f32
  }
  %z = rgnn.reduce_features sum %n dim 2 : tensor<?x4x5xf32, #edge>
  return %y, %z : tensor<?x5xf32, #edge>, tensor<?x4xf32, #edge>
}
