// RUN: rgnn-opt %s --rgnn-lift-torch --split-input-file --verify-diagnostics --remarks-filter-missed=rgnn-lift-torch --remark-format=emitRemark | FileCheck %s

// Integers that are computed of comparisons are held as floats, zeros and ones
// first, where all that reads them computes floats or compares.

// CHECK-LABEL: func @counts
//       CHECK: rgnn.reduce_features  sum {{.*}}f64
//       CHECK: arith.mulf
//       CHECK: arith.cmpf une
//   CHECK-NOT: rgnn.torch
func.func @counts(%x: tensor<?x4xf64>, %ei: tensor<2x?xi64>) -> (tensor<?x4xf64>, tensor<?x4xf64>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %m = rgnn.torch "aten.gt.Scalar"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf64>) -> tensor<?x4xi1>
  %n = rgnn.torch "aten.to.dtype"(%m) [#rgnn.operand<0>, "int32"] : (tensor<?x4xi1>) -> tensor<?x4xi32>
  %s = rgnn.torch "aten.sum.dim_IntList"(%n) [#rgnn.operand<0>, [1], true, "int64"] : (tensor<?x4xi32>) -> tensor<?x1xi64>
  %y = rgnn.torch "aten.mul.Tensor"(%x, %s) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf64>, tensor<?x1xi64>) -> tensor<?x4xf64>
  %b = rgnn.torch "aten._to_copy"(%s) [#rgnn.operand<0>, "bool"] : (tensor<?x1xi64>) -> tensor<?x1xi1>
  %z = rgnn.torch "aten.masked_fill.Scalar"(%x, %b) [#rgnn.operand<0>, #rgnn.operand<1>, 0] : (tensor<?x4xf64>, tensor<?x1xi1>) -> tensor<?x4xf64>
  %u = rgnn.torch "aten.index_select"(%y, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf64>, tensor<?xi64>) -> tensor<?x4xf64>
  return %u, %z : tensor<?x4xf64>, tensor<?x4xf64>
}

// -----

// A list of rows is no number, and what is returned stays an integer.

// CHECK-LABEL: func @lists
//       CHECK: rgnn.torch "aten.to.dtype"{{.*}}tensor<?xi64>
//       CHECK: rgnn.torch "aten.sum.dim_IntList"{{.*}}tensor<?xi64>
func.func @lists(%x: tensor<?xf32>, %h: tensor<?x4xf32>, %table: tensor<2x4xf32>, %ei: tensor<2x?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xi64>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  // expected-remark @+1 {{rows hold no truth values}}
  %m = rgnn.torch "aten.gt.Scalar"(%x) [#rgnn.operand<0>, 0] : (tensor<?xf32>) -> tensor<?xi1>
  // expected-remark @+1 {{its result is not a tensor of floats}}
  %n = rgnn.torch "aten.to.dtype"(%m) [#rgnn.operand<0>, "int64"] : (tensor<?xi1>) -> tensor<?xi64>
  %y = rgnn.torch "aten.index_select"(%table, %n) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<2x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  // expected-remark @+1 {{rows hold no truth values}}
  %k = rgnn.torch "aten.gt.Scalar"(%h) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> tensor<?x4xi1>
  // expected-remark @+1 {{argument 0 is not a tensor of floats}}
  %s = rgnn.torch "aten.sum.dim_IntList"(%k) [#rgnn.operand<0>, [1], false, unit] : (tensor<?x4xi1>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%h, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return %y, %u, %s : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xi64>
}

// -----

// Factors that take a count beyond 2^24, to which a float32 counts, leave it an
// integer; so do sums of more numbers.

// CHECK-LABEL: func @beyond_floats
//       CHECK: rgnn.torch "aten.mul.Tensor"{{.*}}tensor<?x4xi64>
//       CHECK: rgnn.torch "aten.add.Tensor"{{.*}}tensor<?x4xi64>
func.func @beyond_floats(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  // expected-remark @+1 {{rows hold no truth values}}
  %m = rgnn.torch "aten.gt.Scalar"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> tensor<?x4xi1>
  // expected-remark @+1 {{its result is not a tensor of floats}}
  %n = rgnn.torch "aten.to.dtype"(%m) [#rgnn.operand<0>, "int64"] : (tensor<?x4xi1>) -> tensor<?x4xi64>
  // expected-remark @+1 {{its result is not a tensor of floats}}
  %p = rgnn.torch "aten.mul.Tensor"(%n) [#rgnn.operand<0>, 4097] : (tensor<?x4xi64>) -> tensor<?x4xi64>
  // expected-remark @+1 {{its result is not a tensor of floats}}
  %q = rgnn.torch "aten.add.Tensor"(%p, %p) [#rgnn.operand<0>, #rgnn.operand<1>, 4096] : (tensor<?x4xi64>, tensor<?x4xi64>) -> tensor<?x4xi64>
  // expected-remark @+1 {{argument 1 is not a tensor of floats}}
  %y = rgnn.torch "aten.mul.Tensor"(%x, %q) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?x4xi64>) -> tensor<?x4xf32>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return %y, %u : tensor<?x4xf32>, tensor<?x4xf32>
}
