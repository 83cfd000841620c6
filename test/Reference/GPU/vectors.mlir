// Vectors in registers and in memory, and branches between blocks.

// RUN: rgnn-translate --rgnn-simulate-gpu %s | FileCheck %s --match-full-lines
// RUN: rgnn-opt %s --convert-scf-to-cf | rgnn-translate --rgnn-simulate-gpu | FileCheck %s --match-full-lines

// CHECK-LABEL: @parts: 0 launches
//  CHECK-NEXT: result 0: 3x2
//  CHECK-NEXT: 0 3
//  CHECK-NEXT: 1 4
//  CHECK-NEXT: 2 5
//  CHECK-NEXT: result 1: 2x2
//  CHECK-NEXT: 1 2
//  CHECK-NEXT: 4 5
//  CHECK-NEXT: result 2: 2x3
//  CHECK-NEXT: 0 1 2
//  CHECK-NEXT: 3 7 7
//  CHECK-NEXT: result 3: 2x3
//  CHECK-NEXT: 3 4 5
//  CHECK-NEXT: 0 1 2
//  CHECK-NEXT: result 4: 2x3
//  CHECK-NEXT: 1 1 1
//  CHECK-NEXT: 4 4 4
func.func @parts() -> (vector<3x2xi32>, vector<2x2xi32>, vector<2x3xi32>, vector<2x3xi32>, vector<2x3xi32>) {
  %v = arith.constant dense<[[0, 1, 2], [3, 4, 5]]> : vector<2x3xi32>
  %seven = arith.constant dense<7> : vector<2xi32>
  %one = arith.constant 1 : index
  %0 = vector.transpose %v, [1, 0] : vector<2x3xi32> to vector<3x2xi32>
  %1 = vector.extract_strided_slice %v {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x3xi32> to vector<2x2xi32>
  %2 = vector.insert_strided_slice %seven, %v {offsets = [1, 1], strides = [1]} : vector<2xi32> into vector<2x3xi32>
  %3 = vector.shuffle %v, %v [1, 2] : vector<2x3xi32>, vector<2x3xi32>
  %row = vector.extract %0[%one] : vector<2xi32> from vector<3x2xi32>
  %column = vector.shape_cast %row : vector<2xi32> to vector<2x1xi32>
  %4 = vector.broadcast %column : vector<2x1xi32> to vector<2x3xi32>
  return %0, %1, %2, %3, %4 : vector<3x2xi32>, vector<2x2xi32>, vector<2x3xi32>, vector<2x3xi32>, vector<2x3xi32>
}

// CHECK-LABEL: @reductions: 0 launches
//  CHECK-NEXT: result 0: scalar
//  CHECK-NEXT: 25
//  CHECK-NEXT: result 1: 2
//  CHECK-NEXT: 2
//  CHECK-NEXT: 5
//  CHECK-NEXT: result 2: 3
//  CHECK-NEXT: 103
//  CHECK-NEXT: 105
//  CHECK-NEXT: 107
func.func @reductions() -> (f32, vector<2xf32>, vector<3xf32>) {
  %v = arith.constant dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : vector<2x3xf32>
  %ten = arith.constant 10.0 : f32
  %hundred = arith.constant dense<100.0> : vector<3xf32>
  %low = arith.constant dense<0xFF800000> : vector<2xf32>
  %flat = vector.shape_cast %v : vector<2x3xf32> to vector<6xf32>
  %0 = vector.reduction <add>, %flat, %ten : vector<6xf32> into f32
  %1 = vector.multi_reduction <maximumf>, %v, %low [1] : vector<2x3xf32> to vector<2xf32>
  %2 = vector.multi_reduction <add>, %v, %hundred [0] : vector<2x3xf32> to vector<3xf32>
  return %0, %1, %2 : f32, vector<2xf32>, vector<3xf32>
}

// Behind the last column a transfer reads its padding and writes nothing, and a mask keeps elements out.
// CHECK-LABEL: @transfers: 1 launches
//  CHECK-NEXT: result 0: 4x4
//  CHECK-NEXT: 2 3 -1 -1
//  CHECK-NEXT: 2 3 -9 -9
//  CHECK-NEXT: -9 1 2 -9
//  CHECK-NEXT: 1 1 1 1
func.func @transfers() -> memref<4x4xi32> {
  %c1 = arith.constant 1 : index
  %o = memref.alloc() : memref<4x4xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %d2 = arith.constant 2 : index
    %d3 = arith.constant 3 : index
    %padding = arith.constant -1 : i32
    %own = memref.alloca() : memref<1x4xi32>
    %numbers = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
    vector.store %numbers, %own[%c0, %c0] : memref<1x4xi32>, vector<4xi32>
    %none = arith.constant dense<-9> : vector<16xi32>
    %nothing = vector.shape_cast %none : vector<16xi32> to vector<4x4xi32>
    vector.transfer_write %nothing, %o[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xi32>, memref<4x4xi32>
    %a = vector.transfer_read %own[%c0, %d2], %padding : memref<1x4xi32>, vector<4xi32>
    vector.store %a, %o[%c0, %c0] : memref<4x4xi32>, vector<4xi32>
    %first = vector.create_mask %d2 : vector<4xi1>
    vector.maskedstore %o[%d1, %c0], %first, %a : memref<4x4xi32>, vector<4xi1>, vector<4xi32>
    %some = arith.constant dense<[false, true, true, false]> : vector<4xi1>
    %rest = arith.constant dense<-9> : vector<4xi32>
    %b = vector.maskedload %own[%c0, %c0], %some, %rest : memref<1x4xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
    vector.store %b, %o[%d2, %c0] : memref<4x4xi32>, vector<4xi32>
    %c = vector.transfer_read %own[%c0, %d1], %padding {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>} : memref<1x4xi32>, vector<4xi32>
    vector.transfer_write %c, %o[%d3, %c0] : vector<4xi32>, memref<4x4xi32>
    gpu.terminator
  }
  return %o : memref<4x4xi32>
}

// Fibonacci numbers, whose two accumulators change places.
// CHECK-LABEL: @carried: 1 launches
//  CHECK-NEXT: result 0: 6
//  CHECK-NEXT: 0
//  CHECK-NEXT: 1
//  CHECK-NEXT: 1
//  CHECK-NEXT: 2
//  CHECK-NEXT: 3
//  CHECK-NEXT: 5
func.func @carried() -> memref<6xindex> {
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %o = memref.alloc() : memref<6xindex>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c6, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %r:2 = scf.for %i = %c0 to %tx step %d1 iter_args(%a = %c0, %b = %d1) -> (index, index) {
      %s = arith.addi %a, %b : index
      scf.yield %b, %s : index, index
    }
    memref.store %r#0, %o[%tx] : memref<6xindex>
    gpu.terminator
  }
  return %o : memref<6xindex>
}

// Which of two returns gives the result is known at run time.
// CHECK-LABEL: @two_returns: 0 launches
//  CHECK-NEXT: result 0: 2
//  CHECK-NEXT: 1
//  CHECK-NEXT: 2
func.func @two_returns() -> vector<2xi32> {
  %yes = arith.constant true
  cf.cond_br %yes, ^first, ^second
^first:
  %a = arith.constant dense<[1, 2]> : vector<2xi32>
  return %a : vector<2xi32>
^second:
  %b = arith.constant dense<[3, 4]> : vector<2xi32>
  return %b : vector<2xi32>
}
