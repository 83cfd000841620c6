// RUN: rgnn-opt %s --canonicalize | FileCheck %s
// RUN: %check_numeric %s --canonicalize

// Dimensions of size one of rows, such as a single head, are left out of what is computed.

#node = #rgnn.rows<node, @g>
#edge = #rgnn.rows<edge, @g>
!graph = !rgnn.graph<@g>

rgnn.schema @g edge_types(2)

// One head: its products, scores and sums are those of vectors, as where there are no heads.

// CHECK-LABEL: func @head
//  CHECK-SAME: (%[[G:.*]]: !rgnn.graph<@g>, %[[X:.*]]: tensor<?x4xf32, #{{.*}}>, %[[W:.*]]: tensor<4x5xf32>, %[[A:.*]]: tensor<1x5xf32>)
//       CHECK: %[[Z:.*]] = rgnn.linear %[[X]], %[[W]] : tensor<?x4xf32
//       CHECK: %[[B:.*]] = rgnn.reshape %[[A]] : tensor<1x5xf32> -> tensor<5xf32>
//       CHECK: %[[M:.*]] = rgnn.map %[[Z]], %[[B]] : (tensor<?x5xf32, #{{.*}}>, tensor<5xf32>) -> tensor<?x5xf32
//       CHECK: %[[S:.*]] = rgnn.reduce_features sum %[[M]] dim 1 : tensor<?x5xf32
//       CHECK: %[[T:.*]] = rgnn.reshape %[[S]] : tensor<?xf32, #{{.*}}> -> tensor<?x1xf32
//       CHECK: %[[E:.*]] = rgnn.gather src %[[T]] in %[[G]] : tensor<?x1xf32
//       CHECK: %[[P:.*]] = rgnn.group_softmax dst %[[E]] in %[[G]] : tensor<?x1xf32
//       CHECK: %[[U:.*]] = rgnn.gather src %[[Z]] in %[[G]] : tensor<?x5xf32
//       CHECK: %[[V:.*]] = rgnn.map %[[P]], %[[U]] : (tensor<?x1xf32, #{{.*}}>, tensor<?x5xf32, #{{.*}}>) -> tensor<?x5xf32
//       CHECK: rgnn.reduce sum dst %[[V]] in %[[G]] : tensor<?x5xf32
func.func @head(%g: !graph, %x: tensor<?x4xf32, #node>, %w: tensor<4x5xf32>, %a: tensor<1x5xf32>) -> tensor<?x5xf32, #node> {
  %y = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x5xf32>
  %z = rgnn.reshape %y : tensor<?x5xf32, #node> -> tensor<?x1x5xf32, #node>
  %m = rgnn.map %z, %a : (tensor<?x1x5xf32, #node>, tensor<1x5xf32>) -> tensor<?x1x5xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %r = arith.mulf %i, %j : f32
    rgnn.yield %r : f32
  }
  %s = rgnn.reduce_features sum %m dim 2 : tensor<?x1x5xf32, #node>
  %e = rgnn.gather src %s in %g : tensor<?x1xf32, #node>
  %p = rgnn.group_softmax dst %e in %g : tensor<?x1xf32, #edge>
  %q = rgnn.reshape %p : tensor<?x1xf32, #edge> -> tensor<?x1x1xf32, #edge>
  %u = rgnn.gather src %z in %g : tensor<?x1x5xf32, #node>
  %v = rgnn.map %q, %u : (tensor<?x1x1xf32, #edge>, tensor<?x1x5xf32, #edge>) -> tensor<?x1x5xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %r = arith.mulf %i, %j : f32
    rgnn.yield %r : f32
  }
  %o = rgnn.reduce sum dst %v in %g : tensor<?x1x5xf32, #edge>
  %n = rgnn.reshape %o : tensor<?x1x5xf32, #node> -> tensor<?x5xf32, #node>
  return %n : tensor<?x5xf32, #node>
}

// Of products by type the weights lose the dimension of heads, too.

// CHECK-LABEL: func @typed
//       CHECK: %[[W:.*]] = rgnn.reshape %{{.*}} : tensor<2x1x4x5xf32> -> tensor<2x4x5xf32>
//       CHECK: rgnn.typed_linear %{{.*}}, %[[W]] by etype in %{{.*}} : tensor<?x4xf32, #{{.*}}>, tensor<2x4x5xf32>
func.func @typed(%g: !graph, %x: tensor<?x1x4xf32, #edge>, %w: tensor<2x1x4x5xf32>) -> tensor<?x1x5xf32, #edge> {
  %y = rgnn.typed_linear %x, %w by etype in %g : tensor<?x1x4xf32, #edge>, tensor<2x1x4x5xf32>
  return %y : tensor<?x1x5xf32, #edge>
}

// Several of them, between others; what is shorter is counted from its end, and what is broadcast stays.

// CHECK-LABEL: func @several
//       CHECK: rgnn.map %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x3x2xf32, #{{.*}}>, tensor<?x2xf32, #{{.*}}>, tensor<3x1xf32>) -> tensor<?x3x2xf32
//       CHECK: rgnn.reduce_features max %{{.*}} dim 2 : tensor<?x3x2xf32
//       CHECK: rgnn.softmax %{{.*}} : tensor<?x3xf32
func.func @several(%x: tensor<?x1x3x1x2xf32, #node>, %y: tensor<?x1x2xf32, #node>, %w: tensor<3x1x1xf32>)
    -> tensor<?x1x3xf32, #node> {
  %m = rgnn.map %x, %y, %w : (tensor<?x1x3x1x2xf32, #node>, tensor<?x1x2xf32, #node>, tensor<3x1x1xf32>) -> tensor<?x1x3x1x2xf32, #node> {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %r = arith.mulf %i, %j : f32
    %s = arith.addf %r, %k : f32
    rgnn.yield %s : f32
  }
  %t = rgnn.reduce_features max %m dim 4 : tensor<?x1x3x1x2xf32, #node>
  %u = rgnn.reshape %t : tensor<?x1x3x1xf32, #node> -> tensor<?x1x3xf32, #node>
  %v = rgnn.softmax %u : tensor<?x1x3xf32, #node>
  return %v : tensor<?x1x3xf32, #node>
}

// The reduced dimension stays where it is the only one, and rows of one number stay rows of one number.

// CHECK-LABEL: func @one
//       CHECK: rgnn.reduce_features max %{{.*}} dim 1 : tensor<?x1x1xf32
//       CHECK: rgnn.map %{{.*}} : (tensor<?x1xf32, #{{.*}}>) -> tensor<?x1xf32
func.func @one(%x: tensor<?x1x1xf32, #node>) -> tensor<?x1x1xf32, #node> {
  %t = rgnn.reduce_features max %x dim 1 : tensor<?x1x1xf32, #node>
  %u = rgnn.reshape %t : tensor<?x1xf32, #node> -> tensor<?x1x1xf32, #node>
  %m = rgnn.map %u : (tensor<?x1x1xf32, #node>) -> tensor<?x1x1xf32, #node> {
  ^bb0(%i: f32):
    %r = math.exp %i : f32
    rgnn.yield %r : f32
  }
  return %m : tensor<?x1x1xf32, #node>
}
