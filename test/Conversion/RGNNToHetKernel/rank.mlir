// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --canonicalize --cse | FileCheck %s

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Rows are gathered before they are sorted; heads are columns. Incoming edges are one after another, outgoing ones are
// where a list says.

// CHECK-LABEL: func @heads
//       CHECK: %[[X:.*]] = hetkernel.traverse
//       CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{.*}} : tensor<?x2x3xf32> into tensor<?x6xf32>
//       CHECK: %[[IN:.*]] = hetkernel.view dst_offsets of
//       CHECK: %[[R:.*]] = hetkernel.rank x(%[[ROWS]] : tensor<?x6xf32>) y(%[[ROWS]] : tensor<?x6xf32>) segments(%[[IN]] : tensor<?xi32>)
//       CHECK: %[[OUT:.*]] = hetkernel.view src_offsets of
//       CHECK: %[[LIST:.*]] = hetkernel.view src_edges of
//       CHECK: hetkernel.rank x(%[[ROWS]] : tensor<?x6xf32>) y(%[[R]] : tensor<?x6xf32>) values(%[[ROWS]] : tensor<?x6xf32>) segments(%[[OUT]] list %[[LIST]] : tensor<?xi32>, tensor<?xi32>)
func.func @heads(%g: !rgnn.graph<@g0>, %h: tensor<?x2x3xf32, #node>) -> (tensor<?x2x3xf32, #node>, tensor<?x2x3xf32, #node>) {
  %x = rgnn.gather src %h in %g : tensor<?x2x3xf32, #node>
  %e = rgnn.group_excess dst %x over %x in %g : tensor<?x2x3xf32, #edge>
  %s = rgnn.group_sum_below src %x where %e below %x in %g : tensor<?x2x3xf32, #edge>
  %a = rgnn.reduce sum dst %e in %g : tensor<?x2x3xf32, #edge>
  %b = rgnn.reduce sum dst %s in %g : tensor<?x2x3xf32, #edge>
  return %a, %b : tensor<?x2x3xf32, #node>, tensor<?x2x3xf32, #node>
}
