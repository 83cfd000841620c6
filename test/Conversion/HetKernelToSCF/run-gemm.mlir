// RUN: rgnn-opt %s --hetkernel-set-schedule="gemm=tile_rows:4,block_rows:3,block_vectors:1,vector_width:4" --convert-hetkernel-to-scf=serial-below=0 --scf-forall-to-for --memref-expand --expand-strided-metadata \
// RUN:   --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=i32 | FileCheck %s

// RUN: rgnn-opt %s --hetkernel-set-schedule="gemm=tile_rows:4,block_rows:3,coarsening:2,scale:load" --convert-hetkernel-to-scf --scf-forall-to-for --memref-expand --expand-strided-metadata \
// RUN:   --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=i32 | FileCheck %s

// Eleven rows in tiles of 4 of two types, one type without rows, 6 columns of which the second vector has half, a
// transposed weight, a bias by type, two heads: every entry is compared with plain loops on numbers that f32 holds exactly.
// CHECK: {{^}}0{{$}}

memref.global "private" constant @tiles : memref<4x3xi32> = dense<[[0, 0, 4], [0, 4, 5], [2, 5, 9], [2, 9, 11]]>
memref.global "private" constant @types : memref<11xi32> = dense<[0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2]>
memref.global "private" constant @gather : memref<11xi32> = dense<[6, 0, 3, 3, 1, 2, 5, 6, 4, 0, 6]>
memref.global "private" constant @scatter : memref<11xi32> = dense<[10, 0, 9, 1, 8, 2, 7, 3, 6, 4, 5]>

func.func private @fill(%m: memref<?x?xf32>, %a: index, %b: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %three = arith.constant 3.0 : f32
  %rows = memref.dim %m, %c0 : memref<?x?xf32>
  %columns = memref.dim %m, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %0 = arith.muli %i, %a : index
      %1 = arith.muli %j, %b : index
      %2 = arith.addi %0, %1 : index
      %3 = arith.remui %2, %c7 : index
      %4 = arith.index_cast %3 : index to i32
      %5 = arith.sitofp %4 : i32 to f32
      %6 = arith.subf %5, %three : f32
      memref.store %6, %m[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c11 = arith.constant 11 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = memref.alloc() : memref<7x2x5xf32>
  %w = memref.alloc() : memref<3x2x6x5xf32>
  %s = memref.alloc() : memref<11x1xf32>
  %b = memref.alloc() : memref<3x2x6xf32>
  %y = memref.alloc() : memref<11x2x6xf32>
  %want = memref.alloc() : memref<11x2x6xf32>
  %x2 = memref.collapse_shape %x [[0], [1, 2]] : memref<7x2x5xf32> into memref<7x10xf32>
  %w2 = memref.collapse_shape %w [[0, 1, 2], [3]] : memref<3x2x6x5xf32> into memref<36x5xf32>
  %y2 = memref.collapse_shape %y [[0], [1, 2]] : memref<11x2x6xf32> into memref<11x12xf32>
  %want2 = memref.collapse_shape %want [[0], [1, 2]] : memref<11x2x6xf32> into memref<11x12xf32>
  %xd = memref.cast %x2 : memref<7x10xf32> to memref<?x?xf32>
  %wd = memref.cast %w2 : memref<36x5xf32> to memref<?x?xf32>
  %b2 = memref.collapse_shape %b [[0, 1], [2]] : memref<3x2x6xf32> into memref<6x6xf32>
  %bd = memref.cast %b2 : memref<6x6xf32> to memref<?x?xf32>
  func.call @fill(%bd, %c3, %c5) : (memref<?x?xf32>, index, index) -> ()
  %sd = memref.cast %s : memref<11x1xf32> to memref<?x?xf32>
  %yd = memref.cast %y2 : memref<11x12xf32> to memref<?x?xf32>
  %wantd = memref.cast %want2 : memref<11x12xf32> to memref<?x?xf32>
  func.call @fill(%xd, %c5, %c3) : (memref<?x?xf32>, index, index) -> ()
  func.call @fill(%wd, %c3, %c2) : (memref<?x?xf32>, index, index) -> ()
  func.call @fill(%sd, %c2, %c1) : (memref<?x?xf32>, index, index) -> ()
  func.call @fill(%yd, %c1, %c2) : (memref<?x?xf32>, index, index) -> ()
  func.call @fill(%wantd, %c1, %c2) : (memref<?x?xf32>, index, index) -> ()
  %scale = memref.collapse_shape %s [[0, 1]] : memref<11x1xf32> into memref<11xf32>
  %tiles = memref.get_global @tiles : memref<4x3xi32>
  %types = memref.get_global @types : memref<11xi32>
  %gather = memref.get_global @gather : memref<11xi32>
  %scatter = memref.get_global @scatter : memref<11xi32>

  hetkernel.gemm x(%x gather %gather : memref<7x2x5xf32>, memref<11xi32>) weight(%w transposed : memref<3x2x6x5xf32>)
      tiles(%tiles : memref<4x3xi32>) scale(%scale : memref<11xf32>) bias(%b : memref<3x2x6xf32>)
      outs(%y scatter %scatter : memref<11x2x6xf32>, memref<11xi32>) accumulate

  %wrong = scf.for %i = %c0 to %c11 step %c1 iter_args(%a0 = %zero) -> (i32) {
    %t32 = memref.load %types[%i] : memref<11xi32>
    %g32 = memref.load %gather[%i] : memref<11xi32>
    %s32 = memref.load %scatter[%i] : memref<11xi32>
    %t = arith.index_cast %t32 : i32 to index
    %g = arith.index_cast %g32 : i32 to index
    %o = arith.index_cast %s32 : i32 to index
    %factor = memref.load %scale[%i] : memref<11xf32>
    %r0 = scf.for %h = %c0 to %c2 step %c1 iter_args(%a1 = %a0) -> (i32) {
      %r1 = scf.for %n = %c0 to %c6 step %c1 iter_args(%a2 = %a1) -> (i32) {
        %f0 = arith.constant 0.0 : f32
        %sum = scf.for %k = %c0 to %c5 step %c1 iter_args(%acc = %f0) -> (f32) {
          %xv = memref.load %x[%g, %h, %k] : memref<7x2x5xf32>
          %wv = memref.load %w[%t, %h, %n, %k] : memref<3x2x6x5xf32>
          %p = arith.mulf %xv, %wv : f32
          %next = arith.addf %acc, %p : f32
          scf.yield %next : f32
        }
        %old = memref.load %want[%o, %h, %n] : memref<11x2x6xf32>
        %scaled = arith.mulf %sum, %factor : f32
        %bias = memref.load %b[%t, %h, %n] : memref<3x2x6xf32>
        %row = arith.addf %scaled, %bias : f32
        %new = arith.addf %old, %row : f32
        %got = memref.load %y[%o, %h, %n] : memref<11x2x6xf32>
        %differ = arith.cmpf une, %new, %got : f32
        %inc = arith.select %differ, %one, %zero : i32
        %a3 = arith.addi %a2, %inc : i32
        scf.yield %a3 : i32
      }
      scf.yield %r1 : i32
    }
    scf.yield %r0 : i32
  }
  return %wrong : i32
}
