// RUN: rgnn-opt %s | rgnn-opt | FileCheck %s
// RUN: rgnn-opt %s --mlir-print-op-generic | rgnn-opt | FileCheck %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#pair = #rgnn.rows<dst_pair, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>

// CHECK: rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// CHECK-LABEL: func @graphs
func.func @graphs(%ei: tensor<2x?xi64>, %et: tensor<?xi64>, %n: index) {
  // CHECK: rgnn.coo_graph edges(%{{.*}} : tensor<2x?xi64>) types(%{{.*}} : tensor<?xi64>) nodes(%{{.*}}) : !rgnn.graph<@g0>
  %0 = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) types(%et : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
  // CHECK: rgnn.coo_graph edges(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x?xi64>, tensor<2x?xi64>, tensor<2x?xi64>) nodes(%{{.*}}, %{{.*}}) : !rgnn.graph<@g0>
  %1 = rgnn.coo_graph edges(%ei, %ei, %ei : tensor<2x?xi64>, tensor<2x?xi64>, tensor<2x?xi64>) nodes(%n, %n) : !rgnn.graph<@g0>
  // CHECK: rgnn.constant_graph src([0, 0, 2]) dst([1, 1, 2]) types([0, 1, 1]) nodes([3, 1]) : !rgnn.graph<@g0>
  %2 = rgnn.constant_graph src([0, 0, 2]) dst([1, 1, 2]) types([0, 1, 1]) nodes([3, 1]) : !rgnn.graph<@g0>
  // CHECK: rgnn.split_graph %{{.*}} : !rgnn.graph<@g0>
  %3, %4 = rgnn.split_graph %2 : !rgnn.graph<@g0>
  return
}

