// RUN: rgnn-opt %s --pass-pipeline='builtin.module(func.func(rgnn-group-loops))' --split-input-file | FileCheck %s
// RUN: rgnn-opt %s --pass-pipeline='builtin.module(func.func(rgnn-group-loops),rgnn-plan-workspace,rgnn-outline-parallel)' \
// RUN:   --split-input-file | FileCheck %s --check-prefix=CALLS

// Two types: both loops of the first kind, then both of the second. A buffer is
// allocated in front of the group that fills it, and freed behind its last reader.

// CHECK-LABEL: func.func @forward(
//  CHECK-SAME:   %[[N:.*]]: index, %[[M:.*]]: index, %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>
//       CHECK:   %[[A:.*]] = memref.alloc(%[[N]])
//       CHECK:   %[[B:.*]] = memref.alloc(%[[M]])
//       CHECK:   scf.forall (%{{.*}}) in (%[[N]])
//  CHECK-NEXT:     memref.load
//  CHECK-NEXT:     memref.store %{{.*}}, %[[A]]
//       CHECK:   } {rgnn.group = 0 : i64, rgnn.kernel = 7 : i64}
//  CHECK-NEXT:   scf.forall (%{{.*}}) in (%[[M]])
//  CHECK-NEXT:     memref.load
//  CHECK-NEXT:     memref.store %{{.*}}, %[[B]]
//       CHECK:   } {rgnn.group = 0 : i64}
//       CHECK:   scf.forall (%{{.*}}) in (%[[N]])
//  CHECK-NEXT:     memref.load %[[A]]
//       CHECK:   } {rgnn.group = 1 : i64}
//  CHECK-NEXT:   scf.forall (%{{.*}}) in (%[[M]])
//  CHECK-NEXT:     memref.load %[[B]]
//       CHECK:   } {rgnn.group = 1 : i64}
//       CHECK:   memref.dealloc %[[A]]
//       CHECK:   memref.dealloc %[[B]]

// One call for each group: the count, the function and the words of each loop.

// CALLS-LABEL: func.func @forward(
//       CALLS:   llvm.alloca %{{.*}} x !llvm.array<6 x i64>
//       CALLS:   %[[COUNT:.*]] = arith.index_cast %{{.*}} : index to i64
//       CALLS:   constant @forward_parallel_0
//       CALLS:   constant @forward_parallel_1
//       CALLS:   llvm.store %[[COUNT]], %{{.*}}
//       CALLS:   %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
//       CALLS:   %[[SLOT:.*]] = llvm.getelementptr %{{.*}}[32]
//       CALLS:   %[[CALL:.*]] = llvm.load %[[SLOT]]
//       CALLS:   llvm.call %[[CALL]](%{{.*}}, %[[TWO]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr) -> ()
//       CALLS:   llvm.call
//   CALLS-NOT:   llvm.call
//       CALLS:   return
func.func @forward(%n: index, %m: index, %x: memref<?xf32>, %y: memref<?xf32>,
                   %p: memref<?xf32>, %q: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  scf.forall (%i) in (%n) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %a[%i] : memref<?xf32>
  } {rgnn.kernel = 7}
  scf.forall (%i) in (%n) {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %p[%i] : memref<?xf32>
  }
  memref.dealloc %a : memref<?xf32>
  %b = memref.alloc(%m) : memref<?xf32>
  scf.forall (%i) in (%m) {
    %v = memref.load %y[%i] : memref<?xf32>
    memref.store %v, %b[%i] : memref<?xf32>
  }
  scf.forall (%i) in (%m) {
    %v = memref.load %b[%i] : memref<?xf32>
    memref.store %v, %q[%i] : memref<?xf32>
  }
  memref.dealloc %b : memref<?xf32>
  return
}

// -----

// What loops of a group fill does not share memory, although the one is read
// before the other would be filled.

// CALLS-LABEL: func.func @forward(
//       CALLS: func.func @forward_workspace
// CALLS-COUNT-2: arith.muli
//       CALLS:   return
// CHECK-LABEL: func.func @forward(
// CHECK-COUNT-2: rgnn.group = 0
// CHECK-COUNT-2: rgnn.group = 1
func.func @forward(%n: index {rgnn.size}, %p: memref<?xf32>, %q: memref<?xf32>, %s: f32) {
  %a = memref.alloc(%n) : memref<?xf32>
  scf.forall (%i) in (%n) {
    memref.store %s, %a[%i] : memref<?xf32>
  }
  scf.forall (%i) in (%n) {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %p[%i] : memref<?xf32>
  }
  %b = memref.alloc(%n) : memref<?xf32>
  scf.forall (%i) in (%n) {
    memref.store %s, %b[%i] : memref<?xf32>
  }
  scf.forall (%i) in (%n) {
    %v = memref.load %b[%i] : memref<?xf32>
    memref.store %v, %q[%i] : memref<?xf32>
  }
  return
}

