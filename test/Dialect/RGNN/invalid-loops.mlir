// RUN: rgnn-opt %s --split-input-file --verify-diagnostics

#node = #rgnn.rows<node, @g0>

func.func @for_each_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %e in edges {
      // expected-error@+1 {{'rgnn.for_each' op expected a node for incoming_edges, got none}}
      "rgnn.for_each"() <{iterator = #rgnn<iterator incoming_edges>}> ({
      ^bb0(%f: !rgnn.edge):
      }) : () -> ()
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @for_each_c1_none(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %n in nodes {
      // expected-error@+1 {{'rgnn.for_each' op expected no node for edges, got one}}
      rgnn.for_each %f in edges of %n {
      }
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @for_each_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %n in nodes {
      // expected-error@+1 {{'rgnn.for_each' op expected edges outside of loops, got it in one}}
      rgnn.for_each %f in edges {
      }
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @for_each_c3(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    // expected-error@+1 {{'rgnn.for_each' op expected one region argument of type '!rgnn.node', got '!rgnn.edge'}}
    "rgnn.for_each"() <{iterator = #rgnn<iterator nodes>}> ({
    ^bb0(%f: !rgnn.edge):
    }) : () -> ()
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @for_each_iterator(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    // expected-error@+1 {{expected an iterator, got faces}}
    rgnn.for_each %e in faces {
    }
  }
  return
}

// -----

func.func @for_each_parent(%g: !rgnn.graph<@g0>) {
  // expected-error@+1 {{'rgnn.for_each' op expects parent op to be one of 'rgnn.program, rgnn.for_each'}}
  rgnn.for_each %e in edges {
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @weight_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %w: tensor<?x4xf32>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %e in edges {
      // expected-error@+1 {{expected a static table of types without rows, got 'tensor<?x4xf32>'}}
      %v = rgnn.weight %w of %e : tensor<?x4xf32> of !rgnn.edge
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

func.func @weight_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %w: tensor<2x4xf32>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %e in edges {
      // expected-error@+1 {{'rgnn.weight' op expected weights of 3 types, got 2}}
      %v = rgnn.weight %w of %e : tensor<2x4xf32> of !rgnn.edge
    }
  }
  return
}

// -----

#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 node_types(2)

func.func @weight_c2_nodes(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %w: tensor<3x4xf32>) {
  %y = rgnn.program in %g takes ["x"](%x) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %n in nodes {
      // expected-error@+1 {{'rgnn.weight' op expected weights of 2 types, got 3}}
      %v = rgnn.weight %w of %n : tensor<3x4xf32> of !rgnn.node
    }
  }
  return
}

// -----

func.func @weight_outside(%e: !rgnn.edge, %w: tensor<3x4xf32>) {
  // expected-error@+1 {{'rgnn.weight' op expected a program around, got none}}
  %v = rgnn.weight %w of %e : tensor<3x4xf32> of !rgnn.edge
  return
}
