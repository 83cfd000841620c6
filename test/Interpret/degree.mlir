// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(1) edge_types(3)

func.func @degree() {
  %g = rgnn.constant_graph src([0, 0, 2]) dst([1, 1, 2]) types([0, 0, 1]) nodes([4]) : !rgnn.graph<@g0>
  %n = rgnn.degree dst in %g : tensor<?xf32, #node>
  check.expect_almost_eq_const %n, dense<[0.0, 2.0, 1.0, 0.0]> : tensor<4xf32> : tensor<?xf32, #node>
  %p = rgnn.degree dst_pair in %g : tensor<?xf32, #rgnn.rows<dst_pair, @g0>>
  check.expect_almost_eq_const %p, dense<[2.0, 1.0]> : tensor<2xf32> : tensor<?xf32, #rgnn.rows<dst_pair, @g0>>
  %t = rgnn.degree etype in %g : tensor<?xf32, #rgnn.rows<etype, @g0>>
  check.expect_almost_eq_const %t, dense<[2.0, 1.0, 0.0]> : tensor<3xf32> : tensor<?xf32, #rgnn.rows<etype, @g0>>
  return
}
