// RUN: rgnn-opt %s --canonicalize | FileCheck %s

#edge = #rgnn.rows<edge, @g0>

// CHECK-LABEL: func @unplace_of_place
//  CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32>
//       CHECK: return %[[X]]
func.func @unplace_of_place(%x: tensor<?x4xf32>, %g: !rgnn.graph<@g0>) -> tensor<?x4xf32> {
  %0 = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #edge>
  %1 = rgnn.unplace %0 : tensor<?x4xf32, #edge>
  return %1 : tensor<?x4xf32>
}

// CHECK-LABEL: func @reshape_back
//  CHECK-SAME: %[[X:[a-z0-9]+]]:
//       CHECK: return %[[X]]
func.func @reshape_back(%x: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  %0 = rgnn.reshape %x : tensor<?x4xf32, #edge> -> tensor<?x2x2xf32, #edge>
  %1 = rgnn.reshape %0 : tensor<?x2x2xf32, #edge> -> tensor<?x4xf32, #edge>
  return %1 : tensor<?x4xf32, #edge>
}

// CHECK-LABEL: func @reshape_twice
//  CHECK-SAME: %[[X:[a-z0-9]+]]:
//       CHECK: %[[Y:.*]] = rgnn.reshape %[[X]] : tensor<?x8xf32, #rgnn.rows<edge, @g0>> -> tensor<?x4x2xf32, #rgnn.rows<edge, @g0>>
//  CHECK-NEXT: return %[[Y]]
func.func @reshape_twice(%x: tensor<?x8xf32, #edge>) -> tensor<?x4x2xf32, #edge> {
  %0 = rgnn.reshape %x : tensor<?x8xf32, #edge> -> tensor<?x2x4xf32, #edge>
  %1 = rgnn.reshape %0 : tensor<?x2x4xf32, #edge> -> tensor<?x4x2xf32, #edge>
  return %1 : tensor<?x4x2xf32, #edge>
}

// CHECK-LABEL: func @reshape_back_on_another_graph
//  CHECK-SAME: %[[X:[a-z0-9]+]]:
//       CHECK: %[[P:.*]] = rgnn.unplace %[[X]] : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
//       CHECK: %[[Y:.*]] = rgnn.place %[[P]]
//   CHECK-NOT: rgnn.reshape
//       CHECK: return %[[Y]]
func.func @reshape_back_on_another_graph(%x: tensor<?x4xf32, #edge>, %g: !rgnn.graph<@g0>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>> {
  %0 = rgnn.reshape %x : tensor<?x4xf32, #edge> -> tensor<?x2x2xf32, #edge>
  %1 = rgnn.unplace %0 : tensor<?x2x2xf32, #edge>
  %2 = rgnn.place %1 in %g : tensor<?x2x2xf32> -> tensor<?x2x2xf32, #rgnn.rows<node, @g0>>
  %3 = rgnn.reshape %2 : tensor<?x2x2xf32, #rgnn.rows<node, @g0>> -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return %3 : tensor<?x4xf32, #rgnn.rows<node, @g0>>
}

// CHECK-LABEL: func @identity_order
//   CHECK-NOT: rgnn.permute %{{.*}} [0, 1]
//       CHECK: rgnn.permute %{{.*}} [1, 0]
//   CHECK-NOT: rgnn.permute
func.func @identity_order(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
  %0 = rgnn.permute %x [0, 1] : tensor<2x3xf32>
  %1 = rgnn.permute %x [1, 0] : tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: func @unused_and_repeated_inputs
//  CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32, #{{[^,]*}}, @g0>>, %[[Y:[a-z0-9]+]]:
//       CHECK: rgnn.map %[[X]] : (
//       CHECK: ^bb0(%[[A:.*]]: f32):
//       CHECK: arith.addf %[[A]], %[[A]] : f32
func.func @unused_and_repeated_inputs(%x: tensor<?x4xf32, #edge>, %y: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  %0 = rgnn.map %x, %y, %x : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    rgnn.yield %s : f32
  }
  return %0 : tensor<?x4xf32, #edge>
}

// CHECK-LABEL: func @identity_map
//  CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32, #{{[^,]*}}, @g0>>, %[[B:[a-z0-9]+]]:
//       CHECK: %[[WIDE:.*]] = rgnn.map %[[B]]
//       CHECK: return %[[X]], %[[WIDE]]
func.func @identity_map(%x: tensor<?x4xf32, #edge>, %b: tensor<?x1xf32, #edge>) -> (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) {
  %0 = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    rgnn.yield %a : f32
  }
  %1 = rgnn.map %b : (tensor<?x1xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    rgnn.yield %a : f32
  }
  return %0, %1 : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>
}

