// Numbers of threads and what a warp or a block computes together.

// RUN: rgnn-translate --rgnn-simulate-gpu %s | FileCheck %s --match-full-lines
// RUN: rgnn-opt %s --gpu-kernel-outlining | rgnn-translate --rgnn-simulate-gpu | FileCheck %s --match-full-lines

// Blocks of 3 x 2 threads, in a grid of 2 x 2.
// CHECK-LABEL: @numbers: 1 launches
//  CHECK-NEXT: result 0: 24x6
//  CHECK-NEXT: 0 0 0 0 0 1
//  CHECK-NEXT: 1 0 0 1 0 1
//       CHECK: 5 1 0 2 0 1
//  CHECK-NEXT: 0 0 0 0 1 1
//       CHECK: 5 3 1 2 3 1
func.func @numbers() -> memref<24x6xindex> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %o = memref.alloc() : memref<24x6xindex>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c2, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c3, %sy = %c2, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %d2 = arith.constant 2 : index
    %d3 = arith.constant 3 : index
    %d4 = arith.constant 4 : index
    %d5 = arith.constant 5 : index
    %b0 = arith.muli %by, %gx : index
    %b = arith.addi %b0, %bx : index
    %t0 = arith.muli %ty, %sx : index
    %t = arith.addi %t0, %tx : index
    %threads = arith.muli %sx, %sy : index
    %r0 = arith.muli %b, %threads : index
    %r = arith.addi %r0, %t : index
    %lane = gpu.lane_id
    %global = gpu.global_id y
    %block = gpu.block_id y
    %thread = gpu.thread_id x
    %warps = gpu.num_subgroups : index
    memref.store %lane, %o[%r, %c0] : memref<24x6xindex>
    memref.store %global, %o[%r, %d1] : memref<24x6xindex>
    memref.store %block, %o[%r, %d2] : memref<24x6xindex>
    memref.store %thread, %o[%r, %d3] : memref<24x6xindex>
    memref.store %b, %o[%r, %d4] : memref<24x6xindex>
    memref.store %warps, %o[%r, %d5] : memref<24x6xindex>
    gpu.terminator
  }
  return %o : memref<24x6xindex>
}

// Each mode on the numbers of the lanes, for lanes 0, 1, 30 and 31 of both warps: the value, and whether it is one.
// CHECK-LABEL: @shuffles: 1 launches
//  CHECK-NEXT: result 0: 64x8
//  CHECK-NEXT: 5 1 3 1 -1 0 7 1
//  CHECK-NEXT: 4 1 4 1 0 1 7 1
//       CHECK: 27 1 -1 0 29 1 7 1
//  CHECK-NEXT: 26 1 -1 0 30 1 7 1
//  CHECK-NEXT: 37 1 35 1 -1 0 39 1
//       CHECK: 58 1 -1 0 62 1 39 1
func.func @shuffles() -> memref<64x8xi32> {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %o = memref.alloc() : memref<64x8xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    %width = arith.constant 32 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %five = arith.constant 5 : i32
    %seven = arith.constant 7 : i32
    %value = arith.index_cast %tx : index to i32
    %x, %xv = gpu.shuffle xor %value, %five, %width : i32
    %d, %dv = gpu.shuffle down %value, %three, %width : i32
    %u, %uv = gpu.shuffle up %value, %one, %width : i32
    %i, %iv = gpu.shuffle idx %value, %seven, %width : i32
    %xe = arith.extui %xv : i1 to i32
    %de = arith.extui %dv : i1 to i32
    %ue = arith.extui %uv : i1 to i32
    %ie = arith.extui %iv : i1 to i32
    %all = vector.from_elements %x, %xe, %d, %de, %u, %ue, %i, %ie : vector<8xi32>
    %c0 = arith.constant 0 : index
    vector.store %all, %o[%tx, %c0] : memref<64x8xi32>, vector<8xi32>
    gpu.terminator
  }
  return %o : memref<64x8xi32>
}

