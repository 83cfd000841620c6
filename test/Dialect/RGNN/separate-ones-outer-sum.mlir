// RUN: rgnn-opt %s --rgnn-separate-ones=outer-sum-rows=8 --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --rgnn-separate-ones --canonicalize --cse | FileCheck %s --check-prefix=OFF
// RUN: rgnn-opt %s --rgnn-separate-ones --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Outer sums of rows with a column of ones, which have no gradients. Values are compared in separate-ones-values.test.

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(2) edge_types(3)

// An outer sum makes the gradients of a weight and of its bias at once, or the sums of the other rows are the bias's.
// REMARK: [Missed] Ones | Category:rgnn-separate-ones | Function=outer_sum | Remark="rows keep their column of ones: rgnn.typed_outer_sum needs it"
// OFF-LABEL: func @outer_sum
//       OFF: rgnn.concat
// CHECK-LABEL: func @outer_sum
//  CHECK-SAME: %[[G:[a-z0-9]+]]: !rgnn.graph<@g0>, %[[X:[a-z0-9]+]]: tensor<?x8xf32, #{{.*}}>, %[[Y:[a-z0-9]+]]: tensor<?x4xf32
//   CHECK-NOT: rgnn.concat
//   CHECK-DAG: %[[U:.*]] = rgnn.gather src %[[X]] in %[[G]]
//   CHECK-DAG: %[[W:.*]] = rgnn.typed_outer_sum %[[U]], %[[Y]] by etype in %[[G]] : tensor<?x8xf32, {{.*}} -> tensor<3x8x4xf32>
//   CHECK-DAG: %[[S:.*]] = rgnn.reduce sum etype %[[Y]] in %[[G]]
//   CHECK-DAG: %[[T:.*]] = rgnn.unplace %[[S]]
//   CHECK-DAG: %[[C:.*]] = tensor.cast %[[T]] : tensor<?x4xf32> to tensor<3x4xf32>
//   CHECK-DAG: %[[B:.*]] = rgnn.reshape %[[C]] : tensor<3x4xf32> -> tensor<3x1x4xf32>
//       CHECK: %[[Z:.*]] = rgnn.concat %[[W]], %[[B]] dim 1 : tensor<3x8x4xf32>, tensor<3x1x4xf32>
//       CHECK: return %[[Z]]
func.func @outer_sum(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %y: tensor<?x4xf32, #edge>) -> tensor<3x9x4xf32> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  %u = rgnn.gather src %c in %g : tensor<?x9xf32, #node>
  %z = rgnn.typed_outer_sum %u, %y by etype in %g : tensor<?x9xf32, #edge>, tensor<?x4xf32, #edge> -> tensor<3x9x4xf32>
  return %z : tensor<3x9x4xf32>
}

// What is behind scaled rows is their scale.
// CHECK-LABEL: func @weighted_outer_sum
//  CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x1xf32, #{{.*}}>, %[[Y:[a-z0-9]+]]: tensor<?x4xf32
//   CHECK-NOT: rgnn.concat
//       CHECK: %[[M:.*]] = rgnn.map %{{.*}}, %[[A]] : (tensor<?x8xf32,
//       CHECK: %[[W:.*]] = rgnn.typed_outer_sum %[[M]], %[[Y]] by etype {{.*}} -> tensor<3x8x4xf32>
//       CHECK: %[[B:.*]] = rgnn.typed_outer_sum %[[A]], %[[Y]] by etype {{.*}} -> tensor<3x1x4xf32>
//       CHECK: rgnn.concat %[[W]], %[[B]] dim 1
func.func @weighted_outer_sum(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %a: tensor<?x1xf32, #edge>, %y: tensor<?x4xf32, #edge>) -> tensor<3x9x4xf32> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  %u = rgnn.gather src %c in %g : tensor<?x9xf32, #node>
  %m = rgnn.map %u, %a : (tensor<?x9xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x9xf32, #edge> {
  ^bb0(%b: f32, %d: f32):
    %p = arith.mulf %b, %d : f32
    rgnn.yield %p : f32
  }
  %z = rgnn.typed_outer_sum %m, %y by etype in %g : tensor<?x9xf32, #edge>, tensor<?x4xf32, #edge> -> tensor<3x9x4xf32>
  return %z : tensor<3x9x4xf32>
}

// The other factor's column stays: its sums would be those of the first.
// CHECK-LABEL: func @second_outer_sum
//       CHECK: rgnn.concat
//       CHECK: rgnn.typed_outer_sum %{{.*}} -> tensor<3x4x9xf32>
func.func @second_outer_sum(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %y: tensor<?x4xf32, #edge>) -> tensor<3x4x9xf32> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  %u = rgnn.gather src %c in %g : tensor<?x9xf32, #node>
  %z = rgnn.typed_outer_sum %y, %u by etype in %g : tensor<?x4xf32, #edge>, tensor<?x9xf32, #edge> -> tensor<3x4x9xf32>
  return %z : tensor<3x4x9xf32>
}

// CHECK-LABEL: func @outer_sum_by_ntype
//       CHECK: rgnn.typed_outer_sum %{{.*}} by ntype {{.*}} -> tensor<2x8x4xf32>
//       CHECK: rgnn.reduce sum ntype
//       CHECK: rgnn.concat
func.func @outer_sum_by_ntype(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %y: tensor<?x4xf32, #node>) -> tensor<2x9x4xf32> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  %z = rgnn.typed_outer_sum %c, %y by ntype in %g : tensor<?x9xf32, #node>, tensor<?x4xf32, #node> -> tensor<2x9x4xf32>
  return %z : tensor<2x9x4xf32>
}

// The other factor has the column, too.
// CHECK-LABEL: func @squares_outer_sum
// CHECK-COUNT-2: rgnn.typed_outer_sum %{{.*}} by ntype {{.*}} -> tensor<2x9x
func.func @squares_outer_sum(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %y: tensor<?x4xf32, #node>, %w: tensor<2x9x4xf32>) -> (tensor<2x9x4xf32>, tensor<2x9x9xf32>) {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  %z = rgnn.typed_outer_sum %c, %y by ntype in %g : tensor<?x9xf32, #node>, tensor<?x4xf32, #node> -> tensor<2x9x4xf32>
  %q = rgnn.typed_outer_sum %c, %c by ntype in %g : tensor<?x9xf32, #node>, tensor<?x9xf32, #node> -> tensor<2x9x9xf32>
  return %z, %q : tensor<2x9x4xf32>, tensor<2x9x9xf32>
}

// Ten rows take two blocks of eight, and so do nine.
// CHECK-LABEL: func @two_blocks_outer_sum
//       CHECK: rgnn.typed_outer_sum %{{.*}} by ntype {{.*}} -> tensor<2x10x4xf32>
func.func @two_blocks_outer_sum(%g: !rgnn.graph<@g0>, %x: tensor<?x9xf32, #node>, %y: tensor<?x4xf32, #node>) -> tensor<2x10x4xf32> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x9xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x9xf32, #node>, tensor<?x1xf32, #node>
  %z = rgnn.typed_outer_sum %c, %y by ntype in %g : tensor<?x10xf32, #node>, tensor<?x4xf32, #node> -> tensor<2x10x4xf32>
  return %z : tensor<2x10x4xf32>
}
