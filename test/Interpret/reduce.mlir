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
  %mul = rgnn.reduce mul dst %m in %g : tensor<?x1xf32, #edge>
  check.expect_almost_eq_const %mul, dense<[[0.0], [4.0], [-2.0], [0.0]]> : tensor<4x1xf32> : tensor<?x1xf32, #node>
  %src = rgnn.reduce sum src %m in %g : tensor<?x1xf32, #edge>
  check.expect_almost_eq_const %src, dense<[[2.0], [0.0], [-2.0], [4.0]]> : tensor<4x1xf32> : tensor<?x1xf32, #node>
  // Pairs of sources (0, 0), (1, 2), (1, 3), of destinations (0, 1), (1, 1), (1, 2); type 2 has no edges.
  %src_pair = rgnn.reduce sum src_pair %m in %g : tensor<?x1xf32, #edge>
  check.expect_almost_eq_const %src_pair, dense<[[2.0], [-2.0], [4.0]]> : tensor<3x1xf32> : tensor<?x1xf32, #rgnn.rows<src_pair, @g0>>
  %pair = rgnn.reduce sum dst_pair %m in %g : tensor<?x1xf32, #edge>
  check.expect_almost_eq_const %pair, dense<[[2.0], [4.0], [-2.0]]> : tensor<3x1xf32> : tensor<?x1xf32, #rgnn.rows<dst_pair, @g0>>
  %type = rgnn.reduce sum etype %m in %g : tensor<?x1xf32, #edge>
  check.expect_almost_eq_const %type, dense<[[2.0], [2.0], [0.0]]> : tensor<3x1xf32> : tensor<?x1xf32, #rgnn.rows<etype, @g0>>
  return
}

// Edges 2, 3 and 1 are of the first part, 0 and 4 of the second: see split_graph.mlir. The other part's edges get zero.
func.func @reduce_whole() {
  %g = rgnn.constant_graph src([0, 0, 0, 0, 1]) dst([2, 3, 1, 1, 2]) types([0, 1, 1, 1, 0]) nodes([4]) : !rgnn.graph<@g0>
  %s, %d = rgnn.split_graph %g : !rgnn.graph<@g0>
  %x = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %xd = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %xs = rgnn.place %xd in %s : tensor<?xf32> -> tensor<?xf32, #rgnn.rows<edge, @g0 : src>>
  %a = rgnn.reduce sum whole %xs in %s : tensor<?xf32, #rgnn.rows<edge, @g0 : src>>
  check.expect_almost_eq_const %a, dense<[0.0, 4.0, 1.0, 2.0, 0.0]> : tensor<5xf32> : tensor<?xf32, #edge>
  %y = arith.constant dense<[8.0, 16.0]> : tensor<2xf32>
  %yd = tensor.cast %y : tensor<2xf32> to tensor<?xf32>
  %ys = rgnn.place %yd in %d : tensor<?xf32> -> tensor<?xf32, #rgnn.rows<edge, @g0 : dst>>
  %b = rgnn.reduce sum whole %ys in %d : tensor<?xf32, #rgnn.rows<edge, @g0 : dst>>
  check.expect_almost_eq_const %b, dense<[8.0, 0.0, 0.0, 0.0, 16.0]> : tensor<5xf32> : tensor<?xf32, #edge>
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
