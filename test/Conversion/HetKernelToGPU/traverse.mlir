// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --remarks-filter-analyse=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS

// COUNTS: Counts | Category:convert-hetkernel-to-gpu | Function=sum | num-blocks=0, num-gemms=0, num-launches=1, num-outer-sums=0, num-spread=1, num-temporaries=0, num-traversals=1, num-warps=0
// COUNTS: Counts | Category:convert-hetkernel-to-gpu | Function=softmax | num-blocks=0, num-gemms=0, num-launches=1, num-outer-sums=0, num-spread=0, num-temporaries=1, num-traversals=1, num-warps=0

// Every op works element by element: a thread computes one of the 8 elements of a row, next to those of its neighbours.
// CHECK-LABEL: func @sum
//  CHECK-SAME: (%[[N:[a-z0-9_]*]]: index, %[[P:[a-z0-9_]*]]: memref<?xi32>, %[[S:[a-z0-9_]*]]: memref<?xi32>, %[[Y:[a-z0-9_]*]]: memref<?x8xf32>, %[[O:[a-z0-9_]*]]: memref<?x8xf32>)
//       CHECK: %[[TOTAL:[a-z0-9_]*]] = arith.muli %[[N]], %c8
//       CHECK: %[[BLOCKS:[a-z0-9_]*]] = arith.ceildivui %[[TOTAL]], %c128
//       CHECK: scf.if
//       CHECK:   gpu.launch blocks(%[[B:[a-z0-9_]*]], %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}) in (%{{[a-z0-9_]*}} = %[[BLOCKS]],
//  CHECK-SAME:     threads(%[[T:[a-z0-9_]*]], %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}) in (%{{[a-z0-9_]*}} = %c128,
//       CHECK:     %[[BEFORE:[a-z0-9_]*]] = arith.muli %[[B]], %c128
//       CHECK:     %[[NUMBER:[a-z0-9_]*]] = arith.addi %[[BEFORE]], %[[T]]
//       CHECK:     %[[EXISTS:[a-z0-9_]*]] = arith.cmpi ult, %[[NUMBER]], %[[TOTAL]]
//       CHECK:     scf.if %[[EXISTS]] {
//       CHECK:       %[[ROW:[a-z0-9_]*]] = arith.divui %[[NUMBER]], %c8
//       CHECK:       %[[LANE:[a-z0-9_]*]] = arith.remui %[[NUMBER]], %c8
//       CHECK:       scf.for %[[I:[a-z0-9_]*]] = %[[ROW]] to
//       CHECK:         %[[SUM:[a-z0-9_]*]] = scf.for %[[E:[a-z0-9_]*]] = {{.*}} iter_args(%[[ACC:[a-z0-9_]*]] = %cst) -> (f32) {
//       CHECK:           memref.load %[[S]][%[[E]]]
//       CHECK:           %[[U:[a-z0-9_]*]] = arith.index_castui
//       CHECK:           %[[R:[a-z0-9_]*]] = memref.load %[[Y]][%[[U]], %[[LANE]]]
//       CHECK:           arith.addf %[[ACC]], %[[R]] : f32
//       CHECK:         memref.store %[[SUM]], %[[O]][%[[I]], %[[LANE]]]
func.func @sum(%n: index, %p: memref<?xi32>, %s: memref<?xi32>, %y: memref<?x8xf32>, %o: memref<?x8xf32>) {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x8xf32>) schedule #hetkernel.gpu_traverse<coarsening = 1> {
  ^bb0(%i: index):
    %sum = hetkernel.for_each %i init(%zero : vector<8xf32>) {
    ^bb0(%e: index, %acc: vector<8xf32>):
      %u = hetkernel.lookup %s[%e] : memref<?xi32>
      %r = hetkernel.row %y[%u] : memref<?x8xf32> -> vector<8xf32>
      %a = arith.addf %acc, %r : vector<8xf32>
      hetkernel.yield %a : vector<8xf32>
    } -> vector<8xf32>
    hetkernel.yield %sum : vector<8xf32>
  }
  return
}

