// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --remarks-filter-analyse=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS

// COUNTS: Function=sum | num-blocks=1, {{.*}}num-warps=1
// COUNTS: Function=largest | num-blocks=1, {{.*}}num-warps=0
// COUNTS: Function=running | num-blocks=0, {{.*}}num-spread=1

// A warp adds up two inner rows at a time; behind the last it reads its first one again. Rows with more than 64 are left to
// the block, whose four warps have every fourth inner row each, and the numbers of the next four that they add up. Numbers
// of inner rows are 32 bits wide, as the list's are.
// CHECK-LABEL: func @sum
//  CHECK-SAME: (%[[N:[a-z0-9_]*]]: index, %[[P:[a-z0-9_]*]]: memref<?xi32>, %[[S:[a-z0-9_]*]]: memref<?xi32>, %[[Y:[a-z0-9_]*]]: memref<?x64xf32>, %[[O:[a-z0-9_]*]]: memref<?x64xf32>)
//       CHECK: arith.ceildivui %[[N]], %c4
//       CHECK: gpu.launch {{.*}} workgroup(%[[LONG:[a-z0-9_]*]] : memref<4xi32, {{.*}}>, %[[PARTS:[a-z0-9_]*]] : memref<4x64xf32, {{.*}}>)
//       CHECK:   %[[WARP:[a-z0-9_]*]] = arith.divui %{{.*}}, %c32
//       CHECK:   %[[LANE:[a-z0-9_]*]] = arith.remui %{{.*}}, %c32
//       CHECK:   %[[ISLONG:[a-z0-9_]*]] = scf.if {{.*}} -> (i1) {
//       CHECK:     arith.cmpi ugt, %{{.*}}, %c64
//       CHECK:   memref.store %{{.*}}, %[[LONG]][%[[WARP]]]
//       CHECK:   gpu.barrier
//       CHECK:   scf.if
//       CHECK:     memref.load %[[P]]
//       CHECK:     %[[LAST:[a-z0-9_]*]] = memref.load %[[P]]
//  CHECK-NEXT:     %[[END:[a-z0-9_]*]] = arith.index_castui %[[LAST]] : i32 to index
//  CHECK-NEXT:     {{.*}}scf.for %[[E:[a-z0-9_]*]] = %{{.*}} to %[[END]] step %c2 {{.*}} -> (f32, f32) {
//       CHECK:       %[[FIRST:[a-z0-9_]*]] = arith.index_castui %[[E]] : index to i32
//       CHECK:       %[[NEXT:[a-z0-9_]*]] = arith.addi %[[FIRST]], %c1_i32
//       CHECK:       %[[IS:[a-z0-9_]*]] = arith.cmpi ult, %[[NEXT]], %[[LAST]]
//       CHECK:       %[[CHOSEN:[a-z0-9_]*]] = arith.select %[[IS]], %[[NEXT]], %[[FIRST]]
//       CHECK:       %[[OWN:[a-z0-9_]*]] = arith.index_castui %[[CHOSEN]] : i32 to index
//       CHECK:       memref.load %[[S]][%[[E]]]
//       CHECK:       memref.load %[[S]][%[[OWN]]]
//   CHECK-NOT:       arith.addf
// CHECK-COUNT-4:     memref.load %[[Y]]
//   CHECK-NOT:       memref.load
//       CHECK:       arith.select %[[IS]], %{{.*}} : f32
//       CHECK:     memref.store %{{.*}}, %[[O]]
//   CHECK-NOT:   gpu.barrier
//       CHECK:   scf.for %[[W:[a-z0-9_]*]] = %c0 to %c4 step %c1 {
//       CHECK:     memref.load %[[LONG]][%[[W]]]
//       CHECK:     scf.if
//       CHECK:       %[[MINE:[a-z0-9_]*]] = arith.addi %{{.*}}, %[[WARP]]
//       CHECK:       %[[AHEAD:[a-z0-9_]*]]:4 = scf.if %{{.*}} -> (i32, i32, i32, i32) {
// CHECK-COUNT-4:       memref.load %[[S]]
//       CHECK:       scf.for %[[E4:[a-z0-9_]*]] = %[[MINE]] to %[[END4:[a-z0-9_]*]] step %c16 iter_args(%{{.*}}, %{{.*}}, %[[U:[a-z0-9_]*]] = %[[AHEAD]]#0,
//       CHECK:         %[[NEXT4:[a-z0-9_]*]] = arith.addi %[[E4]], %c16
//       CHECK:         %[[ISNEXT:[a-z0-9_]*]] = arith.cmpi ult, %[[NEXT4]], %[[END4]]
//       CHECK:         %[[THEN:[a-z0-9_]*]]:4 = scf.if %[[ISNEXT]]
// CHECK-COUNT-4:         memref.load %[[S]]
//   CHECK-NOT:         memref.load %[[S]]
//       CHECK:         %[[ROW:[a-z0-9_]*]] = arith.index_castui %[[U]]
//       CHECK:         memref.load %[[Y]][%[[ROW]], %[[LANE]]]
//       CHECK:         scf.yield %{{.*}}, %{{.*}}, %[[THEN]]#0, %[[THEN]]#1, %[[THEN]]#2, %[[THEN]]#3
//       CHECK:       memref.store %{{.*}}, %[[PARTS]][%[[WARP]], %[[LANE]]]
//       CHECK:       gpu.barrier
// CHECK-COUNT-8:     memref.load %[[PARTS]]
//       CHECK:       gpu.barrier
//       CHECK:       %[[FIRST:[a-z0-9_]*]] = arith.cmpi ult, %[[WARP]], %c1
//       CHECK:       scf.if %[[FIRST]] {
//       CHECK:         memref.store %{{.*}}, %[[O]]
func.func @sum(%n: index, %p: memref<?xi32>, %s: memref<?xi32>, %y: memref<?x64xf32>, %o: memref<?x64xf32>) {
  %zero = arith.constant dense<0.0> : vector<64xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x64xf32>) schedule #hetkernel.gpu_traverse<coarsening = 2, block_above = 64> {
  ^bb0(%i: index):
    %sum = hetkernel.for_each %i init(%zero : vector<64xf32>) {
    ^bb0(%e: index, %acc: vector<64xf32>):
      %u = hetkernel.lookup %s[%e] : memref<?xi32>
      %r = hetkernel.row %y[%u] : memref<?x64xf32> -> vector<64xf32>
      %a = arith.addf %acc, %r : vector<64xf32>
      hetkernel.yield %a : vector<64xf32>
    } -> vector<64xf32>
    hetkernel.yield %sum : vector<64xf32>
  }
  return
}

