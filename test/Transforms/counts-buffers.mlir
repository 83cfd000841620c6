// What the passes over buffers count.

// RUN: rgnn-opt %s --rgnn-to-cpu=start=buffers --remarks-filter-analyse=".*" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=Counts
// CHECK: Counts | Category:rgnn-plan-workspace | Function=forward | bytes-static=64, num-refused=1, num-reused=1, num-slots=1
// CHECK: Counts | Category:rgnn-outline-parallel | Function=forward | num-outlined=1, num-sequential=1
// CHECK: Counts | Category:rgnn-hoist-allocas | Function=forward_parallel_0 | num-hoisted=1

// %b takes the place of %a. Of the nested loops, the inner one is sequential.

func.func @forward(%n: index {rgnn.size}, %out: memref<?x4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %a[%c0] : memref<4xf32>
  %x = memref.load %a[%c0] : memref<4xf32>
  memref.store %x, %b[%c0] : memref<4xf32>
  %y = memref.load %b[%c0] : memref<4xf32>
  scf.forall (%i) in (%n) {
    %c = memref.alloc(%i) : memref<?xf32>
    %d = memref.alloca() : memref<4xf32>
    memref.store %y, %c[%c0] : memref<?xf32>
    scf.forall (%j) in (4) {
      memref.store %y, %d[%j] : memref<4xf32>
      %z = memref.load %c[%c0] : memref<?xf32>
      %e = memref.load %d[%j] : memref<4xf32>
      %s = arith.addf %z, %e : f32
      memref.store %s, %out[%i, %j] : memref<?x4xf32>
    }
    memref.dealloc %c : memref<?xf32>
  }
  return
}
