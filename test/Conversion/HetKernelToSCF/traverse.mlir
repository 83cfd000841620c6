// RUN: rgnn-opt %s --convert-hetkernel-to-scf --canonicalize --cse | FileCheck %s

// Without segments: a loop over the rows of a task, which are all where they are few. A row of two dimensions is one
// load.
// CHECK-LABEL: func @rows
//  CHECK-SAME: (%[[N:[a-z0-9_]*]]: index, %[[X:[a-z0-9_]*]]: memref<?x2x4xf32>, %[[O:[a-z0-9_]*]]: memref<?x2x4xf32>)
//   CHECK-DAG: %[[XF:[a-z0-9_]*]] = memref.collapse_shape %[[X]] {{\[}}[0], [1, 2]]
//   CHECK-DAG: %[[OF:[a-z0-9_]*]] = memref.collapse_shape %[[O]] {{\[}}[0], [1, 2]]
//   CHECK-DAG: %[[WORK:[a-z0-9_]*]] = arith.muli %[[N]], %c16
//       CHECK: %[[LITTLE:[a-z0-9_]*]] = arith.cmpi ult, %[[WORK]], %c32768
//       CHECK: %[[ALL:[a-z0-9_]*]] = arith.maxui %[[N]], %c64
//       CHECK: %[[STEP:[a-z0-9_]*]] = arith.select %[[LITTLE]], %[[ALL]], %c64
//       CHECK: %[[TASKS:[a-z0-9_]*]] = arith.ceildivui %[[N]], %[[STEP]]
//       CHECK: scf.forall (%[[TASK:[a-z0-9_]*]]) in (%[[TASKS]]) {
//       CHECK:   %[[BEGIN:[a-z0-9_]*]] = arith.muli %[[TASK]], %[[STEP]]
//       CHECK:   %[[NEXT:[a-z0-9_]*]] = arith.addi %[[BEGIN]], %[[STEP]]
//       CHECK:   %[[END:[a-z0-9_]*]] = arith.minui %[[NEXT]], %[[N]]
//       CHECK:   scf.for %[[I:[a-z0-9_]*]] = %[[BEGIN]] to %[[END]] step %c1 {
//       CHECK:     %[[FLAT:[a-z0-9_]*]] = vector.load %[[XF]][%[[I]], %c0] : memref<?x8xf32>, vector<8xf32>
//       CHECK:     %[[ROW:[a-z0-9_]*]] = vector.shape_cast %[[FLAT]] : vector<8xf32> to vector<2x4xf32>
//       CHECK:     %[[ABS:[a-z0-9_]*]] = math.absf %[[ROW]]
//       CHECK:     %[[FLAT2:[a-z0-9_]*]] = vector.shape_cast %[[ABS]] : vector<2x4xf32> to vector<8xf32>
//       CHECK:     vector.store %[[FLAT2]], %[[OF]][%[[I]], %c0]
func.func @rows(%n: index, %x: memref<?x2x4xf32>, %o: memref<?x2x4xf32>) {
  hetkernel.traverse rows(%n) outs(%o : memref<?x2x4xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64> {
  ^bb0(%i: index):
    %r = hetkernel.row %x[%i] : memref<?x2x4xf32> -> vector<2x4xf32>
    %a = math.absf %r : vector<2x4xf32>
    hetkernel.yield %a : vector<2x4xf32>
  }
  return
}

// A loop over incoming edges whose accumulators stay values.
// CHECK-LABEL: func @sum
//  CHECK-SAME: (%{{.*}}: index, %[[P:[a-z0-9_]*]]: memref<?xi32>, %[[S:[a-z0-9_]*]]: memref<?xi32>, %[[Y:[a-z0-9_]*]]: memref<?x8xf32>, %[[O:[a-z0-9_]*]]: memref<?x8xf32>)
//       CHECK: scf.for %[[I:[a-z0-9_]*]] =
//       CHECK:   memref.load %[[P]][%[[I]]]
//       CHECK:   %[[BEGIN:[a-z0-9_]*]] = arith.index_castui
//       CHECK:   memref.load %[[P]]
//       CHECK:   %[[END:[a-z0-9_]*]] = arith.index_castui
//       CHECK:   %[[SUM:[a-z0-9_]*]] = scf.for %[[E:[a-z0-9_]*]] = %[[BEGIN]] to %[[END]] step %c1 iter_args(%[[ACC:[a-z0-9_]*]] = %cst)
//       CHECK:     %[[ENTRY:[a-z0-9_]*]] = memref.load %[[S]][%[[E]]]
//       CHECK:     %[[U:[a-z0-9_]*]] = arith.index_castui %[[ENTRY]]
//       CHECK:     %[[R:[a-z0-9_]*]] = vector.load %[[Y]][%[[U]], %c0]
//       CHECK:     %[[A:[a-z0-9_]*]] = arith.addf %[[ACC]], %[[R]]
//       CHECK:     scf.yield %[[A]]
//       CHECK:   vector.store %[[SUM]], %[[O]][%[[I]], %c0]
func.func @sum(%n: index, %p: memref<?xi32>, %s: memref<?xi32>, %y: memref<?x8xf32>, %o: memref<?x8xf32>) {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x8xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64> {
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

// Softmax in three loops. What is yielded is kept in the output, the rest in a buffer of the size of an array over
// edges, in which a task starts every node at the same place. The bounds of the loops are read once.
// CHECK-LABEL: func @softmax
//  CHECK-SAME: (%{{.*}}: index, %[[P:[a-z0-9_]*]]: memref<?xi32>, %[[S:[a-z0-9_]*]]: memref<?xf32>, %[[O:[a-z0-9_]*]]: memref<?xf32>)
//       CHECK: %[[EDGES:[a-z0-9_]*]] = memref.dim %[[S]], %c0
//       CHECK: %[[KEPT:[a-z0-9_]*]] = memref.alloc(%[[EDGES]]) {alignment = 64 : i64} : memref<?xf32>
//       CHECK: scf.forall
//       CHECK:   memref.load %[[P]]
//       CHECK:   %[[TASK:[a-z0-9_]*]] = arith.index_castui
//       CHECK:   scf.for
//       CHECK:     memref.load %[[P]]
//       CHECK:     %[[BEGIN:[a-z0-9_]*]] = arith.index_castui
//       CHECK:     memref.load %[[P]]
//       CHECK:     %[[SHIFT:[a-z0-9_]*]] = arith.subi %[[TASK]], %[[BEGIN]]
//   CHECK-NOT:     memref.load %[[P]]
//       CHECK:     %[[MAX:[a-z0-9_]*]] = scf.for {{.*}} -> (f32) {
//       CHECK:       memref.load %[[S]]
//       CHECK:     %[[SUM:[a-z0-9_]*]] = scf.for %[[E:[a-z0-9_]*]] = {{.*}} -> (f32) {
//       CHECK:       %[[D:[a-z0-9_]*]] = arith.subf %{{.*}}, %[[MAX]]
//       CHECK:       %[[X:[a-z0-9_]*]] = math.exp %[[D]]
//       CHECK:       %[[EK:[a-z0-9_]*]] = arith.addi %[[E]], %[[SHIFT]]
//       CHECK:       memref.store %[[X]], %[[KEPT]][%[[EK]]]
//       CHECK:     scf.for %[[F:[a-z0-9_]*]] =
//       CHECK:       %[[FK:[a-z0-9_]*]] = arith.addi %[[F]], %[[SHIFT]]
//       CHECK:       %[[X2:[a-z0-9_]*]] = memref.load %[[KEPT]][%[[FK]]]
//       CHECK:       %[[Q:[a-z0-9_]*]] = arith.divf %[[X2]], %[[SUM]]
//       CHECK:       memref.store %[[Q]], %[[O]][%[[F]]]
//       CHECK: memref.dealloc %[[KEPT]]
func.func @softmax(%n: index, %p: memref<?xi32>, %s: memref<?xf32>, %o: memref<?xf32>) {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64> {
  ^bb0(%i: index):
    %max = hetkernel.for_each %i init(%inf : f32) {
    ^bb0(%e: index, %m: f32):
      %x = hetkernel.row %s[%e] : memref<?xf32> -> f32
      %next = arith.maximumf %m, %x : f32
      hetkernel.yield %next : f32
    } -> f32
    %sum, %kept = hetkernel.for_each %i init(%zero : f32) {
    ^bb0(%e: index, %a: f32):
      %x = hetkernel.row %s[%e] : memref<?xf32> -> f32
      %d = arith.subf %x, %max : f32
      %y = math.exp %d : f32
      %next = arith.addf %a, %y : f32
      hetkernel.yield %next, %y : f32, f32
    } -> f32, !hetkernel.segment<f32>
    %out = hetkernel.for_each %i {
    ^bb0(%e: index):
      %y = hetkernel.element %kept[%e] : !hetkernel.segment<f32>
      %q = arith.divf %y, %sum : f32
      hetkernel.yield %q : f32
    } -> !hetkernel.segment<f32>
    hetkernel.yield %out : !hetkernel.segment<f32>
  }
  return
}

// A segment that is yielded and read again lives in the output alone.
// CHECK-LABEL: func @yielded_and_read
//  CHECK-SAME: %[[O:[a-z0-9_]*]]: memref<?x2xf32>, %[[Q:[a-z0-9_]*]]: memref<?x2xf32>)
//   CHECK-NOT: alloc
//       CHECK: vector.store %{{.*}}, %[[O]][%[[E:[a-z0-9_]*]], %c0]
//       CHECK: vector.load %[[O]][%[[F:[a-z0-9_]*]], %c0]
//       CHECK: vector.store %{{.*}}, %[[Q]][%{{.*}}, %c0]
func.func @yielded_and_read(%n: index, %p: memref<?xi32>, %s: memref<?x2xf32>, %o: memref<?x2xf32>, %q: memref<?x2xf32>) {
  %zero = arith.constant dense<0.0> : vector<2xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o, %q : memref<?x2xf32>, memref<?x2xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64> {
  ^bb0(%i: index):
    %kept = hetkernel.for_each %i {
    ^bb0(%e: index):
      %x = hetkernel.row %s[%e] : memref<?x2xf32> -> vector<2xf32>
      %y = math.exp %x : vector<2xf32>
      hetkernel.yield %y : vector<2xf32>
    } -> !hetkernel.segment<vector<2xf32>>
    %sum = hetkernel.for_each %i init(%zero : vector<2xf32>) {
    ^bb0(%e: index, %a: vector<2xf32>):
      %y = hetkernel.element %kept[%e] : !hetkernel.segment<vector<2xf32>>
      %next = arith.addf %a, %y : vector<2xf32>
      hetkernel.yield %next : vector<2xf32>
    } -> vector<2xf32>
    hetkernel.yield %kept, %sum : !hetkernel.segment<vector<2xf32>>, vector<2xf32>
  }
  return
}

// Where no array over edges is read, the last entry of the segments says how many there are.
// CHECK-LABEL: func @count_from_segments
//  CHECK-SAME: (%[[N:[a-z0-9_]*]]: index, %[[P:[a-z0-9_]*]]: memref<?xi32>,
//       CHECK: memref.load %[[P]][%[[N]]]
//       CHECK: %[[EDGES:[a-z0-9_]*]] = arith.index_castui
//       CHECK: memref.alloc(%[[EDGES]])
func.func @count_from_segments(%n: index, %p: memref<?xi32>, %o: memref<?xf32>) {
  %one = arith.constant 1.0 : f32
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64> {
  ^bb0(%i: index):
    %count, %kept = hetkernel.for_each %i init(%one : f32) {
    ^bb0(%e: index, %a: f32):
      %next = arith.addf %a, %one : f32
      hetkernel.yield %next, %next : f32, f32
    } -> f32, !hetkernel.segment<f32>
    %last = hetkernel.for_each %i init(%count : f32) {
    ^bb0(%e: index, %a: f32):
      %y = hetkernel.element %kept[%e] : !hetkernel.segment<f32>
      hetkernel.yield %y : f32
    } -> f32
    hetkernel.yield %last : f32
  }
  return
}

// The row of the outer node is loaded before the loop over its edges, a parameter and a number before that over nodes.
// CHECK-LABEL: func @hoist
//  CHECK-SAME: (%{{.*}}: index, %{{.*}}: memref<?xi32>, %[[X:[a-z0-9_]*]]: memref<?x4xf32>, %[[Y:[a-z0-9_]*]]: memref<?x4xf32>, %[[B:[a-z0-9_]*]]: memref<4xf32>, %[[S:[a-z0-9_]*]]: memref<f32>,
//       CHECK: scf.forall
//   CHECK-DAG:   vector.load %[[B]][%c0] : memref<4xf32>, vector<4xf32>
//   CHECK-DAG:   memref.load %[[S]][] : memref<f32>
//       CHECK:   scf.for %[[I:[a-z0-9_]*]] =
//       CHECK:     vector.load %[[X]][%[[I]], %c0]
//       CHECK:     scf.for
//   CHECK-NOT:       vector.load %[[X]]
//       CHECK:       vector.load %[[Y]]
//   CHECK-NOT:       vector.broadcast
//       CHECK:       scf.yield
func.func @hoist(%n: index, %p: memref<?xi32>, %x: memref<?x4xf32>, %y: memref<?x4xf32>, %b: memref<4xf32>, %s: memref<f32>, %o: memref<?x4xf32>) {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x4xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64> {
  ^bb0(%i: index):
    %sum = hetkernel.for_each %i init(%zero : vector<4xf32>) {
    ^bb0(%e: index, %acc: vector<4xf32>):
      %xi = hetkernel.row %x[%i] : memref<?x4xf32> -> vector<4xf32>
      %bias = hetkernel.row %b[] : memref<4xf32> -> vector<4xf32>
      %slope = hetkernel.row %s[] : memref<f32> -> f32
      %slopes = vector.broadcast %slope : f32 to vector<4xf32>
      %ye = hetkernel.row %y[%e] : memref<?x4xf32> -> vector<4xf32>
      %t = arith.addf %xi, %bias : vector<4xf32>
      %q = arith.mulf %t, %slopes : vector<4xf32>
      %m = arith.mulf %q, %ye : vector<4xf32>
      %a = arith.addf %acc, %m : vector<4xf32>
      hetkernel.yield %a : vector<4xf32>
    } -> vector<4xf32>
    hetkernel.yield %sum : vector<4xf32>
  }
  return
}

// Tasks with about as many rows and inner rows each: the first and the last outer row of a task are searched for.
// CHECK-LABEL: func @by_edges
//  CHECK-SAME: (%[[N:[a-z0-9_]*]]: index, %[[P:[a-z0-9_]*]]: memref<?xi32>, %[[Y:[a-z0-9_]*]]: memref<?xf32>, %[[O:[a-z0-9_]*]]: memref<?xf32>)
//       CHECK: %[[EDGES:[a-z0-9_]*]] = memref.dim %[[Y]], %c0
//       CHECK: arith.muli %[[EDGES]], %c2
//       CHECK: %[[ALL:[a-z0-9_]*]] = arith.addi %[[N]], %[[EDGES]]
//       CHECK: %[[STEP:[a-z0-9_]*]] = arith.select %{{.*}}, %{{.*}}, %c512
//       CHECK: %[[TASKS:[a-z0-9_]*]] = arith.ceildivui %[[ALL]], %[[STEP]]
//       CHECK: scf.forall (%[[TASK:[a-z0-9_]*]]) in (%[[TASKS]]) {
//       CHECK:   %[[PLACE:[a-z0-9_]*]] = arith.muli %[[TASK]], %[[STEP]]
//       CHECK:   %[[BEGIN:[a-z0-9_]*]]:2 = scf.while (%[[LOW:[a-z0-9_]*]] = %c0, %[[HIGH:[a-z0-9_]*]] = %[[N]])
//       CHECK:     arith.cmpi ult, %[[LOW]], %[[HIGH]]
//       CHECK:     %[[HALF:[a-z0-9_]*]] = arith.ceildivui %{{.*}}, %c2
//       CHECK:     %[[BEHIND:[a-z0-9_]*]] = arith.addi %[[LOW]], %[[HALF]]
//       CHECK:     %[[MIDDLE:[a-z0-9_]*]] = arith.subi %[[BEHIND]], %c1
//       CHECK:     memref.load %[[P]][%[[MIDDLE]]]
//       CHECK:     %[[COUNT:[a-z0-9_]*]] = arith.addi %[[MIDDLE]]
//       CHECK:     arith.cmpi ult, %[[COUNT]], %[[PLACE]]
//       CHECK:   %[[END:[a-z0-9_]*]]:2 = scf.while
//       CHECK:   scf.for %{{.*}} = %[[BEGIN]]#0 to %[[END]]#0 step %c1 {
func.func @by_edges(%n: index, %p: memref<?xi32>, %y: memref<?xf32>, %o: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?xf32>) schedule #hetkernel.cpu_traverse<task_rows = 512, mapping = edge> {
  ^bb0(%i: index):
    %sum = hetkernel.for_each %i init(%zero : f32) {
    ^bb0(%e: index, %acc: f32):
      %r = hetkernel.row %y[%e] : memref<?xf32> -> f32
      %a = arith.addf %acc, %r : f32
      hetkernel.yield %a : f32
    } -> f32
    hetkernel.yield %sum : f32
  }
  return
}

// How many inner rows there are, the size of an output tells that a segment fills.
// CHECK-LABEL: func @by_edges_kept
//  CHECK-SAME: %[[O:[a-z0-9_]*]]: memref<?xf32>)
//   CHECK-NOT: memref.load
//       CHECK: %[[EDGES:[a-z0-9_]*]] = memref.dim %[[O]], %c0
//   CHECK-NOT: memref.load
//       CHECK: scf.forall
func.func @by_edges_kept(%n: index, %p: memref<?xi32>, %x: memref<?xf32>, %o: memref<?xf32>) {
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?xf32>) schedule #hetkernel.cpu_traverse<task_rows = 512, mapping = edge> {
  ^bb0(%i: index):
    %r = hetkernel.row %x[%i] : memref<?xf32> -> f32
    %kept = hetkernel.for_each %i {
    ^bb0(%e: index):
      hetkernel.yield %r : f32
    } -> !hetkernel.segment<f32>
    hetkernel.yield %kept : !hetkernel.segment<f32>
  }
  return
}

