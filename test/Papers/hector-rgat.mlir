// Hector's RGAT (ASPLOS 2024, figure 2 and sec. 3.2.2, 3.2.3), one head of 64 features as in its evaluation: compact
// rows (C) and products of weights first (R). Products have a row for each of N: the edges or, in compact form, the
// unique pairs of a node and an edge type, forward and backward. What edges take more is redundant. In the compact form the
// backward sums the gradients of S = E edges for P pairs, which there are not otherwise.

// DEFINE: %{types} =
// DEFINE: %{nodes} =
// DEFINE: %{edges} =
// DEFINE: %{pairs} =
// DEFINE: %{on} = sed s/TYPES/%{types}/g %s | rgnn-opt
// DEFINE: %{cost} = --canonicalize --cse --rgnn-differentiate \
// DEFINE:   --rgnn-print-cost="nodes=%{nodes} edges=%{edges} src-pairs=%{pairs} dst-pairs=%{pairs}" -o /dev/null 2>&1 \
// DEFINE:   | FileCheck %s -D#R=%{types} -D#V=%{nodes} -D#E=%{edges} -D#U=%{pairs}
// DEFINE: %{of_edges} = -D#N=%{edges} -D#S=0 -D#P=0
// DEFINE: %{of_pairs} = -D#N=%{pairs} -D#S=%{edges} -D#P=%{pairs}

// aifb: 50 % of the rows.
// REDEFINE: %{types} = 104
// REDEFINE: %{nodes} = 7262
// REDEFINE: %{edges} = 48810
// REDEFINE: %{pairs} = 24299
// RUN: %{on} %{cost} %{of_edges}
// RUN: %{on} --rgnn-compact %{cost} %{of_pairs}
// RUN: %{on} --rgnn-reorder-linear %{cost} %{of_edges} --check-prefix=REORDERED
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} %{of_pairs} --check-prefix=REORDERED

// mutag: 51 %.
// REDEFINE: %{types} = 50
// REDEFINE: %{nodes} = 27163
// REDEFINE: %{edges} = 148100
// REDEFINE: %{pairs} = 76204
// RUN: %{on} %{cost} %{of_edges}
// RUN: %{on} --rgnn-compact %{cost} %{of_pairs}
// RUN: %{on} --rgnn-reorder-linear %{cost} %{of_edges} --check-prefix=REORDERED
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} %{of_pairs} --check-prefix=REORDERED

// wn18rr: 59 %.
// REDEFINE: %{types} = 22
// REDEFINE: %{nodes} = 40943
// REDEFINE: %{edges} = 186006
// REDEFINE: %{pairs} = 109019
// RUN: %{on} %{cost} %{of_edges}
// RUN: %{on} --rgnn-compact %{cost} %{of_pairs}
// RUN: %{on} --rgnn-reorder-linear %{cost} %{of_edges} --check-prefix=REORDERED
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} %{of_pairs} --check-prefix=REORDERED

// fb15k-237: 26 %.
// REDEFINE: %{types} = 474
// REDEFINE: %{nodes} = 14541
// REDEFINE: %{edges} = 620232
// REDEFINE: %{pairs} = 161922
// RUN: %{on} %{cost} %{of_edges}
// RUN: %{on} --rgnn-compact %{cost} %{of_pairs}
// RUN: %{on} --rgnn-reorder-linear %{cost} %{of_edges} --check-prefix=REORDERED
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} %{of_pairs} --check-prefix=REORDERED

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(TYPES)

// Two products with the weights of types, two with attention vectors; twice as many in the backward.
//      CHECK: cost of @rgat
//      CHECK: products [[#mul(4,N)]] [[#mul(16640,N)]] [[#add(mul(1024,N),mul(33280,R))]] [[#mul(520,N)]]
// CHECK-SAME: [[#mul(16640,N - U)]]

// All else is on edges: the two scores of an edge are read, and one is written (8 and 4 bytes), by the softmax, too, then
// 64 numbers and a weight for 64 numbers (260, 256), and their sum (256), which is for nodes. That is 532 E and 264 E + 256
// V bytes, whatever comes before.
// CHECK-NEXT: all {{[0-9]+}} {{[0-9]+}} [[#add(add(mul(1024,N),mul(33280,R)),mul(532,E))]]
// CHECK-SAME: [[#add(mul(520,N),add(mul(264,E),mul(256,V)))]]
//      CHECK: saved for the backward [[#add(mul(520,N),mul(4,E))]] bytes
//      CHECK: cost of @rgat_backward
//      CHECK: products [[#mul(8,N)]] [[#mul(33280,N)]]
// CHECK-SAME: [[#add(mul(2064,N),mul(33280,R))]] [[#add(mul(1024,N),mul(33280,R))]]

