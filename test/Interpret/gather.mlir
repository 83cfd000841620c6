// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#etype = #rgnn.rows<etype, @g0>
#ntype = #rgnn.rows<ntype, @g0>

rgnn.schema @g0 node_types(2) edge_types(3)

// Edges 0 and 1 repeat (0 -> 1, type 0), edge 2 is a self loop of type 1; type 2 has no edges and node 3 is alone.
func.func @gather() {
  %g = rgnn.constant_graph src([0, 0, 2]) dst([1, 1, 2]) types([0, 0, 1]) nodes([3, 1]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %d = tensor.cast %x : tensor<4x2xf32> to tensor<?x2xf32>
  %h = rgnn.place %d in %g : tensor<?x2xf32> -> tensor<?x2xf32, #node>
  %u = rgnn.gather src %h in %g : tensor<?x2xf32, #node>
  check.expect_almost_eq_const %u, dense<[[1.0, 2.0], [1.0, 2.0], [5.0, 6.0]]> : tensor<3x2xf32> : tensor<?x2xf32, #edge>
  %v = rgnn.gather dst %h in %g : tensor<?x2xf32, #node>
  check.expect_almost_eq_const %v, dense<[[3.0, 4.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32> : tensor<?x2xf32, #edge>
  return
}

// Pairs by (type, node): sources (0, 0) and (1, 2), destinations (0, 1) and (1, 2).
func.func @gather_pairs() {
  %g = rgnn.constant_graph src([0, 0, 2]) dst([1, 1, 2]) types([0, 0, 1]) nodes([3, 1]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %d = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %h = rgnn.place %d in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %p = rgnn.gather src %h in %g to src_pair : tensor<?xf32, #node>
  check.expect_almost_eq_const %p, dense<[1.0, 3.0]> : tensor<2xf32> : tensor<?xf32, #src_pair>
  %u = rgnn.gather src_pair %p in %g : tensor<?xf32, #src_pair>
  check.expect_almost_eq_const %u, dense<[1.0, 1.0, 3.0]> : tensor<3xf32> : tensor<?xf32, #edge>
  %q = rgnn.gather dst %h in %g to dst_pair : tensor<?xf32, #node>
  check.expect_almost_eq_const %q, dense<[2.0, 3.0]> : tensor<2xf32> : tensor<?xf32, #dst_pair>
  %v = rgnn.gather dst_pair %q in %g : tensor<?xf32, #dst_pair>
  check.expect_almost_eq_const %v, dense<[2.0, 2.0, 3.0]> : tensor<3xf32> : tensor<?xf32, #edge>
  return
}

func.func @gather_types() {
  %g = rgnn.constant_graph src([0, 0, 2]) dst([1, 1, 2]) types([0, 0, 1]) nodes([3, 1]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %d = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %t = rgnn.place %d in %g : tensor<?xf32> -> tensor<?xf32, #etype>
  %e = rgnn.gather etype %t in %g : tensor<?xf32, #etype>
  check.expect_almost_eq_const %e, dense<[10.0, 10.0, 20.0]> : tensor<3xf32> : tensor<?xf32, #edge>
  %p = rgnn.gather etype %t in %g to dst_pair : tensor<?xf32, #etype>
  check.expect_almost_eq_const %p, dense<[10.0, 20.0]> : tensor<2xf32> : tensor<?xf32, #dst_pair>
  %y = arith.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %f = tensor.cast %y : tensor<2xf32> to tensor<?xf32>
  %k = rgnn.place %f in %g : tensor<?xf32> -> tensor<?xf32, #ntype>
  %n = rgnn.gather ntype %k in %g to node : tensor<?xf32, #ntype>
  check.expect_almost_eq_const %n, dense<[5.0, 5.0, 5.0, 6.0]> : tensor<4xf32> : tensor<?xf32, #node>
  return
}

// The edges of the parts are 2, 3, 1 and 0, 4 of the whole graph: see split_graph.mlir.
func.func @gather_whole() {
  %g = rgnn.constant_graph src([0, 0, 0, 0, 1]) dst([2, 3, 1, 1, 2]) types([0, 1, 1, 1, 0]) nodes([4, 1]) : !rgnn.graph<@g0>
  %s, %d = rgnn.split_graph %g : !rgnn.graph<@g0>
  %x = arith.constant dense<[10.0, 20.0, 30.0, 40.0, 50.0]> : tensor<5xf32>
  %c = tensor.cast %x : tensor<5xf32> to tensor<?xf32>
  %m = rgnn.place %c in %g : tensor<?xf32> -> tensor<?xf32, #edge>
  %a = rgnn.gather whole %m in %s : tensor<?xf32, #edge> part src
  check.expect_almost_eq_const %a, dense<[30.0, 40.0, 20.0]> : tensor<3xf32> : tensor<?xf32, #rgnn.rows<edge, @g0 : src>>
  %b = rgnn.gather whole %m in %d : tensor<?xf32, #edge> part dst
  check.expect_almost_eq_const %b, dense<[10.0, 50.0]> : tensor<2xf32> : tensor<?xf32, #rgnn.rows<edge, @g0 : dst>>
  return
}

func.func @no_edges() {
  %g = rgnn.constant_graph src([]) dst([]) nodes([1, 0]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[[1.0]]> : tensor<1x1xf32>
  %d = tensor.cast %x : tensor<1x1xf32> to tensor<?x1xf32>
  %h = rgnn.place %d in %g : tensor<?x1xf32> -> tensor<?x1xf32, #node>
  %s = rgnn.gather src %h in %g : tensor<?x1xf32, #node>
  check.expect_almost_eq_const %s, dense<> : tensor<0x1xf32> : tensor<?x1xf32, #edge>
  return
}
