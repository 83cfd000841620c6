// Accesses that hardware would not notice, or answer with a fault that names nothing.

// RUN: rgnn-translate --rgnn-simulate-gpu --split-input-file --verify-diagnostics %s

func.func @unwritten() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1)
      private(%own : memref<2xf32, #gpu.address_space<private>>) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %x = arith.constant 1.0 : f32
    memref.store %x, %own[%c0] : memref<2xf32, #gpu.address_space<private>>
    // expected-error @+1 {{'memref.load' op reads element 1 of private attribution 0 of @unwritten, which was never written, in thread (0, 0, 0)}}
    %y = memref.load %own[%d1] : memref<2xf32, #gpu.address_space<private>>
    gpu.terminator
  }
  return
}

// -----

// Each time that memory is allocated it holds nothing.
func.func @allocated_again() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %d2 = arith.constant 2 : index
    scf.for %i = %c0 to %d2 step %d1 {
      %own = memref.alloca() : memref<index>
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        memref.store %i, %own[] : memref<index>
      }
      // expected-error @+1 {{'memref.load' op reads element 0 of memref.alloca at line 11, which was never written}}
      %x = memref.load %own[] : memref<index>
    }
    gpu.terminator
  }
  return
}

// -----

// Nor does a block find what another has left.
func.func @other_block() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<1xindex, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %bx, %c0 : index
    scf.if %first {
      memref.store %bx, %tile[%c0] : memref<1xindex, #gpu.address_space<workgroup>>
    }
    // expected-error @+1 {{'memref.load' op reads element 0 of workgroup attribution 0 of @other_block, which was never written, in thread (0, 0, 0) of block (1, 0, 0)}}
    %x = memref.load %tile[%c0] : memref<1xindex, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// Inside the buffer, and outside the shape.
func.func @out_of_bounds() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %o = memref.alloc(%c4) : memref<?x3xindex>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'memref.store' op expected an index below 3 in dimension 1 of memref.alloc at line 7 (4x3), got 3, in thread (3, 0, 0)}}
    memref.store %tx, %o[%c0, %tx] : memref<?x3xindex>
    gpu.terminator
  }
  return
}

// -----

func.func @vector_out_of_bounds() {
  %c1 = arith.constant 1 : index
  %o = memref.alloc() : memref<2x6xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %d4 = arith.constant 4 : index
    %x = arith.constant dense<0.0> : vector<4xf32>
    // expected-error @+1 {{'vector.store' op expected an index below 6 in dimension 1 of memref.alloc at line 5 (2x6), got 7}}
    vector.store %x, %o[%c0, %d4] : memref<2x6xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// -----

func.func @view_out_of_bounds() {
  %c1 = arith.constant 1 : index
  %o = memref.alloc() : memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %d6 = arith.constant 6 : index
    // expected-error @+1 {{'memref.subview' op expected a view of indices below 8 in dimension 0 of memref.alloc at line 5, got 4 from 6}}
    %v = memref.subview %o[%d6] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
    gpu.terminator
  }
  return
}

// -----

// A shape that is not the buffer's.
func.func @cast_out_of_bounds() {
  %c1 = arith.constant 1 : index
  %o = memref.alloc() : memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %d8 = arith.constant 8 : index
    %x = arith.constant 0.0 : f32
    %v = memref.reinterpret_cast %o to offset: [0], sizes: [9], strides: [1] : memref<8xf32> to memref<9xf32>
    // expected-error @+1 {{'memref.store' op expected bytes below 32 of memref.alloc at line 6, got 32 to 36}}
    memref.store %x, %v[%d8] : memref<9xf32>
    gpu.terminator
  }
  return
}

// -----

func.func @freed() {
  %c1 = arith.constant 1 : index
  %o = memref.alloc() : memref<index>
  memref.dealloc %o : memref<index>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-error @+1 {{'memref.store' op expected memory that is alive, got memref.alloc at line 5 after its end}}
    memref.store %tx, %o[] : memref<index>
    gpu.terminator
  }
  return
}

// -----

func.func @stack_of_the_host() {
  %c1 = arith.constant 1 : index
  %o = memref.alloca() : memref<index>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-error @+1 {{'memref.store' op expected memory of the GPU, got memref.alloca at line 5 on the host's stack}}
    memref.store %tx, %o[] : memref<index>
    gpu.terminator
  }
  return
}

// -----

memref.global "private" constant @numbers : memref<2xindex> = dense<[1, 2]>
func.func @constant() {
  %c1 = arith.constant 1 : index
  %numbers = memref.get_global @numbers : memref<2xindex>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-error @+1 {{'memref.store' op expected to write no input, got @numbers}}
    memref.store %tx, %numbers[%tx] : memref<2xindex>
    gpu.terminator
  }
  return
}

// -----

// Four numbers at once lie at a multiple of 16 bytes, where an access says so.
func.func @misaligned() {
  %c1 = arith.constant 1 : index
  %o = memref.alloc() : memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %d2 = arith.constant 2 : index
    %x = arith.constant dense<0.0> : vector<4xf32>
    // expected-error @+1 {{'vector.store' op expected an address that is a multiple of 16 bytes, got byte 8}}
    vector.store %x, %o[%d2] {alignment = 16} : memref<8xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// -----

func.func @endless() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    // expected-error @+1 {{'scf.for' op expected a step above 0, got 0}}
    scf.for %i = %c0 to %d1 step %c0 {
    }
    gpu.terminator
  }
  return
}

// -----

func.func @divided() -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'arith.divui' op expected a divisor other than 0, got 0}}
  %q = arith.divui %c1, %c0 : index
  return %q : index
}
