// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel | FileCheck %s

// Tensors without rows are computed by linalg, also where the function returns them.

// CHECK-LABEL: func @forward
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK:         return %[[R]]
func.func @forward(%x: tensor<1xf64>) -> tensor<1xf64> {
  %y = rgnn.map %x : (tensor<1xf64>) -> tensor<1xf64> {
  ^bb0(%a: f64):
    %e = math.exp %a : f64
    rgnn.yield %e : f64
  }
  return %y : tensor<1xf64>
}
