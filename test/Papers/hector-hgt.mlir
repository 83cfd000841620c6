// Hector's HGT (ASPLOS 2024, sec. 3.2.2, 3.2.3), one head of 64 features as in its evaluation: compact rows (C), and
// products of weights first (R), which need to know the type of the nodes that edges of a type leave. Products have a
// row for each of N: the edges or, in compact form, the unique pairs of a source and an edge type, forward and
// backward. What edges take more is redundant. In the compact form the backward sums the gradients of S = E edges for P
// pairs, which there are not otherwise.

// DEFINE: %{ntypes} =
// DEFINE: %{etypes} =
// DEFINE: %{sources} =
// DEFINE: %{nodes} =
// DEFINE: %{edges} =
// DEFINE: %{pairs} =
// DEFINE: %{on} = sed "s/NTYPES/%{ntypes}/g; s/ETYPES/%{etypes}/g; s/SOURCES/%{sources}/" %s | rgnn-opt
// DEFINE: %{cost} = --canonicalize --cse --rgnn-differentiate \
// DEFINE:   --rgnn-print-cost="nodes=%{nodes} edges=%{edges} src-pairs=%{pairs}" -o /dev/null 2>&1 \
// DEFINE:   | FileCheck %s -D#A=%{ntypes} -D#R=%{etypes} -D#V=%{nodes} -D#E=%{edges} -D#U=%{pairs}
// DEFINE: %{of_edges} = -D#N=%{edges} -D#S=0 -D#P=0
// DEFINE: %{of_pairs} = -D#N=%{pairs} -D#S=%{edges} -D#P=%{pairs}

// aifb: 50 % of the rows.
// REDEFINE: %{ntypes} = 7
// REDEFINE: %{etypes} = 104
// REDEFINE: %{sources} = src_types([0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 6, 6, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 5, 5, \
// REDEFINE:   5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 1, 2, 3, 3, 1, 2, 3, 2, \
// REDEFINE:   3, 5, 1, 3, 3, 3, 3, 5, 3, 3, 1, 4, 6, 3, 0, 2, 3, 5, 3, 3, 5, 3, 2, 3, 1, 0, 3, 3, 3, 3, 3, 3, \
// REDEFINE:   3, 5, 3, 3, 2, 5, 3, 3, 3, 3, 3, 3])
// REDEFINE: %{nodes} = 7262
// REDEFINE: %{edges} = 48810
// REDEFINE: %{pairs} = 24299
// RUN: %{on} %{cost} %{of_edges}
// RUN: %{on} --rgnn-compact %{cost} %{of_pairs}
// RUN: %{on} --rgnn-reorder-linear %{cost} %{of_edges} --check-prefixes=REORDERED,TYPES
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} %{of_pairs} --check-prefixes=REORDERED,TYPES

// mutag: 51 %.
// REDEFINE: %{ntypes} = 5
// REDEFINE: %{etypes} = 50
// REDEFINE: %{sources} = src_types([0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, \
// REDEFINE:   0, 2, 0, 3, 3, 3, 2, 1, 4, 3, 3, 0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0])
// REDEFINE: %{nodes} = 27163
// REDEFINE: %{edges} = 148100
// REDEFINE: %{pairs} = 76204
// RUN: %{on} %{cost} %{of_edges}
// RUN: %{on} --rgnn-compact %{cost} %{of_pairs}
// RUN: %{on} --rgnn-reorder-linear %{cost} %{of_edges} --check-prefixes=REORDERED,TYPES
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} %{of_pairs} --check-prefixes=REORDERED,TYPES

// wn18rr: 59 %.
// REDEFINE: %{ntypes} = 1
// REDEFINE: %{etypes} = 22
// REDEFINE: %{sources} =
// REDEFINE: %{nodes} = 40943
// REDEFINE: %{edges} = 186006
// REDEFINE: %{pairs} = 109019
// RUN: %{on} %{cost} %{of_edges}
// RUN: %{on} --rgnn-compact %{cost} %{of_pairs}
// RUN: %{on} --rgnn-reorder-linear %{cost} %{of_edges} --check-prefixes=REORDERED,ONE-TYPE
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} %{of_pairs} --check-prefixes=REORDERED,ONE-TYPE

