// RUN: rgnn-opt %s --allow-unregistered-dialect --rgnn-plan-workspace --split-input-file --verify-diagnostics --remarks-filter-missed=rgnn-plan-workspace --remark-format=emitRemark | FileCheck %s

// The first and the third buffer are never in use together.

// CHECK-LABEL: func.func @forward(
//  CHECK-SAME:   %[[WS:.*]]: memref<?xi8> {rgnn.workspace}, %[[N:[a-z0-9]+]]: index {rgnn.size}
//   CHECK-DAG:   %[[ZERO:.*]] = arith.constant 0 : index
//       CHECK:   %[[BYTES:.*]] = arith.muli %{{.*}}, %[[N]] : index
//       CHECK:   %[[UP:.*]] = arith.addi %[[BYTES]], %{{.*}} : index
//       CHECK:   %[[SIZE:.*]] = arith.andi %[[UP]], %{{.*}} : index
//       CHECK:   %[[SECOND:.*]] = arith.addi %{{.*}}, %[[SIZE]] : index
//       CHECK:   memref.view %[[WS]][%{{.*}}][%[[N]]] : memref<?xi8> to memref<?x3xf32>
//       CHECK:   memref.view %[[WS]][%[[SECOND]]][%[[N]]] : memref<?xi8> to memref<?x3xf32>
//       CHECK:   memref.view %[[WS]][%{{.*}}][%[[N]]] : memref<?xi8> to memref<3x?xi32>
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
// CHECK-LABEL: func.func @forward_workspace(
//  CHECK-SAME:   %[[N:[a-z0-9]+]]: index {rgnn.size}, %{{.*}}: memref<?x3xf32>) -> i64
// CHECK-COUNT-2: arith.muli %{{.*}}, %[[N]] : index
//   CHECK-NOT:   arith.muli
//       CHECK:   return %{{.*}} : i64
func.func @forward(%n: index {rgnn.size}, %out: memref<?x3xf32>) {
  %a = memref.alloc(%n) : memref<?x3xf32>
  %b = memref.alloc(%n) : memref<?x3xf32>
  "test.use"(%a) : (memref<?x3xf32>) -> ()
  memref.copy %a, %b : memref<?x3xf32> to memref<?x3xf32>
  %c = memref.alloc(%n) : memref<3x?xi32>
  "test.use"(%c, %b) : (memref<3x?xi32>, memref<?x3xf32>) -> ()
  memref.dealloc %a : memref<?x3xf32>
  return
}

// -----

// A use of a view is a use of the buffer.

// CHECK-LABEL: func.func @forward(
//  CHECK-SAME:   %[[WS:[a-z0-9]+]]: memref<?xi8>
//       CHECK:   %[[OFFSET:.*]] = arith.constant 0 : index
//       CHECK:   memref.view %[[WS]][%[[OFFSET]]][] : memref<?xi8> to memref<20xf32>
//   CHECK-NOT:   memref.view %[[WS]][%[[OFFSET]]][]
//       CHECK:   return
// CHECK-LABEL: func.func @forward_workspace() -> i64
//       CHECK:   arith.constant 128 : index
//       CHECK:   arith.constant 128 : index
func.func @forward() {
  %a = memref.alloc() : memref<20xf32>
  %v = memref.subview %a[4] [8] [1] : memref<20xf32> to memref<8xf32, strided<[1], offset: 4>>
  %w = memref.cast %v : memref<8xf32, strided<[1], offset: 4>> to memref<?xf32, strided<[?], offset: ?>>
  %b = memref.alloc() : memref<20xf32>
  "test.use"(%b) : (memref<20xf32>) -> ()
  "test.use"(%w) : (memref<?xf32, strided<[?], offset: ?>>) -> ()
  return
}

// -----

// A pointer that escapes keeps its buffer to the end.

// CHECK-LABEL: func.func @forward(
//       CHECK:   memref.view %{{.*}}[%[[FIRST:.*]]][]
//   CHECK-NOT:   memref.view %{{.*}}[%[[FIRST]]][]
//       CHECK:   return
func.func @forward() {
  %a = memref.alloc() : memref<20xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<20xf32> -> index
  %b = memref.alloc() : memref<20xf32>
  "test.use"(%b) : (memref<20xf32>) -> ()
  return
}

// -----

// A division by what may be zero is computed from the arguments as well.

