// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --canonicalize --cse --split-input-file | FileCheck %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// A value of edges that no reduction uses needs no nodes around it: one loop over edges, in the caller's order, which
// need not be sorted for it.

// CHECK-LABEL: func @given
// CHECK-SAME:    %{{.*}}, %[[H:[a-z0-9]+]]: tensor<?x8xf32>{{.*}}, %[[M:[a-z0-9]+]]: tensor<?x8xf32>{{.*}})
// CHECK-DAG:   %[[EDGES:.*]] = hetkernel.size edge of
// CHECK-NOT:   hetkernel.view edge_position of
// CHECK-DAG:   %[[SRC:.*]] = hetkernel.view src_of_id of
// CHECK-DAG:   %[[DST:.*]] = hetkernel.view dst_of_id of
// CHECK:       hetkernel.traverse rows(%[[EDGES]]) outs(
// CHECK-NEXT:  ^bb0(%[[E:.*]]: index):
// CHECK-NEXT:    %[[U:.*]] = hetkernel.lookup %[[SRC]][%[[E]]]
// CHECK-NEXT:    hetkernel.row %[[H]][%[[U]]]
// CHECK-NEXT:    hetkernel.row %[[M]][%[[E]]]
// CHECK:         %[[V:.*]] = hetkernel.lookup %[[DST]][%[[E]]]
// CHECK-NEXT:    hetkernel.row %[[H]][%[[V]]]
// CHECK-NOT:   hetkernel.traverse
func.func @given(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>, %m: tensor<?x8xf32, #edge>) -> tensor<?xf32, #edge> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %v = rgnn.gather dst %h in %g : tensor<?x8xf32, #node>
  %w = rgnn.map %u, %m : (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %q = arith.addf %x, %y : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.dot %w, %v : tensor<?x8xf32, #edge>
  return %s : tensor<?xf32, #edge>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0
rgnn.schema @g1

// Regrouped, rows are in the caller's order, too: what computes them needs no second kernel that reorders them.

// CHECK-LABEL: func @regrouped
// CHECK-NOT:   hetkernel.view edge_position of
// CHECK:       %[[X:.*]] = hetkernel.traverse
// CHECK-NOT:   hetkernel.traverse
// CHECK:       tensor.expand_shape %[[X]]
func.func @regrouped(%g: !rgnn.graph<@g0>, %g1: !rgnn.graph<@g1>, %h: tensor<?x8xf32, #node>) -> tensor<?x2x8xf32, #rgnn.rows<node, @g1>> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %v = rgnn.regroup_rows %u in %g1 : tensor<?x8xf32, #edge> -> tensor<?x2x8xf32, #rgnn.rows<node, @g1>>
  return %v : tensor<?x2x8xf32, #rgnn.rows<node, @g1>>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// Feeding only a GEMM, it is stored by position, and so is a gather that no GEMM does.

// CHECK-LABEL: func @fed
// CHECK-DAG:   %[[SRC:.*]] = hetkernel.view src_of_edge of
// CHECK-DAG:   %[[TYPE:.*]] = hetkernel.view etype_of_edge of
// CHECK:       %[[X:.*]]:2 = hetkernel.traverse rows(%{{.*}}) outs(
// CHECK-NEXT:  ^bb0(%[[P:.*]]: index):
// CHECK:         hetkernel.lookup %[[SRC]][%[[P]]]
// CHECK:         hetkernel.lookup %[[TYPE]][%[[P]]]
// CHECK:       %[[EDGES:.*]] = hetkernel.view etype_edges of
// CHECK:       hetkernel.gemm x(%[[X]]#0 gather %[[EDGES]]
// CHECK:       hetkernel.gemm x(%[[X]]#1 gather %[[EDGES]]
// CHECK:       hetkernel.traverse rows(%{{.*}}) segments(
func.func @fed(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>, %t: tensor<3x8xf32, #rgnn.rows<etype, @g0>>, %w: tensor<3x8x4xf32>) -> tensor<?x4xf32, #node> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %a = rgnn.softmax %u : tensor<?x8xf32, #edge>
  %y = rgnn.typed_linear %a, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x4xf32>
  %r = rgnn.gather etype %t in %g : tensor<3x8xf32, #rgnn.rows<etype, @g0>>
  %z = rgnn.typed_linear %r, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x4xf32>
  %m = rgnn.map %y, %z : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.addf %i, %j : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst %m in %g : tensor<?x4xf32, #edge>
  return %s : tensor<?x4xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// The weights of an attention are given to the caller by the kernel that makes them, and read by position within it.

// CHECK-LABEL: func @attention
// CHECK-DAG:   %[[OFFSETS:.*]] = hetkernel.view dst_offsets of
// CHECK-DAG:   %[[ID:.*]] = hetkernel.view edge_id of
// CHECK:       %[[R:.*]]:2 = hetkernel.traverse rows(%{{.*}}) segments(%[[OFFSETS]]
// CHECK:         math.exp
// CHECK:         %[[LAST:.*]]:2 = hetkernel.for_each
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      hetkernel.element
// CHECK:         %[[GIVEN:.*]] = hetkernel.scatter %[[LAST]]#1 by %[[ID]] :
// CHECK-NEXT:    hetkernel.yield %[[GIVEN]], %[[LAST]]#0
// CHECK-NOT:   hetkernel.traverse
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @attention(%g: !rgnn.graph<@g0>, %h: tensor<?xf32, #node>, %l: tensor<?xf32, #edge>) -> (tensor<?xf32, #edge>, tensor<?xf32, #node>) {
  %a = rgnn.group_softmax dst %l in %g : tensor<?xf32, #edge>
  %u = rgnn.gather src %h in %g : tensor<?xf32, #node>
  %m = rgnn.map %a, %u : (tensor<?xf32, #edge>, tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %q = arith.mulf %x, %y : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst %m in %g : tensor<?xf32, #edge>
  return %a, %s : tensor<?xf32, #edge>, tensor<?xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// A GEMM scatters to the caller's order; without types and gathers it stays in it.

// CHECK-LABEL: func @products
// CHECK-SAME:    %{{.*}}, %[[H:[a-z0-9]+]]: tensor<?x8xf32>{{.*}}, %[[M:[a-z0-9]+]]: tensor<?x8xf32>{{.*}}
// CHECK-DAG:   %[[BY_TYPE:.*]] = hetkernel.view etype_edge_id of
// CHECK-DAG:   %[[ID:.*]] = hetkernel.view edge_id of
// CHECK-DAG:   hetkernel.gemm x(%[[H]] gather {{.*}} tiles({{.*}} scatter %[[BY_TYPE]]
// CHECK-DAG:   hetkernel.gemm x(%[[H]] gather {{.*}} scatter %[[ID]]
// CHECK:       hetkernel.gemm x(%[[M]] : tensor<?x8xf32>) weight({{.*}}) outs(%{{[a-z0-9]+}} : tensor<?x4xf32>) ->
// CHECK-NOT:   hetkernel.traverse
func.func @products(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>, %m: tensor<?x8xf32, #edge>, %w: tensor<8x4xf32>, %we: tensor<3x8x4xf32>)
    -> (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %0 = rgnn.typed_linear %u, %we by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x4xf32>
  %1 = rgnn.linear %u, %w : tensor<?x8xf32, #edge>, tensor<8x4xf32>
  %2 = rgnn.linear %m, %w : tensor<?x8xf32, #edge>, tensor<8x4xf32>
  return %0, %1, %2 : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>
}

// -----

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// What is of edges alone, and read by a kernel that runs after a GEMM, is computed there and not stored before.

// CHECK-LABEL: func @sunk
// CHECK:       hetkernel.traverse rows(%{{.*}}) outs(%{{[a-z0-9]+}} : tensor<?x8xf32>)
// CHECK-NOT:     math.tanh
// CHECK:       hetkernel.gemm
// CHECK:       hetkernel.traverse rows(%{{.*}}) segments(
// CHECK:         math.tanh
func.func @sunk(%g: !rgnn.graph<@g0>, %e: tensor<?x8xf32, #edge>, %l: tensor<?x4xf32, #edge>, %w: tensor<8x4xf32>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>> {
  %a = rgnn.softmax %e : tensor<?x8xf32, #edge>
  %b = rgnn.map %l : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%x: f32):
    %q = math.tanh %x : f32
    rgnn.yield %q : f32
  }
  %y = rgnn.linear %a, %w : tensor<?x8xf32, #edge>, tensor<8x4xf32>
  %m = rgnn.map %y, %b : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%x: f32, %z: f32):
    %q = arith.mulf %x, %z : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst %m in %g : tensor<?x4xf32, #edge>
  return %s : tensor<?x4xf32, #rgnn.rows<node, @g0>>
}