// fb15k-237: 26 %.
// REDEFINE: %{ntypes} = 1
// REDEFINE: %{etypes} = 474
// REDEFINE: %{sources} =
// REDEFINE: %{nodes} = 14541
// REDEFINE: %{edges} = 620232
// REDEFINE: %{pairs} = 161922
// RUN: %{on} %{cost} %{of_edges}
// RUN: %{on} --rgnn-compact %{cost} %{of_pairs}
// RUN: %{on} --rgnn-reorder-linear %{cost} %{of_edges} --check-prefixes=REORDERED,ONE-TYPE
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} %{of_pairs} --check-prefixes=REORDERED,ONE-TYPE

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 node_types(NTYPES) edge_types(ETYPES) SOURCES

// Keys, queries, values and the output for nodes, attention and messages for edges.
//      CHECK: cost of @hgt
//      CHECK: products [[#add(mul(4,V),mul(2,N))]] [[#mul(8192,add(mul(4,V),mul(2,N)))]]
// CHECK-SAME: [[#add(add(mul(1024,V),mul(65536,A)),add(mul(512,N),mul(32768,R)))]] [[#add(mul(1024,V),mul(512,N))]]
// CHECK-SAME: [[#mul(16384,N - U)]]

// All else is on edges: products of 64 numbers each (512 bytes read, 4 written), their softmax (8, 4), 64 numbers and a
// weight for 64 numbers (260, 256), and their sum (256), which is for nodes. That is 1036 E and 264 E + 256 V bytes, whatever
// comes before.
// CHECK-NEXT: all {{[0-9]+}} {{[0-9]+}}
// CHECK-SAME: [[#add(add(add(mul(1024,V),mul(65536,A)),add(mul(512,N),mul(32768,R))),mul(1036,E))]]
// CHECK-SAME: [[#add(add(mul(1024,V),mul(512,N)),add(mul(264,E),mul(256,V)))]]
//      CHECK: saved for the backward [[#add(add(mul(1024,V),mul(512,N)),mul(4,E))]] bytes
//      CHECK: cost of @hgt_backward
//      CHECK: products [[#add(mul(8,V),mul(4,N))]] [[#mul(8192,add(mul(8,V),mul(4,N)))]]
// CHECK-SAME: [[#add(add(mul(3072,V),mul(65536,A)),add(mul(1536,N),mul(32768,R)))]]
// CHECK-SAME: [[#add(add(mul(1024,V),mul(65536,A)),add(mul(512,N),mul(32768,R)))]]

// Beside the products 1828 bytes are read for an edge: of the gradient of the result with the weight (260) and with the
// message (512), whose numbers are added (256), of the softmax (8, 4, 12), of its gradient with key and query (2 x 260), and
// to sum that of the query for nodes (256). Those of key and message are summed for nodes, too (2 x 256 N), behind S edges
// that are summed for pairs (2 x 256), and the gradients of the features of a node are added (2 x 512 V).
// CHECK-NEXT: all {{[0-9]+}} {{[0-9]+}}
// CHECK-SAME: [[#add(add(add(mul(3072,V),mul(65536,A)),add(mul(1536,N),mul(32768,R))),add(mul(1828,E),add(mul(512,N),add(mul(512,S),mul(1024,V)))))]]
// Written are 4 x 256 and 3 x 4 bytes for an edge, 2 x 256 for each P, and 4 + 5 x 256 for a node.
// CHECK-SAME: [[#add(add(add(mul(1024,V),mul(65536,A)),add(mul(512,N),mul(32768,R))),add(mul(1036,E),add(mul(512,P),mul(1284,V))))]]

// No keys and values for nodes: two products of weights, of 64 x 64 for each edge type.
//      REORDERED: cost of @hgt
//      REORDERED: products [[#add(mul(2,V),mul(2,N))]] [[#add(mul(8192,add(mul(2,V),mul(2,N))),mul(1048576,R))]]

