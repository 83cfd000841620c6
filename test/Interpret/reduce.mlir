// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(1) edge_types(3)

// Node 1 receives 1, 1 and 4; node 2 receives -2; nodes 0 and 3 nothing.
func.func @reduce() {
  %g = rgnn.constant_graph src([0, 0, 2, 3]) dst([1, 1, 2, 1]) types([0, 0, 1, 1]) nodes([4]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[[1.0], [1.0], [-2.0], [4.0]]> : tensor<4x1xf32>
  %d = tensor.cast %x : tensor<4x1xf32> to tensor<?x1xf32>
  %m = rgnn.place %d in %g : tensor<?x1xf32> -> tensor<?x1xf32, #edge>
  %sum = rgnn.reduce sum dst %m in %g : tensor<?x1xf32, #edge>
  check.expect_almost_eq_const %sum, dense<[[0.0], [6.0], [-2.0], [0.0]]> : tensor<4x1xf32> : tensor<?x1xf32, #node>
  %mean = rgnn.reduce mean dst %m in %g : tensor<?x1xf32, #edge>
  check.expect_almost_eq_const %mean, dense<[[0.0], [2.0], [-2.0], [0.0]]> : tensor<4x1xf32> : tensor<?x1xf32, #node>
  %max = rgnn.reduce max dst %m in %g : tensor<?x1xf32, #edge>
  check.expect_almost_eq_const %max, dense<[[0.0], [4.0], [-2.0], [0.0]]> : tensor<4x1xf32> : tensor<?x1xf32, #node>
  %min = rgnn.reduce min dst %m in %g : tensor<?x1xf32, #edge>
  check.expect_almost_eq_const %min, dense<[[0.0], [1.0], [-2.0], [0.0]]> : tensor<4x1xf32> : tensor<?x1xf32, #node>
  // Pairs (0, 1), (1, 1), (1, 2); type 2 has no edges.
  %pair = rgnn.reduce sum dst_pair %m in %g : tensor<?x1xf32, #edge>
  check.expect_almost_eq_const %pair, dense<[[2.0], [4.0], [-2.0]]> : tensor<3x1xf32> : tensor<?x1xf32, #rgnn.rows<dst_pair, @g0>>
  %type = rgnn.reduce sum etype %m in %g : tensor<?x1xf32, #edge>
  check.expect_almost_eq_const %type, dense<[[2.0], [2.0], [0.0]]> : tensor<3x1xf32> : tensor<?x1xf32, #rgnn.rows<etype, @g0>>
  return
}

func.func @nan() {
  %g = rgnn.constant_graph src([0, 0]) dst([0, 0]) nodes([1]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[0x7FC00000, 3.0]> : tensor<2xf32>
  %d = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %m = rgnn.place %d in %g : tensor<?xf32> -> tensor<?xf32, #edge>
  %max = rgnn.reduce max dst %m in %g : tensor<?xf32, #edge>
  check.expect_almost_eq_const %max, dense<0x7FC00000> : tensor<1xf32> : tensor<?xf32, #node>
  return
}
