// RUN: rgnn-opt %s --rgnn-raise-loops --split-input-file --verify-diagnostics

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// The sum of the destination is not complete where an edge reads it.
func.func @unfinished_sum(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      %h = rgnn.read "x" of %u : tensor<4xf32> of !rgnn.node
      // expected-note@+1 {{here}}
      rgnn.accumulate sum "sum" of %v, %h : tensor<4xf32> of !rgnn.node
      // expected-error@+1 {{not raised: it reads "sum" of a node, which another iteration of the loop accumulates}}
      %s = rgnn.read "sum" of %v : tensor<4xf32> of !rgnn.node
      rgnn.write "e" of %e, %s : tensor<4xf32> of !rgnn.edge
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// Nor is it within the loop over the incoming edges.
func.func @unfinished_inner_sum(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %u = rgnn.source %e
        %h = rgnn.read "x" of %u : tensor<4xf32> of !rgnn.node
        // expected-note@+1 {{here}}
        rgnn.accumulate sum "sum" of %n, %h : tensor<4xf32> of !rgnn.node
        // expected-error@+1 {{not raised: it reads "sum" of a node, which another iteration of the loop accumulates}}
        %s = rgnn.read "sum" of %n : tensor<4xf32> of !rgnn.node
        rgnn.write "e" of %e, %s : tensor<4xf32> of !rgnn.edge
      }
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// The source may have its new data already, or not yet.
func.func @data_of_the_other_end(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %u = rgnn.source %e
        // expected-error@+1 {{not raised: it reads "x" of a node, which another iteration of the loop writes}}
        %h = rgnn.read "x" of %u : tensor<4xf32> of !rgnn.node
        rgnn.accumulate sum "sum" of %n, %h : tensor<4xf32> of !rgnn.node
      }
      %s = rgnn.read "sum" of %n : tensor<4xf32> of !rgnn.node
      // expected-note@+1 {{here}}
      rgnn.write "x" of %n, %s : tensor<4xf32> of !rgnn.node
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// An edge that one node visits as incoming another visits as outgoing.
func.func @both_directions(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %h = rgnn.read "x" of %n : tensor<4xf32> of !rgnn.node
        // expected-note@+1 {{here}}
        rgnn.write "e" of %e, %h : tensor<4xf32> of !rgnn.edge
      }
      rgnn.for_each %e in outgoing_edges of %n {
        // expected-error@+1 {{not raised: it reads "e" of an edge, which another iteration of the loop writes}}
        %h = rgnn.read "e" of %e : tensor<4xf32> of !rgnn.edge
        rgnn.accumulate sum "sum" of %n, %h : tensor<4xf32> of !rgnn.node
      }
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// Several edges write to one node.
func.func @several_writers(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      %h = rgnn.read "x" of %u : tensor<4xf32> of !rgnn.node
      // expected-error@+1 {{not raised: it writes "z" of a node that other iterations write too}}
      rgnn.write "z" of %v, %h : tensor<4xf32> of !rgnn.node
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// A sum and a write to the same rows.
func.func @sum_and_write(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in nodes {
      %h = rgnn.read "x" of %n : tensor<4xf32> of !rgnn.node
      // expected-note@+1 {{here}}
      rgnn.write "z" of %n, %h : tensor<4xf32> of !rgnn.node
      rgnn.for_each %e in outgoing_edges of %n {
        %v = rgnn.destination %e
        // expected-error@+1 {{not raised: it changes "z" of a node, which another iteration of the loop writes}}
        rgnn.accumulate sum "z" of %v, %h : tensor<4xf32> of !rgnn.node
      }
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// Edges of edges.
func.func @two_hops(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      // expected-error@+1 {{not raised: it visits edges of other nodes than the outermost loop, or others for each edge than those of the node}}
      rgnn.for_each %f in incoming_edges of %u {
        %t = rgnn.source %f
        %h = rgnn.read "x" of %t : tensor<4xf32> of !rgnn.node
        rgnn.accumulate sum "sum" of %v, %h : tensor<4xf32> of !rgnn.node
      }
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// An op that is pure, and unknown here.
func.func @unknown_op(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in nodes {
      %h = rgnn.read "x" of %n : tensor<4xf32> of !rgnn.node
      // expected-error@+1 {{not raised: no op on all rows does what 'tensor.cast' does}}
      %c = tensor.cast %h : tensor<4xf32> to tensor<?xf32>
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// Pairs of edges, not edges.
func.func @pairs(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %h = rgnn.read "x" of %n : tensor<4xf32> of !rgnn.node
        // expected-error@+1 {{not raised: it visits edges of other nodes than the outermost loop, or others for each edge than those of the node}}
        rgnn.for_each %f in outgoing_edges of %n {
          rgnn.accumulate sum "sum" of %n, %h : tensor<4xf32> of !rgnn.node
        }
      }
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// Several rows by matrices of heads.
func.func @rows_by_matrices(%g: !rgnn.graph<@g0>, %x: tensor<?x12xf32, #node>, %w: tensor<3x2x3x4xf32>) -> tensor<?x12xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x12xf32, #node>) -> tensor<?x12xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %h = rgnn.read "x" of %u : tensor<12xf32> of !rgnn.node
      %m = rgnn.reshape %h : tensor<12xf32> -> tensor<2x2x3xf32>
      %we = rgnn.weight %w of %e : tensor<3x2x3x4xf32> of !rgnn.edge
      // expected-error@+1 {{not raised: it multiplies matrices other than one row of a node or edge by the weight of its type}}
      %z = rgnn.matmul %m, %we : tensor<2x2x3xf32>, tensor<2x3x4xf32>
    }
  }
  return %y : tensor<?x12xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// A product of what both edges of a pair have.
func.func @products_of_pairs(%g: !rgnn.graph<@g0>, %a: tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
  %y = rgnn.program in %g takes ["a"](%a) gives ["s"] : (!rgnn.graph<@g0>, tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        rgnn.for_each %f in incoming_edges of %n {
          %own = rgnn.read "a" of %e : tensor<f32> of !rgnn.edge
          %other = rgnn.read "a" of %f : tensor<f32> of !rgnn.edge
          // expected-error@+1 {{not raised: expected a sum of max(x[e] - y[f], 0), or of what one of the edges has}}
          %d = rgnn.map %own, %other : (tensor<f32>, tensor<f32>) -> tensor<f32> {
          ^bb0(%x: f32, %z: f32):
            %0 = arith.mulf %x, %z : f32
            rgnn.yield %0 : f32
          }
          rgnn.accumulate sum "s" of %e, %d : tensor<f32> of !rgnn.edge
        }
      }
    }
  }
  return %y : tensor<?xf32, #edge>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// A maximum of pairs.
func.func @maximum_of_pairs(%g: !rgnn.graph<@g0>, %a: tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
  %y = rgnn.program in %g takes ["a"](%a) gives ["s"] : (!rgnn.graph<@g0>, tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        rgnn.for_each %f in incoming_edges of %n {
          %other = rgnn.read "a" of %f : tensor<f32> of !rgnn.edge
          // expected-error@+1 {{not raised: expected a sum of one of the two edges in a loop over pairs of edges}}
          rgnn.accumulate max "s" of %e, %other : tensor<f32> of !rgnn.edge
        }
      }
    }
  }
  return %y : tensor<?xf32, #edge>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// What an edge reads that the loop around writes: not all of its edges may have been there.
func.func @written_around(%g: !rgnn.graph<@g0>, %a: tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
  %y = rgnn.program in %g takes ["a"](%a) gives ["s"] : (!rgnn.graph<@g0>, tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %own = rgnn.read "a" of %e : tensor<f32> of !rgnn.edge
        // expected-note@+1 {{here}}
        rgnn.write "b" of %e, %own : tensor<f32> of !rgnn.edge
        rgnn.for_each %f in incoming_edges of %n {
          // expected-error@+1 {{not raised: it reads "b" of an edge, which another iteration of the loop writes}}
          %other = rgnn.read "b" of %f : tensor<f32> of !rgnn.edge
          rgnn.accumulate sum "s" of %e, %other : tensor<f32> of !rgnn.edge
        }
      }
    }
  }
  return %y : tensor<?xf32, #edge>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// A sum of the inner edge, which is not whole until the loop around ends.
func.func @read_too_early(%g: !rgnn.graph<@g0>, %a: tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
  %y = rgnn.program in %g takes ["a"](%a) gives ["t"] : (!rgnn.graph<@g0>, tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %own = rgnn.read "a" of %e : tensor<f32> of !rgnn.edge
        rgnn.for_each %f in incoming_edges of %n {
          // expected-note@+1 {{here}}
          rgnn.accumulate sum "s" of %f, %own : tensor<f32> of !rgnn.edge
          // expected-error@+1 {{not raised: it reads "s" of an edge, which another iteration of the loop accumulates}}
          %sum = rgnn.read "s" of %f : tensor<f32> of !rgnn.edge
          rgnn.accumulate sum "t" of %e, %sum : tensor<f32> of !rgnn.edge
        }
      }
    }
  }
  return %y : tensor<?xf32, #edge>
}
