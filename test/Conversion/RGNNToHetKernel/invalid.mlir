// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --split-input-file --verify-diagnostics

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)
func.func @reduce_src(%g: !rgnn.graph<@g0>, %m: tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>> {
  // expected-error @+1 {{cannot be lowered: no kernel reduces rows of edge along path src}}
  %s = rgnn.reduce sum src %m in %g : tensor<?x8xf32, #edge>
  return %s : tensor<?x8xf32, #rgnn.rows<node, @g0>>
}

// -----

rgnn.schema @g0 edge_types(3)
func.func @torch(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{cannot be lowered: it runs in PyTorch}}
  %s = rgnn.torch "aten.fft_fft"(%x) [#rgnn.operand<0>] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}

// -----

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)
func.func @edges_leave(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #rgnn.rows<node, @g0>>) -> tensor<?x8xf32> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #rgnn.rows<node, @g0>>
  %s = rgnn.group_softmax dst %u in %g : tensor<?x8xf32, #edge>
  // expected-error @+1 {{cannot be lowered: rows of edges leave the function}}
  %y = rgnn.unplace %s : tensor<?x8xf32, #edge>
  return %y : tensor<?x8xf32>
}

// -----

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)
// expected-error @+2 {{expected one graph of @g0 in the function, got several}}
func.func @two_graphs(%g: !rgnn.graph<@g0>, %f: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>> {
  %s = rgnn.reduce sum dst %x in %g : tensor<?x8xf32, #edge>
  return %s : tensor<?x8xf32, #rgnn.rows<node, @g0>>
}
