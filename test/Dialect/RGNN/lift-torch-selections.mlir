// RUN: rgnn-opt %s --rgnn-lift-torch --split-input-file --verify-diagnostics --remarks-filter-missed=rgnn-lift-torch --remark-format=emitRemark | FileCheck %s

// Rows hold no truth values: who reads a comparison makes it.

// CHECK-LABEL: func @masked_fill
//       CHECK: %[[P:.*]] = rgnn.map
//       CHECK: rgnn.map %[[P]], %[[P]]
//  CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
//       CHECK: %[[M:.*]] = arith.cmpf oeq, %[[B]], %{{.*}} : f32
//       CHECK: arith.select %[[M]], %{{.*}}, %[[A]] : f32
//   CHECK-NOT: rgnn.torch
func.func @masked_fill(%x: tensor<?xf32>, %ei: tensor<2x?xi64>) -> tensor<?xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %p = rgnn.torch "aten.pow.Tensor_Scalar"(%x) [#rgnn.operand<0>, -0.5 : f64] : (tensor<?xf32>) -> tensor<?xf32>
  %m = rgnn.torch "aten.eq.Scalar"(%p) [#rgnn.operand<0>, 0x7FF0000000000000 : f64] : (tensor<?xf32>) -> tensor<?xi1>
  %f = rgnn.torch "aten.masked_fill.Scalar"(%p, %m) [#rgnn.operand<0>, #rgnn.operand<1>, 0] : (tensor<?xf32>, tensor<?xi1>) -> tensor<?xf32>
  %u = rgnn.torch "aten.index_select"(%f, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?xf32>, tensor<?xi64>) -> tensor<?xf32>
  return %u : tensor<?xf32>
}

// -----

// Several readers make it each for themselves. A negation goes to what is
// compared: not (a < b and c) is a >= b, or not c, and NaN is on the same side.

// CHECK-LABEL: func @readers
//       CHECK: arith.cmpf uge
//       CHECK: arith.cmpf ord
//       CHECK: %[[M:.*]] = arith.ori
//       CHECK: arith.select %[[M]]
//       CHECK: rgnn.map
//       CHECK: arith.cmpf olt
//       CHECK: arith.cmpf uno
//       CHECK: %[[N:.*]] = arith.andi
//       CHECK: arith.select %[[N]], %{{.*}}, %{{.*}} : f32
//       CHECK: arith.mulf
//   CHECK-NOT: rgnn.torch
func.func @readers(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %lt = rgnn.torch "aten.lt.Tensor"(%u, %y) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xi1>
  %nan = rgnn.torch "aten.isnan"(%u) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> tensor<?x4xi1>
  %and = rgnn.torch "aten.logical_and"(%lt, %nan) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xi1>, tensor<?x4xi1>) -> tensor<?x4xi1>
  %not = rgnn.torch "aten.logical_not"(%and) [#rgnn.operand<0>] : (tensor<?x4xi1>) -> tensor<?x4xi1>
  %a = rgnn.torch "aten.where.ScalarOther"(%not, %u) [#rgnn.operand<0>, #rgnn.operand<1>, 2] : (tensor<?x4xi1>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = rgnn.torch "aten.mul.Tensor"(%and, %u) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xi1>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Numbers of 16 bits are compared with what the tensor's type makes of a scalar.

// CHECK-LABEL: func @narrow
//       CHECK: %[[C:.*]] = arith.constant 0.100097656 : f32
//       CHECK: arith.cmpf ogt, %{{.*}}, %[[C]] : f32
//       CHECK: %[[F:.*]] = arith.constant 1.000000e-01 : f32
//       CHECK: arith.select %{{.*}}, %[[F]]
func.func @narrow(%x: tensor<?x4xbf16>, %ei: tensor<2x?xi64>) -> tensor<?x4xbf16> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xbf16>, tensor<?xi64>) -> tensor<?x4xbf16>
  %m = rgnn.torch "aten.gt.Scalar"(%u) [#rgnn.operand<0>, 0.1 : f64] : (tensor<?x4xbf16>) -> tensor<?x4xi1>
  %f = rgnn.torch "aten.masked_fill.Scalar"(%u, %m) [#rgnn.operand<0>, #rgnn.operand<1>, 0.1 : f64] : (tensor<?x4xbf16>, tensor<?x4xi1>) -> tensor<?x4xbf16>
  return %f : tensor<?x4xbf16>
}

// -----

// Truth values from elsewhere, and those that PyTorch reads.

// CHECK-LABEL: func @from_elsewhere
//       CHECK: rgnn.torch "aten.masked_fill.Scalar"
//       CHECK: rgnn.torch "aten.gt.Scalar"
func.func @from_elsewhere(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %m: tensor<?x4xi1>) -> (tensor<?x4xf32>, tensor<?x4xi1>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.masked_fill.Scalar, Reason="argument 1 holds truth values that compare no numbers}}
  %f = rgnn.torch "aten.masked_fill.Scalar"(%u, %m) [#rgnn.operand<0>, #rgnn.operand<1>, 0] : (tensor<?x4xf32>, tensor<?x4xi1>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.gt.Scalar, Reason="rows hold no truth values}}
  %g = rgnn.torch "aten.gt.Scalar"(%u) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> tensor<?x4xi1>
  return %f, %g : tensor<?x4xf32>, tensor<?x4xi1>
}

// -----

// What is compared is viewed in the shape of the comparison.

// CHECK-LABEL: func @views
//       CHECK: %[[D:.*]] = rgnn.reshape %{{.*}} : {{.*}}tensor<?xf32{{.*}} -> tensor<?x1xf32
//       CHECK: rgnn.map %{{.*}}, %[[D]]
//       CHECK: arith.cmpf ogt
//       CHECK: arith.cmpf olt
//   CHECK-NOT: rgnn.torch
func.func @views(%x: tensor<?x4xf32>, %d: tensor<?xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %gt = rgnn.torch "aten.gt.Scalar"(%d) [#rgnn.operand<0>, 3] : (tensor<?xf32>) -> tensor<?xi1>
  %lt = rgnn.torch "aten.lt.Scalar"(%d) [#rgnn.operand<0>, 9] : (tensor<?xf32>) -> tensor<?xi1>
  %and = rgnn.torch "aten.logical_and"(%gt, %lt) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
  %m = rgnn.torch "aten.unsqueeze"(%and) [#rgnn.operand<0>, -1] : (tensor<?xi1>) -> tensor<?x1xi1>
  %f = rgnn.torch "aten.masked_fill.Scalar"(%x, %m) [#rgnn.operand<0>, #rgnn.operand<1>, 0] : (tensor<?x4xf32>, tensor<?x1xi1>) -> tensor<?x4xf32>
  %u = rgnn.torch "aten.index_select"(%f, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return %u : tensor<?x4xf32>
}

// -----

// What moves truth values moves zeros and ones, unless numbers can be moved
// before they are compared; a sum of them is a number.

// CHECK-LABEL: func @moved
//       CHECK: %[[X:.*]] = rgnn.gather src
//       CHECK: %[[G:.*]] = rgnn.gather src
//       CHECK: rgnn.map %[[X]], %[[G]]
//       CHECK: arith.cmpf ogt
//   CHECK-DAG: %[[ONES:.*]] = rgnn.concat %{{.*}}, %{{.*}} dim 1
//   CHECK-DAG: rgnn.map %{{.*}}, %[[ONES]]
//   CHECK-DAG: %[[N:.*]] = rgnn.reduce_features sum
//   CHECK-DAG: rgnn.reshape %[[N]]
//   CHECK-NOT: rgnn.torch
func.func @moved(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %m = rgnn.torch "aten.gt.Scalar"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> tensor<?x4xi1>
  %g = rgnn.torch "aten.index_select"(%m, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xi1>, tensor<?xi64>) -> tensor<?x4xi1>
  %y = rgnn.torch "aten.masked_fill.Scalar"(%u, %g) [#rgnn.operand<0>, #rgnn.operand<1>, 0] : (tensor<?x4xf32>, tensor<?x4xi1>) -> tensor<?x4xf32>
  %a = rgnn.torch "aten.slice.Tensor"(%m) [#rgnn.operand<0>, 1, 0, 2, 1] : (tensor<?x4xi1>) -> tensor<?x2xi1>
  %b = rgnn.torch "aten.cat"(%a, %a) [[#rgnn.operand<0>, #rgnn.operand<1>], 1] : (tensor<?x2xi1>, tensor<?x2xi1>) -> tensor<?x4xi1>
  %z = rgnn.torch "aten.masked_fill.Scalar"(%x, %b) [#rgnn.operand<0>, #rgnn.operand<1>, 0] : (tensor<?x4xf32>, tensor<?x4xi1>) -> tensor<?x4xf32>
  %s = rgnn.torch "aten.sum.dim_IntList"(%m) [#rgnn.operand<0>, [1], true, unit] : (tensor<?x4xi1>) -> tensor<?x1xi64>
  %n = rgnn.torch "aten.add.Tensor"(%s) [#rgnn.operand<0>, 1, 1] : (tensor<?x1xi64>) -> tensor<?x1xi64>
  %d = rgnn.torch "aten.div.Tensor"(%x, %n) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?x1xi64>) -> tensor<?x4xf32>
  return %y, %z, %d : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
