// RUN: rgnn-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'rgnn.schema' op expected 2 src_types, got 1}}
rgnn.schema @schema_c1 edge_types(2) src_types([0])

// -----

// expected-error@+1 {{expected as many src_types as dst_types, got 1 and 2}}
rgnn.schema @schema_c1_both src_types([0]) dst_types([0, 0])

// -----

// expected-error@+1 {{'rgnn.schema' op expected dst_types to be node types of the schema, got 2}}
rgnn.schema @schema_c2 node_types(2) edge_types(1) src_types([1]) dst_types([2])

// -----

// expected-error@+1 {{expected node_types of at least 0, got -1}}
rgnn.schema @schema_negative node_types(-1)

// -----

rgnn.schema @g0 edge_types(3)

func.func @coo_graph_c1(%e: tensor<2x?xi64>, %n: index) {
  // expected-error@+1 {{expected one list of edges or 3, one for each edge type of the schema, got 2}}
  %0 = rgnn.coo_graph edges(%e, %e : tensor<2x?xi64>, tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  return
}

// -----

rgnn.schema @g0 node_types(2)

func.func @coo_graph_c2(%e: tensor<2x?xi64>, %n: index) {
  // expected-error@+1 {{expected one number of nodes, or one for each node type of the schema, got 3}}
  %0 = rgnn.coo_graph edges(%e : tensor<2x?xi64>) nodes(%n, %n, %n) : !rgnn.graph<@g0>
  return
}

// -----

func.func @coo_graph_c3(%e: tensor<2x?xi64>, %t: tensor<?xi64>, %n: index) {
  // expected-error@+1 {{expected types with a single list of edges, got 3 lists}}
  %0 = rgnn.coo_graph edges(%e, %e, %e : tensor<2x?xi64>, tensor<2x?xi64>, tensor<2x?xi64>) types(%t : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
  return
}

// -----

func.func @coo_graph_shape(%e: tensor<3x?xi64>, %n: index) {
  // expected-error@+1 {{expected edges of shape 2x?}}
  %0 = rgnn.coo_graph edges(%e : tensor<3x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  return
}

// -----

func.func @constant_graph_c1() {
  // expected-error@+1 {{expected as many src as dst, got 2 and 1}}
  %0 = rgnn.constant_graph src([0, 1]) dst([0]) nodes([2, 1]) : !rgnn.graph<@g0>
  return
}

// -----

func.func @constant_graph_c1_types() {
  // expected-error@+1 {{expected one type an edge, got 2 for 1 edges}}
  %0 = rgnn.constant_graph src([0]) dst([0]) types([0, 1]) nodes([2, 1]) : !rgnn.graph<@g0>
  return
}

// -----

func.func @constant_graph_c2() {
  // expected-error@+1 {{expected nodes in [0, 3), got 3}}
  %0 = rgnn.constant_graph src([0]) dst([3]) nodes([2, 1]) : !rgnn.graph<@g0>
  return
}

// -----

rgnn.schema @g0 edge_types(3)

func.func @constant_graph_c2_types() {
  // expected-error@+1 {{expected edge types of the schema, got 3}}
  %0 = rgnn.constant_graph src([0]) dst([0]) types([3]) nodes([2, 1]) : !rgnn.graph<@g0>
  return
}

// -----

rgnn.schema @g0 node_types(2)

func.func @constant_graph_nodes() {
  // expected-error@+1 {{expected numbers of nodes for 2 node types, got 1}}
  %0 = rgnn.constant_graph src([]) dst([]) nodes([2]) : !rgnn.graph<@g0>
  return
}

// -----

func.func @constant_graph_negative() {
  // expected-error@+1 {{expected numbers of nodes, got -1}}
  %0 = rgnn.constant_graph src([]) dst([]) nodes([2, -1]) : !rgnn.graph<@g0>
  return
}

// -----

func.func @split_graph_c1(%g: !rgnn.graph<@g0 : src>) {
  // expected-error@+1 {{expected a whole graph, got '!rgnn.graph<@g0 : src>'}}
  %0:2 = "rgnn.split_graph"(%g) : (!rgnn.graph<@g0 : src>) -> (!rgnn.graph<@g0 : src>, !rgnn.graph<@g0 : dst>)
  return
}

// -----

func.func @place_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32>) {
  // expected-error@+1 {{expected types that differ in the rows alone}}
  %0 = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x5xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

func.func @place_c2(%g: !rgnn.graph<@g1>, %x: tensor<?x4xf32>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g1>'}}
  %0 = "rgnn.place"(%x, %g) : (tensor<?x4xf32>, !rgnn.graph<@g1>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

rgnn.schema @g0 node_types(2)

func.func @place_of_no_type(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32>) {
  // expected-error@+1 {{expected rows of one of 2 node types, got 'tensor<?x4xf32, #rgnn.rows<node, @g0, type = 2>>'}}
  %0 = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g0, type = 2>>
  return
}

// -----

func.func @torch_c1(%x: tensor<?xf32>) {
  // expected-error@+1 {{expected operands below 1 in args, got 1}}
  %0 = rgnn.torch "aten.relu.default"(%x) [#rgnn.operand<1>] : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

rgnn.schema @g0 node_types(3)

func.func @coo_graph_c4(%e: tensor<2x?xi64>, %n: index) {
  // expected-error@+1 {{expected @g0 to have two node types and to say nothing of the ends of edge types, as a bipartite graph needs it}}
  %0 = rgnn.coo_graph edges(%e : tensor<2x?xi64>) nodes(%n, %n, %n) : !rgnn.graph<@g0, bipartite>
  return
}

// -----

rgnn.schema @g0 node_types(2) edge_types(2)

func.func @coo_graph_c4_lists(%e: tensor<2x?xi64>, %n: index) {
  // expected-error@+1 {{expected one list of edges of a bipartite graph, got 2}}
  %0 = rgnn.coo_graph edges(%e, %e : tensor<2x?xi64>, tensor<2x?xi64>) nodes(%n, %n) : !rgnn.graph<@g0, bipartite>
  return
}

// -----

rgnn.schema @g0 node_types(2)

func.func @coo_graph_c4_nodes(%e: tensor<2x?xi64>, %n: index) {
  // expected-error@+1 {{expected the numbers of sources and of destinations of a bipartite graph, got 1 numbers of nodes}}
  %0 = rgnn.coo_graph edges(%e : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0, bipartite>
  return
}

// -----

func.func @coo_graph_c1_ends(%e: tensor<?xi64>, %n: index) {
  // expected-error@+1 {{expected at most two lists of ends, got 3}}
  %0 = rgnn.coo_graph edges(%e, %e, %e : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
  return
}

// -----

func.func @coo_graph_c1_ranks(%e: tensor<?xi64>, %f: tensor<2x?xi64>, %n: index) {
  // expected-error@+1 {{expected ends of shape ?, got 'tensor<2x?xi64>'}}
  %0 = rgnn.coo_graph edges(%e, %f : tensor<?xi64>, tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  return
}

// -----

rgnn.schema @g0 node_types(2)

func.func @constant_graph_c3() {
  // expected-error@+1 {{expected nodes in [0, 2), got 2}}
  %0 = rgnn.constant_graph src([2]) dst([0]) nodes([2, 3]) : !rgnn.graph<@g0, bipartite>
  return
}

// -----

rgnn.schema @g0 node_types(2)

func.func @gather_of_all(%g: !rgnn.graph<@g0, bipartite>, %x: tensor<?x4xf32, #rgnn.rows<node, @g0>>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0, bipartite>', got}}
  %0 = rgnn.gather src %x in %g : tensor<?x4xf32, #rgnn.rows<node, @g0>> bipartite
  return
}

// -----

rgnn.schema @g0 node_types(2)

func.func @gather_of_the_other_side(%g: !rgnn.graph<@g0, bipartite>, %x: tensor<?x4xf32, #rgnn.rows<node, @g0, type = 1>>) {
  // expected-error@+1 {{expected rows on #rgnn.rows<node, @g0, type = 0> for path src, got}}
  %0 = rgnn.gather src %x in %g : tensor<?x4xf32, #rgnn.rows<node, @g0, type = 1>> bipartite
  return
}

// -----

rgnn.schema @g0 node_types(2)

func.func @degree_of_the_other_side(%g: !rgnn.graph<@g0, bipartite>) {
  // expected-error@+1 {{expected rows on #rgnn.rows<node, @g0, type = 1> for path dst, got}}
  %0 = rgnn.degree dst in %g : tensor<?xf32, #rgnn.rows<node, @g0, type = 0>> bipartite
  return
}

// -----

rgnn.schema @g0 node_types(2) edge_types(2)

func.func @lookup_c4(%g: !rgnn.graph<@g0, bipartite>, %t: tensor<2x4x3xf32>) {
  // expected-error@+1 {{expected a graph of one node set, got '!rgnn.graph<@g0, bipartite>'}}
  %0 = rgnn.lookup src %t in %g : (tensor<2x4x3xf32>) -> !rgnn.graph<@g0, bipartite>
  return
}

// -----

rgnn.schema @g0 node_types(2) edge_types(2)

func.func @lookup_sum_c5(%g: !rgnn.graph<@g0, bipartite>, %m: tensor<?x3xf32, #rgnn.rows<edge, @g0>>) {
  // expected-error@+1 {{expected a graph of one node set, got '!rgnn.graph<@g0, bipartite>'}}
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x3xf32, #rgnn.rows<edge, @g0>> -> tensor<2x4x3xf32> bipartite
  return
}
