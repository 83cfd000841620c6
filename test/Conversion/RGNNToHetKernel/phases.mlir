// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --cse --split-input-file | FileCheck %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// What a traversal computes for nodes is complete only when it ends: reading it at the sources takes another.

// CHECK-LABEL: func @two_hops
// CHECK:         %[[FIRST:.*]] = hetkernel.traverse
// CHECK:         hetkernel.traverse
// CHECK:           hetkernel.row %[[FIRST]]
func.func @two_hops(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x8xf32, #edge>
  %v = rgnn.gather src %s in %g : tensor<?x8xf32, #node>
  %t = rgnn.reduce sum dst %v in %g : tensor<?x8xf32, #edge>
  return %t : tensor<?x8xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// Read at the same destination, it stays in the kernel: a second loop.

// CHECK-LABEL: func @centered
// CHECK:         hetkernel.traverse
// CHECK:           hetkernel.for_each
// CHECK:           hetkernel.for_each
// CHECK-NOT:     hetkernel.traverse
func.func @centered(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %s = rgnn.reduce mean dst %u in %g : tensor<?x8xf32, #edge>
  %v = rgnn.gather dst %s in %g : tensor<?x8xf32, #node>
  %d = rgnn.map %u, %v : (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %c = arith.subf %x, %y : f32
    %q = arith.mulf %c, %c : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.reduce max dst %d in %g : tensor<?x8xf32, #edge>
  return %t : tensor<?x8xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// A softmax within relations runs over pairs, what sums its result over nodes.

// CHECK-LABEL: func @within
// CHECK:         %[[PAIRS:.*]] = hetkernel.view dst_pair_offsets
// CHECK:         %[[A:.*]] = hetkernel.traverse rows(%{{.*}}) segments(%[[PAIRS]]
// CHECK:         %[[NODES:.*]] = hetkernel.view dst_offsets
// CHECK:         hetkernel.traverse rows(%{{.*}}) segments(%[[NODES]]
// CHECK:           hetkernel.row %[[A]]
func.func @within(%g: !rgnn.graph<@g0>, %s: tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #node> {
  %a = rgnn.group_softmax dst_pair %s in %g : tensor<?x8xf32, #edge>
  %t = rgnn.reduce sum dst %a in %g : tensor<?x8xf32, #edge>
  return %t : tensor<?x8xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// A sum over outgoing edges that waits for nothing, but that only a later kernel over the same edges reads, is computed
// there, and not stored.

// CHECK-LABEL: func @sunk_sum
// CHECK:         %[[M:.*]] = hetkernel.traverse
// CHECK:         hetkernel.traverse
// CHECK:           hetkernel.for_each %{{.*}} init(%{{.*}}, %{{.*}} : vector<8xf32>, vector<8xf32>)
// CHECK:             hetkernel.row %[[M]]
// CHECK-NOT:     hetkernel.traverse
func.func @sunk_sum(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>, %e: tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #node> {
  %u = rgnn.gather dst %h in %g : tensor<?x8xf32, #node>
  %s = rgnn.reduce sum src %u in %g : tensor<?x8xf32, #edge>
  %m = rgnn.reduce sum dst %e in %g : tensor<?x8xf32, #edge>
  %v = rgnn.gather dst %m in %g : tensor<?x8xf32, #node>
  %t = rgnn.reduce sum src %v in %g : tensor<?x8xf32, #edge>
  %y = rgnn.map %s, %t : (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    rgnn.yield %c : f32
  }
  return %y : tensor<?x8xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// One that is stored in any case stays where it can run first.

// CHECK-LABEL: func @stored_sum
// CHECK-COUNT-3: hetkernel.traverse
func.func @stored_sum(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>, %e: tensor<?x8xf32, #edge>) -> (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) {
  %u = rgnn.gather dst %h in %g : tensor<?x8xf32, #node>
  %s = rgnn.reduce sum src %u in %g : tensor<?x8xf32, #edge>
  %m = rgnn.reduce sum dst %e in %g : tensor<?x8xf32, #edge>
  %v = rgnn.gather dst %m in %g : tensor<?x8xf32, #node>
  %t = rgnn.reduce sum src %v in %g : tensor<?x8xf32, #edge>
  %y = rgnn.map %s, %t : (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    rgnn.yield %c : f32
  }
  return %y, %s : tensor<?x8xf32, #node>, tensor<?x8xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// Rows of pairs that a sum alone reads are computed in its loop.

// CHECK-LABEL: func @rows_of_pairs
// CHECK:         hetkernel.traverse
// CHECK:           hetkernel.for_each %{{.*}} init
// CHECK:             hetkernel.row
// CHECK:             hetkernel.row
// CHECK:             arith.mulf
// CHECK:             arith.addf
// CHECK-NOT:     hetkernel.traverse
func.func @rows_of_pairs(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #dst_pair>, %y: tensor<?x8xf32, #dst_pair>) -> tensor<?x8xf32, #node> {
  %m = rgnn.map %x, %y : (tensor<?x8xf32, #dst_pair>, tensor<?x8xf32, #dst_pair>) -> tensor<?x8xf32, #dst_pair> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    rgnn.yield %p : f32
  }
  %s = rgnn.reduce sum dst %m in %g : tensor<?x8xf32, #dst_pair>
  return %s : tensor<?x8xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// Where a kernel over pairs makes what they are computed of, and that is wider, they are computed there.

// CHECK-LABEL: func @narrower_rows_of_pairs
// CHECK:         %[[D:.*]] = hetkernel.traverse {{.*}} outs(%{{.*}} : tensor<?xf32>)
// CHECK:           hetkernel.for_each
// CHECK:           vector.multi_reduction
// CHECK:         hetkernel.traverse
// CHECK:           hetkernel.row %[[D]]
func.func @narrower_rows_of_pairs(%g: !rgnn.graph<@g0>, %e: tensor<?x8xf32, #edge>) -> tensor<?xf32, #node> {
  %s = rgnn.reduce sum dst_pair %e in %g : tensor<?x8xf32, #edge>
  %d = rgnn.dot %s, %s : tensor<?x8xf32, #dst_pair>
  %t = rgnn.reduce sum dst %d in %g : tensor<?xf32, #dst_pair>
  return %t : tensor<?xf32, #node>
}
