// RUN: rgnn-opt %s --rgnn-lower-vectors | FileCheck %s
// RUN: rgnn-opt %s --rgnn-lower-to-llvm | FileCheck %s --check-prefix=LLVM --implicit-check-not="{{ }}vector." --implicit-check-not=unrealized_conversion_cast

// Whatever the shape, only the llvm dialect is left.
// LLVM: llvm.func @reduce_rows(

// CHECK-LABEL: func.func @reduce_rows
//       CHECK:   vector.extract %{{.*}}[0] : vector<33xf32> from vector<2x33xf32>
//       CHECK:   vector.reduction <add>
func.func @reduce_rows(%v: vector<2x33xf32>, %init: vector<2xf32>) -> vector<2xf32> {
  %0 = vector.multi_reduction <add>, %v, %init [1] : vector<2x33xf32> to vector<2xf32>
  return %0 : vector<2xf32>
}

// CHECK-LABEL: func.func @reduce_columns
//   CHECK-NOT:   vector.multi_reduction
func.func @reduce_columns(%v: vector<3x7xf32>, %init: vector<7xf32>) -> vector<7xf32> {
  %0 = vector.multi_reduction <maximumf>, %v, %init [0] : vector<3x7xf32> to vector<7xf32>
  return %0 : vector<7xf32>
}

// CHECK-LABEL: func.func @contract
//   CHECK-NOT:   vector.contract
//       CHECK:   vector.fma
func.func @contract(%a: vector<4x8xf32>, %b: vector<8x16xf32>, %c: vector<4x16xf32>) -> vector<4x16xf32> {
  %0 = vector.contract {
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %a, %b, %c : vector<4x8xf32>, vector<8x16xf32> into vector<4x16xf32>
  return %0 : vector<4x16xf32>
}

// CHECK-LABEL: func.func @shapes
//   CHECK-NOT:   vector.shape_cast
//   CHECK-NOT:   vector.transpose
func.func @shapes(%v: vector<2x33xf32>) -> (vector<66xf32>, vector<33x2xf32>, vector<5x2x33xf32>) {
  %0 = vector.shape_cast %v : vector<2x33xf32> to vector<66xf32>
  %1 = vector.transpose %v, [1, 0] : vector<2x33xf32> to vector<33x2xf32>
  %2 = vector.broadcast %v : vector<2x33xf32> to vector<5x2x33xf32>
  return %0, %1, %2 : vector<66xf32>, vector<33x2xf32>, vector<5x2x33xf32>
}

func.func @elementwise(%v: vector<2x33xf32>, %w: vector<2x33xf32>, %u: vector<2x33xbf16>) -> (vector<2x33xf32>, vector<2x33xbf16>, vector<2x33xbf16>) {
  %0 = arith.maximumf %v, %w : vector<2x33xf32>
  %1 = math.exp %0 : vector<2x33xf32>
  %2 = math.fma %0, %1, %v : vector<2x33xf32>
  %3 = math.tanh %2 : vector<2x33xf32>
  %4 = math.sin %3 : vector<2x33xf32>
  %5 = arith.cmpf ogt, %4, %v : vector<2x33xf32>
  %6 = arith.select %5, %4, %v : vector<2x33xi1>, vector<2x33xf32>
  %7 = arith.truncf %6 : vector<2x33xf32> to vector<2x33xbf16>
  %8 = arith.addf %7, %u : vector<2x33xbf16>
  %9 = math.exp %u : vector<2x33xbf16>
  return %6, %8, %9 : vector<2x33xf32>, vector<2x33xbf16>, vector<2x33xbf16>
}

// CHECK-LABEL: func.func @masked
//   CHECK-NOT:   vector.mask {{.*}}vector.transfer
func.func @masked(%m: memref<?x?xf32>, %i: index, %rows: index, %columns: index, %pad: f32) {
  %0 = vector.create_mask %rows, %columns : vector<4x8xi1>
  %1 = vector.transfer_read %m[%i, %i], %pad, %0 : memref<?x?xf32>, vector<4x8xf32>
  %2 = vector.transfer_read %m[%i, %i], %pad : memref<?x?xf32>, vector<4x8xf32>
  %3 = arith.addf %1, %2 : vector<4x8xf32>
  vector.transfer_write %3, %m[%i, %i], %0 : vector<4x8xf32>, memref<?x?xf32>
  %4 = vector.mask %0 { vector.transfer_read %m[%i, %i], %pad : memref<?x?xf32>, vector<4x8xf32> } : vector<4x8xi1> -> vector<4x8xf32>
  vector.transfer_write %4, %m[%i, %i] : vector<4x8xf32>, memref<?x?xf32>
  return
}

func.func @columns(%m: memref<?x5xf32>, %i: index, %pad: f32) -> (vector<4xf32>, vector<3x4xf32>) {
  %0 = vector.transfer_read %m[%i, %i], %pad {permutation_map = affine_map<(r, c) -> (r)>} : memref<?x5xf32>, vector<4xf32>
  %1 = vector.transfer_read %m[%i, %i], %pad {permutation_map = affine_map<(r, c) -> (c, r)>} : memref<?x5xf32>, vector<3x4xf32>
  return %0, %1 : vector<4xf32>, vector<3x4xf32>
}

func.func @gathered(%m: memref<?x?xf32>, %c: index, %index: vector<2x3xi32>, %mask: vector<2x3xi1>, %pass: vector<2x3xf32>) -> vector<2x3xf32> {
  %0 = vector.gather %m[%c, %c] [%index], %mask, %pass : memref<?x?xf32>, vector<2x3xi32>, vector<2x3xi1>, vector<2x3xf32> into vector<2x3xf32>
  return %0 : vector<2x3xf32>
}

func.func @rows(%m: memref<?x33xf32>, %v: vector<2x33xf32>, %i: index) -> vector<2x33xf32> {
  %c0 = arith.constant 0 : index
  vector.store %v, %m[%i, %c0] : memref<?x33xf32>, vector<2x33xf32>
  %0 = vector.load %m[%i, %c0] : memref<?x33xf32>, vector<2x33xf32>
  return %0 : vector<2x33xf32>
}

func.func @elements(%a: f32, %v: vector<2x3xf32>, %w: vector<4x3xf32>) -> (vector<2x2xf32>, f32, vector<2x3xf32>, vector<4x3xf32>) {
  %0 = vector.from_elements %a, %a, %a, %a : vector<2x2xf32>
  %1 = vector.extract %v[0, 1] : f32 from vector<2x3xf32>
  %2 = vector.insert %a, %v[1, 2] : f32 into vector<2x3xf32>
  %3 = vector.insert_strided_slice %v, %w {offsets = [1, 0], strides = [1, 1]} : vector<2x3xf32> into vector<4x3xf32>
  return %0, %1, %2, %3 : vector<2x2xf32>, f32, vector<2x3xf32>, vector<4x3xf32>
}
