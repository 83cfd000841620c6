// RUN: rgnn-opt %s | rgnn-opt | FileCheck %s
// RUN: rgnn-opt %s --mlir-print-op-generic | rgnn-opt | FileCheck %s

// CHECK-LABEL: func @graph
//       CHECK: hetkernel.view dst_offsets of %{{.*}} : !rgnn.graph<@g0> -> tensor<?xi32>
//       CHECK: hetkernel.view etype_tiles 96 of %{{.*}} : !rgnn.graph<@g0> -> tensor<?x3xi32>
//       CHECK: hetkernel.size node of %{{.*}} : !rgnn.graph<@g0>
//       CHECK: hetkernel.size node_of_type 2 of %{{.*}} : !rgnn.graph<@g0>
func.func @graph(%g: !rgnn.graph<@g0>) -> (tensor<?xi32>, tensor<?x3xi32>, index, index) {
  %o = hetkernel.view dst_offsets of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %t = hetkernel.view etype_tiles 96 of %g : !rgnn.graph<@g0> -> tensor<?x3xi32>
  %n = hetkernel.size node of %g : !rgnn.graph<@g0>
  %m = hetkernel.size node_of_type 2 of %g : !rgnn.graph<@g0>
  return %o, %t, %n, %m : tensor<?xi32>, tensor<?x3xi32>, index, index
}

