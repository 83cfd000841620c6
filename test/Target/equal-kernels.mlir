// RUN: rgnn-translate --rgnn-to-llvmir --rgnn-to-cpu-options="cpu=x86-64-v3" %s | FileCheck %s

// Two linear layers of one shape are one kernel, which runs for both at once.
// CHECK:     define {{.*}}i32 @rgnn_forward(
// CHECK:       store ptr @[[KERNEL:[a-z0-9_]+]], ptr
// CHECK:       store ptr @[[KERNEL]], ptr
// CHECK:       call void
// CHECK-NOT:   call void
// CHECK:     define internal void @[[KERNEL]](
// CHECK-NOT: define internal void
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(1)
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %y: tensor<?x8xf32, #node>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>)
    -> (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) {
  %a = rgnn.linear %x, %w : tensor<?x8xf32, #node>, tensor<8x8xf32>
  %b = rgnn.linear %y, %v : tensor<?x8xf32, #node>, tensor<8x8xf32>
  return %a, %b : tensor<?x8xf32, #node>, tensor<?x8xf32, #node>
}
