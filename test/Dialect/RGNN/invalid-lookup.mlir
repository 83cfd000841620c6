// RUN: rgnn-opt %s --split-input-file --verify-diagnostics

func.func @lookup_c1(%g: !rgnn.graph<@g0>, %t: tensor<3x9xf32>) {
  // expected-error@+1 {{expected a table of rank 3}}
  %0 = rgnn.lookup src %t in %g : (tensor<3x9xf32>) -> !rgnn.graph<@g0>
  return
}

// -----

rgnn.schema @g0 edge_types(3)

func.func @lookup_c1_types(%g: !rgnn.graph<@g0>, %t: tensor<2x9x5xf32>) {
  // expected-error@+1 {{expected weights of 3 types}}
  %0 = rgnn.lookup src %t in %g : (tensor<2x9x5xf32>) -> !rgnn.graph<@g0>
  return
}

// -----

func.func @lookup_c1_comp(%g: !rgnn.graph<@g0>, %t: tensor<2x9x5xf32>, %c: tensor<3x4xf32>) {
  // expected-error@+1 {{expected comp of shape types x 2}}
  %0 = rgnn.lookup src %t bases(%c) in %g : (tensor<2x9x5xf32>, tensor<3x4xf32>) -> !rgnn.graph<@g0>
  return
}

// -----

func.func @lookup_c2(%g: !rgnn.graph<@g0>, %t: tensor<3x9x5xf32>) {
  // expected-error@+1 {{expected path src or dst, got etype}}
  %0 = rgnn.lookup etype %t in %g : (tensor<3x9x5xf32>) -> !rgnn.graph<@g0>
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @lookup_sum_c1_domain(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #node>) {
  // expected-error@+1 {{expected rows of one dimension on edges, got 'tensor<?x5xf32, #rgnn.rows<node, @g0>>'}}
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x5xf32, #node> -> tensor<3x9x5xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @lookup_sum_c1_rank(%g: !rgnn.graph<@g0>, %m: tensor<?x2x5xf32, #edge>) {
  // expected-error@+1 {{expected rows of one dimension on edges, got 'tensor<?x2x5xf32, #rgnn.rows<edge, @g0>>'}}
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x2x5xf32, #edge> -> tensor<3x9x5xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @lookup_sum_c2_width(%g: !rgnn.graph<@g0>, %m: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected a table of shape types x nodes x 4 without rows for 'tensor<?x4xf32, #rgnn.rows<edge, @g0>>', got 'tensor<3x9x5xf32>'}}
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x4xf32, #edge> -> tensor<3x9x5xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @lookup_sum_c2_dynamic(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>) {
  // expected-error@+1 {{expected a table of shape types x nodes x 5 without rows for 'tensor<?x5xf32, #rgnn.rows<edge, @g0>>', got 'tensor<3x?x5xf32>'}}
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x5xf32, #edge> -> tensor<3x?x5xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @lookup_sum_c2_types(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>) {
  // expected-error@+1 {{expected a table of 3 types, got 'tensor<2x9x5xf32>'}}
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x5xf32, #edge> -> tensor<2x9x5xf32>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @lookup_sum_c3(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>) {
  // expected-error@+1 {{expected path src or dst, got etype}}
  %0 = rgnn.lookup_sum etype %m in %g : tensor<?x5xf32, #edge> -> tensor<3x9x5xf32>
  return
}
