// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(1) edge_types(3)

// exp(log 3) = 3: edges 0 and 1 share node 1 in proportion 1 : 3; edge 2 is alone.
func.func @group_softmax() {
  %g = rgnn.constant_graph src([0, 0, 2]) dst([1, 1, 2]) types([0, 1, 1]) nodes([4]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[0.0, 1.0986122886681098, 1000.0]> : tensor<3xf64>
  %d = tensor.cast %x : tensor<3xf64> to tensor<?xf64>
  %m = rgnn.place %d in %g : tensor<?xf64> -> tensor<?xf64, #edge>
  %a = rgnn.group_softmax dst %m in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %a, dense<[0.25, 0.75, 1.0]> : tensor<3xf64> : tensor<?xf64, #edge>
  %b = rgnn.group_softmax src %m in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %b, dense<[0.25, 0.75, 1.0]> : tensor<3xf64> : tensor<?xf64, #edge>
  // Of type 1, the weight of the smaller is e to the power of -999.
  %c = rgnn.group_softmax etype %m in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %c, dense<[1.0, 0.0, 1.0]> : tensor<3xf64> : tensor<?xf64, #edge>
  return
}

// Edges 0 and 1 repeat: each counts. exp(log 2) = 2.
func.func @group_softmax_pairs() {
  %g = rgnn.constant_graph src([0, 0, 0]) dst([1, 1, 1]) types([0, 0, 1]) nodes([2]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[0.0, 0.0, 0.6931471805599453]> : tensor<3xf64>
  %d = tensor.cast %x : tensor<3xf64> to tensor<?xf64>
  %m = rgnn.place %d in %g : tensor<?xf64> -> tensor<?xf64, #edge>
  %a = rgnn.group_softmax dst %m in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %a, dense<[0.25, 0.25, 0.5]> : tensor<3xf64> : tensor<?xf64, #edge>
  %b = rgnn.group_softmax dst_pair %m in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %b, dense<[0.5, 0.5, 1.0]> : tensor<3xf64> : tensor<?xf64, #edge>
  %c = rgnn.group_softmax src_pair %m in %g : tensor<?xf64, #edge>
  check.expect_almost_eq_const %c, dense<[0.5, 0.5, 1.0]> : tensor<3xf64> : tensor<?xf64, #edge>
  return
}
