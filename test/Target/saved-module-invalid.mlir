// RUN: rgnn-translate --rgnn-to-module %s --split-input-file --verify-diagnostics
// RUN: not rgnn-translate --rgnn-to-module --rgnn-to-cpu-options="start=buffers" %S/Inputs/layer.mlir 2>&1 | FileCheck %s --check-prefix=START

// START: expected a captured module to save, got --rgnn-to-cpu-options=start=buffers

// expected-error @+1 {{expected either rgnn.input or rgnn.param, with a name, at argument 1, got none}}
func.func @forward(%x: tensor<4x8xf32> {rgnn.input = "x"}, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{expected either rgnn.input or rgnn.param, with a name, at argument 0, got both}}
func.func @forward(%x: tensor<4x8xf32> {rgnn.input = "x", rgnn.param = "x"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{expected inputs before parameters, got input 'x' behind a parameter}}
func.func @forward(%w: tensor<8x8xf32> {rgnn.param = "w"}, %x: tensor<4x8xf32> {rgnn.input = "x"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{expected parameters of static sizes, got 'tensor<?x8xf32>' for 'w'}}
func.func @forward(%x: tensor<4x8xf32> {rgnn.input = "x"}, %w: tensor<?x8xf32> {rgnn.param = "w"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}

// -----

#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)
// expected-error @+1 {{expected tensors as arguments of what is saved, got '!rgnn.graph<@g0>'}}
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  return %x : tensor<?x8xf32, #node>
}

// -----

// expected-error @below {{expected a function @forward, got none}}
module {
  func.func @backward() { return }
}
