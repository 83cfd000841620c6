// RUN: rgnn-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected a type on domain node only, got type 1 on domain edge}}
func.func private @type_of_edges(tensor<?x4xf32, #rgnn.rows<edge, @g0, type = 1>>)

// -----

// expected-error@+1 {{expected a node type of at least 0, got -2}}
func.func private @negative_type(tensor<?x4xf32, #rgnn.rows<node, @g0, type = -2>>)

// -----

// expected-error@+1 {{expected rows in the first dimension, got a tensor of rank 0}}
func.func private @rank_0(tensor<f32, #rgnn.rows<node, @g0>>)

// -----

// expected-error@+1 {{expected a dynamic number of rows on domain edge, got 3}}
func.func private @static_edges(tensor<3x4xf32, #rgnn.rows<edge, @g0>>)

// -----

// expected-error@+1 {{expected static sizes after the rows, got a dynamic one}}
func.func private @dynamic_features(tensor<?x?xf32, #rgnn.rows<edge, @g0>>)

// -----

// The number of types may be known.
func.func private @static_types(tensor<3x4xf32, #rgnn.rows<etype, @g0>>)

// -----

func.func @no_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32>) {
  // expected-error@+1 {{expected a tensor with #rgnn.rows, got 'tensor<?x4xf32>'}}
  %0 = rgnn.gather src %x in %g : tensor<?x4xf32>
  return
}

// -----

// expected-error@+2 {{expected one of [edge, src_pair, dst_pair, node, etype, ntype] for what the rows of a tensor enumerate, got: vertex}}
// expected-error@+1 {{failed to parse RGNN_RowsAttr parameter 'domain'}}
func.func private @no_domain(tensor<?x4xf32, #rgnn.rows<vertex, @g0>>)

// -----

// expected-error@+1 {{expected edges, or pairs, of a part of a graph, got node}}
func.func private @nodes_of_part(tensor<?x4xf32, #rgnn.rows<node, @g0 : src>>)

// -----

// expected-error@+2 {{expected one of [whole, src, dst]}}
// expected-error@+1 {{failed to parse}}
func.func private @no_part(!rgnn.graph<@g0 : left>)
