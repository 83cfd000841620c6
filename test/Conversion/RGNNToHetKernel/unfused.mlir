// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel=fuse=false --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --canonicalize --cse | FileCheck %s --check-prefix=FUSED
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-translate --rgnn-check-compiled --rgnn-to-cpu-options="fuse=false" %s
// RUN: rgnn-translate --rgnn-check-compiled --rgnn-to-cpu-options="fuse=false adjacency=coo" %s

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Each op stores its rows: scores, weights, weighted rows, and their sum.
// CHECK-LABEL: func @attention(
// CHECK-COUNT-4: hetkernel.traverse
//     CHECK-NOT: hetkernel.traverse
//         CHECK: return

// FUSED-LABEL: func @attention(
// FUSED-COUNT-1: hetkernel.traverse
//     FUSED-NOT: hetkernel.traverse
//         FUSED: return
// REMARK: Passed{{.*}}Function=attention {{.*}}4 ops share a traversal over rows of node
func.func @attention(%g: !rgnn.graph<@g0>, %a: tensor<?x1xf32, #node>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %u = rgnn.gather src %a in %g : tensor<?x1xf32, #node>
  %v = rgnn.gather dst %a in %g : tensor<?x1xf32, #node>
  %s = rgnn.map %u, %v : (tensor<?x1xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.subf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %p = rgnn.group_softmax dst %s in %g : tensor<?x1xf32, #edge>
  %m = rgnn.gather src %x in %g : tensor<?x4xf32, #node>
  %t = rgnn.map %p, %m : (tensor<?x1xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %y = rgnn.reduce sum dst %t in %g : tensor<?x4xf32, #edge>
  return %y : tensor<?x4xf32, #node>
}

// A softmax over the incoming edges, summed over the outgoing ones: in another nest.
// FUSED-LABEL: func @outgoing(
// FUSED-COUNT-2: hetkernel.traverse
//     FUSED-NOT: hetkernel.traverse
//         FUSED: return
// REMARK: Missed{{.*}}Function=outgoing {{.*}}rows of edges are stored: another kernel computes rgnn.reduce of them
func.func @outgoing(%g: !rgnn.graph<@g0>, %s: tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #node> {
  %p = rgnn.group_softmax dst %s in %g : tensor<?x1xf32, #edge>
  %y = rgnn.reduce sum src %p in %g : tensor<?x1xf32, #edge>
  return %y : tensor<?x1xf32, #node>
}
