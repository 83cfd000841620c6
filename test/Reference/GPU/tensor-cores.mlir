// Fragments of a warp multiply as the matrices do that they are loaded from, by the layouts that the PTX ISA states.

// RUN: rgnn-translate --rgnn-simulate-gpu %s | FileCheck %s --match-full-lines
// RUN: sed 's/\bf16\b/bf16/g; s/xf16/xbf16/g' %s | rgnn-translate --rgnn-simulate-gpu | FileCheck %s --match-full-lines

// Lane 4 g + t holds A[g, t], A[g + 8, t], A[g, t + 4], A[g + 8, t + 4], and B[t, g], B[t + 4, g]. What a TF32 cannot hold
// of the 0.0001 is cut off.
// CHECK-LABEL: @tf32: 1 launches
//  CHECK-NEXT: result 0: 16x8
//  CHECK-NEXT: -4.5 -11.5 2.5 -11.5 -4.5 16.5 16.5 -4.5
//       CHECK: result 1: 16x8
// CHECK-COUNT-16: {{^}}0 0 0 0 0 0 0 0{{$}}
func.func @tf32() -> (memref<16x8xf32>, memref<16x8xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %d = memref.alloc() : memref<16x8xf32>
  %differences = memref.alloc() : memref<16x8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1)
      workgroup(%a : memref<16x8xf32, #gpu.address_space<workgroup>>, %b : memref<8x8xf32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %d2 = arith.constant 2 : index
    %d3 = arith.constant 3 : index
    %d4 = arith.constant 4 : index
    %d5 = arith.constant 5 : index
    %d7 = arith.constant 7 : index
    %d8 = arith.constant 8 : index
    %d11 = arith.constant 11 : index
    %d16 = arith.constant 16 : index
    %d32 = arith.constant 32 : index
    %half = arith.constant 5.0e-01 : f32
    scf.for %r = %tx to %d16 step %d32 {
      scf.for %c = %c0 to %d8 step %d1 {
        %rp = arith.muli %r, %d7 : index
        %cq = arith.muli %c, %d3 : index
        %n = arith.addi %rp, %cq : index
        %m = arith.remui %n, %d11 : index
        %s = arith.subi %m, %d5 : index
        %i = arith.index_cast %s : index to i32
        %f = arith.sitofp %i : i32 to f32
        memref.store %f, %a[%r, %c] : memref<16x8xf32, #gpu.address_space<workgroup>>
      }
    }
    scf.for %r = %tx to %d8 step %d32 {
      scf.for %c = %c0 to %d8 step %d1 {
        %rp = arith.muli %r, %d3 : index
        %cq = arith.muli %c, %d5 : index
        %n = arith.addi %rp, %cq : index
        %m = arith.remui %n, %d7 : index
        %s = arith.subi %m, %d3 : index
        %i = arith.index_cast %s : index to i32
        %f = arith.sitofp %i : i32 to f32
        memref.store %f, %b[%r, %c] : memref<8x8xf32, #gpu.address_space<workgroup>>
      }
    }
    gpu.barrier
    %g = arith.divui %tx, %d4 : index
    %t = arith.remui %tx, %d4 : index
    %g8 = arith.addi %g, %d8 : index
    %t4 = arith.addi %t, %d4 : index
    %a0 = memref.load %a[%g, %t] : memref<16x8xf32, #gpu.address_space<workgroup>>
    %a1 = memref.load %a[%g8, %t] : memref<16x8xf32, #gpu.address_space<workgroup>>
    %a2 = memref.load %a[%g, %t4] : memref<16x8xf32, #gpu.address_space<workgroup>>
    %a3 = memref.load %a[%g8, %t4] : memref<16x8xf32, #gpu.address_space<workgroup>>
    %b0 = memref.load %b[%t, %g] : memref<8x8xf32, #gpu.address_space<workgroup>>
    %b1 = memref.load %b[%t4, %g] : memref<8x8xf32, #gpu.address_space<workgroup>>
    %x0 = vector.from_elements %a0, %a1, %a2, %a3 : vector<4x1xf32>
    %tiny = arith.constant dense<1.0e-04> : vector<4x1xf32>
    %isOne = arith.constant dense<1.0> : vector<4x1xf32>
    %equal = arith.cmpf oeq, %x0, %isOne : vector<4x1xf32>
    %more = arith.addf %x0, %tiny : vector<4x1xf32>
    %x1 = arith.select %equal, %more, %x0 : vector<4x1xi1>, vector<4x1xf32>
    %x2 = vector.from_elements %b0, %b1 : vector<2x1xf32>
    %x3 = arith.constant dense<5.0e-01> : vector<2x2xf32>
    %sums = nvgpu.mma.sync (%x1, %x2, %x3) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
    %column = arith.muli %t, %d2 : index
    %top = vector.extract %sums[0] : vector<2xf32> from vector<2x2xf32>
    %bottom = vector.extract %sums[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %top, %d[%g, %column] : memref<16x8xf32>, vector<2xf32>
    vector.store %bottom, %d[%g8, %column] : memref<16x8xf32>, vector<2xf32>
    gpu.barrier
    // Lane 8 r + c computes column c of rows r, r + 4, r + 8 and r + 12.
    %first = arith.divui %tx, %d8 : index
    %c = arith.remui %tx, %d8 : index
    scf.for %r = %first to %d16 step %d4 {
      %sum = scf.for %k = %c0 to %d8 step %d1 iter_args(%s = %half) -> (f32) {
        %x = memref.load %a[%r, %k] : memref<16x8xf32, #gpu.address_space<workgroup>>
        %y = memref.load %b[%k, %c] : memref<8x8xf32, #gpu.address_space<workgroup>>
        %next = math.fma %x, %y, %s : f32
        scf.yield %next : f32
      }
      %got = memref.load %d[%r, %c] : memref<16x8xf32>
      %difference = arith.subf %got, %sum : f32
      memref.store %difference, %differences[%r, %c] : memref<16x8xf32>
    }
    gpu.terminator
  }
  return %d, %differences : memref<16x8xf32>, memref<16x8xf32>
}

