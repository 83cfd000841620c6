// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --canonicalize --cse --split-input-file | FileCheck %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// Sources and their outgoing edges, whose positions come from a list; the mean counts slots.

// CHECK-LABEL: func @reduce_src
// CHECK-SAME:    %{{.*}}, %[[H:[a-z0-9]+]]: tensor<?x8xf32>{{.*}})
// CHECK-DAG:   %[[N:.*]] = hetkernel.size node of
// CHECK-DAG:   %[[OFFSETS:.*]] = hetkernel.view src_offsets of
// CHECK-DAG:   %[[EDGES:.*]] = hetkernel.view src_edges of
// CHECK-DAG:   %[[DST:.*]] = hetkernel.view dst_of_edge of
// CHECK:       hetkernel.traverse rows(%[[N]]) segments(%[[OFFSETS]]
// CHECK-NEXT:  ^bb0(%[[U:.*]]: index):
// CHECK:         %[[SUM:.*]] = hetkernel.for_each %[[U]]
// CHECK-NEXT:    ^bb0(%[[SLOT:.*]]: index, %{{.*}}: vector<8xf32>):
// CHECK-NEXT:      %[[P:.*]] = hetkernel.lookup %[[EDGES]][%[[SLOT]]]
// CHECK-NEXT:      %[[V:.*]] = hetkernel.lookup %[[DST]][%[[P]]]
// CHECK-NEXT:      hetkernel.row %[[H]][%[[V]]]
// CHECK:         hetkernel.lookup %[[OFFSETS]]
// CHECK:         hetkernel.lookup %[[OFFSETS]][%[[U]]]
// CHECK:         arith.divf %[[SUM]]
// CHECK-NOT:   hetkernel.traverse
func.func @reduce_src(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  %v = rgnn.gather dst %h in %g : tensor<?x8xf32, #node>
  %s = rgnn.reduce mean src %v in %g : tensor<?x8xf32, #edge>
  return %s : tensor<?x8xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// What a loop over sources keeps is in the order of slots within the kernel, and stored by position.

// CHECK-LABEL: func @softmax_src
// CHECK-DAG:   %[[OFFSETS:.*]] = hetkernel.view src_offsets of
// CHECK-DAG:   %[[EDGES:.*]] = hetkernel.view src_edges of
// CHECK:       %[[A:.*]] = hetkernel.traverse rows(%{{.*}}) segments(%[[OFFSETS]]
// CHECK:         %[[EXP:.*]]:2 = hetkernel.for_each
// CHECK:           math.exp
// CHECK:         %[[KEPT:.*]] = hetkernel.for_each
// CHECK-NEXT:    ^bb0(%[[SLOT:.*]]: index):
// CHECK:           hetkernel.element %[[EXP]]#1[%[[SLOT]]]
// CHECK:         %[[PLACED:.*]] = hetkernel.scatter %[[KEPT]] by %[[EDGES]] :
// CHECK-NEXT:    hetkernel.yield %[[PLACED]]
// CHECK:       hetkernel.traverse
// CHECK:         hetkernel.for_each
// CHECK-NEXT:    ^bb0(%[[P:.*]]: index, %{{.*}}: vector<2xf32>):
// CHECK-NEXT:      hetkernel.row %[[A]][%[[P]]]
func.func @softmax_src(%g: !rgnn.graph<@g0>, %m: tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #node> {
  %a = rgnn.group_softmax src %m in %g : tensor<?x2xf32, #edge>
  %s = rgnn.reduce sum dst %a in %g : tensor<?x2xf32, #edge>
  return %s : tensor<?x2xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#node = #rgnn.rows<node, @g0>
#etype = #rgnn.rows<etype, @g0>
#ntype = #rgnn.rows<ntype, @g0>
rgnn.schema @g0 edge_types(3)

// Every other arrow, with rows of pairs and types. Rows of pairs come from the caller by (type, node).

// CHECK-LABEL: func @reductions
// CHECK-SAME:    %{{.*}}, %[[E:[a-z0-9]+]]: tensor<?x8xf32>{{.*}}, %[[P:[a-z0-9]+]]: tensor<?x8xf32>{{.*}}, %[[Q:[a-z0-9]+]]: tensor<?x8xf32>{{.*}}, %[[H:[a-z0-9]+]]: tensor<?x8xf32>{{.*}})
// CHECK:       %[[PAIRS:.*]] = hetkernel.size src_pair of
// CHECK:       %[[O0:.*]] = hetkernel.view src_pair_offsets of
// CHECK:       %[[L0:.*]] = hetkernel.view src_pair_edges of
// CHECK:       hetkernel.traverse rows(%[[PAIRS]]) segments(%[[O0]]
// CHECK:         hetkernel.lookup %[[L0]]
// CHECK:       %[[TYPES:.*]] = hetkernel.size edge_type_count of
// CHECK:       %[[O1:.*]] = hetkernel.view etype_offsets of
// CHECK:       %[[L1:.*]] = hetkernel.view etype_edges of
// CHECK:       hetkernel.traverse rows(%[[TYPES]]) segments(%[[O1]]
// CHECK:         hetkernel.lookup %[[L1]]
// CHECK:       %[[N:.*]] = hetkernel.size node of
// CHECK:       %[[O2:.*]] = hetkernel.view src_pair_src_offsets of
// CHECK:       %[[L2:.*]] = hetkernel.view src_pair_src_pairs of
// CHECK:       hetkernel.traverse rows(%[[N]]) segments(%[[O2]]
// CHECK:         %[[PAIR:.*]] = hetkernel.lookup %[[L2]]
// CHECK:         hetkernel.row %[[P]][%[[PAIR]]]
// CHECK:       %[[O3:.*]] = hetkernel.view src_pair_etype_offsets of
// CHECK:       hetkernel.traverse rows(%[[TYPES]]) segments(%[[O3]]
// CHECK:       %[[O4:.*]] = hetkernel.view dst_pair_dst_offsets of
// CHECK:       %[[RANK:.*]] = hetkernel.view dst_pair_rank of
// CHECK:       hetkernel.traverse rows(%[[N]]) segments(%[[O4]]
// CHECK:         %[[PLACE:.*]] = hetkernel.lookup %[[RANK]]
// CHECK:         hetkernel.row %[[Q]][%[[PLACE]]]
// CHECK:       %[[O5:.*]] = hetkernel.view dst_pair_etype_offsets of
// CHECK:       %[[L5:.*]] = hetkernel.view dst_pair_runs of
// CHECK:       hetkernel.traverse rows(%[[TYPES]]) segments(%[[O5]]
// CHECK:         %[[RUN_AT:.*]] = hetkernel.lookup %[[L5]]
// CHECK:         hetkernel.lookup %[[RANK]][%[[RUN_AT]]]
// CHECK:       %[[NTYPES:.*]] = hetkernel.size node_type_count of
// CHECK:       %[[O6:.*]] = hetkernel.view ntype_offsets of
// CHECK:       hetkernel.traverse rows(%[[NTYPES]]) segments(%[[O6]]
// CHECK:         hetkernel.row %[[H]]
func.func @reductions(%g: !rgnn.graph<@g0>, %e: tensor<?x8xf32, #edge>, %p: tensor<?x8xf32, #src_pair>, %q: tensor<?x8xf32, #dst_pair>, %h: tensor<?x8xf32, #node>)
    -> (tensor<?x8xf32, #src_pair>, tensor<?x8xf32, #etype>, tensor<?x8xf32, #node>, tensor<?x8xf32, #etype>, tensor<?x8xf32, #node>, tensor<?x8xf32, #etype>, tensor<?x8xf32, #ntype>) {
  %0 = rgnn.reduce sum src_pair %e in %g : tensor<?x8xf32, #edge>
  %1 = rgnn.reduce sum etype %e in %g : tensor<?x8xf32, #edge>
  %2 = rgnn.reduce sum src %p in %g : tensor<?x8xf32, #src_pair>
  %3 = rgnn.reduce max etype %p in %g : tensor<?x8xf32, #src_pair>
  %4 = rgnn.reduce sum dst %q in %g : tensor<?x8xf32, #dst_pair>
  %5 = rgnn.reduce max etype %q in %g : tensor<?x8xf32, #dst_pair>
  %6 = rgnn.reduce max ntype %h in %g : tensor<?x8xf32, #node>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<?x8xf32, #src_pair>, tensor<?x8xf32, #etype>, tensor<?x8xf32, #node>, tensor<?x8xf32, #etype>, tensor<?x8xf32, #node>, tensor<?x8xf32, #etype>, tensor<?x8xf32, #ntype>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
#etype = #rgnn.rows<etype, @g0>
rgnn.schema @g0 edge_types(3)

// Gathers in a row are lookups in a row.

// CHECK-LABEL: func @chain
// CHECK-SAME:    %{{.*}}, %[[H:[a-z0-9]+]]: tensor<?x8xf32>{{.*}}, %[[T:[a-z0-9]+]]: tensor<3x8xf32>)
// CHECK-DAG:   %[[PAIRS:.*]] = hetkernel.view src_pair_of_edge of
// CHECK-DAG:   %[[NODES:.*]] = hetkernel.view src_pair_node of
// CHECK-DAG:   %[[TYPES:.*]] = hetkernel.view etype_of_edge of
// CHECK:       hetkernel.traverse
// CHECK:         hetkernel.for_each
// CHECK-NEXT:    ^bb0(%[[E:.*]]: index, %{{.*}}: vector<8xf32>):
// CHECK-NEXT:      %[[PAIR:.*]] = hetkernel.lookup %[[PAIRS]][%[[E]]]
// CHECK-NEXT:      %[[NODE:.*]] = hetkernel.lookup %[[NODES]][%[[PAIR]]]
// CHECK-NEXT:      hetkernel.row %[[H]][%[[NODE]]]
// CHECK-NEXT:      %[[TYPE:.*]] = hetkernel.lookup %[[TYPES]][%[[E]]]
// CHECK-NEXT:      hetkernel.row %[[T]][%[[TYPE]]]
// CHECK-NOT:   hetkernel.traverse
func.func @chain(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>, %t: tensor<3x8xf32, #etype>) -> tensor<?x8xf32, #node> {
  %p = rgnn.gather src %h in %g to src_pair : tensor<?x8xf32, #node>
  %u = rgnn.gather src_pair %p in %g : tensor<?x8xf32, #src_pair>
  %r = rgnn.gather etype %t in %g : tensor<3x8xf32, #etype>
  %m = rgnn.map %u, %r : (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %q = arith.mulf %x, %y : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst %m in %g : tensor<?x8xf32, #edge>
  return %s : tensor<?x8xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// Whole heads of a row lie together, so that a slice is a view; parts of each head do not.

// CHECK-LABEL: func @slices
// CHECK-SAME:    %{{.*}}, %[[X:[a-z0-9]+]]: tensor<?x3x4xf32>
// CHECK:       tensor.extract_slice %[[X]]{{.*}} : tensor<?x3x4xf32> to tensor<?x2x4xf32>
// CHECK-NOT:   tensor.extract_slice
// CHECK:       hetkernel.traverse
// CHECK:         %[[ROW:.*]] = hetkernel.row %[[X]]
// CHECK:         vector.extract_strided_slice %[[ROW]] {offsets = [0, 1], sizes = [3, 2], strides = [1, 1]}
func.func @slices(%g: !rgnn.graph<@g0>, %x: tensor<?x3x4xf32, #node>) -> (tensor<?x2x4xf32, #node>, tensor<?x3x2xf32, #node>) {
  %0 = rgnn.slice %x dim 1 from 1 size 2 : tensor<?x3x4xf32, #node>
  %1 = rgnn.slice %x dim 2 from 1 size 2 : tensor<?x3x4xf32, #node>
  return %0, %1 : tensor<?x2x4xf32, #node>, tensor<?x3x2xf32, #node>
}

// -----

// What a backward is given may have rows of several graphs: in the forward it
// had as many as the nodes of each.

rgnn.schema @g0 edge_types(1)
rgnn.schema @g1 edge_types(1)

// CHECK-LABEL: func.func @two_graphs(
//  CHECK-SAME:   %{{.*}}: tensor<?x4xf32> {rgnn.argument = 0 : i64, rgnn.rows = #rgnn.rows<node, @g{{[01]}}>}
//  CHECK-SAME:   %{{.*}}: tensor<?x4xf32> {rgnn.gradient_of_result = 0 : i64, rgnn.rows = #rgnn.rows<node, @g{{[01]}}>}
func.func @two_graphs(%x: tensor<?x4xf32> {rgnn.argument = 0 : i64}, %d: tensor<?x4xf32> {rgnn.gradient_of_result = 0 : i64}, %e0: tensor<2x?xi64>, %e1: tensor<2x?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %d, %c0 : tensor<?x4xf32>
  %g0 = rgnn.coo_graph edges(%e0 : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %g1 = rgnn.coo_graph edges(%e1 : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %x0 = rgnn.place %x in %g0 : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %x1 = rgnn.place %x in %g1 : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %d0 = rgnn.place %d in %g0 : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %d1 = rgnn.place %d in %g1 : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %s0 = rgnn.map %x0, %d0 : (tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<?x4xf32, #rgnn.rows<node, @g0>>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    rgnn.yield %0 : f32
  }
  %s1 = rgnn.map %x1, %d1 : (tensor<?x4xf32, #rgnn.rows<node, @g1>>, tensor<?x4xf32, #rgnn.rows<node, @g1>>) -> tensor<?x4xf32, #rgnn.rows<node, @g1>> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    rgnn.yield %0 : f32
  }
  %r0 = rgnn.unplace %s0 : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %r1 = rgnn.unplace %s1 : tensor<?x4xf32, #rgnn.rows<node, @g1>>
  return %r0, %r1 : tensor<?x4xf32>, tensor<?x4xf32>
}
