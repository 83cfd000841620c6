// RUN: rgnn-opt %s --hetkernel-set-schedule=traverse=task_rows:2,coarsening:2 --convert-hetkernel-to-scf --scf-forall-to-for --memref-expand --expand-strided-metadata \
// RUN:   --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=i32 | FileCheck %s

// Rows that two lists lead to, one after the other, of which the first alone leads to numbers, too: 300, 3, none and 40
// of them. Every sum, and what is kept for each inner row, is compared with plain loops on numbers that f32 holds
// exactly.
// CHECK: {{^}}0{{$}}

memref.global "private" constant @offsets : memref<5xi32> = dense<[0, 300, 303, 303, 343]>
memref.global "private" constant @second : memref<9xi32> = dense<[3, 0, 6, 6, 1, 5, 2, 4, 0]>
memref.global "private" constant @numbers : memref<9xf32> = dense<[1.0, 2.0, -3.0, 4.0, -1.0, 3.0, 0.0, 2.0, -2.0]>
memref.global "private" constant @factors : memref<7xf32> = dense<[2.0, -1.0, 3.0, 1.0, -2.0, 0.0, 4.0]>

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c9 = arith.constant 9 : index
  %c64 = arith.constant 64 : index
  %c343 = arith.constant 343 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %f0 = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<64xf32>
  %offsets = memref.get_global @offsets : memref<5xi32>
  %second = memref.get_global @second : memref<9xi32>
  %numbers = memref.get_global @numbers : memref<9xf32>
  %factors = memref.get_global @factors : memref<7xf32>
  %first = memref.alloc() : memref<343xi32>
  %x = memref.alloc() : memref<7x64xf32>
  %kept = memref.alloc() : memref<343xf32>
  %wide = memref.alloc() : memref<4x64xf32>
  %narrow = memref.alloc() : memref<4xf32>
  scf.for %e = %c0 to %c343 step %c1 {
    %0 = arith.muli %e, %c5 : index
    %1 = arith.addi %0, %c1 : index
    %2 = arith.remui %1, %c9 : index
    %3 = arith.index_cast %2 : index to i32
    memref.store %3, %first[%e] : memref<343xi32>
  }
  scf.for %i = %c0 to %c7 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %0 = arith.muli %i, %c5 : index
      %1 = arith.addi %0, %j : index
      %2 = arith.remui %1, %c9 : index
      %3 = arith.index_cast %2 : index to i32
      %4 = arith.sitofp %3 : i32 to f32
      memref.store %4, %x[%i, %j] : memref<7x64xf32>
    }
  }

  hetkernel.traverse rows(%c4) segments(%offsets : memref<5xi32>)
      outs(%kept, %wide, %narrow : memref<343xf32>, memref<4x64xf32>, memref<4xf32>) {
  ^bb0(%i: index):
    %n = hetkernel.for_each %i init(%f0 : f32) {
    ^bb0(%e: index, %acc: f32):
      %u = hetkernel.lookup %first[%e] : memref<343xi32>
      %v = hetkernel.lookup %second[%u] : memref<9xi32>
      %number = hetkernel.row %numbers[%u] : memref<9xf32> -> f32
      %factor = hetkernel.row %factors[%v] : memref<7xf32> -> f32
      %0 = arith.mulf %number, %factor : f32
      %next = arith.addf %acc, %0 : f32
      hetkernel.yield %next : f32
    } -> f32
    %w, %k = hetkernel.for_each %i init(%zeros : vector<64xf32>) {
    ^bb0(%e: index, %acc: vector<64xf32>):
      %u = hetkernel.lookup %first[%e] : memref<343xi32>
      %v = hetkernel.lookup %second[%u] : memref<9xi32>
      %r = hetkernel.row %x[%v] : memref<7x64xf32> -> vector<64xf32>
      %number = hetkernel.row %numbers[%u] : memref<9xf32> -> f32
      %next = arith.addf %acc, %r : vector<64xf32>
      hetkernel.yield %next, %number : vector<64xf32>, f32
    } -> vector<64xf32>, !hetkernel.segment<f32>
    hetkernel.yield %k, %w, %n : !hetkernel.segment<f32>, vector<64xf32>, f32
  }

  %wrong = scf.for %i = %c0 to %c4 step %c1 iter_args(%a0 = %zero) -> (i32) {
    %j = arith.addi %i, %c1 : index
    %begin32 = memref.load %offsets[%i] : memref<5xi32>
    %end32 = memref.load %offsets[%j] : memref<5xi32>
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %n, %r0 = scf.for %e = %begin to %end step %c1 iter_args(%acc = %f0, %a1 = %a0) -> (f32, i32) {
      %u32 = memref.load %first[%e] : memref<343xi32>
      %u = arith.index_cast %u32 : i32 to index
      %v32 = memref.load %second[%u] : memref<9xi32>
      %v = arith.index_cast %v32 : i32 to index
      %number = memref.load %numbers[%u] : memref<9xf32>
      %factor = memref.load %factors[%v] : memref<7xf32>
      %0 = arith.mulf %number, %factor : f32
      %next = arith.addf %acc, %0 : f32
      %got = memref.load %kept[%e] : memref<343xf32>
      %differ = arith.cmpf une, %got, %number : f32
      %inc = arith.select %differ, %one, %zero : i32
      %a2 = arith.addi %a1, %inc : i32
      scf.yield %next, %a2 : f32, i32
    }
    %gotN = memref.load %narrow[%i] : memref<4xf32>
    %differN = arith.cmpf une, %gotN, %n : f32
    %incN = arith.select %differN, %one, %zero : i32
    %r1 = arith.addi %r0, %incN : i32
    %r2 = scf.for %h = %c0 to %c64 step %c1 iter_args(%a3 = %r1) -> (i32) {
      %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %f0) -> (f32) {
        %u32 = memref.load %first[%e] : memref<343xi32>
        %u = arith.index_cast %u32 : i32 to index
        %v32 = memref.load %second[%u] : memref<9xi32>
        %v = arith.index_cast %v32 : i32 to index
        %number = memref.load %x[%v, %h] : memref<7x64xf32>
        %next = arith.addf %acc, %number : f32
        scf.yield %next : f32
      }
      %got = memref.load %wide[%i, %h] : memref<4x64xf32>
      %differ = arith.cmpf une, %got, %sum : f32
      %inc = arith.select %differ, %one, %zero : i32
      %a4 = arith.addi %a3, %inc : i32
      scf.yield %a4 : i32
    }
    scf.yield %r2 : i32
  }
  return %wrong : i32
}
