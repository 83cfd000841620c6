// RUN: rgnn-opt %s --rgnn-print-cost="nodes=100 edges=1000 src-pairs=400 dst-pairs=500 nodes-of-type=30,70" -o %t.after \
// RUN:   2>&1 | FileCheck %s
// RUN: rgnn-opt %s | diff - %t.after
// RUN: rgnn-opt %s -o /dev/null 2>&1 --rgnn-print-cost="nodes=3000000000 edges=200000000000 src-pairs=100000000000 \
// RUN:   dst-pairs=100000000000 nodes-of-type=1,1" | FileCheck %s --check-prefix=LARGE

#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#edge = #rgnn.rows<edge, @g0>
#etype = #rgnn.rows<etype, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>

rgnn.schema @g0 node_types(2) edge_types(5)

// A gather costs nothing where an op reads it: that reads a row for each edge. 2 x 1000 x 8 x 4 operations, which
// 100 nodes, or 400 pairs, would do with.
//      CHECK: cost of @products
// CHECK-NEXT: op domain rows operations bytes read bytes written redundant
// CHECK-NEXT: rgnn.linear edge 1000 64000 32128 16000 57600
// CHECK-NEXT: rgnn.typed_linear edge 1000 64000 32640 16000 38400
// CHECK-NEXT: rgnn.dot edge 1000 16000 32000 4000 14400
// CHECK-NEXT: rgnn.outer_sum edge 1000 64000 48000 128 0
// CHECK-NEXT: rgnn.typed_outer_sum edge 1000 64000 48000 640 0
// CHECK-NEXT: rgnn.sum_rows edge 1000 4000 16000 16 0
// CHECK-NEXT: rgnn.linear weights 0 320 288 80 0
// CHECK-NEXT: rgnn.matmul weights 0 960 880 480 0
// CHECK-NEXT: products 4000 257280 161936 33328 96000
// CHECK-NEXT: all 6000 277280 209936 37344 110400
// CHECK-NEXT: redundant: 39.8 % of operations

// 2 x 2e11 x 8 x 4 does not fit in 32 bits.
//      LARGE: cost of @products
//      LARGE: rgnn.linear edge 200000000000 12800000000000 6400000000128 3200000000000 12608000000000
func.func @products(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %w: tensor<8x4xf32>, %t: tensor<5x8x4xf32>, %b: tensor<5x8xf32>,
                    %c: tensor<5x4x3xf32>)
    -> (tensor<?x4xf32, #edge>, tensor<?xf32, #edge>, tensor<8x4xf32>, tensor<5x8x4xf32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x8x3xf32>) {
  %u = rgnn.gather src %x in %g : tensor<?x8xf32, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x8xf32, #node>
  %0 = rgnn.linear %u, %w : tensor<?x8xf32, #edge>, tensor<8x4xf32>
  %1 = rgnn.typed_linear %u, %t by etype in %g : tensor<?x8xf32, #edge>, tensor<5x8x4xf32>
  // One of the operands is read once.
  %2 = rgnn.dot %v, %v : tensor<?x8xf32, #edge>
  %3 = rgnn.outer_sum %u, %0 : tensor<?x8xf32, #edge>, tensor<?x4xf32, #edge>
  %4 = rgnn.typed_outer_sum %u, %1 by etype in %g : tensor<?x8xf32, #edge>, tensor<?x4xf32, #edge> -> tensor<5x8x4xf32>
  %5 = rgnn.sum_rows %0 : tensor<?x4xf32, #edge>
  %6 = rgnn.linear %b, %w : tensor<5x8xf32>, tensor<8x4xf32>
  %7 = rgnn.matmul %t, %c : tensor<5x8x4xf32>, tensor<5x4x3xf32>
  return %1, %2, %3, %4, %5, %6, %7 : tensor<?x4xf32, #edge>, tensor<?xf32, #edge>, tensor<8x4xf32>, tensor<5x8x4xf32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x8x3xf32>
}