// One weight of a head serves all its elements: a thread has the whole row. What a loop keeps for a later one is in
// a buffer.
// CHECK-LABEL: func @softmax
//  CHECK-SAME: (%[[N:[a-z0-9_]*]]: index,
//       CHECK: %[[KEPT:[a-z0-9_]*]] = memref.alloc(%{{[a-z0-9_]*}}) {alignment = 64 : i64} : memref<?x2xf32>
//       CHECK: %[[BLOCKS:[a-z0-9_]*]] = arith.ceildivui %[[N]], %c128
//       CHECK: gpu.launch blocks(%{{.*}}) in (%{{[a-z0-9_]*}} = %[[BLOCKS]],
//       CHECK:   %[[NUMBER:[a-z0-9_]*]] = arith.addi
//       CHECK:   arith.cmpi ult, %[[NUMBER]], %[[N]]
//       CHECK:   scf.for {{.*}} -> (vector<2xf32>) {
//       CHECK:     arith.maximumf
//       CHECK:   scf.for {{.*}} -> (vector<2xf32>) {
//       CHECK:     math.exp
//       CHECK:     vector.store %{{.*}}, %[[KEPT]]
//       CHECK:   scf.for {{.*}} -> (vector<2x4xf32>) {
//       CHECK:     vector.load %[[KEPT]]
//       CHECK:     vector.broadcast %{{.*}} : vector<2x1xf32> to vector<2x4xf32>
//       CHECK: memref.dealloc %[[KEPT]]
func.func @softmax(%n: index, %p: memref<?xi32>, %s: memref<?x2xf32>, %y: memref<?x2x4xf32>, %o: memref<?x2x4xf32>) {
  %inf = arith.constant dense<0xFF800000> : vector<2xf32>
  %zero = arith.constant dense<0.0> : vector<2xf32>
  %zeros = arith.constant dense<0.0> : vector<2x4xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x2x4xf32>) schedule #hetkernel.gpu_traverse<coarsening = 1> {
  ^bb0(%i: index):
    %max = hetkernel.for_each %i init(%inf : vector<2xf32>) {
    ^bb0(%e: index, %m: vector<2xf32>):
      %x = hetkernel.row %s[%e] : memref<?x2xf32> -> vector<2xf32>
      %next = arith.maximumf %m, %x : vector<2xf32>
      hetkernel.yield %next : vector<2xf32>
    } -> vector<2xf32>
    %sum, %kept = hetkernel.for_each %i init(%zero : vector<2xf32>) {
    ^bb0(%e: index, %a: vector<2xf32>):
      %x = hetkernel.row %s[%e] : memref<?x2xf32> -> vector<2xf32>
      %d = arith.subf %x, %max : vector<2xf32>
      %q = math.exp %d : vector<2xf32>
      %next = arith.addf %a, %q : vector<2xf32>
      hetkernel.yield %next, %q : vector<2xf32>, vector<2xf32>
    } -> vector<2xf32>, !hetkernel.segment<vector<2xf32>>
    %total = hetkernel.for_each %i init(%zeros : vector<2x4xf32>) {
    ^bb0(%e: index, %a: vector<2x4xf32>):
      %q0 = hetkernel.element %kept[%e] : !hetkernel.segment<vector<2xf32>>
      %q = arith.divf %q0, %sum : vector<2xf32>
      %q1 = vector.shape_cast %q : vector<2xf32> to vector<2x1xf32>
      %q2 = vector.broadcast %q1 : vector<2x1xf32> to vector<2x4xf32>
      %z = hetkernel.row %y[%e] : memref<?x2x4xf32> -> vector<2x4xf32>
      %m = arith.mulf %z, %q2 : vector<2x4xf32>
      %next = arith.addf %a, %m : vector<2x4xf32>
      hetkernel.yield %next : vector<2x4xf32>
    } -> vector<2x4xf32>
    hetkernel.yield %total : vector<2x4xf32>
  }
  return
}

// All lanes would write the one number of a row, so that a thread has a row here too.
// CHECK-LABEL: func @scalar_result
//  CHECK-SAME: (%[[N:[a-z0-9_]*]]: index,
//       CHECK: arith.ceildivui %[[N]], %c128
//       CHECK: vector.store
//       CHECK: memref.store
func.func @scalar_result(%n: index, %x: memref<?x4xf32>, %s: memref<?xf32>, %o: memref<?x4xf32>, %p: memref<?xf32>) {
  hetkernel.traverse rows(%n) outs(%o, %p : memref<?x4xf32>, memref<?xf32>) schedule #hetkernel.gpu_traverse<coarsening = 1> {
  ^bb0(%i: index):
    %r = hetkernel.row %x[%i] : memref<?x4xf32> -> vector<4xf32>
    %f = hetkernel.row %s[%i] : memref<?xf32> -> f32
    %b = vector.broadcast %f : f32 to vector<4xf32>
    %m = arith.mulf %r, %b : vector<4xf32>
    hetkernel.yield %m, %f : vector<4xf32>, f32
  }
  return
}