// Two inner rows a step, and the one that is left. What the schedule says not to hoist stays in the loop, and the
// accumulator in memory.
// CHECK-LABEL: func @unrolled
//  CHECK-SAME: %[[W:[a-z0-9_]*]]: memref<8xf32>
//       CHECK: scf.forall
//       CHECK:   %[[ACC:[a-z0-9_]*]] = memref.alloca() {alignment = 64 : i64} : memref<8xf32>
//   CHECK-NOT:   vector.load %[[W]]
//       CHECK:   scf.for
//       CHECK:     vector.store %cst, %[[ACC]]
//       CHECK:     scf.for {{.*}} step %c2 {
// CHECK-COUNT-2:     vector.load %[[W]][%c0]
//       CHECK:     scf.for {{.*}} step %c1 {
// CHECK-COUNT-1:     vector.load %[[W]][%c0]
//       CHECK:       vector.store %{{.*}}, %[[ACC]][%c0]
//       CHECK:     }
//       CHECK:     %[[SUM:[a-z0-9_]*]] = vector.load %[[ACC]][%c0]
//       CHECK:     vector.store %[[SUM]]
func.func @unrolled(%n: index, %p: memref<?xi32>, %y: memref<?x8xf32>, %w: memref<8xf32>, %o: memref<?x8xf32>) {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x8xf32>)
      schedule #hetkernel.cpu_traverse<task_rows = 64, coarsening = 2, hoisting = false, partial_aggregation = false> {
  ^bb0(%i: index):
    %sum = hetkernel.for_each %i init(%zero : vector<8xf32>) {
    ^bb0(%e: index, %acc: vector<8xf32>):
      %r = hetkernel.row %y[%e] : memref<?x8xf32> -> vector<8xf32>
      %v = hetkernel.row %w[] : memref<8xf32> -> vector<8xf32>
      %m = arith.mulf %r, %v : vector<8xf32>
      %a = arith.addf %acc, %m : vector<8xf32>
      hetkernel.yield %a : vector<8xf32>
    } -> vector<8xf32>
    hetkernel.yield %sum : vector<8xf32>
  }
  return
}

