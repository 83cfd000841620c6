// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(2) edge_types(2)

func.func @linear() {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w = arith.constant dense<[[1.0, 0.0, 2.0], [0.0, 1.0, 3.0]]> : tensor<2x3xf32>
  %y = rgnn.linear %x, %w : tensor<2x2xf32>, tensor<2x3xf32>
  check.expect_almost_eq_const %y, dense<[[1.0, 2.0, 8.0], [3.0, 4.0, 18.0]]> : tensor<2x3xf32> : tensor<2x3xf32>
  // Rows of %w are (1, 0, 2) and (0, 1, 3).
  %z = rgnn.linear %y, %w transposed : tensor<2x3xf32>, tensor<2x3xf32>
  check.expect_almost_eq_const %z, dense<[[17.0, 26.0], [39.0, 58.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  return
}

func.func @dot() {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = arith.constant dense<[[10.0, 1.0], [-1.0, 1.0]]> : tensor<2x2xf32>
  %s = rgnn.dot %x, %y : tensor<2x2xf32>
  check.expect_almost_eq_const %s, dense<[12.0, 1.0]> : tensor<2xf32> : tensor<2xf32>
  return
}

func.func @typed_linear() {
  %g = rgnn.constant_graph src([0, 1]) dst([1, 1]) types([1, 0]) nodes([2, 0]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %d = tensor.cast %x : tensor<2x2xf32> to tensor<?x2xf32>
  %u = rgnn.place %d in %g : tensor<?x2xf32> -> tensor<?x2xf32, #edge>
  %w = arith.constant dense<[[[1.0], [1.0]], [[10.0], [-1.0]]]> : tensor<2x2x1xf32>
  %y = rgnn.typed_linear %u, %w by etype in %g : tensor<?x2xf32, #edge>, tensor<2x2x1xf32>
  check.expect_almost_eq_const %y, dense<[[8.0], [7.0]]> : tensor<2x1xf32> : tensor<?x1xf32, #edge>
  // Both nodes have type 0.
  %h = rgnn.place %d in %g : tensor<?x2xf32> -> tensor<?x2xf32, #node>
  %n = rgnn.typed_linear %h, %w by ntype in %g : tensor<?x2xf32, #node>, tensor<2x2x1xf32>
  check.expect_almost_eq_const %n, dense<[[3.0], [7.0]]> : tensor<2x1xf32> : tensor<?x1xf32, #node>
  // Two blocks of one feature, each with a number of its own.
  %b = rgnn.reshape %u : tensor<?x2xf32, #edge> -> tensor<?x2x1xf32, #edge>
  %v = arith.constant dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>
  %z = rgnn.typed_linear %b, %v by etype in %g : tensor<?x2x1xf32, #edge>, tensor<2x2x1x1xf32>
  check.expect_almost_eq_const %z, dense<[[[3.0], [8.0]], [[3.0], [8.0]]]> : tensor<2x2x1xf32> : tensor<?x2x1xf32, #edge>
  return
}

func.func @matmul() {
  %a = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]]> : tensor<2x3x2xf32>
  %b = arith.constant dense<[[[1.0], [10.0]], [[5.0], [7.0]]]> : tensor<2x2x1xf32>
  %c = rgnn.matmul %a, %b : tensor<2x3x2xf32>, tensor<2x2x1xf32>
  check.expect_almost_eq_const %c, dense<[[[21.0], [43.0], [10.0]], [[5.0], [7.0], [24.0]]]> : tensor<2x3x1xf32> : tensor<2x3x1xf32>
  return
}
