// RUN: rgnn-opt %s --split-input-file --verify-diagnostics

#node = #rgnn.rows<node, @g0>

func.func @group_excess_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) {
  // expected-error@+1 {{expected rows on edge, got rows on node}}
  %0 = rgnn.group_excess dst %x over %x in %g : tensor<?x4xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @group_excess_c1_path(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected a path from edge, got ntype}}
  %0 = rgnn.group_excess ntype %x over %x in %g : tensor<?x4xf32, #edge>
  return
}

// -----

#other = #rgnn.rows<edge, @g1>

func.func @group_excess_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #other>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0>'}}
  %0 = "rgnn.group_excess"(%x, %x, %g) <{path = #rgnn<path dst>}> : (tensor<?x4xf32, #other>, tensor<?x4xf32, #other>, !rgnn.graph<@g0>) -> tensor<?x4xf32, #other>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @group_excess_types(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>, %y: tensor<?x3xf32, #edge>) {
  // expected-error@+1 {{failed to verify that all of {x, y} have same type}}
  %0 = "rgnn.group_excess"(%x, %y, %g) <{path = #rgnn<path dst>}> : (tensor<?x4xf32, #edge>, tensor<?x3xf32, #edge>, !rgnn.graph<@g0>) -> tensor<?x4xf32, #edge>
  return
}

// -----

#pair = #rgnn.rows<dst_pair, @g0>

func.func @group_sum_below_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #pair>) {
  // expected-error@+1 {{expected rows on edge, got rows on dst_pair}}
  %0 = rgnn.group_sum_below dst %x where %x below %x in %g : tensor<?x4xf32, #pair>
  return
}

// -----

#other = #rgnn.rows<edge, @g1>

func.func @group_sum_below_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #other>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0>'}}
  %0 = "rgnn.group_sum_below"(%x, %x, %x, %g) <{path = #rgnn<path dst>}> : (tensor<?x4xf32, #other>, tensor<?x4xf32, #other>, tensor<?x4xf32, #other>, !rgnn.graph<@g0>) -> tensor<?x4xf32, #other>
  return
}
