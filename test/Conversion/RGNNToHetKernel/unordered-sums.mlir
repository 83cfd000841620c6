// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel=deterministic=false --canonicalize --cse --split-input-file | FileCheck %s
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=ORDERED

#src_pair = #rgnn.rows<src_pair, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// Products of pairs go to their nodes at once; the rows of pairs are not there.

// CHECK-LABEL: func @pairs
// CHECK:         %[[ZEROS:.*]] = hetkernel.traverse rows(
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      hetkernel.yield %cst : vector<4xf32>
// CHECK:         %[[SRC:.*]] = hetkernel.gemm x(%{{[a-z0-9]+}} : tensor<?x8xf32>) {{.*}} outs(%[[ZEROS]] scatter %[[NODES:[a-z0-9]+]] : {{.*}}) accumulate atomic
// CHECK:         hetkernel.gemm x({{.*}} scatter %{{.*}}) accumulate atomic
// CHECK-NOT:     hetkernel.for_each
// CHECK:         return

// ORDERED-LABEL: func @pairs
// ORDERED-NOT:     accumulate
// ORDERED-NOT:     atomic
// ORDERED:         hetkernel.for_each
// ORDERED:         return
func.func @pairs(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #src_pair>, %y: tensor<?x8xf32, #dst_pair>, %w: tensor<3x8x4xf32>)
    -> (tensor<?x4xf32, #node>, tensor<?x4xf32, #node>) {
  %zx = rgnn.typed_linear %x, %w by etype in %g : tensor<?x8xf32, #src_pair>, tensor<3x8x4xf32>
  %zy = rgnn.typed_linear %y, %w by etype in %g : tensor<?x8xf32, #dst_pair>, tensor<3x8x4xf32>
  %sx = rgnn.reduce sum src %zx in %g : tensor<?x4xf32, #src_pair>
  %sy = rgnn.reduce sum dst %zy in %g : tensor<?x4xf32, #dst_pair>
  return %sx, %sy : tensor<?x4xf32, #node>, tensor<?x4xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// Gathered, multiplied and added up in one kernel: nothing has a row for each edge.

// CHECK-LABEL: func @edges
// CHECK-DAG:     %[[FROM:.*]] = hetkernel.view etype_src of
// CHECK-DAG:     %[[TO:.*]] = hetkernel.view etype_dst of
// CHECK:         hetkernel.gemm x(%{{.*}} gather %[[FROM]] : {{.*}}) {{.*}} scatter %[[TO]] : {{.*}}) accumulate atomic
// CHECK-NOT:     hetkernel.for_each
// CHECK:         return
func.func @edges(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf64, #node>, %w: tensor<3x8x4xf64>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<3x8x4xf64>
  %s = rgnn.reduce sum dst %z in %g : tensor<?x4xf64, #edge>
  return %s : tensor<?x4xf64, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#etype = #rgnn.rows<etype, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// In order: rows of 16 bits, which would be rounded with each number, means, rows that are read twice, sums for types.

// CHECK-LABEL: func @kept
// CHECK-NOT:     atomic
// CHECK:         return
func.func @kept(%g: !rgnn.graph<@g0>, %h: tensor<?x8xbf16, #edge>, %x: tensor<?x8xf32, #edge>, %w: tensor<3x8x4xbf16>, %v: tensor<3x8x4xf32>)
    -> (tensor<?x4xbf16, #node>, tensor<?x4xf32, #node>, tensor<?x4xf32, #node>, tensor<?x4xf32, #node>, tensor<?x4xf32, #etype>) {
  %a = rgnn.typed_linear %h, %w by etype in %g : tensor<?x8xbf16, #edge>, tensor<3x8x4xbf16>
  %half = rgnn.reduce sum dst %a in %g : tensor<?x4xbf16, #edge>
  %b = rgnn.typed_linear %x, %v by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x4xf32>
  %mean = rgnn.reduce mean dst %b in %g : tensor<?x4xf32, #edge>
  %c = rgnn.typed_linear %x, %v by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x4xf32>
  %one = rgnn.reduce sum dst %c in %g : tensor<?x4xf32, #edge>
  %other = rgnn.reduce sum src %c in %g : tensor<?x4xf32, #edge>
  %d = rgnn.typed_linear %x, %v by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x4xf32>
  %types = rgnn.reduce sum etype %d in %g : tensor<?x4xf32, #edge>
  return %half, %mean, %one, %other, %types : tensor<?x4xbf16, #node>, tensor<?x4xf32, #node>, tensor<?x4xf32, #node>, tensor<?x4xf32, #node>, tensor<?x4xf32, #etype>
}
