// Backward functions as machine code against the interpreter: sums of products over rows by type, over all rows and over
// heads, of biases, of slices; gathers and reductions along the other end of edges; factors that are not read.

// RUN: rgnn-opt %s --rgnn-differentiate > %t.mlir
// RUN: rgnn-translate --rgnn-check-compiled %t.mlir | FileCheck %s
// RUN: sed s/f32/f64/g %t.mlir > %t.f64.mlir
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %t.f64.mlir --rgnn-to-cpu-options="serial-below=0 gemm-schedule=tile_rows:12" | FileCheck %s --check-prefix=FOUR

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// CHECK: @attention: compiled code agrees on 16 seeds
// CHECK: @attention_backward: compiled code agrees on 16 seeds
// FOUR: @attention_backward: compiled code agrees on 4 seeds
func.func @attention(%g: !rgnn.graph<@g0>, %x: tensor<?x10xf32, #node>, %w: tensor<3x2x5x3xf32>, %v: tensor<2x10x10xf32>, %k: tensor<3x1xf32>, %bias: tensor<2x3xf32>)
    -> tensor<?x2x3xf32, #node> {
  %p = rgnn.typed_linear %x, %v by ntype in %g : tensor<?x10xf32, #node>, tensor<2x10x10xf32>
  %h = rgnn.reshape %p : tensor<?x10xf32, #node> -> tensor<?x2x5xf32, #node>
  %u = rgnn.gather src %h in %g : tensor<?x2x5xf32, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x2x5xf32, #edge>, tensor<3x2x5x3xf32>
  %score = rgnn.linear %z, %k : tensor<?x2x3xf32, #edge>, tensor<3x1xf32>
  %att = rgnn.group_softmax dst %score in %g : tensor<?x2x1xf32, #edge>
  %m = rgnn.map %att, %z : (tensor<?x2x1xf32, #edge>, tensor<?x2x3xf32, #edge>) -> tensor<?x2x3xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst %m in %g : tensor<?x2x3xf32, #edge>
  %y = rgnn.map %s, %bias : (tensor<?x2x3xf32, #node>, tensor<2x3xf32>) -> tensor<?x2x3xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.addf %a, %b : f32
    rgnn.yield %q : f32
  }
  return %y : tensor<?x2x3xf32, #node>
}

// Rows once for each pair, with weights that are products themselves.
// CHECK: @pairs_backward: compiled code agrees on 16 seeds
// FOUR: @pairs_backward: compiled code agrees on 4 seeds
func.func @pairs(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<3x4x3xf32>, %a: tensor<4x5xf32>, %b: tensor<3x5xf32>)
    -> (tensor<?x3xf32, #node>, tensor<?x3xf32, #node>) {
  %u = rgnn.gather src %x in %g to src_pair : tensor<?x4xf32, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf32, #src_pair>, tensor<3x4x3xf32>
  %e = rgnn.gather src_pair %z in %g : tensor<?x3xf32, #src_pair>
  %mean = rgnn.reduce mean dst %e in %g : tensor<?x3xf32, #edge>
  %c = rgnn.linear %a, %b transposed : tensor<4x5xf32>, tensor<3x5xf32>
  %y = rgnn.linear %x, %c : tensor<?x4xf32, #node>, tensor<4x3xf32>
  return %mean, %y : tensor<?x3xf32, #node>, tensor<?x3xf32, #node>
}

// CHECK: @shapes_backward: compiled code agrees on 16 seeds
// FOUR: @shapes_backward: compiled code agrees on 4 seeds
func.func @shapes(%g: !rgnn.graph<@g0>, %x: tensor<?x2x3xf32, #node>, %m: tensor<?x2x1xf32, #edge>, %w: tensor<2x3x4xf32>)
    -> (tensor<?x2xf32, #node>, tensor<4x2x3xf32>, tensor<?x2x1xf32, #edge>) {
  %u = rgnn.gather src %x in %g : tensor<?x2x3xf32, #node>
  %c = rgnn.concat %u, %m dim 2 : tensor<?x2x3xf32, #edge>, tensor<?x2x1xf32, #edge>
  %p = rgnn.permute %c [0, 2, 1] : tensor<?x2x4xf32, #edge>
  %max = rgnn.reduce_features max %p dim 1 : tensor<?x4x2xf32, #edge>
  %s = rgnn.reduce sum dst %max in %g : tensor<?x2xf32, #edge>
  %t = rgnn.slice %c dim 2 from 1 size 1 : tensor<?x2x4xf32, #edge>
  %v = rgnn.permute %w [2, 0, 1] : tensor<2x3x4xf32>
  return %s, %v, %t : tensor<?x2xf32, #node>, tensor<4x2x3xf32>, tensor<?x2x1xf32, #edge>
}

// Weights of each type and node; messages are moved, computed and as they are.
// CHECK: @table_backward: compiled code agrees on 16 seeds
// FOUR: @table_backward: compiled code agrees on 4 seeds
func.func @table(%g: !rgnn.graph<@g1>, %table: tensor<3x9x5xf32>, %other: tensor<3x9x33xf32>, %x: tensor<?x5xf32, #rgnn.rows<edge, @g1>>)
    -> (tensor<?x5xf32, #rgnn.rows<node, @g1>>, tensor<?x33xf32, #rgnn.rows<node, @g1>>, tensor<?x5xf32, #rgnn.rows<edge, @g1>>) {
  %0 = rgnn.lookup src %table in %g : (tensor<3x9x5xf32>) -> !rgnn.graph<@g1>
  %1 = rgnn.reduce sum dst %0 in %g : tensor<?x5xf32, #rgnn.rows<edge, @g1>>
  %2 = rgnn.lookup dst %other in %g : (tensor<3x9x33xf32>) -> !rgnn.graph<@g1>
  %3 = rgnn.reduce mean src %2 in %g : tensor<?x33xf32, #rgnn.rows<edge, @g1>>
  %4 = rgnn.map %0, %x : (tensor<?x5xf32, #rgnn.rows<edge, @g1>>, tensor<?x5xf32, #rgnn.rows<edge, @g1>>) -> tensor<?x5xf32, #rgnn.rows<edge, @g1>> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    rgnn.yield %q : f32
  }
  return %1, %3, %4 : tensor<?x5xf32, #rgnn.rows<node, @g1>>, tensor<?x33xf32, #rgnn.rows<node, @g1>>, tensor<?x5xf32, #rgnn.rows<edge, @g1>>
}

// CHECK: @lookup_sum: compiled code agrees on 16 seeds
// CHECK: @lookup_sum_backward: compiled code agrees on 16 seeds
// FOUR: @lookup_sum_backward: compiled code agrees on 4 seeds
func.func @lookup_sum(%g: !rgnn.graph<@g1>, %m: tensor<?x4xf32, #rgnn.rows<edge, @g1>>, %p: tensor<?x4xf32, #rgnn.rows<dst_pair, @g1>>)
    -> (tensor<3x9x4xf32>, tensor<3x9x4xf32>) {
  %0 = rgnn.lookup_sum dst %m in %g : tensor<?x4xf32, #rgnn.rows<edge, @g1>> -> tensor<3x9x4xf32>
  %e = rgnn.gather dst_pair %p in %g : tensor<?x4xf32, #rgnn.rows<dst_pair, @g1>>
  %1 = rgnn.lookup_sum src %e in %g : tensor<?x4xf32, #rgnn.rows<edge, @g1>> -> tensor<3x9x4xf32>
  return %0, %1 : tensor<3x9x4xf32>, tensor<3x9x4xf32>
}
rgnn.schema @g1 edge_types(3)

// Rows, ones and zeros that are made of the graph.
// CHECK: @made_of_the_graph_backward: compiled code agrees on 16 seeds
// FOUR: @made_of_the_graph_backward: compiled code agrees on 4 seeds
func.func @made_of_the_graph(%g: !rgnn.graph<@g0>, %x: tensor<?x3xf32, #node>, %m: tensor<?x2x3xf32, #edge>, %p: tensor<?x3xf32, #src_pair>)
    -> (tensor<3xf32>, tensor<2x3xf32>, tensor<?x3xf32, #node>, tensor<?x3xf32, #rgnn.rows<node, @g0, type = 1>>) {
  %0 = rgnn.sum_rows %x : tensor<?x3xf32, #node>
  %1 = rgnn.sum_rows %m : tensor<?x2x3xf32, #edge>
  %2 = rgnn.reduce mean src %p in %g : tensor<?x3xf32, #src_pair>
  %3 = rgnn.slice_type %x in %g : tensor<?x3xf32, #node> -> tensor<?x3xf32, #rgnn.rows<node, @g0, type = 1>>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<2x3xf32>, tensor<?x3xf32, #node>, tensor<?x3xf32, #rgnn.rows<node, @g0, type = 1>>
}

rgnn.schema @g2 edge_types(3)

// Norms of rows and of weights, of which some are zero.
// CHECK: @norm_backward: compiled code agrees on 16 seeds
// FOUR: @norm_backward: compiled code agrees on 4 seeds
func.func @norm(%g: !rgnn.graph<@g0>, %x: tensor<?x2x5xf32, #node>, %w: tensor<2x3xf32>) -> (tensor<?x2xf32, #node>, tensor<?x2x1xf32, #node>, tensor<2xf32>) {
  %z = rgnn.map %x : (tensor<?x2x5xf32, #node>) -> tensor<?x2x5xf32, #node> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.mulf %a, %zero : f32
    rgnn.yield %p : f32
  }
  %0 = rgnn.norm %x : tensor<?x2x5xf32, #node>
  %1 = rgnn.norm %z : tensor<?x2x5xf32, #node>
  %2 = rgnn.reshape %1 : tensor<?x2xf32, #node> -> tensor<?x2x1xf32, #node>
  %3 = rgnn.norm %w : tensor<2x3xf32>
  return %0, %2, %3 : tensor<?x2xf32, #node>, tensor<?x2x1xf32, #node>, tensor<2xf32>
}

// Rows of both ends, and weights. The rows are two inputs: of one with itself, code rounds to what is not quite zero.
// CHECK: @cross_backward: compiled code agrees on 16 seeds
// FOUR: @cross_backward: compiled code agrees on 4 seeds
func.func @cross(%g: !rgnn.graph<@g0>, %x: tensor<?x3xf32, #node>, %y: tensor<?x3xf32, #node>, %v: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<?xf32, #edge>, tensor<?x3xf32, #node>, tensor<2x3xf32>) {
  %a = rgnn.gather src %x in %g : tensor<?x3xf32, #node>
  %b = rgnn.gather dst %y in %g : tensor<?x3xf32, #node>
  %c = rgnn.cross %a, %b : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>
  %0 = rgnn.norm %c : tensor<?x3xf32, #edge>
  %1 = rgnn.reduce sum dst %c in %g : tensor<?x3xf32, #edge>
  %2 = rgnn.cross %v, %w : tensor<2x3xf32>, tensor<2x3xf32>
  return %0, %1, %2 : tensor<?xf32, #edge>, tensor<?x3xf32, #node>, tensor<2x3xf32>
}

// Gradients of a plain tensor are added as rows of a graph.
// CHECK: @used_twice_backward: compiled code agrees on 16 seeds
// FOUR: @used_twice_backward: compiled code agrees on 4 seeds
func.func @used_twice(%a: tensor<2x?xi64>, %s: tensor<?xi64>, %x: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %g = rgnn.coo_graph edges(%a : tensor<2x?xi64>) types(%s : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %h = rgnn.coo_graph edges(%a : tensor<2x?xi64>) types(%s : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g2>
  %0 = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %1 = rgnn.gather src %0 in %g : tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %2 = rgnn.reduce sum dst %1 in %g : tensor<?x4xf32, #rgnn.rows<edge, @g1>>
  %y = rgnn.unplace %2 : tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %3 = rgnn.place %y in %h : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g2>>
  %4 = rgnn.gather dst %3 in %h : tensor<?x4xf32, #rgnn.rows<node, @g2>>
  %5 = rgnn.reduce sum src %4 in %h : tensor<?x4xf32, #rgnn.rows<edge, @g2>>
  %z = rgnn.unplace %5 : tensor<?x4xf32, #rgnn.rows<node, @g2>>
  return %y, %z, %x, %x : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// Gradients of bases and of their weights: the latter are sums of products with one over the edges of a type.
// CHECK: @bases_backward: compiled code agrees on 16 seeds
// FOUR: @bases_backward: compiled code agrees on 4 seeds
func.func @bases(%edges: tensor<2x?xi64>, %types: tensor<?xi64>, %table: tensor<30x9x16xf32>, %comp: tensor<3x30xf32>) -> tensor<?x16xf32, #rgnn.rows<edge, @g1>> {
  %n = arith.constant 9 : index
  %g = rgnn.coo_graph edges(%edges : tensor<2x?xi64>) types(%types : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %0 = rgnn.lookup dst %table bases(%comp) in %g : (tensor<30x9x16xf32>, tensor<3x30xf32>) -> !rgnn.graph<@g1>
  return %0 : tensor<?x16xf32, #rgnn.rows<edge, @g1>>
}
