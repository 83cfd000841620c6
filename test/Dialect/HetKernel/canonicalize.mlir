// RUN: rgnn-opt %s --canonicalize | FileCheck %s

// The same rows in another shape are stored once, whichever shape comes first.
// CHECK-LABEL: func.func @reshaped(
//       CHECK:   %[[T:.*]] = hetkernel.traverse rows(%[[N:.*]]) outs(%{{.*}} : tensor<?x6xf32>)
//       CHECK:     hetkernel.yield %{{.*}} : vector<6xf32>
//       CHECK:   %[[R:.*]] = tensor.expand_shape %[[T]] {{\[\[}}0], [1, 2]] output_shape [%[[N]], 2, 3] : tensor<?x6xf32> into tensor<?x2x3xf32>
//       CHECK:   return %[[T]], %[[R]]
func.func @reshaped(%n: index, %x: tensor<?x6xf32>, %a: tensor<?x6xf32>, %b: tensor<?x2x3xf32>) -> (tensor<?x6xf32>, tensor<?x2x3xf32>) {
  %r:2 = hetkernel.traverse rows(%n) outs(%a, %b : tensor<?x6xf32>, tensor<?x2x3xf32>) {
  ^bb0(%i: index):
    %0 = hetkernel.row %x[%i] : tensor<?x6xf32> -> vector<6xf32>
    %1 = arith.addf %0, %0 : vector<6xf32>
    %2 = vector.shape_cast %1 : vector<6xf32> to vector<2x3xf32>
    hetkernel.yield %1, %2 : vector<6xf32>, vector<2x3xf32>
  } -> tensor<?x6xf32>, tensor<?x2x3xf32>
  return %r#0, %r#1 : tensor<?x6xf32>, tensor<?x2x3xf32>
}

// Rows of types, whose number is known.
// CHECK-LABEL: func.func @reshaped_types(
//       CHECK:   tensor.expand_shape %{{.*}} output_shape [4, 2, 3] : tensor<4x6xf32> into tensor<4x2x3xf32>
func.func @reshaped_types(%x: tensor<4x6xf32>, %a: tensor<4x6xf32>, %b: tensor<4x2x3xf32>) -> (tensor<4x6xf32>, tensor<4x2x3xf32>) {
  %n = arith.constant 4 : index
  %r:2 = hetkernel.traverse rows(%n) outs(%a, %b : tensor<4x6xf32>, tensor<4x2x3xf32>) {
  ^bb0(%i: index):
    %0 = hetkernel.row %x[%i] : tensor<4x6xf32> -> vector<6xf32>
    %1 = arith.addf %0, %0 : vector<6xf32>
    %2 = vector.shape_cast %1 : vector<6xf32> to vector<2x3xf32>
    hetkernel.yield %1, %2 : vector<6xf32>, vector<2x3xf32>
  } -> tensor<4x6xf32>, tensor<4x2x3xf32>
  return %r#0, %r#1 : tensor<4x6xf32>, tensor<4x2x3xf32>
}

// CHECK-LABEL: func.func @flat(
//       CHECK:   %[[T:.*]] = hetkernel.traverse rows(%{{.*}}) outs(%{{.*}} : tensor<?x2x3xf32>)
//       CHECK:   %[[R:.*]] = tensor.collapse_shape %[[T]] {{\[\[}}0], [1, 2]] : tensor<?x2x3xf32> into tensor<?x6xf32>
//       CHECK:   return %[[R]], %[[T]]
func.func @flat(%n: index, %x: tensor<?x2x3xf32>, %a: tensor<?x6xf32>, %b: tensor<?x2x3xf32>) -> (tensor<?x6xf32>, tensor<?x2x3xf32>) {
  %r:2 = hetkernel.traverse rows(%n) outs(%a, %b : tensor<?x6xf32>, tensor<?x2x3xf32>) {
  ^bb0(%i: index):
    %0 = hetkernel.row %x[%i] : tensor<?x2x3xf32> -> vector<2x3xf32>
    %1 = arith.addf %0, %0 : vector<2x3xf32>
    %2 = vector.shape_cast %1 : vector<2x3xf32> to vector<6xf32>
    hetkernel.yield %2, %1 : vector<6xf32>, vector<2x3xf32>
  } -> tensor<?x6xf32>, tensor<?x2x3xf32>
  return %r#0, %r#1 : tensor<?x6xf32>, tensor<?x2x3xf32>
}

// What nobody reads is not stored; the schedule stays.
// CHECK-LABEL: func.func @unused(
//       CHECK:   hetkernel.traverse rows(%{{.*}}) segments(%{{.*}} : tensor<?xi32>) outs(%{{[a-z0-9]*}} : tensor<?x6xf32>) schedule #hetkernel.cpu_traverse<task_rows = 32> {
//       CHECK:     hetkernel.yield %{{[a-z0-9#]*}} : vector<6xf32>
func.func @unused(%n: index, %s: tensor<?xi32>, %x: tensor<?x6xf32>, %a: tensor<?xf32>, %b: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %r:2 = hetkernel.traverse rows(%n) segments(%s : tensor<?xi32>) outs(%a, %b : tensor<?xf32>, tensor<?x6xf32>) schedule #hetkernel.cpu_traverse<task_rows = 32> {
  ^bb0(%i: index):
    %zero = arith.constant dense<0.0> : vector<6xf32>
    %none = arith.constant 0.0 : f32
    %sum:2 = hetkernel.for_each %i init(%none, %zero : f32, vector<6xf32>) {
    ^bb0(%e: index, %count: f32, %acc: vector<6xf32>):
      %one = arith.constant 1.0 : f32
      %0 = hetkernel.row %x[%e] : tensor<?x6xf32> -> vector<6xf32>
      %1 = arith.addf %acc, %0 : vector<6xf32>
      %2 = arith.addf %count, %one : f32
      hetkernel.yield %2, %1 : f32, vector<6xf32>
    } -> f32, vector<6xf32>
    hetkernel.yield %sum#0, %sum#1 : f32, vector<6xf32>
  } -> tensor<?xf32>, tensor<?x6xf32>
  return %r#1 : tensor<?x6xf32>
}

