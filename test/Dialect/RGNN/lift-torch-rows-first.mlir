// RUN: rgnn-opt %s --rgnn-lift-torch --split-input-file | FileCheck %s

// Several rows of each node, as `[B, N, F]`: the caller gives them with nodes first, and gets them so. Between, lists
// pick and add up along dimension 1.

// CHECK-LABEL: func @several
//  CHECK-SAME: (%[[X:[a-z0-9]*]]: tensor<?x2x4xf32>
//       CHECK: %[[N:.*]] = rgnn.place %[[X]] in %{{.*}} : tensor<?x2x4xf32> -> tensor<?x2x4xf32, #rgnn.rows<node, @g0>>
//       CHECK: %[[M:.*]] = rgnn.gather src %[[N]]
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst %[[M]]
//       CHECK: %[[L:.*]] = rgnn.linear %[[S]]
//       CHECK: rgnn.reduce_features mean
//       CHECK: rgnn.unplace
//   CHECK-NOT: rgnn.torch
func.func @several(%x: tensor<?x2x4xf32>, %ei: tensor<2x?xi64>, %w: tensor<4x4xf32>) -> tensor<?x2x4xf32> {
  %p = rgnn.torch "aten.permute"(%x) [#rgnn.operand<0>, [1, 0, 2]] : (tensor<?x2x4xf32>) -> tensor<2x?x4xf32>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%p, %src) [#rgnn.operand<0>, -2, #rgnn.operand<1>] : (tensor<2x?x4xf32>, tensor<?xi64>) -> tensor<2x?x4xf32>
  %v = rgnn.torch "aten.view"(%dst) [#rgnn.operand<0>, [1, -1, 1]] : (tensor<?xi64>) -> tensor<1x?x1xi64>
  %e = rgnn.torch "aten.sym_size.int"(%ei) [#rgnn.operand<0>, 1] : (tensor<2x?xi64>) -> i64
  %i = rgnn.torch "aten.expand"(%v, %e) [#rgnn.operand<0>, [2, #rgnn.operand<1>, 4], false] : (tensor<1x?x1xi64>, i64) -> tensor<2x?x4xi64>
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x2x4xf32>) -> i64
  %z = rgnn.torch "aten.new_zeros"(%u, %n) [#rgnn.operand<0>, [2, #rgnn.operand<1>, 4], unit, unit, unit, false] : (tensor<2x?x4xf32>, i64) -> tensor<2x?x4xf32>
  %s = rgnn.torch "aten.scatter_add"(%z, %i, %u) [#rgnn.operand<0>, 1, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<2x?x4xf32>, tensor<2x?x4xi64>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %l = rgnn.torch "aten.linear"(%s, %w) [#rgnn.operand<0>, #rgnn.operand<1>, unit] : (tensor<2x?x4xf32>, tensor<4x4xf32>) -> tensor<2x?x4xf32>
  %o = rgnn.torch "aten.layer_norm"(%l) [#rgnn.operand<0>, [4], unit, unit, 1.0e-05 : f64, true] : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %y = rgnn.torch "aten.permute"(%o) [#rgnn.operand<0>, [1, 0, 2]] : (tensor<2x?x4xf32>) -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// -----

// A known number of nodes, and a row for each type of edges and each of the several.

// CHECK-LABEL: func @known
//       CHECK: %[[T:.*]] = rgnn.permute %{{.*}} : tensor<2x3x4xf32>
//       CHECK: rgnn.place %[[T]] in %{{.*}} -> tensor<3x2x4xf32, #rgnn.rows<etype, @g0>>
//       CHECK: rgnn.gather etype
//       CHECK: rgnn.gather src
//       CHECK: rgnn.reduce sum dst
//   CHECK-NOT: rgnn.torch
func.func @known(%x: tensor<2x5x4xf32>, %r: tensor<2x3x4xf32>, %ei: tensor<2x?xi64>, %et: tensor<?xi64>) -> tensor<5x2x4xf32> {
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %t = rgnn.torch "aten.index.Tensor"(%r, %et) [#rgnn.operand<0>, [unit, #rgnn.operand<1>]] : (tensor<2x3x4xf32>, tensor<?xi64>) -> tensor<2x?x4xf32>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 1, #rgnn.operand<1>] : (tensor<2x5x4xf32>, tensor<?xi64>) -> tensor<2x?x4xf32>
  %m = rgnn.torch "aten.mul.Tensor"(%u, %t) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<2x?x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %v = rgnn.torch "aten.view"(%dst) [#rgnn.operand<0>, [1, -1, 1]] : (tensor<?xi64>) -> tensor<1x?x1xi64>
  %e = rgnn.torch "aten.sym_size.int"(%ei) [#rgnn.operand<0>, 1] : (tensor<2x?xi64>) -> i64
  %i = rgnn.torch "aten.expand"(%v, %e) [#rgnn.operand<0>, [2, #rgnn.operand<1>, 4], false] : (tensor<1x?x1xi64>, i64) -> tensor<2x?x4xi64>
  %z = rgnn.torch "aten.new_zeros"(%m) [#rgnn.operand<0>, [2, 5, 4], unit, unit, unit, false] : (tensor<2x?x4xf32>) -> tensor<2x5x4xf32>
  %s = rgnn.torch "aten.scatter_add"(%z, %i, %m) [#rgnn.operand<0>, 1, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<2x5x4xf32>, tensor<2x?x4xi64>, tensor<2x?x4xf32>) -> tensor<2x5x4xf32>
  %a = rgnn.torch "aten.add.Tensor"(%s, %x) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  %y = rgnn.torch "aten.permute"(%a) [#rgnn.operand<0>, [1, 0, 2]] : (tensor<2x5x4xf32>) -> tensor<5x2x4xf32>
  return %y : tensor<5x2x4xf32>
}

// -----

// A matrix times edges that are columns is a linear layer on edges that are rows; so are the columns turned back.

// CHECK-LABEL: func @columns
//       CHECK: %[[M:.*]] = rgnn.gather src
//       CHECK: %[[L:.*]] = rgnn.linear %[[M]], %{{.*}} transposed
//       CHECK: rgnn.reduce sum dst %[[L]]
//   CHECK-NOT: rgnn.torch
func.func @columns(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %w: tensor<3x4xf32>) -> tensor<?x3xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %m = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %t = rgnn.torch "aten.t"(%m) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %p = rgnn.torch "aten.mm"(%w, %t) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<3x4xf32>, tensor<4x?xf32>) -> tensor<3x?xf32>
  %b = rgnn.torch "aten.t"(%p) [#rgnn.operand<0>] : (tensor<3x?xf32>) -> tensor<?x3xf32>
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %y = rgnn.torch "rgnn.aggregate"(%b, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x3xf32>, tensor<?xi64>, i64) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// Rows turned to columns, times rows: their outer products, added up.

// CHECK-LABEL: func @outer
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst
//       CHECK: %[[O:.*]] = rgnn.outer_sum %{{.*}}, %[[S]]
//       CHECK: rgnn.linear %[[S]], %[[O]]
//   CHECK-NOT: rgnn.torch
func.func @outer(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %m = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %s = rgnn.torch "rgnn.aggregate"(%m, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  %t = rgnn.torch "aten.t"(%x) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %o = rgnn.torch "aten.matmul"(%t, %s) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<4x?xf32>, tensor<?x4xf32>) -> tensor<4x4xf32>
  %y = rgnn.torch "aten.matmul"(%s, %o) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Numbers that are selected from a list of any length are as many for every
// list: what they pick are weights, from which types pick.

// CHECK-LABEL: func @selected
//       CHECK: rgnn.coo_graph edges(%{{.*}} : tensor<2x?xi64>) types(%{{.*}} : tensor<?xi64>)
//       CHECK: rgnn.gather src
//       CHECK: rgnn.gather etype
func.func @selected(%x: tensor<?x2x4xf32>, %ids: tensor<2x?xi64>, %w: tensor<9x12xf32>, %ei: tensor<2x?xi64>, %et: tensor<?xi64> {rgnn.num_rows = "e"}) -> tensor<?x2x4xf32> {
  %p = rgnn.torch "aten.permute"(%x) [#rgnn.operand<0>, [1, 0, 2]] : (tensor<?x2x4xf32>) -> tensor<2x?x4xf32>
  %first = rgnn.torch "aten.select.int"(%ids) [#rgnn.operand<0>, 1, 0] : (tensor<2x?xi64>) -> tensor<2xi64>
  %q = rgnn.torch "aten.embedding"(%w, %first) [#rgnn.operand<0>, #rgnn.operand<1>, -1, false, false] : (tensor<9x12xf32>, tensor<2xi64>) -> tensor<2x12xf32>
  %r = rgnn.torch "aten.view"(%q) [#rgnn.operand<0>, [2, 3, 4]] : (tensor<2x12xf32>) -> tensor<2x3x4xf32>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] {rgnn.num_rows = "e"} : (tensor<2x?xi64>) -> tensor<?xi64>
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] {rgnn.num_rows = "e"} : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%p, %src) [#rgnn.operand<0>, 1, #rgnn.operand<1>] : (tensor<2x?x4xf32>, tensor<?xi64>) -> tensor<2x?x4xf32>
  %t = rgnn.torch "aten.index_select"(%r, %et) [#rgnn.operand<0>, 1, #rgnn.operand<1>] : (tensor<2x3x4xf32>, tensor<?xi64>) -> tensor<2x?x4xf32>
  %m = rgnn.torch "aten.mul.Tensor"(%u, %t) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<2x?x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %f = rgnn.torch "aten.permute"(%m) [#rgnn.operand<0>, [1, 0, 2]] : (tensor<2x?x4xf32>) -> tensor<?x2x4xf32>
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x2x4xf32>) -> i64
  %y = rgnn.torch "rgnn.aggregate"(%f, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x2x4xf32>, tensor<?xi64>, i64) -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}
