// RUN: rgnn-translate --rgnn-interpret %s

#src = #rgnn.rows<node, @g, type = 0>
#dst = #rgnn.rows<node, @g, type = 1>
#edge = #rgnn.rows<edge, @g>

rgnn.schema @g node_types(2) edge_types(1)

// Three sources and two destinations, each numbered from 0.
func.func @main() {
  %g = rgnn.constant_graph src([0, 2, 2, 1]) dst([1, 1, 0, 1]) nodes([3, 2]) : !rgnn.graph<@g, bipartite>
  %xp = arith.constant dense<[1.0, 10.0, 100.0]> : tensor<3xf64>
  %xd = tensor.cast %xp : tensor<3xf64> to tensor<?xf64>
  %x = rgnn.place %xd in %g : tensor<?xf64> -> tensor<?xf64, #src> bipartite
  %m = rgnn.gather src %x in %g : tensor<?xf64, #src> bipartite
  %y = rgnn.reduce sum dst %m in %g : tensor<?xf64, #edge> bipartite
  check.expect_almost_eq_const %y, dense<[100.0, 111.0]> : tensor<2xf64> : tensor<?xf64, #dst>
  %b = rgnn.gather dst %y in %g : tensor<?xf64, #dst> bipartite
  %z = rgnn.reduce max src %b in %g : tensor<?xf64, #edge> bipartite
  check.expect_almost_eq_const %z, dense<[111.0, 111.0, 111.0]> : tensor<3xf64> : tensor<?xf64, #src>
  %in = rgnn.degree dst in %g : tensor<?xf64, #dst> bipartite
  check.expect_almost_eq_const %in, dense<[1.0, 3.0]> : tensor<2xf64> : tensor<?xf64, #dst>
  %out = rgnn.degree src in %g : tensor<?xf64, #src> bipartite
  check.expect_almost_eq_const %out, dense<[1.0, 1.0, 2.0]> : tensor<3xf64> : tensor<?xf64, #src>
  return
}
