// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 node_types(1) edge_types(2)

// Edges 0, 1 and 2 share node 1; 0 and 1 share node 0. Of types, 0 and 3 are 0, 1 and 2 are 1.
func.func @group_excess() {
  %g = rgnn.constant_graph src([0, 0, 2, 1]) dst([1, 1, 1, 2]) types([0, 1, 1, 0]) nodes([4]) : !rgnn.graph<@g0>
  %cx = arith.constant dense<[3.0, 1.0, 2.0, 5.0]> : tensor<4xf64>
  %cy = arith.constant dense<[2.0, 2.0, 0.0, 9.0]> : tensor<4xf64>
  %dx = tensor.cast %cx : tensor<4xf64> to tensor<?xf64>
  %dy = tensor.cast %cy : tensor<4xf64> to tensor<?xf64>
  %x = rgnn.place %dx in %g : tensor<?xf64> -> tensor<?xf64, #edge>
  %y = rgnn.place %dy in %g : tensor<?xf64> -> tensor<?xf64, #edge>
  %a = rgnn.group_excess dst %x over %x in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %a, dense<[3.0, 0.0, 1.0, 0.0]> : tensor<4xf64> : tensor<?xf64, #edge>
  %b = rgnn.group_excess dst %x over %y in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %b, dense<[5.0, 1.0, 2.0, 0.0]> : tensor<4xf64> : tensor<?xf64, #edge>
  %c = rgnn.group_excess src %x over %x in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %c, dense<[2.0, 0.0, 0.0, 0.0]> : tensor<4xf64> : tensor<?xf64, #edge>
  %d = rgnn.group_excess dst_pair %x over %x in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %d, dense<[0.0, 0.0, 1.0, 0.0]> : tensor<4xf64> : tensor<?xf64, #edge>
  %e = rgnn.group_excess src_pair %x over %y in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %e, dense<[1.0, 0.0, 2.0, 0.0]> : tensor<4xf64> : tensor<?xf64, #edge>
  %f = rgnn.group_excess etype %x over %x in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %f, dense<[0.0, 0.0, 1.0, 2.0]> : tensor<4xf64> : tensor<?xf64, #edge>
  return
}

// What is equal is not below.
func.func @group_sum_below() {
  %g = rgnn.constant_graph src([0, 0, 2, 1]) dst([1, 1, 1, 2]) types([0, 1, 1, 0]) nodes([4]) : !rgnn.graph<@g0>
  %cx = arith.constant dense<[3.0, 1.0, 2.0, 5.0]> : tensor<4xf64>
  %cy = arith.constant dense<[2.0, 2.0, 0.0, 9.0]> : tensor<4xf64>
  %cr = arith.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf64>
  %dx = tensor.cast %cx : tensor<4xf64> to tensor<?xf64>
  %dy = tensor.cast %cy : tensor<4xf64> to tensor<?xf64>
  %dr = tensor.cast %cr : tensor<4xf64> to tensor<?xf64>
  %x = rgnn.place %dx in %g : tensor<?xf64> -> tensor<?xf64, #edge>
  %y = rgnn.place %dy in %g : tensor<?xf64> -> tensor<?xf64, #edge>
  %r = rgnn.place %dr in %g : tensor<?xf64> -> tensor<?xf64, #edge>
  %a = rgnn.group_sum_below dst %r where %y below %x in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %a, dense<[60.0, 30.0, 30.0, 0.0]> : tensor<4xf64> : tensor<?xf64, #edge>
  %b = rgnn.group_sum_below src %r where %y below %x in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %b, dense<[30.0, 0.0, 30.0, 0.0]> : tensor<4xf64> : tensor<?xf64, #edge>
  %c = rgnn.group_sum_below dst_pair %r where %y below %x in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %c, dense<[10.0, 30.0, 30.0, 0.0]> : tensor<4xf64> : tensor<?xf64, #edge>
  %d = rgnn.group_sum_below src_pair %r where %y below %x in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %d, dense<[10.0, 0.0, 30.0, 0.0]> : tensor<4xf64> : tensor<?xf64, #edge>
  %e = rgnn.group_sum_below etype %r where %y below %x in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %e, dense<[10.0, 30.0, 30.0, 10.0]> : tensor<4xf64> : tensor<?xf64, #edge>
  return
}