// A map that ignores its inputs keeps one that says how many rows there are.
// CHECK-LABEL: func @ones
//  CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32, #{{[^,]*}}, @g0>>
//       CHECK: rgnn.map %[[X]] : (
func.func @ones(%x: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  %0 = rgnn.map %x, %x : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  return %0 : tensor<?x4xf32, #edge>
}

// An operand without rows does not say how many there are.
// CHECK-LABEL: func @repeat
//  CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[X:[a-z0-9]+]]: tensor<?x4xf32, #{{[^,]*}}, @g0>>
//       CHECK: rgnn.map %[[B]], %[[X]] : (
func.func @repeat(%b: tensor<4xf32>, %x: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  %0 = rgnn.map %b, %x, %x : (tensor<4xf32>, tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32, %c: f32, %d: f32):
    rgnn.yield %a : f32
  }
  return %0 : tensor<?x4xf32, #edge>
}

// Rows of one number are scaled; more are multiplied, and so is a tensor without rows.
// CHECK-LABEL: func @one_number
//  CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x2x1xf32, #{{.*}}>, %[[W:[a-z0-9]+]]: tensor<8x1xf32>, %[[U:[a-z0-9]+]]: tensor<3x1xf32>
//       CHECK: %[[F:.*]] = rgnn.reshape %[[W]] : tensor<8x1xf32> -> tensor<8xf32>
//       CHECK: rgnn.map %[[X]], %[[F]]
//       CHECK:   arith.mulf
//   CHECK-NOT: rgnn.map
//       CHECK: rgnn.linear %[[U]], %[[W]] transposed
func.func @one_number(%x: tensor<?x2x1xf32, #edge>, %w: tensor<8x1xf32>, %u: tensor<3x1xf32>) -> (tensor<?x2x8xf32, #edge>, tensor<3x8xf32>) {
  %0 = rgnn.linear %x, %w transposed : tensor<?x2x1xf32, #edge>, tensor<8x1xf32>
  %1 = rgnn.linear %u, %w transposed : tensor<3x1xf32>, tensor<8x1xf32>
  return %0, %1 : tensor<?x2x8xf32, #edge>, tensor<3x8xf32>
}

// An operand that nothing reads stays where only it says how large the result is.
// CHECK-LABEL: func @size_of_plain(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<4xf32>
//       CHECK:   rgnn.map %[[X]], %[[B]] : (tensor<?x4xf32>, tensor<4xf32>)
func.func @size_of_plain(%x: tensor<?x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %0 = rgnn.map %x, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %c, %c : f32
    rgnn.yield %r : f32
  }
  return %0 : tensor<?x4xf32>
}

