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
  // expected-error @+1 {{'rgnn.unplace' op expected a graph of @g0 in the function, got none}}
  %0 = rgnn.unplace %x : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return %0 : tensor<?x4xf32>
}

// -----

rgnn.schema @g0 edge_types(3)

func.func @no_rows(%x: tensor<?x4xf32, #rgnn.rows<node, @g0>>) -> tensor<4xf32> {
  // expected-error @+1 {{'rgnn.sum_rows' op expected a graph of @g0 in the function, got none}}
  %0 = rgnn.sum_rows %x : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return %0 : tensor<4xf32>
}

// -----

rgnn.schema @g0 edge_types(3)

// The weight is no operand of the program: its region reads it.
func.func @weight_of_program(%g: !rgnn.graph<@g0>, %w: tensor<3x4xf32>) -> tensor<?x4xf32, #rgnn.rows<edge, @g0>> {
  // expected-error @+1 {{'rgnn.program' op expected an op with a gradient}}
  %y = rgnn.program in %g takes [] () gives ["e"] : (!rgnn.graph<@g0>) -> tensor<?x4xf32, #rgnn.rows<edge, @g0>> {
    rgnn.for_each %e in edges {
      %we = rgnn.weight %w of %e : tensor<3x4xf32> of !rgnn.edge
      rgnn.write "e" of %e, %we : tensor<4xf32> of !rgnn.edge
    }
  }
  return %y : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
}

// -----

func.func @branch(%x: tensor<4xf32>, %b: i1) -> tensor<4xf32> {
  // expected-error @+1 {{'scf.if' op expected an op with a gradient}}
  %0 = scf.if %b -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    %1 = rgnn.map %x : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: f32):
      %c = arith.negf %a : f32
      rgnn.yield %c : f32
    }
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

rgnn.schema @g0 edge_types(3)

// There would be zeros for the nodes of the other types, however many types there are.
func.func @unknown_types(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #rgnn.rows<node, @g0>>) -> tensor<?x4xf32, #rgnn.rows<node, @g0, type = 1>> {
  // expected-error @+1 {{'rgnn.slice_type' op has no gradient: expected a number of node types in schema @g0, got none}}
  %0 = rgnn.slice_type %x in %g : tensor<?x4xf32, #rgnn.rows<node, @g0>> -> tensor<?x4xf32, #rgnn.rows<node, @g0, type = 1>>
  return %0 : tensor<?x4xf32, #rgnn.rows<node, @g0, type = 1>>
}

// -----

func.func @dynamic_mean(%x: tensor<?x4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'rgnn.reduce_features' op has no gradient: expected a dimension of known size, got 'tensor<?x4xf32>'}}
  %0 = rgnn.reduce_features mean %x dim 0 : tensor<?x4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @dynamic_broadcast(%x: tensor<?x4xf32>, %b: tensor<1x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'rgnn.map' op has no gradient: expected a dimension of known size, got 'tensor<?x4xf32>'}}
  %0 = rgnn.map %x, %b : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: f32, %c: f32):
    %p = arith.mulf %a, %c : f32
    rgnn.yield %p : f32
  }
  return %0 : tensor<?x4xf32>
}

// -----

func.func @dynamic_concat(%x: tensor<?x4xf32>, %y: tensor<2x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'rgnn.concat' op has no gradient: expected a dimension of known size, got 'tensor<?x4xf32>'}}
  %0 = rgnn.concat %x, %y dim 0 : tensor<?x4xf32>, tensor<2x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @dynamic_dot(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'rgnn.dot' op has no gradient: expected a dimension of known size, got 'tensor<?x4xf32>'}}
  %0 = rgnn.dot %x, %x : tensor<?x4xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @dynamic_norm(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'rgnn.norm' op has no gradient: expected a dimension of known size, got 'tensor<?x4xf32>'}}
  %0 = rgnn.norm %x : tensor<?x4xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @dynamic_softmax(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'rgnn.softmax' op has no gradient: expected a dimension of known size, got 'tensor<?x4xf32>'}}
  %0 = rgnn.softmax %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

rgnn.schema @g0 edge_types(3)

// Which of the graphs the rows are of is not said.
func.func @two_graphs(%g: !rgnn.graph<@g0>, %h: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #rgnn.rows<node, @g0>>) -> tensor<?x4xf32> {
  %0 = rgnn.gather src %x in %g : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %1 = rgnn.reduce sum dst %0 in %h : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  // expected-error @+1 {{'rgnn.unplace' op expected one '!rgnn.graph<@g0>' in the function, got several}}
  %2 = rgnn.unplace %1 : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return %2 : tensor<?x4xf32>
}

// -----

// Their sum would be one of tensors in a number of rows that nothing knows.
// expected-error @+1 {{expected one use, or rows of a graph, of a value with a gradient, got 'tensor<?x4xf32>' with several}}
func.func @returned_twice(%w: tensor<2xf32>, %x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  return %x, %x : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// expected-note @+1 {{the symbol is here}}
func.func private @f_backward()
// expected-error @+1 {{expected the name of the backward, @f_backward, to be free, got another symbol}}
func.func @f(%w: tensor<2xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
