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
      // expected-error@+1 {{not raised: it visits edges of other nodes than the outermost loop, or visits them again for each edge}}
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

// A result needs rows.
func.func @same_for_all_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %b: tensor<4xf32>) -> tensor<?x4xf32, #node> {
  // expected-error@+1 {{not raised: result "x" is the same for all rows}}
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in nodes {
      rgnn.write "x" of %n, %b : tensor<4xf32> of !rgnn.node
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// So does a part of a row.
func.func @same_part_for_all_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %b: tensor<4xf32>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in nodes {
      %h = rgnn.read "x" of %n : tensor<4xf32> of !rgnn.node
      // expected-error@+1 {{not raised: it needs a row for each iteration, and a value is the same for all of them}}
      %c = rgnn.concat %h, %b dim 0 : tensor<4xf32>, tensor<4xf32>
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// Nodes without edges have no maximum.
func.func @maximum_of_one_value(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %b: tensor<4xf32>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %e in edges {
      %v = rgnn.destination %e
      // expected-error@+1 {{not raised: it accumulates the max of a value that all iterations share}}
      rgnn.accumulate max "m" of %v, %b : tensor<4xf32> of !rgnn.node
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// The matrix belongs to one end, the row to the other.
func.func @weight_of_the_other_end(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<2x4x4xf32>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      %h = rgnn.read "x" of %u : tensor<4xf32> of !rgnn.node
      %wv = rgnn.weight %w of %v : tensor<2x4x4xf32> of !rgnn.node
      // expected-error@+1 {{not raised: it multiplies by the weight of a node's type what is not a row of that node}}
      %z = rgnn.linear %h, %wv : tensor<4xf32>, tensor<4x4xf32>
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// Heads share one matrix, which depends on the type.
func.func @heads_by_type(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<3x2x2xf32>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %h = rgnn.read "x" of %u : tensor<4xf32> of !rgnn.node
      %h2 = rgnn.reshape %h : tensor<4xf32> -> tensor<2x2xf32>
      %we = rgnn.weight %w of %e : tensor<3x2x2xf32> of !rgnn.edge
      // expected-error@+1 {{not raised: it multiplies several vectors of a row by a weight of its type}}
      %z = rgnn.linear %h2, %we : tensor<2x2xf32>, tensor<2x2xf32>
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// A matrix that is data.
func.func @matrix_of_a_node(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in nodes {
      %h = rgnn.read "x" of %n : tensor<4xf32> of !rgnn.node
      %m = rgnn.reshape %h : tensor<4xf32> -> tensor<2x2xf32>
      // expected-error@+1 {{not raised: it multiplies by a matrix that is data of a node or edge}}
      %z = rgnn.linear %m, %m : tensor<2x2xf32>, tensor<2x2xf32>
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

// A vector that all iterations share.
func.func @shared_vector(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %b: tensor<4xf32>, %w: tensor<3x4x4xf32>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %e in edges {
      %we = rgnn.weight %w of %e : tensor<3x4x4xf32> of !rgnn.edge
      // expected-error@+1 {{not raised: it multiplies what all iterations share by a weight that differs}}
      %z = rgnn.linear %b, %we : tensor<4xf32>, tensor<4x4xf32>
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
        // expected-error@+1 {{not raised: it visits edges of other nodes than the outermost loop, or visits them again for each edge}}
        rgnn.for_each %f in outgoing_edges of %n {
          rgnn.accumulate sum "sum" of %n, %h : tensor<4xf32> of !rgnn.node
        }
      }
    }
  }
  return %y : tensor<?x4xf32, #node>
}
