// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --canonicalize --cse | FileCheck %s --check-prefix=AUTO
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel=adjacency=coo --canonicalize --cse | FileCheck %s --check-prefix=COO
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel=adjacency=csc --canonicalize --cse | FileCheck %s --check-prefix=CSC
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --remarks-filter=convert-rgnn-to-hetkernel -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not rgnn-opt %s --convert-rgnn-to-hetkernel=adjacency=csr 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: expected auto, coo or csc as adjacency, got 'csr'

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// The product of the ends is computed where it is summed up; or edge by edge, and stored for the sum.
// REMARK: Fused {{.*}}2 ops share a traversal over rows of node

// AUTO-LABEL: func @summed
//       AUTO: hetkernel.traverse {{.*}}segments
//       AUTO:   hetkernel.for_each
//       AUTO:     arith.mulf
//   AUTO-NOT: hetkernel.traverse

// COO-LABEL: func @summed
//       COO: %[[EDGES:.*]] = hetkernel.size edge of
//       COO: %[[M:.*]] = hetkernel.traverse rows(%[[EDGES]]) outs(
//       COO:   arith.mulf
//       COO: hetkernel.traverse {{.*}}segments
//       COO:   hetkernel.for_each
//       COO:     hetkernel.row %[[M]]
func.func @summed(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %v = rgnn.gather dst %h in %g : tensor<?x8xf32, #node>
  %m = rgnn.map %u, %v : (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %q = arith.mulf %x, %y : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst %m in %g : tensor<?x8xf32, #edge>
  return %s : tensor<?x8xf32, #node>
}

// What nothing sums up is computed edge by edge, unless the choice is to go by destination.

// AUTO-LABEL: func @given
//   AUTO-NOT: segments
//       AUTO: return

// CSC-LABEL: func @given
//       CSC: hetkernel.traverse {{.*}}segments
//       CSC:   hetkernel.for_each
//       CSC:   hetkernel.scatter
func.func @given(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #edge> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %v = rgnn.gather dst %h in %g : tensor<?x8xf32, #node>
  %m = rgnn.map %u, %v : (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %q = arith.mulf %x, %y : f32
    rgnn.yield %q : f32
  }
  return %m : tensor<?x8xf32, #edge>
}
