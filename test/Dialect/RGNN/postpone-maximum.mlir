// What edges of a node share leaves their maximum.

// RUN: rgnn-opt %s --rgnn-postpone-propagation --canonicalize --cse | FileCheck %s
// RUN: %check_numeric %s --rgnn-postpone-propagation
// RUN: rgnn-opt %s --rgnn-postpone-propagation --remarks-filter=".*" -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// RUN: rgnn-translate --rgnn-check-gradient %t
// RUN: rgnn-opt %t --rgnn-differentiate --canonicalize --cse | FileCheck %s --check-prefix=BACKWARD
// RUN: rgnn-opt %t --rgnn-differentiate -o %t.backward
// RUN: %check_numeric %t.backward --rgnn-postpone-propagation --rgnn-compact
// RUN: rgnn-translate --rgnn-check-compiled %t.backward

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>

rgnn.schema @g0 edge_types(3)

// EdgeConv (Zhang et al., figures 4 and 12): max_u ((x_u - x_v) Theta + x_v Phi), as PyG writes it.
// CHECK-LABEL: func @edgeconv(
//  CHECK-SAME:   %[[G:.*]]: !rgnn.graph<@g0>, %[[X:.*]]: tensor<?x4xf64, {{.*}}>, %[[W:.*]]: tensor<3x8xf64>)
//   CHECK-DAG:   %[[PHI:.*]] = rgnn.slice %[[W]] dim 1 from 0 size 4
//   CHECK-DAG:   %[[THETA:.*]] = rgnn.slice %[[W]] dim 1 from 4 size 4
//   CHECK-DAG:   %[[P:.*]] = rgnn.linear %[[X]], %[[PHI]] transposed : tensor<?x4xf64, #rgnn.rows<node, @g0>>
//   CHECK-DAG:   %[[T:.*]] = rgnn.linear %[[X]], %[[THETA]] transposed : tensor<?x4xf64, #rgnn.rows<node, @g0>>
//       CHECK:   %[[U:.*]] = rgnn.gather src %[[T]]
//       CHECK:   %[[M:.*]] = rgnn.reduce max dst %[[U]]
//   CHECK-NOT:   rgnn.gather
//       CHECK:   %[[D:.*]] = rgnn.degree dst
//       CHECK:   rgnn.map %{{.*}}, %[[D]]
//   CHECK-NOT:   #rgnn.rows<edge
//       CHECK:   return
// REMARK: Passed{{.*}}Function=edgeconv {{.*}}what edges of a group share leaves their max
// Nothing of the edges is kept for the backward.
// BACKWARD-LABEL: func @edgeconv(
//   BACKWARD-NOT:   #rgnn.rows<edge, @g0>> {rgnn.saved}
//       BACKWARD:   return
func.func @edgeconv(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x8xf64>) -> tensor<?x3xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x4xf64, #node>
  %d = rgnn.map %u, %v : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.subf %p, %q : f64
    rgnn.yield %r : f64
  }
  %c = rgnn.concat %v, %d dim 1 : tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>
  %z = rgnn.linear %c, %w transposed : tensor<?x8xf64, #edge>, tensor<3x8xf64>
  %y = rgnn.reduce max dst %z in %g : tensor<?x3xf64, #edge>
  return %y : tensor<?x3xf64, #node>
}

