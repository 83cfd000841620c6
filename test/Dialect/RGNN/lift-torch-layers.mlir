// RUN: rgnn-opt %s --rgnn-lift-torch --split-input-file --verify-diagnostics --remarks-filter-missed=rgnn-lift-torch --remark-format=emitRemark | FileCheck %s

// A cell is two products and maps of their slices.

// CHECK-LABEL: func @gru_cell
//       CHECK: %[[I:.*]] = rgnn.linear
//       CHECK: %[[IB:.*]] = rgnn.map %[[I]]
//       CHECK: %[[H:.*]] = rgnn.linear
//       CHECK: rgnn.slice %[[IB]] dim 1
//       CHECK: rgnn.slice %[[H]] dim 1
//       CHECK: math.tanh
//   CHECK-NOT: rgnn.torch
func.func @gru_cell(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %ei: tensor<2x?xi64>, %wi: tensor<6x4xf32>, %wh: tensor<6x2xf32>, %b: tensor<6xf32>) -> tensor<?x2xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %r = rgnn.torch "aten.gru_cell"(%u, %h, %wi, %wh, %b) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, #rgnn.operand<3>, #rgnn.operand<4>, unit] : (tensor<?x4xf32>, tensor<?x2xf32>, tensor<6x4xf32>, tensor<6x2xf32>, tensor<6xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// -----

// In evaluation a batch's normalisation is an affine map of each feature; its
// other results are empty, and nobody reads them.

// CHECK-LABEL: func @batch_norm
//       CHECK: rgnn.map {{.*}}tensor<4xf32>) -> tensor<?x4xf32, #rgnn.rows<edge, @g0>>
//       CHECK: arith.subf
//       CHECK: math.rsqrt
//       CHECK: arith.mulf
//       CHECK: arith.addf
//   CHECK-NOT: rgnn.torch
func.func @batch_norm(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %w: tensor<4xf32>, %b: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<?x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %r:3 = rgnn.torch "aten._native_batch_norm_legit_no_training"(%u, %w, %b, %m, %v) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, #rgnn.operand<3>, #rgnn.operand<4>, 0.1 : f64, 1.0e-05 : f64] : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<?x4xf32>, tensor<0xf32>, tensor<0xf32>)
  return %r#0 : tensor<?x4xf32>
}

// -----

// Groups of features, each by itself; a variance without its mean.

// CHECK-LABEL: func @within_rows
//       CHECK: %[[G:.*]] = rgnn.reshape %{{.*}} -> tensor<?x2x2xf32, #rgnn.rows<edge, @g0>>
//       CHECK: rgnn.reduce_features mean %[[G]] dim 2
//       CHECK: rgnn.dot
//       CHECK: math.rsqrt
//       CHECK: rgnn.reduce_features sum
//       CHECK: arith.constant 3.0
//   CHECK-NOT: rgnn.torch
func.func @within_rows(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %g = rgnn.torch "aten.group_norm"(%u) [#rgnn.operand<0>, 2, unit, unit, 1.0e-05 : f64, true] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %v = rgnn.torch "aten.var.correction"(%u) [#rgnn.operand<0>, [1], 1, false] : (tensor<?x4xf32>) -> tensor<?xf32>
  return %g, %v : tensor<?x4xf32>, tensor<?xf32>
}

// -----

// Matrices of rows are multiplied as sums of products.

// CHECK-LABEL: func @matrices
//       CHECK: rgnn.map {{.*}} -> tensor<?x1x4x5xf32, #rgnn.rows<edge, @g0>>
//       CHECK: rgnn.reduce_features sum %{{.*}} dim 2
//   CHECK-NOT: rgnn.torch
func.func @matrices(%x: tensor<?x4xf32>, %m: tensor<?x4x5xf32>, %ei: tensor<2x?xi64>) -> tensor<?x1x5xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %r = rgnn.torch "aten.unsqueeze"(%u) [#rgnn.operand<0>, 1] : (tensor<?x4xf32>) -> tensor<?x1x4xf32>
  %p = rgnn.torch "aten.matmul"(%r, %m) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x1x4xf32>, tensor<?x4x5xf32>) -> tensor<?x1x5xf32>
  return %p : tensor<?x1x5xf32>
}

