// RUN: rgnn-opt %s --split-input-file --verify-diagnostics

#node = #rgnn.rows<node, @g0>

func.func @program_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{'rgnn.program' op expected 1 names of operands, got 2}}
  %y = rgnn.program in %g takes ["x", "y"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c1_results(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{'rgnn.program' op expected 1 names of results, got 2}}
  %y = rgnn.program in %g takes ["x"](%x) gives ["x", "x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c1_twice(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected each result once, got "x" again}}
  %y:2 = rgnn.program in %g takes ["x"](%x) gives ["x", "x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) {
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %p: tensor<?x8xf32, #rgnn.rows<src_pair, @g0>>) {
  // expected-error@+1 {{expected operand "p" on node or edge of @g0, got}}
  %y = rgnn.program in %g takes ["p"](%p) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #rgnn.rows<src_pair, @g0>>) -> tensor<?x8xf32, #node> {
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c2_type(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected result "x" on node or edge of @g0, got}}
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #rgnn.rows<node, @g0, type = 0>> {
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c2_schema(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected result "x" on node or edge of @g0, got}}
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #rgnn.rows<node, @other>> {
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c3_shape(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %n in nodes {
      // expected-error@+1 {{'rgnn.read' op expected "x" to be 'tensor<8xf32>' of nodes, got 'tensor<4xf32>' of nodes}}
      %h = rgnn.read "x" of %n : tensor<4xf32> of !rgnn.node
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c3_domain(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %h = rgnn.read "x" of %u : tensor<8xf32> of !rgnn.node
      // expected-error@+1 {{'rgnn.write' op expected "x" to be 'tensor<8xf32>' of nodes, got 'tensor<8xf32>' of edges}}
      rgnn.write "x" of %e, %h : tensor<8xf32> of !rgnn.edge
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c3_element_type(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %n in nodes {
      %h = arith.constant dense<0.0> : tensor<8xf64>
      // expected-error@+1 {{'rgnn.accumulate' op expected "x" to be 'tensor<8xf32>' of nodes, got 'tensor<8xf64>' of nodes}}
      rgnn.accumulate sum "x" of %n, %h : tensor<8xf64> of !rgnn.node
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c3_result(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected "x" to be 'tensor<8xf32>' of nodes, got 'tensor<4xf32>' of nodes}}
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x4xf32, #node> {
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c4(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %n in nodes {
      // expected-error@+1 {{'rgnn.read' op expected "z" to have a value, got a name that is not an operand nor written before}}
      %h = rgnn.read "z" of %n : tensor<8xf32> of !rgnn.node
      rgnn.write "z" of %n, %h : tensor<8xf32> of !rgnn.node
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c4_result(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected "z" to have a value, got a name that is not an operand nor written before}}
  %y = rgnn.program in %g takes ["x"](%x) gives ["z"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c5(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %n in nodes {
      %h = rgnn.read "x" of %n : tensor<8xf32> of !rgnn.node
      // expected-error@+1 {{'rgnn.accumulate' op expected "x" to have no value before a mean, got one that has}}
      rgnn.accumulate mean "x" of %n, %h : tensor<8xf32> of !rgnn.node
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c6_outside(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    // expected-error@+1 {{'arith.constant' op expected to be in a loop of the program, got it outside}}
    %c = arith.constant 0.0 : f32
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @program_c6_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %e in edges {
      // expected-error@+1 {{'rgnn.softmax' op expected tensors of one row in a loop, got}}
      %s = rgnn.softmax %x : tensor<?x8xf32, #node>
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func private @f()

func.func @program_c6_pure(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %e in edges {
      // expected-error@+1 {{'func.call' op expected a pure op or one of the loop form in a loop, got one with effects or regions}}
      func.call @f() : () -> ()
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func private @f(!rgnn.edge)

// What takes a node or edge is no op of the loop form for that.

func.func @program_c6_call_of_element(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %e in edges {
      // expected-error@+1 {{'func.call' op expected a pure op or one of the loop form in a loop, got one with effects or regions}}
      func.call @f(%e) : (!rgnn.edge) -> ()
    }
  }
  return
}
