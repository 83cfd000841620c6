// RUN: rgnn-opt %s --convert-hetkernel-to-scf --rgnn-expand-copies --convert-linalg-to-loops --scf-forall-to-for --memref-expand --expand-strided-metadata \
// RUN:   --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=i32 | FileCheck %s

// More parts than a thread of a GPU chooses from, some of them empty, the first laid out in another way than the others,
// which begin anywhere in one buffer: joined, they are that buffer. Every number is compared.
// CHECK: {{^}}0{{$}}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %rows = arith.constant 33 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %from = memref.alloc() : memref<33x4xf32>
  %to = memref.alloc() : memref<33x4xf32>
  %first = memref.alloc() : memref<2x4xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %k = arith.muli %i, %c4 : index
      %number = arith.addi %k, %j : index
      %bits = arith.index_castui %number : index to i32
      %value = arith.uitofp %bits : i32 to f32
      memref.store %value, %from[%i, %j] : memref<33x4xf32>
      %isfirst = arith.cmpi ult, %i, %c2 : index
      scf.if %isfirst {
        memref.store %value, %first[%i, %j] : memref<2x4xf32>
      }
    }
  }
  %p = memref.cast %first : memref<2x4xf32> to memref<?x4xf32>
  %o0 = arith.constant 2 : index
  %n0 = arith.constant 1 : index
  %s0 = memref.subview %from[%o0, 0] [%n0, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o1 = arith.constant 3 : index
  %n1 = arith.constant 0 : index
  %s1 = memref.subview %from[%o1, 0] [%n1, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o2 = arith.constant 3 : index
  %n2 = arith.constant 3 : index
  %s2 = memref.subview %from[%o2, 0] [%n2, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o3 = arith.constant 6 : index
  %n3 = arith.constant 2 : index
  %s3 = memref.subview %from[%o3, 0] [%n3, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o4 = arith.constant 8 : index
  %n4 = arith.constant 1 : index
  %s4 = memref.subview %from[%o4, 0] [%n4, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o5 = arith.constant 9 : index
  %n5 = arith.constant 2 : index
  %s5 = memref.subview %from[%o5, 0] [%n5, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o6 = arith.constant 11 : index
  %n6 = arith.constant 0 : index
  %s6 = memref.subview %from[%o6, 0] [%n6, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o7 = arith.constant 11 : index
  %n7 = arith.constant 1 : index
  %s7 = memref.subview %from[%o7, 0] [%n7, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o8 = arith.constant 12 : index
  %n8 = arith.constant 3 : index
  %s8 = memref.subview %from[%o8, 0] [%n8, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o9 = arith.constant 15 : index
  %n9 = arith.constant 2 : index
  %s9 = memref.subview %from[%o9, 0] [%n9, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o10 = arith.constant 17 : index
  %n10 = arith.constant 1 : index
  %s10 = memref.subview %from[%o10, 0] [%n10, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o11 = arith.constant 18 : index
  %n11 = arith.constant 1 : index
  %s11 = memref.subview %from[%o11, 0] [%n11, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o12 = arith.constant 19 : index
  %n12 = arith.constant 2 : index
  %s12 = memref.subview %from[%o12, 0] [%n12, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o13 = arith.constant 21 : index
  %n13 = arith.constant 3 : index
  %s13 = memref.subview %from[%o13, 0] [%n13, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o14 = arith.constant 24 : index
  %n14 = arith.constant 0 : index
  %s14 = memref.subview %from[%o14, 0] [%n14, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o15 = arith.constant 24 : index
  %n15 = arith.constant 1 : index
  %s15 = memref.subview %from[%o15, 0] [%n15, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o16 = arith.constant 25 : index
  %n16 = arith.constant 2 : index
  %s16 = memref.subview %from[%o16, 0] [%n16, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o17 = arith.constant 27 : index
  %n17 = arith.constant 1 : index
  %s17 = memref.subview %from[%o17, 0] [%n17, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o18 = arith.constant 28 : index
  %n18 = arith.constant 3 : index
  %s18 = memref.subview %from[%o18, 0] [%n18, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  %o19 = arith.constant 31 : index
  %n19 = arith.constant 2 : index
  %s19 = memref.subview %from[%o19, 0] [%n19, 4] [1, 1] : memref<33x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  hetkernel.concat (%p, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8, %s9, %s10, %s11, %s12, %s13, %s14, %s15, %s16, %s17, %s18,
      %s19 :
      memref<?x4xf32>, memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>,
      memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32,
      strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1],
      offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>,
      memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32,
      strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1],
      offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>,
      memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32,
      strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>)
      outs(%to : memref<33x4xf32>)
  %wrong = scf.for %i = %c0 to %rows step %c1 iter_args(%sum = %zero) -> i32 {
    %inner = scf.for %j = %c0 to %c4 step %c1 iter_args(%count = %sum) -> i32 {
      %wanted = memref.load %from[%i, %j] : memref<33x4xf32>
      %got = memref.load %to[%i, %j] : memref<33x4xf32>
      %differs = arith.cmpf une, %wanted, %got : f32
      %more = arith.addi %count, %one : i32
      %next = arith.select %differs, %more, %count : i32
      scf.yield %next : i32
    }
    scf.yield %inner : i32
  }
  return %wrong : i32
}
