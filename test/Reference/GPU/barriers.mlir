// Barriers that not all threads of a block reach, and shuffles that not all lanes reach.

// RUN: rgnn-translate --rgnn-simulate-gpu --split-input-file --verify-diagnostics %s

func.func @some_threads() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %d3 = arith.constant 3 : index
    %below = arith.cmpi ult, %tx, %d3 : index
    scf.if %below {
      // expected-error @+1 {{'gpu.barrier' op expected all threads of the block, but thread (3, 0, 0) of block (0, 0, 0) has ended, in thread (0, 0, 0) of block (0, 0, 0) of kernel @some_threads (launch 1)}}
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// -----

// One op each, though at the same time.
func.func @two_barriers() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %tx, %c0 : index
    scf.if %first {
      // expected-error @+1 {{'gpu.barrier' op expected all threads of the block, but thread (1, 0, 0) of block (0, 0, 0) waits at another op, in thread (0, 0, 0)}}
      gpu.barrier
    } else {
      // expected-note @+1 {{which is here}}
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// -----

// Loops of different lengths.
func.func @uneven_loops() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c3, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    scf.for %i = %c0 to %tx step %d1 {
      // expected-error @+1 {{'gpu.barrier' op expected all threads of the block, but thread (0, 0, 0) of block (0, 0, 0) has ended, in thread (1, 0, 0)}}
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// -----

func.func @some_lanes() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %rest = arith.cmpi ne, %tx, %c0 : index
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    scf.if %rest {
      // expected-error @+1 {{'gpu.shuffle' op expected all threads of the warp, but thread (0, 0, 0) of block (0, 0, 0) has ended, in thread (1, 0, 0)}}
      %x, %v = gpu.shuffle xor %one, %one, %width : i32
    }
    gpu.terminator
  }
  return
}

// -----

// A warp of 20 threads has no 32 lanes.
func.func @short_warp() {
  %c1 = arith.constant 1 : index
  %c52 = arith.constant 52 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c52, %sy = %c1, %sz = %c1) {
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    // expected-error @+1 {{'gpu.shuffle' op expected 1 to 20 lanes, as the warp has, got 32, in thread (32, 0, 0)}}
    %x, %v = gpu.shuffle xor %one, %one, %width : i32
    gpu.terminator
  }
  return
}

// -----

// The first 16 lanes take part, and no others.
func.func @too_many_lanes() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %one = arith.constant 1 : i32
    %width = arith.constant 16 : i32
    // expected-error @+1 {{'gpu.shuffle' op expected all threads of the warp, but thread (0, 0, 0) of block (0, 0, 0) has ended, in thread (16, 0, 0)}}
    %x, %v = gpu.shuffle xor %one, %one, %width : i32
    gpu.terminator
  }
  return
}

// -----

func.func @other_width() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %d32 = arith.constant 32 : index
    %number = arith.subi %d32, %tx : index
    %width = arith.index_cast %number : index to i32
    // expected-error @+1 {{'gpu.shuffle' op expected width 32, as in the first lane, got 31, in thread (1, 0, 0)}}
    %x, %v = gpu.shuffle xor %width, %width, %width : i32
    gpu.terminator
  }
  return
}

// -----

func.func @on_the_host() {
  // expected-error @+1 {{'gpu.barrier' op expected a kernel around it, got the host}}
  gpu.barrier
  return
}
