// L3: a weight by node type and one by edge type have a product only where the type of an edge says the type of its end:
// of the source for keys and values of HGT, of the destination for queries. Weights of the other end's type give another
// model (as in Hector's own reordered HGT).

// RUN: split-file %s %t
// RUN: rgnn-opt %t/unknown.mlir --rgnn-reorder-linear | FileCheck %s
// RUN: rgnn-opt %t/unknown.mlir --rgnn-reorder-linear --mlir-disable-threading --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear -o %t/taken.mlir
// RUN: FileCheck %s --check-prefix=TAKEN < %t/taken.mlir
// RUN: rgnn-translate --rgnn-check-equivalent --against=%t/taken.mlir %t/right.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=key --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=query --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER

// DIFFER: error: with seed 0, result 0: expected
// EQUAL: @key: equivalent on 16 seeds
// EQUAL: @query: equivalent on 16 seeds

// REMARK: Missed{{.*}}Function=key {{.*}}weights are not multiplied first: the schema does not say the source type of each edge type
// REMARK: Missed{{.*}}Function=query {{.*}}weights are not multiplied first: the schema does not say the destination type of each edge type
// CHECK-LABEL: func.func @key(
//       CHECK: rgnn.typed_linear {{.*}} by ntype
//       CHECK: rgnn.typed_linear {{.*}} by etype

// TAKEN-LABEL: func.func @key(
//   TAKEN-NOT: by ntype
//       TAKEN: rgnn.matmul
//       TAKEN: by etype
// TAKEN-LABEL: func.func @query(
//   TAKEN-NOT: by ntype
//       TAKEN: rgnn.matmul
//       TAKEN: by etype

//--- unknown.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3)

func.func @key(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<2x4x4xf64>, %v: tensor<3x4x4xf64>) -> tensor<?x4xf64, #edge> {
  %k = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x4xf64, #node>, tensor<2x4x4xf64>
  %u = rgnn.gather src %k in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %v by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  return %z : tensor<?x4xf64, #edge>
}
func.func @query(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<2x4x4xf64>, %v: tensor<3x4x4xf64>) -> tensor<?x4xf64, #edge> {
  %k = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x4xf64, #node>, tensor<2x4x4xf64>
  %u = rgnn.gather dst %k in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %v by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  return %z : tensor<?x4xf64, #edge>
}

//--- right.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

func.func @key(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<2x4x4xf64>, %v: tensor<3x4x4xf64>) -> tensor<?x4xf64, #edge> {
  %k = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x4xf64, #node>, tensor<2x4x4xf64>
  %u = rgnn.gather src %k in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %v by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  return %z : tensor<?x4xf64, #edge>
}
func.func @query(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<2x4x4xf64>, %v: tensor<3x4x4xf64>) -> tensor<?x4xf64, #edge> {
  %k = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x4xf64, #node>, tensor<2x4x4xf64>
  %u = rgnn.gather dst %k in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %v by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  return %z : tensor<?x4xf64, #edge>
}

//--- wrong.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// Keys by the type of the destination: 1, 0, 1.
func.func @key(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<2x4x4xf64>, %v: tensor<3x4x4xf64>) -> tensor<?x4xf64, #edge> {
  %w0 = rgnn.slice %w dim 0 from 0 size 1 : tensor<2x4x4xf64>
  %w1 = rgnn.slice %w dim 0 from 1 size 1 : tensor<2x4x4xf64>
  %e = rgnn.concat %w1, %w0, %w1 dim 0 : tensor<1x4x4xf64>, tensor<1x4x4xf64>, tensor<1x4x4xf64>
  %p = rgnn.matmul %e, %v : tensor<3x4x4xf64>, tensor<3x4x4xf64>
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %p by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  return %z : tensor<?x4xf64, #edge>
}

// Queries by the type of the source: 0, 1, 1.
func.func @query(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<2x4x4xf64>, %v: tensor<3x4x4xf64>) -> tensor<?x4xf64, #edge> {
  %w0 = rgnn.slice %w dim 0 from 0 size 1 : tensor<2x4x4xf64>
  %w1 = rgnn.slice %w dim 0 from 1 size 1 : tensor<2x4x4xf64>
  %e = rgnn.concat %w0, %w1, %w1 dim 0 : tensor<1x4x4xf64>, tensor<1x4x4xf64>, tensor<1x4x4xf64>
  %p = rgnn.matmul %e, %v : tensor<3x4x4xf64>, tensor<3x4x4xf64>
  %u = rgnn.gather dst %x in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %p by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  return %z : tensor<?x4xf64, #edge>
}
