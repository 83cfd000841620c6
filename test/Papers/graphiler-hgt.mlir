// HGT as a user of DGL writes it for an edge (Graphiler, MLSys 2022, figure 1 and equations 3 to 8), and what
// broadcasts of weights to edges cost (sec. 3.1, 4.3.2, figure 4 (b)), on MUTAG with its 46 edge types (table 2).

// DEFINE: %{cost} = --rgnn-print-cost="nodes=27163 edges=148100"
// DEFINE: %{check} = FileCheck %s -D#V=27163 -D#E=148100 -D#D=64 -D#A=5 -D#R=46

// RUN: rgnn-opt %s %{cost} -o /dev/null 2>&1 | %{check}
// RUN: rgnn-opt %s --rgnn-postpone-propagation --canonicalize --cse %{cost} -o %t.reordered 2>&1 | %{check}
// RUN: FileCheck %s --check-prefix=REORDERED < %t.reordered
// RUN: %check_numeric %s --rgnn-postpone-propagation

// Both messages are the same function.
// RUN: sed "s/@message_of_edges/@first/; s/@message_of_types/@second/" %s > %t.one
// RUN: sed "s/@message_of_edges/@second/; s/@message_of_types/@first/" %s > %t.other
// RUN: rgnn-translate --rgnn-check-equivalent --against=%t.other %t.one

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#etype = #rgnn.rows<etype, @g0>

rgnn.schema @g0 node_types(5) edge_types(46)

// A weight for each edge: D x D numbers are copied to it, multiplied, and added up, which makes O(E D D) of traffic.
//      CHECK: cost of @message_of_edges
//      CHECK: rgnn.map edge [[#E]] [[#mul(E,mul(D,D))]]
// CHECK-SAME: [[#mul(4,add(mul(E,D),mul(E,mul(D,D))))]] [[#mul(4,mul(E,mul(D,D)))]]
// CHECK-NEXT: rgnn.reduce_features edge [[#E]] [[#mul(E,mul(D,D))]] [[#mul(4,mul(E,mul(D,D)))]] [[#mul(4,mul(E,D))]]
// CHECK-NEXT: products 0
// Read are E rows of D, and what is copied and multiplied: 4 E (D + 2 D D) bytes. Written are 4 E (D D + D).
// CHECK-NEXT: all [[#mul(2,E)]] [[#mul(2,mul(E,mul(D,D)))]]
// CHECK-SAME: [[#mul(4,add(mul(E,D),mul(2,mul(E,mul(D,D)))))]] [[#mul(4,add(mul(E,D),mul(E,mul(D,D))))]]
func.func @message_of_edges(%g: !rgnn.graph<@g0>, %v: tensor<?x64xf32, #node>, %w: tensor<46x64x64xf32, #etype>) -> tensor<?x64xf32, #edge> {
  %u = rgnn.gather src %v in %g : tensor<?x64xf32, #node>
  %c = rgnn.reshape %u : tensor<?x64xf32, #edge> -> tensor<?x64x1xf32, #edge>
  %we = rgnn.gather etype %w in %g : tensor<46x64x64xf32, #etype>
  %p = rgnn.map %c, %we : (tensor<?x64x1xf32, #edge>, tensor<?x64x64xf32, #edge>) -> tensor<?x64x64xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.mulf %i, %j : f32
    rgnn.yield %q : f32
  }
  %m = rgnn.reduce_features sum %p dim 1 : tensor<?x64x64xf32, #edge>
  return %m : tensor<?x64xf32, #edge>
}

// The fused op of figure 4 (b) is one of the dialect: as much work, and the weight of a type is read where it lies: 4 (E D
// + R D D) bytes, 126 times less, and 65 times less is written.
//      CHECK: cost of @message_of_types
//      CHECK: rgnn.typed_linear edge [[#E]] [[#mul(2,mul(E,mul(D,D)))]]
// CHECK-SAME: [[#mul(4,add(mul(E,D),mul(R,mul(D,D))))]] [[#mul(4,mul(E,D))]]
// CHECK-NEXT: products [[#E]]
// CHECK-NEXT: all [[#E]] [[#mul(2,mul(E,mul(D,D)))]] [[#mul(4,add(mul(E,D),mul(R,mul(D,D))))]] [[#mul(4,mul(E,D))]]
func.func @message_of_types(%g: !rgnn.graph<@g0>, %v: tensor<?x64xf32, #node>, %w: tensor<46x64x64xf32, #etype>) -> tensor<?x64xf32, #edge> {
  %u = rgnn.gather src %v in %g : tensor<?x64xf32, #node>
  %t = rgnn.unplace %w : tensor<46x64x64xf32, #etype>
  %m = rgnn.typed_linear %u, %t by etype in %g : tensor<?x64xf32, #edge>, tensor<46x64x64xf32>
  return %m : tensor<?x64xf32, #edge>
}

