// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(2) edge_types(3)

// All functions have this graph: nodes 0 and 1 have type 0, node 2 has type 1. Node 1 has two edges from node 0 and one
// from node 2, node 2 a self loop, node 0 nothing; edge type 2 has no edges.
func.func @program() {
  %g = rgnn.constant_graph src([0, 0, 2, 2]) dst([1, 1, 2, 1]) types([0, 1, 1, 1]) nodes([2, 1]) : !rgnn.graph<@g0>
  %a = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %b = tensor.cast %a : tensor<3xf32> to tensor<?xf32>
  %x = rgnn.place %b in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %w = arith.constant dense<[10.0, 100.0, 1000.0]> : tensor<3xf32>
  %v = arith.constant dense<[10.0, 100.0]> : tensor<2xf32>
  %y:6 = rgnn.program in %g takes ["x"](%x) gives ["x", "sum", "mean", "max", "w", "v"]
      : (!rgnn.graph<@g0>, tensor<?xf32, #node>)
      -> (tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #edge>, tensor<?xf32, #node>) {
    rgnn.for_each %e in edges {
      %s = rgnn.source %e
      %d = rgnn.destination %e
      %h = rgnn.read "x" of %s : tensor<f32> of !rgnn.node
      rgnn.accumulate sum "sum" of %d, %h : tensor<f32> of !rgnn.node
      rgnn.accumulate mean "mean" of %d, %h : tensor<f32> of !rgnn.node
      %we = rgnn.weight %w of %e : tensor<3xf32> of !rgnn.edge
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
      %wn = rgnn.weight %v of %n : tensor<2xf32> of !rgnn.node
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

// Every iterator visits each of its nodes or edges once: the sums tell them apart.
func.func @for_each() {
  %g = rgnn.constant_graph src([0, 0, 2, 2]) dst([1, 1, 2, 1]) types([0, 1, 1, 1]) nodes([2, 1]) : !rgnn.graph<@g0>
  %a = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %b = tensor.cast %a : tensor<3xf32> to tensor<?xf32>
  %x = rgnn.place %b in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %y:4 = rgnn.program in %g takes ["x"](%x) gives ["nodes", "src_nodes", "dst_nodes", "edges"]
      : (!rgnn.graph<@g0>, tensor<?xf32, #node>) -> (tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #edge>) {
    rgnn.for_each %n in nodes {
      %h = rgnn.read "x" of %n : tensor<f32> of !rgnn.node
      rgnn.accumulate sum "nodes" of %n, %h : tensor<f32> of !rgnn.node
    }
    rgnn.for_each %n in src_nodes {
      %h = rgnn.read "x" of %n : tensor<f32> of !rgnn.node
      rgnn.accumulate sum "src_nodes" of %n, %h : tensor<f32> of !rgnn.node
    }
    rgnn.for_each %n in dst_nodes {
      %h = rgnn.read "x" of %n : tensor<f32> of !rgnn.node
      rgnn.accumulate sum "dst_nodes" of %n, %h : tensor<f32> of !rgnn.node
    }
    rgnn.for_each %e in edges {
      %s = rgnn.source %e
      %h = rgnn.read "x" of %s : tensor<f32> of !rgnn.node
      rgnn.accumulate sum "edges" of %e, %h : tensor<f32> of !rgnn.edge
    }
  }
  check.expect_almost_eq_const %y#0, dense<[1.0, 2.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#1, dense<[1.0, 2.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#2, dense<[1.0, 2.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#3, dense<[1.0, 1.0, 4.0, 4.0]> : tensor<4xf32> : tensor<?xf32, #edge>
  return
}

func.func @for_each_edge_of_a_node() {
  %g = rgnn.constant_graph src([0, 0, 2, 2]) dst([1, 1, 2, 1]) types([0, 1, 1, 1]) nodes([2, 1]) : !rgnn.graph<@g0>
  %a = arith.constant dense<[1.0, 2.0, 4.0, -9.0]> : tensor<4xf32>
  %b = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %m = rgnn.place %b in %g : tensor<?xf32> -> tensor<?xf32, #edge>
  %y:2 = rgnn.program in %g takes ["m"](%m) gives ["in", "out"]
      : (!rgnn.graph<@g0>, tensor<?xf32, #edge>) -> (tensor<?xf32, #node>, tensor<?xf32, #node>) {
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %h = rgnn.read "m" of %e : tensor<f32> of !rgnn.edge
        rgnn.accumulate sum "in" of %n, %h : tensor<f32> of !rgnn.node
      }
    }
    rgnn.for_each %n in src_nodes {
      rgnn.for_each %e in outgoing_edges of %n {
        %h = rgnn.read "m" of %e : tensor<f32> of !rgnn.edge
        rgnn.accumulate sum "out" of %n, %h : tensor<f32> of !rgnn.node
      }
    }
  }
  check.expect_almost_eq_const %y#0, dense<[0.0, -6.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#1, dense<[3.0, 0.0, -5.0]> : tensor<3xf32> : tensor<?xf32, #node>
  return
}

func.func @source_and_destination() {
  %g = rgnn.constant_graph src([0, 0, 2, 2]) dst([1, 1, 2, 1]) types([0, 1, 1, 1]) nodes([2, 1]) : !rgnn.graph<@g0>
  %a = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %b = tensor.cast %a : tensor<3xf32> to tensor<?xf32>
  %x = rgnn.place %b in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %y:2 = rgnn.program in %g takes ["x"](%x) gives ["source", "destination"]
      : (!rgnn.graph<@g0>, tensor<?xf32, #node>) -> (tensor<?xf32, #edge>, tensor<?xf32, #edge>) {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %hu = rgnn.read "x" of %u : tensor<f32> of !rgnn.node
      rgnn.write "source" of %e, %hu : tensor<f32> of !rgnn.edge
      %v = rgnn.destination %e
      %hv = rgnn.read "x" of %v : tensor<f32> of !rgnn.node
      rgnn.write "destination" of %e, %hv : tensor<f32> of !rgnn.edge
    }
  }
  check.expect_almost_eq_const %y#0, dense<[1.0, 1.0, 4.0, 4.0]> : tensor<4xf32> : tensor<?xf32, #edge>
  check.expect_almost_eq_const %y#1, dense<[2.0, 2.0, 4.0, 2.0]> : tensor<4xf32> : tensor<?xf32, #edge>
  return
}

// A read has the row that was written last: %h the operand's, and %k the negative of it.
func.func @read_and_write() {
  %g = rgnn.constant_graph src([0, 0, 2, 2]) dst([1, 1, 2, 1]) types([0, 1, 1, 1]) nodes([2, 1]) : !rgnn.graph<@g0>
  %a = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %b = tensor.cast %a : tensor<3xf32> to tensor<?xf32>
  %x = rgnn.place %b in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %y:2 = rgnn.program in %g takes ["x"](%x) gives ["before", "after"]
      : (!rgnn.graph<@g0>, tensor<?xf32, #node>) -> (tensor<?xf32, #node>, tensor<?xf32, #node>) {
    rgnn.for_each %n in nodes {
      %h = rgnn.read "x" of %n : tensor<f32> of !rgnn.node
      %neg = rgnn.map %h : (tensor<f32>) -> tensor<f32> {
      ^bb0(%i: f32):
        %r = arith.negf %i : f32
        rgnn.yield %r : f32
      }
      rgnn.write "x" of %n, %neg : tensor<f32> of !rgnn.node
      %k = rgnn.read "x" of %n : tensor<f32> of !rgnn.node
      rgnn.write "before" of %n, %h : tensor<f32> of !rgnn.node
      rgnn.write "after" of %n, %k : tensor<f32> of !rgnn.node
    }
  }
  check.expect_almost_eq_const %y#0, dense<[1.0, 2.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#1, dense<[-1.0, -2.0, -4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  return
}

// Node 1 gets 1, 2 and -9, node 2 gets 4, node 0 nothing. A sum adds to what was there: "x".
func.func @accumulate() {
  %g = rgnn.constant_graph src([0, 0, 2, 2]) dst([1, 1, 2, 1]) types([0, 1, 1, 1]) nodes([2, 1]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %d = tensor.cast %c : tensor<3xf32> to tensor<?xf32>
  %x = rgnn.place %d in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %a = arith.constant dense<[1.0, 2.0, 4.0, -9.0]> : tensor<4xf32>
  %b = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %m = rgnn.place %b in %g : tensor<?xf32> -> tensor<?xf32, #edge>
  %y:6 = rgnn.program in %g takes ["m", "x"](%m, %x) gives ["sum", "mean", "max", "min", "x", "mul"]
      : (!rgnn.graph<@g0>, tensor<?xf32, #edge>, tensor<?xf32, #node>)
      -> (tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #node>) {
    rgnn.for_each %e in edges {
      %v = rgnn.destination %e
      %h = rgnn.read "m" of %e : tensor<f32> of !rgnn.edge
      rgnn.accumulate mul "mul" of %v, %h : tensor<f32> of !rgnn.node
      rgnn.accumulate sum "sum" of %v, %h : tensor<f32> of !rgnn.node
      rgnn.accumulate mean "mean" of %v, %h : tensor<f32> of !rgnn.node
      rgnn.accumulate max "max" of %v, %h : tensor<f32> of !rgnn.node
      rgnn.accumulate min "min" of %v, %h : tensor<f32> of !rgnn.node
      rgnn.accumulate sum "x" of %v, %h : tensor<f32> of !rgnn.node
    }
  }
  check.expect_almost_eq_const %y#0, dense<[0.0, -6.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#1, dense<[0.0, -2.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#2, dense<[0.0, 2.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#3, dense<[0.0, -9.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#4, dense<[1.0, -4.0, 8.0]> : tensor<3xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#5, dense<[0.0, -18.0, 4.0]> : tensor<3xf32> : tensor<?xf32, #node>
  return
}

func.func @weight() {
  %g = rgnn.constant_graph src([0, 0, 2, 2]) dst([1, 1, 2, 1]) types([0, 1, 1, 1]) nodes([2, 1]) : !rgnn.graph<@g0>
  %w = arith.constant dense<[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]> : tensor<3x2xf32>
  %v = arith.constant dense<[5.0, 7.0]> : tensor<2xf32>
  %y:2 = rgnn.program in %g takes []() gives ["edges", "nodes"]
      : (!rgnn.graph<@g0>) -> (tensor<?x2xf32, #edge>, tensor<?xf32, #node>) {
    rgnn.for_each %e in edges {
      %we = rgnn.weight %w of %e : tensor<3x2xf32> of !rgnn.edge
      rgnn.write "edges" of %e, %we : tensor<2xf32> of !rgnn.edge
    }
    rgnn.for_each %n in nodes {
      %wn = rgnn.weight %v of %n : tensor<2xf32> of !rgnn.node
      rgnn.write "nodes" of %n, %wn : tensor<f32> of !rgnn.node
    }
  }
  check.expect_almost_eq_const %y#0, dense<[[1.0, 10.0], [2.0, 20.0], [2.0, 20.0], [2.0, 20.0]]> : tensor<4x2xf32> : tensor<?x2xf32, #edge>
  check.expect_almost_eq_const %y#1, dense<[5.0, 5.0, 7.0]> : tensor<3xf32> : tensor<?xf32, #node>
  return
}

func.func @without_edges() {
  %g = rgnn.constant_graph src([]) dst([]) nodes([1, 1]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %d = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %h = rgnn.place %d in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %y:2 = rgnn.program in %g takes ["x"](%h) gives ["max", "x"] : (!rgnn.graph<@g0>, tensor<?xf32, #node>) -> (tensor<?xf32, #node>, tensor<?xf32, #node>) {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %r = rgnn.read "x" of %u : tensor<f32> of !rgnn.node
      rgnn.accumulate max "max" of %u, %r : tensor<f32> of !rgnn.node
    }
  }
  check.expect_almost_eq_const %y#0, dense<[0.0, 0.0]> : tensor<2xf32> : tensor<?xf32, #node>
  check.expect_almost_eq_const %y#1, dense<[1.0, 2.0]> : tensor<2xf32> : tensor<?xf32, #node>
  return
}