// A block of two warps of 32 and 16 threads adds 1 to 48: shuffles in each warp, then shared memory. A branch that all
// lanes of a warp take together may shuffle.
// CHECK-LABEL: @sum: 1 launches
//  CHECK-NEXT: result 0: 4
//  CHECK-NEXT: 528
//  CHECK-NEXT: 648
//  CHECK-NEXT: 1176
//  CHECK-NEXT: 1176
func.func @sum() -> memref<4xf32> {
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %o = memref.alloc() : memref<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c48, %sy = %c1, %sz = %c1)
      workgroup(%partial : memref<2xf32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %d2 = arith.constant 2 : index
    %d3 = arith.constant 3 : index
    %warp = gpu.subgroup_id : index
    %lane = gpu.lane_id
    %isFirst = arith.cmpi eq, %lane, %c0 : index
    %number = arith.addi %tx, %d1 : index
    %int = arith.index_cast %number : index to i32
    %value = arith.sitofp %int : i32 to f32
    %isFull = arith.cmpi eq, %warp, %c0 : index
    %total = scf.if %isFull -> f32 {
      %width = arith.constant 32 : i32
      %begin = arith.constant 16 : i32
      %one = arith.constant 1 : i32
      %zero = arith.constant 0 : i32
      %r:2 = scf.while (%v = %value, %k = %begin) : (f32, i32) -> (f32, i32) {
        %more = arith.cmpi sgt, %k, %zero : i32
        scf.condition(%more) %v, %k : f32, i32
      } do {
      ^bb0(%v: f32, %k: i32):
        %other, %valid = gpu.shuffle xor %v, %k, %width : f32
        %next = arith.addf %v, %other : f32
        %half = arith.shrui %k, %one : i32
        scf.yield %next, %half : f32, i32
      }
      scf.yield %r#0 : f32
    } else {
      %r = gpu.subgroup_reduce add %value : (f32) -> f32
      scf.yield %r : f32
    }
    scf.if %isFirst {
      memref.store %total, %partial[%warp] : memref<2xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %same = gpu.all_reduce add %value {} : (f32) -> (f32)
    %isOne = arith.cmpi eq, %tx, %c0 : index
    scf.if %isOne {
      %a = memref.load %partial[%c0] : memref<2xf32, #gpu.address_space<workgroup>>
      %b = memref.load %partial[%d1] : memref<2xf32, #gpu.address_space<workgroup>>
      %s = arith.addf %a, %b : f32
      memref.store %a, %o[%c0] : memref<4xf32>
      memref.store %b, %o[%d1] : memref<4xf32>
      memref.store %s, %o[%d2] : memref<4xf32>
      memref.store %same, %o[%d3] : memref<4xf32>
    }
    gpu.terminator
  }
  return %o : memref<4xf32>
}

// Clusters of 4 lanes at distance 8: lanes 0, 8, 16 and 24 are one.
// CHECK-LABEL: @clusters: 1 launches
//  CHECK-NEXT: result 0: 32x2
//  CHECK-NEXT: 48 3
//  CHECK-NEXT: 52 3
//       CHECK: 76 31
func.func @clusters() -> memref<32x2xi32> {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %o = memref.alloc() : memref<32x2xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %value = arith.index_cast %tx : index to i32
    %s = gpu.subgroup_reduce add %value cluster(size = 4, stride = 8) : (i32) -> i32
    %m = gpu.subgroup_reduce maxsi %value cluster(size = 4) : (i32) -> i32
    memref.store %s, %o[%tx, %c0] : memref<32x2xi32>
    memref.store %m, %o[%tx, %d1] : memref<32x2xi32>
    gpu.terminator
  }
  return %o : memref<32x2xi32>
}

// Threads of all blocks add to one number, in two ways.
// CHECK-LABEL: @atomics: 2 launches
//  CHECK-NEXT: result 0: 2
//  CHECK-NEXT: 300
//  CHECK-NEXT: 2048
func.func @atomics() -> memref<2xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %o = memref.alloc() : memref<2xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %initial = arith.constant dense<[0.0, 1.0]> : vector<2xf32>
    vector.store %initial, %o[%c0] : memref<2xf32>, vector<2xf32>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c100, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %d1 = arith.constant 1 : index
    %d11 = arith.constant 11 : index
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %old = memref.atomic_rmw addf %one, %o[%c0] : (f32, memref<2xf32>) -> f32
    %first = arith.cmpi eq, %bx, %c0 : index
    %below = arith.cmpi ult, %tx, %d11 : index
    %both = arith.andi %first, %below : i1
    scf.if %both {
      %before = memref.generic_atomic_rmw %o[%d1] : memref<2xf32> {
      ^bb0(%v: f32):
        %w = arith.mulf %v, %two : f32
        memref.atomic_yield %w : f32
      }
    }
    gpu.terminator
  }
  return %o : memref<2xf32>
}