// Where dimensions of one element alone change places, no element does.
// CHECK-LABEL: func @permute_of_ones
//  CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<1x5x4x1x3xf32>, %[[X:[a-z0-9]+]]: tensor<?x1x4x
//   CHECK-DAG: %[[A:.*]] = rgnn.reshape %[[W]] : tensor<1x5x4x1x3xf32> -> tensor<5x1x1x4x3xf32>
//   CHECK-DAG: %[[B:.*]] = rgnn.reshape %[[X]] : tensor<?x1x4xf32, #{{.*}}> -> tensor<?x4x1xf32, #{{.*}}>
//   CHECK-DAG: %[[C:.*]] = rgnn.permute %[[W]] [0, 2, 1, 3, 4]
//       CHECK: return %[[A]], %[[B]], %[[C]]
func.func @permute_of_ones(%w: tensor<1x5x4x1x3xf32>, %x: tensor<?x1x4xf32, #edge>)
    -> (tensor<5x1x1x4x3xf32>, tensor<?x4x1xf32, #edge>, tensor<1x4x5x1x3xf32>) {
  %0 = rgnn.permute %w [1, 0, 3, 2, 4] : tensor<1x5x4x1x3xf32>
  %1 = rgnn.permute %x [0, 2, 1] : tensor<?x1x4xf32, #edge>
  %2 = rgnn.permute %w [0, 2, 1, 3, 4] : tensor<1x5x4x1x3xf32>
  return %0, %1, %2 : tensor<5x1x1x4x3xf32>, tensor<?x4x1xf32, #edge>, tensor<1x4x5x1x3xf32>
}

// A sum of outer products is transposed by exchanging its factors, but to shorter rows: kernels compute vectors of a row.
// CHECK-LABEL: func @permute_of_sums
//  CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x64xf32, #{{.*}}>, %[[Y:[a-z0-9]+]]: tensor<?x33xf32, #{{.*}}>, %[[G:[a-z0-9]+]]:
//   CHECK-DAG: %[[A:.*]] = rgnn.typed_outer_sum %[[Y]], %[[X]] by etype in %[[G]]{{.*}}-> tensor<5x33x64xf32>
//   CHECK-DAG: %[[B:.*]] = rgnn.outer_sum %[[Y]], %[[X]]
//   CHECK-DAG: %[[C:.*]] = rgnn.typed_outer_sum %[[Y]], %[[X]] by etype in %[[G]]{{.*}}-> tensor<5x33x64xf32>
//   CHECK-DAG: %[[D:.*]] = rgnn.permute %[[C]] [0, 2, 1]
//   CHECK-DAG: %[[E:.*]] = rgnn.typed_outer_sum %[[X]], %[[Y]]
//   CHECK-DAG: %[[F:.*]] = rgnn.permute %[[E]] [0, 2, 1]
//       CHECK: return %[[A]], %[[B]], %[[D]], %[[E]], %[[F]]
func.func @permute_of_sums(%x: tensor<?x64xf32, #edge>, %y: tensor<?x33xf32, #edge>, %g: !rgnn.graph<@g0>)
    -> (tensor<5x33x64xf32>, tensor<33x64xf32>, tensor<5x64x33xf32>, tensor<5x64x33xf32>, tensor<5x33x64xf32>) {
  %0 = rgnn.typed_outer_sum %x, %y by etype in %g : tensor<?x64xf32, #edge>, tensor<?x33xf32, #edge> -> tensor<5x64x33xf32>
  %1 = rgnn.permute %0 [0, 2, 1] : tensor<5x64x33xf32>
  %2 = rgnn.outer_sum %x, %y : tensor<?x64xf32, #edge>, tensor<?x33xf32, #edge>
  %3 = rgnn.permute %2 [1, 0] : tensor<64x33xf32>
  %4 = rgnn.typed_outer_sum %y, %x by etype in %g : tensor<?x33xf32, #edge>, tensor<?x64xf32, #edge> -> tensor<5x33x64xf32>
  %5 = rgnn.permute %4 [0, 2, 1] : tensor<5x33x64xf32>
  %6 = rgnn.typed_outer_sum %x, %y by etype in %g {read_twice} : tensor<?x64xf32, #edge>, tensor<?x33xf32, #edge> -> tensor<5x64x33xf32>
  %7 = rgnn.permute %6 [0, 2, 1] : tensor<5x64x33xf32>
  return %1, %3, %5, %6, %7 : tensor<5x33x64xf32>, tensor<33x64xf32>, tensor<5x64x33xf32>, tensor<5x64x33xf32>, tensor<5x33x64xf32>
}

// Gradients of slices of columns, and of the rows of a node type, are joined: nothing is added to zeros.
#node = #rgnn.rows<node, @g1>
#node0 = #rgnn.rows<node, @g1, type = 0>
#node1 = #rgnn.rows<node, @g1, type = 1>
rgnn.schema @g1 node_types(2)

// CHECK-LABEL: func @joined_columns
//  CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x2xf32, {{.*}}>, %[[B:[a-z0-9]+]]: tensor<?x3xf32, {{.*}}>
//       CHECK: %[[Z:.*]] = rgnn.map %{{.*}} -> tensor<?x1xf32, #rgnn.rows<edge, @g0>>
//       CHECK: arith.constant 0.0
//       CHECK: %[[C:.*]] = rgnn.concat %[[A]], %[[Z]], %[[B]] dim 1 : tensor<?x2xf32, {{.*}}>, tensor<?x1xf32, {{.*}}>, tensor<?x3xf32, {{.*}}>
//       CHECK: return %[[C]]
func.func @joined_columns(%a: tensor<?x2xf32, #edge>, %b: tensor<?x3xf32, #edge>, %one: tensor<?x1xf32, #edge>) -> tensor<?x6xf32, #edge> {
  %z4 = rgnn.map %one : (tensor<?x1xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%x: f32):
    %zero = arith.constant 0.0 : f32
    rgnn.yield %zero : f32
  }
  %z3 = rgnn.map %b : (tensor<?x3xf32, #edge>) -> tensor<?x3xf32, #edge> {
  ^bb0(%x: f32):
    %zero = arith.constant 0.0 : f32
    rgnn.yield %zero : f32
  }
  %0 = rgnn.concat %a, %z4 dim 1 : tensor<?x2xf32, #edge>, tensor<?x4xf32, #edge>
  %1 = rgnn.concat %z3, %b dim 1 : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>
  %2 = rgnn.map %0, %1 : (tensor<?x6xf32, #edge>, tensor<?x6xf32, #edge>) -> tensor<?x6xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    rgnn.yield %s : f32
  }
  return %2 : tensor<?x6xf32, #edge>
}

// CHECK-LABEL: func @overlapping_columns
//       CHECK: arith.addf
func.func @overlapping_columns(%a: tensor<?x2xf32, #edge>, %b: tensor<?x3xf32, #edge>, %one: tensor<?x1xf32, #edge>) -> tensor<?x4xf32, #edge> {
  %z2 = rgnn.map %a : (tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%x: f32):
    %zero = arith.constant 0.0 : f32
    rgnn.yield %zero : f32
  }
  %z1 = rgnn.map %one : (tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%x: f32):
    %zero = arith.constant 0.0 : f32
    rgnn.yield %zero : f32
  }
  %0 = rgnn.concat %a, %z2 dim 1 : tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>
  %1 = rgnn.concat %z1, %b dim 1 : tensor<?x1xf32, #edge>, tensor<?x3xf32, #edge>
  %2 = rgnn.map %0, %1 : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    rgnn.yield %s : f32
  }
  return %2 : tensor<?x4xf32, #edge>
}

