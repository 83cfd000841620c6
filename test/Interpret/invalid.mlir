// RUN: rgnn-translate --rgnn-interpret %s --split-input-file --verify-diagnostics

func.func @unknown_op() {
  %x = arith.constant dense<1.0> : tensor<1xf32>
  // expected-error@+1 {{rgnn interpreter: cannot evaluate 'rgnn.torch'}}
  %0 = rgnn.torch "aten.relu.default"(%x) [#rgnn.operand<0>] : (tensor<1xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @unknown_scalar() {
  %x = arith.constant dense<1.0> : tensor<1xf32>
  %0 = rgnn.map %x : (tensor<1xf32>) -> tensor<1xf32> {
  ^bb0(%a: f32):
    // expected-error@+1 {{rgnn interpreter: cannot evaluate 'arith.bitcast'}}
    %b = arith.bitcast %a : f32 to i32
    %c = arith.sitofp %b : i32 to f32
    rgnn.yield %c : f32
  }
  return
}

// -----

func.func @node_out_of_range() {
  %e = arith.constant dense<[[0], [3]]> : tensor<2x1xi64>
  %n = arith.constant 3 : index
  // expected-error@+1 {{rgnn interpreter: expected nodes in [0, 3), got 3 at edge 0}}
  %g = rgnn.coo_graph edges(%e : tensor<2x1xi64>) nodes(%n) : !rgnn.graph<@g0>
  return
}

// -----

rgnn.schema @g0 edge_types(2)
func.func @type_out_of_range() {
  %e = arith.constant dense<[[0], [1]]> : tensor<2x1xi64>
  %t = arith.constant dense<2> : tensor<1xi64>
  %n = arith.constant 3 : index
  // expected-error@+1 {{rgnn interpreter: expected edge types in [0, 2), got 2 at edge 0}}
  %g = rgnn.coo_graph edges(%e : tensor<2x1xi64>) types(%t : tensor<1xi64>) nodes(%n) : !rgnn.graph<@g0>
  return
}

// -----

func.func @negative_nodes() {
  %e = arith.constant dense<> : tensor<2x0xi64>
  %n = arith.constant -3 : index
  // expected-error@+1 {{rgnn interpreter: expected numbers of nodes and edge types in [0, 16777216], got -3 and 1}}
  %g = rgnn.coo_graph edges(%e : tensor<2x0xi64>) nodes(%n) : !rgnn.graph<@g0>
  return
}

// -----

func.func @wrong_rows() {
  %g = rgnn.constant_graph src([0]) dst([0]) nodes([2]) : !rgnn.graph<@g0>
  %x = arith.constant dense<1.0> : tensor<3xf32>
  %d = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  // expected-error@+1 {{rgnn interpreter: expected 2 rows on node, got 3}}
  %h = rgnn.place %d in %g : tensor<?xf32> -> tensor<?xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

// C3 of rgnn.lookup holds at run time only.
func.func @lookup_c3() {
  %g = rgnn.constant_graph src([0]) dst([0]) nodes([2]) : !rgnn.graph<@g0>
  %t = arith.constant dense<1.0> : tensor<1x3x1xf32>
  // expected-error@+1 {{rgnn interpreter: expected a table of 2 nodes, got 3}}
  %m = rgnn.lookup src %t in %g : (tensor<1x3x1xf32>) -> !rgnn.graph<@g0>
  return
}

// -----

// And so does C4 of rgnn.lookup_sum.
func.func @lookup_sum_c4() {
  %g = rgnn.constant_graph src([0]) dst([0]) nodes([2]) : !rgnn.graph<@g0>
  %x = arith.constant dense<1.0> : tensor<1x1xf32>
  %d = tensor.cast %x : tensor<1x1xf32> to tensor<?x1xf32>
  %m = rgnn.place %d in %g : tensor<?x1xf32> -> tensor<?x1xf32, #rgnn.rows<edge, @g0>>
  // expected-error@+1 {{rgnn interpreter: expected a table of 2 nodes, got 3}}
  %s = rgnn.lookup_sum src %m in %g : tensor<?x1xf32, #rgnn.rows<edge, @g0>> -> tensor<1x3x1xf32>
  return
}

// -----

func.func @map_without_rows() {
  %x = arith.constant dense<1.0> : tensor<1xf32>
  // expected-error@+1 {{expected a graph of @g0 in the function, got none}}
  %0 = rgnn.map %x : (tensor<1xf32>) -> tensor<?x1xf32, #rgnn.rows<edge, @g0>> {
  ^bb0(%a: f32):
    rgnn.yield %a : f32
  }
  return
}

// -----

func.func @endless() {
  // expected-error@+1 {{rgnn interpreter: expected at most 64 nested calls, got more}}
  func.call @endless() : () -> ()
  return
}

// -----

func.func @too_large() {
  // expected-error@+1 {{rgnn interpreter: expected at most 67108864 elements}}
  %x = arith.constant dense<1.0> : tensor<100000x100000xf32>
  return
}

// -----

func.func @cross() {
  %x = arith.constant dense<1.0> : tensor<2x3xf32>
  %y = arith.constant dense<1.0> : tensor<4x3xf32>
  %a = tensor.cast %x : tensor<2x3xf32> to tensor<?x3xf32>
  %b = tensor.cast %y : tensor<4x3xf32> to tensor<?x3xf32>
  // expected-error@+1 {{rgnn interpreter: expected operands like 2x3, got 4x3}}
  %c = rgnn.cross %a, %b : tensor<?x3xf32>, tensor<?x3xf32>
  return
}
