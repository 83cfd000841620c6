// Which graphs follow from how lists of integers are used.

// RUN: rgnn-opt %s --rgnn-lift-torch --canonicalize --cse --split-input-file | FileCheck %s

// The two ends count different nodes.

//       CHECK: rgnn.schema @g0 node_types(2) edge_types(1)
// CHECK-LABEL: func @bipartite
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?x4xf32>, %[[EI:.*]]: tensor<2x?xi64>
//   CHECK-DAG:   %[[NS:.*]] = tensor.dim %[[X]]
//   CHECK-DAG:   %[[ND:.*]] = tensor.dim %[[Y]]
//       CHECK:   rgnn.coo_graph edges(%[[EI]] : tensor<2x?xi64>) nodes(%[[NS]], %[[ND]]) : !rgnn.graph<@g0, bipartite>
//       CHECK:   rgnn.gather src {{.*}} : tensor<?x4xf32, #rgnn.rows<node, @g0, type = 0>> bipartite
//       CHECK:   %[[S:.*]] = rgnn.reduce mean dst {{.*}} : tensor<?x4xf32, #rgnn.rows<edge, @g0>> bipartite
//       CHECK:   rgnn.unplace %[[S]] : tensor<?x4xf32, #rgnn.rows<node, @g0, type = 1>>
//   CHECK-NOT:   rgnn.torch
func.func @bipartite(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%y) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "mean"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// Ends in lists of their own.

// CHECK-LABEL: func @lists_of_ends
//  CHECK-SAME:   %[[FROM:[a-z0-9]+]]: tensor<?xi64> {{[^,]*}}, %[[TO:[a-z0-9]+]]: tensor<?xi64>
//       CHECK:   rgnn.coo_graph edges(%[[FROM]], %[[TO]] : tensor<?xi64>, tensor<?xi64>) nodes(%{{[^,]*}}) : !rgnn.graph<@g0>
//       CHECK:   rgnn.gather src
//       CHECK:   rgnn.reduce sum dst
//   CHECK-NOT:   rgnn.torch
func.func @lists_of_ends(%x: tensor<?x4xf32> {rgnn.num_rows = "n"}, %from: tensor<?xi64> {rgnn.num_rows = "e"},
                         %to: tensor<?xi64> {rgnn.num_rows = "e"}) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %u = rgnn.torch "aten.index_select"(%x, %from) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %to, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// A list that maps rows to rows: nodes to graphs.

