// RUN: rgnn-opt %s --rgnn-lift-torch | FileCheck %s

// No gradient passes what is detached; who reads it reads it, and not what it was made of. Of integers it is a copy.

// CHECK-LABEL: func @detached
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst
//       CHECK: %[[D:.*]] = rgnn.detach %[[S]]
//       CHECK: rgnn.map %[[D]], %[[S]]
//   CHECK-NOT: rgnn.torch
func.func @detached(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %e = rgnn.torch "aten.detach"(%ei) [#rgnn.operand<0>] : (tensor<2x?xi64>) -> tensor<2x?xi64>
  %src = rgnn.torch "aten.select.int"(%e) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%e) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  %t = rgnn.torch "aten.detach"(%s) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = rgnn.torch "aten.add.Tensor"(%t, %s) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Of weights as of rows.
// CHECK-LABEL: func @of_weights
//       CHECK: rgnn.detach %{{.*}} : tensor<4xf32>
func.func @of_weights(%w: tensor<4xf32>) -> tensor<4xf32> {
  %t = rgnn.torch "aten.detach"(%w) [#rgnn.operand<0>] : (tensor<4xf32>) -> tensor<4xf32>
  %r = rgnn.torch "aten.mul.Tensor"(%t, %w) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @said
//  CHECK-SAME:   %[[X:[a-z0-9]*]]: tensor<?x4xf32>
//       CHECK:   %[[P:.*]] = rgnn.place %[[X]]
//       CHECK:   %[[D:.*]] = rgnn.detach %[[P]]
//       CHECK:   rgnn.with_slope %[[D]] by %[[P]] slope %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @g
//   CHECK-NOT:   rgnn.torch
func.func @said(%x: tensor<?x4xf32>, %s: tensor<4xf32>, %src: tensor<?xi64>) -> tensor<?x4xf32> {
  %t = rgnn.torch "aten.detach"(%x) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = rgnn.torch "aten.mul.Tensor"(%x, %s) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %y = rgnn.torch "rgnn.with_slope"(%t, %x, %m) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %u = rgnn.torch "aten.index_select"(%y, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return %u : tensor<?x4xf32>
}
