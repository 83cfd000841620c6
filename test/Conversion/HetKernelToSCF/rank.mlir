// RUN: rgnn-opt %s --convert-hetkernel-to-scf --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --convert-hetkernel-to-gpu=chip=sm_90 --canonicalize --cse | FileCheck %s --check-prefix=GPU

// A task is some segments with all their columns: their numbers in order, in one of two planes, and sums in that order,
// which are what is asked for. On GPUs, a thread has one segment and column.

// CHECK-LABEL: func @rank
//  CHECK-SAME:   %[[X:[a-z0-9]*]]: memref<?x4xf32>, %{{.*}}: memref<?xi32>, %[[O:[a-z0-9]*]]: memref<?x4xf32>
//   CHECK-DAG:   %[[KEYS:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<2x?x4xf32>
//   CHECK-DAG:   %[[ROWS:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<2x?x4xi32>
//       CHECK:   scf.forall (%{{.*}}) in (%{{.*}}) {
//       CHECK:     scf.for
//       CHECK:       scf.for {{.*}} to %c4 step
//       CHECK:         scf.for
//       CHECK:           memref.load %[[X]]
//       CHECK:           memref.store %{{.*}}, %[[KEYS]][%c0,
//       CHECK:         %[[SORTED:.*]]:2 = scf.while
//       CHECK:           scf.for
//       CHECK:             scf.for
//       CHECK:               memref.store %{{.*}}, %[[KEYS]]
//       CHECK:         scf.for
//       CHECK:           memref.load %[[ROWS]][%[[SORTED]]#1,
//       CHECK:           memref.store %{{.*}}, %[[O]]
//   CHECK-DAG:   memref.dealloc %[[KEYS]]
//   CHECK-DAG:   memref.dealloc %[[ROWS]]

// GPU-LABEL: func @rank
//       GPU:   %[[TASKS:.*]] = arith.muli %{{.*}}, %c4
//       GPU:   %[[BLOCKS:.*]] = arith.ceildivui %[[TASKS]], %c128
//       GPU:   gpu.launch blocks(%{{.*}}) in (%{{.*}} = %[[BLOCKS]],
func.func @rank(%x: memref<?x4xf32>, %s: memref<?xi32>, %o: memref<?x4xf32>) {
  hetkernel.rank x(%x : memref<?x4xf32>) y(%x : memref<?x4xf32>) segments(%s : memref<?xi32>) outs(%o : memref<?x4xf32>)
  return
}

// Of other numbers than are sorted, each is looked up.

// CHECK-LABEL: func @lookups
//       CHECK:   %[[SUMS:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x4xf32>
//       CHECK:   scf.forall
//       CHECK:           memref.store %{{.*}}, %[[SUMS]]
//       CHECK:           scf.while
//       CHECK:           memref.load %[[SUMS]]
func.func @lookups(%x: memref<?x4xf32>, %y: memref<?x4xf32>, %s: memref<?xi32>, %o: memref<?x4xf32>) {
  hetkernel.rank x(%x : memref<?x4xf32>) y(%y : memref<?x4xf32>) segments(%s : memref<?xi32>) outs(%o : memref<?x4xf32>)
  return
}
