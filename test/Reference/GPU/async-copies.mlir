// Copies whose bytes are used before they arrive.

// RUN: rgnn-translate --rgnn-simulate-gpu --split-input-file --verify-diagnostics %s

memref.global "private" constant @row : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @not_waited() {
  %c1 = arith.constant 1 : index
  %row = memref.get_global @row : memref<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<4xf32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %copy = nvgpu.device_async_copy %row[%c0], %tile[%c0], 4 : memref<4xf32> to memref<4xf32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    gpu.barrier
    // expected-error @+1 {{'memref.load' op touches workgroup attribution 0 of @not_waited, but an asynchronous copy into it was not waited for, in thread (0, 0, 0)}}
    %x = memref.load %tile[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    nvgpu.device_async_wait %group
    gpu.terminator
  }
  return
}

// -----

// The wait leaves the newest group under way.
memref.global "private" constant @row : memref<8xf32> = dense<1.0>
func.func @one_left() {
  %c1 = arith.constant 1 : index
  %row = memref.get_global @row : memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<8xf32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %d4 = arith.constant 4 : index
    %copy = nvgpu.device_async_copy %row[%c0], %tile[%c0], 4 : memref<8xf32> to memref<8xf32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    %copy1 = nvgpu.device_async_copy %row[%d4], %tile[%d4], 4 : memref<8xf32> to memref<8xf32, #gpu.address_space<workgroup>>
    %group1 = nvgpu.device_async_create_group %copy1
    nvgpu.device_async_wait %group1 {numGroups = 1 : i32}
    %x = memref.load %tile[%c0] : memref<8xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{'memref.load' op touches workgroup attribution 0 of @one_left, but an asynchronous copy into it was not waited for}}
    %y = memref.load %tile[%d4] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// A wait is for the thread's own copies: others have to pass a barrier behind it.
memref.global "private" constant @row : memref<8xf32> = dense<1.0>
func.func @no_barrier() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %row = memref.get_global @row : memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<8xf32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %d4 = arith.constant 4 : index
    %begin = arith.muli %tx, %d4 : index
    // expected-note @+1 {{which is here}}
    %copy = nvgpu.device_async_copy %row[%begin], %tile[%begin], 4 : memref<8xf32> to memref<8xf32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    nvgpu.device_async_wait %group
    // expected-error @+1 {{'memref.load' op races on workgroup attribution 0 of @no_barrier with a write by thread (0, 0, 0) of block (0, 0, 0), in thread (1, 0, 0)}}
    %x = memref.load %tile[%c0] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

memref.global "private" constant @row : memref<8xf32> = dense<1.0>
func.func @misaligned() {
  %c1 = arith.constant 1 : index
  %row = memref.get_global @row : memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<8xf32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %d2 = arith.constant 2 : index
    // expected-error @+1 {{'nvgpu.device_async_copy' op expected an address that is a multiple of 16 bytes, got byte 8}}
    %copy = nvgpu.device_async_copy %row[%d2], %tile[%c0], 4 : memref<8xf32> to memref<8xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// Until the wait, hardware may not have read the source.
func.func @source_changes() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %row = memref.alloc() : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<2xi32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %tx, %c0 : index
    %x = arith.index_cast %tx : index to i32
    scf.if %first {
      memref.store %x, %row[%c0] : memref<1xi32>
    }
    gpu.barrier
    // expected-error @+1 {{'nvgpu.device_async_copy' op expected a source that stays as it is until the copy was waited for, got another one in memref.alloc at line 7, in thread (0, 0, 0)}}
    %copy = nvgpu.device_async_copy %row[%c0], %tile[%tx], 1 : memref<1xi32> to memref<2xi32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    gpu.barrier
    scf.if %first {
    } else {
      memref.store %x, %row[%c0] : memref<1xi32>
    }
    gpu.barrier
    nvgpu.device_async_wait %group
    gpu.terminator
  }
  return
}
