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
  // expected-error @+1 {{'rgnn.map' op expected an op with a gradient}}
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

// Without features, and a weight of its own for each type and node.
func.func @table(%g: !rgnn.graph<@g0>, %table: tensor<3x5x4xf32>) -> tensor<?x4xf32, #rgnn.rows<edge, @g0>> {
  // expected-error @+1 {{'rgnn.lookup' op expected an op with a gradient}}
  %0 = rgnn.lookup src %table in %g : (tensor<3x5x4xf32>) -> !rgnn.graph<@g0>
  return %0 : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
}
