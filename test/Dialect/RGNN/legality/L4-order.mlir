// L4: (x A) B = x (A B), in this order, transposed weights as what they stand for. A transposition of rows between the
// products is none of a weight.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear | FileCheck %s
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear --mlir-disable-threading --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear -o %t/taken.mlir
// RUN: rgnn-translate --rgnn-check-equivalent --against=%t/taken.mlir %t/right.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=transposed_rows --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=transposed_weights --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=order --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER

// DIFFER: error: with seed 0, result 0: expected
// EQUAL: @transposed_rows: equivalent on 16 seeds
// EQUAL: @transposed_weights: equivalent on 16 seeds
// EQUAL: @order: equivalent on 16 seeds

// REMARK: Missed{{.*}}Function=transposed_rows {{.*}}weights are not multiplied first: rows are transposed between the products
// REMARK: Passed{{.*}}Function=transposed_weights
// REMARK: Passed{{.*}}Function=order
// CHECK-LABEL: func.func @transposed_rows(
// CHECK-COUNT-2: rgnn.linear {{.*}}#rgnn.rows<edge, @g0>>
// CHECK-LABEL: func.func @transposed_weights(
//  CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4x4xf64>, %[[B:[a-z0-9]+]]: tensor<4x4xf64>
//       CHECK: %[[T:.*]] = rgnn.permute %[[A]] [1, 0]
//       CHECK: %[[P:.*]] = rgnn.linear %[[T]], %[[B]] transposed
//       CHECK: rgnn.linear %{{.*}}, %[[P]] : tensor<?x4xf64

//--- right.mlir
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @transposed_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x4x4xf64, #edge>, %a: tensor<4x4xf64>, %b: tensor<4x4xf64>) -> tensor<?x4x4xf64, #edge> {
  %0 = rgnn.linear %x, %a : tensor<?x4x4xf64, #edge>, tensor<4x4xf64>
  %1 = rgnn.permute %0 [0, 2, 1] : tensor<?x4x4xf64, #edge>
  %2 = rgnn.linear %1, %b : tensor<?x4x4xf64, #edge>, tensor<4x4xf64>
  return %2 : tensor<?x4x4xf64, #edge>
}
func.func @transposed_weights(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %a: tensor<4x4xf64>, %b: tensor<4x4xf64>) -> tensor<?x4xf64, #edge> {
  %0 = rgnn.linear %x, %a transposed : tensor<?x4xf64, #edge>, tensor<4x4xf64>
  %1 = rgnn.linear %0, %b transposed : tensor<?x4xf64, #edge>, tensor<4x4xf64>
  return %1 : tensor<?x4xf64, #edge>
}
func.func @order(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %a: tensor<3x4x4xf64>, %b: tensor<3x4x4xf64>) -> tensor<?x4xf64, #edge> {
  %0 = rgnn.typed_linear %x, %a by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  %1 = rgnn.typed_linear %0, %b by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  return %1 : tensor<?x4xf64, #edge>
}

//--- wrong.mlir
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @transposed_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x4x4xf64, #edge>, %a: tensor<4x4xf64>, %b: tensor<4x4xf64>) -> tensor<?x4x4xf64, #edge> {
  %p = rgnn.linear %a, %b : tensor<4x4xf64>, tensor<4x4xf64>
  %0 = rgnn.linear %x, %p : tensor<?x4x4xf64, #edge>, tensor<4x4xf64>
  %1 = rgnn.permute %0 [0, 2, 1] : tensor<?x4x4xf64, #edge>
  return %1 : tensor<?x4x4xf64, #edge>
}
func.func @transposed_weights(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %a: tensor<4x4xf64>, %b: tensor<4x4xf64>) -> tensor<?x4xf64, #edge> {
  %p = rgnn.linear %a, %b : tensor<4x4xf64>, tensor<4x4xf64>
  %0 = rgnn.linear %x, %p transposed : tensor<?x4xf64, #edge>, tensor<4x4xf64>
  return %0 : tensor<?x4xf64, #edge>
}

// The second weight first.
func.func @order(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %a: tensor<3x4x4xf64>, %b: tensor<3x4x4xf64>) -> tensor<?x4xf64, #edge> {
  %p = rgnn.matmul %b, %a : tensor<3x4x4xf64>, tensor<3x4x4xf64>
  %0 = rgnn.typed_linear %x, %p by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  return %0 : tensor<?x4xf64, #edge>
}
