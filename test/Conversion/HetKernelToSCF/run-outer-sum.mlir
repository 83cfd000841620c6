// RUN: rgnn-opt %s --hetkernel-set-schedule="gemm=tile_rows:4,block_rows:3,block_vectors:1,vector_width:4" --convert-hetkernel-to-scf=serial-below=0 --convert-linalg-to-loops --scf-forall-to-for --memref-expand --expand-strided-metadata \
// RUN:   --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=i32 | FileCheck %s

// RUN: rgnn-opt %s --hetkernel-set-schedule="gemm=block_rows:2,coarsening:2" --convert-hetkernel-to-scf --convert-linalg-to-loops --scf-forall-to-for --memref-expand --expand-strided-metadata \
// RUN:   --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=i32 | FileCheck %s

// Eleven steps in tiles of 4 of two types, one type without any, lists for both factors, two heads, 5 rows and 6 columns
// of which the last block and vector have fewer; then all of 300 rows, which is more than are read at a time, and their
// sum alone. Every entry is compared with plain loops on numbers that f32 holds exactly.
// CHECK: {{^}}0{{$}}

memref.global "private" constant @tiles : memref<4x3xi32> = dense<[[0, 0, 4], [0, 4, 5], [2, 5, 9], [2, 9, 11]]>
memref.global "private" constant @types : memref<11xi32> = dense<[0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2]>
memref.global "private" constant @xs : memref<11xi32> = dense<[6, 0, 3, 3, 1, 2, 5, 6, 4, 0, 6]>
memref.global "private" constant @ys : memref<11xi32> = dense<[10, 0, 9, 1, 8, 2, 7, 3, 6, 4, 5]>

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

