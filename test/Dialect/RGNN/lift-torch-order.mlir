// RUN: rgnn-opt %s --rgnn-lift-torch --split-input-file | FileCheck %s

// A model that makes its list of edges after its first product: the list comes
// first, and the product is on rows of its graph.

// CHECK-LABEL: func @computed_edges
//  CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[EI:.*]]: tensor<2x?xi64>, %[[W:.*]]: tensor<4x4xf32>)
//       CHECK: %[[S:.*]] = rgnn.torch "aten.select.int"(%[[EI]]) [#rgnn.operand<0>, 0, 0]
//       CHECK: %[[D:.*]] = rgnn.torch "aten.select.int"(%[[EI]]) [#rgnn.operand<0>, 0, 1]
//       CHECK: %[[K:.*]] = rgnn.torch "aten.ne.Tensor"(%[[S]], %[[D]])
//       CHECK: %[[L:.*]] = rgnn.torch "aten.index.Tensor"(%[[EI]], %[[K]])
//       CHECK: rgnn.coo_graph edges(%[[L]] : tensor<2x?xi64>)
//       CHECK: rgnn.linear
//       CHECK: rgnn.gather src
//       CHECK: rgnn.reduce sum dst
//   CHECK-NOT: rgnn.torch
func.func @computed_edges(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %w: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %h = rgnn.torch "aten.linear"(%x, %w) [#rgnn.operand<0>, #rgnn.operand<1>, unit] : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %a = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %b = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %k = rgnn.torch "aten.ne.Tensor"(%a, %b) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
  %l = rgnn.torch "aten.index.Tensor"(%ei, %k) [#rgnn.operand<0>, [unit, #rgnn.operand<1>]] : (tensor<2x?xi64>, tensor<?xi1>) -> tensor<2x?xi64>
  %src = rgnn.torch "aten.select.int"(%l) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%l) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%h, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// What has no result checks something: it stays in front of what it was in front
// of where all that it reads goes first, and where it was otherwise.

// CHECK-LABEL: func @checks
//       CHECK: rgnn.torch "aten._assert_async"(%{{.*}}) [#rgnn.operand<0>, "of edges"]
//       CHECK: rgnn.torch "aten.index.Tensor"
//       CHECK: rgnn.coo_graph
//       CHECK: %[[C:.*]] = rgnn.torch "aten.cumsum"
//       CHECK: rgnn.torch "aten._assert_async"(%[[C]]) [#rgnn.operand<0>, "of rows"]
func.func @checks(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %k: tensor<?xi1>, %ok: tensor<i1>) -> tensor<?x4xf32> {
  %c = rgnn.torch "aten.cumsum"(%x) [#rgnn.operand<0>, 0, unit] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  rgnn.torch "aten._assert_async"(%c) [#rgnn.operand<0>, "of rows"] : (tensor<?x4xf32>) -> ()
  rgnn.torch "aten._assert_async"(%ok) [#rgnn.operand<0>, "of edges"] : (tensor<i1>) -> ()
  %l = rgnn.torch "aten.index.Tensor"(%ei, %k) [#rgnn.operand<0>, [unit, #rgnn.operand<1>]] : (tensor<2x?xi64>, tensor<?xi1>) -> tensor<2x?xi64>
  %src = rgnn.torch "aten.select.int"(%l) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return %u : tensor<?x4xf32>
}

// -----

// Edges that a first layer's results decide: what they are made of is the first
// layer, on the graph that comes before.

// CHECK-LABEL: func @edges_of_features
//       CHECK: %[[G:.*]] = rgnn.coo_graph edges(%arg1
//       CHECK: rgnn.reduce sum dst
//       CHECK: rgnn.torch "aten.topk"
//       CHECK: %[[L:.*]] = rgnn.torch "test.edges"
//       CHECK: rgnn.coo_graph edges(%[[L]]
//       CHECK: rgnn.map
func.func @edges_of_features(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %r = rgnn.torch "aten.relu"(%x) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  %top:2 = rgnn.torch "aten.topk"(%s) [#rgnn.operand<0>, 2, -1, true, true] : (tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>)
  %l = rgnn.torch "test.edges"(%top#1) [#rgnn.operand<0>] : (tensor<?x2xi64>) -> tensor<2x?xi64>
  %src2 = rgnn.torch "aten.select.int"(%l) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u2 = rgnn.torch "aten.index_select"(%r, %src2) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return %u2 : tensor<?x4xf32>
}

// -----

// Matrices of known sizes, one of which has a row for each of a known number
// of nodes, are multiplied as matrices; what all rows are turned twice for is
// the sum of their outer products.

// CHECK-LABEL: func @matrices
//       CHECK: %[[R:.*]] = rgnn.reduce mean dst
//       CHECK: %[[U:.*]] = rgnn.unplace %[[R]]
//       CHECK: %[[C:.*]] = tensor.cast %[[U]]
//       CHECK: %[[S:.*]] = rgnn.outer_sum
//       CHECK: rgnn.linear %[[S]], %[[C]]
func.func @matrices(%x: tensor<?x3xf32>, %m: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %et: tensor<?xi64>) -> tensor<3x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%m, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %r = rgnn.torch "rgnn.aggregate"(%u, %et) [#rgnn.operand<0>, #rgnn.operand<1>, 3, "mean"] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<3x4xf32>
  %y = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  %t = rgnn.torch "aten.t"(%y) [#rgnn.operand<0>] : (tensor<?x3xf32>) -> tensor<3x?xf32>
  %o = rgnn.torch "aten.matmul"(%t, %y) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<3x?xf32>, tensor<?x3xf32>) -> tensor<3x3xf32>
  %p = rgnn.torch "aten.matmul"(%o, %r) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %p : tensor<3x4xf32>
}
