// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(1) edge_types(2)

// Edges 0 and 1 repeat (0 -> 1, type 0), edge 2 is a self loop of type 1.
// dst pairs by (type, node): (0, 1), (1, 2).
func.func @gather() {
  %g = rgnn.constant_graph src([0, 0, 2]) dst([1, 1, 2]) types([0, 0, 1]) nodes([4]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %d = tensor.cast %x : tensor<4x2xf32> to tensor<?x2xf32>
  %h = rgnn.place %d in %g : tensor<?x2xf32> -> tensor<?x2xf32, #node>
  %s = rgnn.gather src %h in %g : tensor<?x2xf32, #node>
  check.expect_almost_eq_const %s, dense<[[1.0, 2.0], [1.0, 2.0], [5.0, 6.0]]> : tensor<3x2xf32> : tensor<?x2xf32, #edge>
  %p = rgnn.gather dst %h in %g to dst_pair : tensor<?x2xf32, #node>
  check.expect_almost_eq_const %p, dense<[[3.0, 4.0], [5.0, 6.0]]> : tensor<2x2xf32> : tensor<?x2xf32, #rgnn.rows<dst_pair, @g0>>
  %e = rgnn.gather dst_pair %p in %g : tensor<?x2xf32, #rgnn.rows<dst_pair, @g0>>
  %t = rgnn.gather dst %h in %g : tensor<?x2xf32, #node>
  check.expect_almost_eq %e, %t : tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>
  return
}

func.func @no_edges() {
  %g = rgnn.constant_graph src([]) dst([]) nodes([1]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[[1.0]]> : tensor<1x1xf32>
  %d = tensor.cast %x : tensor<1x1xf32> to tensor<?x1xf32>
  %h = rgnn.place %d in %g : tensor<?x1xf32> -> tensor<?x1xf32, #node>
  %s = rgnn.gather src %h in %g : tensor<?x1xf32, #node>
  check.expect_almost_eq_const %s, dense<> : tensor<0x1xf32> : tensor<?x1xf32, #edge>
  return
}