// CHECK-LABEL: func @joined_types
//  CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x2xf32, {{.*}}>, %[[B:[a-z0-9]+]]: tensor<?x2xf32,
//       CHECK: %[[C:.*]] = rgnn.concat_types %[[A]], %[[B]] in
//       CHECK: return %[[C]]
func.func @joined_types(%g: !rgnn.graph<@g1>, %a: tensor<?x2xf32, #node0>, %b: tensor<?x2xf32, #node1>) -> tensor<?x2xf32, #node> {
  %za = rgnn.map %a : (tensor<?x2xf32, #node0>) -> tensor<?x2xf32, #node0> {
  ^bb0(%x: f32):
    %zero = arith.constant 0.0 : f32
    rgnn.yield %zero : f32
  }
  %zb = rgnn.map %b : (tensor<?x2xf32, #node1>) -> tensor<?x2xf32, #node1> {
  ^bb0(%x: f32):
    %zero = arith.constant 0.0 : f32
    rgnn.yield %zero : f32
  }
  %0 = rgnn.concat_types %a, %zb in %g : (tensor<?x2xf32, #node0>, tensor<?x2xf32, #node1>) -> tensor<?x2xf32, #node>
  %1 = rgnn.concat_types %za, %b in %g : (tensor<?x2xf32, #node0>, tensor<?x2xf32, #node1>) -> tensor<?x2xf32, #node>
  %2 = rgnn.map %0, %1 : (tensor<?x2xf32, #node>, tensor<?x2xf32, #node>) -> tensor<?x2xf32, #node> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    rgnn.yield %s : f32
  }
  return %2 : tensor<?x2xf32, #node>
}

// A part of a table by type is taken before nodes look up its rows; rows of nodes are sliced where they are.
// CHECK-LABEL: func.func @slice_of_table(
//       CHECK:   %[[S:.*]] = rgnn.slice %{{.*}} dim 1 from 4 size 2 : tensor<3x6xf32>
//       CHECK:   %[[P:.*]] = rgnn.place %[[S]]
//       CHECK:   %[[T:.*]] = rgnn.gather ntype %[[P]]
//       CHECK:   %[[G:.*]] = rgnn.gather src
//       CHECK:   %[[U:.*]] = rgnn.slice %[[G]]
//       CHECK:   return %[[T]], %[[U]]
func.func @slice_of_table(%g: !rgnn.graph<@types>, %b: tensor<3x6xf32>, %x: tensor<?x6xf32, #rgnn.rows<node, @types>>)
    -> (tensor<?x2xf32, #rgnn.rows<node, @types>>, tensor<?x2xf32, #rgnn.rows<edge, @types>>) {
  %p = rgnn.place %b in %g : tensor<3x6xf32> -> tensor<3x6xf32, #rgnn.rows<ntype, @types>>
  %t = rgnn.gather ntype %p in %g to node : tensor<3x6xf32, #rgnn.rows<ntype, @types>>
  %s = rgnn.slice %t dim 1 from 4 size 2 : tensor<?x6xf32, #rgnn.rows<node, @types>>
  %h = rgnn.gather src %x in %g : tensor<?x6xf32, #rgnn.rows<node, @types>>
  %u = rgnn.slice %h dim 1 from 4 size 2 : tensor<?x6xf32, #rgnn.rows<edge, @types>>
  return %s, %u : tensor<?x2xf32, #rgnn.rows<node, @types>>, tensor<?x2xf32, #rgnn.rows<edge, @types>>
}
rgnn.schema @types node_types(3) edge_types(1) src_types([0]) dst_types([1])
