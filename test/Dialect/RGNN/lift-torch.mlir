// RUN: rgnn-opt %s --rgnn-lift-torch --split-input-file | FileCheck %s

// Lists of edges are known by their use, nodes by the size that sums are told.

// CHECK: rgnn.schema @g0 edge_types(1)
// CHECK-LABEL: func @edges
//  CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[EI:.*]]: tensor<2x?xi64>)
//       CHECK: %[[N:.*]] = tensor.dim %[[X]]
//       CHECK: %[[G:.*]] = rgnn.coo_graph edges(%[[EI]] : tensor<2x?xi64>) nodes(%[[N]]) : !rgnn.graph<@g0>
//       CHECK: %[[H:.*]] = rgnn.place %[[X]] in %[[G]]
//       CHECK: %[[U:.*]] = rgnn.gather src %[[H]] in %[[G]]
//       CHECK: %[[S:.*]] = rgnn.reduce mean dst %[[U]] in %[[G]]
//       CHECK: %[[Y:.*]] = rgnn.unplace %[[S]]
//  CHECK-NEXT: return %[[Y]]
func.func @edges(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, -1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "mean"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// Messages can go from destination to source; copies are seen through.

// CHECK-LABEL: func @other_direction
//       CHECK: rgnn.gather dst
//       CHECK: rgnn.group_softmax src
//       CHECK: rgnn.reduce max src
//   CHECK-NOT: rgnn.torch
func.func @other_direction(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %copy = rgnn.torch "aten.alias"(%ei) [#rgnn.operand<0>] : (tensor<2x?xi64>) -> tensor<2x?xi64>
  %ends:2 = rgnn.torch "aten.unbind.int"(%copy) [#rgnn.operand<0>, 0] : (tensor<2x?xi64>) -> (tensor<?xi64>, tensor<?xi64>)
  %src = rgnn.torch "aten.contiguous"(%ends#0) [#rgnn.operand<0>, unit] : (tensor<?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index.Tensor"(%x, %ends#1) [#rgnn.operand<0>, [#rgnn.operand<1>]] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %a = rgnn.torch "rgnn.edge_softmax"(%u, %src, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%a, %src, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "max"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// Layers share a graph, though each asks for ends and sizes anew; an argument is
// placed once. Dimensions may be counted from the back.

// CHECK-LABEL: func @layers
//  CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>,
// CHECK-COUNT-1: rgnn.coo_graph
//   CHECK-NOT: rgnn.coo_graph
//       CHECK: %[[H:.*]] = rgnn.place %[[X]]
//   CHECK-NOT: rgnn.place
//       CHECK: rgnn.gather src %[[H]]
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst
//       CHECK: %[[R:.*]] = rgnn.map %[[S]], %[[H]]
//       CHECK: rgnn.gather src %[[R]]
//       CHECK: rgnn.reduce sum dst
//   CHECK-NOT: rgnn.torch
func.func @layers(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, -2, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, -2, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  %r = rgnn.torch "aten.add.Tensor"(%s, %x) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %n2 = rgnn.torch "aten.sym_size.int"(%r) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src2 = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst2 = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u2 = rgnn.torch "aten.index_select"(%r, %src2) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s2 = rgnn.torch "rgnn.aggregate"(%u2, %dst2, %n2) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  return %s2 : tensor<?x4xf32>
}

// -----

// Rows pass from one graph to another of the same nodes through a plain tensor.

// CHECK: rgnn.schema @g0
// CHECK: rgnn.schema @g1
// CHECK-LABEL: func @two_graphs
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst {{.*}}@g0
//       CHECK: %[[P:.*]] = rgnn.unplace %[[S]]
//       CHECK: %[[H:.*]] = rgnn.place %[[P]] {{.*}}#rgnn.rows<node, @g1>
//       CHECK: rgnn.gather src %[[H]] {{.*}}@g1
//   CHECK-NOT: rgnn.torch
func.func @two_graphs(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %ei2: tensor<2x?xi32>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  %src2 = rgnn.torch "aten.select.int"(%ei2) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi32>) -> tensor<?xi32>
  %dst2 = rgnn.torch "aten.select.int"(%ei2) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi32>) -> tensor<?xi32>
  %u2 = rgnn.torch "aten.index_select"(%s, %src2) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x4xf32>
  %s2 = rgnn.torch "rgnn.aggregate"(%u2, %dst2, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi32>, i64) -> tensor<?x4xf32>
  return %s2 : tensor<?x4xf32>
}

// -----

// Edge types pick weights; how many there are is the weights' leading size. An
// argument as long as the edges lives on them.

// CHECK: rgnn.schema @g0 edge_types(3)
// CHECK-LABEL: func @types
//  CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[EI:.*]]: tensor<2x?xi64>, %[[ET:.*]]: tensor<?xi64>, %[[A:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<3x4x8xf32>, %[[P:.*]]: tensor<3x8xf32>)
//       CHECK: %[[G:.*]] = rgnn.coo_graph edges(%[[EI]] : tensor<2x?xi64>) types(%[[ET]] : tensor<?xi64>)
//   CHECK-DAG: %[[H:.*]] = rgnn.place %[[X]] in %[[G]]
//   CHECK-DAG: %[[PE:.*]] = rgnn.place %[[P]] in %[[G]] : tensor<3x8xf32> -> tensor<3x8xf32, #rgnn.rows<etype, @g0>>
//   CHECK-DAG: %[[AE:.*]] = rgnn.place %[[A]] in %[[G]] : tensor<?x8xf32> -> tensor<?x8xf32, #rgnn.rows<edge, @g0>>
//       CHECK: %[[Q:.*]] = rgnn.gather etype %[[PE]] in %[[G]]
//       CHECK: %[[U:.*]] = rgnn.gather src %[[H]]
//       CHECK: %[[Z:.*]] = rgnn.typed_linear %[[U]], %[[W]] by etype in %[[G]]
//       CHECK: %[[M:.*]] = rgnn.map %[[Z]], %[[Q]]
//       CHECK: rgnn.map %[[M]], %[[AE]]
//   CHECK-NOT: rgnn.torch
func.func @types(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %et: tensor<?xi64>, %a: tensor<?x8xf32>, %w: tensor<3x4x8xf32>, %p: tensor<3x8xf32>) -> tensor<?x8xf32> {
  %q = rgnn.torch "aten.index_select"(%p, %et) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<3x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %z = rgnn.torch "rgnn.typed_linear"(%u, %et, %w) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4xf32>, tensor<?xi64>, tensor<3x4x8xf32>) -> tensor<?x8xf32>
  %m = rgnn.torch "aten.mul.Tensor"(%z, %q) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = rgnn.torch "aten.add.Tensor"(%m, %a) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// Within a relation: edges of equal destination and type.

// CHECK: rgnn.schema @g0 edge_types(7)
// CHECK-LABEL: func @pairs
//       CHECK: %[[D:.*]] = rgnn.degree dst_pair in %{{.*}} : tensor<?xf32, #rgnn.rows<dst_pair, @g0>>
//       CHECK: rgnn.gather dst_pair %[[D]]
//       CHECK: rgnn.group_softmax dst_pair
//   CHECK-NOT: rgnn.torch
func.func @pairs(%a: tensor<?x2xf32>, %ei: tensor<2x?xi64>, %et: tensor<?xi64>) -> (tensor<?xf32>, tensor<?x2xf32>) {
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %d = rgnn.torch "rgnn.pair_degree"(%dst, %et, %a) [#rgnn.operand<0>, #rgnn.operand<1>, 12, 7, #rgnn.operand<2>] : (tensor<?xi64>, tensor<?xi64>, tensor<?x2xf32>) -> tensor<?xf32>
  %s = rgnn.torch "rgnn.pair_softmax"(%a, %dst, %et) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, 12, 7] : (tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x2xf32>
  return %d, %s : tensor<?xf32>, tensor<?x2xf32>
}

// -----

// Lists for each edge type: nodes are numbered type by type, and each type has
// rows of its own.

// CHECK: rgnn.schema @g0 node_types(2) edge_types(2) src_types([0, 1]) dst_types([1, 0])
// CHECK-LABEL: func @hetero
//  CHECK-SAME: (%[[X0:.*]]: tensor<?x3xf32>, %[[X1:.*]]: tensor<?x4xf32>, %[[E0:.*]]: tensor<2x?xi64>, %[[E1:.*]]: tensor<2x?xi64>
//   CHECK-DAG: %[[N0:.*]] = tensor.dim %[[X0]]
//   CHECK-DAG: %[[N1:.*]] = tensor.dim %[[X1]]
//       CHECK: %[[G:.*]] = rgnn.coo_graph edges(%[[E0]], %[[E1]] : tensor<2x?xi64>, tensor<2x?xi64>) nodes(%[[N0]], %[[N1]])
//   CHECK-DAG: %[[H1:.*]] = rgnn.place %[[X1]] in %[[G]] {{.*}}#rgnn.rows<node, @g0, type = 1>>
//   CHECK-DAG: %[[H0:.*]] = rgnn.place %[[X0]] in %[[G]] {{.*}}#rgnn.rows<node, @g0, type = 0>>
//       CHECK: %[[L:.*]] = rgnn.linear %[[H0]], %{{.*}} transposed
//       CHECK: %[[H:.*]] = rgnn.concat_types %[[L]], %[[H1]] in %[[G]]
//       CHECK: %[[U:.*]] = rgnn.gather src %[[H]]
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst
//       CHECK: %[[T:.*]] = rgnn.slice_type %[[S]] in %[[G]] {{.*}} -> tensor<?x4xf32, #rgnn.rows<node, @g0, type = 1>>
//       CHECK: rgnn.map %[[T]], %[[H1]]
//   CHECK-NOT: rgnn.torch
func.func @hetero(%x0: tensor<?x3xf32>, %x1: tensor<?x4xf32>, %e0: tensor<2x?xi64>, %e1: tensor<2x?xi64>, %w: tensor<4x3xf32>) -> tensor<?x4xf32> {
  %n0 = rgnn.torch "aten.sym_size.int"(%x0) [#rgnn.operand<0>, 0] : (tensor<?x3xf32>) -> i64
  %n1 = rgnn.torch "aten.sym_size.int"(%x1) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %n = rgnn.torch "sym.add"(%n0, %n1) [#rgnn.operand<0>, #rgnn.operand<1>] : (i64, i64) -> i64
  %l = rgnn.torch "aten.linear"(%x0, %w) [#rgnn.operand<0>, #rgnn.operand<1>, unit] : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x4xf32>
  %h = rgnn.torch "rgnn.concat_types"(%l, %x1) [[#rgnn.operand<0>, #rgnn.operand<1>]] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %e:2 = rgnn.torch "rgnn.hetero_edges"(%e0, %e1, %n0, %n1) [[#rgnn.operand<0>, #rgnn.operand<1>], [0, 1], [1, 0], [#rgnn.operand<2>, #rgnn.operand<3>]] : (tensor<2x?xi64>, tensor<2x?xi64>, i64, i64) -> (tensor<2x?xi64>, tensor<?xi64>)
  %src = rgnn.torch "aten.select.int"(%e#0) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%e#0) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%h, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  %t = rgnn.torch "rgnn.slice_type"(%s, %n0, %n1) [#rgnn.operand<0>, 1, [#rgnn.operand<1>, #rgnn.operand<2>]] : (tensor<?x4xf32>, i64, i64) -> tensor<?x4xf32>
  %r = rgnn.torch "aten.add.Tensor"(%t, %x1) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// A row for each node and each of two types is a graph of twice as many nodes.

// CHECK-LABEL: func @node_and_type
//  CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>
//       CHECK: rgnn.coo_graph edges(%{{[^ ]*}} : tensor<?xi64>) nodes(%[[N:.*]], %[[M:.*]]) :
//       CHECK: rgnn.reduce sum dst
//   CHECK-NOT: rgnn.torch
func.func @node_and_type(%x: tensor<?x4xf32>, %m: tensor<?x4xf32>, %key: tensor<?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %both = rgnn.torch "sym.mul"(%n) [2, #rgnn.operand<0>] : (i64) -> i64
  %zeros = rgnn.torch "aten.zeros"(%both) [[#rgnn.operand<0>, 4], "float32", unit, "cpu", false] : (i64) -> tensor<?x4xf32>
  %s = rgnn.torch "aten.index_add"(%zeros, %key, %m) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>, 1] : (tensor<?x4xf32>, tensor<?xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// Lists that are as long have a name in common, also one of sizes that nothing here has.

// CHECK-LABEL: func @both_ways
//       CHECK: %[[G:.*]] = rgnn.coo_graph
//       CHECK: %[[M:.*]] = rgnn.gather src
//       CHECK: rgnn.reduce sum dst %[[M]] in %[[G]]
//   CHECK-NOT: rgnn.torch
func.func @both_ways(%x: tensor<?x4xf32> {rgnn.num_rows = "n0"}, %first: tensor<?xi64> {rgnn.num_rows = "n1+n1"}, %second: tensor<?xi64> {rgnn.num_rows = "n1+n1"}) -> tensor<?x4xf32> {
  %zeros = rgnn.torch "aten.zeros_like"(%x) [#rgnn.operand<0>, unit, unit, unit, false, unit] {rgnn.num_rows = "n0"} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %column = rgnn.torch "aten.unsqueeze"(%second) [#rgnn.operand<0>, 1] {rgnn.num_rows = "n1+n1"} : (tensor<?xi64>) -> tensor<?x1xi64>
  %index = rgnn.torch "aten.expand"(%column) [#rgnn.operand<0>, [-1, 4], false] {rgnn.num_rows = "n1+n1"} : (tensor<?x1xi64>) -> tensor<?x4xi64>
  %m = rgnn.torch "aten.index.Tensor"(%x, %first) [#rgnn.operand<0>, [#rgnn.operand<1>]] {rgnn.num_rows = "n1+n1"} : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "aten.scatter_add"(%zeros, %index, %m) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>] {rgnn.num_rows = "n0"} : (tensor<?x4xf32>, tensor<?x4xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// Without features the number of nodes is static, as the result must be again.

// CHECK-LABEL: func @featureless
//  CHECK-SAME: %[[R:[a-z0-9]*]]: tensor<9x8xf32>)
//       CHECK: rgnn.coo_graph {{.*}} nodes(%c9)
//       CHECK: %[[RD:.*]] = tensor.cast %[[R]] : tensor<9x8xf32> to tensor<?x8xf32>
//       CHECK: %[[RN:.*]] = rgnn.place %[[RD]]
//       CHECK: %[[A:.*]] = rgnn.lookup src
//       CHECK: %[[B:.*]] = rgnn.lookup src %{{.*}} bases(%{{.*}})
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst
//       CHECK: %[[Y:.*]] = rgnn.map %[[S]], %[[RN]]
//       CHECK: %[[P:.*]] = rgnn.unplace %[[Y]]
//       CHECK: tensor.cast %[[P]] : tensor<?x8xf32> to tensor<9x8xf32>
//   CHECK-NOT: rgnn.torch
func.func @featureless(%ei: tensor<2x?xi64>, %et: tensor<?xi64>, %w: tensor<5x9x8xf32>, %c: tensor<5x3xf32>, %b: tensor<3x9x8xf32>, %r: tensor<9x8xf32>) -> tensor<9x8xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %0 = rgnn.torch "rgnn.lookup"(%w, %et, %src) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<5x9x8xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x8xf32>
  %1 = rgnn.torch "rgnn.basis_lookup"(%c, %b, %et, %src) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, #rgnn.operand<3>] : (tensor<5x3xf32>, tensor<3x9x8xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x8xf32>
  %2 = rgnn.torch "aten.add.Tensor"(%0, %1) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = rgnn.torch "rgnn.aggregate"(%2, %dst) [#rgnn.operand<0>, #rgnn.operand<1>, 9, "sum"] : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<9x8xf32>
  %4 = rgnn.torch "aten.add.Tensor"(%3, %r) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
  return %4 : tensor<9x8xf32>
}

// -----

// CHECK-LABEL: func @elementwise
//       CHECK: rgnn.map
//       CHECK:   %[[ZERO:.*]] = arith.constant 0.000000e+00
//       CHECK:   arith.maximumf %{{.*}}, %[[ZERO]]
//       CHECK: rgnn.map
//   CHECK-DAG:   arith.constant 2.000000e-01
//       CHECK:   arith.cmpf ogt
//       CHECK:   arith.select
//       CHECK: rgnn.map
//       CHECK:   %[[TWO:.*]] = arith.constant 2.000000e+00
//       CHECK:   %[[B:.*]] = arith.mulf %{{.*}}, %[[TWO]]
//       CHECK:   arith.subf %{{.*}}, %[[B]]
//       CHECK: rgnn.map
//       CHECK: ^bb0(%[[X:.*]]: f32):
//       CHECK:   %[[ONE:.*]] = arith.constant 1.000000e+00
//       CHECK:   arith.subf %[[ONE]], %[[X]]
//       CHECK: rgnn.map
//       CHECK:   arith.mulf %[[Y:.*]], %[[Y]]
//       CHECK: rgnn.map
//       CHECK:   arith.cmpf olt
//       CHECK:   arith.select
//   CHECK-NOT:   arith.cmpf ogt
//       CHECK: rgnn.map
//       CHECK:   math.tanh
//   CHECK-NOT: rgnn.torch
func.func @elementwise(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %0 = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %1 = rgnn.torch "aten.relu"(%0) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = rgnn.torch "aten.leaky_relu"(%1) [#rgnn.operand<0>, 0.2 : f64] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = rgnn.torch "aten.sub.Tensor"(%2, %1) [#rgnn.operand<0>, #rgnn.operand<1>, 2] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = rgnn.torch "aten.rsub.Scalar"(%3) [#rgnn.operand<0>, 1, 1] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %5 = rgnn.torch "aten.pow.Tensor_Scalar"(%4) [#rgnn.operand<0>, 2] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %6 = rgnn.torch "aten.clamp"(%5) [#rgnn.operand<0>, 0.5 : f64, unit] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %7 = rgnn.torch "aten.gelu"(%6) [#rgnn.operand<0>, "tanh"] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %8 = rgnn.torch "aten.dropout"(%7) [#rgnn.operand<0>, 0.5 : f64, false] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %8 : tensor<?x4xf32>
}

// -----

// 16-bit types are computed in float, as PyTorch does; a shared tensor with one
// row and the same rank loses that dimension.

// CHECK-LABEL: func @narrow
//  CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<1x4xbf16>)
//       CHECK: %[[R:.*]] = rgnn.reshape %[[B]] : tensor<1x4xbf16> -> tensor<4xbf16>
//       CHECK: rgnn.map %{{.*}}, %[[R]]
//       CHECK:   arith.extf %{{.*}} : bf16 to f32
//       CHECK:   arith.extf %{{.*}} : bf16 to f32
//       CHECK:   %[[S:.*]] = arith.addf %{{.*}} : f32
//       CHECK:   %[[T:.*]] = arith.truncf %[[S]] : f32 to bf16
//       CHECK:   rgnn.yield %[[T]] : bf16
//   CHECK-NOT: rgnn.torch
func.func @narrow(%x: tensor<?x4xbf16>, %ei: tensor<2x?xi64>, %b: tensor<1x4xbf16>) -> tensor<?x4xbf16> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %0 = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xbf16>, tensor<?xi64>) -> tensor<?x4xbf16>
  %1 = rgnn.torch "aten.add.Tensor"(%0, %b) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x4xbf16>, tensor<1x4xbf16>) -> tensor<?x4xbf16>
  return %1 : tensor<?x4xbf16>
}

// -----

// Operands of several types of floats are computed in that of the result; so is
// a conversion.

// CHECK-LABEL: func @mixed
//       CHECK: rgnn.map
//       CHECK:   arith.extf %{{.*}} : bf16 to f64
//       CHECK: rgnn.map
//  CHECK-NEXT:   %[[A:[a-z0-9]*]]: f64, %[[B:[a-z0-9]*]]: bf16
//  CHECK-NEXT:   %[[E:.*]] = arith.extf %[[B]] : bf16 to f64
//  CHECK-NEXT:   arith.addf %[[A]], %[[E]] : f64
//       CHECK: rgnn.map
//       CHECK:   %[[F:.*]] = arith.truncf %{{.*}} : f64 to f32
//  CHECK-NEXT:   %[[T:.*]] = arith.truncf %[[F]] : f32 to f16
//  CHECK-NEXT:   rgnn.yield %[[T]] : f16
//   CHECK-NOT: rgnn.torch
func.func @mixed(%x: tensor<?x4xbf16>, %ei: tensor<2x?xi64>) -> tensor<?x4xf16> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %0 = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xbf16>, tensor<?xi64>) -> tensor<?x4xbf16>
  %1 = rgnn.torch "aten.to.dtype"(%0) [#rgnn.operand<0>, "float64", false, false, unit] : (tensor<?x4xbf16>) -> tensor<?x4xf64>
  %2 = rgnn.torch "aten.add.Tensor"(%1, %0) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x4xf64>, tensor<?x4xbf16>) -> tensor<?x4xf64>
  %3 = rgnn.torch "aten._to_copy"(%2) [#rgnn.operand<0>, "float16"] : (tensor<?x4xf64>) -> tensor<?x4xf16>
  return %3 : tensor<?x4xf16>
}

// -----

// Constant tensors without dimensions are numbers, whatever their type.

// CHECK-LABEL: func @constant_numbers
//   CHECK-DAG: arith.constant 3.000000e+00 : f32
//   CHECK-DAG: arith.constant 5.000000e-01 : f32
//   CHECK-NOT: rgnn.torch
func.func @constant_numbers(%w: tensor<4xf32>, %three: tensor<i64> {rgnn.value = dense<3> : tensor<i64>},
                            %half: tensor<f64> {rgnn.value = dense<0.5> : tensor<f64>}) -> tensor<4xf32> {
  %0 = rgnn.torch "aten.mul.Tensor"(%w, %three) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  %1 = rgnn.torch "aten.add.Tensor"(%0, %half) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @degree_and_sign
//       CHECK: %[[D:.*]] = rgnn.degree dst in %[[G:.*]] : {{.*}}tensor<?xf32, #rgnn.rows<node, @g0>>
//       CHECK: rgnn.gather dst %[[D]] in %[[G]]
//       CHECK: rgnn.map
//       CHECK:   arith.cmpf ogt
//       CHECK:   arith.negf
//       CHECK:   arith.cmpf ogt
//       CHECK:   arith.subf
//   CHECK-NOT: rgnn.torch
func.func @degree_and_sign(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %0 = rgnn.torch "rgnn.degree"(%dst, %n, %x) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?xi64>, i64, tensor<?x4xf32>) -> tensor<?xf32>
  %1 = rgnn.torch "aten.index_select"(%0, %dst) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?xf32>, tensor<?xi64>) -> tensor<?xf32>
  %2 = rgnn.torch "aten.sign"(%1) [#rgnn.operand<0>] : (tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func @shapes
//       CHECK: %[[V:.*]] = rgnn.reshape %{{.*}} -> tensor<?x3x4xf32, #rgnn.rows<edge, @g0>>
//       CHECK: %[[T:.*]] = rgnn.permute %[[V]] [0, 2, 1]
//       CHECK: %[[S:.*]] = rgnn.slice %[[T]] dim 1 from 2 size 2
//       CHECK: %[[C:.*]] = rgnn.concat %[[S]], %[[T]] dim 1
//       CHECK: %[[M:.*]] = rgnn.reduce_features mean %[[C]] dim 2
//       CHECK: %[[K:.*]] = rgnn.reshape %[[M]] : {{.*}} -> tensor<?x6x1xf32
//       CHECK: %[[Q:.*]] = rgnn.reshape %[[K]] : {{.*}} -> tensor<?x6xf32
//       CHECK: %[[L:.*]] = rgnn.softmax log %[[Q]]
//       CHECK: rgnn.slice %[[L]] dim 1 from 0 size 2
//       CHECK: rgnn.slice %[[L]] dim 1 from 2 size 4
//   CHECK-NOT: rgnn.torch
func.func @shapes(%x: tensor<?x12xf32>, %ei: tensor<2x?xi64>) -> (tensor<?x2xf32>, tensor<?x4xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %0 = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x12xf32>, tensor<?xi64>) -> tensor<?x12xf32>
  %1 = rgnn.torch "aten.view"(%0) [#rgnn.operand<0>, [-1, 3, 4]] : (tensor<?x12xf32>) -> tensor<?x3x4xf32>
  %2 = rgnn.torch "aten.transpose.int"(%1) [#rgnn.operand<0>, -1, 1] : (tensor<?x3x4xf32>) -> tensor<?x4x3xf32>
  %3 = rgnn.torch "aten.slice.Tensor"(%2) [#rgnn.operand<0>, 1, -2, 9223372036854775807, 1] : (tensor<?x4x3xf32>) -> tensor<?x2x3xf32>
  %4 = rgnn.torch "aten.cat"(%3, %2) [[#rgnn.operand<0>, #rgnn.operand<1>], -2] : (tensor<?x2x3xf32>, tensor<?x4x3xf32>) -> tensor<?x6x3xf32>
  %5 = rgnn.torch "aten.mean.dim"(%4) [#rgnn.operand<0>, [-1], true, unit] : (tensor<?x6x3xf32>) -> tensor<?x6x1xf32>
  %6 = rgnn.torch "aten.squeeze.dim"(%5) [#rgnn.operand<0>, 2] : (tensor<?x6x1xf32>) -> tensor<?x6xf32>
  %7 = rgnn.torch "aten.log_softmax.int"(%6) [#rgnn.operand<0>, 1, unit] : (tensor<?x6xf32>) -> tensor<?x6xf32>
  %8:2 = rgnn.torch "aten.split_with_sizes"(%7) [#rgnn.operand<0>, [2, 4], 1] : (tensor<?x6xf32>) -> (tensor<?x2xf32>, tensor<?x4xf32>)
  return %8#0, %8#1 : tensor<?x2xf32>, tensor<?x4xf32>
}

// -----

// A sum of products that nothing else reads is an inner product.

// CHECK-LABEL: func @dot
//       CHECK: %[[U:.*]] = rgnn.gather src
//       CHECK: %[[V:.*]] = rgnn.gather dst
//   CHECK-NOT: rgnn.map
//       CHECK: rgnn.dot %[[U]], %[[V]]
//       CHECK: %[[M:.*]] = rgnn.map
//       CHECK: rgnn.reduce_features sum %[[M]] dim 1
//   CHECK-NOT: rgnn.torch
func.func @dot(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %v = rgnn.torch "aten.index_select"(%x, %dst) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %p = rgnn.torch "aten.mul.Tensor"(%u, %v) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = rgnn.torch "aten.sum.dim_IntList"(%p) [#rgnn.operand<0>, [-1], false, unit] : (tensor<?x4xf32>) -> tensor<?xf32>
  %p2 = rgnn.torch "aten.mul.Tensor"(%u, %u) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %s2 = rgnn.torch "aten.sum.dim_IntList"(%p2) [#rgnn.operand<0>, [-1], false, unit] : (tensor<?x4xf32>) -> tensor<?xf32>
  return %s, %s2, %p2 : tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>
}

// -----

// The norm of rows and of weights, with the dimension and without.

// CHECK-LABEL: func @norm
//       CHECK: %[[U:.*]] = rgnn.gather src
//       CHECK: rgnn.norm %[[U]] : tensor<?x2x4xf32, #rgnn.rows<edge, @g0>>
//       CHECK: %[[N:.*]] = rgnn.norm %[[U]]
//       CHECK: rgnn.reshape %[[N]] : tensor<?x2xf32, #rgnn.rows<edge, @g0>> -> tensor<?x2x1xf32, #rgnn.rows<edge, @g0>>
//       CHECK: rgnn.norm %{{.*}} : tensor<8x4xf32>
//   CHECK-NOT: rgnn.torch
func.func @norm(%x: tensor<?x2x4xf32>, %ei: tensor<2x?xi64>, %w: tensor<8x4xf32>) -> (tensor<?x2xf32>, tensor<?x2x1xf32>, tensor<8xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x4xf32>, tensor<?xi64>) -> tensor<?x2x4xf32>
  %0 = rgnn.torch "aten.linalg_vector_norm"(%u) [#rgnn.operand<0>, 2, [-1], false, unit] : (tensor<?x2x4xf32>) -> tensor<?x2xf32>
  %1 = rgnn.torch "aten.linalg_vector_norm"(%u) [#rgnn.operand<0>, 2.0 : f64, [2], true, unit] : (tensor<?x2x4xf32>) -> tensor<?x2x1xf32>
  %2 = rgnn.torch "aten.linalg_vector_norm"(%w) [#rgnn.operand<0>, 2, [-1], false, unit] : (tensor<8x4xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<?x2xf32>, tensor<?x2x1xf32>, tensor<8xf32>
}

// -----

// Cross products of rows and of weights. That an argument has a row for each edge is known by the other alone.

// CHECK-LABEL: func @cross
//       CHECK: %[[P:.*]] = rgnn.place %{{.*}} -> tensor<?x3xf32, #rgnn.rows<edge, @g0>>
//       CHECK: %[[U:.*]] = rgnn.gather src
//       CHECK: rgnn.cross %[[U]], %[[P]] : tensor<?x3xf32, #rgnn.rows<edge, @g0>>, tensor<?x3xf32, #rgnn.rows<edge, @g0>>
//       CHECK: rgnn.cross %[[P]], %[[U]]
//       CHECK: rgnn.cross %{{.*}}, %{{.*}} : tensor<8x3xf32>, tensor<8x3xf32>
//   CHECK-NOT: rgnn.torch
func.func @cross(%x: tensor<?x3xf32>, %ei: tensor<2x?xi64>, %p: tensor<?x3xf32>, %w: tensor<8x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<8x3xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  %0 = rgnn.torch "aten.linalg_cross"(%u, %p) [#rgnn.operand<0>, #rgnn.operand<1>, -1] : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = rgnn.torch "aten.cross"(%p, %u) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %2 = rgnn.torch "aten.linalg_cross"(%w, %w) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<8x3xf32>
}

// -----

// Products of rows and weights, and of weights alone (bases).

// CHECK-LABEL: func @products
//  CHECK-SAME: (%{{.*}}: tensor<?x4xf32>, %{{.*}}: tensor<2x?xi64>, %[[W:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<8xf32>, %[[C:.*]]: tensor<8x3xf32>, %[[V:.*]]: tensor<3x4x2xf32>)
//       CHECK: %[[L:.*]] = rgnn.linear %{{.*}}, %[[W]] transposed
//       CHECK: %[[S:.*]] = rgnn.map %[[L]], %[[B]]
//       CHECK: %[[VV:.*]] = rgnn.reshape %[[V]] : tensor<3x4x2xf32> -> tensor<3x8xf32>
//       CHECK: %[[M:.*]] = rgnn.linear %[[C]], %[[VV]] : tensor<8x3xf32>, tensor<3x8xf32>
//       CHECK: rgnn.linear %[[S]], %[[M]] : tensor<?x8xf32, #rgnn.rows<edge, @g0>>, tensor<8x8xf32>
//   CHECK-NOT: rgnn.torch
func.func @products(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %w: tensor<8x4xf32>, %b: tensor<8xf32>, %c: tensor<8x3xf32>, %v: tensor<3x4x2xf32>) -> tensor<?x8xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %0 = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %1 = rgnn.torch "aten.linear"(%0, %w, %b) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4xf32>, tensor<8x4xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %2 = rgnn.torch "aten.view"(%v) [#rgnn.operand<0>, [3, -1]] : (tensor<3x4x2xf32>) -> tensor<3x8xf32>
  %3 = rgnn.torch "aten.mm"(%c, %2) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<8x3xf32>, tensor<3x8xf32>) -> tensor<8x8xf32>
  %4 = rgnn.torch "aten.matmul"(%1, %3) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  return %4 : tensor<?x8xf32>
}

// -----

// Weights picked by a constant are slices of them, one for each run.

// CHECK-LABEL: func @constant_runs
//  CHECK-SAME: (%[[W:.*]]: tensor<9x2xf32>,
//       CHECK: %[[A:.*]] = rgnn.slice %[[W]] dim 0 from 4 size 3
//       CHECK: %[[B:.*]] = rgnn.slice %[[W]] dim 0 from 0 size 2
//       CHECK: rgnn.concat %[[A]], %[[B]] dim 0
//   CHECK-NOT: rgnn.torch
func.func @constant_runs(%w: tensor<9x2xf32>, %c: tensor<5xi64> {rgnn.value = dense<[4, 5, 6, 0, 1]> : tensor<5xi64>}) -> tensor<5x2xf32> {
  %0 = rgnn.torch "aten.index_select"(%w, %c) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<9x2xf32>, tensor<5xi64>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// -----

// CHECK-LABEL: func @constant_index
//  CHECK-SAME: (%[[W:.*]]: tensor<3x2xf32>,
//       CHECK: %[[A:.*]] = rgnn.slice %[[W]] dim 0 from 2 size 1
//       CHECK: %[[B:.*]] = rgnn.slice %[[W]] dim 0 from 0 size 1
//       CHECK: rgnn.concat %[[A]], %[[B]] dim 0
//   CHECK-NOT: rgnn.torch
func.func @constant_index(%w: tensor<3x2xf32>, %c: tensor<2xi64> {rgnn.value = dense<[2, 0]> : tensor<2xi64>}) -> tensor<2x2xf32> {
  %0 = rgnn.torch "aten.index_select"(%w, %c) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
