// Rows of unique pairs that reductions read, computed in their loops or stored, as machine code against the interpreter.

// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %s --rgnn-to-cpu-options="traverse-schedule=mapping:edge,task_rows:3"
// RUN: rgnn-translate --rgnn-check-gpu --seeds=2 %s | FileCheck %s --check-prefix=GPU

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#etype = #rgnn.rows<etype, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// A mean that is read by what a maximum of the same pairs is taken of: two loops of one kernel.
// CHECK: @two_reductions: compiled code agrees on 16 seeds
// GPU: @two_reductions: GPU kernels agree on 2 seeds
func.func @two_reductions(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #dst_pair>) -> tensor<?x4xf32, #node> {
  %y = rgnn.map %x : (tensor<?x4xf32, #dst_pair>) -> tensor<?x4xf32, #dst_pair> {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    rgnn.yield %p : f32
  }
  %m = rgnn.reduce mean dst %y in %g : tensor<?x4xf32, #dst_pair>
  %u = rgnn.gather dst %m in %g to dst_pair : tensor<?x4xf32, #node>
  %d = rgnn.map %y, %u : (tensor<?x4xf32, #dst_pair>, tensor<?x4xf32, #dst_pair>) -> tensor<?x4xf32, #dst_pair> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.divf %a, %b : f32
    rgnn.yield %p : f32
  }
  %z = rgnn.reduce max dst %d in %g : tensor<?x4xf32, #dst_pair>
  return %z : tensor<?x4xf32, #node>
}

// For nodes and for types: nothing is computed in the loop of either.
// CHECK: @two_paths: compiled code agrees on 16 seeds
// GPU: @two_paths: GPU kernels agree on 2 seeds
func.func @two_paths(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #dst_pair>) -> (tensor<?x4xf32, #node>, tensor<?x4xf32, #etype>, tensor<?x4xf32, #etype>) {
  %y = rgnn.map %x : (tensor<?x4xf32, #dst_pair>) -> tensor<?x4xf32, #dst_pair> {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    rgnn.yield %p : f32
  }
  %z = rgnn.reduce mean dst %y in %g : tensor<?x4xf32, #dst_pair>
  %m = rgnn.reduce max etype %y in %g : tensor<?x4xf32, #dst_pair>
  %s = rgnn.reduce sum etype %y in %g : tensor<?x4xf32, #dst_pair>
  return %z, %m, %s : tensor<?x4xf32, #node>, tensor<?x4xf32, #etype>, tensor<?x4xf32, #etype>
}

// Sums of edges, a product of them and rows of nodes, all read for pairs.
// CHECK: @products: compiled code agrees on 16 seeds
// GPU: @products: GPU kernels agree on 2 seeds
func.func @products(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>, %v: tensor<?x4xf32, #node>, %w: tensor<3x4x4xf32>) -> (tensor<?x4xf32, #node>, tensor<?x4xf32, #node>) {
  %s = rgnn.reduce sum dst_pair %x in %g : tensor<?x4xf32, #edge>
  %u = rgnn.gather dst %v in %g to dst_pair : tensor<?x4xf32, #node>
  %y = rgnn.map %s, %u : (tensor<?x4xf32, #dst_pair>, tensor<?x4xf32, #dst_pair>) -> tensor<?x4xf32, #dst_pair> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    rgnn.yield %p : f32
  }
  %m = rgnn.reduce mean dst %y in %g : tensor<?x4xf32, #dst_pair>
  %l = rgnn.typed_linear %s, %w by etype in %g : tensor<?x4xf32, #dst_pair>, tensor<3x4x4xf32>
  %t = rgnn.map %l, %u : (tensor<?x4xf32, #dst_pair>, tensor<?x4xf32, #dst_pair>) -> tensor<?x4xf32, #dst_pair> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    rgnn.yield %p : f32
  }
  %n = rgnn.reduce min dst %t in %g : tensor<?x4xf32, #dst_pair>
  return %m, %n : tensor<?x4xf32, #node>, tensor<?x4xf32, #node>
}

// Heads of sources; an inner product is narrower than its rows.
// CHECK: @heads: compiled code agrees on 16 seeds
// GPU: @heads: GPU kernels agree on 2 seeds
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x4xf32, #src_pair>, %v: tensor<?x2x4xf32, #node>) -> (tensor<?x2x4xf32, #node>, tensor<?x2xf32, #node>) {
  %s = rgnn.softmax %x : tensor<?x2x4xf32, #src_pair>
  %u = rgnn.gather src %v in %g to src_pair : tensor<?x2x4xf32, #node>
  %d = rgnn.dot %s, %u : tensor<?x2x4xf32, #src_pair>
  %y = rgnn.reduce mean src %s in %g : tensor<?x2x4xf32, #src_pair>
  %z = rgnn.reduce sum src %d in %g : tensor<?x2xf32, #src_pair>
  return %y, %z : tensor<?x2x4xf32, #node>, tensor<?x2xf32, #node>
}

// Pairs of a part of a graph.
// CHECK: @parts: compiled code agrees on 16 seeds
func.func @parts(%e: tensor<2x?xi64>, %t: tensor<?xi64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %g = rgnn.coo_graph edges(%e : tensor<2x?xi64>) types(%t : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %src, %dst = rgnn.split_graph %g : !rgnn.graph<@g1>
  %h = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %u = rgnn.gather src %h in %src : tensor<?x4xf32, #rgnn.rows<node, @g1>> part src
  %p = rgnn.reduce sum dst_pair %u in %src : tensor<?x4xf32, #rgnn.rows<edge, @g1 : src>>
  %s = rgnn.softmax %p : tensor<?x4xf32, #rgnn.rows<dst_pair, @g1 : src>>
  %m = rgnn.reduce mean dst %s in %src : tensor<?x4xf32, #rgnn.rows<dst_pair, @g1 : src>>
  %y = rgnn.unplace %m : tensor<?x4xf32, #rgnn.rows<node, @g1>>
  return %y : tensor<?x4xf32>
}
rgnn.schema @g1 edge_types(3)
