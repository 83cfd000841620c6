// RUN: rgnn-translate --rgnn-interpret %s

rgnn.schema @g0 node_types(1) edge_types(3)

// Edges 0 and 1 repeat (0 -> 1, type 0), edge 2 is a self loop of type 1; type 2 has no edges and node 3 is alone.
func.func @degree() {
  %g = rgnn.constant_graph src([0, 0, 2]) dst([1, 1, 2]) types([0, 0, 1]) nodes([4]) : !rgnn.graph<@g0>
  %s = rgnn.degree src in %g : tensor<?xf32, #rgnn.rows<node, @g0>>
  check.expect_almost_eq_const %s, dense<[2.0, 0.0, 1.0, 0.0]> : tensor<4xf32> : tensor<?xf32, #rgnn.rows<node, @g0>>
  %d = rgnn.degree dst in %g : tensor<?xf32, #rgnn.rows<node, @g0>>
  check.expect_almost_eq_const %d, dense<[0.0, 2.0, 1.0, 0.0]> : tensor<4xf32> : tensor<?xf32, #rgnn.rows<node, @g0>>
  %p = rgnn.degree src_pair in %g : tensor<?xf32, #rgnn.rows<src_pair, @g0>>
  check.expect_almost_eq_const %p, dense<[2.0, 1.0]> : tensor<2xf32> : tensor<?xf32, #rgnn.rows<src_pair, @g0>>
  %q = rgnn.degree dst_pair in %g : tensor<?xf32, #rgnn.rows<dst_pair, @g0>>
  check.expect_almost_eq_const %q, dense<[2.0, 1.0]> : tensor<2xf32> : tensor<?xf32, #rgnn.rows<dst_pair, @g0>>
  %t = rgnn.degree etype in %g : tensor<?xf32, #rgnn.rows<etype, @g0>>
  check.expect_almost_eq_const %t, dense<[2.0, 1.0, 0.0]> : tensor<3xf32> : tensor<?xf32, #rgnn.rows<etype, @g0>>
  return
}