// What is scattered is stored at the places that lists give, and read by later loops from a buffer of its own.
// CHECK-LABEL: func @scattered
//  CHECK-SAME: %[[P:[a-z0-9_]*]]: memref<?xi32>, %[[L:[a-z0-9_]*]]: memref<?xi32>, %[[K:[a-z0-9_]*]]: memref<?xi32>, %{{[a-z0-9_]*}}: memref<?xf32>, %[[O:[a-z0-9_]*]]: memref<?xf32>, %[[Q:[a-z0-9_]*]]: memref<?xf32>)
//       CHECK: %[[KEPT:[a-z0-9_]*]] = memref.alloc
//       CHECK: scf.for %
//       CHECK: scf.for %[[E:[a-z0-9_]*]] =
//       CHECK:   memref.store %{{.*}}, %[[KEPT]]
//       CHECK:   memref.load %[[L]][%[[E]]]
//       CHECK:   %[[AT:[a-z0-9_]*]] = arith.index_castui
//       CHECK:   memref.load %[[K]][%[[AT]]]
//       CHECK:   %[[PLACE:[a-z0-9_]*]] = arith.index_castui
//       CHECK:   memref.store %{{.*}}, %[[O]][%[[PLACE]]]
//       CHECK: scf.for %
//       CHECK:   memref.load %[[KEPT]]
func.func @scattered(%n: index, %p: memref<?xi32>, %l: memref<?xi32>, %k: memref<?xi32>, %x: memref<?xf32>, %o: memref<?xf32>, %q: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o, %q : memref<?xf32>, memref<?xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64> {
  ^bb0(%i: index):
    %kept = hetkernel.for_each %i {
    ^bb0(%e: index):
      %r = hetkernel.row %x[%e] : memref<?xf32> -> f32
      %a = math.absf %r : f32
      hetkernel.yield %a : f32
    } -> !hetkernel.segment<f32>
    %sum = hetkernel.for_each %i init(%zero : f32) {
    ^bb0(%e: index, %acc: f32):
      %a = hetkernel.element %kept[%e] : !hetkernel.segment<f32>
      %next = arith.addf %acc, %a : f32
      hetkernel.yield %next : f32
    } -> f32
    %s = hetkernel.scatter %kept by %l, %k : !hetkernel.segment<f32>, memref<?xi32>, memref<?xi32>
    hetkernel.yield %s, %sum : !hetkernel.segment<f32>, f32
  }
  return
}

