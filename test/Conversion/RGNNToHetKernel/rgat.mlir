// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --cse | FileCheck %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(5)

// One GEMM an end, one for each score, and one traversal with three loops: maximum, denominator, sum. Logits and
// exponentials are kept for the loops after; no other value of an edge is stored.

// CHECK-LABEL: func @forward
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8xf32> {{.*}}, %[[W:[a-z0-9]+]]: tensor<5x8x6xf32>
// CHECK:       %[[G:.*]] = rgnn.coo_graph
// The destinations' projection only feeds a score: it runs first, and its memory is free again for the sources'.
// CHECK-DAG:   %[[DST:.*]] = hetkernel.view etype_dst of %[[G]]
// CHECK-DAG:   %[[TILES:.*]] = hetkernel.view etype_tiles 96 of %[[G]]
// CHECK-DAG:   %[[EDGES:.*]] = hetkernel.view etype_edges of %[[G]]
// CHECK:       %[[ZV:.*]] = hetkernel.gemm x(%[[X]] gather %[[DST]] {{.*}} weight(%[[W]] {{.*}} tiles(%[[TILES]]
// CHECK-SAME:    scatter %[[EDGES]]
// CHECK:       %[[SV:.*]] = hetkernel.gemm x(%[[ZV]] : tensor<?x6xf32>)
// CHECK:       %[[SRC:.*]] = hetkernel.view etype_src of %[[G]]
// CHECK:       %[[ZU:.*]] = hetkernel.gemm x(%[[X]] gather %[[SRC]]
// CHECK-DAG:   %[[SU:.*]] = hetkernel.gemm x(%[[ZU]] : tensor<?x6xf32>)
// CHECK-DAG:   %[[HEADS:.*]] = tensor.expand_shape %[[ZU]]
// CHECK:       hetkernel.traverse rows(%{{.*}}) segments(%{{.*}}) outs(%{{.*}} : tensor<?x6xf32>)
// CHECK:         %[[MAX:.*]]:2 = hetkernel.for_each
// CHECK:           hetkernel.row %[[SU]]
// CHECK:           arith.maximumf
// CHECK:         } -> vector<2xf32>, !hetkernel.segment<vector<2xf32>>
// CHECK:         %[[SUM:.*]]:2 = hetkernel.for_each
// CHECK:           hetkernel.element %[[MAX]]#1
// CHECK:           math.exp
// CHECK:         } -> vector<2xf32>, !hetkernel.segment<vector<2xf32>>
// CHECK:         hetkernel.for_each
// CHECK:           hetkernel.element %[[SUM]]#1
// CHECK:           hetkernel.row %[[HEADS]]
// CHECK:         } -> vector<2x3xf32>
// CHECK-NOT:     hetkernel.for_each
// CHECK:         hetkernel.yield %{{.*}} : vector<6xf32>
// CHECK-NOT:   hetkernel.traverse
func.func @forward(%ei: tensor<2x?xi64>, %et: tensor<?xi64>, %x: tensor<?x8xf32>, %w: tensor<5x8x6xf32>, %q: tensor<6x2xf32>,
                   %k: tensor<6x2xf32>, %b: tensor<6xf32>) -> tensor<?x6xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) types(%et : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %h = rgnn.place %x in %g : tensor<?x8xf32> -> tensor<?x8xf32, #node>
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %v = rgnn.gather dst %h in %g : tensor<?x8xf32, #node>
  %zu = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<5x8x6xf32>
  %zv = rgnn.typed_linear %v, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<5x8x6xf32>
  %su = rgnn.linear %zu, %k : tensor<?x6xf32, #edge>, tensor<6x2xf32>
  %sv = rgnn.linear %zv, %q : tensor<?x6xf32, #edge>, tensor<6x2xf32>
  %s = rgnn.map %su, %sv : (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%a: f32, %c: f32):
    %slope = arith.constant 0.2 : f32
    %zero = arith.constant 0.0 : f32
    %sum = arith.addf %a, %c : f32
    %low = arith.mulf %sum, %slope : f32
    %is = arith.cmpf ogt, %sum, %zero : f32
    %r = arith.select %is, %sum, %low : f32
    rgnn.yield %r : f32
  }
  %a = rgnn.group_softmax dst %s in %g : tensor<?x2xf32, #edge>
  %ar = rgnn.reshape %a : tensor<?x2xf32, #edge> -> tensor<?x2x1xf32, #edge>
  %zr = rgnn.reshape %zu : tensor<?x6xf32, #edge> -> tensor<?x2x3xf32, #edge>
  %m = rgnn.map %ar, %zr : (tensor<?x2x1xf32, #edge>, tensor<?x2x3xf32, #edge>) -> tensor<?x2x3xf32, #edge> {
  ^bb0(%p: f32, %z: f32):
    %r = arith.mulf %p, %z : f32
    rgnn.yield %r : f32
  }
  %o = rgnn.reduce sum dst %m in %g : tensor<?x2x3xf32, #edge>
  %or = rgnn.reshape %o : tensor<?x2x3xf32, #node> -> tensor<?x6xf32, #node>
  %ob = rgnn.map %or, %b : (tensor<?x6xf32, #node>, tensor<6xf32>) -> tensor<?x6xf32, #node> {
  ^bb0(%p: f32, %z: f32):
    %r = arith.addf %p, %z : f32
    rgnn.yield %r : f32
  }
  %y = rgnn.unplace %ob : tensor<?x6xf32, #node>
  return %y : tensor<?x6xf32>
}