// -----

// CHECK-LABEL: func @refused
func.func @refused(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %m: tensor<?x65x65xf32>, %v: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x8xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.layer_norm, Reason="it does not normalise the last dimensions of rows}}
  %a = rgnn.torch "aten.layer_norm"(%u) [#rgnn.operand<0>, [5], unit, unit, 1.0e-05 : f64, true] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.var.correction, Reason="it does not reduce features of more than one number}}
  %b = rgnn.torch "aten.var.correction"(%u) [#rgnn.operand<0>, [1], 4, false] : (tensor<?x4xf32>) -> tensor<?xf32>
  // expected-remark @below {{Operator=aten.group_norm, Reason="it does not normalise groups of rows of 32 bits}}
  %c = rgnn.torch "aten.group_norm"(%u) [#rgnn.operand<0>, 3, unit, unit, 1.0e-05 : f64, true] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.repeat, Reason="it repeats rows, or adds dimensions}}
  %d = rgnn.torch "aten.repeat"(%u) [#rgnn.operand<0>, [2, 2]] : (tensor<?x4xf32>) -> tensor<?x8xf32>
  return %a, %b, %c, %d : tensor<?x4xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x8xf32>
}

// -----

// Sums of products: rows times a matrix, and element by element.

// CHECK-LABEL: func @einsums
//       CHECK: rgnn.linear
//       CHECK: rgnn.map {{.*}}tensor<2x2xf32>) -> tensor<?x2x2xf32, #rgnn.rows<edge, @g0>>
//       CHECK: rgnn.reduce_features sum %{{.*}} dim 2
//   CHECK-NOT: rgnn.torch
func.func @einsums(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %w: tensor<3x4xf32>, %a: tensor<2x2xf32>) -> (tensor<?x3xf32>, tensor<?x2xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %p = rgnn.torch "aten.einsum"(%u, %w) ["nf, gf -> ng", [#rgnn.operand<0>, #rgnn.operand<1>], unit] : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x3xf32>
  %v = rgnn.torch "aten.view"(%u) [#rgnn.operand<0>, [-1, 2, 2]] : (tensor<?x4xf32>) -> tensor<?x2x2xf32>
  %q = rgnn.torch "aten.einsum"(%v, %a) ["nhf,hf->nh", [#rgnn.operand<0>, #rgnn.operand<1>], unit] : (tensor<?x2x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  return %p, %q : tensor<?x3xf32>, tensor<?x2xf32>
}

// -----

// CHECK-LABEL: func @einsums_refused
//       CHECK: rgnn.torch "aten.einsum"
func.func @einsums_refused(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> (tensor<4x4xf32>, tensor<?xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.einsum, Reason="it moves the rows to another dimension}}
  %a = rgnn.torch "aten.einsum"(%u, %u) ["nf,ng->fg", [#rgnn.operand<0>, #rgnn.operand<1>], unit] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{Operator=aten.einsum, Reason="it is not a sum of products of two tensors}}
  %b = rgnn.torch "aten.einsum"(%u) ["nf->n", [#rgnn.operand<0>], unit] : (tensor<?x4xf32>) -> tensor<?xf32>
  return %a, %b : tensor<4x4xf32>, tensor<?xf32>
}

// -----

// What relations bring is stacked within each row, and reduced there.

// CHECK-LABEL: func @stacked
//       CHECK: rgnn.reduce
//       CHECK: %[[Y:.*]] = rgnn.reduce_features
//   CHECK-NOT: rgnn.torch
func.func @stacked(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %z = rgnn.torch "aten.zeros_like"(%x) [#rgnn.operand<0>, unit, unit, unit, unit, unit] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = rgnn.torch "aten.index_add"(%z, %dst, %u) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>, 1] : (tensor<?x4xf32>, tensor<?xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = rgnn.torch "aten.stack"(%a, %x) [[#rgnn.operand<0>, #rgnn.operand<1>], 0] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<2x?x4xf32>
  %y = rgnn.torch "aten.mean.dim"(%s) [#rgnn.operand<0>, [0], false, unit] : (tensor<2x?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Relations that stay in front of the rows between two operators: scores of each from all rows, and rows by several
// matrices, which are one with all their columns, or one after another.

// CHECK-LABEL: func @rows_behind
//       CHECK: %[[STACK:.*]] = rgnn.concat {{.*}} dim 1
//       CHECK: %[[T:.*]] = rgnn.linear %[[STACK]]
//       CHECK: rgnn.sum_rows %[[T]]
//       CHECK: math.exp
//       CHECK: rgnn.reduce_features sum {{.*}} : tensor<?x2x4xf32
//       CHECK: rgnn.linear {{.*}} : tensor<?x4xf32, {{.*}}>, tensor<4x6xf32>
//       CHECK: rgnn.linear {{.*}} tensor<3x5xf32>
//       CHECK: rgnn.linear {{.*}} tensor<3x5xf32>
//   CHECK-NOT: rgnn.torch
func.func @rows_behind(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %w: tensor<4x4xf32>, %m: tensor<2x4x3xf32>, %k: tensor<2x3x5xf32>) -> tensor<?x5xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %z = rgnn.torch "aten.zeros_like"(%x) [#rgnn.operand<0>, unit, unit, unit, unit, unit] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = rgnn.torch "aten.index_add"(%z, %dst, %u) [#rgnn.operand<0>, 0, #rgnn.operand<1>, #rgnn.operand<2>, 1] : (tensor<?x4xf32>, tensor<?xi64>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = rgnn.torch "aten.stack"(%a, %x) [[#rgnn.operand<0>, #rgnn.operand<1>], 0] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<2x?x4xf32>
  %t = rgnn.torch "aten.linear"(%s, %w) [#rgnn.operand<0>, #rgnn.operand<1>, unit] : (tensor<2x?x4xf32>, tensor<4x4xf32>) -> tensor<2x?x4xf32>
  %q = rgnn.torch "aten.mean.dim"(%t) [#rgnn.operand<0>, [1], false, unit] : (tensor<2x?x4xf32>) -> tensor<2x4xf32>
  %r = rgnn.torch "aten.softmax.int"(%q) [#rgnn.operand<0>, 0, unit] : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %v = rgnn.torch "aten.unsqueeze"(%r) [#rgnn.operand<0>, 1] : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
  %p = rgnn.torch "aten.mul.Tensor"(%v, %s) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<2x1x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %y = rgnn.torch "aten.sum.dim_IntList"(%p) [#rgnn.operand<0>, [0], false, unit] : (tensor<2x?x4xf32>) -> tensor<?x4xf32>
  %o = rgnn.torch "aten.unsqueeze"(%y) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> tensor<1x?x4xf32>
  %b = rgnn.torch "aten.matmul"(%o, %m) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<1x?x4xf32>, tensor<2x4x3xf32>) -> tensor<2x?x3xf32>
  %c = rgnn.torch "aten.matmul"(%b, %k) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<2x?x3xf32>, tensor<2x3x5xf32>) -> tensor<2x?x5xf32>
  %e = rgnn.torch "aten.amax"(%c) [#rgnn.operand<0>, [0], false] : (tensor<2x?x5xf32>) -> tensor<?x5xf32>
  return %e : tensor<?x5xf32>
}

// -----

// In training a batch has its own means and variances, and gives averages of them.

// CHECK-LABEL: func @batch_norm_in_training
//       CHECK: %[[COUNT:.*]] = rgnn.sum_rows {{.*}} : tensor<?xf32, #rgnn.rows<edge, @g0>>
//       CHECK: %[[SUM:.*]] = rgnn.sum_rows {{.*}} : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
//       CHECK: rgnn.map %[[SUM]], %[[COUNT]]
//       CHECK: rgnn.sum_rows {{.*}} : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
//       CHECK: math.rsqrt
//   CHECK-NOT: rgnn.torch
func.func @batch_norm_in_training(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %w: tensor<4xf32>, %b: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %r:5 = rgnn.torch "aten._native_batch_norm_legit_functional"(%u, %w, %b, %m, %v) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, #rgnn.operand<3>, #rgnn.operand<4>, true, 0.1 : f64, 1.0e-05 : f64] : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#3, %r#4 : tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The maximum of each row whose gradient is the first one's: numbers compared one after another.

// CHECK-LABEL: func @first_maximum
//   CHECK-COUNT-3: rgnn.slice
//       CHECK: rgnn.map
//   CHECK-COUNT-2: arith.select
//   CHECK-NOT: rgnn.torch
func.func @first_maximum(%x: tensor<?x3x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x3x4xf32>, tensor<?xi64>) -> tensor<?x3x4xf32>
  %r:2 = rgnn.torch "aten.max.dim"(%u) [#rgnn.operand<0>, 1, false] : (tensor<?x3x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xi64>)
  return %r#0 : tensor<?x4xf32>
}

// -----

// Rows times a vector.

// CHECK-LABEL: func @vector
//       CHECK: %[[C:.*]] = rgnn.reshape %{{.*}} : tensor<4xf32> -> tensor<4x1xf32>
//       CHECK: %[[P:.*]] = rgnn.linear %{{.*}}, %[[C]] : tensor<?x3x4xf32, #rgnn.rows<{{.*}}>>, tensor<4x1xf32>
//       CHECK: rgnn.reshape %[[P]] : tensor<?x3x1xf32, #rgnn.rows<{{.*}}>> -> tensor<?x3xf32, #rgnn.rows<{{.*}}>>
//   CHECK-NOT: rgnn.torch "aten.matmul"
func.func @vector(%x: tensor<?x3x4xf32> {rgnn.num_rows = "n0"}, %ei: tensor<2x?xi64>, %w: tensor<4xf32>) -> tensor<?x3xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x3x4xf32>) -> i64
  %y = rgnn.torch "aten.matmul"(%x, %w) [#rgnn.operand<0>, #rgnn.operand<1>] {rgnn.num_rows = "n0"} : (tensor<?x3x4xf32>, tensor<4xf32>) -> tensor<?x3xf32>
  %u = rgnn.torch "aten.index_select"(%y, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x3xf32>, tensor<?xi64>, i64) -> tensor<?x3xf32>
  return %s : tensor<?x3xf32>
}

// -----

// Without averages, in training and evaluation; what it does not normalise by
// averages that it has not is left.

// CHECK-LABEL: func @batch_norm_without_averages
//       CHECK: rgnn.sum_rows
//       CHECK: rgnn.sum_rows
//       CHECK: math.rsqrt
//   CHECK-NOT: rgnn.torch
func.func @batch_norm_without_averages(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %r:3 = rgnn.torch "aten._native_batch_norm_legit.no_stats"(%u) [#rgnn.operand<0>, unit, unit, true, 0.1 : f64, 1.0e-05 : f64] : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %r#0 : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func @batch_norm_by_no_averages
//       CHECK: rgnn.torch "aten._native_batch_norm_legit.no_stats"
func.func @batch_norm_by_no_averages(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  // expected-remark @+1 {{it normalises by averages that it does not have}}
  %r:3 = rgnn.torch "aten._native_batch_norm_legit.no_stats"(%u) [#rgnn.operand<0>, unit, unit, false, 0.1 : f64, 1.0e-05 : f64] : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %r#0 : tensor<?x4xf32>
}