// -----

// The second loop writes what the first wrote, the third what the second reads:
// the function stays as it is.

// CHECK-LABEL: func.func @chain(
//   CHECK-NOT:   rgnn.group
//       CHECK:   return
func.func @chain(%n: index, %x: memref<?xf32>, %p: memref<?xf32>, %s: f32) {
  scf.forall (%i) in (%n) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %p[%i] : memref<?xf32>
  }
  scf.forall (%i) in (%n) {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.addf %v, %s : f32
    memref.store %w, %p[%i] : memref<?xf32>
  }
  scf.forall (%i) in (%n) {
    memref.store %s, %x[%i] : memref<?xf32>
  }
  return
}

// -----

// Parts of a buffer that lie apart; one that does not waits.

// CHECK-LABEL: func.func @parts(
//       CHECK: rgnn.group = 0
//       CHECK: rgnn.group = 0
//       CHECK: scf.forall
//   CHECK-NOT: rgnn.group
//       CHECK: return
func.func @parts(%n: index, %p: memref<?x8xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %left = memref.subview %p[0, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  %right = memref.subview %p[0, 4] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  scf.forall (%i) in (%n) {
    memref.store %s, %left[%i, %c0] : memref<?x4xf32, strided<[8, 1]>>
  }
  scf.forall (%i) in (%n) {
    memref.store %s, %right[%i, %c0] : memref<?x4xf32, strided<[8, 1], offset: 4>>
  }
  scf.forall (%i) in (%n) {
    memref.store %s, %p[%i, %c0] : memref<?x8xf32>
  }
  return
}

// -----

// A number that is read between loops waits for the loop that stores it, and the
// loop that it bounds for it. A call may do anything: nothing passes it.

// CHECK-LABEL: func.func @sizes(
//       CHECK:   scf.forall
//       CHECK:   } {rgnn.group = 0 : i64}
//       CHECK:   } {rgnn.group = 0 : i64}
//       CHECK:   %[[M:.*]] = memref.load
//  CHECK-NEXT:   scf.forall (%{{.*}}) in (%[[M]])
//       CHECK:   call @anything
//       CHECK:   scf.forall
//   CHECK-NOT:   rgnn.group
//       CHECK:   return
func.func private @anything()
func.func @sizes(%n: index, %count: memref<?xindex>, %p: memref<?xf32>, %q: memref<?xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (%n) {
    memref.store %n, %count[%i] : memref<?xindex>
  }
  %m = memref.load %count[%c0] : memref<?xindex>
  scf.forall (%i) in (%m) {
    memref.store %s, %p[%i] : memref<?xf32>
  }
  scf.forall (%i) in (%n) {
    memref.store %s, %q[%i] : memref<?xf32>
  }
  call @anything() : () -> ()
  scf.forall (%i) in (%n) {
    memref.store %s, %q[%i] : memref<?xf32>
  }
  return
}

// -----

// A cast may leave the part that it is a view of: the second loop waits.

// CHECK-LABEL: func.func @cast_out_of_a_part(
//   CHECK-NOT: rgnn.group
//       CHECK: return
func.func @cast_out_of_a_part(%x: memref<40xf32>, %p: memref<8xf32>, %s: f32) {
  %left = memref.subview %x[0] [4] [1] : memref<40xf32> to memref<4xf32, strided<[1]>>
  %out = memref.reinterpret_cast %left to offset: [32], sizes: [8], strides: [1]
      : memref<4xf32, strided<[1]>> to memref<8xf32, strided<[1], offset: 32>>
  %right = memref.subview %x[32] [8] [1] : memref<40xf32> to memref<8xf32, strided<[1], offset: 32>>
  scf.forall (%i) in (8) {
    memref.store %s, %out[%i] : memref<8xf32, strided<[1], offset: 32>>
  }
  scf.forall (%i) in (8) {
    %v = memref.load %right[%i] : memref<8xf32, strided<[1], offset: 32>>
    memref.store %v, %p[%i] : memref<8xf32>
  }
  return
}
