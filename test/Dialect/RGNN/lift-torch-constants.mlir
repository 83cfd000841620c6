// RUN: rgnn-opt %s --rgnn-lift-torch --split-input-file --verify-diagnostics --remarks-filter-missed=rgnn-lift-torch --remark-format=emitRemark | FileCheck %s

// Ones added up are degrees; who reads a number computes with it.

// CHECK-LABEL: func @degrees
//       CHECK: %[[D:.*]] = rgnn.degree dst in %{{.*}} : tensor<?xf32, #rgnn.rows<node, @g0>>
//       CHECK: %[[S:.*]] = rgnn.map %[[D]]
//  CHECK-NEXT: ^bb0(%[[A:.*]]: f32):
//  CHECK-NEXT: rgnn.yield %[[A]]
//       CHECK: rgnn.map %[[S]]
//       CHECK: arith.constant 3.0
//       CHECK: arith.addf
//   CHECK-NOT: rgnn.torch
func.func @degrees(%x: tensor<?xf32>, %ei: tensor<2x?xi64>) -> tensor<?xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?xf32>) -> i64
  %e = rgnn.torch "aten.sym_size.int"(%ei) [#rgnn.operand<0>, 1] : (tensor<2x?xi64>) -> i64
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %o = rgnn.torch "aten.ones"(%e) [[#rgnn.operand<0>], "float32", unit, unit, false] : (i64) -> tensor<?xf32>
  %s = rgnn.torch "rgnn.aggregate"(%o, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?xf32>, tensor<?xi64>, i64) -> tensor<?xf32>
  %c = rgnn.torch "aten.new_full"(%x, %n) [#rgnn.operand<0>, [#rgnn.operand<1>], 3, unit, unit, unit, unit] : (tensor<?xf32>, i64) -> tensor<?xf32>
  %r = rgnn.torch "aten.add.Tensor"(%s, %c) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Where rows of it must be, an operand that is not read says how many.

// CHECK-LABEL: func @rows
//       CHECK: %[[N:.*]] = rgnn.degree dst
//       CHECK: %[[A:.*]] = rgnn.gather dst %[[N]]
//       CHECK: %[[O:.*]] = rgnn.map %[[A]] : (tensor<?xf32, #rgnn.rows<edge, @g0>>) -> tensor<?x1xf32, #rgnn.rows<edge, @g0>>
//       CHECK: arith.constant 1.0
//       CHECK: rgnn.concat %{{.*}}, %[[O]] dim 1
//   CHECK-NOT: rgnn.torch
func.func @rows(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x5xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %e = rgnn.torch "aten.sym_size.int"(%u) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %o = rgnn.torch "aten.ones"(%e) [[#rgnn.operand<0>, 1], "float32", unit, unit, false] : (i64) -> tensor<?x1xf32>
  %c = rgnn.torch "aten.cat"(%u, %o) [[#rgnn.operand<0>, #rgnn.operand<1>], 1] : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x5xf32>
  return %c : tensor<?x5xf32>
}

// -----

// As many as nothing of the graph.

// CHECK-LABEL: func @others
//       CHECK: rgnn.torch "aten.zeros"
func.func @others(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %y: tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %m = rgnn.torch "aten.sym_size.int"(%y) [#rgnn.operand<0>, 0] : (tensor<?xf32>) -> i64
  // expected-remark @below {{Operator=aten.zeros, Reason="its rows are neither nodes nor edges of a graph}}
  %z = rgnn.torch "aten.zeros"(%m) [[#rgnn.operand<0>], "float32", unit, unit, false] : (i64) -> tensor<?xf32>
  return %u, %z : tensor<?x4xf32>, tensor<?xf32>
}