// A row that lists pick is asked for three edges ahead, a cache line at a time; beyond the node's last edge come those
// of the next, beyond all the last again. Rows of less than a line, and those of the edge itself, are not.
// CHECK-LABEL: func @prefetch
//  CHECK-SAME: (%[[N:[a-z0-9_]*]]: index, %[[P:[a-z0-9_]*]]: memref<?xi32>, %[[L:[a-z0-9_]*]]: memref<?xi32>, %[[M:[a-z0-9_]*]]: memref<?xi32>, %[[X:[a-z0-9_]*]]: memref<?x4x8xf32>,
//   CHECK-DAG: %[[ROWS:[a-z0-9_]*]] = memref.collapse_shape %[[X]]
//   CHECK-DAG: %[[END:[a-z0-9_]*]] = memref.load %[[P]][%[[N]]]
//   CHECK-DAG: %[[SIZE:[a-z0-9_]*]] = arith.index_castui %[[END]]
//   CHECK-DAG: %[[LAST:[a-z0-9_]*]] = arith.subi %[[SIZE]], %c1
//       CHECK: scf.forall
//       CHECK: scf.for %
//       CHECK:   scf.for %[[E:[a-z0-9_]*]] =
//       CHECK:     %[[AHEAD:[a-z0-9_]*]] = arith.addi %[[E]], %c3
//       CHECK:     %[[EDGE:[a-z0-9_]*]] = arith.minui %[[AHEAD]], %[[LAST]]
//       CHECK:     memref.load %[[L]][%[[EDGE]]]
//       CHECK:     memref.load %[[M]]
//       CHECK:     %[[ROW:[a-z0-9_]*]] = arith.index_castui
//       CHECK:     memref.prefetch %[[ROWS]][%[[ROW]], %c0], read, locality<3>, data
//       CHECK:     memref.prefetch %[[ROWS]][%[[ROW]], %c16], read, locality<3>, data
//   CHECK-NOT:     memref.prefetch
//       CHECK:     scf.yield
func.func @prefetch(%n: index, %p: memref<?xi32>, %l: memref<?xi32>, %m: memref<?xi32>, %x: memref<?x4x8xf32>, %y: memref<?x4xf32>, %z: memref<?x32xf32>, %o: memref<?x32xf32>) {
  %zero = arith.constant dense<0.0> : vector<32xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x32xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64, prefetch = 3> {
  ^bb0(%i: index):
    %sum = hetkernel.for_each %i init(%zero : vector<32xf32>) {
    ^bb0(%e: index, %acc: vector<32xf32>):
      %j = hetkernel.lookup %l[%e] : memref<?xi32>
      %k = hetkernel.lookup %m[%j] : memref<?xi32>
      %xk = hetkernel.row %x[%k] : memref<?x4x8xf32> -> vector<4x8xf32>
      %yk = hetkernel.row %y[%k] : memref<?x4xf32> -> vector<4xf32>
      %ze = hetkernel.row %z[%e] : memref<?x32xf32> -> vector<32xf32>
      %factor = vector.extract %yk[0] : f32 from vector<4xf32>
      %factors = vector.broadcast %factor : f32 to vector<32xf32>
      %flat = vector.shape_cast %xk : vector<4x8xf32> to vector<32xf32>
      %t = arith.mulf %flat, %factors : vector<32xf32>
      %u = arith.addf %t, %ze : vector<32xf32>
      %a = arith.addf %acc, %u : vector<32xf32>
      hetkernel.yield %a : vector<32xf32>
    } -> vector<32xf32>
    hetkernel.yield %sum : vector<32xf32>
  }
  return
}
