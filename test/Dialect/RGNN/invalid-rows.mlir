// RUN: rgnn-opt %s --split-input-file --verify-diagnostics

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

func.func @map_c1(%x: tensor<?x4xf32, #edge>, %y: tensor<?x4xf32, #node>) {
  // expected-error@+1 {{expected operand 1 on the domain of}}
  %0 = rgnn.map %x, %y : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    rgnn.yield %a : f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @map_c2(%x: tensor<?x3xf32, #edge>) {
  // expected-error@+1 {{expected operand 0 to broadcast to}}
  %0 = rgnn.map %x : (tensor<?x3xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    rgnn.yield %a : f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @map_c3(%x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected region argument 0 of}}
  %0 = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f64):
    %b = arith.truncf %a : f64 to f32
    rgnn.yield %b : f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @map_c3_arguments(%x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected 1 region arguments, got 2}}
  %0 = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    rgnn.yield %a : f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @map_c3_yield(%x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected the region to yield one}}
  %0 = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    rgnn.yield %a, %a : f32, f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @map_c3_end(%x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected the region to end in rgnn.yield, got arith.negf}}
  %0 = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
  }
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @map_c4(%x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected scalar ops of arith and math in the region, got func.call}}
  %0 = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    %b = func.call @f(%a) : (f32) -> f32
    rgnn.yield %b : f32
  }
  return
}
func.func private @f(f32) -> f32

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @reshape_c1(%x: tensor<?x8xf32, #edge>) {
  // expected-error@+1 {{expected 8 elements a row}}
  %0 = rgnn.reshape %x : tensor<?x8xf32, #edge> -> tensor<?x2x3xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @reshape_c1_domain(%x: tensor<?x8xf32, #edge>) {
  // expected-error@+1 {{expected the domain and element type of}}
  %0 = rgnn.reshape %x : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

func.func @reshape_c1_dynamic(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{expected static sizes}}
  %0 = rgnn.reshape %x : tensor<?x8xf32> -> tensor<?x2x4xf32>
  return
}

// -----

func.func @permute_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expected an order of 2 dimensions}}
  %0 = rgnn.permute %x [0, 0] : tensor<2x3xf32>
  return
}

// -----

func.func @permute_c2(%x: tensor<?x3xf32, #rgnn.rows<etype, @g0>>) {
  // expected-error@+1 {{expected the rows to stay first, got dimension 1}}
  %0 = rgnn.permute %x [1, 0] : tensor<?x3xf32, #rgnn.rows<etype, @g0>>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @concat_c1(%x: tensor<?x3xf32, #edge>) {
  // expected-error@+1 {{expected a dimension in [1, 2), got 0}}
  %0 = rgnn.concat %x, %x dim 0 : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

func.func @concat_c2(%x: tensor<?x3xf32, #edge>, %y: tensor<?x3xf32, #node>) {
  // expected-error@+1 {{expected operands like}}
  %0 = rgnn.concat %x, %y dim 1 : tensor<?x3xf32, #edge>, tensor<?x3xf32, #node>
  return
}

// -----

func.func @slice_c1(%x: tensor<?x3xf32, #rgnn.rows<etype, @g0>>) {
  // expected-error@+1 {{expected a dimension in [1, 2), got 0}}
  %0 = rgnn.slice %x dim 0 from 0 size 1 : tensor<?x3xf32, #rgnn.rows<etype, @g0>>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @slice_c2(%x: tensor<?x3xf32, #edge>) {
  // expected-error@+1 {{expected a range within [0, 3), got [2, 4)}}
  %0 = rgnn.slice %x dim 1 from 2 size 2 : tensor<?x3xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @slice_c2_overflow(%x: tensor<?x3xf32, #edge>) {
  // expected-error@+1 {{expected a range within [0, 3)}}
  %0 = rgnn.slice %x dim 1 from 9223372036854775807 size 1 : tensor<?x3xf32, #edge>
  return
}

// -----

func.func @reduce_features_c1(%x: tensor<?x3x3xf32, #rgnn.rows<etype, @g0>>) {
  // expected-error@+1 {{expected a dimension in [1, 3), got 0}}
  %0 = rgnn.reduce_features sum %x dim 0 : tensor<?x3x3xf32, #rgnn.rows<etype, @g0>>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @softmax_c1(%x: tensor<?xf32, #edge>) {
  // expected-error@+1 {{expected rows of at least one dimension}}
  %0 = rgnn.softmax %x : tensor<?xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @norm_c1(%x: tensor<?xf32, #edge>) {
  // expected-error@+1 {{expected rows of at least one dimension, got 'tensor<?xf32, #rgnn.rows<edge, @g0>>'}}
  %0 = rgnn.norm %x : tensor<?xf32, #edge>
  return
}

// -----

func.func @norm_c1_plain(%x: tensor<f32>) {
  // expected-error@+1 {{expected rows of at least one dimension, got 'tensor<f32>'}}
  %0 = rgnn.norm %x : tensor<f32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

func.func @cross_c1(%x: tensor<?x3xf32, #edge>, %y: tensor<?x3xf32, #node>) {
  // expected-error@+1 {{expected operands of one type, got 'tensor<?x3xf32, #rgnn.rows<edge, @g0>>' and 'tensor<?x3xf32, #rgnn.rows<node, @g0>>'}}
  %0 = rgnn.cross %x, %y : tensor<?x3xf32, #edge>, tensor<?x3xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @cross_c1_heads(%x: tensor<?x2x3xf32, #edge>, %y: tensor<?x1x3xf32, #edge>) {
  // expected-error@+1 {{expected operands of one type}}
  %0 = rgnn.cross %x, %y : tensor<?x2x3xf32, #edge>, tensor<?x1x3xf32, #edge>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @cross_c2(%x: tensor<?x3x2xf32, #edge>) {
  // expected-error@+1 {{expected rows with a last dimension of size 3, got 'tensor<?x3x2xf32, #rgnn.rows<edge, @g0>>'}}
  %0 = rgnn.cross %x, %x : tensor<?x3x2xf32, #edge>, tensor<?x3x2xf32, #edge>
  return
}

// -----

// The rows themselves are three.
func.func @cross_c2_rows(%x: tensor<3xf32, #rgnn.rows<etype, @g0>>) {
  // expected-error@+1 {{expected rows with a last dimension of size 3}}
  %0 = rgnn.cross %x, %x : tensor<3xf32, #rgnn.rows<etype, @g0>>, tensor<3xf32, #rgnn.rows<etype, @g0>>
  return
}