// A minimum over the edges of a source and type, of rows minus what the type and the source have.
// CHECK-LABEL: func @minimum(
//       CHECK:   rgnn.reduce min src_pair %{{.*}} : tensor<?x2xf64, #rgnn.rows<edge, @g0>>
//       CHECK:   rgnn.map
//       CHECK:     arith.subf
//       CHECK:     arith.addf
// REMARK: Passed{{.*}}Function=minimum {{.*}}what edges of a group share leaves their min
func.func @minimum(%g: !rgnn.graph<@g0>, %a: tensor<?x2xf64, #edge>, %x: tensor<?x2xf64, #node>, %t: tensor<3x1xf64, #rgnn.rows<etype, @g0>>)
    -> tensor<?x2xf64, #rgnn.rows<src_pair, @g0>> {
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %te = rgnn.gather etype %t in %g : tensor<3x1xf64, #rgnn.rows<etype, @g0>>
  %m = rgnn.map %a, %te, %u : (tensor<?x2xf64, #edge>, tensor<?x1xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%p: f64, %q: f64, %r: f64):
    %two = arith.constant 2.0 : f64
    %0 = arith.mulf %q, %two : f64
    %1 = arith.subf %0, %r : f64
    %2 = arith.subf %p, %1 : f64
    rgnn.yield %2 : f64
  }
  %y = rgnn.reduce min src_pair %m in %g : tensor<?x2xf64, #edge>
  return %y : tensor<?x2xf64, #rgnn.rows<src_pair, @g0>>
}

// A positive factor, and then a term of what it multiplies.
// CHECK-LABEL: func @factor(
//       CHECK:   %[[U:.*]] = rgnn.gather src
//       CHECK:   rgnn.reduce max dst %[[U]]
func.func @factor(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #node>, %s: tensor<?x1xf64, #node>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x2xf64, #node>
  %sv = rgnn.gather dst %s in %g : tensor<?x1xf64, #node>
  %d = rgnn.map %u, %v : (tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.subf %p, %q : f64
    rgnn.yield %r : f64
  }
  %m = rgnn.map %sv, %d : (tensor<?x1xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    // A sigmoid.
    %one = arith.constant 1.0 : f64
    %0 = arith.negf %p : f64
    %1 = math.exp %0 : f64
    %2 = arith.addf %1, %one : f64
    %3 = arith.divf %one, %2 : f64
    %4 = arith.mulf %q, %3 : f64
    rgnn.yield %4 : f64
  }
  %y = rgnn.reduce max dst %m in %g : tensor<?x2xf64, #edge>
  return %y : tensor<?x2xf64, #node>
}

// A factor of any sign; rows that something else reads; nothing shared; a term of the other end; a sum.
// CHECK-LABEL: func @refused(
//   CHECK-NOT:   rgnn.degree
//       CHECK:   return
// REMARK: Missed{{.*}}Function=refused {{.*}}rows stay as they are before their max: a factor that the edges of a group share may be negative
// REMARK-NOT: Passed{{.*}}Function=refused
func.func @refused(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #node>, %a: tensor<?x2xf64, #edge>)
    -> (tensor<?x2xf64, #node>, tensor<?x2xf64, #node>, tensor<?x2xf64, #edge>, tensor<?x2xf64, #node>, tensor<?x2xf64, #node>) {
  %v = rgnn.gather dst %x in %g : tensor<?x2xf64, #node>
  %m = rgnn.map %v, %a : (tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.mulf %p, %q : f64
    rgnn.yield %r : f64
  }
  %0 = rgnn.reduce max dst %m in %g : tensor<?x2xf64, #edge>
  %s = rgnn.map %v, %a : (tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.addf %p, %q : f64
    rgnn.yield %r : f64
  }
  %1 = rgnn.reduce max dst %s in %g : tensor<?x2xf64, #edge>
  %t = rgnn.map %v, %a : (tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.subf %p, %q : f64
    rgnn.yield %r : f64
  }
  %2 = rgnn.reduce max src %t in %g : tensor<?x2xf64, #edge>
  %o = rgnn.map %v, %a : (tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %n = arith.negf %p : f64
    %r = arith.addf %n, %q : f64
    rgnn.yield %r : f64
  }
  %3 = rgnn.reduce sum dst %o in %g : tensor<?x2xf64, #edge>
  return %0, %1, %s, %2, %3 : tensor<?x2xf64, #node>, tensor<?x2xf64, #node>, tensor<?x2xf64, #edge>, tensor<?x2xf64, #node>, tensor<?x2xf64, #node>
}
