// Weights of node types, of edge types and of all rows, multiplied with each other.

// RUN: rgnn-opt %s --rgnn-reorder-linear --canonicalize --cse | FileCheck %s
// RUN: %check_numeric %s --rgnn-reorder-linear
// RUN: rgnn-opt %s --rgnn-reorder-linear --mlir-disable-threading --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-opt %s --rgnn-reorder-linear | rgnn-translate --rgnn-check-gradient --seeds=4 | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s --check-prefix=COMPILED
// RUN: rgnn-opt %s --rgnn-reorder-linear --rgnn-differentiate -o %t.mlir
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %t.mlir | FileCheck %s --check-prefix=BACKWARD

#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#edge = #rgnn.rows<edge, @g0>
#ntype = #rgnn.rows<ntype, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
#nodeA = #rgnn.rows<node, @one>
#edgeA = #rgnn.rows<edge, @one>

rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])
rgnn.schema @one node_types(1) edge_types(4)

// Keys: the node type of a source follows from the type of an edge.
// CHECK-LABEL: func @key(
//  CHECK-SAME:   %[[G:.*]]: !rgnn.graph<@g0>, %[[X:.*]]: tensor<?x6xf64, {{.*}}>, %[[W:.*]]: tensor<2x6x8xf64>, %[[V:.*]]: tensor<3x8x8xf64>
//   CHECK-DAG:   %[[U:.*]] = rgnn.gather src %[[X]]
//   CHECK-DAG:   %[[W0:.*]] = rgnn.slice %[[W]] dim 0 from 0 size 1
//   CHECK-DAG:   %[[W1:.*]] = rgnn.slice %[[W]] dim 0 from 1 size 1
//       CHECK:   %[[E:.*]] = rgnn.concat %[[W0]], %[[W1]], %[[W1]] dim 0
//       CHECK:   %[[P:.*]] = rgnn.matmul %[[E]], %[[V]] : tensor<3x6x8xf64>, tensor<3x8x8xf64>
//       CHECK:   %[[Z:.*]] = rgnn.typed_linear %[[U]], %[[P]] by etype in %[[G]]
//  CHECK-NEXT:   return %[[Z]]
// REMARK: Passed{{.*}}Function=key {{.*}}weights are multiplied first
// GRADIENT: @key: gradients agree
// COMPILED: @key: compiled code agrees
// BACKWARD: @key_backward: compiled code agrees
func.func @key(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #node>, %w: tensor<2x6x8xf64>, %v: tensor<3x8x8xf64>) -> tensor<?x8xf64, #edge> {
  %k = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x6xf64, #node>, tensor<2x6x8xf64>
  %u = rgnn.gather src %k in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %v by etype in %g : tensor<?x8xf64, #edge>, tensor<3x8x8xf64>
  return %z : tensor<?x8xf64, #edge>
}

// Queries: that of the destination.
// CHECK-LABEL: func @query(
//   CHECK-DAG:   rgnn.gather dst
//   CHECK-DAG:   %[[W0:.*]] = rgnn.slice %{{.*}} dim 0 from 0 size 1
//   CHECK-DAG:   %[[W1:.*]] = rgnn.slice %{{.*}} dim 0 from 1 size 1
//       CHECK:   rgnn.concat %[[W1]], %[[W0]], %[[W1]] dim 0
//       CHECK:   rgnn.matmul
//       CHECK:   rgnn.typed_linear
//   CHECK-NOT:   rgnn.typed_linear
// GRADIENT: @query: gradients agree
// COMPILED: @query: compiled code agrees
func.func @query(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #node>, %w: tensor<2x6x8xf64>, %v: tensor<3x8x8xf64>) -> tensor<?x8xf64, #edge> {
  %q = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x6xf64, #node>, tensor<2x6x8xf64>
  %u = rgnn.gather dst %q in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %v by etype in %g : tensor<?x8xf64, #edge>, tensor<3x8x8xf64>
  return %z : tensor<?x8xf64, #edge>
}

