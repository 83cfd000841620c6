// RUN: rgnn-opt %s --convert-hetkernel-to-scf --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --convert-hetkernel-to-gpu=chip=sm_90 --canonicalize --cse | FileCheck %s --check-prefix=GPU

// A task is some segments with all their columns: the order of their rows, sums in that order, and a search for each x.
// On GPUs, a thread has one segment and column.

// CHECK-LABEL: func @rank
//   CHECK-DAG:   %[[ORDER:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x4xi32>
//   CHECK-DAG:   %[[SUMS:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x4xf32>
//       CHECK:   scf.forall (%{{.*}}) in (%{{.*}}) {
//       CHECK:     scf.for
//       CHECK:       scf.for {{.*}} to %c4 step
//       CHECK:         scf.for
//       CHECK:           memref.store %{{.*}}, %[[ORDER]]
//       CHECK:         scf.for
//       CHECK:           scf.while
//       CHECK:         scf.for
//       CHECK:           memref.store %{{.*}}, %[[SUMS]]
//       CHECK:         scf.for
//       CHECK:           scf.while
//       CHECK:   memref.dealloc %[[ORDER]]
//       CHECK:   memref.dealloc %[[SUMS]]

// GPU-LABEL: func @rank
//       GPU:   %[[TASKS:.*]] = arith.muli %{{.*}}, %c4
//       GPU:   %[[BLOCKS:.*]] = arith.ceildivui %[[TASKS]], %c128
//       GPU:   gpu.launch blocks(%{{.*}}) in (%{{.*}} = %[[BLOCKS]],
func.func @rank(%x: memref<?x4xf32>, %s: memref<?xi32>, %o: memref<?x4xf32>) {
  hetkernel.rank x(%x : memref<?x4xf32>) y(%x : memref<?x4xf32>) segments(%s : memref<?xi32>) outs(%o : memref<?x4xf32>)
  return
}
