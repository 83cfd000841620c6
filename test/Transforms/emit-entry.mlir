// RUN: rgnn-opt %s --allow-unregistered-dialect --rgnn-emit-entry --split-input-file --verify-diagnostics | FileCheck %s

// Words: 0 workspace, 1 size, 2 and 3 the view, 4 and 5 the input, 6 and 7 the output.

// CHECK-LABEL: func.func @rgnn_forward(
//  CHECK-SAME:   %[[CTX:.*]]: !llvm.ptr, %[[W:.*]]: !llvm.ptr) -> i32
//       CHECK:   llvm.getelementptr %[[W]][0]
//       CHECK:   llvm.getelementptr %[[W]][1]
//   CHECK-NOT:   llvm.getelementptr %[[W]][2]
//       CHECK:   llvm.getelementptr %[[W]][4]
//       CHECK:   llvm.getelementptr %[[W]][5]
//       CHECK:   llvm.getelementptr %[[W]][6]
//       CHECK:   llvm.getelementptr %[[W]][7]
//       CHECK:   "test.use"(%[[CTX]]
//       CHECK:   %[[OK:.*]] = arith.constant 0 : i32
//       CHECK:   return %[[OK]] : i32
// CHECK-LABEL: func.func @rgnn_forward_workspace(
//  CHECK-SAME:   %[[W:.*]]: !llvm.ptr) -> i64
//       CHECK:   llvm.getelementptr %[[W]][1]
//   CHECK-NOT:   llvm.getelementptr
//       CHECK:   return %{{.*}} : i64
//       CHECK: func.func private @helper() attributes {llvm.linkage = #llvm.linkage<internal>}
func.func @forward(%ctx: !llvm.ptr {rgnn.context}, %ws: memref<?xi8> {rgnn.workspace}, %n: index {rgnn.size},
                   %view: memref<?x3xi32> {rgnn.view}, %x: memref<2x?xf32>, %out: memref<?x4xf32>) {
  "test.use"(%ctx, %ws, %n, %x, %out) : (!llvm.ptr, memref<?xi8>, index, memref<2x?xf32>, memref<?x4xf32>) -> ()
  return
}
func.func @forward_workspace(%n: index {rgnn.size}, %view: memref<?x3xi32>, %x: memref<2x?xf32>,
                             %out: memref<?x4xf32>) -> i64 {
  %0 = arith.index_cast %n : index to i64
  return %0 : i64
}
func.func @helper() {
  return
}

// -----

// No plan, no workspace.

// CHECK-LABEL: func.func @rgnn_forward_workspace(%{{.*}}: !llvm.ptr) -> i64
//       CHECK:   %[[ZERO:.*]] = arith.constant 0 : i64
//       CHECK:   return %[[ZERO]] : i64
func.func @forward() {
  return
}

// -----

// expected-error @+1 {{expected a contiguous memref or a number as argument 1, got 'memref<?xf32, strided<[2]>>'}}
func.func @forward(%n: index, %x: memref<?xf32, strided<[2]>>) {
  return
}

// -----

// expected-error @+1 {{expected a contiguous memref or a number as argument 0, got 'tensor<4xf32>'}}
func.func @forward(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error @+1 {{expected results as out parameters, got 1 results}}
func.func @forward(%n: index) -> index {
  return %n : index
}