// CHECK-LABEL: func @pooling
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32>, %[[BATCH:.*]]: tensor<?xi64>, %[[COUNT:.*]]: i64
//       CHECK:   %[[G:.*]] = rgnn.coo_graph edges(%[[BATCH]] : tensor<?xi64>)
//       CHECK:   %[[ROWS:.*]] = rgnn.place %[[X]] in %[[G]] : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<edge, @g0>>
//       CHECK:   rgnn.reduce max dst %[[ROWS]]
//   CHECK-NOT:   rgnn.torch
func.func @pooling(%x: tensor<?x4xf32>, %batch: tensor<?xi64>, %count: i64) -> tensor<?x4xf32> {
  %s = rgnn.torch "rgnn.aggregate"(%x, %batch, %count) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "max"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// A list that only picks rows is one end of edges; two that are as long, both.

// CHECK-LABEL: func @picked
//       CHECK:   %[[G:.*]] = rgnn.coo_graph edges(%{{[a-z0-9]+}} : tensor<?xi64>)
//       CHECK:   rgnn.gather dst %{{.*}} in %[[G]]
func.func @picked(%x: tensor<?x4xf32>, %index: tensor<?xi64>) -> tensor<?x4xf32> {
  %u = rgnn.torch "aten.index_select"(%x, %index) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return %u : tensor<?x4xf32>
}

// CHECK-LABEL: func @pairs
//       CHECK:   %[[G:.*]] = rgnn.coo_graph edges(%{{.*}}, %{{.*}} : tensor<?xi64>, tensor<?xi64>)
//   CHECK-DAG:   rgnn.gather src %{{.*}} in %[[G]]
//   CHECK-DAG:   rgnn.gather dst %{{.*}} in %[[G]]
func.func @pairs(%x: tensor<?x4xf32>, %one: tensor<?xi64> {rgnn.num_rows = "n"}, %other: tensor<?xi64> {rgnn.num_rows = "n"}) -> tensor<?x4xf32> {
  %u = rgnn.torch "aten.index_select"(%x, %one) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %v = rgnn.torch "aten.index_select"(%x, %other) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %p = rgnn.torch "aten.mul.Tensor"(%u, %v) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %p : tensor<?x4xf32>
}

// -----

// Edges joined to others: their features, too. What was chosen by a mask comes with its list.

// CHECK-LABEL: func @joined
//       CHECK:   %[[KEPT:.*]] = rgnn.gather dst %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @[[P:g[0-9]]]>>
//       CHECK:   rgnn.concat_rows %[[KEPT]], %{{.*}} in %[[G:.*]] : (tensor<?x4xf32, #rgnn.rows<edge, @[[P]]>>, tensor<?x4xf32, #rgnn.rows<node, @[[Q:g[0-9]]]>>) -> tensor<?x4xf32, #rgnn.rows<edge, @[[Q]]>>
//       CHECK:   rgnn.reduce sum dst
//   CHECK-NOT:   rgnn.torch
func.func @joined(%x: tensor<?x4xf32> {rgnn.num_rows = "nodes"}, %attr: tensor<?x4xf32>, %kept: tensor<?xi64>, %edges: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %u = rgnn.torch "aten.index_select"(%attr, %kept) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %all = rgnn.torch "aten.cat"(%u, %x) [[#rgnn.operand<0>, #rgnn.operand<1>], 0] {rgnn.num_rows = "edges"} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %dst = rgnn.torch "aten.select.int"(%edges) [#rgnn.operand<0>, 0, 1] {rgnn.num_rows = "edges"} : (tensor<2x?xi64>) -> tensor<?xi64>
  %s = rgnn.torch "rgnn.aggregate"(%all, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// Nodes are rows of two types, one after the other: what makes each works on the nodes of a type.

//       CHECK: rgnn.schema @g0 node_types(2)
// CHECK-LABEL: func @joined_types
//       CHECK:   %[[G:.*]] = rgnn.coo_graph edges(%{{.*}}) nodes(%{{.*}}, %{{.*}}) : !rgnn.graph<@g0>
//       CHECK:   %[[A:.*]] = rgnn.linear %{{.*}} : tensor<?x3xf32, #rgnn.rows<node, @g0, type = 0>>
//       CHECK:   %[[B:.*]] = rgnn.linear %{{.*}} : tensor<?x5xf32, #rgnn.rows<node, @g0, type = 1>>
//       CHECK:   rgnn.concat_types %[[A]], %[[B]] in %[[G]]
//   CHECK-NOT:   rgnn.torch
func.func @joined_types(%x: tensor<?x3xf32>, %y: tensor<?x5xf32>, %v: tensor<4x3xf32>, %w: tensor<4x5xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %a = rgnn.torch "aten.linear"(%x, %v) [#rgnn.operand<0>, #rgnn.operand<1>, unit] : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x4xf32>
  %b = rgnn.torch "aten.linear"(%y, %w) [#rgnn.operand<0>, #rgnn.operand<1>, unit] : (tensor<?x5xf32>, tensor<4x5xf32>) -> tensor<?x4xf32>
  %all = rgnn.torch "aten.cat"(%a, %b) [[#rgnn.operand<0>, #rgnn.operand<1>], 0] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %n = rgnn.torch "aten.sym_size.int"(%all) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%all, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// Weights of edges that are joined to those of loops are edges of no graph: the capture gives them one without edges. The
// list of rows that are nodes already is of no use.

// CHECK-LABEL: func @nodes_of
//   CHECK-NOT:   rgnn.nodes_of
//       CHECK:   rgnn.coo_graph edges(%arg4 : tensor<0xi64>) nodes(%{{.*}}) : !rgnn.graph<@[[L:g[0-9]]]>
//   CHECK-NOT:   rgnn.coo_graph edges(%arg5
//       CHECK:   rgnn.concat_rows %{{.*}}, %{{.*}} in %{{.*}} : (tensor<?x1xf32, #rgnn.rows<node, @[[L]]>>, tensor<?x1xf32, #rgnn.rows<node, @{{.*}}>>)
//   CHECK-NOT:   rgnn.torch
func.func @nodes_of(%w: tensor<?x1xf32>, %x: tensor<?x4xf32> {rgnn.num_rows = "n"}, %loops: tensor<?x1xf32> {rgnn.num_rows = "n"}, %ei: tensor<2x?xi64>,
                    %none: tensor<0xi64> {rgnn.nodes_of = 0}, %no_other: tensor<0xi64> {rgnn.nodes_of = 1}) -> tensor<?x4xf32> {
  %all = rgnn.torch "aten.cat"(%w, %loops) [[#rgnn.operand<0>, #rgnn.operand<1>], 0] {rgnn.num_rows = "e"} : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] {rgnn.num_rows = "e"} : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] {rgnn.num_rows = "e"} : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %m = rgnn.torch "aten.mul.Tensor"(%u, %all) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%m, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// Scores of the edges of two lists, joined, are nodes of two types of a graph, as many as the lists have edges.

// CHECK-LABEL: func @more_nodes_of
//   CHECK-NOT:   rgnn.more_nodes_of
//       CHECK:   %[[THESE:.*]] = tensor.dim %arg1, %c1
//       CHECK:   %[[THOSE:.*]] = tensor.dim %arg2, %c1
//       CHECK:   rgnn.coo_graph edges(%arg3 : tensor<0xi64>) nodes(%[[THESE]], %[[THOSE]]) : !rgnn.graph<@[[J:g[0-9]]]>
//       CHECK:   rgnn.concat_types {{.*}} -> tensor<?x4xf32, #rgnn.rows<node, @[[J]]>>
//   CHECK-NOT:   rgnn.torch
func.func @more_nodes_of(%x: tensor<?x4xf32>, %these: tensor<2x?xi64>, %those: tensor<2x?xi64>,
                         %none: tensor<0xi64> {rgnn.nodes_of = 1, rgnn.more_nodes_of = array<i64: 2>}) -> tensor<?x4xf32> {
  %a = rgnn.torch "aten.select.int"(%these) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %b = rgnn.torch "aten.select.int"(%those) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %a) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %v = rgnn.torch "aten.index_select"(%x, %b) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %all = rgnn.torch "aten.cat"(%u, %v) [[#rgnn.operand<0>, #rgnn.operand<1>], 0] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = rgnn.torch "aten.relu"(%all) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// One list of edges between nodes of two numbers, and among those of one: two graphs.

// CHECK-LABEL: func @two_numbers
//   CHECK-DAG:   rgnn.coo_graph {{.*}} : !rgnn.graph<@{{g[01]}}>
//   CHECK-DAG:   rgnn.coo_graph {{.*}} : !rgnn.graph<@{{g[01]}}, bipartite>
//   CHECK-NOT:   rgnn.torch "rgnn.aggregate"
func.func @two_numbers(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %m = rgnn.torch "aten.sym_size.int"(%y) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  %t = rgnn.torch "rgnn.aggregate"(%u, %dst, %m) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  return %s, %t : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// A feature of nodes that picks rows of a table: the ends of edges are numbers of its rows.

// CHECK-LABEL: func @node_index
//       CHECK:   %[[I:.*]] = rgnn.torch "aten.index_select"
//       CHECK:   %[[G:.*]] = rgnn.coo_graph edges(%[[I]] : tensor<?xi64>) types(%{{.*}} : tensor<?xi64>) nodes(%c9)
//       CHECK:   rgnn.lookup dst %{{.*}} in %[[G]]
func.func @node_index(%x: tensor<?xi64>, %ei: tensor<2x?xi64>, %et: tensor<?xi64>, %w: tensor<5x9x4xf32>) -> tensor<?x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %i = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %m = rgnn.torch "rgnn.lookup"(%w, %et, %i) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<5x9x4xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x4xf32>
  return %m : tensor<?x4xf32>
}

// -----

// Types of rows that are no edges of anything: the rows become edges between types.

// CHECK-LABEL: func @typed_rows
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32> {{[^,]*}}, %[[T:[a-z0-9]+]]: tensor<?xi64>
//       CHECK:   %[[G:.*]] = rgnn.coo_graph edges(%[[T]] : tensor<?xi64>) types(%[[T]] : tensor<?xi64>) nodes(%c3)
//       CHECK:   %[[ROWS:.*]] = rgnn.place %[[X]] in %[[G]] : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<edge, @g0>>
//       CHECK:   rgnn.typed_linear %[[ROWS]], %{{.*}} by etype in %[[G]]
func.func @typed_rows(%x: tensor<?x4xf32> {rgnn.num_rows = "n"}, %t: tensor<?xi64> {rgnn.num_rows = "n"}, %w: tensor<3x4x8xf32>) -> tensor<?x8xf32> {
  %y = rgnn.torch "rgnn.typed_linear"(%x, %t, %w) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4xf32>, tensor<?xi64>, tensor<3x4x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// Nodes of a fixed number are computed from edges and are no weights: a list as long as is known picks some of them,
// and its rows are nodes to the next list.

// CHECK-LABEL: func @fixed_nodes
//  CHECK-SAME:   %[[X:.*]]: tensor<9x4xf32>, %[[EI:.*]]: tensor<2x?xi64>, %[[FIRST:.*]]: tensor<5xi64>, %[[I:.*]]: tensor<?xi64>
//   CHECK-DAG:   %[[G:.*]] = rgnn.coo_graph edges(%[[EI]] : tensor<2x?xi64>) nodes(%c9)
//   CHECK-DAG:   %[[P:.*]] = rgnn.coo_graph edges(%[[FIRST]] : tensor<5xi64>) nodes(%c9)
//   CHECK-DAG:   %[[Q:.*]] = rgnn.coo_graph edges(%[[I]] : tensor<?xi64>) nodes(%c5)
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst %{{.*}} in %[[G]]
//       CHECK:   rgnn.gather dst %{{.*}} in %[[P]]
//       CHECK:   rgnn.gather dst %{{.*}} in %[[Q]]
//   CHECK-NOT:   rgnn.torch
func.func @fixed_nodes(%x: tensor<9x4xf32>, %ei: tensor<2x?xi64>, %first: tensor<5xi64>, %i: tensor<?xi64>) -> tensor<?x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<9x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst) [#rgnn.operand<0>, #rgnn.operand<1>, 9, "sum"] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<9x4xf32>
  %p = rgnn.torch "aten.index_select"(%s, %first) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<9x4xf32>, tensor<5xi64>) -> tensor<5x4xf32>
  %q = rgnn.torch "aten.index_select"(%p, %i) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<5x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return %q : tensor<?x4xf32>
}

// -----

// Sums per node and relation become a row per node, whose numbers go back to rows per node and relation that edges read.

// CHECK-LABEL: func @regrouped
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst
//       CHECK:   %[[W:.*]] = rgnn.regroup_rows %[[S]] in %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @{{.*}}>> -> tensor<?x12xf32, #rgnn.rows<node, @{{.*}}>>
//       CHECK:   %[[T:.*]] = rgnn.map %[[W]]
//       CHECK:   rgnn.regroup_rows %[[T]] in %{{.*}} : tensor<?x12xf32, #rgnn.rows<node, @{{.*}}>> -> tensor<?x4xf32, #rgnn.rows<node, @{{.*}}>>
//   CHECK-NOT:   rgnn.torch
func.func @regrouped(%x: tensor<?x4xf32>, %src: tensor<?xi64>, %pair: tensor<?xi64> {rgnn.num_rows = "e"}) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %m = rgnn.torch "sym.mul"(%n) [3, #rgnn.operand<0>] : (i64) -> i64
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] {rgnn.num_rows = "e"} : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %pair, %m) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  %w = rgnn.torch "aten.view"(%s) [#rgnn.operand<0>, [-1, 12]] : (tensor<?x4xf32>) -> tensor<?x12xf32>
  %t = rgnn.torch "aten.relu"(%w) [#rgnn.operand<0>] : (tensor<?x12xf32>) -> tensor<?x12xf32>
  %v = rgnn.torch "aten.view"(%t) [#rgnn.operand<0>, [-1, 4]] : (tensor<?x12xf32>) -> tensor<?x4xf32>
  %g = rgnn.torch "aten.index_select"(%v, %pair) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return %g : tensor<?x4xf32>
}

// -----

// Two lists of rows, joined with a third one, are as many as a list of edges:
// so they are as many as each other.

// CHECK-LABEL: func @equal_sums
// CHECK-COUNT-2: rgnn.concat_rows
//   CHECK-NOT: rgnn.torch
func.func @equal_sums(%h: tensor<?x4xf32>, %r: tensor<?x4xf32>, %given: tensor<?x4xf32>, %kind: tensor<?xi64>, %near: tensor<?xi64>, %src: tensor<?xi64>, %dst: tensor<?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%h) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %u = rgnn.torch "aten.index_select"(%h, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %k = rgnn.torch "aten.index_select"(%r, %kind) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %t = rgnn.torch "aten.index_select"(%r, %near) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %first = rgnn.torch "aten.cat"(%given, %t) [[#rgnn.operand<0>, #rgnn.operand<1>], 0] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %second = rgnn.torch "aten.cat"(%k, %t) [[#rgnn.operand<0>, #rgnn.operand<1>], 0] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = rgnn.torch "aten.mul.Tensor"(%u, %first) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = rgnn.torch "aten.mul.Tensor"(%a, %second) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %zeros = rgnn.torch "aten.zeros"(%n) [[#rgnn.operand<0>, 4], "float32", unit, "cpu", false] : (i64) -> tensor<?x4xf32>
  %o = rgnn.torch "aten.index_add"(%zeros, %dst, %b) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>, 1] : (tensor<?x4xf32>, tensor<?xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %o : tensor<?x4xf32>
}