// A part of a row of several dimensions is taken of the whole row; one that leaves out rows stays.
// CHECK-LABEL: func.func @part(
//  CHECK-SAME:   %{{.*}}: index, %[[W:.*]]: tensor<4x2x6xf32>
//       CHECK:   %[[ROWS:.*]] = tensor.extract_slice %[[W]][1, 0, 0] [2, 2, 6]
//       CHECK:   hetkernel.traverse
//       CHECK:     %[[ROW:.*]] = hetkernel.row %[[W]][%[[I:.*]]] : tensor<4x2x6xf32> -> vector<2x6xf32>
//       CHECK:     %[[PART:.*]] = vector.extract_strided_slice %[[ROW]] {offsets = [0, 3], sizes = [2, 3], strides = [1, 1]}
//       CHECK:     %[[OTHER:.*]] = hetkernel.row %[[ROWS]][%[[I]]]
//       CHECK:     hetkernel.yield %[[PART]], %[[OTHER]]
func.func @part(%n: index, %w: tensor<4x2x6xf32>, %a: tensor<?x2x3xf32>, %b: tensor<?x2x6xf32>) -> (tensor<?x2x3xf32>, tensor<?x2x6xf32>) {
  %p = tensor.extract_slice %w[0, 0, 3] [4, 2, 3] [1, 1, 1] : tensor<4x2x6xf32> to tensor<4x2x3xf32>
  %q = tensor.extract_slice %w[1, 0, 0] [2, 2, 6] [1, 1, 1] : tensor<4x2x6xf32> to tensor<2x2x6xf32>
  %r:2 = hetkernel.traverse rows(%n) outs(%a, %b : tensor<?x2x3xf32>, tensor<?x2x6xf32>) {
  ^bb0(%i: index):
    %0 = hetkernel.row %p[%i] : tensor<4x2x3xf32> -> vector<2x3xf32>
    %1 = hetkernel.row %q[%i] : tensor<2x2x6xf32> -> vector<2x6xf32>
    hetkernel.yield %0, %1 : vector<2x3xf32>, vector<2x6xf32>
  } -> tensor<?x2x3xf32>, tensor<?x2x6xf32>
  return %r#0, %r#1 : tensor<?x2x3xf32>, tensor<?x2x6xf32>
}

// What is the same for all inner rows is not kept for each; what differs is.
// CHECK-LABEL: func.func @invariant(
//       CHECK:     %[[ROW:.*]] = hetkernel.row
//       CHECK:     %[[SUM:.*]]:3 = hetkernel.for_each
//       CHECK:     } -> vector<6xf32>, !hetkernel.segment
//       CHECK:     %[[SAME:.*]] = math.exp %[[ROW]]
//       CHECK:     hetkernel.for_each %{{.*}}
//   CHECK-NEXT:     ^bb0(%[[E:.*]]: index, %[[ACC:.*]]: vector<6xf32>):
//   CHECK-NEXT:       %[[OTHER:.*]] = hetkernel.element %[[SUM]]#2[%[[E]]]
//   CHECK-NEXT:       arith.mulf %[[SAME]], %[[OTHER]]
func.func @invariant(%n: index, %s: tensor<?xi32>, %x: tensor<?x6xf32>, %y: tensor<?x6xf32>, %o: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %zero = arith.constant dense<0.0> : vector<6xf32>
  %r = hetkernel.traverse rows(%n) segments(%s : tensor<?xi32>) outs(%o : tensor<?x6xf32>) {
  ^bb0(%i: index):
    %row = hetkernel.row %x[%i] : tensor<?x6xf32> -> vector<6xf32>
    %sum:3 = hetkernel.for_each %i init(%zero : vector<6xf32>) {
    ^bb0(%e: index, %acc: vector<6xf32>):
      %0 = math.exp %row : vector<6xf32>
      %1 = hetkernel.row %y[%e] : tensor<?x6xf32> -> vector<6xf32>
      %2 = arith.addf %acc, %0 : vector<6xf32>
      %3 = arith.addf %2, %1 : vector<6xf32>
      hetkernel.yield %3, %0, %1 : vector<6xf32>, vector<6xf32>, vector<6xf32>
    } -> vector<6xf32>, !hetkernel.segment<vector<6xf32>>, !hetkernel.segment<vector<6xf32>>
    %all = hetkernel.for_each %i init(%zero : vector<6xf32>) {
    ^bb0(%e: index, %acc: vector<6xf32>):
      %0 = hetkernel.element %sum#1[%e] : !hetkernel.segment<vector<6xf32>>
      %1 = hetkernel.element %sum#2[%e] : !hetkernel.segment<vector<6xf32>>
      %2 = arith.mulf %0, %1 : vector<6xf32>
      %3 = arith.addf %acc, %2 : vector<6xf32>
      hetkernel.yield %3 : vector<6xf32>
    } -> vector<6xf32>
    %2 = arith.mulf %all, %sum#0 : vector<6xf32>
    hetkernel.yield %2 : vector<6xf32>
  } -> tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}
