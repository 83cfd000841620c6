// RUN: rgnn-translate --rgnn-interpret %s

func.func @reshape() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %y = rgnn.reshape %x : tensor<2x3xf64> -> tensor<3x2xf64>
  check.expect_almost_eq_const %y, dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64> : tensor<3x2xf64>
  return
}

func.func @permute() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %y = rgnn.permute %x [1, 0] : tensor<2x3xf64>
  check.expect_almost_eq_const %y, dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xf64> : tensor<3x2xf64>
  // Dimension d of the result is dimension order[d]: an order that is not its own inverse.
  %a = arith.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf64>
  %b = rgnn.permute %a [1, 2, 0] : tensor<1x2x3xf64>
  check.expect_almost_eq_const %b, dense<[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]> : tensor<2x3x1xf64> : tensor<2x3x1xf64>
  return
}

func.func @concat() {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %y = arith.constant dense<[[5.0], [6.0]]> : tensor<2x1xf64>
  %c = rgnn.concat %x, %y, %x dim 1 : tensor<2x2xf64>, tensor<2x1xf64>, tensor<2x2xf64>
  check.expect_almost_eq_const %c, dense<[[1.0, 2.0, 5.0, 1.0, 2.0], [3.0, 4.0, 6.0, 3.0, 4.0]]> : tensor<2x5xf64> : tensor<2x5xf64>
  %r = rgnn.concat %x, %x dim 0 : tensor<2x2xf64>, tensor<2x2xf64>
  check.expect_almost_eq_const %r, dense<[[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]> : tensor<4x2xf64> : tensor<4x2xf64>
  return
}

func.func @slice() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %y = rgnn.slice %x dim 1 from 1 size 2 : tensor<2x3xf64>
  check.expect_almost_eq_const %y, dense<[[2.0, 3.0], [5.0, 6.0]]> : tensor<2x2xf64> : tensor<2x2xf64>
  %z = rgnn.slice %x dim 0 from 1 size 1 : tensor<2x3xf64>
  check.expect_almost_eq_const %z, dense<[[4.0, 5.0, 6.0]]> : tensor<1x3xf64> : tensor<1x3xf64>
  return
}

func.func @reduce_features() {
  %x = arith.constant dense<[[1.0, 2.0, 6.0], [4.0, 8.0, -6.0]]> : tensor<2x3xf64>
  %sum = rgnn.reduce_features sum %x dim 1 : tensor<2x3xf64>
  check.expect_almost_eq_const %sum, dense<[9.0, 6.0]> : tensor<2xf64> : tensor<2xf64>
  %mean = rgnn.reduce_features mean %x dim 1 : tensor<2x3xf64>
  check.expect_almost_eq_const %mean, dense<[3.0, 2.0]> : tensor<2xf64> : tensor<2xf64>
  %max = rgnn.reduce_features max %x dim 1 : tensor<2x3xf64>
  check.expect_almost_eq_const %max, dense<[6.0, 8.0]> : tensor<2xf64> : tensor<2xf64>
  %min = rgnn.reduce_features min %x dim 1 : tensor<2x3xf64>
  check.expect_almost_eq_const %min, dense<[1.0, -6.0]> : tensor<2xf64> : tensor<2xf64>
  %mul = rgnn.reduce_features mul %x dim 1 : tensor<2x3xf64>
  check.expect_almost_eq_const %mul, dense<[12.0, -192.0]> : tensor<2xf64> : tensor<2xf64>
  %first = rgnn.reduce_features mean %x dim 0 : tensor<2x3xf64>
  check.expect_almost_eq_const %first, dense<[2.5, 5.0, 0.0]> : tensor<3xf64> : tensor<3xf64>
  return
}

// exp(log 3) = 3, and exp(1000) is not a number of 64 bits.
func.func @softmax() {
  %e = arith.constant dense<[[0.0, 1.0986122886681098], [1000.0, 1000.0]]> : tensor<2x2xf64>
  %a = rgnn.softmax %e : tensor<2x2xf64>
  check.expect_almost_eq_const %a, dense<[[0.25, 0.75], [0.5, 0.5]]> : tensor<2x2xf64> : tensor<2x2xf64>
  // log 1/4, log 3/4, log 1/2
  %l = rgnn.softmax log %e : tensor<2x2xf64>
  check.expect_almost_eq_const %l, dense<[[-1.3862943611, -0.2876820724], [-0.6931471806, -0.6931471806]]> : tensor<2x2xf64> : tensor<2x2xf64>
  return
}

// 3-4-5, 5-12-13 and 2-3-6-7; the norm of one number is its absolute value.
func.func @norm() {
  %x = arith.constant dense<[[[3.0, -4.0], [0.0, 0.0]], [[-5.0, 12.0], [1.0, 0.0]]]> : tensor<2x2x2xf64>
  %n = rgnn.norm %x : tensor<2x2x2xf64>
  check.expect_almost_eq_const %n, dense<[[5.0, 0.0], [13.0, 1.0]]> : tensor<2x2xf64> : tensor<2x2xf64>
  %y = arith.constant dense<[[-2.0], [7.0]]> : tensor<2x1xf64>
  %a = rgnn.norm %y : tensor<2x1xf64>
  check.expect_almost_eq_const %a, dense<[2.0, 7.0]> : tensor<2xf64> : tensor<2xf64>
  %z = arith.constant dense<[2.0, 3.0, 6.0]> : tensor<3xf64>
  %s = rgnn.norm %z : tensor<3xf64>
  check.expect_almost_eq_const %s, dense<7.0> : tensor<f64> : tensor<f64>
  return
}

func.func @detach() {
  %x = arith.constant dense<[[1.0, -2.0]]> : tensor<1x2xf64>
  %d = rgnn.detach %x : tensor<1x2xf64>
  check.expect_almost_eq_const %d, dense<[[1.0, -2.0]]> : tensor<1x2xf64> : tensor<1x2xf64>
  return
}

func.func @with_slope() {
  %x = arith.constant dense<[1.0, -2.0]> : tensor<2xf64>
  %y = arith.constant dense<[3.0, 4.0]> : tensor<2xf64>
  %d = rgnn.with_slope %x by %y slope %y : tensor<2xf64>
  check.expect_almost_eq_const %d, dense<[1.0, -2.0]> : tensor<2xf64> : tensor<2xf64>
  return
}

// (1, 2, 3) x (4, 5, 6), axes, and what is parallel.
func.func @cross() {
  %x = arith.constant dense<[[[1.0, 2.0, 3.0], [1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0], [2.0, 4.0, -6.0]]]> : tensor<2x2x3xf64>
  %y = arith.constant dense<[[[4.0, 5.0, 6.0], [0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0], [-1.0, -2.0, 3.0]]]> : tensor<2x2x3xf64>
  %c = rgnn.cross %x, %y : tensor<2x2x3xf64>, tensor<2x2x3xf64>
  check.expect_almost_eq_const %c, dense<[[[-3.0, 6.0, -3.0], [0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]> : tensor<2x2x3xf64> : tensor<2x2x3xf64>
  %a = arith.constant dense<[0.0, 0.0, 2.0]> : tensor<3xf64>
  %b = arith.constant dense<[5.0, 0.0, 7.0]> : tensor<3xf64>
  %d = rgnn.cross %a, %b : tensor<3xf64>, tensor<3xf64>
  check.expect_almost_eq_const %d, dense<[0.0, 10.0, 0.0]> : tensor<3xf64> : tensor<3xf64>
  return
}
