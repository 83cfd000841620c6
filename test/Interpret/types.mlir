// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
rgnn.schema @g0 node_types(2) edge_types(1) src_types([0]) dst_types([1])

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
