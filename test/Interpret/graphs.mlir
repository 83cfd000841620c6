// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(2) edge_types(2) src_types([0, 1]) dst_types([1, 0])

// Nodes 0, 1 are of type 0 and 2, 3, 4 of type 1; lists count within a type.
func.func @list_an_edge_type() {
  %a = arith.constant dense<[[1, 1], [2, 0]]> : tensor<2x2xi64>
  %b = arith.constant dense<[[2], [0]]> : tensor<2x1xi64>
  %n0 = arith.constant 2 : index
  %n1 = arith.constant 3 : index
  %g = rgnn.coo_graph edges(%a, %b : tensor<2x2xi64>, tensor<2x1xi64>) nodes(%n0, %n1) : !rgnn.graph<@g0>
  %s = rgnn.degree src in %g : tensor<?xf32, #node>
  check.expect_almost_eq_const %s, dense<[0.0, 2.0, 0.0, 0.0, 1.0]> : tensor<5xf32> : tensor<?xf32, #node>
  %d = rgnn.degree dst in %g : tensor<?xf32, #node>
  check.expect_almost_eq_const %d, dense<[1.0, 0.0, 1.0, 0.0, 1.0]> : tensor<5xf32> : tensor<?xf32, #node>
  %t = rgnn.degree etype in %g : tensor<?xf32, #rgnn.rows<etype, @g0>>
  check.expect_almost_eq_const %t, dense<[2.0, 1.0]> : tensor<2xf32> : tensor<?xf32, #rgnn.rows<etype, @g0>>
  return
}

func.func @one_list() {
  %a = arith.constant dense<[[1, 1], [2, 0]]> : tensor<2x2xi64>
  %t = arith.constant dense<[1, 1]> : tensor<2xi64>
  %n = arith.constant 4 : index
  %g = rgnn.coo_graph edges(%a : tensor<2x2xi64>) types(%t : tensor<2xi64>) nodes(%n) : !rgnn.graph<@g0>
  %d = rgnn.degree etype in %g : tensor<?xf32, #rgnn.rows<etype, @g0>>
  check.expect_almost_eq_const %d, dense<[0.0, 2.0]> : tensor<2xf32> : tensor<?xf32, #rgnn.rows<etype, @g0>>
  return
}

// Rows of edges come in the order of the lists: those of edge type 0 first.
func.func @place() {
  %a = arith.constant dense<[[1, 1], [2, 0]]> : tensor<2x2xi64>
  %b = arith.constant dense<[[2], [0]]> : tensor<2x1xi64>
  %n0 = arith.constant 2 : index
  %n1 = arith.constant 3 : index
  %g = rgnn.coo_graph edges(%a, %b : tensor<2x2xi64>, tensor<2x1xi64>) nodes(%n0, %n1) : !rgnn.graph<@g0>
  %x = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %d = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %m = rgnn.place %d in %g : tensor<?xf32> -> tensor<?xf32, #edge>
  check.expect_almost_eq_const %m, dense<[1.0, 2.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #edge>
  %s = rgnn.reduce sum dst %m in %g : tensor<?xf32, #edge>
  check.expect_almost_eq_const %s, dense<[4.0, 0.0, 2.0, 0.0, 1.0]> : tensor<5xf32> : tensor<?xf32, #node>
  %y = rgnn.unplace %s : tensor<?xf32, #node>
  check.expect_almost_eq_const %y, dense<[4.0, 0.0, 2.0, 0.0, 1.0]> : tensor<5xf32> : tensor<?xf32>
  return
}
