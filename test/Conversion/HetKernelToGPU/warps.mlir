// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --convert-hetkernel-to-gpu=threads=48 --canonicalize --cse | FileCheck %s --check-prefix=PARTS

// Attention with two heads of 20 features: a warp has a row, and a lane two of its 40 numbers, the second only in the
// first 8 lanes. Scores are in the first two lanes; that of a head goes to its features by a shuffle.
// CHECK-LABEL: func @softmax
//  CHECK-SAME: (%[[N:[a-z0-9_]*]]: index, %{{.*}}: memref<?xi32>, %[[S:[a-z0-9_]*]]: memref<?x2xf32>, %[[Y:[a-z0-9_]*]]: memref<?x2x20xf32>, %[[O:[a-z0-9_]*]]: memref<?x2x20xf32>)
//       CHECK: %[[TOTAL:[a-z0-9_]*]] = arith.muli %[[N]], %c32
//       CHECK: gpu.launch
//       CHECK:   %[[ROW:[a-z0-9_]*]] = arith.divui %[[NUMBER:[a-z0-9_]*]], %c32
//       CHECK:   %[[LANE:[a-z0-9_]*]] = arith.remui %[[NUMBER]], %c32
//       CHECK:   scf.for {{.*}} -> (f32) {
//       CHECK:     %[[HEAD:[a-z0-9_]*]] = arith.minui %[[LANE]], %c1
//       CHECK:     memref.load %[[S]][%{{[a-z0-9_]*}}, %[[HEAD]]]
//       CHECK:     arith.addf
//       CHECK:   %[[SCORE0:[A-Za-z0-9_]*]], %{{.*}} = gpu.shuffle{{ *}}idx
//       CHECK:   %[[SCORE1:[A-Za-z0-9_]*]], %{{.*}} = gpu.shuffle{{ *}}idx %{{.*}}, %c1_i32, %c32_i32
//       CHECK:   scf.for {{.*}} -> (f32, f32) {
//       CHECK:     %[[X0:[a-z0-9_]*]] = memref.load %{{.*}}[%{{[a-z0-9_]*}}, %[[LANE]]] : memref<?x40xf32>
//       CHECK:     %[[SECOND:[a-z0-9_]*]] = arith.minui %{{[a-z0-9_]*}}, %c39
//       CHECK:     %[[X1:[a-z0-9_]*]] = memref.load %{{.*}}[%{{[a-z0-9_]*}}, %[[SECOND]]]
//       CHECK:     arith.mulf %[[X0]], %[[SCORE0]] : f32
//       CHECK:     arith.mulf %[[X1]], %[[SCORE1]] : f32
//       CHECK:   memref.store %{{.*}}[%{{[a-z0-9_]*}}, %[[LANE]]] : memref<?x40xf32>
//       CHECK:   scf.if
//       CHECK:     memref.store

// Blocks that warps do not fill have a thread for each row.
// PARTS-LABEL: func @softmax
//   PARTS-NOT: gpu.shuffle
//       PARTS: vector.load {{.*}} vector<40xf32>
func.func @softmax(%n: index, %p: memref<?xi32>, %s: memref<?x2xf32>, %y: memref<?x2x20xf32>, %o: memref<?x2x20xf32>) {
  %zero = arith.constant dense<0.0> : vector<2xf32>
  %zeros = arith.constant dense<0.0> : vector<2x20xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x2x20xf32>) schedule #hetkernel.gpu_traverse<coarsening = 1> {
  ^bb0(%i: index):
    %sum = hetkernel.for_each %i init(%zero : vector<2xf32>) {
    ^bb0(%e: index, %a: vector<2xf32>):
      %x = hetkernel.row %s[%e] : memref<?x2xf32> -> vector<2xf32>
      %next = arith.addf %a, %x : vector<2xf32>
      hetkernel.yield %next : vector<2xf32>
    } -> vector<2xf32>
    %total = hetkernel.for_each %i init(%zeros : vector<2x20xf32>) {
    ^bb0(%e: index, %a: vector<2x20xf32>):
      %q1 = vector.shape_cast %sum : vector<2xf32> to vector<2x1xf32>
      %q2 = vector.broadcast %q1 : vector<2x1xf32> to vector<2x20xf32>
      %z = hetkernel.row %y[%e] : memref<?x2x20xf32> -> vector<2x20xf32>
      %m = arith.mulf %z, %q2 : vector<2x20xf32>
      %next = arith.addf %a, %m : vector<2x20xf32>
      hetkernel.yield %next : vector<2x20xf32>
    } -> vector<2x20xf32>
    hetkernel.yield %total : vector<2x20xf32>
  }
  return
}

// A dot product adds pairs five times, after those of a lane; one lane stores the sum. A later loop loads what was kept in
// that lane, and has it in all.
// CHECK-LABEL: func @dot
//  CHECK-SAME: (%{{.*}}: memref<?x40xf32>, %[[O:[a-z0-9_]*]]: memref<?xf32>)
//       CHECK:   arith.addf
//       CHECK:   arith.select
// CHECK-COUNT-5: gpu.shuffle{{ *}}xor
//   CHECK-NOT:   gpu.shuffle
//       CHECK:   %[[FIRST:[a-z0-9_]*]] = arith.cmpi ult, %{{[a-z0-9_]*}}, %c1
//       CHECK:   scf.if %[[FIRST]] {
//       CHECK:     memref.store %{{[a-z0-9_]*}}, %[[O]]
func.func @dot(%n: index, %x: memref<?x40xf32>, %o: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  hetkernel.traverse rows(%n) outs(%o : memref<?xf32>) schedule #hetkernel.gpu_traverse<coarsening = 1> {
  ^bb0(%i: index):
    %r = hetkernel.row %x[%i] : memref<?x40xf32> -> vector<40xf32>
    %m = arith.mulf %r, %r : vector<40xf32>
    %d = vector.multi_reduction <add>, %m, %zero [0] : vector<40xf32> to f32
    hetkernel.yield %d : f32
  }
  return
}