// By ldmatrix: lane l says where row l % 16 of columns l / 16 * 8 on is, and row l % 16 of B, which is transposed on the way.
// CHECK-LABEL: @halves: 1 launches
//  CHECK-NEXT: result 0: 16x8
//  CHECK-NEXT: -24.5 -5.5 -7.5 -37.5 9.5 49.5 19.5 -24.5
//       CHECK: result 1: 16x8
// CHECK-COUNT-16: {{^}}0 0 0 0 0 0 0 0{{$}}
func.func @halves() -> (memref<16x8xf32>, memref<16x8xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %d = memref.alloc() : memref<16x8xf32>
  %differences = memref.alloc() : memref<16x8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1)
      workgroup(%a : memref<16x16xf16, #gpu.address_space<workgroup>>, %b : memref<16x8xf16, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %d2 = arith.constant 2 : index
    %d3 = arith.constant 3 : index
    %d4 = arith.constant 4 : index
    %d5 = arith.constant 5 : index
    %d7 = arith.constant 7 : index
    %d8 = arith.constant 8 : index
    %d11 = arith.constant 11 : index
    %d16 = arith.constant 16 : index
    %d32 = arith.constant 32 : index
    %half = arith.constant 5.0e-01 : f32
    scf.for %r = %tx to %d16 step %d32 {
      scf.for %c = %c0 to %d16 step %d1 {
        %rp = arith.muli %r, %d7 : index
        %cq = arith.muli %c, %d3 : index
        %n = arith.addi %rp, %cq : index
        %m = arith.remui %n, %d11 : index
        %s = arith.subi %m, %d5 : index
        %i = arith.index_cast %s : index to i32
        %f = arith.sitofp %i : i32 to f16
        memref.store %f, %a[%r, %c] : memref<16x16xf16, #gpu.address_space<workgroup>>
      }
    }
    scf.for %r = %tx to %d16 step %d32 {
      scf.for %c = %c0 to %d8 step %d1 {
        %rp = arith.muli %r, %d3 : index
        %cq = arith.muli %c, %d5 : index
        %n = arith.addi %rp, %cq : index
        %m = arith.remui %n, %d7 : index
        %s = arith.subi %m, %d3 : index
        %i = arith.index_cast %s : index to i32
        %f = arith.sitofp %i : i32 to f16
        memref.store %f, %b[%r, %c] : memref<16x8xf16, #gpu.address_space<workgroup>>
      }
    }
    gpu.barrier
    %g = arith.divui %tx, %d4 : index
    %t = arith.remui %tx, %d4 : index
    %g8 = arith.addi %g, %d8 : index
    %row = arith.remui %tx, %d16 : index
    %side = arith.divui %tx, %d16 : index
    %begin = arith.muli %side, %d8 : index
    %x1 = nvgpu.ldmatrix %a[%row, %begin] {numTiles = 4 : i32, transpose = false} : memref<16x16xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    %x2 = nvgpu.ldmatrix %b[%row, %c0] {numTiles = 2 : i32, transpose = true} : memref<16x8xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
    %x3 = arith.constant dense<5.0e-01> : vector<2x2xf32>
    %sums = nvgpu.mma.sync (%x1, %x2, %x3) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %column = arith.muli %t, %d2 : index
    %top = vector.extract %sums[0] : vector<2xf32> from vector<2x2xf32>
    %bottom = vector.extract %sums[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %top, %d[%g, %column] : memref<16x8xf32>, vector<2xf32>
    vector.store %bottom, %d[%g8, %column] : memref<16x8xf32>, vector<2xf32>
    gpu.barrier
    // Lane 8 r + c computes column c of rows r, r + 4, r + 8 and r + 12.
    %first = arith.divui %tx, %d8 : index
    %c = arith.remui %tx, %d8 : index
    scf.for %r = %first to %d16 step %d4 {
      %sum = scf.for %k = %c0 to %d16 step %d1 iter_args(%s = %half) -> (f32) {
        %x = memref.load %a[%r, %k] : memref<16x16xf16, #gpu.address_space<workgroup>>
        %y = memref.load %b[%k, %c] : memref<16x8xf16, #gpu.address_space<workgroup>>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %next = math.fma %xw, %yw, %s : f32
        scf.yield %next : f32
      }
      %got = memref.load %d[%r, %c] : memref<16x8xf32>
      %difference = arith.subf %got, %sum : f32
      memref.store %difference, %differences[%r, %c] : memref<16x8xf32>
    }
    gpu.terminator
  }
  return %d, %differences : memref<16x8xf32>, memref<16x8xf32>
}

// Of two TF32 that are equally near, the one with the larger magnitude; what is too large, and what is no number, stays so.
// CHECK-LABEL: @round: 1 launches
//  CHECK-NEXT: result 0: 6
//  CHECK-NEXT: {{^}}1{{$}}
//  CHECK-NEXT: {{^}}1.00097656
//  CHECK-NEXT: {{^}}-1.00097656
//  CHECK-NEXT: inf
//  CHECK-NEXT: inf
//  CHECK-NEXT: nan
memref.global "private" constant @numbers : memref<6xf32> =
    dense<[1.0004882, 1.00048828125, -1.00048828125, 3.4028235e38, 0x7F800000, 0x7FFFFFFF]>
func.func @round() -> memref<6xf32> {
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %o = memref.alloc() : memref<6xf32>
  %numbers = memref.get_global @numbers : memref<6xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c6, %sy = %c1, %sz = %c1) {
    %x = memref.load %numbers[%tx] : memref<6xf32>
    %bits = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rna>}
    %y = arith.bitcast %bits : i32 to f32
    memref.store %y, %o[%tx] : memref<6xf32>
    gpu.terminator
  }
  return %o : memref<6xf32>
}
