// Functions of each element, alone: those that cost more than to be loaded move to the rows that they are of.

// RUN: rgnn-opt %s --rgnn-postpone-propagation --canonicalize --cse | FileCheck %s
// RUN: %check_numeric %s --rgnn-postpone-propagation
// RUN: rgnn-opt %s --rgnn-postpone-propagation --remarks-filter=".*" -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// RUN: rgnn-translate --rgnn-check-gradient %t
// RUN: rgnn-opt %t --rgnn-differentiate -o %t.backward
// RUN: %check_numeric %t.backward --rgnn-postpone-propagation --rgnn-compact
// RUN: rgnn-translate --rgnn-check-compiled %t.backward

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#etype = #rgnn.rows<etype, @g0>

rgnn.schema @g0 edge_types(3)

// A gate of the source and one of the type. What is computed for the gate on the way, a bias, moves along.
// CHECK-LABEL: func @gates(
//       CHECK:   rgnn.map %{{.*}} : (tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<4xf64>) -> tensor<?x4xf64, #rgnn.rows<node, @g0>>
//       CHECK:   %[[U:.*]] = rgnn.map %{{.*}} : (tensor<?x4xf64, #rgnn.rows<node, @g0>>) -> tensor<?x4xf64, #rgnn.rows<node, @g0>>
//       CHECK:     math.exp
//       CHECK:   rgnn.gather src %[[U]]
//       CHECK:   %[[T:.*]] = rgnn.map %{{.*}} : (tensor<3x4xf64, #rgnn.rows<etype, @g0>>) -> tensor<3x4xf64, #rgnn.rows<etype, @g0>>
//       CHECK:     math.tanh
//       CHECK:   rgnn.gather etype %[[T]]
//   CHECK-NOT:   math
//       CHECK:   return
// REMARK: Passed{{.*}}Function=gates {{.*}}rgnn.map is computed for each src
// REMARK: Passed{{.*}}Function=gates {{.*}}rgnn.map is computed for each etype
func.func @gates(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %b: tensor<4xf64>, %t: tensor<3x4xf64, #etype>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %a = rgnn.map %u, %b : (tensor<?x4xf64, #edge>, tensor<4xf64>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.addf %p, %q : f64
    rgnn.yield %r : f64
  }
  %s = rgnn.map %a : (tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64):
    %one = arith.constant 1.0 : f64
    %n = arith.negf %p : f64
    %e = math.exp %n : f64
    %d = arith.addf %e, %one : f64
    %r = arith.divf %one, %d : f64
    rgnn.yield %r : f64
  }
  %te = rgnn.gather etype %t in %g : tensor<3x4xf64, #etype>
  %h = rgnn.map %te : (tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64):
    %r = math.tanh %p : f64
    rgnn.yield %r : f64
  }
  %m = rgnn.map %s, %h : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.mulf %p, %q : f64
    rgnn.yield %r : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// What is cheap; a function of both ends; of one number for each that it gives; of what is given for edges.
// CHECK-LABEL: func @refused(
//   CHECK-NOT:   rgnn.map %{{.*}} #rgnn.rows<node
//       CHECK:   return
// REMARK: Missed{{.*}}Function=refused {{.*}}rgnn.map stays on edges: its rows depend on more than etype or src or dst
// REMARK: Missed{{.*}}Function=refused {{.*}}rgnn.map stays on edges: edges read fewer numbers than it would give them
// REMARK: Missed{{.*}}Function=refused {{.*}}rgnn.map stays on edges: its rows depend on more than etype or src or dst
func.func @refused(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %n: tensor<?x1xf64, #node>, %e: tensor<?x4xf64, #edge>)
    -> (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x4xf64, #node>
  %nu = rgnn.gather src %n in %g : tensor<?x1xf64, #node>
  %relu = rgnn.map %u : (tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64):
    %zero = arith.constant 0.0 : f64
    %r = arith.maximumf %p, %zero : f64
    rgnn.yield %r : f64
  }
  %both = rgnn.map %u, %v : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %s = arith.addf %p, %q : f64
    %r = math.exp %s : f64
    rgnn.yield %r : f64
  }
  %narrow = rgnn.map %u, %nu : (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %s = math.exp %q : f64
    %r = arith.mulf %p, %s : f64
    rgnn.yield %r : f64
  }
  %given = rgnn.map %e : (tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64):
    %r = math.exp %p : f64
    rgnn.yield %r : f64
  }
  return %relu, %both, %narrow, %given : tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>
}

// Kernels keep what they compute of floats of 16 bits in 32 bits; stored, it would be rounded.
// CHECK-LABEL: func @rounded(
//       CHECK:   rgnn.map %{{.*}} : (tensor<?x4xbf16, #rgnn.rows<edge, @g0>>)
// REMARK: Missed{{.*}}Function=rounded {{.*}}rgnn.map stays on edges: its numbers are kept in more bits than those that are stored
func.func @rounded(%g: !rgnn.graph<@g0>, %x: tensor<?x4xbf16, #node>) -> tensor<?x4xbf16, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xbf16, #node>
  %h = rgnn.map %u : (tensor<?x4xbf16, #edge>) -> tensor<?x4xbf16, #edge> {
  ^bb0(%p: bf16):
    %r = math.tanh %p : bf16
    rgnn.yield %r : bf16
  }
  %y = rgnn.reduce sum dst %h in %g : tensor<?x4xbf16, #edge>
  return %y : tensor<?x4xbf16, #node>
}
