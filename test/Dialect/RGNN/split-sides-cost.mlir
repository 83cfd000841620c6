// Rows of products of a relational layer on the four real graphs: for each unique source and type, and on the smaller
// side of each edge type, forward and backward.

// DEFINE: %{nodes} =
// DEFINE: %{edges} =
// DEFINE: %{pairs} =
// DEFINE: %{src} =
// DEFINE: %{src_pairs} =
// DEFINE: %{dst} =
// DEFINE: %{dst_pairs} =
// DEFINE: %{train} = --canonicalize --cse --rgnn-differentiate -o /dev/null
// DEFINE: %{check} = FileCheck %s -D#V=%{nodes} -D#E=%{edges} -D#W=81920
// DEFINE: %{compact} = rgnn-opt %s --rgnn-compact %{train} \
// DEFINE:   --rgnn-print-cost="nodes=%{nodes} edges=%{edges} src-pairs=%{pairs} dst-pairs=%{pairs}" 2>&1 \
// DEFINE:   | %{check} -D#U=%{pairs} --check-prefix=COMPACT
// DEFINE: %{sides} = rgnn-opt %s --rgnn-split-sides --rgnn-compact %{train} \
// DEFINE:   --rgnn-print-cost="nodes=%{nodes} edges=%{edges} src-part=%{src} dst-part=%{dst}" 2>&1 \
// DEFINE:   | %{check} -D#S=%{src_pairs} -D#D=%{dst_pairs} --check-prefix=SIDES

// aifb: 50 % of the edges, then 32 %.
// REDEFINE: %{nodes} = 7262
// REDEFINE: %{edges} = 48810
// REDEFINE: %{pairs} = 24299
// REDEFINE: %{src} = 24909,8197,17110
// REDEFINE: %{dst} = 23901,16102,7189
// REDEFINE: %{src_pairs} = 8197
// REDEFINE: %{dst_pairs} = 7189
// RUN: %{compact}
// RUN: %{sides}

// mutag: 51 %, then 15 %.
// REDEFINE: %{nodes} = 27163
// REDEFINE: %{edges} = 148100
// REDEFINE: %{pairs} = 76204
// REDEFINE: %{src} = 74056,11478,64732
// REDEFINE: %{dst} = 74044,64726,11472
// REDEFINE: %{src_pairs} = 11478
// REDEFINE: %{dst_pairs} = 11472
// RUN: %{compact}
// RUN: %{sides}

// wn18rr: 59 %, then 37 %.
// REDEFINE: %{nodes} = 40943
// REDEFINE: %{edges} = 186006
// REDEFINE: %{pairs} = 109019
// REDEFINE: %{src} = 126176,52411,92322
// REDEFINE: %{dst} = 59830,56608,16697
// REDEFINE: %{src_pairs} = 52411
// REDEFINE: %{dst_pairs} = 16697
// RUN: %{compact}
// RUN: %{sides}

// fb15k-237: 26 %, then 10 %.
// REDEFINE: %{nodes} = 14541
// REDEFINE: %{edges} = 620232
// REDEFINE: %{pairs} = 161922
// REDEFINE: %{src} = 313361,34039,131947
// REDEFINE: %{dst} = 306871,127883,29975
// REDEFINE: %{src_pairs} = 34039
// REDEFINE: %{dst_pairs} = 29975
// RUN: %{compact}
// RUN: %{sides}

// RUN: rgnn-opt %s --rgnn-split-sides --rgnn-compact -o %t.sides.mlir
// RUN: not rgnn-opt %t.sides.mlir -o /dev/null --rgnn-print-cost="nodes=14541 edges=620232" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: {{.*}}expected the number of rows on {{.*}} to be given

// Rows have 64 x 4 bytes, weights W = 5 x 64 x 64 x 4. A product of U pairs reads and writes a row for each, and the sum
// for nodes reads one for each edge and writes one for each node.
//      COMPACT: cost of @layer
//      COMPACT: products [[#U]] [[#mul(8192,U)]] [[#add(mul(256,U),W)]] [[#mul(256,U)]]
// COMPACT-NEXT: all {{[0-9]+}} {{[0-9]+}} [[#add(mul(256,U + E),W)]] [[#mul(256,U + V)]]
//      COMPACT: saved for the backward 0 bytes
// The backward multiplies gradients by weights, and features by gradients: it sums those of edges for pairs, and what the
// first gives for nodes.
//      COMPACT: cost of @layer_backward
//      COMPACT: products [[#mul(2,U)]] [[#mul(16384,U)]] [[#add(mul(768,U),W)]] [[#add(mul(256,U),W)]]
// COMPACT-NEXT: all {{[0-9]+}} {{[0-9]+}} [[#add(mul(256,add(mul(4,U),E)),W)]] [[#add(mul(256,add(mul(2,U),V)),W)]]

// S pairs of sources in one part, D pairs of destinations in the other. Both have products; rows of edges are summed for
// nodes and for D, rows of D for nodes, and both parts are added.
//      SIDES: cost of @layer
//      SIDES: products [[#S + D]] [[#mul(8192,S + D)]] [[#add(mul(256,S + D),mul(2,W))]] [[#mul(256,S + D)]]
// SIDES-NEXT: all {{[0-9]+}} {{[0-9]+}} [[#add(mul(256,add(add(S,mul(2,D)),add(E,mul(2,V)))),mul(2,W))]]
// SIDES-SAME: [[#mul(256,add(add(S,mul(2,D)),mul(3,V)))]]
// The sums for D are saved. The backward has the parts change places: it sums for S, and adds the gradients of the weights
// of both parts, too.
//      SIDES: saved for the backward [[#mul(256,D)]] bytes
//      SIDES: cost of @layer_backward
//      SIDES: products [[#mul(2,S + D)]] [[#mul(16384,S + D)]] [[#add(mul(768,S + D),mul(2,W))]] [[#add(mul(256,S + D),mul(2,W))]]
// SIDES-NEXT: all {{[0-9]+}} {{[0-9]+}} [[#add(mul(256,add(add(mul(4,S),mul(3,D)),add(E,mul(2,V)))),mul(4,W))]]
// SIDES-SAME: [[#add(mul(256,add(add(mul(2,S),D),mul(3,V))),mul(3,W))]]

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(5)

func.func @layer(%g: !rgnn.graph<@g0>, %x: tensor<?x64xf32, #node>, %w: tensor<5x64x64xf32>) -> tensor<?x64xf32, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x64xf32, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x64xf32, #edge>, tensor<5x64x64xf32>
  %y = rgnn.reduce sum dst %z in %g : tensor<?x64xf32, #edge>
  return %y : tensor<?x64xf32, #node>
}
