// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(1) edge_types(2)

func.func @lookup() {
  %g = rgnn.constant_graph src([0, 1, 1]) dst([1, 1, 0]) types([0, 1, 0]) nodes([2]) : !rgnn.graph<@g0>
  %table = arith.constant dense<[[[1.0], [2.0]], [[30.0], [40.0]]]> : tensor<2x2x1xf32>
  %m = rgnn.lookup src %table in %g : (tensor<2x2x1xf32>) -> !rgnn.graph<@g0>
  check.expect_almost_eq_const %m, dense<[[1.0], [40.0], [2.0]]> : tensor<3x1xf32> : tensor<?x1xf32, #edge>
  %d = rgnn.lookup dst %table in %g : (tensor<2x2x1xf32>) -> !rgnn.graph<@g0>
  check.expect_almost_eq_const %d, dense<[[2.0], [40.0], [1.0]]> : tensor<3x1xf32> : tensor<?x1xf32, #edge>
  // Type 0 takes basis 0 plus twice basis 1; type 1 takes minus basis 1.
  %comp = arith.constant dense<[[1.0, 2.0], [0.0, -1.0]]> : tensor<2x2xf32>
  %b = rgnn.lookup src %table bases(%comp) in %g : (tensor<2x2x1xf32>, tensor<2x2xf32>) -> !rgnn.graph<@g0>
  check.expect_almost_eq_const %b, dense<[[61.0], [-40.0], [82.0]]> : tensor<3x1xf32> : tensor<?x1xf32, #edge>
  return
}

// The transpose: edges of one type and node are summed up, and rows without edges are zero.
func.func @lookup_sum() {
  %g = rgnn.constant_graph src([0, 1, 1, 1]) dst([1, 1, 0, 1]) types([0, 1, 0, 1]) nodes([2]) : !rgnn.graph<@g0>
  %m = arith.constant dense<[[1.0], [2.0], [4.0], [8.0]]> : tensor<4x1xf32>
  %cast = tensor.cast %m : tensor<4x1xf32> to tensor<?x1xf32>
  %rows = rgnn.place %cast in %g : tensor<?x1xf32> -> tensor<?x1xf32, #edge>
  %s = rgnn.lookup_sum src %rows in %g : tensor<?x1xf32, #edge> -> tensor<2x2x1xf32>
  check.expect_almost_eq_const %s, dense<[[[1.0], [4.0]], [[0.0], [10.0]]]> : tensor<2x2x1xf32> : tensor<2x2x1xf32>
  %d = rgnn.lookup_sum dst %rows in %g : tensor<?x1xf32, #edge> -> tensor<2x2x1xf32>
  check.expect_almost_eq_const %d, dense<[[[4.0], [1.0]], [[0.0], [10.0]]]> : tensor<2x2x1xf32> : tensor<2x2x1xf32>
  return
}