// Where there are several node types, weights of types of nodes are first put down for each edge type (16384 A bytes read,
// 16384 R written) and both read by the product (2 x 16384 R); the weight of one type is read as it is (16384). Products
// of weights write 16384 R bytes each.
//   TYPES-SAME: [[#add(add(mul(512,V),mul(32768,A)),add(mul(512,N),mul(98304,R)))]]
//   TYPES-SAME: [[#add(mul(512,V),add(mul(512,N),mul(32768,R)))]]
//   TYPES-NEXT: all {{[0-9]+}} {{[0-9]+}} [[#add(add(add(mul(512,V),mul(65536,A)),add(mul(512,N),mul(98304,R))),mul(1036,E))]]
//   TYPES-SAME: [[#add(add(mul(512,V),add(mul(512,N),mul(65536,R))),add(mul(264,E),mul(256,V)))]]
//   ONE-TYPE-SAME: [[#add(mul(512,V),add(mul(512,N),add(mul(65536,R),65536)))]] [[#add(mul(512,V),add(mul(512,N),mul(32768,R)))]]
//   ONE-TYPE-NEXT: all {{[0-9]+}} {{[0-9]+}} [[#add(add(mul(512,V),add(mul(512,N),add(mul(65536,R),65536))),mul(1036,E))]]
//   ONE-TYPE-SAME: [[#add(add(mul(512,V),add(mul(512,N),mul(32768,R))),add(mul(264,E),mul(256,V)))]]
//      REORDERED: saved for the backward [[#add(add(mul(512,V),mul(512,N)),mul(4,E))]] bytes
//      REORDERED: cost of @hgt_backward
//      REORDERED: products [[#add(mul(4,V),mul(4,N))]] [[#add(mul(8192,add(mul(4,V),mul(4,N))),mul(3145728,R))]]

// The backward has both products of weights again, and two for the gradients of each: six that read 2 x 16384 R and write
// 16384 R bytes; for one node type, of which four read 16384 R + 16384, and two write 16384.
//   TYPES-SAME: [[#add(add(mul(1536,V),mul(32768,A)),add(mul(1536,N),mul(229376,R)))]]
//   TYPES-SAME: [[#add(add(mul(512,V),mul(32768,A)),add(mul(512,N),mul(131072,R)))]]
//   ONE-TYPE-SAME: [[#add(mul(1536,V),add(mul(1536,N),add(mul(163840,R),98304)))]]
//   ONE-TYPE-SAME: [[#add(mul(512,V),add(mul(512,N),add(mul(98304,R),65536)))]]
func.func @hgt(%g: !rgnn.graph<@g0>, %x: tensor<?x64xf32, #node>, %wk: tensor<NTYPESx64x64xf32>, %wq: tensor<NTYPESx64x64xf32>,
               %wv: tensor<NTYPESx64x64xf32>, %watt: tensor<ETYPESx64x64xf32>, %wmsg: tensor<ETYPESx64x64xf32>,
               %wa: tensor<NTYPESx64x64xf32>) -> tensor<?x64xf32, #node> {
  %k = rgnn.typed_linear %x, %wk by ntype in %g : tensor<?x64xf32, #node>, tensor<NTYPESx64x64xf32>
  %q = rgnn.typed_linear %x, %wq by ntype in %g : tensor<?x64xf32, #node>, tensor<NTYPESx64x64xf32>
  %v = rgnn.typed_linear %x, %wv by ntype in %g : tensor<?x64xf32, #node>, tensor<NTYPESx64x64xf32>
  %ku = rgnn.gather src %k in %g : tensor<?x64xf32, #node>
  %qv = rgnn.gather dst %q in %g : tensor<?x64xf32, #node>
  %vu = rgnn.gather src %v in %g : tensor<?x64xf32, #node>
  %ke = rgnn.typed_linear %ku, %watt by etype in %g : tensor<?x64xf32, #edge>, tensor<ETYPESx64x64xf32>
  %s = rgnn.dot %ke, %qv : tensor<?x64xf32, #edge>
  %a = rgnn.group_softmax dst %s in %g : tensor<?xf32, #edge>
  %me = rgnn.typed_linear %vu, %wmsg by etype in %g : tensor<?x64xf32, #edge>, tensor<ETYPESx64x64xf32>
  %b = rgnn.reshape %a : tensor<?xf32, #edge> -> tensor<?x1xf32, #edge>
  %m = rgnn.map %me, %b : (tensor<?x64xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x64xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %t = rgnn.reduce sum dst %m in %g : tensor<?x64xf32, #edge>
  %y = rgnn.typed_linear %t, %wa by ntype in %g : tensor<?x64xf32, #node>, tensor<NTYPESx64x64xf32>
  return %y : tensor<?x64xf32, #node>
}
