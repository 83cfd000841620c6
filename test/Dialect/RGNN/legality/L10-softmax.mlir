// L10: a softmax is computed where all edges of a group follow each other: within the incoming edges of a destination,
// in loops one after another. A traversal over the outgoing edges of sources reads what that one has made; within its own
// loops it would normalise over other edges. Neither does a traversal over edges compute it.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/right.mlir --convert-rgnn-to-hetkernel --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %t/right.mlir --convert-rgnn-to-hetkernel=adjacency=coo --canonicalize --cse | FileCheck %s --check-prefix=COO
// RUN: rgnn-opt %t/right.mlir --convert-rgnn-to-hetkernel=adjacency=coo --canonicalize --cse --hetkernel-choose-schedule \
// RUN:   --hetkernel-set-schedule=traverse=mapping:edge | FileCheck %s --check-prefixes=COO,BALANCED
// RUN: rgnn-translate --rgnn-check-compiled %t/right.mlir | FileCheck %s --check-prefix=COMPILED
// RUN: rgnn-translate --rgnn-check-compiled %t/right.mlir --rgnn-to-cpu-options="adjacency=coo" | FileCheck %s --check-prefix=COMPILED
// RUN: rgnn-translate --rgnn-check-compiled %t/right.mlir \
// RUN:   --rgnn-to-cpu-options="adjacency=coo serial-below=0 traverse-schedule=mapping:edge,task_rows:1" | FileCheck %s --check-prefix=COMPILED
// RUN: not rgnn-translate --rgnn-check-equivalent --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: with seed {{[0-9]+}}, result 0: expected {{.*}}, got

// CHECK-LABEL: func @outgoing(
//   CHECK-DAG:   %[[IN:.*]] = hetkernel.view dst_offsets of
//       CHECK:   %[[A:.*]] = hetkernel.traverse rows(%{{.*}}) segments(%[[IN]]
// CHECK-COUNT-3:    hetkernel.for_each
//       CHECK:   %[[OUT:.*]] = hetkernel.view src_offsets of
//       CHECK:   hetkernel.traverse rows(%{{.*}}) segments(%[[OUT]]
// CHECK-COUNT-1:    hetkernel.for_each
//   CHECK-NOT:   hetkernel.for_each
//       CHECK:   return

// Edge by edge there are the scores alone. The edges of a destination are normalised in its loops again, also where tasks
// have about as many edges each: no destination is split.
// COO-LABEL: func @outgoing(
//       COO:   %[[EDGES:.*]] = hetkernel.size{{.*}} edge of
//       COO:   %[[S:.*]] = hetkernel.traverse rows(%[[EDGES]]) outs
//   COO-NOT:     hetkernel.for_each
//       COO:   %[[IN:.*]] = hetkernel.view dst_offsets of
//       COO:   %[[A:.*]] = hetkernel.traverse rows(%{{.*}}) segments(%[[IN]]
// BALANCED-SAME: mapping = edge
//       COO:     hetkernel.for_each
//       COO:       hetkernel.row %[[S]]
//       COO:       arith.maximumf
//       COO:     hetkernel.for_each
//       COO:       math.exp
//       COO:     hetkernel.for_each
//       COO:   %[[OUT:.*]] = hetkernel.view src_offsets of
//       COO:   hetkernel.traverse rows(%{{.*}}) segments(%[[OUT]]
//       COO:     hetkernel.for_each
//   COO-NOT:     hetkernel.for_each
//       COO:       hetkernel.row %[[A]]
//       COO:   return

// COMPILED: @outgoing: compiled code agrees on 16 seeds

//--- right.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @outgoing(%g: !rgnn.graph<@g0>, %s: tensor<?x1xf64, #node>, %t: tensor<?x1xf64, #node>) -> tensor<?x1xf64, #node> {
  %u = rgnn.gather src %s in %g : tensor<?x1xf64, #node>
  %v = rgnn.gather dst %t in %g : tensor<?x1xf64, #node>
  %e = rgnn.map %u, %v : (tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x1xf64, #edge> {
  ^bb0(%x: f64, %y: f64):
    %p = arith.mulf %x, %y : f64
    rgnn.yield %p : f64
  }
  %a = rgnn.group_softmax dst %e in %g : tensor<?x1xf64, #edge>
  %r = rgnn.reduce sum src %a in %g : tensor<?x1xf64, #edge>
  return %r : tensor<?x1xf64, #node>
}

//--- wrong.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @outgoing(%g: !rgnn.graph<@g0>, %s: tensor<?x1xf64, #node>, %t: tensor<?x1xf64, #node>) -> tensor<?x1xf64, #node> {
  %u = rgnn.gather src %s in %g : tensor<?x1xf64, #node>
  %v = rgnn.gather dst %t in %g : tensor<?x1xf64, #node>
  %e = rgnn.map %u, %v : (tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x1xf64, #edge> {
  ^bb0(%x: f64, %y: f64):
    %p = arith.mulf %x, %y : f64
    rgnn.yield %p : f64
  }
  %a = rgnn.group_softmax src %e in %g : tensor<?x1xf64, #edge>
  %r = rgnn.reduce sum src %a in %g : tensor<?x1xf64, #edge>
  return %r : tensor<?x1xf64, #node>
}