func.func private @countDifferent(%a: memref<?x?xf32>, %b: memref<?x?xf32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rows = memref.dim %a, %c0 : memref<?x?xf32>
  %columns = memref.dim %a, %c1 : memref<?x?xf32>
  %count = scf.for %i = %c0 to %rows step %c1 iter_args(%n0 = %zero) -> (i32) {
    %inner = scf.for %j = %c0 to %columns step %c1 iter_args(%n1 = %n0) -> (i32) {
      %va = memref.load %a[%i, %j] : memref<?x?xf32>
      %vb = memref.load %b[%i, %j] : memref<?x?xf32>
      %differ = arith.cmpf une, %va, %vb : f32
      %inc = arith.select %differ, %one, %zero : i32
      %n2 = arith.addi %n1, %inc : i32
      scf.yield %n2 : i32
    }
    scf.yield %inner : i32
  }
  return %count : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c11 = arith.constant 11 : index
  %c300 = arith.constant 300 : index
  %f0 = arith.constant 0.0 : f32
  %garbage = arith.constant 77.0 : f32
  %tiles = memref.get_global @tiles : memref<4x3xi32>
  %types = memref.get_global @types : memref<11xi32>
  %xs = memref.get_global @xs : memref<11xi32>
  %ys = memref.get_global @ys : memref<11xi32>

  // By type.
  %x = memref.alloc() : memref<7x2x5xf32>
  %y = memref.alloc() : memref<11x2x6xf32>
  %got = memref.alloc() : memref<3x2x5x6xf32>
  %want = memref.alloc() : memref<3x2x5x6xf32>
  %x2 = memref.collapse_shape %x [[0], [1, 2]] : memref<7x2x5xf32> into memref<7x10xf32>
  %y2 = memref.collapse_shape %y [[0], [1, 2]] : memref<11x2x6xf32> into memref<11x12xf32>
  %got2 = memref.collapse_shape %got [[0, 1, 2], [3]] : memref<3x2x5x6xf32> into memref<30x6xf32>
  %want2 = memref.collapse_shape %want [[0, 1, 2], [3]] : memref<3x2x5x6xf32> into memref<30x6xf32>
  %xd = memref.cast %x2 : memref<7x10xf32> to memref<?x?xf32>
  %yd = memref.cast %y2 : memref<11x12xf32> to memref<?x?xf32>
  %gotd = memref.cast %got2 : memref<30x6xf32> to memref<?x?xf32>
  %wantd = memref.cast %want2 : memref<30x6xf32> to memref<?x?xf32>
  func.call @fill(%xd, %c5, %c3) : (memref<?x?xf32>, index, index) -> ()
  func.call @fill(%yd, %c3, %c2) : (memref<?x?xf32>, index, index) -> ()
  linalg.fill ins(%garbage : f32) outs(%got : memref<3x2x5x6xf32>)
  linalg.fill ins(%f0 : f32) outs(%want : memref<3x2x5x6xf32>)

  hetkernel.outer_sum x(%x gather %xs : memref<7x2x5xf32>, memref<11xi32>) y(%y gather %ys : memref<11x2x6xf32>, memref<11xi32>)
      tiles(%tiles : memref<4x3xi32>) outs(%got : memref<3x2x5x6xf32>)

  scf.for %i = %c0 to %c11 step %c1 {
    %t32 = memref.load %types[%i] : memref<11xi32>
    %x32 = memref.load %xs[%i] : memref<11xi32>
    %y32 = memref.load %ys[%i] : memref<11xi32>
    %t = arith.index_cast %t32 : i32 to index
    %xi = arith.index_cast %x32 : i32 to index
    %yi = arith.index_cast %y32 : i32 to index
    scf.for %h = %c0 to %c2 step %c1 {
      scf.for %k = %c0 to %c5 step %c1 {
        scf.for %n = %c0 to %c6 step %c1 {
          %xv = memref.load %x[%xi, %h, %k] : memref<7x2x5xf32>
          %yv = memref.load %y[%yi, %h, %n] : memref<11x2x6xf32>
          %old = memref.load %want[%t, %h, %k, %n] : memref<3x2x5x6xf32>
          %p = arith.mulf %xv, %yv : f32
          %new = arith.addf %old, %p : f32
          memref.store %new, %want[%t, %h, %k, %n] : memref<3x2x5x6xf32>
        }
      }
    }
  }
  %wrong0 = func.call @countDifferent(%gotd, %wantd) : (memref<?x?xf32>, memref<?x?xf32>) -> i32

  // All rows, and their sum.
  %a = memref.alloc() : memref<300x5xf32>
  %b = memref.alloc() : memref<300x6xf32>
  %gotAll = memref.alloc() : memref<5x6xf32>
  %wantAll = memref.alloc() : memref<5x6xf32>
  %gotSum = memref.alloc() : memref<6xf32>
  %wantSum = memref.alloc() : memref<6xf32>
  %ad = memref.cast %a : memref<300x5xf32> to memref<?x?xf32>
  %bd = memref.cast %b : memref<300x6xf32> to memref<?x?xf32>
  %gotAlld = memref.cast %gotAll : memref<5x6xf32> to memref<?x?xf32>
  %wantAlld = memref.cast %wantAll : memref<5x6xf32> to memref<?x?xf32>
  %gotSum2 = memref.expand_shape %gotSum [[0, 1]] output_shape [1, 6] : memref<6xf32> into memref<1x6xf32>
  %wantSum2 = memref.expand_shape %wantSum [[0, 1]] output_shape [1, 6] : memref<6xf32> into memref<1x6xf32>
  %gotSumd = memref.cast %gotSum2 : memref<1x6xf32> to memref<?x?xf32>
  %wantSumd = memref.cast %wantSum2 : memref<1x6xf32> to memref<?x?xf32>
  func.call @fill(%ad, %c5, %c3) : (memref<?x?xf32>, index, index) -> ()
  func.call @fill(%bd, %c3, %c5) : (memref<?x?xf32>, index, index) -> ()
  linalg.fill ins(%garbage : f32) outs(%gotAll : memref<5x6xf32>)
  linalg.fill ins(%f0 : f32) outs(%wantAll : memref<5x6xf32>)
  linalg.fill ins(%garbage : f32) outs(%gotSum : memref<6xf32>)
  linalg.fill ins(%f0 : f32) outs(%wantSum : memref<6xf32>)

  hetkernel.outer_sum x(%a : memref<300x5xf32>) y(%b : memref<300x6xf32>) outs(%gotAll : memref<5x6xf32>)
  hetkernel.outer_sum y(%b : memref<300x6xf32>) outs(%gotSum : memref<6xf32>)

  scf.for %i = %c0 to %c300 step %c1 {
    scf.for %n = %c0 to %c6 step %c1 {
      %bv = memref.load %b[%i, %n] : memref<300x6xf32>
      %oldSum = memref.load %wantSum[%n] : memref<6xf32>
      %newSum = arith.addf %oldSum, %bv : f32
      memref.store %newSum, %wantSum[%n] : memref<6xf32>
      scf.for %k = %c0 to %c5 step %c1 {
        %av = memref.load %a[%i, %k] : memref<300x5xf32>
        %old = memref.load %wantAll[%k, %n] : memref<5x6xf32>
        %p = arith.mulf %av, %bv : f32
        %new = arith.addf %old, %p : f32
        memref.store %new, %wantAll[%k, %n] : memref<5x6xf32>
      }
    }
  }
  %wrong1 = func.call @countDifferent(%gotAlld, %wantAlld) : (memref<?x?xf32>, memref<?x?xf32>) -> i32
  %wrong2 = func.call @countDifferent(%gotSumd, %wantSumd) : (memref<?x?xf32>, memref<?x?xf32>) -> i32
  %0 = arith.addi %wrong0, %wrong1 : i32
  %1 = arith.addi %0, %wrong2 : i32
  return %1 : i32
}
