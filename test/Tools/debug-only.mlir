// REQUIRES: asserts
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --rgnn-debug-only=convert-rgnn-to-hetkernel 2>&1 >/dev/null | FileCheck %s
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --rgnn-debug-only=rgnn-lift-torch,other 2>&1 >/dev/null | count 0
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --rgnn-debug-only=other,convert-rgnn-to-hetkernel 2>&1 >/dev/null | FileCheck %s

// The trail of the plan: which op is computed how, and when.

// CHECK: rgnn.gather: load
// CHECK: rgnn.reduce: traversal, phase 0, nest node by dst of edge, stage 1
// CHECK: rgnn.gather: load
// CHECK: rgnn.reduce: traversal, phase 1, nest node by dst of edge, stage 1
// CHECK: func.return: boundary, phase 2

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)
func.func @two_hops(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x8xf32, #edge>
  %v = rgnn.gather src %s in %g : tensor<?x8xf32, #node>
  %t = rgnn.reduce sum dst %v in %g : tensor<?x8xf32, #edge>
  return %t : tensor<?x8xf32, #node>
}
