// GAT as a user of DGL writes it for an edge (Graphiler, MLSys 2022, figure 1 and equations 1 to 8), and where its data
// live before and after broadcasts are reordered (sec. 4.3.1, figure 4 (a)), on PPI (table 2).

// DEFINE: %{cost} = --rgnn-print-cost="nodes=56944 edges=1644208"
// DEFINE: %{check} = FileCheck %s -D#V=56944 -D#E=1644208 -D#D=64

// RUN: rgnn-opt %s %{cost} -o /dev/null 2>&1 | %{check} --check-prefix=BEFORE
// RUN: rgnn-opt %s --rgnn-postpone-propagation --canonicalize --cse %{cost} -o /dev/null 2>&1 \
// RUN:   | %{check} --check-prefix=AFTER
// RUN: %check_numeric %s --rgnn-postpone-propagation

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#etype = #rgnn.rows<etype, @g0>

rgnn.schema @g0 edge_types(5)

// Everything up to the new node data is edge data.
//      BEFORE: cost of @gat
//      BEFORE: rgnn.linear edge [[#E]] [[#mul(2,mul(E,mul(D,D)))]]
// BEFORE-NEXT: rgnn.linear edge [[#E]] [[#mul(2,mul(E,mul(D,D)))]]
// BEFORE-SAME: [[#mul(4,add(mul(E,D),mul(D,D)))]] [[#mul(4,mul(E,D))]]
// BEFORE-NEXT: rgnn.concat edge
// BEFORE-NEXT: rgnn.linear edge [[#E]] [[#mul(4,mul(E,D))]]
// BEFORE-NEXT: rgnn.map edge
// BEFORE-NEXT: rgnn.group_softmax edge
// BEFORE-NEXT: rgnn.map edge
// BEFORE-NEXT: rgnn.reduce edge
// BEFORE-NEXT: products [[#mul(3,E)]] [[#mul(E,mul(4,add(mul(D,D),D)))]]

// Products read 2 E D + 2 D D and 2 E D + 2 D numbers, the concatenation 2 E D, LeakyReLU E, the softmax 2 E, weighted
// messages E D + E, and their sum E D. Written are 5 E D for edges (two projections, both side by side, messages), three
// times E, and the V D of the result.
// BEFORE-NEXT: all [[#mul(8,E)]] [[#add(mul(mul(4,E),mul(D,D)),add(mul(mul(8,E),D),mul(6,E)))]]
// BEFORE-SAME: [[#mul(4,add(add(mul(mul(8,E),D),mul(4,E)),mul(2,add(mul(D,D),D))))]]
// BEFORE-SAME: [[#mul(4,add(add(mul(mul(5,E),D),mul(3,E)),mul(V,D)))]]
// BEFORE-NEXT: redundant: 95.0 % of operations

// O(E d1 d2) has become O(V d1 d2 + E): all products make node data, and both ends share the first.
//      AFTER: cost of @gat
//      AFTER: rgnn.linear node [[#V]] [[#mul(2,mul(V,mul(D,D)))]]
// AFTER-NEXT: rgnn.linear node [[#V]] [[#mul(2,mul(V,D))]]
// AFTER-NEXT: rgnn.linear node [[#V]] [[#mul(2,mul(V,D))]]
// AFTER-NEXT: rgnn.map edge [[#E]] [[#E]]
// AFTER-NEXT: rgnn.map edge [[#E]] [[#E]]
// AFTER-NEXT: rgnn.group_softmax edge
// AFTER-NEXT: rgnn.map edge
// AFTER-NEXT: rgnn.reduce edge
// AFTER-NEXT: products [[#mul(3,V)]] [[#mul(V,add(mul(2,mul(D,D)),mul(4,D)))]]

// Products read 3 V D + D D + 2 D numbers, the sum of both scores 2 E, LeakyReLU E, the softmax 2 E, weighted messages
// E D + E and their sum E D. Written are E D messages and three times E for edges, 2 V scores, and V D twice.
// AFTER-NEXT: all [[#add(mul(3,V),mul(5,E))]] [[#add(mul(V,add(mul(2,mul(D,D)),mul(4,D))),add(mul(mul(2,E),D),mul(7,E)))]]
// AFTER-SAME: [[#mul(4,add(add(mul(mul(2,E),D),mul(6,E)),add(mul(mul(3,V),D),add(mul(D,D),mul(2,D)))))]]
// AFTER-SAME: [[#mul(4,add(add(mul(E,D),mul(3,E)),mul(mul(2,V),add(D,1))))]] 0{{$}}
// AFTER-NEXT: redundant: 0.0 % of operations
func.func @gat(%g: !rgnn.graph<@g0>, %h: tensor<?x64xf32, #node>, %w: tensor<64x64xf32>, %watt: tensor<128x1xf32>)
    -> tensor<?x64xf32, #node> {
  %u = rgnn.gather src %h in %g : tensor<?x64xf32, #node>
  %v = rgnn.gather dst %h in %g : tensor<?x64xf32, #node>
  %zs = rgnn.linear %u, %w : tensor<?x64xf32, #edge>, tensor<64x64xf32>
  %zd = rgnn.linear %v, %w : tensor<?x64xf32, #edge>, tensor<64x64xf32>
  %z2 = rgnn.concat %zs, %zd dim 1 : tensor<?x64xf32, #edge>, tensor<?x64xf32, #edge>
  %s = rgnn.linear %z2, %watt : tensor<?x128xf32, #edge>, tensor<128x1xf32>
  %e = rgnn.map %s : (tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32):
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.01 : f32
    %c = arith.cmpf oge, %i, %zero : f32
    %t = arith.mulf %i, %slope : f32
    %o = arith.select %c, %i, %t : f32
    rgnn.yield %o : f32
  }
  %a = rgnn.group_softmax dst %e in %g : tensor<?x1xf32, #edge>
  %m = rgnn.map %zs, %a : (tensor<?x64xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x64xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %r = rgnn.reduce sum dst %m in %g : tensor<?x64xf32, #edge>
  return %r : tensor<?x64xf32, #node>
}

// The same rule for data of edge types: the message of Simple-HGN (sec. 4.3.1) is multiplied once for each type.
//      BEFORE: cost of @simple_hgn
//      BEFORE: rgnn.linear edge [[#E]] [[#mul(2,mul(E,mul(D,D)))]]
// BEFORE-SAME: [[#mul(4,add(mul(E,D),mul(D,D)))]] [[#mul(4,mul(E,D))]]
//      AFTER: cost of @simple_hgn
//      AFTER: rgnn.linear etype 5 [[#mul(10,mul(D,D))]] [[#mul(4,add(mul(5,D),mul(D,D)))]] [[#mul(20,D)]]
// AFTER-NEXT: rgnn.gather edge [[#E]] 0 [[#mul(4,mul(E,D))]] [[#mul(4,mul(E,D))]]
// AFTER-NEXT: products 5
func.func @simple_hgn(%g: !rgnn.graph<@g0>, %r: tensor<5x64xf32, #etype>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #edge> {
  %e = rgnn.gather etype %r in %g : tensor<5x64xf32, #etype>
  %z = rgnn.linear %e, %w : tensor<?x64xf32, #edge>, tensor<64x64xf32>
  return %z : tensor<?x64xf32, #edge>
}