// Weights of node types are those of products on nodes, in front of every broadcast; those of edge types stay behind
// it. Graphiler's graph ends like this, too: what depends on a node and an edge type is edge data there. Nothing is left
// to reorder, so that the counts after it are the same:
//
//   keys, queries, values   3 x 2 V D D operations   reads 3 x 4 (V D + A D D) bytes   writes 3 x 4 V D
//   attention, messages     2 x 2 E D D              reads 2 x 4 (E D + R D D)         writes 2 x 4 E D
//   scores                  2 E D                    reads 4 x 2 E D                   writes 4 E
//   softmax                 5 E                      reads 4 x 2 E                     writes 4 E
//   weighted messages       E D                      reads 4 (E D + E)                 writes 4 E D
//   their sum               E D                      reads 4 E D                       writes 4 V D
//      CHECK: cost of @hgt
//      CHECK: rgnn.typed_linear node [[#V]] [[#mul(2,mul(V,mul(D,D)))]]
// CHECK-NEXT: rgnn.typed_linear node [[#V]]
// CHECK-NEXT: rgnn.typed_linear node [[#V]]
// CHECK-NEXT: rgnn.typed_linear edge [[#E]] [[#mul(2,mul(E,mul(D,D)))]]
// CHECK-NEXT: rgnn.dot edge [[#E]] [[#mul(2,mul(E,D))]] [[#mul(8,mul(E,D))]] [[#mul(4,E)]]
// CHECK-NEXT: rgnn.typed_linear edge [[#E]]
// CHECK-NEXT: rgnn.group_softmax edge [[#E]] [[#mul(5,E)]] [[#mul(8,E)]] [[#mul(4,E)]]
// CHECK-NEXT: rgnn.map edge [[#E]] [[#mul(E,D)]] [[#mul(4,add(mul(E,D),E))]] [[#mul(4,mul(E,D))]]
// CHECK-NEXT: rgnn.reduce edge [[#E]] [[#mul(E,D)]] [[#mul(4,mul(E,D))]] [[#mul(4,mul(V,D))]]
// CHECK-NEXT: products [[#add(mul(3,V),mul(2,E))]] [[#mul(mul(2,mul(D,D)),add(mul(3,V),mul(2,E)))]]
// CHECK-SAME: [[#add(mul(12,add(mul(V,D),mul(A,mul(D,D)))),mul(8,add(mul(E,D),mul(R,mul(D,D)))))]]
// CHECK-SAME: [[#add(mul(12,mul(V,D)),mul(8,mul(E,D)))]] 0{{$}}
// CHECK-NEXT: all {{[0-9]+}} [[#add(mul(mul(2,mul(D,D)),add(mul(3,V),mul(2,E))),add(mul(4,mul(E,D)),mul(5,E)))]]
// CHECK-SAME: [[#add(add(mul(12,add(mul(V,D),mul(A,mul(D,D)))),mul(8,mul(R,mul(D,D)))),add(mul(24,mul(E,D)),mul(12,E)))]]
// CHECK-SAME: [[#add(mul(16,mul(V,D)),add(mul(12,mul(E,D)),mul(8,E)))]] 0{{$}}
// CHECK-NEXT: redundant: 0.0 % of operations

// REORDERED-LABEL: func @hgt
// REORDERED-COUNT-3: rgnn.typed_linear %{{.*}} by ntype in %{{.*}} : tensor<?x64xf32, #rgnn.rows<node, @g0>>
//         REORDERED: rgnn.typed_linear %{{.*}} by etype in %{{.*}} : tensor<?x64xf32, #rgnn.rows<edge, @g0>>
//         REORDERED: rgnn.dot
//         REORDERED: rgnn.typed_linear %{{.*}} by etype in %{{.*}} : tensor<?x64xf32, #rgnn.rows<edge, @g0>>
func.func @hgt(%g: !rgnn.graph<@g0>, %h: tensor<?x64xf32, #node>, %wk: tensor<5x64x64xf32>, %wq: tensor<5x64x64xf32>,
               %wv: tensor<5x64x64xf32>, %watt: tensor<46x64x64xf32>, %wmsg: tensor<46x64x64xf32>) -> tensor<?x64xf32, #node> {
  %k = rgnn.typed_linear %h, %wk by ntype in %g : tensor<?x64xf32, #node>, tensor<5x64x64xf32>
  %q = rgnn.typed_linear %h, %wq by ntype in %g : tensor<?x64xf32, #node>, tensor<5x64x64xf32>
  %v = rgnn.typed_linear %h, %wv by ntype in %g : tensor<?x64xf32, #node>, tensor<5x64x64xf32>
  %ku = rgnn.gather src %k in %g : tensor<?x64xf32, #node>
  %qv = rgnn.gather dst %q in %g : tensor<?x64xf32, #node>
  %vu = rgnn.gather src %v in %g : tensor<?x64xf32, #node>
  %ke = rgnn.typed_linear %ku, %watt by etype in %g : tensor<?x64xf32, #edge>, tensor<46x64x64xf32>
  %s = rgnn.dot %ke, %qv : tensor<?x64xf32, #edge>
  %m = rgnn.typed_linear %vu, %wmsg by etype in %g : tensor<?x64xf32, #edge>, tensor<46x64x64xf32>
  %a = rgnn.group_softmax dst %s in %g : tensor<?xf32, #edge>
  %b = rgnn.reshape %a : tensor<?xf32, #edge> -> tensor<?x1xf32, #edge>
  %t = rgnn.map %m, %b : (tensor<?x64xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x64xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %r = rgnn.reduce sum dst %t in %g : tensor<?x64xf32, #edge>
  return %r : tensor<?x64xf32, #node>
}