// A map makes three numbers of an element here; to compare, to choose and to convert makes none. In bf16, two bytes
// each.
//      CHECK: cost of @rows
// CHECK-NEXT: op domain
// CHECK-NEXT: rgnn.map node 100 1200 816 800 0
// CHECK-NEXT: rgnn.reduce_features node 100 500 800 200 0
// CHECK-NEXT: rgnn.reduce_features node 100 400 800 200 0
// CHECK-NEXT: rgnn.softmax node 100 2000 800 800 0
// CHECK-NEXT: rgnn.concat node 100 800 1600 1600 0
// CHECK-NEXT: rgnn.norm node 100 900 800 200 0
// CHECK-NEXT: rgnn.cross node 100 900 1200 600 0
func.func @rows(%x: tensor<?x4xbf16, #node>, %b: tensor<4xf32>, %u: tensor<?x3xbf16, #node>, %v: tensor<?x3xbf16, #node>)
    -> (tensor<?xbf16, #node>, tensor<?xbf16, #node>, tensor<?x2x2xbf16, #node>, tensor<?x8xbf16, #node>, tensor<?xbf16, #node>, tensor<?x3xbf16, #node>) {
  %m = rgnn.map %x, %b : (tensor<?x4xbf16, #node>, tensor<4xf32>) -> tensor<?x4xbf16, #node> {
  ^bb0(%p: bf16, %q: f32):
    %zero = arith.constant 0.0 : f32
    %w = arith.extf %p : bf16 to f32
    %s = arith.addf %w, %q : f32
    %e = math.exp %s : f32
    %c = arith.cmpf oge, %e, %zero : f32
    %t = arith.mulf %e, %q : f32
    %o = arith.select %c, %s, %t : f32
    %n = arith.truncf %o : f32 to bf16
    rgnn.yield %n : bf16
  }
  %0 = rgnn.reduce_features mean %m dim 1 : tensor<?x4xbf16, #node>
  %1 = rgnn.reduce_features max %m dim 1 : tensor<?x4xbf16, #node>
  %2 = rgnn.softmax %m : tensor<?x4xbf16, #node>
  %3 = rgnn.reshape %2 : tensor<?x4xbf16, #node> -> tensor<?x2x2xbf16, #node>
  %4 = rgnn.concat %2, %m dim 1 : tensor<?x4xbf16, #node>, tensor<?x4xbf16, #node>
  %5 = rgnn.norm %m : tensor<?x4xbf16, #node>
  %6 = rgnn.cross %u, %v : tensor<?x3xbf16, #node>, tensor<?x3xbf16, #node>
  return %0, %1, %3, %4, %5, %6 : tensor<?xbf16, #node>, tensor<?xbf16, #node>, tensor<?x2x2xbf16, #node>, tensor<?x8xbf16, #node>, tensor<?xbf16, #node>, tensor<?x3xbf16, #node>
}

// Of the edges of a node, sorted: steps of the order of a logarithm, as a constant.
//      CHECK: cost of @ranks
// CHECK-NEXT: op domain
// CHECK-NEXT: rgnn.group_excess edge 1000 64000 16000 16000 0
// CHECK-NEXT: rgnn.group_sum_below edge 1000 64000 32000 16000 0
func.func @ranks(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>) -> (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) {
  %0 = rgnn.group_excess dst %x over %x in %g : tensor<?x4xf32, #edge>
  %1 = rgnn.group_sum_below dst %0 where %x below %x in %g : tensor<?x4xf32, #edge>
  return %0, %1 : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>
}

// Softmax reads its rows twice. What a caller gets is copied to it.
//      CHECK: cost of @movement
// CHECK-NEXT: op domain
// CHECK-NEXT: rgnn.reduce edge 1000 4000 16000 1600 0
// CHECK-NEXT: rgnn.reduce edge 1000 6000 16000 8000 0
// CHECK-NEXT: rgnn.group_softmax edge 1000 20000 32000 16000 0
// CHECK-NEXT: rgnn.degree dst_pair 500 0 0 2000 0
// CHECK-NEXT: rgnn.gather edge 1000 0 16000 16000 0
func.func @movement(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>)
    -> (tensor<?x4xf32, #node>, tensor<?x4xf32, #dst_pair>, tensor<?x4xf32, #edge>, tensor<?xf32, #dst_pair>, tensor<?x4xf32>) {
  %0 = rgnn.reduce max dst %x in %g : tensor<?x4xf32, #edge>
  %1 = rgnn.reduce mean dst_pair %x in %g : tensor<?x4xf32, #edge>
  %2 = rgnn.group_softmax dst %x in %g : tensor<?x4xf32, #edge>
  %3 = rgnn.degree dst_pair in %g : tensor<?xf32, #dst_pair>
  %4 = rgnn.gather src %0 in %g : tensor<?x4xf32, #node>
  %5 = rgnn.unplace %4 : tensor<?x4xf32, #edge>
  return %0, %1, %2, %3, %5 : tensor<?x4xf32, #node>, tensor<?x4xf32, #dst_pair>, tensor<?x4xf32, #edge>, tensor<?xf32, #dst_pair>, tensor<?x4xf32>
}

// Rows of tables: without bases like a gather, with two bases a product for each edge.
//      CHECK: cost of @tables
// CHECK-NEXT: op domain
// CHECK-NEXT: rgnn.lookup edge 1000 16000 32040 16000 0
// CHECK-NEXT: rgnn.map edge 1000 4000 32000 16000 0
// CHECK-NEXT: rgnn.lookup_sum edge 1000 4000 16000 8000 0
func.func @tables(%g: !rgnn.graph<@g0>, %t: tensor<5x100x4xf32>, %b: tensor<2x100x4xf32>, %c: tensor<5x2xf32>) -> tensor<5x100x4xf32> {
  %u = rgnn.lookup src %t in %g : (tensor<5x100x4xf32>) -> !rgnn.graph<@g0>
  %v = rgnn.lookup src %b bases(%c) in %g : (tensor<2x100x4xf32>, tensor<5x2xf32>) -> !rgnn.graph<@g0>
  %s = rgnn.map %u, %v : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %o = arith.addf %i, %j : f32
    rgnn.yield %o : f32
  }
  %d = rgnn.lookup_sum src %s in %g : tensor<?x4xf32, #edge> -> tensor<5x100x4xf32>
  return %d : tensor<5x100x4xf32>
}

