// out[v] = sum of x[u] W[t] over the edges u -> v, t being the type of each.

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
module @layer {
  rgnn.schema @g0 edge_types(2)
  func.func @forward(%x: tensor<?x2xf32> {rgnn.input = "x"}, %ei: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %et: tensor<?xi64> {rgnn.input = "edge_type"}, %w: tensor<2x2x2xf32> {rgnn.param = "conv.weight"}) -> tensor<?x2xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x2xf32>
    %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) types(%et : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
    %h = rgnn.place %x in %g : tensor<?x2xf32> -> tensor<?x2xf32, #node>
    %u = rgnn.gather src %h in %g : tensor<?x2xf32, #node>
    %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x2xf32, #edge>, tensor<2x2x2xf32>
    %s = rgnn.reduce sum dst %z in %g : tensor<?x2xf32, #edge>
    %y = rgnn.unplace %s : tensor<?x2xf32, #node>
    return %y : tensor<?x2xf32>
  }
}
