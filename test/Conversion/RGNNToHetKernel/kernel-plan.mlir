// RUN: rgnn-opt %s --test-print-kernel-plan -o /dev/null | FileCheck %s --match-full-lines
// RUN: rgnn-opt %s --test-print-kernel-plan="deterministic=0" -o /dev/null | FileCheck %s --match-full-lines \
// RUN:   --check-prefix=UNORDERED
// RUN: rgnn-opt %s --test-print-kernel-plan="fuse=0" -o /dev/null | FileCheck %s --match-full-lines \
// RUN:   --check-prefix=UNFUSED

#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// A product does the gather of its operand and adds the bias; weights alone are whole tensors; what reads rows of edges
// where they are added up shares their loop, one inner loop later for each softmax or sum that it waits for.

// CHECK-LABEL: plan of @attention
// CHECK-NEXT:  rgnn.linear: whole, phase 0
// CHECK-NEXT:  rgnn.gather: load
// CHECK-NEXT:  rgnn.typed_linear: absorbed
// CHECK-NEXT:  arith.constant: boundary, phase 0
// CHECK-NEXT:  rgnn.map: gemm with bias, phase 0
// CHECK-NEXT:  rgnn.dot: traversal, phase 0, nest node by dst of edge, stage 0
// CHECK-NEXT:  rgnn.group_softmax: traversal, phase 0, nest node by dst of edge, stage 2
// CHECK-NEXT:  rgnn.reshape: traversal, phase 0, nest node by dst of edge, stage 2
// CHECK-NEXT:  rgnn.map: traversal, phase 0, nest node by dst of edge, stage 2
// CHECK-NEXT:  rgnn.reduce: traversal, phase 0, nest node by dst of edge, stage 3
// CHECK-NEXT:  func.return: boundary, phase 1

// Alone, each op waits for all before it.

// UNFUSED-LABEL: plan of @attention
// UNFUSED:       rgnn.dot: traversal, phase 0, nest node by dst of edge, stage 0
// UNFUSED-NEXT:  rgnn.group_softmax: traversal, phase 1, nest node by dst of edge, stage 2
// UNFUSED-NEXT:  rgnn.reshape: traversal, phase 2, nest node by dst of edge, stage 0
// UNFUSED-NEXT:  rgnn.map: traversal, phase 3, nest node by dst of edge, stage 0
// UNFUSED-NEXT:  rgnn.reduce: traversal, phase 4, nest node by dst of edge, stage 1
func.func @attention(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>, %w: tensor<3x8x8xf32>, %v: tensor<4x8xf32>,
                     %p: tensor<8x8xf32>) -> (tensor<?x8xf32, #node>, tensor<4x8xf32>) {
  %vp = rgnn.linear %v, %p : tensor<4x8xf32>, tensor<8x8xf32>
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %m = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x8xf32>
  %bias = arith.constant dense<1.0> : tensor<8xf32>
  %b = rgnn.map %m, %bias : (tensor<?x8xf32, #edge>, tensor<8xf32>) -> tensor<?x8xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    rgnn.yield %s : f32
  }
  %d = rgnn.dot %b, %b : tensor<?x8xf32, #edge>
  %a = rgnn.group_softmax dst %d in %g : tensor<?xf32, #edge>
  %c = rgnn.reshape %a : tensor<?xf32, #edge> -> tensor<?x1xf32, #edge>
  %o = rgnn.map %b, %c : (tensor<?x8xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x8xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.mulf %x, %y : f32
    rgnn.yield %s : f32
  }
  %r = rgnn.reduce sum dst %o in %g : tensor<?x8xf32, #edge>
  return %r, %vp : tensor<?x8xf32, #node>, tensor<4x8xf32>
}

// Sums of rows that each type has a run of are split over rows, as gradients of weights are. A product may add its rows
// up itself, where their order does not matter.

// CHECK-LABEL: plan of @sums
// CHECK-NEXT:  rgnn.typed_linear: gemm, phase 0
// CHECK-NEXT:  rgnn.reduce: traversal, phase 0, nest node by dst of dst_pair, stage 1
// CHECK-NEXT:  rgnn.typed_outer_sum: sum, phase 0
// CHECK-NEXT:  rgnn.reduce: sum, phase 0
// CHECK-NEXT:  rgnn.slice: view, phase 0
// CHECK-NEXT:  rgnn.degree: load

// UNORDERED-LABEL: plan of @sums
// UNORDERED-NEXT:  rgnn.typed_linear: absorbed
// UNORDERED-NEXT:  rgnn.reduce: gemm added up, phase 0
func.func @sums(%g: !rgnn.graph<@g0>, %u: tensor<?x8xf32, #dst_pair>, %w: tensor<3x8x8xf32>)
    -> (tensor<?x8xf32, #node>, tensor<3x8x8xf32>, tensor<?x8xf32, #rgnn.rows<etype, @g0>>, tensor<?x4xf32, #dst_pair>,
        tensor<?xf32, #node>) {
  %m = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf32, #dst_pair>, tensor<3x8x8xf32>
  %r = rgnn.reduce sum dst %m in %g : tensor<?x8xf32, #dst_pair>
  %o = rgnn.typed_outer_sum %u, %u by etype in %g : tensor<?x8xf32, #dst_pair>, tensor<?x8xf32, #dst_pair> -> tensor<3x8x8xf32>
  %t = rgnn.reduce sum etype %u in %g : tensor<?x8xf32, #dst_pair>
  %s = rgnn.slice %u dim 1 from 0 size 4 : tensor<?x8xf32, #dst_pair>
  %n = rgnn.degree dst in %g : tensor<?xf32, #node>
  %e = rgnn.map %n : (tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%x: f32):
    %s2 = arith.addf %x, %x : f32
    rgnn.yield %s2 : f32
  }
  return %r, %o, %t, %s, %e : tensor<?x8xf32, #node>, tensor<3x8x8xf32>, tensor<?x8xf32, #rgnn.rows<etype, @g0>>, tensor<?x4xf32, #dst_pair>, tensor<?xf32, #node>
}
