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

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @coo_graph_c1(%e: tensor<2x?xi64>, %n: index) {
  // expected-error@+1 {{expected one list of edges or 3, one for each edge type of the schema, got 2}}
  %0 = rgnn.coo_graph edges(%e, %e : tensor<2x?xi64>, tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @coo_graph_c2(%e: tensor<2x?xi64>, %n: index) {
  // expected-error@+1 {{expected one number of nodes, or one for each node type of the schema, got 3}}
  %0 = rgnn.coo_graph edges(%e : tensor<2x?xi64>) nodes(%n, %n, %n) : !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @coo_graph_c3(%e: tensor<2x?xi64>, %t: tensor<?xi64>, %n: index) {
  // expected-error@+1 {{expected types with a single list of edges, got 3 lists}}
  %0 = rgnn.coo_graph edges(%e, %e, %e : tensor<2x?xi64>, tensor<2x?xi64>, tensor<2x?xi64>) types(%t : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @coo_graph_shape(%e: tensor<3x?xi64>, %n: index) {
  // expected-error@+1 {{expected edges of shape 2x?}}
  %0 = rgnn.coo_graph edges(%e : tensor<3x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @constant_graph_c1() {
  // expected-error@+1 {{expected as many src as dst, got 2 and 1}}
  %0 = rgnn.constant_graph src([0, 1]) dst([0]) nodes([2, 1]) : !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @constant_graph_c1_types() {
  // expected-error@+1 {{expected one type an edge, got 2 for 1 edges}}
  %0 = rgnn.constant_graph src([0]) dst([0]) types([0, 1]) nodes([2, 1]) : !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @constant_graph_c2() {
  // expected-error@+1 {{expected nodes in [0, 3), got 3}}
  %0 = rgnn.constant_graph src([0]) dst([3]) nodes([2, 1]) : !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @constant_graph_c2_types() {
  // expected-error@+1 {{expected edge types of the schema, got 3}}
  %0 = rgnn.constant_graph src([0]) dst([0]) types([3]) nodes([2, 1]) : !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @constant_graph_nodes() {
  // expected-error@+1 {{expected numbers of nodes for 2 node types, got 1}}
  %0 = rgnn.constant_graph src([]) dst([]) nodes([2]) : !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @constant_graph_negative() {
  // expected-error@+1 {{expected numbers of nodes, got -1}}
  %0 = rgnn.constant_graph src([]) dst([]) nodes([2, -1]) : !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @place_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32>) {
  // expected-error@+1 {{expected types that differ in the rows alone}}
  %0 = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x5xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @place_c2(%g: !rgnn.graph<@g1>, %x: tensor<?x4xf32>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g1>'}}
  %0 = "rgnn.place"(%x, %g) : (tensor<?x4xf32>, !rgnn.graph<@g1>) -> tensor<?x4xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @gather_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected rows on node for path src, got rows on edge}}
  %0 = rgnn.gather src %x in %g : tensor<?x4xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @gather_c1_path(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) {
  // expected-error@+1 {{expected a path from dst_pair, got src}}
  %0 = rgnn.gather src %x in %g to dst_pair : tensor<?x4xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @gather_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #rgnn.rows<node, @g1>>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0>'}}
  %0 = "rgnn.gather"(%x, %g) <{path = #rgnn<path src>}> : (tensor<?x4xf32, #rgnn.rows<node, @g1>>, !rgnn.graph<@g0>) -> tensor<?x4xf32, #other>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @reduce_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) {
  // expected-error@+1 {{expected rows that path dst starts at}}
  %0 = rgnn.reduce sum dst %x in %g : tensor<?x4xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @reduce_c1_type(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node0>) {
  // expected-error@+1 {{expected rows of all nodes, got rows of type 0}}
  %0 = rgnn.reduce sum ntype %x in %g : tensor<?x4xf32, #node0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @reduce_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #other>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0>'}}
  %0 = "rgnn.reduce"(%x, %g) <{path = #rgnn<path dst>, kind = #rgnn<reduction sum>}> : (tensor<?x4xf32, #other>, !rgnn.graph<@g0>) -> tensor<?x4xf32, #rgnn.rows<node, @g1>>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @group_softmax_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) {
  // expected-error@+1 {{expected rows on edge for path dst, got rows on node}}
  %0 = rgnn.group_softmax dst %x in %g : tensor<?x4xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @group_softmax_c1_path(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected a path from edge, got ntype}}
  %0 = rgnn.group_softmax ntype %x in %g : tensor<?x4xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @group_softmax_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #other>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0>'}}
  %0 = "rgnn.group_softmax"(%x, %g) <{path = #rgnn<path dst>}> : (tensor<?x4xf32, #other>, !rgnn.graph<@g0>) -> tensor<?x4xf32, #other>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @degree_c1(%g: !rgnn.graph<@g0>) {
  // expected-error@+1 {{expected numbers on the domain that dst leads to from edges}}
  %0 = rgnn.degree dst in %g : tensor<?xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @degree_c1_path(%g: !rgnn.graph<@g0>) {
  // expected-error@+1 {{expected numbers on the domain that ntype leads to from edges}}
  %0 = rgnn.degree ntype in %g : tensor<?xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @degree_c1_shape(%g: !rgnn.graph<@g0>) {
  // expected-error@+1 {{expected numbers on the domain that dst leads to from edges}}
  %0 = rgnn.degree dst in %g : tensor<?x1xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @lookup_c1(%g: !rgnn.graph<@g0>, %t: tensor<3x9xf32>) {
  // expected-error@+1 {{expected a table of rank 3}}
  %0 = rgnn.lookup src %t in %g : (tensor<3x9xf32>) -> !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @lookup_c1_types(%g: !rgnn.graph<@g0>, %t: tensor<2x9x5xf32>) {
  // expected-error@+1 {{expected weights of 3 types}}
  %0 = rgnn.lookup src %t in %g : (tensor<2x9x5xf32>) -> !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @lookup_c1_comp(%g: !rgnn.graph<@g0>, %t: tensor<2x9x5xf32>, %c: tensor<3x4xf32>) {
  // expected-error@+1 {{expected comp of shape types x 2}}
  %0 = rgnn.lookup src %t bases(%c) in %g : (tensor<2x9x5xf32>, tensor<3x4xf32>) -> !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @lookup_c2(%g: !rgnn.graph<@g0>, %t: tensor<3x9x5xf32>) {
  // expected-error@+1 {{expected path src or dst, got etype}}
  %0 = rgnn.lookup etype %t in %g : (tensor<3x9x5xf32>) -> !rgnn.graph<@g0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @concat_types_c1(%g: !rgnn.graph<@g0>, %a: tensor<?x8xf32, #node0>) {
  // expected-error@+1 {{expected one part for each of 2 node types, got 1}}
  %0 = rgnn.concat_types %a in %g : (tensor<?x8xf32, #node0>) -> tensor<?x8xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @concat_types_c1_order(%g: !rgnn.graph<@g0>, %a: tensor<?x8xf32, #node0>, %b: tensor<?x8xf32, #node1>) {
  // expected-error@+1 {{expected part 0 on nodes of type 0}}
  %0 = rgnn.concat_types %b, %a in %g : (tensor<?x8xf32, #node1>, tensor<?x8xf32, #node0>) -> tensor<?x8xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @concat_types_c2(%g: !rgnn.graph<@g0>, %a: tensor<?x8xf32, #node0>, %b: tensor<?x4xf32, #node1>) {
  // expected-error@+1 {{expected rows like those of}}
  %0 = rgnn.concat_types %a, %b in %g : (tensor<?x8xf32, #node0>, tensor<?x4xf32, #node1>) -> tensor<?x8xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @concat_types_c2_domain(%g: !rgnn.graph<@g0>, %a: tensor<?x8xf32, #node0>, %b: tensor<?x8xf32, #node1>) {
  // expected-error@+1 {{expected a result on all nodes}}
  %0 = rgnn.concat_types %a, %b in %g : (tensor<?x8xf32, #node0>, tensor<?x8xf32, #node1>) -> tensor<?x8xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @slice_type_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) {
  // expected-error@+1 {{expected rows of all nodes to become those of one type}}
  %0 = rgnn.slice_type %x in %g : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @slice_type_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected equal rows}}
  %0 = rgnn.slice_type %x in %g : tensor<?x8xf32, #node> -> tensor<?x4xf32, #node0>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @linear_c1(%x: tensor<?x8xf32, #edge>, %w: tensor<8xf32>) {
  // expected-error@+1 {{expected a matrix without rows as weight}}
  %0 = rgnn.linear %x, %w : tensor<?x8xf32, #edge>, tensor<8xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @linear_c1_element(%x: tensor<?x8xf32, #edge>, %w: tensor<8x4xf64>) {
  // expected-error@+1 {{expected a weight of}}
  %0 = rgnn.linear %x, %w : tensor<?x8xf32, #edge>, tensor<8x4xf64>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @linear_c2(%x: tensor<?x8xf32, #edge>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{expected rows of 4 features}}
  %0 = rgnn.linear %x, %w : tensor<?x8xf32, #edge>, tensor<4x8xf32>
  return
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @matmul_c1(%x: tensor<?x8x4xf32, #edge>, %w: tensor<3x4x2xf32>) {
  // expected-error @+1 {{expected matrices of known sizes without rows, got 'tensor<?x8x4xf32, #rgnn.rows<edge, @g0>>'}}
  %0 = rgnn.matmul %x, %w : tensor<?x8x4xf32, #edge>, tensor<3x4x2xf32>
  return
}

// -----

func.func @matmul_c1_size(%x: tensor<3x8x4xf32>, %w: tensor<3x4x?xf32>) {
  // expected-error @+1 {{expected matrices of known sizes without rows, got 'tensor<3x4x?xf32>'}}
  %0 = rgnn.matmul %x, %w : tensor<3x8x4xf32>, tensor<3x4x?xf32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<3x8x4xf32>, %w: tensor<3x8x4xf32>) {
  // expected-error @+1 {{expected matrices that can be multiplied, got 'tensor<3x8x4xf32>' and 'tensor<3x8x4xf32>'}}
  %0 = rgnn.matmul %x, %w : tensor<3x8x4xf32>, tensor<3x8x4xf32>
  return
}

// -----

func.func @matmul_c2_batch(%x: tensor<3x8x4xf32>, %w: tensor<2x4x4xf32>) {
  // expected-error @+1 {{expected matrices that can be multiplied, got}}
  %0 = rgnn.matmul %x, %w : tensor<3x8x4xf32>, tensor<2x4x4xf32>
  return
}

// -----

func.func @matmul_c2_element(%x: tensor<3x8x4xf32>, %w: tensor<3x4x4xf64>) {
  // expected-error @+1 {{expected matrices that can be multiplied, got}}
  %0 = rgnn.matmul %x, %w : tensor<3x8x4xf32>, tensor<3x4x4xf64>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @outer_sum_c1(%x: tensor<?x2x8xf32, #edge>, %y: tensor<?x4xf32, #edge>) {
  // expected-error @+1 {{expected rows that differ in their last dimension only, got 'tensor<?x2x8xf32, #rgnn.rows<edge, @g0>>' and 'tensor<?x4xf32, #rgnn.rows<edge, @g0>>'}}
  %0 = rgnn.outer_sum %x, %y : tensor<?x2x8xf32, #edge>, tensor<?x4xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

func.func @lookup_sum_c1_domain(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #node>) {
  // expected-error@+1 {{expected rows of one dimension on edges, got 'tensor<?x5xf32, #rgnn.rows<node, @g0>>'}}
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x5xf32, #node> -> tensor<3x9x5xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

func.func @lookup_sum_c1_rank(%g: !rgnn.graph<@g0>, %m: tensor<?x2x5xf32, #edge>) {
  // expected-error@+1 {{expected rows of one dimension on edges, got 'tensor<?x2x5xf32, #rgnn.rows<edge, @g0>>'}}
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x2x5xf32, #edge> -> tensor<3x9x5xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

func.func @lookup_sum_c2_width(%g: !rgnn.graph<@g0>, %m: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected a table of shape types x nodes x 4 without rows for 'tensor<?x4xf32, #rgnn.rows<edge, @g0>>', got 'tensor<3x9x5xf32>'}}
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x4xf32, #edge> -> tensor<3x9x5xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

func.func @lookup_sum_c2_dynamic(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>) {
  // expected-error@+1 {{expected a table of shape types x nodes x 5 without rows for 'tensor<?x5xf32, #rgnn.rows<edge, @g0>>', got 'tensor<3x?x5xf32>'}}
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x5xf32, #edge> -> tensor<3x?x5xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

func.func @lookup_sum_c2_types(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>) {
  // expected-error@+1 {{expected a table of 3 types, got 'tensor<2x9x5xf32>'}}
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x5xf32, #edge> -> tensor<2x9x5xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

func.func @lookup_sum_c3(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>) {
  // expected-error@+1 {{expected path src or dst, got etype}}
  %0 = rgnn.lookup_sum etype %m in %g : tensor<?x5xf32, #edge> -> tensor<3x9x5xf32>
  return
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @typed_outer_sum_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) {
  // expected-error @+1 {{expected a path from rows on edge to their types, got src}}
  %0 = rgnn.typed_outer_sum %x, %x by src in %g : tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge> -> tensor<3x8x8xf32>
  return
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @typed_outer_sum_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>, %y: tensor<?x8xf32, #node>) {
  // expected-error @+1 {{expected rows that differ in their last dimension only, got}}
  %0 = rgnn.typed_outer_sum %x, %y by etype in %g : tensor<?x8xf32, #edge>, tensor<?x8xf32, #node> -> tensor<3x8x8xf32>
  return
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @typed_outer_sum_c3(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) {
  // expected-error @+1 {{expected a result of shape types x rows' shape x N without rows for}}
  %0 = rgnn.typed_outer_sum %x, %x by etype in %g : tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge> -> tensor<3x4x8xf32>
  return
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @typed_outer_sum_c3_types(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) {
  // expected-error @+1 {{expected weights of 3 types, got 5}}
  %0 = rgnn.typed_outer_sum %x, %x by etype in %g : tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge> -> tensor<5x8x8xf32>
  return
}

// -----

func.func @sum_rows_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected a tensor with rows, got 'tensor<?x8xf32>'}}
  %0 = rgnn.sum_rows %x : tensor<?x8xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @typed_linear_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>, %w: tensor<3x8x4xf32>) {
  // expected-error@+1 {{expected a path from rows on edge to their types, got src}}
  %0 = rgnn.typed_linear %x, %w by src in %g : tensor<?x8xf32, #edge>, tensor<3x8x4xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @typed_linear_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>, %w: tensor<3x4x8xf32>) {
  // expected-error@+1 {{expected a weight of shape types x rows}}
  %0 = rgnn.typed_linear %x, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<3x4x8xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @typed_linear_c2_scalar(%g: !rgnn.graph<@g0>, %x: tensor<?xf32, #edge>, %w: tensor<3x4xf32>) {
  // expected-error@+1 {{expected a weight of shape types x rows}}
  %0 = rgnn.typed_linear %x, %w by etype in %g : tensor<?xf32, #edge>, tensor<3x4xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @typed_linear_c3(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>, %w: tensor<2x8x4xf32>) {
  // expected-error@+1 {{expected weights of 3 types, got 2}}
  %0 = rgnn.typed_linear %x, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<2x8x4xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @dot_c1(%x: tensor<?xf32, #edge>) {
  // expected-error@+1 {{expected rows of at least one dimension}}
  %0 = rgnn.dot %x, %x : tensor<?xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @dot_c1_types(%x: tensor<?x2xf32, #edge>, %y: tensor<?x3xf32, #edge>) {
  // expected-error@+1 {{op failed to verify that all of {lhs, rhs} have same type}}
  %0 = "rgnn.dot"(%x, %y) : (tensor<?x2xf32, #edge>, tensor<?x3xf32, #edge>) -> tensor<?xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @map_c1(%x: tensor<?x4xf32, #edge>, %y: tensor<?x4xf32, #node>) {
  // expected-error@+1 {{expected operand 1 on the domain of}}
  %0 = rgnn.map %x, %y : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    rgnn.yield %a : f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @map_c2(%x: tensor<?x3xf32, #edge>) {
  // expected-error@+1 {{expected operand 0 to broadcast to}}
  %0 = rgnn.map %x : (tensor<?x3xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    rgnn.yield %a : f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @map_c3(%x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected region argument 0 of}}
  %0 = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f64):
    %b = arith.truncf %a : f64 to f32
    rgnn.yield %b : f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @map_c3_arguments(%x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected 1 region arguments, got 2}}
  %0 = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    rgnn.yield %a : f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @map_c3_yield(%x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected the region to yield one}}
  %0 = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    rgnn.yield %a, %a : f32, f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @map_c3_end(%x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected the region to end in rgnn.yield, got arith.negf}}
  %0 = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @map_c4(%x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected scalar ops of arith and math in the region, got func.call}}
  %0 = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    %b = func.call @f(%a) : (f32) -> f32
    rgnn.yield %b : f32
  }
  return
}
func.func private @f(f32) -> f32

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @reshape_c1(%x: tensor<?x8xf32, #edge>) {
  // expected-error@+1 {{expected 8 elements a row}}
  %0 = rgnn.reshape %x : tensor<?x8xf32, #edge> -> tensor<?x2x3xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @reshape_c1_domain(%x: tensor<?x8xf32, #edge>) {
  // expected-error@+1 {{expected the domain and element type of}}
  %0 = rgnn.reshape %x : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @reshape_c1_dynamic(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{expected static sizes}}
  %0 = rgnn.reshape %x : tensor<?x8xf32> -> tensor<?x2x4xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @permute_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expected an order of 2 dimensions}}
  %0 = rgnn.permute %x [0, 0] : tensor<2x3xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @permute_c2(%x: tensor<?x3xf32, #rgnn.rows<etype, @g0>>) {
  // expected-error@+1 {{expected the rows to stay first, got dimension 1}}
  %0 = rgnn.permute %x [1, 0] : tensor<?x3xf32, #rgnn.rows<etype, @g0>>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @concat_c1(%x: tensor<?x3xf32, #edge>) {
  // expected-error@+1 {{expected a dimension in [1, 2), got 0}}
  %0 = rgnn.concat %x, %x dim 0 : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @concat_c2(%x: tensor<?x3xf32, #edge>, %y: tensor<?x3xf32, #node>) {
  // expected-error@+1 {{expected operands like}}
  %0 = rgnn.concat %x, %y dim 1 : tensor<?x3xf32, #edge>, tensor<?x3xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @slice_c1(%x: tensor<?x3xf32, #rgnn.rows<etype, @g0>>) {
  // expected-error@+1 {{expected a dimension in [1, 2), got 0}}
  %0 = rgnn.slice %x dim 0 from 0 size 1 : tensor<?x3xf32, #rgnn.rows<etype, @g0>>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @slice_c2(%x: tensor<?x3xf32, #edge>) {
  // expected-error@+1 {{expected a range within [0, 3), got [2, 4)}}
  %0 = rgnn.slice %x dim 1 from 2 size 2 : tensor<?x3xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @slice_c2_overflow(%x: tensor<?x3xf32, #edge>) {
  // expected-error@+1 {{expected a range within [0, 3)}}
  %0 = rgnn.slice %x dim 1 from 9223372036854775807 size 1 : tensor<?x3xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @reduce_features_c1(%x: tensor<?x3x3xf32, #rgnn.rows<etype, @g0>>) {
  // expected-error@+1 {{expected a dimension in [1, 3), got 0}}
  %0 = rgnn.reduce_features sum %x dim 0 : tensor<?x3x3xf32, #rgnn.rows<etype, @g0>>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @softmax_c1(%x: tensor<?xf32, #edge>) {
  // expected-error@+1 {{expected rows of at least one dimension}}
  %0 = rgnn.softmax %x : tensor<?xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @torch_c1(%x: tensor<?xf32>) {
  // expected-error@+1 {{expected operands below 1 in args, got 1}}
  %0 = rgnn.torch "aten.relu.default"(%x) [#rgnn.operand<1>] : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @slice_type_of_no_type(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) {
  // expected-error@+1 {{expected rows of one of 2 node types, got 'tensor<?x4xf32, #rgnn.rows<node, @g0, type = 2>>'}}
  %0 = rgnn.slice_type %x in %g : tensor<?x4xf32, #node> -> tensor<?x4xf32, #rgnn.rows<node, @g0, type = 2>>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @place_of_no_type(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32>) {
  // expected-error@+1 {{expected rows of one of 2 node types, got 'tensor<?x4xf32, #rgnn.rows<node, @g0, type = 2>>'}}
  %0 = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g0, type = 2>>
  return
}

// -----

func.func @outer_sum_of_number(%x: tensor<4x3xf32>, %y: tensor<f32>) {
  // expected-error@+2 {{expected rows that differ in their last dimension only, got 'tensor<4x3xf32>' and 'tensor<f32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "rgnn.outer_sum"(%x, %y) : (tensor<4x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#other = #rgnn.rows<edge, @g1>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @typed_outer_sum_to_number(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected a result of shape types x rows' shape x N without rows for}}
  %0 = rgnn.typed_outer_sum %x, %x by etype in %g : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge> -> tensor<f32>
  return
}

// -----

rgnn.schema @g0 edge_types(3)

func.func @split_c1(%g: !rgnn.graph<@g0 : src>) {
  // expected-error@+1 {{expected a whole graph, got '!rgnn.graph<@g0 : src>'}}
  %0:2 = "rgnn.split_graph"(%g) : (!rgnn.graph<@g0 : src>) -> (!rgnn.graph<@g0 : src>, !rgnn.graph<@g0 : dst>)
  return
}

// -----

rgnn.schema @g0 edge_types(3)

func.func @reduce_c2_part(%g: !rgnn.graph<@g0 : src>, %x: tensor<?x4xf32, #rgnn.rows<edge, @g0 : dst>>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0 : src>', got 'tensor<?x4xf32, #rgnn.rows<edge, @g0 : dst>>'}}
  %0 = "rgnn.reduce"(%x, %g) <{path = #rgnn<path dst>, kind = #rgnn<reduction sum>}> : (tensor<?x4xf32, #rgnn.rows<edge, @g0 : dst>>, !rgnn.graph<@g0 : src>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

rgnn.schema @g0 edge_types(3)

func.func @gather_c1_whole(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #rgnn.rows<edge, @g0>>) {
  // expected-error@+1 {{expected a part of a graph for path whole, got '!rgnn.graph<@g0>'}}
  %0 = "rgnn.gather"(%x, %g) <{path = #rgnn<path whole>}> : (tensor<?x4xf32, #rgnn.rows<edge, @g0>>, !rgnn.graph<@g0>) -> tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  return
}

// -----

rgnn.schema @g0 edge_types(3)

func.func @reduce_c3(%g: !rgnn.graph<@g0 : src>, %x: tensor<?x4xf32, #rgnn.rows<edge, @g0 : src>>) {
  // expected-error@+1 {{expected a sum along path whole, got mean}}
  %0 = "rgnn.reduce"(%x, %g) <{path = #rgnn<path whole>, kind = #rgnn<reduction mean>}> : (tensor<?x4xf32, #rgnn.rows<edge, @g0 : src>>, !rgnn.graph<@g0 : src>) -> tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  return
}