// Beside the products 1064 bytes are read for an edge: of the gradient of the result with the weight (260) and with the
// message (512), whose numbers are added (256), and of the softmax and the score (8, 4, 12, 12). For each N two gradients of
// the message are added (512), and those of both ends summed for nodes (2 x 256); the gradients of the weights of both ends
// are added (2 x 16384 R), and those of nodes (512 V). S edges are summed for pairs: both scores and the message (264).
// CHECK-NEXT: all {{[0-9]+}} {{[0-9]+}}
// CHECK-SAME: [[#add(add(add(mul(2064,N),mul(33280,R)),add(mul(1064,E),mul(1024,N))),add(mul(264,S),add(mul(32768,R),mul(512,V))))]]
// Written are 2 x 256 and 4 x 4 bytes for an edge, 256 for each N, 264 for each P, and 4 + 3 x 256 for a node.
// CHECK-SAME: [[#add(add(add(mul(1024,N),mul(33280,R)),add(mul(528,E),mul(256,N))),add(mul(264,P),add(mul(16384,R),mul(772,V))))]]

// The destination has no product with the weight of its type but with a vector, which a product of the weights makes.
// The backward makes it again.
//      REORDERED: cost of @rgat
//      REORDERED: rgnn.matmul weights 0 [[#mul(8192,R)]]
//      REORDERED: products [[#mul(3,N)]] [[#add(mul(8448,N),mul(8192,R))]]
// REORDERED-SAME: [[#add(mul(768,N),mul(33536,R))]] [[#add(mul(264,N),mul(256,R))]]
// REORDERED-SAME: [[#mul(8448,N - U)]]
// REORDERED-NEXT: all {{[0-9]+}} {{[0-9]+}} [[#add(add(mul(768,N),mul(33536,R)),mul(532,E))]]
// REORDERED-SAME: [[#add(add(mul(264,N),mul(256,R)),add(mul(264,E),mul(256,V)))]]
//      REORDERED: saved for the backward [[#add(mul(264,N),mul(4,E))]] bytes
//      REORDERED: cost of @rgat_backward
//      REORDERED: products [[#mul(6,N)]] [[#add(mul(16896,N),mul(24576,R))]]
// REORDERED-SAME: [[#add(mul(1296,N),mul(50688,R))]] [[#add(mul(768,N),mul(33792,R))]]
// REORDERED-NEXT: all {{[0-9]+}} {{[0-9]+}}
// REORDERED-SAME: [[#add(add(add(mul(1296,N),mul(50688,R)),add(mul(1064,E),mul(1024,N))),add(mul(264,S),add(mul(32768,R),mul(512,V))))]]
// REORDERED-SAME: [[#add(add(add(mul(768,N),mul(33792,R)),add(mul(528,E),mul(256,N))),add(mul(264,P),add(mul(16384,R),mul(772,V))))]]
func.func @rgat(%g: !rgnn.graph<@g0>, %x: tensor<?x64xf32, #node>, %w: tensor<TYPESx64x64xf32>, %l: tensor<TYPESx64x1xf32>,
                %r: tensor<TYPESx64x1xf32>) -> tensor<?x64xf32, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x64xf32, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x64xf32, #node>
  %zu = rgnn.typed_linear %u, %w by etype in %g : tensor<?x64xf32, #edge>, tensor<TYPESx64x64xf32>
  %zv = rgnn.typed_linear %v, %w by etype in %g : tensor<?x64xf32, #edge>, tensor<TYPESx64x64xf32>
  %su = rgnn.typed_linear %zu, %l by etype in %g : tensor<?x64xf32, #edge>, tensor<TYPESx64x1xf32>
  %sv = rgnn.typed_linear %zv, %r by etype in %g : tensor<?x64xf32, #edge>, tensor<TYPESx64x1xf32>
  %e = rgnn.map %su, %sv : (tensor<?x1xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.2 : f32
    %s = arith.addf %i, %j : f32
    %c = arith.cmpf oge, %s, %zero : f32
    %t = arith.mulf %s, %slope : f32
    %o = arith.select %c, %s, %t : f32
    rgnn.yield %o : f32
  }
  %a = rgnn.group_softmax dst %e in %g : tensor<?x1xf32, #edge>
  %m = rgnn.map %zu, %a : (tensor<?x64xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x64xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x64xf32, #edge>
  return %y : tensor<?x64xf32, #node>
}