// HGT as captured: keys, queries and values are columns of one product for the nodes of each type, with biases; keys
// and values have a matrix for each edge type and head, queries none. Queries stay alone on nodes. Biases are rows of
// weights for a one at the end of each row.
// CHECK-LABEL: func @hgt(
//  CHECK-SAME:   %[[G:[a-z0-9]+]]: !rgnn.graph<@g0>, %[[A:[a-z0-9]+]]: tensor<{{[^>]*>>}}, %[[B:[a-z0-9]+]]: tensor
//       CHECK:   rgnn.linear {{.*}} transposed : tensor<?x4xf64, #rgnn.rows<node, @g0, type = 0>>, tensor<4x4xf64>
//       CHECK:   rgnn.linear {{.*}} transposed : tensor<?x4xf64, #rgnn.rows<node, @g0, type = 1>>, tensor<4x4xf64>
//       CHECK:   %[[X:.*]] = rgnn.concat_types %[[A]], %[[B]] in
//       CHECK:   %[[ONE:.*]] = rgnn.map
//       CHECK:   %[[X1:.*]] = rgnn.concat %[[X]], %[[ONE]] dim 1
//       CHECK:   %[[U:.*]] = rgnn.gather src %[[X1]]
//       CHECK:   rgnn.matmul %{{.*}} : tensor<3x1x5x4xf64>, tensor<3x1x4x4xf64>
//       CHECK:   rgnn.typed_linear %[[U]], %{{.*}} by etype in {{.*}} tensor<3x5x4xf64>
//       CHECK:   rgnn.matmul %{{.*}} : tensor<3x1x5x4xf64>, tensor<3x1x4x4xf64>
//       CHECK:   rgnn.typed_linear %[[U]], %{{.*}} by etype in {{.*}} tensor<3x5x4xf64>
//   CHECK-NOT:   rgnn.{{(typed_)?}}linear
// REMARK: Passed{{.*}}Function=hgt {{.*}}weights are multiplied first
// REMARK: Passed{{.*}}Function=hgt {{.*}}weights are multiplied first
// GRADIENT: @hgt: gradients agree
// COMPILED: @hgt: compiled code agrees
// BACKWARD: @hgt_backward: compiled code agrees
func.func @hgt(%g: !rgnn.graph<@g0>, %a: tensor<?x4xf64, #node0>, %p: tensor<?x4xf64, #node1>, %wa: tensor<12x4xf64>, %ba: tensor<12xf64>,
               %wp: tensor<12x4xf64>, %bp: tensor<12xf64>, %katt: tensor<3x1x4x4xf64>, %vmsg: tensor<3x1x4x4xf64>) -> tensor<?x1x4xf64, #node> {
  %la = rgnn.linear %a, %wa transposed : tensor<?x4xf64, #node0>, tensor<12x4xf64>
  %ra = rgnn.map %la, %ba : (tensor<?x12xf64, #node0>, tensor<12xf64>) -> tensor<?x12xf64, #node0> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  %lp = rgnn.linear %p, %wp transposed : tensor<?x4xf64, #node1>, tensor<12x4xf64>
  %rp = rgnn.map %lp, %bp : (tensor<?x12xf64, #node1>, tensor<12xf64>) -> tensor<?x12xf64, #node1> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  %kqv = rgnn.concat_types %ra, %rp in %g : (tensor<?x12xf64, #node0>, tensor<?x12xf64, #node1>) -> tensor<?x12xf64, #node>
  %k0 = rgnn.slice %kqv dim 1 from 0 size 4 : tensor<?x12xf64, #node>
  %k1 = rgnn.reshape %k0 : tensor<?x4xf64, #node> -> tensor<?x1x4xf64, #node>
  %q0 = rgnn.slice %kqv dim 1 from 4 size 4 : tensor<?x12xf64, #node>
  %q1 = rgnn.reshape %q0 : tensor<?x4xf64, #node> -> tensor<?x1x4xf64, #node>
  %v0 = rgnn.slice %kqv dim 1 from 8 size 4 : tensor<?x12xf64, #node>
  %v1 = rgnn.reshape %v0 : tensor<?x4xf64, #node> -> tensor<?x1x4xf64, #node>
  %k2 = rgnn.gather src %k1 in %g : tensor<?x1x4xf64, #node>
  %k = rgnn.typed_linear %k2, %katt by etype in %g : tensor<?x1x4xf64, #edge>, tensor<3x1x4x4xf64>
  %v2 = rgnn.gather src %v1 in %g : tensor<?x1x4xf64, #node>
  %v = rgnn.typed_linear %v2, %vmsg by etype in %g : tensor<?x1x4xf64, #edge>, tensor<3x1x4x4xf64>
  %q = rgnn.gather dst %q1 in %g : tensor<?x1x4xf64, #node>
  %d = rgnn.dot %q, %k : tensor<?x1x4xf64, #edge>
  %t = rgnn.group_softmax dst %d in %g : tensor<?x1xf64, #edge>
  %r = rgnn.reshape %t : tensor<?x1xf64, #edge> -> tensor<?x1x1xf64, #edge>
  %m = rgnn.map %v, %r : (tensor<?x1x4xf64, #edge>, tensor<?x1x1xf64, #edge>) -> tensor<?x1x4xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.mulf %i, %j : f64
    rgnn.yield %s : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x1x4xf64, #edge>
  return %y : tensor<?x1x4xf64, #node>
}

// A weight that all rows share is multiplied by that of each type, whatever the number of types.
// CHECK-LABEL: func @shared(
//       CHECK:   %[[V:.*]] = rgnn.permute %{{.*}} [1, 0, 2] : tensor<3x8x2xf64>
//       CHECK:   %[[R:.*]] = rgnn.reshape %[[V]] : tensor<8x3x2xf64> -> tensor<8x6xf64>
//       CHECK:   rgnn.linear %{{.*}}, %[[R]] : tensor<6x8xf64>, tensor<8x6xf64>
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x6xf64, {{.*}}>, tensor<3x6x2xf64>
//   CHECK-NOT:   rgnn.linear
// GRADIENT: @shared: gradients agree
// COMPILED: @shared: compiled code agrees
// BACKWARD: @shared_backward: compiled code agrees
func.func @shared(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #edge>, %w: tensor<8x6xf64>, %v: tensor<3x8x2xf64>) -> tensor<?x2xf64, #edge> {
  %k = rgnn.linear %x, %w transposed : tensor<?x6xf64, #edge>, tensor<8x6xf64>
  %z = rgnn.typed_linear %k, %v by etype in %g : tensor<?x8xf64, #edge>, tensor<3x8x2xf64>
  return %z : tensor<?x2xf64, #edge>
}

// Both by the type of the edge, the first on unique pairs, and both by the type of the node.
// CHECK-LABEL: func @same(
// CHECK-COUNT-2: rgnn.typed_linear
//   CHECK-NOT:   rgnn.typed_linear
// GRADIENT: @same: gradients agree
// COMPILED: @same: compiled code agrees
// BACKWARD: @same_backward: compiled code agrees
func.func @same(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x4xf64>, %v: tensor<3x4x2xf64>, %wn: tensor<2x4x4xf64>, %vn: tensor<2x4x2xf64>)
    -> (tensor<?x2xf64, #edge>, tensor<?x2xf64, #node>) {
  %u = rgnn.gather src %x in %g to src_pair : tensor<?x4xf64, #node>
  %k = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #src_pair>, tensor<3x4x4xf64>
  %e = rgnn.gather src_pair %k in %g : tensor<?x4xf64, #src_pair>
  %z = rgnn.typed_linear %e, %v by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x2xf64>
  %n = rgnn.typed_linear %x, %wn by ntype in %g : tensor<?x4xf64, #node>, tensor<2x4x4xf64>
  %y = rgnn.typed_linear %n, %vn by ntype in %g : tensor<?x4xf64, #node>, tensor<2x4x2xf64>
  return %z, %y : tensor<?x2xf64, #edge>, tensor<?x2xf64, #node>
}

// Products of each node type in front of one of all nodes, and of one by node type.
// CHECK-LABEL: func @joined(
//       CHECK:   rgnn.linear %{{.*}} : tensor<8x4xf64>, tensor<4x1xf64>
//       CHECK:   rgnn.typed_linear {{.*}} by ntype in {{.*}} tensor<2x4x1xf64>
//       CHECK:   rgnn.matmul %{{.*}} : tensor<2x4x4xf64>, tensor<2x4x2xf64>
//       CHECK:   rgnn.typed_linear {{.*}} by ntype in {{.*}} tensor<2x4x2xf64>
//   CHECK-NOT:   linear
// GRADIENT: @joined: gradients agree
// COMPILED: @joined: compiled code agrees
// BACKWARD: @joined_backward: compiled code agrees
func.func @joined(%g: !rgnn.graph<@g0>, %a: tensor<?x4xf64, #node0>, %p: tensor<?x4xf64, #node1>, %wa: tensor<4x4xf64>, %wp: tensor<4x4xf64>, %v: tensor<4x1xf64>,
                  %vt: tensor<2x4x2xf64>) -> (tensor<?x1xf64, #node>, tensor<?x2xf64, #node>) {
  %la = rgnn.linear %a, %wa : tensor<?x4xf64, #node0>, tensor<4x4xf64>
  %lp = rgnn.linear %p, %wp transposed : tensor<?x4xf64, #node1>, tensor<4x4xf64>
  %k = rgnn.concat_types %la, %lp in %g : (tensor<?x4xf64, #node0>, tensor<?x4xf64, #node1>) -> tensor<?x4xf64, #node>
  %0 = rgnn.linear %k, %v : tensor<?x4xf64, #node>, tensor<4x1xf64>
  %1 = rgnn.typed_linear %k, %vt by ntype in %g : tensor<?x4xf64, #node>, tensor<2x4x2xf64>
  return %0, %1 : tensor<?x1xf64, #node>, tensor<?x2xf64, #node>
}

// Nodes have heads from the start, with a bias for each and each type: it is added to edges.
// CHECK-LABEL: func @heads_of_nodes(
//       CHECK:   rgnn.matmul %{{.*}} : tensor<3x2x4x4xf64>, tensor<3x2x4x4xf64>
//       CHECK:   rgnn.typed_linear {{.*}} by etype in {{.*}} tensor<3x2x4x4xf64>
//       CHECK:   rgnn.matmul %{{.*}} : tensor<3x2x1x4xf64>, tensor<3x2x4x4xf64>
//       CHECK:   rgnn.gather etype
// GRADIENT: @heads_of_nodes: gradients agree
// COMPILED: @heads_of_nodes: compiled code agrees
// BACKWARD: @heads_of_nodes_backward: compiled code agrees
func.func @heads_of_nodes(%g: !rgnn.graph<@g0>, %x: tensor<?x2x4xf64, #node>, %w: tensor<2x2x4x4xf64>, %b: tensor<2x2x4xf64>, %v: tensor<3x2x4x4xf64>)
    -> tensor<?x2x4xf64, #edge> {
  %0 = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x2x4xf64, #node>, tensor<2x2x4x4xf64>
  %p = rgnn.place %b in %g : tensor<2x2x4xf64> -> tensor<2x2x4xf64, #ntype>
  %c = rgnn.gather ntype %p in %g to node : tensor<2x2x4xf64, #ntype>
  %1 = rgnn.map %0, %c : (tensor<?x2x4xf64, #node>, tensor<?x2x4xf64, #node>) -> tensor<?x2x4xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  %2 = rgnn.gather src %1 in %g : tensor<?x2x4xf64, #node>
  %3 = rgnn.typed_linear %2, %v by etype in %g : tensor<?x2x4xf64, #edge>, tensor<3x2x4x4xf64>
  return %3 : tensor<?x2x4xf64, #edge>
}

// Where there is one node type, no schema needs to say it of edges.
// CHECK-LABEL: func @one_node_type(
//       CHECK:   rgnn.linear
//       CHECK:   rgnn.typed_linear {{.*}} by etype
//   CHECK-NOT:   rgnn.typed_linear
func.func @one_node_type(%g: !rgnn.graph<@one>, %x: tensor<?x4xf64, #nodeA>, %w: tensor<1x4x4xf64>, %v: tensor<4x4x4xf64>) -> tensor<?x4xf64, #edgeA> {
  %k = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x4xf64, #nodeA>, tensor<1x4x4xf64>
  %u = rgnn.gather src %k in %g : tensor<?x4xf64, #nodeA>
  %z = rgnn.typed_linear %u, %v by etype in %g : tensor<?x4xf64, #edgeA>, tensor<4x4x4xf64>
  return %z : tensor<?x4xf64, #edgeA>
}

// Nodes are fewer than edges: a product of eight numbers for each edge is not traded for one of four and one of eight
// numbers for each node.
// CHECK-LABEL: func @wide(
//       CHECK:   rgnn.typed_linear {{.*}} by ntype
//       CHECK:   rgnn.typed_linear {{.*}} by etype
// REMARK: Missed{{.*}}Function=wide {{.*}}rows are gathered in between, and each takes more multiplications than behind the first product
func.func @wide(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<2x8x4xf64>, %v: tensor<3x4x4xf64>) -> tensor<?x4xf64, #edge> {
  %k = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x8xf64, #node>, tensor<2x8x4xf64>
  %u = rgnn.gather src %k in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %v by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  return %z : tensor<?x4xf64, #edge>
}

// No edge has a product by node type.
// CHECK-LABEL: func @shared_behind(
//       CHECK:   rgnn.typed_linear {{.*}} by ntype
//       CHECK:   rgnn.linear
// REMARK: Missed{{.*}}Function=shared_behind {{.*}}edges have a product by node type in front, and none by edge type
func.func @shared_behind(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<2x4x4xf64>, %v: tensor<4x1xf64>) -> tensor<?x1xf64, #edge> {
  %k = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x4xf64, #node>, tensor<2x4x4xf64>
  %u = rgnn.gather src %k in %g : tensor<?x4xf64, #node>
  %z = rgnn.linear %u, %v : tensor<?x4xf64, #edge>, tensor<4x1xf64>
  return %z : tensor<?x1xf64, #edge>
}

// Features of node types differ in width: no tensor has them all.
// CHECK-LABEL: func @widths(
//       CHECK:   rgnn.concat_types
//       CHECK:   rgnn.typed_linear
// REMARK: Missed{{.*}}Function=widths {{.*}}features of node types differ in width
func.func @widths(%g: !rgnn.graph<@g0>, %a: tensor<?x4xf64, #node0>, %p: tensor<?x3xf64, #node1>, %wa: tensor<4x4xf64>, %wp: tensor<3x4xf64>,
                  %v: tensor<3x4x4xf64>) -> tensor<?x4xf64, #edge> {
  %la = rgnn.linear %a, %wa : tensor<?x4xf64, #node0>, tensor<4x4xf64>
  %lp = rgnn.linear %p, %wp : tensor<?x3xf64, #node1>, tensor<3x4xf64>
  %k = rgnn.concat_types %la, %lp in %g : (tensor<?x4xf64, #node0>, tensor<?x4xf64, #node1>) -> tensor<?x4xf64, #node>
  %u = rgnn.gather src %k in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %v by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  return %z : tensor<?x4xf64, #edge>
}
