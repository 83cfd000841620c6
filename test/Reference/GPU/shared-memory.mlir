// Memory of blocks and threads, views into it, and barriers between who writes and who reads.

// RUN: rgnn-translate --rgnn-simulate-gpu %s | FileCheck %s --match-full-lines
// RUN: rgnn-opt %s --gpu-kernel-outlining | rgnn-translate --rgnn-simulate-gpu | FileCheck %s --match-full-lines

// Each block turns a tile of 4 x 8 by way of shared memory; what a block leaves in its memory the next does not find.
// CHECK-LABEL: @transpose: 2 launches
//  CHECK-NEXT: result 0: 8x8
//  CHECK-NEXT: 0 8 16 24 32 40 48 56
//       CHECK: 7 15 23 31 39 47 55 63
func.func @transpose() -> memref<8x8xi32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %x = memref.alloc() : memref<8x8xi32>
  %o = memref.alloc() : memref<8x8xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c8, %sz = %c1) {
    %d8 = arith.constant 8 : index
    %r = arith.muli %ty, %d8 : index
    %n = arith.addi %r, %tx : index
    %v = arith.index_cast %n : index to i32
    memref.store %v, %x[%ty, %tx] : memref<8x8xi32>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c4, %sz = %c1)
      workgroup(%tile : memref<4x9xi32, #gpu.address_space<workgroup>>) {
    %d4 = arith.constant 4 : index
    %r0 = arith.muli %bx, %d4 : index
    %r = arith.addi %r0, %ty : index
    %v = memref.load %x[%r, %tx] : memref<8x8xi32>
    memref.store %v, %tile[%ty, %tx] : memref<4x9xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    // Thread (tx, ty) has number n = 8 ty + tx and writes element (n / 4, n % 4).
    %d8 = arith.constant 8 : index
    %n0 = arith.muli %ty, %d8 : index
    %n = arith.addi %n0, %tx : index
    %row = arith.divui %n, %d4 : index
    %column = arith.remui %n, %d4 : index
    %w = memref.load %tile[%column, %row] : memref<4x9xi32, #gpu.address_space<workgroup>>
    %to = arith.addi %r0, %column : index
    memref.store %w, %o[%row, %to] : memref<8x8xi32>
    gpu.terminator
  }
  memref.dealloc %x : memref<8x8xi32>
  return %o : memref<8x8xi32>
}

// Two typed views of the bytes that the launch asks for, memory of a thread, and an array of constants.
// CHECK-LABEL: @views: 1 launches
//  CHECK-NEXT: result 0: 4x2
//  CHECK-NEXT: 3 30
//  CHECK-NEXT: 2 20
//  CHECK-NEXT: 1 10
//  CHECK-NEXT: 0 0
memref.global "private" constant @tens : memref<4xf32> = dense<[0.0, 10.0, 20.0, 30.0]>
func.func @views() -> memref<4x2xf32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %bytes = arith.constant 32 : i32
  %tens = memref.get_global @tens : memref<4xf32>
  %o = memref.alloc() : memref<4x2xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1)
      dynamic_shared_memory_size %bytes private(%own : memref<2xf32, #gpu.address_space<private>>) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %d3 = arith.constant 3 : index
    %d16 = arith.constant 16 : index
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
    %b = memref.view %shared[%d16][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2x2xf32, #gpu.address_space<workgroup>>
    %flat = memref.collapse_shape %b [[0, 1]] : memref<2x2xf32, #gpu.address_space<workgroup>> into memref<4xf32, #gpu.address_space<workgroup>>
    %i = arith.index_cast %tx : index to i32
    %f = arith.sitofp %i : i32 to f32
    %ten = memref.load %tens[%tx] : memref<4xf32>
    memref.store %f, %a[%tx] : memref<4xf32, #gpu.address_space<workgroup>>
    memref.store %ten, %flat[%tx] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %t = arith.subi %d3, %tx : index
    %x = memref.load %a[%t] : memref<4xf32, #gpu.address_space<workgroup>>
    %part = memref.subview %flat[%t] [1] [1] : memref<4xf32, #gpu.address_space<workgroup>> to memref<1xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
    %y = memref.load %part[%c0] : memref<1xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
    memref.store %x, %own[%c0] : memref<2xf32, #gpu.address_space<private>>
    memref.store %y, %own[%d1] : memref<2xf32, #gpu.address_space<private>>
    %both = vector.load %own[%c0] : memref<2xf32, #gpu.address_space<private>>, vector<2xf32>
    vector.store %both, %o[%tx, %c0] : memref<4x2xf32>, vector<2xf32>
    gpu.terminator
  }
  return %o : memref<4x2xf32>
}

// 16 of 19 columns are copied in fours, without waiting in between, and the last three with a zero behind them.
// CHECK-LABEL: @async_copies: 1 launches
//  CHECK-NEXT: result 0: 20
//  CHECK-NEXT: 1{{$}}
//  CHECK-NEXT: 2{{$}}
//       CHECK: 19
//  CHECK-NEXT: 0
memref.global "private" constant @row : memref<19xf32> = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0]>
func.func @async_copies() -> memref<20xf32> {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %row = memref.get_global @row : memref<19xf32>
  %o = memref.alloc() : memref<20xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c5, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<20xf32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %d4 = arith.constant 4 : index
    %d19 = arith.constant 19 : index
    %begin = arith.muli %tx, %d4 : index
    %left = arith.subi %d19, %begin : index
    %count = arith.minui %left, %d4 : index
    %copy = nvgpu.device_async_copy %row[%begin], %tile[%begin], 4, %count : memref<19xf32> to memref<20xf32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    nvgpu.device_async_wait %group
    gpu.barrier
    %first = arith.cmpi eq, %tx, %c0 : index
    scf.if %first {
      %all = vector.load %tile[%c0] : memref<20xf32, #gpu.address_space<workgroup>>, vector<20xf32>
      vector.store %all, %o[%c0] : memref<20xf32>, vector<20xf32>
    }
    gpu.terminator
  }
  return %o : memref<20xf32>
}
