// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
rgnn.schema @g0 node_types(2) edge_types(1) src_types([0]) dst_types([1])

rgnn.schema @g1 edge_types(1)

func.func @slice_and_concat_types() {
  %g = rgnn.constant_graph src([0]) dst([2]) nodes([2, 1]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %d = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %h = rgnn.place %d in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %a = rgnn.slice_type %h in %g : tensor<?xf32, #node> -> tensor<?xf32, #node0>
  check.expect_almost_eq_const %a, dense<[1.0, 2.0]> : tensor<2xf32> : tensor<?xf32, #node0>
  %b = rgnn.slice_type %h in %g : tensor<?xf32, #node> -> tensor<?xf32, #node1>
  check.expect_almost_eq_const %b, dense<[3.0]> : tensor<1xf32> : tensor<?xf32, #node1>
  %c = rgnn.concat_types %a, %b in %g : (tensor<?xf32, #node0>, tensor<?xf32, #node1>) -> tensor<?xf32, #node>
  check.expect_almost_eq_const %c, dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<?xf32, #node>
  %t = rgnn.reduce sum ntype %h in %g : tensor<?xf32, #node>
  check.expect_almost_eq_const %t, dense<[3.0, 3.0]> : tensor<2xf32> : tensor<?xf32, #rgnn.rows<ntype, @g0>>
  return
}

// Type 0 has no nodes.
func.func @type_without_nodes() {
  %g = rgnn.constant_graph src([]) dst([]) nodes([0, 1]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[3.0]> : tensor<1xf32>
  %d = tensor.cast %x : tensor<1xf32> to tensor<?xf32>
  %h = rgnn.place %d in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %a = rgnn.slice_type %h in %g : tensor<?xf32, #node> -> tensor<?xf32, #node0>
  check.expect_almost_eq_const %a, dense<> : tensor<0xf32> : tensor<?xf32, #node0>
  %b = rgnn.slice_type %h in %g : tensor<?xf32, #node> -> tensor<?xf32, #node1>
  %c = rgnn.concat_types %a, %b in %g : (tensor<?xf32, #node0>, tensor<?xf32, #node1>) -> tensor<?xf32, #node>
  check.expect_almost_eq_const %c, dense<[3.0]> : tensor<1xf32> : tensor<?xf32, #node>
  %t = rgnn.reduce sum ntype %h in %g : tensor<?xf32, #node>
  check.expect_almost_eq_const %t, dense<[0.0, 3.0]> : tensor<2xf32> : tensor<?xf32, #rgnn.rows<ntype, @g0>>
  return
}

// Edges, and then a node each, of a graph that has as many edges as these together.
func.func @slice_and_concat_rows() {
  %g = rgnn.constant_graph src([0]) dst([2]) nodes([2, 1]) : !rgnn.graph<@g0>
  %j = rgnn.constant_graph src([0, 0, 0, 0]) dst([0, 0, 0, 0]) nodes([1]) : !rgnn.graph<@g1>
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %d = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %h = rgnn.place %d in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %u = rgnn.gather dst %h in %g : tensor<?xf32, #node>
  %c = rgnn.concat_rows %u, %h in %j : (tensor<?xf32, #edge>, tensor<?xf32, #node>) -> tensor<?xf32, #rgnn.rows<edge, @g1>>
  check.expect_almost_eq_const %c, dense<[3.0, 1.0, 2.0, 3.0]> : tensor<4xf32> : tensor<?xf32, #rgnn.rows<edge, @g1>>
  %b = rgnn.slice_rows %c after [#edge] in %g, %g : tensor<?xf32, #rgnn.rows<edge, @g1>> -> tensor<?xf32, #node1> (!rgnn.graph<@g0>, !rgnn.graph<@g0>)
  check.expect_almost_eq_const %b, dense<[1.0]> : tensor<1xf32> : tensor<?xf32, #node1>
  return
}

// Two rows of a graph with four nodes are one of a graph with two, and the reverse.
func.func @regroup_rows() {
  %g = rgnn.constant_graph src([0]) dst([1]) nodes([2]) : !rgnn.graph<@g1>
  %f = rgnn.constant_graph src([0]) dst([3]) nodes([4]) : !rgnn.graph<@g2>
  %x = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %d = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %h = rgnn.place %d in %f : tensor<?xf32> -> tensor<?xf32, #rgnn.rows<node, @g2>>
  %w = rgnn.regroup_rows %h in %g : tensor<?xf32, #rgnn.rows<node, @g2>> -> tensor<?x2xf32, #rgnn.rows<node, @g1>>
  check.expect_almost_eq_const %w, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<?x2xf32, #rgnn.rows<node, @g1>>
  %n = rgnn.regroup_rows %w in %f : tensor<?x2xf32, #rgnn.rows<node, @g1>> -> tensor<?x1xf32, #rgnn.rows<node, @g2>>
  check.expect_almost_eq_const %n, dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32> : tensor<?x1xf32, #rgnn.rows<node, @g2>>
  return
}