// Plain tensors are of the domain that they are placed on.
//      CHECK: cost of @types
// CHECK-NEXT: op domain
// CHECK-NEXT: rgnn.linear node 30 1920 1088 480 0
// CHECK-NEXT: rgnn.linear node 70 2240 1184 1120 0
// CHECK-NEXT: rgnn.concat_types node 100 400 1600 1600 0
func.func @types(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32>, %y: tensor<?x4xf32>, %v: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %0 = rgnn.place %x in %g : tensor<?x8xf32> -> tensor<?x8xf32, #node0>
  %1 = rgnn.place %y in %g : tensor<?x4xf32> -> tensor<?x4xf32, #node1>
  %2 = rgnn.linear %0, %v : tensor<?x8xf32, #node0>, tensor<8x4xf32>
  %3 = rgnn.linear %1, %w : tensor<?x4xf32, #node1>, tensor<4x4xf32>
  %4 = rgnn.concat_types %2, %3 in %g : (tensor<?x4xf32, #node0>, tensor<?x4xf32, #node1>) -> tensor<?x4xf32, #node>
  %5 = rgnn.unplace %4 : tensor<?x4xf32, #node>
  return %5 : tensor<?x4xf32>
}

// Redundant: of both ends joined, a product with each half of the weight for each node; of their difference, one
// product for each node; with weights by type, one for each pair; of rows of the type, one for each type. The square of
// the difference belongs to the edge. A function of one end is one of nodes.
//      CHECK: cost of @redundant
// CHECK-NEXT: op domain
// CHECK-NEXT: rgnn.concat edge 1000 16000 {{[0-9]+}} {{[0-9]+}} 0
// CHECK-NEXT: rgnn.linear edge 1000 96000 {{[0-9]+}} {{[0-9]+}} 86400
// CHECK-NEXT: rgnn.map edge 1000 8000 {{[0-9]+}} {{[0-9]+}} 0
// CHECK-NEXT: rgnn.linear edge 1000 48000 {{[0-9]+}} {{[0-9]+}} 43200
// CHECK-NEXT: rgnn.typed_linear edge 1000 48000 {{[0-9]+}} {{[0-9]+}} 4800
// CHECK-NEXT: rgnn.linear edge 1000 48000 {{[0-9]+}} {{[0-9]+}} 47760
// CHECK-NEXT: rgnn.map edge 1000 8000 {{[0-9]+}} {{[0-9]+}} 0
// CHECK-NEXT: rgnn.linear edge 1000 48000 {{[0-9]+}} {{[0-9]+}} 0
// CHECK-NEXT: rgnn.map edge 1000 8000 {{[0-9]+}} {{[0-9]+}} 7200
func.func @redundant(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %t: tensor<5x8xf32, #etype>, %w: tensor<16x3xf32>, %v: tensor<8x3xf32>,
                     %r: tensor<5x8x3xf32>)
    -> (tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x8xf32, #edge>) {
  %a = rgnn.gather src %x in %g : tensor<?x8xf32, #node>
  %b = rgnn.gather dst %x in %g : tensor<?x8xf32, #node>
  %c = rgnn.concat %a, %b dim 1 : tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>
  %0 = rgnn.linear %c, %w : tensor<?x16xf32, #edge>, tensor<16x3xf32>
  %d = rgnn.map %a, %b : (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.subf %i, %j : f32
    rgnn.yield %s : f32
  }
  %1 = rgnn.linear %d, %v : tensor<?x8xf32, #edge>, tensor<8x3xf32>
  %2 = rgnn.typed_linear %d, %r by etype in %g : tensor<?x8xf32, #edge>, tensor<5x8x3xf32>
  %e = rgnn.gather etype %t in %g : tensor<5x8xf32, #etype>
  %3 = rgnn.linear %e, %v : tensor<?x8xf32, #edge>, tensor<8x3xf32>
  %q = rgnn.map %d : (tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #edge> {
  ^bb0(%i: f32):
    %s = arith.mulf %i, %i : f32
    rgnn.yield %s : f32
  }
  %4 = rgnn.linear %q, %v : tensor<?x8xf32, #edge>, tensor<8x3xf32>
  %5 = rgnn.map %b : (tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #edge> {
  ^bb0(%i: f32):
    %s = math.tanh %i : f32
    rgnn.yield %s : f32
  }
  return %0, %1, %2, %3, %4, %5 : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x8xf32, #edge>
}

// Nothing to divide by.
//      CHECK: cost of @nothing
//      CHECK: all 0 0 0 0 0
// CHECK-NEXT: redundant: 0.0 % of operations
func.func @nothing(%g: !rgnn.graph<@g0>) {
  return
}

// CHECK-NOT: cost of
func.func private @declared(%g: !rgnn.graph<@g0>)
