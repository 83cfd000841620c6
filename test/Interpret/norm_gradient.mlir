// The gradient of rgnn.norm by value, where finite differences cannot tell: a row of zeros has none, which is 0 and not NaN.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/norm.mlir --rgnn-differentiate | sed '/^module/d; /^}/d' > %t/all.mlir
// RUN: cat %t/values.mlir >> %t/all.mlir
// RUN: rgnn-translate --rgnn-interpret %t/all.mlir

//--- norm.mlir
func.func @norm(%x: tensor<3x2xf64>) -> tensor<3xf64> {
  %n = rgnn.norm %x : tensor<3x2xf64>
  return %n : tensor<3xf64>
}

//--- values.mlir
// 10 (3, -4) / 5, nothing of (0, 0), and -1 (0, 7) / 7.
func.func @values() {
  %x = arith.constant dense<[[3.0, -4.0], [0.0, 0.0], [0.0, 7.0]]> : tensor<3x2xf64>
  %g = arith.constant dense<[10.0, 2.0, -1.0]> : tensor<3xf64>
  %dx = func.call @norm_backward(%x, %g) : (tensor<3x2xf64>, tensor<3xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %dx, dense<[[6.0, -8.0], [0.0, 0.0], [0.0, -1.0]]> : tensor<3x2xf64> : tensor<3x2xf64>
  return
}