// CHECK-LABEL: func @movement
func.func @movement(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32>, %table: tensor<3x9x5xf32>, %bases: tensor<2x9x5xf32>, %comp: tensor<3x2xf32>) -> tensor<?x4xf32> {
  // CHECK: rgnn.place %{{.*}} in %{{.*}} : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %h = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #node>
  // CHECK: rgnn.gather src %{{.*}} in %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %u = rgnn.gather src %h in %g : tensor<?x4xf32, #node>
  // CHECK: rgnn.gather dst %{{.*}} in %{{.*}} to dst_pair : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %v = rgnn.gather dst %h in %g to dst_pair : tensor<?x4xf32, #node>
  // CHECK: rgnn.group_softmax dst_pair %{{.*}} in %{{.*}} : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  %a = rgnn.group_softmax dst_pair %u in %g : tensor<?x4xf32, #edge>
  // CHECK: rgnn.group_excess dst %{{.*}} over %{{.*}} in %{{.*}} : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  %x0 = rgnn.group_excess dst %u over %a in %g : tensor<?x4xf32, #edge>
  // CHECK: rgnn.group_sum_below dst %{{.*}} where %{{.*}} below %{{.*}} in %{{.*}} : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  %x1 = rgnn.group_sum_below dst %u where %a below %x0 in %g : tensor<?x4xf32, #edge>
  // CHECK: rgnn.degree dst_pair in %{{.*}} : tensor<?xf32, #rgnn.rows<dst_pair, @g0>>
  %d = rgnn.degree dst_pair in %g : tensor<?xf32, #pair>
  // CHECK: rgnn.lookup src %{{.*}} in %{{.*}} : (tensor<3x9x5xf32>) -> !rgnn.graph<@g0>
  %l = rgnn.lookup src %table in %g : (tensor<3x9x5xf32>) -> !rgnn.graph<@g0>
  // CHECK: rgnn.lookup src %{{.*}} bases(%{{.*}}) in %{{.*}} : (tensor<2x9x5xf32>, tensor<3x2xf32>) -> !rgnn.graph<@g0>
  %b = rgnn.lookup src %bases bases(%comp) in %g : (tensor<2x9x5xf32>, tensor<3x2xf32>) -> !rgnn.graph<@g0>
  // CHECK: rgnn.lookup_sum src %{{.*}} in %{{.*}} : tensor<?x5xf32, #rgnn.rows<edge, @g0>> -> tensor<3x9x5xf32>
  %dt = rgnn.lookup_sum src %l in %g : tensor<?x5xf32, #edge> -> tensor<3x9x5xf32>
  // CHECK: rgnn.slice_type %{{.*}} in %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @g0>> -> tensor<?x4xf32, #rgnn.rows<node, @g0, type = 0>>
  %p = rgnn.slice_type %h in %g : tensor<?x4xf32, #node> -> tensor<?x4xf32, #node0>
  %q = rgnn.slice_type %h in %g : tensor<?x4xf32, #node> -> tensor<?x4xf32, #node1>
  // CHECK: rgnn.concat_types %{{.*}}, %{{.*}} in %{{.*}} : (tensor<?x4xf32, #rgnn.rows<node, @g0, type = 0>>, tensor<?x4xf32, #rgnn.rows<node, @g0, type = 1>>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %r = rgnn.concat_types %p, %q in %g : (tensor<?x4xf32, #node0>, tensor<?x4xf32, #node1>) -> tensor<?x4xf32, #node>
  // CHECK: rgnn.concat_rows %{{.*}}, %{{.*}} in %{{.*}} : (tensor<?x4xf32, #rgnn.rows<node, @g0, type = 0>>, tensor<?x4xf32, #rgnn.rows<node, @g0, type = 1>>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %j = rgnn.concat_rows %p, %q in %g : (tensor<?x4xf32, #node0>, tensor<?x4xf32, #node1>) -> tensor<?x4xf32, #node>
  // CHECK: rgnn.regroup_rows %{{.*}} in %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @g0, type = 0>> -> tensor<?x2x4xf32, #rgnn.rows<node, @g0, type = 1>>
  %t = rgnn.regroup_rows %p in %g : tensor<?x4xf32, #node0> -> tensor<?x2x4xf32, #node1>
  // CHECK: rgnn.slice_rows %{{.*}} after [#rgnn.rows<node, @g0, type = 0>] in %{{.*}}, %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @g0>> -> tensor<?x4xf32, #rgnn.rows<node, @g0, type = 1>>(!rgnn.graph<@g0>, !rgnn.graph<@g0>)
  %k = rgnn.slice_rows %j after [#node0] in %g, %g : tensor<?x4xf32, #node> -> tensor<?x4xf32, #node1> (!rgnn.graph<@g0>, !rgnn.graph<@g0>)
  // CHECK: rgnn.reduce max dst %{{.*}} in %{{.*}} : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  %s = rgnn.reduce max dst %a in %g : tensor<?x4xf32, #edge>
  // CHECK: rgnn.unplace %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %y = rgnn.unplace %s : tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func @rows
func.func @rows(%g: !rgnn.graph<@g0>, %u: tensor<?x8xf32, #edge>, %w: tensor<8x6xf32>, %wt: tensor<3x8x6xf32>, %b: tensor<6xf32>) -> tensor<?x3xf32, #edge> {
  // CHECK: rgnn.matmul %{{.*}}, %{{.*}} : tensor<3x8x6xf32>, tensor<3x6x2xf32>
  %wv = rgnn.slice %wt dim 1 from 0 size 6 : tensor<3x8x6xf32>
  %v = rgnn.slice %wv dim 2 from 0 size 2 : tensor<3x6x6xf32>
  %p = rgnn.matmul %wt, %v : tensor<3x8x6xf32>, tensor<3x6x2xf32>
  // CHECK: rgnn.linear %{{.*}}, %{{.*}} : tensor<?x8xf32, #rgnn.rows<edge, @g0>>, tensor<8x6xf32>
  %0 = rgnn.linear %u, %w : tensor<?x8xf32, #edge>, tensor<8x6xf32>
  // CHECK: rgnn.linear %{{.*}}, %{{.*}} transposed : tensor<?x6xf32, #rgnn.rows<edge, @g0>>, tensor<8x6xf32>
  %1 = rgnn.linear %0, %w transposed : tensor<?x6xf32, #edge>, tensor<8x6xf32>
  // CHECK: rgnn.typed_linear %{{.*}}, %{{.*}} by etype in %{{.*}} : tensor<?x8xf32, #rgnn.rows<edge, @g0>>, tensor<3x8x6xf32>
  %2 = rgnn.typed_linear %1, %wt by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x6xf32>
  // CHECK: rgnn.outer_sum %{{.*}}, %{{.*}} : tensor<?x8xf32, #rgnn.rows<edge, @g0>>, tensor<?x6xf32, #rgnn.rows<edge, @g0>>
  %dw = rgnn.outer_sum %1, %2 : tensor<?x8xf32, #edge>, tensor<?x6xf32, #edge>
  // CHECK: rgnn.typed_outer_sum %{{.*}}, %{{.*}} by etype in %{{.*}} : tensor<?x8xf32, #rgnn.rows<edge, @g0>>, tensor<?x6xf32, #rgnn.rows<edge, @g0>> -> tensor<3x8x6xf32>
  %dwt = rgnn.typed_outer_sum %1, %2 by etype in %g : tensor<?x8xf32, #edge>, tensor<?x6xf32, #edge> -> tensor<3x8x6xf32>
  // CHECK: rgnn.sum_rows %{{.*}} : tensor<?x6xf32, #rgnn.rows<edge, @g0>>
  %db = rgnn.sum_rows %2 : tensor<?x6xf32, #edge>
  // CHECK: rgnn.map %{{.*}}, %{{.*}} : (tensor<?x6xf32, #rgnn.rows<edge, @g0>>, tensor<6xf32>) -> tensor<?x6xf32, #rgnn.rows<edge, @g0>>
  %3 = rgnn.map %2, %b : (tensor<?x6xf32, #edge>, tensor<6xf32>) -> tensor<?x6xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    rgnn.yield %z : f32
  }
  // CHECK: rgnn.reshape %{{.*}} : tensor<?x6xf32, #rgnn.rows<edge, @g0>> -> tensor<?x2x3xf32, #rgnn.rows<edge, @g0>>
  %4 = rgnn.reshape %3 : tensor<?x6xf32, #edge> -> tensor<?x2x3xf32, #edge>
  // CHECK: rgnn.permute %{{.*}} [0, 2, 1] : tensor<?x2x3xf32, #rgnn.rows<edge, @g0>>
  %5 = rgnn.permute %4 [0, 2, 1] : tensor<?x2x3xf32, #edge>
  // CHECK: rgnn.slice %{{.*}} dim 1 from 1 size 2 : tensor<?x3x2xf32, #rgnn.rows<edge, @g0>>
  %6 = rgnn.slice %5 dim 1 from 1 size 2 : tensor<?x3x2xf32, #edge>
  // CHECK: rgnn.concat %{{.*}}, %{{.*}} dim 1 : tensor<?x3x2xf32, #rgnn.rows<edge, @g0>>, tensor<?x2x2xf32, #rgnn.rows<edge, @g0>>
  %7 = rgnn.concat %5, %6 dim 1 : tensor<?x3x2xf32, #edge>, tensor<?x2x2xf32, #edge>
  // CHECK: rgnn.dot %{{.*}}, %{{.*}} : tensor<?x2x3xf32, #rgnn.rows<edge, @g0>>
  %8 = rgnn.dot %4, %4 : tensor<?x2x3xf32, #edge>
  // CHECK: rgnn.reduce_features mean %{{.*}} dim 1 : tensor<?x2x3xf32, #rgnn.rows<edge, @g0>>
  %9 = rgnn.reduce_features mean %4 dim 1 : tensor<?x2x3xf32, #edge>
  // CHECK: rgnn.softmax log %{{.*}} : tensor<?x3xf32, #rgnn.rows<edge, @g0>>
  %10 = rgnn.softmax log %9 : tensor<?x3xf32, #edge>
  // CHECK: rgnn.norm %{{.*}} : tensor<?x2x3xf32, #rgnn.rows<edge, @g0>>
  %11 = rgnn.norm %4 : tensor<?x2x3xf32, #edge>
  // CHECK: rgnn.cross %{{.*}}, %{{.*}} : tensor<?x2x3xf32, #rgnn.rows<edge, @g0>>, tensor<?x2x3xf32, #rgnn.rows<edge, @g0>>
  %12 = rgnn.cross %4, %4 : tensor<?x2x3xf32, #edge>, tensor<?x2x3xf32, #edge>
  // CHECK: rgnn.detach %{{.*}} : tensor<?x2x3xf32, #rgnn.rows<edge, @g0>>
  %13 = rgnn.detach %4 : tensor<?x2x3xf32, #edge>
  // CHECK: rgnn.with_slope %{{.*}} by %{{.*}} slope %{{.*}} : tensor<?x2x3xf32, #rgnn.rows<edge, @g0>>
  %14 = rgnn.with_slope %13 by %4 slope %12 : tensor<?x2x3xf32, #edge>
  return %10 : tensor<?x3xf32, #edge>
}

// CHECK-LABEL: func @torch
func.func @torch(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: rgnn.torch "aten.add.Tensor"(%{{.*}}) [#rgnn.operand<0>, [#rgnn.operand<0>, 3], 2.000000e-01, unit, "sum", true] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = rgnn.torch "aten.add.Tensor"(%x) [#rgnn.operand<0>, [#rgnn.operand<0>, 3], 0.2, unit, "sum", true] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
