// RUN: rgnn-opt %s --hetkernel-print-traffic="nodes=100 edges=1000 src-pairs=400 dst-pairs=500 nodes-of-type=30,70" -o %t.after \
// RUN:   2>&1 | FileCheck %s
// RUN: rgnn-opt %s | diff - %t.after

rgnn.schema @g0 edge_types(5)

// A row of x for each slot of the list; one of the scale, and of what is there, for each product.
//      CHECK: traffic of @products
// CHECK-NEXT: kernel rows inner rows bytes read bytes written
// CHECK-NEXT: hetkernel.gemm 1000 0 32640 16000
// CHECK-NEXT: hetkernel.gemm 100 0 5328 1600
// CHECK-NEXT: hetkernel.outer_sum 500 0 24000 640
// CHECK-NEXT: hetkernel.outer_sum 1000 0 16000 16
// CHECK-NEXT: all 2600 0 77968 18256
func.func @products(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32> {rgnn.rows = #rgnn.rows<node, @g0>}, %w: tensor<5x8x4xf32>, %v: tensor<8x4xf32>,
                    %s: tensor<?xf32> {rgnn.rows = #rgnn.rows<node, @g0>})
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<5x8x4xf32>, tensor<4xf32>) {
  %e = hetkernel.size edge of %g : !rgnn.graph<@g0>
  %src = hetkernel.view etype_src of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %tiles = hetkernel.view etype_tiles 96 of %g : !rgnn.graph<@g0> -> tensor<?x3xi32>
  %m = tensor.empty(%e) : tensor<?x4xf32>
  %0 = hetkernel.gemm x(%x gather %src : tensor<?x8xf32>, tensor<?xi32>) weight(%w : tensor<5x8x4xf32>)
      tiles(%tiles : tensor<?x3xi32>) outs(%m : tensor<?x4xf32>) -> tensor<?x4xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %o = tensor.empty(%n) : tensor<?x4xf32>
  %1 = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%v : tensor<8x4xf32>) scale(%s : tensor<?xf32>)
      outs(%o : tensor<?x4xf32>) accumulate -> tensor<?x4xf32>
  %pairs = hetkernel.view dst_pair_tiles 96 of %g : !rgnn.graph<@g0> -> tensor<?x3xi32>
  %node = hetkernel.view dst_pair_node of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %d = tensor.empty() : tensor<5x8x4xf32>
  %2 = hetkernel.outer_sum x(%x gather %node : tensor<?x8xf32>, tensor<?xi32>) y(%1 gather %node : tensor<?x4xf32>, tensor<?xi32>)
      tiles(%pairs : tensor<?x3xi32>) outs(%d : tensor<5x8x4xf32>) -> tensor<5x8x4xf32>
  %b = tensor.empty() : tensor<4xf32>
  %3 = hetkernel.outer_sum y(%0 : tensor<?x4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<5x8x4xf32>, tensor<4xf32>
}

// Of 70 nodes of a type, bf16 numbers. The weight is read once, the outer row 70 times, and inner rows as many as there
// are edges, in both loops; one number for each edge is written.
//      CHECK: traffic of @traversal
//      CHECK: hetkernel.traverse 70 1000 8576 2560
func.func @traversal(%g: !rgnn.graph<@g0>, %x: tensor<?x4xbf16> {rgnn.rows = #rgnn.rows<node, @g0, type = 1>},
                     %a: tensor<?x2xf32> {rgnn.rows = #rgnn.rows<edge, @g0>}, %w: tensor<4xf32>) -> (tensor<?x4xbf16>, tensor<?xbf16>) {
  %n = hetkernel.size node_of_type 1 of %g : !rgnn.graph<@g0>
  %e = hetkernel.size edge of %g : !rgnn.graph<@g0>
  %offsets = hetkernel.view dst_offsets of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %o = tensor.empty(%n) : tensor<?x4xbf16>
  %p = tensor.empty(%e) : tensor<?xbf16>
  %r:2 = hetkernel.traverse rows(%n) segments(%offsets : tensor<?xi32>) outs(%o, %p : tensor<?x4xbf16>, tensor<?xbf16>) {
  ^bb0(%i: index):
    %zero = arith.constant 0.0 : f32
    %stored = hetkernel.row %x[%i] : tensor<?x4xbf16> -> vector<4xbf16>
    %row = arith.extf %stored : vector<4xbf16> to vector<4xf32>
    %all = hetkernel.row %w[] : tensor<4xf32> -> vector<4xf32>
    %c1 = arith.constant 1 : index
    %sum = hetkernel.for_each %i init(%zero : f32) {
    ^bb0(%j: index, %acc: f32):
      %c = arith.constant 0 : index
      %q = hetkernel.row %a[%j, %c] : tensor<?x2xf32> -> f32
      %s = arith.addf %acc, %q : f32
      hetkernel.yield %s : f32
    } -> f32
    %kept = hetkernel.for_each %i {
    ^bb0(%j: index):
      %q = hetkernel.row %a[%j, %c1] : tensor<?x2xf32> -> f32
      %s = arith.divf %q, %sum : f32
      %t = arith.truncf %s : f32 to bf16
      hetkernel.yield %t : bf16
    } -> !hetkernel.segment<bf16>
    %m = arith.mulf %row, %all : vector<4xf32>
    %t = arith.truncf %m : vector<4xf32> to vector<4xbf16>
    hetkernel.yield %t, %kept : vector<4xbf16>, !hetkernel.segment<bf16>
  } -> tensor<?x4xbf16>, tensor<?xbf16>
  return %r#0, %r#1 : tensor<?x4xbf16>, tensor<?xbf16>
}

//      CHECK: traffic of @parts
//      CHECK: hetkernel.concat 100 0 3200 3200
func.func @parts(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32> {rgnn.rows = #rgnn.rows<node, @g0, type = 0>},
                 %y: tensor<?x8xf32> {rgnn.rows = #rgnn.rows<node, @g0, type = 1>}) -> tensor<?x8xf32> {
  %n = hetkernel.size node of %g : !rgnn.graph<@g0>
  %o = tensor.empty(%n) : tensor<?x8xf32>
  %r = hetkernel.concat (%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

//      CHECK: traffic of @rank
//      CHECK: hetkernel.rank 1000 0 32000 16000
func.func @rank(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32> {rgnn.rows = #rgnn.rows<edge, @g0>},
                %y: tensor<?x4xf32> {rgnn.rows = #rgnn.rows<edge, @g0>}) -> tensor<?x4xf32> {
  %n = hetkernel.size edge of %g : !rgnn.graph<@g0>
  %o = tensor.empty(%n) : tensor<?x4xf32>
  %s = hetkernel.view dst_offsets of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %r = hetkernel.rank x(%x : tensor<?x4xf32>) y(%y : tensor<?x4xf32>) segments(%s : tensor<?xi32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// A table of 5 x 100 rows, and what edges of each type and source add up to.
//      CHECK: traffic of @table
//      CHECK: hetkernel.traverse 500 1000 32000 16000
func.func @table(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32> {rgnn.rows = #rgnn.rows<edge, @g0>}) -> tensor<500x8xf32> {
  %n = arith.constant 500 : index
  %offsets = hetkernel.view src_table_offsets of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %o = tensor.empty() : tensor<500x8xf32>
  %r = hetkernel.traverse rows(%n) segments(%offsets : tensor<?xi32>) outs(%o : tensor<500x8xf32>) {
  ^bb0(%i: index):
    %zero = arith.constant dense<0.0> : vector<8xf32>
    %sum = hetkernel.for_each %i init(%zero : vector<8xf32>) {
    ^bb0(%j: index, %acc: vector<8xf32>):
      %q = hetkernel.row %x[%j] : tensor<?x8xf32> -> vector<8xf32>
      %s = arith.addf %acc, %q : vector<8xf32>
      hetkernel.yield %s : vector<8xf32>
    } -> vector<8xf32>
    hetkernel.yield %sum : vector<8xf32>
  } -> tensor<500x8xf32>
  return %r : tensor<500x8xf32>
}

// Of 100 rows that 1,000 edges gather, each is needed once, beside a list of 1,000 sources and 101 offsets. To add and to
// scale is an operation on each number; to compare and to choose is none.
//      CHECK: traffic of @needed
// CHECK-NEXT: kernel rows inner rows bytes read bytes written bytes needed operations
// CHECK-NEXT: hetkernel.traverse 100 1000 35200 3200 10804 8800
// CHECK-NEXT: hetkernel.gemm 1000 0 32128 16000 23328 64000
// CHECK-NEXT: hetkernel.outer_sum 1000 0 16000 16 16016 4000
func.func @needed(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32> {rgnn.rows = #rgnn.rows<node, @g0>}, %w: tensor<8x4xf32>)
    -> (tensor<?x8xf32>, tensor<?x4xf32>, tensor<4xf32>) {
  %n = hetkernel.size node of %g : !rgnn.graph<@g0>
  %e = hetkernel.size edge of %g : !rgnn.graph<@g0>
  %offsets = hetkernel.view dst_offsets of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %src = hetkernel.view src_of_edge of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %o = tensor.empty(%n) : tensor<?x8xf32>
  %r = hetkernel.traverse rows(%n) segments(%offsets : tensor<?xi32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%i: index):
    %zero = arith.constant dense<0.0> : vector<8xf32>
    %sum = hetkernel.for_each %i init(%zero : vector<8xf32>) {
    ^bb0(%j: index, %acc: vector<8xf32>):
      %u = hetkernel.lookup %src[%j] : tensor<?xi32>
      %q = hetkernel.row %x[%u] : tensor<?x8xf32> -> vector<8xf32>
      %s = arith.addf %acc, %q : vector<8xf32>
      hetkernel.yield %s : vector<8xf32>
    } -> vector<8xf32>
    %own = hetkernel.row %x[%i] : tensor<?x8xf32> -> vector<8xf32>
    %m = arith.mulf %sum, %own : vector<8xf32>
    %p = arith.cmpf ogt, %m, %zero : vector<8xf32>
    %t = arith.select %p, %m, %zero : vector<8xi1>, vector<8xf32>
    hetkernel.yield %t : vector<8xf32>
  } -> tensor<?x8xf32>
  %y = tensor.empty(%e) : tensor<?x4xf32>
  %z = hetkernel.gemm x(%x gather %src : tensor<?x8xf32>, tensor<?xi32>) weight(%w : tensor<8x4xf32>) outs(%y : tensor<?x4xf32>)
      -> tensor<?x4xf32>
  %b = tensor.empty() : tensor<4xf32>
  %c = hetkernel.outer_sum y(%z : tensor<?x4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  return %r, %z, %c : tensor<?x8xf32>, tensor<?x4xf32>, tensor<4xf32>
}
