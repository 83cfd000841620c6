// RUN: rgnn-translate --rgnn-to-llvmir --optimize=false --rgnn-to-cpu-options="cpu=x86-64-v3" %s | FileCheck %s
// RUN: rgnn-translate --rgnn-to-llvmir --rgnn-to-cpu-options="cpu=x86-64-v3" %s | FileCheck %s --check-prefix=OPTIMIZED

// What a pipeline has already lowered is translated as it is, to the same text.
// RUN: rgnn-translate --rgnn-to-llvmir --rgnn-to-cpu-options="cpu=x86-64-v3" %s > %t.direct.ll
// RUN: rgnn-opt --rgnn-to-cpu="cpu=x86-64-v3" %s \
// RUN:   | rgnn-translate --rgnn-to-llvmir --rgnn-to-cpu-options="cpu=x86-64-v3" > %t.staged.ll
// RUN: diff %t.direct.ll %t.staged.ll

// The function of a layer in mathematics is lowered to code with the runtime's interface.

// CHECK:       target datalayout = "e-m:e
// CHECK:       target triple = "x86_64-
// CHECK-LABEL: define i32 @rgnn_forward(ptr
// CHECK-LABEL: define i64 @rgnn_forward_workspace(ptr
// OPTIMIZED:   define {{.*}}i32 @rgnn_forward(ptr
// OPTIMIZED:   fmuladd{{.*}}<{{[0-9]+}} x float>

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)
func.func @forward(%ei: tensor<2x?xi64>, %et: tensor<?xi64>, %x: tensor<?x8xf32>, %w: tensor<3x8x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) types(%et : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %h = rgnn.place %x in %g : tensor<?x8xf32> -> tensor<?x8xf32, #node>
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x16xf32>
  %s = rgnn.reduce sum dst %z in %g : tensor<?x16xf32, #edge>
  %y = rgnn.unplace %s : tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32>
}
