// RUN: rgnn-opt %s --rgnn-differentiate --split-input-file --verify-diagnostics
// RUN: not rgnn-opt %s --rgnn-differentiate=arguments=1 --split-input-file 2>&1 | FileCheck %s
// CHECK: error: arguments: expected numbers of arguments of floating-point numbers, got 1

func.func @captured(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'rgnn.torch' op expected an op with a gradient}}
  %0 = rgnn.torch "aten.cumsum"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @scalar(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rgnn.map %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32):
    // expected-error @+1 {{'math.asin' op expected an op with a gradient}}
    %b = math.asin %a : f32
    rgnn.yield %b : f32
  }
  return %0 : tensor<4xf32>
}

// -----

rgnn.schema @g0 edge_types(3)

// Rows are placed in a graph, of which there is none.
func.func @no_graph(%x: tensor<?x4xf32, #rgnn.rows<node, @g0>>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'rgnn.unplace' op has no gradient: expected a graph of @g0 before it, got none}}
  %0 = rgnn.unplace %x : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return %0 : tensor<?x4xf32>
}

// -----

rgnn.schema @g0 edge_types(3)

func.func @no_rows(%x: tensor<?x4xf32, #rgnn.rows<node, @g0>>) -> tensor<4xf32> {
  // expected-error @+1 {{'rgnn.sum_rows' op has no gradient: expected a graph of @g0 before it, got none}}
  %0 = rgnn.sum_rows %x : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return %0 : tensor<4xf32>
}
