// Rows of products of a relational layer on the four real graphs: for each unique source and type, and on the smaller
// side of each edge type. That is 50 and 32 % of the edges on aifb, 51 and 15 on mutag, 59 and 37 on wn18rr, 26 and 10 on
// fb15k-237.

// RUN: rgnn-opt %s --rgnn-compact -o %t.compact.mlir
// RUN: rgnn-opt %s --rgnn-split-sides --rgnn-compact --canonicalize --cse -o %t.sides.mlir
// RUN: rgnn-opt %t.compact.mlir -o /dev/null --rgnn-print-cost="nodes=7262 edges=48810 src-pairs=24299 dst-pairs=24299" 2>&1 | FileCheck %s --check-prefix=AIFB
// RUN: rgnn-opt %t.sides.mlir -o /dev/null --rgnn-print-cost="nodes=7262 edges=48810 src-part=24909,8197,17110 dst-part=23901,16102,7189" 2>&1 | FileCheck %s --check-prefix=AIFB-SIDES
// RUN: rgnn-opt %t.compact.mlir -o /dev/null --rgnn-print-cost="nodes=27163 edges=148100 src-pairs=76204 dst-pairs=76204" 2>&1 | FileCheck %s --check-prefix=MUTAG
// RUN: rgnn-opt %t.sides.mlir -o /dev/null --rgnn-print-cost="nodes=27163 edges=148100 src-part=74056,11478,64732 dst-part=74044,64726,11472" 2>&1 | FileCheck %s --check-prefix=MUTAG-SIDES
// RUN: rgnn-opt %t.compact.mlir -o /dev/null --rgnn-print-cost="nodes=40943 edges=186006 src-pairs=109019 dst-pairs=109019" 2>&1 | FileCheck %s --check-prefix=WN18RR
// RUN: rgnn-opt %t.sides.mlir -o /dev/null --rgnn-print-cost="nodes=40943 edges=186006 src-part=126176,52411,92322 dst-part=59830,56608,16697" 2>&1 | FileCheck %s --check-prefix=WN18RR-SIDES
// RUN: rgnn-opt %t.compact.mlir -o /dev/null --rgnn-print-cost="nodes=14541 edges=620232 src-pairs=161922 dst-pairs=161922" 2>&1 | FileCheck %s --check-prefix=FB15K
// RUN: rgnn-opt %t.sides.mlir -o /dev/null --rgnn-print-cost="nodes=14541 edges=620232 src-part=313361,34039,131947 dst-part=306871,127883,29975" 2>&1 | FileCheck %s --check-prefix=FB15K-SIDES
// RUN: not rgnn-opt %t.sides.mlir -o /dev/null --rgnn-print-cost="nodes=14541 edges=620232" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// AIFB: products 24299 199057408
// AIFB-SIDES: products 15386 126042112
// MUTAG: products 76204 624263168
// MUTAG-SIDES: products 22950 188006400
// WN18RR: products 109019 893083648
// WN18RR-SIDES: products 69108 566132736
// FB15K: products 161922 1326465024
// FB15K-SIDES: products 64014 524402688
// UNKNOWN: error: {{.*}}expected the number of rows on {{.*}} to be given

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(5)

func.func @layer(%g: !rgnn.graph<@g0>, %x: tensor<?x64xf32, #node>, %w: tensor<5x64x64xf32>) -> tensor<?x64xf32, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x64xf32, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x64xf32, #edge>, tensor<5x64x64xf32>
  %y = rgnn.reduce sum dst %z in %g : tensor<?x64xf32, #edge>
  return %y : tensor<?x64xf32, #node>
}
