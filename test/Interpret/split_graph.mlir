// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#etype = #rgnn.rows<etype, @g0>
#src = #rgnn.rows<edge, @g0 : src>
#dst = #rgnn.rows<edge, @g0 : dst>

rgnn.schema @g0 edge_types(4)

// Type 0 has sources 0 and 1 and destination 2: it is in the second part. Type 1 has source 0 and destinations 1 and 3,
// and type 2 one of each: they are in the first part. Type 3 has no edges, and edges 2 and 3 repeat.
// Edges of a part are in the order of destinations.
func.func @split_graph() {
  %g = rgnn.constant_graph src([0, 0, 0, 0, 1, 4]) dst([2, 3, 1, 1, 2, 0]) types([0, 1, 1, 1, 0, 2]) nodes([6]) : !rgnn.graph<@g0>
  %s, %d = rgnn.split_graph %g : !rgnn.graph<@g0>
  %x = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<6xf32>
  %c = tensor.cast %x : tensor<6xf32> to tensor<?xf32>
  %n = rgnn.place %c in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %su = rgnn.gather src %n in %s : tensor<?xf32, #node> part src
  check.expect_almost_eq_const %su, dense<[4.0, 0.0, 0.0, 0.0]> : tensor<4xf32> : tensor<?xf32, #src>
  %sv = rgnn.gather dst %n in %s : tensor<?xf32, #node> part src
  check.expect_almost_eq_const %sv, dense<[0.0, 1.0, 1.0, 3.0]> : tensor<4xf32> : tensor<?xf32, #src>
  %du = rgnn.gather src %n in %d : tensor<?xf32, #node> part dst
  check.expect_almost_eq_const %du, dense<[0.0, 1.0]> : tensor<2xf32> : tensor<?xf32, #dst>
  %dv = rgnn.gather dst %n in %d : tensor<?xf32, #node> part dst
  check.expect_almost_eq_const %dv, dense<[2.0, 2.0]> : tensor<2xf32> : tensor<?xf32, #dst>
  %m = rgnn.place %c in %g : tensor<?xf32> -> tensor<?xf32, #edge>
  %sw = rgnn.gather whole %m in %s : tensor<?xf32, #edge> part src
  check.expect_almost_eq_const %sw, dense<[5.0, 2.0, 3.0, 1.0]> : tensor<4xf32> : tensor<?xf32, #src>
  %dw = rgnn.gather whole %m in %d : tensor<?xf32, #edge> part dst
  check.expect_almost_eq_const %dw, dense<[0.0, 4.0]> : tensor<2xf32> : tensor<?xf32, #dst>
  return
}

// Nodes and types of a part are those of the whole graph, and its pairs are its own.
func.func @domains_of_parts() {
  %g = rgnn.constant_graph src([0, 0, 0, 0, 1, 4]) dst([2, 3, 1, 1, 2, 0]) types([0, 1, 1, 1, 0, 2]) nodes([6]) : !rgnn.graph<@g0>
  %s, %d = rgnn.split_graph %g : !rgnn.graph<@g0>
  %sn = rgnn.degree dst in %s : tensor<?xf32, #node> part src
  check.expect_almost_eq_const %sn, dense<[1.0, 2.0, 0.0, 1.0, 0.0, 0.0]> : tensor<6xf32> : tensor<?xf32, #node>
  %st = rgnn.degree etype in %s : tensor<?xf32, #etype> part src
  check.expect_almost_eq_const %st, dense<[0.0, 3.0, 1.0, 0.0]> : tensor<4xf32> : tensor<?xf32, #etype>
  %sp = rgnn.degree src_pair in %s : tensor<?xf32, #rgnn.rows<src_pair, @g0 : src>>
  check.expect_almost_eq_const %sp, dense<[3.0, 1.0]> : tensor<2xf32> : tensor<?xf32, #rgnn.rows<src_pair, @g0 : src>>
  %dn = rgnn.degree dst in %d : tensor<?xf32, #node> part dst
  check.expect_almost_eq_const %dn, dense<[0.0, 0.0, 2.0, 0.0, 0.0, 0.0]> : tensor<6xf32> : tensor<?xf32, #node>
  %dt = rgnn.degree etype in %d : tensor<?xf32, #etype> part dst
  check.expect_almost_eq_const %dt, dense<[2.0, 0.0, 0.0, 0.0]> : tensor<4xf32> : tensor<?xf32, #etype>
  %dp = rgnn.degree dst_pair in %d : tensor<?xf32, #rgnn.rows<dst_pair, @g0 : dst>>
  check.expect_almost_eq_const %dp, dense<[2.0]> : tensor<1xf32> : tensor<?xf32, #rgnn.rows<dst_pair, @g0 : dst>>
  return
}

func.func @no_edges() {
  %g = rgnn.constant_graph src([]) dst([]) nodes([1]) : !rgnn.graph<@g0>
  %s, %d = rgnn.split_graph %g : !rgnn.graph<@g0>
  %a = rgnn.degree etype in %s : tensor<?xf32, #etype> part src
  check.expect_almost_eq_const %a, dense<[0.0, 0.0, 0.0, 0.0]> : tensor<4xf32> : tensor<?xf32, #etype>
  %b = rgnn.degree etype in %d : tensor<?xf32, #etype> part dst
  check.expect_almost_eq_const %b, dense<[0.0, 0.0, 0.0, 0.0]> : tensor<4xf32> : tensor<?xf32, #etype>
  return
}