// CHECK-LABEL: func @scatter
//       CHECK: hetkernel.scatter %{{.*}} by %{{.*}}, %{{.*}} : !hetkernel.segment<f32>, tensor<?xi32>, tensor<?xi32>
func.func @scatter(%n: index, %p: tensor<?xi32>, %l: tensor<?xi32>, %x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %y = hetkernel.traverse rows(%n) segments(%p : tensor<?xi32>) outs(%o : tensor<?xf32>) {
  ^bb0(%i: index):
    %kept = hetkernel.for_each %i {
    ^bb0(%e: index):
      %r = hetkernel.row %x[%e] : tensor<?xf32> -> f32
      hetkernel.yield %r : f32
    } -> !hetkernel.segment<f32>
    %s = hetkernel.scatter %kept by %l, %l : !hetkernel.segment<f32>, tensor<?xi32>, tensor<?xi32>
    hetkernel.yield %s : !hetkernel.segment<f32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func @gemm
//       CHECK: hetkernel.gemm x(%{{.*}} : tensor<?x64xf32>) weight(%{{.*}} : tensor<64x32xf32>) outs(%{{.*}} : tensor<?x32xf32>) -> tensor<?x32xf32>
//       CHECK: hetkernel.gemm x(%{{.*}} gather %{{.*}} : tensor<?x64xf32>, tensor<?xi32>) weight(%{{.*}} transposed : tensor<5x32x64xf32>) tiles(%{{.*}} : tensor<?x3xi32>) scale(%{{.*}} : tensor<?xf32>) bias(%{{.*}} : tensor<5x32xf32>) outs(%{{.*}} scatter %{{.*}} : tensor<?x32xf32>, tensor<?xi32>) accumulate atomic schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 6, block_vectors = 2, vector_width = 8> -> tensor<?x32xf32>
func.func @gemm(%x: tensor<?x64xf32>, %w: tensor<64x32xf32>, %wt: tensor<5x32x64xf32>, %l: tensor<?xi32>, %t: tensor<?x3xi32>,
                %c: tensor<?xf32>, %b: tensor<5x32xf32>, %o: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %y = hetkernel.gemm x(%x : tensor<?x64xf32>) weight(%w : tensor<64x32xf32>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
  %z = hetkernel.gemm x(%x gather %l : tensor<?x64xf32>, tensor<?xi32>) weight(%wt transposed : tensor<5x32x64xf32>)
      tiles(%t : tensor<?x3xi32>) scale(%c : tensor<?xf32>) bias(%b : tensor<5x32xf32>) outs(%y scatter %l : tensor<?x32xf32>, tensor<?xi32>) accumulate atomic
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 6, block_vectors = 2, vector_width = 8> -> tensor<?x32xf32>
  return %z : tensor<?x32xf32>
}

// CHECK-LABEL: func @traverse
//       CHECK: hetkernel.traverse rows(%{{.*}}) segments(%{{.*}} : memref<?xi32>) outs(%{{.*}}, %{{.*}} : memref<?x2xf32>, memref<?xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64> {
//       CHECK: hetkernel.for_each %{{.*}} init(%{{.*}} : vector<2xf32>) {
//       CHECK: hetkernel.lookup %{{.*}}[%{{.*}}] : memref<?xi32>
//       CHECK: hetkernel.row %{{.*}}[%{{.*}}] : memref<?x2xf32> -> vector<2xf32>
//       CHECK: hetkernel.row %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x2xf32> -> f32
//       CHECK: hetkernel.row %{{.*}}[] : memref<2xf32> -> vector<2xf32>
//       CHECK: hetkernel.yield %{{.*}}, %{{.*}} : vector<2xf32>, f32
//       CHECK: } -> vector<2xf32>, !hetkernel.segment<f32>
//       CHECK: hetkernel.element %{{.*}}[%{{.*}}] : !hetkernel.segment<f32>
func.func @traverse(%n: index, %p: memref<?xi32>, %x: memref<?x2xf32>, %b: memref<2xf32>, %o: memref<?x2xf32>, %q: memref<?xf32>) {
  %zero = arith.constant dense<0.0> : vector<2xf32>
  %c0 = arith.constant 0 : index
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o, %q : memref<?x2xf32>, memref<?xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64> {
  ^bb0(%i: index):
    %sum, %kept = hetkernel.for_each %i init(%zero : vector<2xf32>) {
    ^bb0(%e: index, %acc: vector<2xf32>):
      %u = hetkernel.lookup %p[%e] : memref<?xi32>
      %r = hetkernel.row %x[%u] : memref<?x2xf32> -> vector<2xf32>
      %s = hetkernel.row %x[%u, %c0] : memref<?x2xf32> -> f32
      %bias = hetkernel.row %b[] : memref<2xf32> -> vector<2xf32>
      %rb = arith.addf %r, %bias : vector<2xf32>
      %a = arith.addf %acc, %rb : vector<2xf32>
      hetkernel.yield %a, %s : vector<2xf32>, f32
    } -> vector<2xf32>, !hetkernel.segment<f32>
    %twice = hetkernel.for_each %i {
    ^bb0(%e: index):
      %s = hetkernel.element %kept[%e] : !hetkernel.segment<f32>
      %d = arith.addf %s, %s : f32
      hetkernel.yield %d : f32
    } -> !hetkernel.segment<f32>
    hetkernel.yield %sum, %twice : vector<2xf32>, !hetkernel.segment<f32>
  }
  return
}

// CHECK-LABEL: func @rank
//       CHECK: hetkernel.rank x(%{{.*}} : tensor<?x4xf32>) y(%{{.*}} : tensor<?x4xf32>) segments(%{{.*}} : tensor<?xi32>) outs(%{{.*}} : tensor<?x4xf32>) -> tensor<?x4xf32>
//       CHECK: hetkernel.rank x(%{{.*}} : tensor<?x4xf32>) y(%{{.*}} : tensor<?x4xf32>) values(%{{.*}} : tensor<?x4xf32>) segments(%{{.*}} list %{{.*}} : tensor<?xi32>, tensor<?xi32>) outs(%{{.*}} : tensor<?x4xf32>) -> tensor<?x4xf32>
func.func @rank(%x: tensor<?x4xf32>, %s: tensor<?xi32>, %l: tensor<?xi32>, %o: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = hetkernel.rank x(%x : tensor<?x4xf32>) y(%x : tensor<?x4xf32>) segments(%s : tensor<?xi32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = hetkernel.rank x(%x : tensor<?x4xf32>) y(%0 : tensor<?x4xf32>) values(%0 : tensor<?x4xf32>) segments(%s list %l : tensor<?xi32>, tensor<?xi32>)
      outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func @concat
//       CHECK: hetkernel.concat(%{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<3x8xf32>) outs(%{{.*}} : tensor<?x8xf32>) -> tensor<?x8xf32>
func.func @concat(%a: tensor<?x8xf32>, %b: tensor<3x8xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %all = hetkernel.concat (%a, %b : tensor<?x8xf32>, tensor<3x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %all : tensor<?x8xf32>
}

// CHECK-LABEL: func @outer_sum
//       CHECK: hetkernel.outer_sum x(%{{.*}} : tensor<?x2x8xf32>) y(%{{.*}} : tensor<?x2x4xf32>) outs(%{{.*}} : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
//       CHECK: hetkernel.outer_sum x(%{{.*}} gather %{{.*}} : tensor<?x2x8xf32>, tensor<?xi32>) y(%{{.*}} gather %{{.*}} : tensor<?x2x4xf32>, tensor<?xi32>) tiles(%{{.*}} : tensor<?x3xi32>) outs(%{{.*}} : tensor<?x2x8x4xf32>) schedule #hetkernel.cpu_gemm<tile_rows = 1024, block_rows = 6, block_vectors = 2, vector_width = 8> -> tensor<?x2x8x4xf32>
//       CHECK: hetkernel.outer_sum y(%{{.*}} : tensor<?x2x4xf32>) outs(%{{.*}} : tensor<2x4xf32>) -> tensor<2x4xf32>
func.func @outer_sum(%x: tensor<?x2x8xf32>, %y: tensor<?x2x4xf32>, %l: tensor<?xi32>, %t: tensor<?x3xi32>, %o: tensor<2x8x4xf32>,
                     %p: tensor<?x2x8x4xf32>, %q: tensor<2x4xf32>) -> (tensor<2x8x4xf32>, tensor<?x2x8x4xf32>, tensor<2x4xf32>) {
  %a = hetkernel.outer_sum x(%x : tensor<?x2x8xf32>) y(%y : tensor<?x2x4xf32>) outs(%o : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %b = hetkernel.outer_sum x(%x gather %l : tensor<?x2x8xf32>, tensor<?xi32>) y(%y gather %l : tensor<?x2x4xf32>, tensor<?xi32>)
      tiles(%t : tensor<?x3xi32>) outs(%p : tensor<?x2x8x4xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 1024, block_rows = 6, block_vectors = 2, vector_width = 8> -> tensor<?x2x8x4xf32>
  %c = hetkernel.outer_sum y(%y : tensor<?x2x4xf32>) outs(%q : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %a, %b, %c : tensor<2x8x4xf32>, tensor<?x2x8x4xf32>, tensor<2x4xf32>
}
