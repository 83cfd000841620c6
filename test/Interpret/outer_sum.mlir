// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(3) edge_types(3)

func.func @outer_sum() {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = arith.constant dense<[[1.0, 0.0, 2.0], [0.0, 1.0, 3.0]]> : tensor<2x3xf32>
  %s = rgnn.outer_sum %x, %y : tensor<2x2xf32>, tensor<2x3xf32>
  check.expect_almost_eq_const %s, dense<[[1.0, 3.0, 11.0], [2.0, 4.0, 16.0]]> : tensor<2x3xf32> : tensor<2x3xf32>
  return
}

// Heads share the weight: they are summed up as rows are.
func.func @outer_sum_of_heads() {
  %x = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %y = arith.constant dense<[[[1.0], [10.0]], [[100.0], [1000.0]]]> : tensor<2x2x1xf32>
  %s = rgnn.outer_sum %x, %y : tensor<2x2x2xf32>, tensor<2x2x1xf32>
  check.expect_almost_eq_const %s, dense<[[7531.0], [8642.0]]> : tensor<2x1xf32> : tensor<2x1xf32>
  return
}

func.func @outer_sum_without_rows() {
  %g = rgnn.constant_graph src([]) dst([]) nodes([1, 0, 0]) : !rgnn.graph<@g0>
  %x = arith.constant dense<> : tensor<0x2xf32>
  %d = tensor.cast %x : tensor<0x2xf32> to tensor<?x2xf32>
  %m = rgnn.place %d in %g : tensor<?x2xf32> -> tensor<?x2xf32, #edge>
  %s = rgnn.outer_sum %m, %m : tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>
  check.expect_almost_eq_const %s, dense<0.0> : tensor<2x2xf32> : tensor<2x2xf32>
  return
}

// Edges 0 and 1, which repeat, have type 0, and edge 2 type 2; type 1 has none.
func.func @typed_outer_sum() {
  %g = rgnn.constant_graph src([0, 0, 1]) dst([1, 1, 1]) types([0, 0, 2]) nodes([2, 0, 1]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %y = arith.constant dense<[[1.0], [10.0], [100.0]]> : tensor<3x1xf32>
  %xd = tensor.cast %x : tensor<3x2xf32> to tensor<?x2xf32>
  %yd = tensor.cast %y : tensor<3x1xf32> to tensor<?x1xf32>
  %xe = rgnn.place %xd in %g : tensor<?x2xf32> -> tensor<?x2xf32, #edge>
  %ye = rgnn.place %yd in %g : tensor<?x1xf32> -> tensor<?x1xf32, #edge>
  %e = rgnn.typed_outer_sum %xe, %ye by etype in %g : tensor<?x2xf32, #edge>, tensor<?x1xf32, #edge> -> tensor<3x2x1xf32>
  check.expect_almost_eq_const %e, dense<[[[31.0], [42.0]], [[0.0], [0.0]], [[500.0], [600.0]]]> : tensor<3x2x1xf32> : tensor<3x2x1xf32>
  // Nodes 0 and 1 have type 0, and node 2 type 2.
  %xn = rgnn.place %xd in %g : tensor<?x2xf32> -> tensor<?x2xf32, #node>
  %yn = rgnn.place %yd in %g : tensor<?x1xf32> -> tensor<?x1xf32, #node>
  %n = rgnn.typed_outer_sum %xn, %yn by ntype in %g : tensor<?x2xf32, #node>, tensor<?x1xf32, #node> -> tensor<3x2x1xf32>
  check.expect_almost_eq_const %n, dense<[[[31.0], [42.0]], [[0.0], [0.0]], [[500.0], [600.0]]]> : tensor<3x2x1xf32> : tensor<3x2x1xf32>
  return
}

// Each head has a sum of its own.
func.func @typed_outer_sum_of_heads() {
  %g = rgnn.constant_graph src([0, 0]) dst([0, 0]) types([1, 1]) nodes([1, 0, 0]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %y = arith.constant dense<[[[1.0], [10.0]], [[100.0], [1000.0]]]> : tensor<2x2x1xf32>
  %xd = tensor.cast %x : tensor<2x2x2xf32> to tensor<?x2x2xf32>
  %yd = tensor.cast %y : tensor<2x2x1xf32> to tensor<?x2x1xf32>
  %xe = rgnn.place %xd in %g : tensor<?x2x2xf32> -> tensor<?x2x2xf32, #edge>
  %ye = rgnn.place %yd in %g : tensor<?x2x1xf32> -> tensor<?x2x1xf32, #edge>
  %s = rgnn.typed_outer_sum %xe, %ye by etype in %g : tensor<?x2x2xf32, #edge>, tensor<?x2x1xf32, #edge> -> tensor<3x2x2x1xf32>
  check.expect_almost_eq_const %s, dense<[[[[0.0], [0.0]], [[0.0], [0.0]]], [[[501.0], [602.0]], [[7030.0], [8040.0]]], [[[0.0], [0.0]], [[0.0], [0.0]]]]> : tensor<3x2x2x1xf32> : tensor<3x2x2x1xf32>
  return
}

func.func @sum_rows() {
  %g = rgnn.constant_graph src([0, 0]) dst([1, 1]) nodes([2, 1, 0]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[[1.0, 20.0], [3.0, 40.0], [5.0, 60.0]]> : tensor<3x2xf32>
  %d = tensor.cast %x : tensor<3x2xf32> to tensor<?x2xf32>
  %h = rgnn.place %d in %g : tensor<?x2xf32> -> tensor<?x2xf32, #node>
  %s = rgnn.sum_rows %h : tensor<?x2xf32, #node>
  check.expect_almost_eq_const %s, dense<[9.0, 120.0]> : tensor<2xf32> : tensor<2xf32>
  return
}

func.func @sum_rows_without_rows() {
  %g = rgnn.constant_graph src([]) dst([]) nodes([1, 0, 0]) : !rgnn.graph<@g0>
  %x = arith.constant dense<> : tensor<0x2xf32>
  %d = tensor.cast %x : tensor<0x2xf32> to tensor<?x2xf32>
  %m = rgnn.place %d in %g : tensor<?x2xf32> -> tensor<?x2xf32, #edge>
  %s = rgnn.sum_rows %m : tensor<?x2xf32, #edge>
  check.expect_almost_eq_const %s, dense<0.0> : tensor<2xf32> : tensor<2xf32>
  return
}
