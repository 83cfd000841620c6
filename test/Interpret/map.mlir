// RUN: rgnn-translate --rgnn-interpret %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(1) edge_types(1)

// [2 edges, 2, 2] with one number a head, and a bias.
func.func @broadcast() {
  %g = rgnn.constant_graph src([0, 0]) dst([0, 0]) nodes([1]) : !rgnn.graph<@g0>
  %x = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %xd = tensor.cast %x : tensor<2x2x2xf32> to tensor<?x2x2xf32>
  %xe = rgnn.place %xd in %g : tensor<?x2x2xf32> -> tensor<?x2x2xf32, #edge>
  %a = arith.constant dense<[[[1.0], [10.0]], [[-1.0], [0.0]]]> : tensor<2x2x1xf32>
  %ad = tensor.cast %a : tensor<2x2x1xf32> to tensor<?x2x1xf32>
  %ae = rgnn.place %ad in %g : tensor<?x2x1xf32> -> tensor<?x2x1xf32, #edge>
  // A row shape with fewer dimensions: one factor an edge and last dimension.
  %f = arith.constant dense<[[1.0, 1.0], [2.0, 0.0]]> : tensor<2x2xf32>
  %fd = tensor.cast %f : tensor<2x2xf32> to tensor<?x2xf32>
  %fe = rgnn.place %fd in %g : tensor<?x2xf32> -> tensor<?x2xf32, #edge>
  %b = arith.constant dense<[100.0, 200.0]> : tensor<2xf32>
  %y = rgnn.map %xe, %ae, %b, %fe : (tensor<?x2x2xf32, #edge>, tensor<?x2x1xf32, #edge>, tensor<2xf32>, tensor<?x2xf32, #edge>)
      -> tensor<?x2x2xf32, #edge> {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32):
    %4 = arith.mulf %0, %1 : f32
    %5 = arith.mulf %4, %3 : f32
    %6 = arith.addf %5, %2 : f32
    rgnn.yield %6 : f32
  }
  check.expect_almost_eq_const %y, dense<[[[101.0, 202.0], [130.0, 240.0]], [[90.0, 200.0], [100.0, 200.0]]]> : tensor<2x2x2xf32> : tensor<?x2x2xf32, #edge>
  return
}

// The graph alone says how many rows there are.
func.func @rows_of_graph() {
  %g = rgnn.constant_graph src([0, 0]) dst([0, 0]) nodes([1]) : !rgnn.graph<@g0>
  %y = rgnn.map : () -> tensor<?x3xf32, #edge> {
    %0 = arith.constant 2.0 : f32
    rgnn.yield %0 : f32
  }
  check.expect_almost_eq_const %y, dense<2.0> : tensor<2x3xf32> : tensor<?x3xf32, #edge>
  return
}

func.func @leaky_relu() {
  %x = arith.constant dense<[-10.0, 0.0, 3.0]> : tensor<3xf64>
  %y = rgnn.map %x : (tensor<3xf64>) -> tensor<3xf64> {
  ^bb0(%0: f64):
    %zero = arith.constant 0.0 : f64
    %slope = arith.constant 0.2 : f64
    %1 = arith.cmpf ogt, %0, %zero : f64
    %2 = arith.mulf %0, %slope : f64
    %3 = arith.select %1, %0, %2 : f64
    rgnn.yield %3 : f64
  }
  check.expect_almost_eq_const %y, dense<[-2.0, 0.0, 3.0]> : tensor<3xf64> : tensor<3xf64>
  return
}
