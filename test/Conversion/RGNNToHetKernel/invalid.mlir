// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --split-input-file --verify-diagnostics

rgnn.schema @g0 edge_types(3)
func.func @torch(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{cannot be lowered: it runs in PyTorch}}
  %s = rgnn.torch "aten.fft_fft"(%x) [#rgnn.operand<0>] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}

// -----

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)
// expected-error @+2 {{expected one '!rgnn.graph<@g0>' in the function, got several}}
func.func @two_graphs(%g: !rgnn.graph<@g0>, %f: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>> {
  %s = rgnn.reduce sum dst %x in %g : tensor<?x8xf32, #edge>
  return %s : tensor<?x8xf32, #rgnn.rows<node, @g0>>
}

// -----

rgnn.schema @g0 node_types(2) edge_types(3)
func.func @node_types(%ei: tensor<2x?xi64>, %n: index, %x: tensor<?x8xf32>, %w: tensor<2x8x4xf32>) -> tensor<?x4xf32> {
  %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %h = rgnn.place %x in %g : tensor<?x8xf32> -> tensor<?x8xf32, #rgnn.rows<node, @g0>>
  // expected-error @+1 {{cannot be lowered: expected a graph with a number of nodes for each of 2 node types, got one number for all}}
  %z = rgnn.typed_linear %h, %w by ntype in %g : tensor<?x8xf32, #rgnn.rows<node, @g0>>, tensor<2x8x4xf32>
  %y = rgnn.unplace %z : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return %y : tensor<?x4xf32>
}

// -----

func.func @plain_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{cannot be lowered: no kernel computes it on tensors without rows}}
  %y = rgnn.softmax %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @plain_linear(%x: tensor<2x4x8xf32>, %w: tensor<8x5xf32>) -> tensor<2x4x5xf32> {
  // expected-error @+1 {{cannot be lowered: no kernel computes products of other than matrices on tensors without rows}}
  %y = rgnn.linear %x, %w : tensor<2x4x8xf32>, tensor<8x5xf32>
  return %y : tensor<2x4x5xf32>
}

// -----

func.func @plain_dynamic(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{cannot be lowered: rows of a graph or static sizes expected, got 'tensor<?x8xf32>'}}
  %y = rgnn.map %x : (tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: f32):
    %b = math.absf %a : f32
    rgnn.yield %b : f32
  }
  return %y : tensor<?x8xf32>
}

// -----

rgnn.schema @g0 edge_types(3)
func.func private @other(tensor<?x8xf32, #rgnn.rows<node, @g0>>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>>
func.func @call(%x: tensor<?x8xf32, #rgnn.rows<node, @g0>>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>> {
  // expected-error @+1 {{cannot be lowered: expected a call with graphs or tensors without rows}}
  %y = call @other(%x) : (tensor<?x8xf32, #rgnn.rows<node, @g0>>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>>
  return %y : tensor<?x8xf32, #rgnn.rows<node, @g0>>
}
