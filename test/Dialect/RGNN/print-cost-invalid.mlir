// RUN: rgnn-opt %s --rgnn-print-cost="nodes=10" --split-input-file --verify-diagnostics

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0
func.func @edges(%x: tensor<?x8xf32, #edge>) -> tensor<8xf32> {
  // expected-error @+1 {{'rgnn.sum_rows' op expected the number of rows on edge to be given}}
  %s = rgnn.sum_rows %x : tensor<?x8xf32, #edge>
  return %s : tensor<8xf32>
}

// -----

#node = #rgnn.rows<node, @g0, type = 1>
rgnn.schema @g0 node_types(2)
func.func @nodes_of_type(%x: tensor<?x8xf32, #node>) -> tensor<8xf32> {
  // expected-error @+1 {{'rgnn.sum_rows' op expected the number of rows on node to be given}}
  %s = rgnn.sum_rows %x : tensor<?x8xf32, #node>
  return %s : tensor<8xf32>
}

// -----

func.func @plain(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'rgnn.linear' op expected sizes that are known, got 'tensor<?x8xf32>'}}
  %y = rgnn.linear %x, %w : tensor<?x8xf32>, tensor<8x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @captured(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'rgnn.torch' op has no cost: expected captured operators to be lifted and loops to be raised}}
  %y = rgnn.torch "aten.cumsum"(%x) [#rgnn.operand<0>, 0, unit] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

#node = #rgnn.rows<node, @g0>
rgnn.schema @g0
func.func @loops(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  // expected-error @+1 {{'rgnn.program' op has no cost}}
  %y = rgnn.program in %g takes ["x"](%x) gives ["y"]
      : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %h = rgnn.read "x" of %u : tensor<8xf32> of !rgnn.node
      %v = rgnn.destination %e
      rgnn.accumulate sum "y" of %v, %h : tensor<8xf32> of !rgnn.node
    }
  }
  return %y : tensor<?x8xf32, #node>
}

// -----

// expected-error @+1 {{expected a function of one block}}
func.func @blocks() {
  cf.br ^bb1
^bb1:
  return
}
