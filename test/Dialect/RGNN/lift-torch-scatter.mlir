// RUN: rgnn-opt %s --rgnn-lift-torch --split-input-file --verify-diagnostics --remarks-filter-missed=rgnn-lift-torch --remark-format=emitRemark | FileCheck %s

// A list of ends repeated along features, onto zeros.

// CHECK-LABEL: func @scatter_add
//       CHECK: %[[U:.*]] = rgnn.gather src
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst %[[U]]
//       CHECK: %[[Y:.*]] = rgnn.unplace %[[S]]
//   CHECK-NOT: rgnn.torch
//       CHECK: return %[[Y]]
func.func @scatter_add(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %c = rgnn.torch "aten.view"(%src) [#rgnn.operand<0>, [-1, 1]] : (tensor<?xi64>) -> tensor<?x1xi64>
  %ci = rgnn.torch "aten.expand"(%c) [#rgnn.operand<0>, [-1, 4], false] : (tensor<?x1xi64>) -> tensor<?x4xi64>
  %u = rgnn.torch "aten.gather"(%x, %ci) [#rgnn.operand<0>, 0, #rgnn.operand<1>, false] : (tensor<?x4xf32>, tensor<?x4xi64>) -> tensor<?x4xf32>
  %d = rgnn.torch "aten.unsqueeze"(%dst) [#rgnn.operand<0>, -1] : (tensor<?xi64>) -> tensor<?x1xi64>
  %di = rgnn.torch "aten.expand_as"(%d, %u) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x1xi64>, tensor<?x4xf32>) -> tensor<?x4xi64>
  %z = rgnn.torch "aten.new_zeros"(%x, %n) [#rgnn.operand<0>, [#rgnn.operand<1>, 4], unit, unit, unit, unit] : (tensor<?x4xf32>, i64) -> tensor<?x4xf32>
  %s = rgnn.torch "aten.scatter_add"(%z, %di, %u) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4xf32>, tensor<?x4xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// Onto rows: a sum, or those that nothing is reduced to.

// CHECK-LABEL: func @onto_rows
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst
//       CHECK: arith.mulf
//       CHECK: rgnn.map %{{.*}}, %[[X:.*]] :
//       CHECK: arith.addf
//       CHECK: %[[M:.*]] = rgnn.reduce max dst
//       CHECK: %[[D:.*]] = rgnn.degree dst
//       CHECK: rgnn.map %[[M]], %[[X]], %[[D]]
//       CHECK: arith.cmpf ogt
//       CHECK: arith.select
//       CHECK: rgnn.reduce sum dst
//       CHECK: rgnn.degree dst
//       CHECK: arith.divf
//   CHECK-NOT: rgnn.torch
func.func @onto_rows(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "aten.index_add"(%x, %dst, %u) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>, 2] : (tensor<?x4xf32>, tensor<?xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = rgnn.torch "aten.index_reduce"(%x, %dst, %u) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>, "amax", false] : (tensor<?x4xf32>, tensor<?xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = rgnn.torch "aten.index_reduce"(%x, %dst, %u) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>, "mean", true] : (tensor<?x4xf32>, tensor<?xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %s, %m, %a : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func @refused
func.func @refused(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %li: tensor<?x4xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.scatter_add, Reason="it does not reduce whole rows by one list of integers}}
  %a = rgnn.torch "aten.scatter_add"(%x, %li, %u) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4xf32>, tensor<?x4xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.index_reduce, Reason="it does not reduce whole rows by one list of integers}}
  %b = rgnn.torch "aten.index_reduce"(%x, %dst, %u) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>, "median", false] : (tensor<?x4xf32>, tensor<?xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.index_reduce, Reason="what was there takes part in a maximum, and in its gradient}}
  %c = rgnn.torch "aten.index_reduce"(%x, %dst, %u) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>, "amax", true] : (tensor<?x4xf32>, tensor<?xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.index_put, Reason="it does not reduce whole rows by one list of integers}}
  %d = rgnn.torch "aten.index_put"(%x, %dst, %u) [#rgnn.operand<0>, [#rgnn.operand<1>], #rgnn.operand<2>, false] : (tensor<?x4xf32>, tensor<?xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %a, %b, %c, %d : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
