// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(2) edge_types(2)

// Nodes 0 and 1 have type 0, node 2 has type 1. Node 1 has two edges from node 0
// and one from node 2, node 2 a self loop, node 0 nothing.
func.func @program() {
  %g = rgnn.constant_graph src([0, 0, 2, 2]) dst([1, 1, 2, 1]) types([0, 1, 1, 1]) nodes([2, 1]) : !rgnn.graph<@g0>
  %a = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %b = tensor.cast %a : tensor<3xf32> to tensor<?xf32>
  %x = rgnn.place %b in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %w = arith.constant dense<[10.0, 100.0]> : tensor<2xf32>
  %y:6 = rgnn.program in %g takes ["x"](%x) gives ["x", "sum", "mean", "max", "w", "v"]
      : (!rgnn.graph<@g0>, tensor<?xf32, #node>)
      -> (tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #edge>, tensor<?xf32, #node>) {
    rgnn.for_each %e in edges {
      %s = rgnn.source %e
      %d = rgnn.destination %e
      %h = rgnn.read "x" of %s : tensor<f32> of !rgnn.node
      rgnn.accumulate sum "sum" of %d, %h : tensor<f32> of !rgnn.node
      rgnn.accumulate mean "mean" of %d, %h : tensor<f32> of !rgnn.node
      %we = rgnn.weight %w of %e : tensor<2xf32> of !rgnn.edge
      rgnn.write "w" of %e, %we : tensor<f32> of !rgnn.edge
    }
    rgnn.for_each %n in src_nodes {
      %h = rgnn.read "x" of %n : tensor<f32> of !rgnn.node
      %neg = rgnn.map %h : (tensor<f32>) -> tensor<f32> {
      ^bb0(%i: f32):
        %r = arith.negf %i : f32
        rgnn.yield %r : f32
      }
      rgnn.for_each %e in outgoing_edges of %n {
        %d = rgnn.destination %e
        rgnn.accumulate max "max" of %d, %neg : tensor<f32> of !rgnn.node
      }
      %wn = rgnn.weight %w of %n : tensor<2xf32> of !rgnn.node
      rgnn.write "v" of %n, %wn : tensor<f32> of !rgnn.node
      rgnn.accumulate sum "x" of %n, %wn : tensor<f32> of !rgnn.node
    }
  }
  check.expect_almost_eq_const %y#0, dense<[11.0, 12.0, 104.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#1, dense<[0.0, 6.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#2, dense<[0.0, 2.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#3, dense<[0.0, -1.0, -4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#4, dense<[10.0, 100.0, 100.0, 100.0]> : tensor<4xf32> : tensor<?xf32, #edge>
  check.expect_almost_eq_const %y#5, dense<[10.0, 10.0, 100.0]> : tensor<3xf32> : tensor<?xf32, #node>
  return
}
