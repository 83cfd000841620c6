// RUN: rgnn-translate --rgnn-interpret %s --split-input-file --verify-diagnostics

func.func @holds() {
  %x = arith.constant dense<[1.0, 0x7FC00000, 0x7F800000]> : tensor<3xf32>
  check.expect_almost_eq_const %x, dense<[1.0, 0x7FC00000, 0x7F800000]> : tensor<3xf32> : tensor<3xf32>
  %y = arith.constant dense<[1.01, 0x7FC00000, 0x7F800000]> : tensor<3xf32>
  check.expect_almost_eq %x, %y within 0.1 : tensor<3xf32>, tensor<3xf32>
  %n = arith.constant 3 : index
  check.expect_almost_eq_const %n, dense<3> : tensor<index> : index
  return
}

// -----

func.func @value() {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  // expected-error@+1 {{'check.expect_almost_eq_const' op expected 5 at [1, 0], got 3}}
  check.expect_almost_eq_const %x, dense<[[1.0, 2.0], [5.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  return
}

// -----

func.func @shape() {
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // expected-error@+1 {{expected shape 2x1, got 2}}
  check.expect_almost_eq_const %x, dense<1.0> : tensor<2x1xf32> : tensor<2xf32>
  return
}

// -----

func.func @nan() {
  %x = arith.constant dense<[0x7FC00000]> : tensor<1xf32>
  %y = arith.constant dense<[1.0]> : tensor<1xf32>
  // expected-error@+1 {{expected 1 at [0], got nan}}
  check.expect_almost_eq %x, %y within 100.0 : tensor<1xf32>, tensor<1xf32>
  return
}

// -----

func.func @expect_almost_eq_const_c1() {
  %x = arith.constant dense<1.0> : tensor<1xf32>
  // expected-error@+1 {{expected numbers, got 'tensor<1x!rgnn.graph<@g0>>'}}
  check.expect_almost_eq_const %x, dense<"0x00"> : tensor<1x!rgnn.graph<@g0>> : tensor<1xf32>
  return
}

// -----

func.func @expect_almost_eq_const_c2() {
  %x = arith.constant dense<1.0> : tensor<1xf32>
  // expected-error@+1 {{expected a tolerance of at least 0, got -1}}
  check.expect_almost_eq_const %x, dense<1.0> : tensor<1xf32> within -1.0 : tensor<1xf32>
  return
}

// -----

func.func @expect_almost_eq_c1() {
  %x = arith.constant dense<1.0> : tensor<1xf32>
  // expected-error@+1 {{expected a tolerance of at least 0, got -1}}
  check.expect_almost_eq %x, %x within -1.0 : tensor<1xf32>, tensor<1xf32>
  return
}
