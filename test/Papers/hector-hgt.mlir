// Hector's HGT (ASPLOS 2024, sec. 3.2.2, 3.2.3), one head of 64 features as in its evaluation: compact rows (C), and
// products of weights first (R), which need to know the type of the nodes that edges of a type leave. Products have a
// row for each of N: the edges or, in compact form, the unique pairs of a source and an edge type, forward and
// backward. What edges take more is redundant.

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
// RUN: %{on} %{cost} -D#N=48810
// RUN: %{on} --rgnn-compact %{cost} -D#N=24299
// RUN: %{on} --rgnn-reorder-linear %{cost} -D#N=48810 --check-prefix=REORDERED
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} -D#N=24299 --check-prefix=REORDERED

// mutag: 51 %.
// REDEFINE: %{ntypes} = 5
// REDEFINE: %{etypes} = 50
// REDEFINE: %{sources} = src_types([0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, \
// REDEFINE:   0, 2, 0, 3, 3, 3, 2, 1, 4, 3, 3, 0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0])
// REDEFINE: %{nodes} = 27163
// REDEFINE: %{edges} = 148100
// REDEFINE: %{pairs} = 76204
// RUN: %{on} %{cost} -D#N=148100
// RUN: %{on} --rgnn-compact %{cost} -D#N=76204
// RUN: %{on} --rgnn-reorder-linear %{cost} -D#N=148100 --check-prefix=REORDERED
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} -D#N=76204 --check-prefix=REORDERED

// wn18rr: 59 %.
// REDEFINE: %{ntypes} = 1
// REDEFINE: %{etypes} = 22
// REDEFINE: %{sources} =
// REDEFINE: %{nodes} = 40943
// REDEFINE: %{edges} = 186006
// REDEFINE: %{pairs} = 109019
// RUN: %{on} %{cost} -D#N=186006
// RUN: %{on} --rgnn-compact %{cost} -D#N=109019
// RUN: %{on} --rgnn-reorder-linear %{cost} -D#N=186006 --check-prefix=REORDERED
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} -D#N=109019 --check-prefix=REORDERED

// fb15k-237: 26 %.
// REDEFINE: %{ntypes} = 1
// REDEFINE: %{etypes} = 474
// REDEFINE: %{sources} =
// REDEFINE: %{nodes} = 14541
// REDEFINE: %{edges} = 620232
// REDEFINE: %{pairs} = 161922
// RUN: %{on} %{cost} -D#N=620232
// RUN: %{on} --rgnn-compact %{cost} -D#N=161922
// RUN: %{on} --rgnn-reorder-linear %{cost} -D#N=620232 --check-prefix=REORDERED
// RUN: %{on} --rgnn-reorder-linear --rgnn-compact %{cost} -D#N=161922 --check-prefix=REORDERED

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 node_types(NTYPES) edge_types(ETYPES) SOURCES

// Keys, queries, values and the output for nodes, attention and messages for edges.
//      CHECK: cost of @hgt
//      CHECK: products [[#add(mul(4,V),mul(2,N))]] [[#mul(8192,add(mul(4,V),mul(2,N)))]]
// CHECK-SAME: [[#add(add(mul(1024,V),mul(65536,A)),add(mul(512,N),mul(32768,R)))]] [[#add(mul(1024,V),mul(512,N))]]
// CHECK-SAME: [[#mul(16384,N - U)]]
//      CHECK: saved for the backward [[#add(add(mul(1024,V),mul(512,N)),mul(4,E))]] bytes
//      CHECK: cost of @hgt_backward
//      CHECK: products [[#add(mul(8,V),mul(4,N))]] [[#mul(8192,add(mul(8,V),mul(4,N)))]]
// CHECK-SAME: [[#add(add(mul(3072,V),mul(65536,A)),add(mul(1536,N),mul(32768,R)))]]
// CHECK-SAME: [[#add(add(mul(1024,V),mul(65536,A)),add(mul(512,N),mul(32768,R)))]]

// No keys and values for nodes: two products of weights, of 64 x 64 for each edge type.
//      REORDERED: cost of @hgt
//      REORDERED: products [[#add(mul(2,V),mul(2,N))]] [[#add(mul(8192,add(mul(2,V),mul(2,N))),mul(1048576,R))]]
//      REORDERED: saved for the backward [[#add(add(mul(512,V),mul(512,N)),mul(4,E))]] bytes
//      REORDERED: cost of @hgt_backward
//      REORDERED: products [[#add(mul(4,V),mul(4,N))]] [[#add(mul(8192,add(mul(4,V),mul(4,N))),mul(3145728,R))]]
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
