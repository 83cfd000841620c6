// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --hetkernel-collect-preprocessing | FileCheck %s

// An argument that has the rows of two domains is checked for both.

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(1)

// CHECK: \22more_rows\22:[{\22graph\22:0,\22of\22:\22node\22}]
// CHECK-SAME: \22shape\22:[{\22graph\22:0,\22of\22:\22edge\22},8]
// CHECK-SAME: \22version\22:5
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32>) -> (tensor<?x8xf32, #edge>, tensor<?x8xf32, #node>) {
  %a = rgnn.place %x in %g : tensor<?x8xf32> -> tensor<?x8xf32, #edge>
  %b = rgnn.place %x in %g : tensor<?x8xf32> -> tensor<?x8xf32, #node>
  %u = rgnn.gather src %b in %g : tensor<?x8xf32, #node>
  %c = rgnn.reduce sum dst %a in %g : tensor<?x8xf32, #edge>
  return %u, %c : tensor<?x8xf32, #edge>, tensor<?x8xf32, #node>
}
