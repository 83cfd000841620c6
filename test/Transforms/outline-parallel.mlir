// RUN: rgnn-opt %s --rgnn-outline-parallel --split-input-file --verify-diagnostics | FileCheck %s

// The number of the kernel goes first, -1 where there is none. A memref takes its
// pointer and what its type leaves open; constants and vectors are repeated.

// CHECK-LABEL: func.func @forward(
//  CHECK-SAME:   %[[CTX:.*]]: !llvm.ptr {rgnn.context}, %[[N:.*]]: index, %[[OUT:.*]]: memref<?x4xf32>, %[[S:.*]]: f32)
//       CHECK:   %[[ENV:.*]] = llvm.alloca %{{.*}} x !llvm.array<4 x i64>
//       CHECK:   %[[NONE:.*]] = llvm.mlir.constant(-1 : i64)
//       CHECK:   llvm.store %[[NONE]], %{{.*}} {{.*}} : i64, !llvm.ptr
//       CHECK:   llvm.store %[[S]], %{{.*}} {{.*}} : f32, !llvm.ptr
//       CHECK:   llvm.store %{{.*}}, %{{.*}} {{.*}} : !llvm.ptr, !llvm.ptr
//       CHECK:   llvm.store %{{.*}}, %{{.*}} {{.*}} : i64, !llvm.ptr
//       CHECK:   %[[COUNT:.*]] = arith.index_cast %[[N]] : index to i64
//       CHECK:   %[[F:.*]] = constant @forward_parallel_0
//       CHECK:   %[[BODY:.*]] = builtin.unrealized_conversion_cast %[[F]]
//       CHECK:   %[[SLOT:.*]] = llvm.getelementptr %[[CTX]][8]
//       CHECK:   %[[CALL:.*]] = llvm.load %[[SLOT]]
//       CHECK:   llvm.call %[[CALL]](%[[CTX]], %[[COUNT]], %[[BODY]], %[[ENV]])
// CHECK-LABEL: func.func private @forward_parallel_0(
//  CHECK-SAME:   %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %{{.*}}: !llvm.ptr)
//       CHECK:   %[[FROM:.*]] = arith.index_cast %[[BEGIN]]
//       CHECK:   %[[TO:.*]] = arith.index_cast %[[END]]
//       CHECK:   scf.for %[[I:.*]] = %[[FROM]] to %[[TO]]
//       CHECK:     %[[C:.*]] = arith.constant 0 : index
//       CHECK:     %[[V:.*]] = vector.broadcast %{{.*}} : f32 to vector<4xf32>
//       CHECK:     vector.store %[[V]], %{{.*}}[%[[I]], %[[C]]]
func.func @forward(%n: index, %out: memref<?x4xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %v = vector.broadcast %s : f32 to vector<4xf32>
  scf.forall (%i) in (%n) {
    vector.store %v, %out[%i, %c0] : memref<?x4xf32>, vector<4xf32>
  }
  return
}

// -----

// Strided views bring their offset and strides; a loop outside and other bounds.

// CHECK-LABEL: func.func @forward(
//       CHECK:   llvm.alloca %{{.*}} x !llvm.array<7 x i64>
//       CHECK:   scf.for
//   CHECK-NOT:     llvm.alloca
//       CHECK:     arith.ceildivsi
//       CHECK:     llvm.call
// CHECK-LABEL: func.func private @forward_parallel_0(
//       CHECK:   scf.for %[[K:.*]] =
//       CHECK:     %[[STEP:.*]] = arith.constant 3 : index
//       CHECK:     %[[SCALED:.*]] = arith.muli %[[K]], %[[STEP]] : index
//       CHECK:     arith.addi %[[SCALED]], %{{.*}} : index
func.func @forward(%n: index, %m: index, %out: memref<?xf32, strided<[?], offset: ?>>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    scf.forall (%i) = (%m) to (%n) step (3) {
      memref.store %s, %out[%i] : memref<?xf32, strided<[?], offset: ?>>
    }
  }
  return
}

// -----

// The inner loop runs in the thread of the outer one.

// CHECK-LABEL: func.func private @forward_parallel_0(
//       CHECK:   scf.for
//       CHECK:     scf.for
//   CHECK-NOT: scf.forall
//   CHECK-NOT: forward_parallel_1
func.func @forward(%n: index, %out: memref<?x?xf32>, %s: f32) {
  scf.forall (%i) in (%n) {
    scf.forall (%j) in (%n) {
      memref.store %s, %out[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

func.func @two_dimensions(%n: index, %out: memref<?x?xf32>, %s: f32) {
  // expected-error @+1 {{expected a parallel loop of 1 dimension, got 2}}
  scf.forall (%i, %j) in (%n, %n) {
    memref.store %s, %out[%i, %j] : memref<?x?xf32>
  }
  return
}

// -----

func.func @captured_tensor(%n: index, %t: tensor<?xf32>, %out: memref<?xf32>) {
  // expected-error @+1 {{expected values used in a parallel loop to be memrefs or scalars, got 'tensor<?xf32>'}}
  scf.forall (%i) in (%n) {
    %v = tensor.extract %t[%i] : tensor<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}

// -----

// expected-error @+1 {{expected no callers of a function with a parallel loop, got one}}
func.func @callee(%n: index, %out: memref<?xf32>, %s: f32) {
  scf.forall (%i) in (%n) {
    memref.store %s, %out[%i] : memref<?xf32>
  }
  return
}
func.func @caller(%n: index, %out: memref<?xf32>, %s: f32) {
  call @callee(%n, %out, %s) : (index, memref<?xf32>, f32) -> ()
  return
}

// -----

func.func @between_loops_of_a_group(%n: index, %out: memref<?xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (%n) {
    memref.store %s, %out[%i] : memref<?xf32>
  } {rgnn.group = 0}
  // expected-error @+1 {{expected parallel loops of a group side by side, got this op between them}}
  memref.store %s, %out[%c0] : memref<?xf32>
  scf.forall (%i) in (%n) {
    memref.store %s, %out[%i] : memref<?xf32>
  } {rgnn.group = 0}
  return
}
