// RUN: rgnn-opt %s --split-input-file --verify-diagnostics

#edge = #rgnn.rows<edge, @g0>

func.func @linear_c1(%x: tensor<?x8xf32, #edge>, %w: tensor<8xf32>) {
  // expected-error@+1 {{expected a matrix without rows as weight}}
  %0 = rgnn.linear %x, %w : tensor<?x8xf32, #edge>, tensor<8xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @linear_c1_element(%x: tensor<?x8xf32, #edge>, %w: tensor<8x4xf64>) {
  // expected-error@+1 {{expected a weight of}}
  %0 = rgnn.linear %x, %w : tensor<?x8xf32, #edge>, tensor<8x4xf64>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @linear_c2(%x: tensor<?x8xf32, #edge>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{expected rows of 4 features}}
  %0 = rgnn.linear %x, %w : tensor<?x8xf32, #edge>, tensor<4x8xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @typed_linear_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>, %w: tensor<3x8x4xf32>) {
  // expected-error@+1 {{expected a path from rows on edge to their types, got src}}
  %0 = rgnn.typed_linear %x, %w by src in %g : tensor<?x8xf32, #edge>, tensor<3x8x4xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @typed_linear_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>, %w: tensor<3x4x8xf32>) {
  // expected-error@+1 {{expected a weight of shape types x rows}}
  %0 = rgnn.typed_linear %x, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<3x4x8xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @typed_linear_c2_scalar(%g: !rgnn.graph<@g0>, %x: tensor<?xf32, #edge>, %w: tensor<3x4xf32>) {
  // expected-error@+1 {{expected a weight of shape types x rows}}
  %0 = rgnn.typed_linear %x, %w by etype in %g : tensor<?xf32, #edge>, tensor<3x4xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @typed_linear_c3(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>, %w: tensor<2x8x4xf32>) {
  // expected-error@+1 {{expected weights of 3 types, got 2}}
  %0 = rgnn.typed_linear %x, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<2x8x4xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @matmul_c1(%x: tensor<?x8x4xf32, #edge>, %w: tensor<3x4x2xf32>) {
  // expected-error @+1 {{expected matrices of known sizes without rows, got 'tensor<?x8x4xf32, #rgnn.rows<edge, @g0>>'}}
  %0 = rgnn.matmul %x, %w : tensor<?x8x4xf32, #edge>, tensor<3x4x2xf32>
  return
}

// -----

func.func @matmul_c1_size(%x: tensor<3x8x4xf32>, %w: tensor<3x4x?xf32>) {
  // expected-error @+1 {{expected matrices of known sizes without rows, got 'tensor<3x4x?xf32>'}}
  %0 = rgnn.matmul %x, %w : tensor<3x8x4xf32>, tensor<3x4x?xf32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<3x8x4xf32>, %w: tensor<3x8x4xf32>) {
  // expected-error @+1 {{expected matrices that can be multiplied, got 'tensor<3x8x4xf32>' and 'tensor<3x8x4xf32>'}}
  %0 = rgnn.matmul %x, %w : tensor<3x8x4xf32>, tensor<3x8x4xf32>
  return
}

// -----

func.func @matmul_c2_batch(%x: tensor<3x8x4xf32>, %w: tensor<2x4x4xf32>) {
  // expected-error @+1 {{expected matrices that can be multiplied, got}}
  %0 = rgnn.matmul %x, %w : tensor<3x8x4xf32>, tensor<2x4x4xf32>
  return
}

// -----

func.func @matmul_c2_element(%x: tensor<3x8x4xf32>, %w: tensor<3x4x4xf64>) {
  // expected-error @+1 {{expected matrices that can be multiplied, got}}
  %0 = rgnn.matmul %x, %w : tensor<3x8x4xf32>, tensor<3x4x4xf64>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @outer_sum_c1(%x: tensor<?x2x8xf32, #edge>, %y: tensor<?x4xf32, #edge>) {
  // expected-error @+1 {{expected rows that differ in their last dimension only, got 'tensor<?x2x8xf32, #rgnn.rows<edge, @g0>>' and 'tensor<?x4xf32, #rgnn.rows<edge, @g0>>'}}
  %0 = rgnn.outer_sum %x, %y : tensor<?x2x8xf32, #edge>, tensor<?x4xf32, #edge>
  return
}

// -----

func.func @outer_sum_of_number(%x: tensor<4x3xf32>, %y: tensor<f32>) {
  // expected-error@+2 {{expected rows that differ in their last dimension only, got 'tensor<4x3xf32>' and 'tensor<f32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "rgnn.outer_sum"(%x, %y) : (tensor<4x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @typed_outer_sum_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) {
  // expected-error @+1 {{expected a path from rows on edge to their types, got src}}
  %0 = rgnn.typed_outer_sum %x, %x by src in %g : tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge> -> tensor<3x8x8xf32>
  return
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

func.func @typed_outer_sum_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>, %y: tensor<?x8xf32, #node>) {
  // expected-error @+1 {{expected rows that differ in their last dimension only, got}}
  %0 = rgnn.typed_outer_sum %x, %y by etype in %g : tensor<?x8xf32, #edge>, tensor<?x8xf32, #node> -> tensor<3x8x8xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @typed_outer_sum_c3(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) {
  // expected-error @+1 {{expected a result of shape types x rows' shape x N without rows for}}
  %0 = rgnn.typed_outer_sum %x, %x by etype in %g : tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge> -> tensor<3x4x8xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @typed_outer_sum_c3_types(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) {
  // expected-error @+1 {{expected weights of 3 types, got 5}}
  %0 = rgnn.typed_outer_sum %x, %x by etype in %g : tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge> -> tensor<5x8x8xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @typed_outer_sum_to_number(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected a result of shape types x rows' shape x N without rows for}}
  %0 = rgnn.typed_outer_sum %x, %x by etype in %g : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge> -> tensor<f32>
  return
}

// -----

func.func @sum_rows_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected a tensor with rows, got 'tensor<?x8xf32>'}}
  %0 = rgnn.sum_rows %x : tensor<?x8xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @dot_c1(%x: tensor<?xf32, #edge>) {
  // expected-error@+1 {{expected rows of at least one dimension}}
  %0 = rgnn.dot %x, %x : tensor<?xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @dot_c1_types(%x: tensor<?x2xf32, #edge>, %y: tensor<?x3xf32, #edge>) {
  // expected-error@+1 {{op failed to verify that all of {lhs, rhs} have same type}}
  %0 = "rgnn.dot"(%x, %y) : (tensor<?x2xf32, #edge>, tensor<?x3xf32, #edge>) -> tensor<?xf32, #edge>
  return
}
