// Launches that a driver refuses, and what the simulator does not know.

// RUN: rgnn-translate --rgnn-simulate-gpu --split-input-file --verify-diagnostics %s

func.func @no_blocks() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'gpu.launch' op expected 1 to 65535 blocks in dimension y, got 0}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c0, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    gpu.terminator
  }
  return
}

// -----

func.func @too_many_threads() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-error @+1 {{'gpu.launch' op expected at most 1024 threads in a block, got 4096}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c64, %sz = %c1) {
    gpu.terminator
  }
  return
}

// -----

func.func @too_much_shared_memory() {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'gpu.launch' op expected at most 49152 bytes of workgroup attributions in kernel @too_much_shared_memory, got 49156}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<12289xf32, #gpu.address_space<workgroup>>) {
    gpu.terminator
  }
  return
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @fixed() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      gpu.return
    }
  }
  func.func @other_block_size() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    // expected-error @+1 {{'gpu.launch_func' op expected blocks of (128, 1, 1) threads, got (64, 1, 1)}}
    gpu.launch_func @kernels::@fixed blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
    return
  }
}

// -----

// Nothing to do is no error, and neither is a kernel without values.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @empty() kernel {
      gpu.return
    }
  }
  func.func @nothing() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@empty blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
    return
  }
}

// -----

func.func @too_large() {
  %c40 = arith.constant 1099511627776 : index
  // expected-error @+1 {{'memref.alloc' op expected a buffer of at most 1 GiB, got size 1099511627776}}
  %o = memref.alloc(%c40) : memref<?xf32>
  return
}

// -----

func.func @unknown_op() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-error @+1 {{'gpu.printf' op the simulator does not know this op}}
    gpu.printf "hello"
    gpu.terminator
  }
  return
}

// -----

// A comment that keeps the code of two kernels apart is all that it may be.
func.func @assembly() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    llvm.inline_asm has_side_effects "// the end", "" : () -> ()
    // expected-error @+1 {{'llvm.inline_asm' op expected one comment, got 'bar.sync 0;'}}
    llvm.inline_asm has_side_effects "bar.sync 0;", "" : () -> ()
    gpu.terminator
  }
  return
}

// -----

func.func @unknown_type() {
  // expected-error @+1 {{'memref.alloc' op the simulator does not know values of type 'memref<4xvector<2xf32>>'}}
  %o = memref.alloc() : memref<4xvector<2xf32>>
  return
}

// -----

func.func @calls_itself() {
  // expected-error @+1 {{'func.call' op the simulator does not know @again: expected a function of one block that does not call itself}}
  call @again() : () -> ()
  return
}
func.func private @again() {
  call @calls_itself() : () -> ()
  return
}

// -----

func.func @wide() {
  // expected-error @+1 {{'memref.alloc' op the simulator does not know values of type 'memref<4xi128>'}}
  %o = memref.alloc() : memref<4xi128>
  return
}

// -----

// expected-error @+1 {{expected a function without arguments, got 1}}
func.func @arguments(%x: index) {
  return
}