// Of rows of single numbers a thread has one, and of a long one each thread some: warps combine theirs by shuffles. A word
// says which of a warp's rows are long.
// CHECK-LABEL: func @largest
//       CHECK: arith.ceildivui %{{.*}}, %c128
//       CHECK: gpu.launch {{.*}} workgroup(%[[LONG:[a-z0-9_]*]] : memref<4xi32, {{.*}}>, %[[PARTS:[a-z0-9_]*]] : memref<4x1xf32, {{.*}}>)
//       CHECK:   %[[BIT:[a-z0-9_]*]] = arith.shli
// CHECK-COUNT-5: gpu.shuffle{{ *}}xor
//       CHECK:   memref.store %{{.*}}, %[[LONG]]
//       CHECK:   gpu.barrier
//       CHECK:   scf.for
//       CHECK:     arith.maximumf
//       CHECK:   scf.for {{.*}} = %c0 to %c4 step %c1 {
//       CHECK:     scf.for {{.*}} = %c0 to %c32 step %c1 {
//       CHECK:       arith.andi
//       CHECK:       scf.if
//       CHECK:         scf.for {{.*}} step %c128 {{.*}} -> (f32) {
// CHECK-COUNT-5:       gpu.shuffle{{ *}}xor
//       CHECK:         memref.store %{{.*}}, %[[PARTS]]
//       CHECK:         gpu.barrier
// CHECK-COUNT-3:       arith.maximumf
func.func @largest(%n: index, %p: memref<?xi32>, %s: memref<?xf32>, %o: memref<?xf32>) {
  %none = arith.constant 0xFF800000 : f32
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?xf32>) schedule #hetkernel.gpu_traverse<coarsening = 1, block_above = 64> {
  ^bb0(%i: index):
    %max = hetkernel.for_each %i init(%none : f32) {
    ^bb0(%e: index, %acc: f32):
      %r = hetkernel.row %s[%e] : memref<?xf32> -> f32
      %a = arith.maximumf %acc, %r : f32
      hetkernel.yield %a : f32
    } -> f32
    hetkernel.yield %max : f32
  }
  return
}

// Inner rows that need what those before them made stay in their order.
// CHECK-LABEL: func @running
//   CHECK-NOT: gpu.barrier
func.func @running(%n: index, %p: memref<?xi32>, %y: memref<?x64xf32>, %o: memref<?x64xf32>) {
  %zero = arith.constant dense<0.0> : vector<64xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x64xf32>) schedule #hetkernel.gpu_traverse<coarsening = 4, block_above = 64> {
  ^bb0(%i: index):
    %last = hetkernel.for_each %i init(%zero : vector<64xf32>) {
    ^bb0(%e: index, %acc: vector<64xf32>):
      %r = hetkernel.row %y[%e] : memref<?x64xf32> -> vector<64xf32>
      %a = arith.mulf %acc, %r : vector<64xf32>
      %b = arith.addf %a, %r : vector<64xf32>
      hetkernel.yield %b : vector<64xf32>
    } -> vector<64xf32>
    hetkernel.yield %last : vector<64xf32>
  }
  return
}
