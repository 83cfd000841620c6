// Two threads touch one element, at least one of them writes, and no barrier lies between. The number that is written
// does not matter.

// RUN: rgnn-translate --rgnn-simulate-gpu --split-input-file --verify-diagnostics %s

func.func @missing_barrier() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<64xindex, #gpu.address_space<workgroup>>) {
    %d63 = arith.constant 63 : index
    memref.store %tx, %tile[%tx] : memref<64xindex, #gpu.address_space<workgroup>>
    %other = arith.subi %d63, %tx : index
    // expected-error @+1 {{'memref.load' op reads element 63 of workgroup attribution 0 of @missing_barrier, which was never written, in thread (0, 0, 0) of block (0, 0, 0) of kernel @missing_barrier (launch 1)}}
    %x = memref.load %tile[%other] : memref<64xindex, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// In the order in which threads happen to run here, each reads what was written before.
func.func @read_after_write() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<64xindex, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{which is here}}
    memref.store %tx, %tile[%tx] : memref<64xindex, #gpu.address_space<workgroup>>
    // expected-error @+1 {{'memref.load' op races on workgroup attribution 0 of @read_after_write with a write by thread (0, 0, 0) of block (0, 0, 0), in thread (1, 0, 0) of block (0, 0, 0)}}
    %x = memref.load %tile[%c0] : memref<64xindex, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// Between the iterations of a loop, a second barrier is missing: thread 1 writes what thread 0 has read.
func.func @write_after_read() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<4xindex, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %d2 = arith.constant 2 : index
    %d4 = arith.constant 4 : index
    scf.for %i = %c0 to %d2 step %d1 {
      // expected-error @+1 {{'memref.store' op races on workgroup attribution 0 of @write_after_read with a read by thread (0, 0, 0) of block (0, 0, 0), in thread (1, 0, 0)}}
      memref.store %tx, %tile[%tx] : memref<4xindex, #gpu.address_space<workgroup>>
      gpu.barrier
      %next = arith.addi %tx, %d1 : index
      %other = arith.remui %next, %d4 : index
      // expected-note @+1 {{which is here}}
      %x = memref.load %tile[%other] : memref<4xindex, #gpu.address_space<workgroup>>
    }
    gpu.terminator
  }
  return
}

// -----

func.func @equal_numbers() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %o = memref.alloc() : memref<f32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %x = arith.constant 1.0 : f32
    // expected-error @+2 {{'memref.store' op races on memref.alloc at line 6 with a write by thread (0, 0, 0) of block (0, 0, 0), in thread (1, 0, 0)}}
    // expected-note @+1 {{which is here}}
    memref.store %x, %o[] : memref<f32>
    gpu.terminator
  }
  return
}

// -----

// A barrier orders the threads of one block, and not those of others.
func.func @blocks() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %o = memref.alloc() : memref<2xindex>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{which is here}}
    memref.store %bx, %o[%bx] : memref<2xindex>
    gpu.barrier
    // expected-error @+1 {{'memref.load' op races on memref.alloc at line 7 with a write by thread (0, 0, 0) of block (0, 0, 0), in thread (0, 0, 0) of block (1, 0, 0)}}
    %x = memref.load %o[%c0] : memref<2xindex>
    gpu.terminator
  }
  return
}

// -----

// Atomic updates race with plain accesses, but not with each other.
func.func @atomic_and_plain() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %o = memref.alloc() : memref<i32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %zero = arith.constant 0 : i32
    memref.store %zero, %o[] : memref<i32>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %one = arith.constant 1 : i32
    %d7 = arith.constant 7 : index
    // expected-note @+1 {{which is here}}
    %old = memref.atomic_rmw addi %one, %o[] : (i32, memref<i32>) -> i32
    %last = arith.cmpi eq, %tx, %d7 : index
    scf.if %last {
      // expected-error @+1 {{'memref.load' op races on memref.alloc at line 7 with an atomic update by thread (0, 0, 0) of block (0, 0, 0), in thread (7, 0, 0) of block (0, 0, 0) of kernel @atomic_and_plain (launch 2)}}
      %x = memref.load %o[] : memref<i32>
    }
    gpu.terminator
  }
  return
}

// -----

// Bytes of one buffer as two types: only what overlaps races.
func.func @overlapping_views() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 12 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1)
      dynamic_shared_memory_size %bytes {
    %c0 = arith.constant 0 : index
    %d8 = arith.constant 8 : index
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %wide = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xf32, #gpu.address_space<workgroup>>
    %half = memref.view %shared[%d8][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xf16, #gpu.address_space<workgroup>>
    %again = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xf16, #gpu.address_space<workgroup>>
    %x = arith.constant 1.0 : f32
    %y = arith.constant 1.0 : f16
    // expected-note @+1 {{which is here}}
    memref.store %x, %wide[%tx] : memref<2xf32, #gpu.address_space<workgroup>>
    memref.store %y, %half[%tx] : memref<2xf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{'memref.store' op races on dynamic shared memory of @overlapping_views with a write by thread (0, 0, 0) of block (0, 0, 0), in thread (1, 0, 0)}}
    memref.store %y, %again[%tx] : memref<2xf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
