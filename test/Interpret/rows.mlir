// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

func.func @rows() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %p = rgnn.permute %x [1, 0] : tensor<2x3xf64>
  check.expect_almost_eq_const %p, dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xf64> : tensor<3x2xf64>
  %r = rgnn.reshape %x : tensor<2x3xf64> -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64> : tensor<3x2xf64>
  %s = rgnn.slice %x dim 1 from 1 size 2 : tensor<2x3xf64>
  check.expect_almost_eq_const %s, dense<[[2.0, 3.0], [5.0, 6.0]]> : tensor<2x2xf64> : tensor<2x2xf64>
  %c = rgnn.concat %s, %x dim 1 : tensor<2x2xf64>, tensor<2x3xf64>
  check.expect_almost_eq_const %c, dense<[[2.0, 3.0, 1.0, 2.0, 3.0], [5.0, 6.0, 4.0, 5.0, 6.0]]> : tensor<2x5xf64> : tensor<2x5xf64>
  %m = rgnn.reduce_features mean %x dim 0 : tensor<2x3xf64>
  check.expect_almost_eq_const %m, dense<[2.5, 3.5, 4.5]> : tensor<3xf64> : tensor<3xf64>
  %n = rgnn.reduce_features max %x dim 1 : tensor<2x3xf64>
  check.expect_almost_eq_const %n, dense<[3.0, 6.0]> : tensor<2xf64> : tensor<2xf64>
  %e = arith.constant dense<[[0.0, 1.0986122886681098], [1000.0, 1000.0]]> : tensor<2x2xf64>
  %a = rgnn.softmax %e : tensor<2x2xf64>
  check.expect_almost_eq_const %a, dense<[[0.25, 0.75], [0.5, 0.5]]> : tensor<2x2xf64> : tensor<2x2xf64>
  // log 1/4, log 3/4, log 1/2
  %l = rgnn.softmax log %e : tensor<2x2xf64>
  check.expect_almost_eq_const %l, dense<[[-1.3862943611, -0.2876820724], [-0.6931471806, -0.6931471806]]> : tensor<2x2xf64> : tensor<2x2xf64>
  return
}
