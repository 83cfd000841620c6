// RUN: rgnn-opt %s --rgnn-lift-torch --split-input-file --verify-diagnostics --remarks-filter-missed=rgnn-lift-torch --remark-format=emitRemark | FileCheck %s

// Rows leave for an operator that stays, and its result is placed again.

// CHECK-LABEL: func @unknown
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst
//       CHECK: %[[P:.*]] = rgnn.unplace %[[S]]
//       CHECK: %[[T:.*]] = rgnn.torch "aten.cumsum"(%[[P]])
//       CHECK: %[[H:.*]] = rgnn.place %[[T]] in %{{.*}} -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
//       CHECK: rgnn.map %[[H]], %[[S]]
func.func @unknown(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "rgnn.aggregate"(%u, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.cumsum, Reason="no rule for it}}
  %t = rgnn.torch "aten.cumsum"(%s) [#rgnn.operand<0>, 1, unit] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = rgnn.torch "aten.add.Tensor"(%t, %s) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func @aggregate_kind
//       CHECK: rgnn.torch "rgnn.aggregate"
func.func @aggregate_kind(%m: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> tensor<9x4xf32> {
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  // expected-remark @below {{Operator=rgnn.aggregate, Reason="its reduction is not sum, mean, max, min or mul}}
  %s = rgnn.torch "rgnn.aggregate"(%m, %dst) [#rgnn.operand<0>, #rgnn.operand<1>, 9, "median"] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<9x4xf32>
  return %s : tensor<9x4xf32>
}

// -----

// Weights of more types than others: which is right, the graph cannot say.

// CHECK: rgnn.schema @g0 edge_types(3)
// CHECK-LABEL: func @types_disagree
//       CHECK: rgnn.typed_linear
//       CHECK: rgnn.torch "rgnn.typed_linear"
func.func @types_disagree(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %et: tensor<?xi64>, %w: tensor<3x4x4xf32>, %v: tensor<5x4x4xf32>) -> tensor<?x4xf32> {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %a = rgnn.torch "rgnn.typed_linear"(%u, %et, %w) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4xf32>, tensor<?xi64>, tensor<3x4x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=rgnn.typed_linear, Reason="it has weights of 5 types, the graph has 3}}
  %b = rgnn.torch "rgnn.typed_linear"(%a, %et, %v) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4xf32>, tensor<?xi64>, tensor<5x4x4xf32>) -> tensor<?x4xf32>
  return %b : tensor<?x4xf32>
}

// -----

// Sums of pairs by a number of types that some types are not below would mix
// pairs.

// CHECK-LABEL: func @too_few_types
//       CHECK: rgnn.torch "rgnn.pair_degree"
func.func @too_few_types(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %et: tensor<?xi64>, %w: tensor<3x4x4xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %a = rgnn.torch "rgnn.typed_linear"(%u, %et, %w) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4xf32>, tensor<?xi64>, tensor<3x4x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=rgnn.pair_degree, Reason="num_types is less than the types of the graph}}
  %d = rgnn.torch "rgnn.pair_degree"(%src, %et, %n, %a) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, 2, #rgnn.operand<3>] : (tensor<?xi64>, tensor<?xi64>, i64, tensor<?x4xf32>) -> tensor<?xf32>
  return %a, %d : tensor<?x4xf32>, tensor<?xf32>
}

// -----

// A row belongs to a graph or it is not lifted.

// CHECK-LABEL: func @no_graph
//       CHECK: rgnn.torch "aten.relu"
//       CHECK: rgnn.torch "aten.linear"
func.func @no_graph(%x: tensor<?x4xf32>, %w: tensor<8x4xf32>) -> tensor<?x8xf32> {
  // expected-remark @below {{Operator=aten.relu, Reason="its rows are neither nodes nor edges of a graph}}
  %0 = rgnn.torch "aten.relu"(%x) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.linear, Reason="the rows of argument 0 are neither nodes nor edges of a graph}}
  %1 = rgnn.torch "aten.linear"(%0, %w) [#rgnn.operand<0>, #rgnn.operand<1>, unit] : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// What works across rows, or reads arguments that the rules do not know.

// CHECK-LABEL: func @across_rows
// CHECK-COUNT-8: rgnn.torch "aten.{{amax|view|transpose|slice|cat|softmax|mean|matmul}}
func.func @across_rows(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>, %v: tensor<5xf32>) -> (tensor<4xf32>, tensor<?xf32>, tensor<4x?xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf64>, tensor<?xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.amax, Reason="it takes the max of all rows}}
  %0 = rgnn.torch "aten.amax"(%u) [#rgnn.operand<0>, [0], false] : (tensor<?x4xf32>) -> tensor<4xf32>
  // expected-remark @below {{Operator=aten.view, Reason="it does not keep rows}}
  %1 = rgnn.torch "aten.view"(%u) [#rgnn.operand<0>, [-1]] : (tensor<?x4xf32>) -> tensor<?xf32>
  // expected-remark @below {{Operator=aten.transpose.int, Reason="it moves the rows to another dimension}}
  %2 = rgnn.torch "aten.transpose.int"(%u) [#rgnn.operand<0>, 0, 1] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  // expected-remark @below {{Operator=aten.slice.Tensor, Reason="it works across rows}}
  %3 = rgnn.torch "aten.slice.Tensor"(%u) [#rgnn.operand<0>, 0, 1, 3, 1] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.cat, Reason="no graph has as many nodes or edges as the rows that it joins}}
  %4 = rgnn.torch "aten.cat"(%u, %u) [[#rgnn.operand<0>, #rgnn.operand<1>], 0] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.softmax.int, Reason="it is not over a dimension of rows}}
  %5 = rgnn.torch "aten.softmax.int"(%u) [#rgnn.operand<0>, 0, unit] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.mean.dim, Reason="its arguments are not dimensions, keepdim and no type}}
  %6 = rgnn.torch "aten.mean.dim"(%u) [#rgnn.operand<0>, [1], false, "float64"] : (tensor<?x4xf32>) -> tensor<?xf64>
  // expected-remark @below {{Operator=aten.matmul, Reason="its vector is not as long as rows}}
  %7 = rgnn.torch "aten.matmul"(%u, %v) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<5xf32>) -> tensor<?xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4xf32>, tensor<?xf32>, tensor<4x?xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf64>, tensor<?xf32>
}

// -----

// Norms that are not Euclidean, not of rows, or of another type.

// CHECK-LABEL: func @norms
// CHECK-COUNT-6: rgnn.torch "aten.linalg_vector_norm"
func.func @norms(%x: tensor<?x3x4xf32>, %ei: tensor<2x?xi64>)
    -> (tensor<?x3xf32>, tensor<?xf32>, tensor<f32>, tensor<f32>, tensor<3x4xf32>, tensor<?x3xf64>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x3x4xf32>, tensor<?xi64>) -> tensor<?x3x4xf32>
  %t = rgnn.torch "aten.sum.dim_IntList"(%u) [#rgnn.operand<0>, [1, 2], false, unit] : (tensor<?x3x4xf32>) -> tensor<?xf32>
  // expected-remark @below {{Operator=aten.linalg_vector_norm, Reason="it is not the Euclidean norm}}
  %0 = rgnn.torch "aten.linalg_vector_norm"(%u) [#rgnn.operand<0>, 1, [-1], false, unit] : (tensor<?x3x4xf32>) -> tensor<?x3xf32>
  // expected-remark @below {{Operator=aten.linalg_vector_norm, Reason="it is not over one dimension of rows}}
  %2 = rgnn.torch "aten.linalg_vector_norm"(%u) [#rgnn.operand<0>, 2, [1, 2], false, unit] : (tensor<?x3x4xf32>) -> tensor<?xf32>
  // expected-remark @below {{Operator=aten.linalg_vector_norm, Reason="it is not over one dimension of rows}}
  %3 = rgnn.torch "aten.linalg_vector_norm"(%u) [#rgnn.operand<0>, 2, unit, false, unit] : (tensor<?x3x4xf32>) -> tensor<f32>
  // expected-remark @below {{Operator=aten.linalg_vector_norm, Reason="it is not over one dimension of rows}}
  %4 = rgnn.torch "aten.linalg_vector_norm"(%t) [#rgnn.operand<0>, 2, [-1], false, unit] : (tensor<?xf32>) -> tensor<f32>
  // expected-remark @below {{Operator=aten.linalg_vector_norm, Reason="it is not over one dimension of rows}}
  %5 = rgnn.torch "aten.linalg_vector_norm"(%u) [#rgnn.operand<0>, 2, [0], false, unit] : (tensor<?x3x4xf32>) -> tensor<3x4xf32>
  // expected-remark @below {{Operator=aten.linalg_vector_norm, Reason="it converts to another element type}}
  %6 = rgnn.torch "aten.linalg_vector_norm"(%u) [#rgnn.operand<0>, 2, [-1], false, "float64"] : (tensor<?x3x4xf32>) -> tensor<?x3xf64>
  return %0, %2, %3, %4, %5, %6 : tensor<?x3xf32>, tensor<?xf32>, tensor<f32>, tensor<f32>, tensor<3x4xf32>, tensor<?x3xf64>
}

// -----

// Cross products along another dimension, or the first of three, which may be the rows; of what is broadcast.

// CHECK-LABEL: func @crosses
// CHECK-COUNT-5: rgnn.torch "aten.{{linalg_cross|cross}}
func.func @crosses(%x: tensor<?x3x3xf32>, %ei: tensor<2x?xi64>, %v: tensor<3x3xf32>)
    -> (tensor<?x3x3xf32>, tensor<?x3x3xf32>, tensor<?x3x3xf32>, tensor<?x3xf32>, tensor<?x3x3xf32>) {
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x3x3xf32>, tensor<?xi64>) -> tensor<?x3x3xf32>
  %t = rgnn.torch "aten.sum.dim_IntList"(%u) [#rgnn.operand<0>, [2], false, unit] : (tensor<?x3x3xf32>) -> tensor<?x3xf32>
  %s = rgnn.torch "aten.sum.dim_IntList"(%u) [#rgnn.operand<0>, [1], true, unit] : (tensor<?x3x3xf32>) -> tensor<?x1x3xf32>
  // expected-remark @below {{Operator=aten.linalg_cross, Reason="it is not along a last dimension of size 3 of rows}}
  %0 = rgnn.torch "aten.linalg_cross"(%u, %u) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x3x3xf32>, tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  // expected-remark @below {{Operator=aten.cross, Reason="it is not along a last dimension of size 3 of rows}}
  %1 = rgnn.torch "aten.cross"(%u, %u) [#rgnn.operand<0>, #rgnn.operand<1>, unit] : (tensor<?x3x3xf32>, tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  // expected-remark @below {{Operator=aten.linalg_cross, Reason="argument 1 is not known to have a row for each edge}}
  %2 = rgnn.torch "aten.linalg_cross"(%u, %v) [#rgnn.operand<0>, #rgnn.operand<1>, -1] : (tensor<?x3x3xf32>, tensor<3x3xf32>) -> tensor<?x3x3xf32>
  // expected-remark @below {{Operator=aten.linalg_cross, Reason="it is not along a last dimension of size 3 of rows}}
  %3 = rgnn.torch "aten.linalg_cross"(%t, %t) [#rgnn.operand<0>, #rgnn.operand<1>, 0] : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  // expected-remark @below {{Operator=aten.linalg_cross, Reason="its arguments differ in shape or element type}}
  %4 = rgnn.torch "aten.linalg_cross"(%u, %s) [#rgnn.operand<0>, #rgnn.operand<1>, -1] : (tensor<?x3x3xf32>, tensor<?x1x3xf32>) -> tensor<?x3x3xf32>
  return %0, %1, %2, %3, %4 : tensor<?x3x3xf32>, tensor<?x3x3xf32>, tensor<?x3x3xf32>, tensor<?x3xf32>, tensor<?x3x3xf32>
}

// -----

// CHECK-LABEL: func @elementwise
// CHECK-COUNT-5: rgnn.torch "aten.{{dropout|to|gelu|mul|div}}
func.func @elementwise(%x: tensor<?x4xf32>, %ei: tensor<2x?xi64>) -> (tensor<?x4xf32>, tensor<?x4xi64>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.dropout, Reason="it drops elements, for training}}
  %0 = rgnn.torch "aten.dropout"(%u) [#rgnn.operand<0>, 0.5 : f64, true] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.to.dtype, Reason="its result is not a tensor of floats}}
  %1 = rgnn.torch "aten.to.dtype"(%u) [#rgnn.operand<0>, "int64"] : (tensor<?x4xf32>) -> tensor<?x4xi64>
  // expected-remark @below {{Operator=aten.gelu, Reason="approximate is neither none nor tanh}}
  %2 = rgnn.torch "aten.gelu"(%u) [#rgnn.operand<0>, "fast"] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.mul.Tensor, Reason="argument 1 is not a tensor of floats}}
  %3 = rgnn.torch "aten.mul.Tensor"(%u, %n) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, i64) -> tensor<?x4xf32>
  // expected-remark @below {{Operator=aten.div.Tensor_mode, Reason="no rule for it}}
  %4 = rgnn.torch "aten.div.Tensor_mode"(%u) [#rgnn.operand<0>, 2.0 : f64, "floor"] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2, %3, %4 : tensor<?x4xf32>, tensor<?x4xi64>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Operators without results check something, and stay.

// CHECK-LABEL: func @assertion
//       CHECK: rgnn.torch "aten._assert_scalar"
//   CHECK-NOT: rgnn.torch "aten.cumsum"
func.func @assertion(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  // expected-remark @below {{Operator=aten._assert_scalar, Reason="no rule for it}}
  rgnn.torch "aten._assert_scalar"(%n) [#rgnn.operand<0>, "positive"] : (i64) -> ()
  %t = rgnn.torch "aten.cumsum"(%x) [#rgnn.operand<0>, 1, unit] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %x : tensor<?x4xf32>
}

// -----

// Code that takes minutes to compile: rows of two dimensions, and of more.

// CHECK-LABEL: func @huge_rows
//       CHECK: rgnn.torch "aten.mul.Tensor"
//       CHECK: rgnn.torch "aten.mul.Tensor"
func.func @huge_rows(%x: tensor<?x25x512xf32>, %y: tensor<?x8x32x75xf32>, %w: tensor<8x32x75xf32>) -> (tensor<?x25x512xf32>, tensor<?x8x32x75xf32>) {
  // expected-remark @below {{Operator=aten.mul.Tensor, Reason="its rows have more than 4096 numbers in several dimensions}}
  %0 = rgnn.torch "aten.mul.Tensor"(%x, %x) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x25x512xf32>, tensor<?x25x512xf32>) -> tensor<?x25x512xf32>
  // expected-remark @below {{Operator=aten.mul.Tensor, Reason="its rows have more than 4096 numbers in several dimensions}}
  %1 = rgnn.torch "aten.mul.Tensor"(%y, %w) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x8x32x75xf32>, tensor<8x32x75xf32>) -> tensor<?x8x32x75xf32>
  return %0, %1 : tensor<?x25x512xf32>, tensor<?x8x32x75xf32>
}

// -----

// Vectors without numbers, which LLVM has none of.

// CHECK-LABEL: func @empty_rows
//       CHECK: rgnn.torch "aten.mul.Tensor"
//       CHECK: rgnn.torch "aten.sum.dim_IntList"
func.func @empty_rows(%x: tensor<?x0xf32>) -> (tensor<?x0xf32>, tensor<?xf32>) {
  // expected-remark @below {{Operator=aten.mul.Tensor, Reason="its rows have no numbers}}
  %0 = rgnn.torch "aten.mul.Tensor"(%x, %x) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x0xf32>, tensor<?x0xf32>) -> tensor<?x0xf32>
  // expected-remark @below {{Operator=aten.sum.dim_IntList, Reason="its rows have no numbers}}
  %1 = rgnn.torch "aten.sum.dim_IntList"(%x) [#rgnn.operand<0>, [1], false, unit] : (tensor<?x0xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?x0xf32>, tensor<?xf32>
}
