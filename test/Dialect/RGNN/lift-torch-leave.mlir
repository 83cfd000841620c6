// RUN: rgnn-opt %s --rgnn-lift-torch=leave=aten.detach --verify-diagnostics --remarks-filter-missed=rgnn-lift-torch --remark-format=emitRemark | FileCheck %s
// RUN: rgnn-opt %s --rgnn-lift-torch | FileCheck %s --check-prefix=COPY

// What is left is no copy either: who reads the result reads it, and not what it was made of.

// CHECK-LABEL: func @left
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst
//       CHECK: %[[P:.*]] = rgnn.unplace %[[S]]
//       CHECK: %[[D:.*]] = rgnn.torch "aten.detach"(%[[P]])
//       CHECK: %[[H:.*]] = rgnn.place %[[D]]
//       CHECK: rgnn.map %[[H]]

// COPY-LABEL: func @left
//   COPY-NOT: rgnn.torch
func.func @left(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.detach, Reason="it is left to PyTorch"}}
  %t = rgnn.torch "aten.detach"(%s) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = rgnn.torch "aten.add.Tensor"(%t, %s) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