// CHECK-LABEL: func.func @forward(
//   CHECK-NOT:   memref.alloc
//       CHECK:   memref.view
// CHECK-LABEL: func.func @forward_workspace(
//       CHECK:   arith.ceildivui %{{.*}}, %{{.*}}
func.func @forward(%rows: index, %tile: index) {
  %n = arith.ceildivui %rows, %tile : index
  %a = memref.alloc(%n) : memref<?xf32>
  "test.use"(%a) : (memref<?xf32>) -> ()
  return
}

// -----

// So are rows of a buffer that is shown in another shape.

// CHECK-LABEL: func.func @forward(
//   CHECK-NOT:   memref.alloc
//       CHECK:   memref.view
//       CHECK:   memref.view
// CHECK-LABEL: func.func @forward_workspace(
//   CHECK-NOT:   memref.dim
func.func @forward(%rows: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc(%rows) : memref<?x2x4xf32>
  "test.use"(%a) : (memref<?x2x4xf32>) -> ()
  %flat = memref.collapse_shape %a [[0], [1, 2]] : memref<?x2x4xf32> into memref<?x8xf32>
  %dim = memref.dim %flat, %c0 : memref<?x8xf32>
  %n = arith.ceildivui %dim, %c8 : index
  %b = memref.alloc(%n) : memref<?xf32>
  "test.use"(%b, %flat) : (memref<?xf32>, memref<?x8xf32>) -> ()
  return
}

// -----

// Rows that hold the numbers of several are as many as their shape says.

// CHECK-LABEL: func.func @forward(
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
// CHECK-LABEL: func.func @forward_workspace(
//   CHECK-NOT:   memref.dim
func.func @forward(%rows: index, %few: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%rows) : memref<?x4xf32>
  "test.use"(%a) : (memref<?x4xf32>) -> ()
  %flat = memref.collapse_shape %a [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  %wide = memref.expand_shape %flat [[0, 1]] output_shape [%few, 12] : memref<?xf32> into memref<?x12xf32>
  %dim = memref.dim %wide, %c0 : memref<?x12xf32>
  %b = memref.alloc(%dim) : memref<?xf32>
  "test.use"(%b, %wide) : (memref<?xf32>, memref<?x12xf32>) -> ()
  return
}

// -----

// Rows of dimensions that are joined, and taken apart again.

// CHECK-LABEL: func.func @forward(
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
// CHECK-LABEL: func.func @forward_workspace(
func.func @forward(%rows: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc(%rows) : memref<?x3x4xf32>
  "test.use"(%a) : (memref<?x3x4xf32>) -> ()
  %flat = memref.collapse_shape %a [[0, 1], [2]] : memref<?x3x4xf32> into memref<?x4xf32>
  %dim = memref.dim %flat, %c0 : memref<?x4xf32>
  %n = arith.ceildivui %dim, %c8 : index
  %b = memref.alloc(%n) : memref<?xf32>
  %column = memref.expand_shape %b [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
  %size = memref.dim %column, %c0 : memref<?x1xf32>
  %c = memref.alloc(%size) : memref<?xf32>
  "test.use"(%b, %flat, %c) : (memref<?xf32>, memref<?x4xf32>, memref<?xf32>) -> ()
  return
}

// -----

// Sizes that the arguments do not tell stay on the heap, and are freed.

// CHECK-LABEL: func.func @forward(
//       CHECK:   %[[HEAP:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
//       CHECK:   scf.if
//       CHECK:     memref.alloc() : memref<4xf32>
//       CHECK:   memref.dealloc %[[HEAP]] : memref<?xf32>
//  CHECK-NEXT:   return
func.func @forward(%sizes: memref<1xindex>, %cond: i1) {
  %c0 = arith.constant 0 : index
  %n = memref.load %sizes[%c0] : memref<1xindex>
  // expected-remark @+1 {{not in the workspace: its size is not computed from the arguments}}
  %a = memref.alloc(%n) : memref<?xf32>
  "test.use"(%a) : (memref<?xf32>) -> ()
  scf.if %cond {
    // expected-remark @+1 {{not in the workspace: it is not at the top level of the function}}
    %b = memref.alloc() : memref<4xf32>
    "test.use"(%b) : (memref<4xf32>) -> ()
    memref.dealloc %b : memref<4xf32>
  }
  return
}
