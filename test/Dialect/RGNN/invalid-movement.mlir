// RUN: rgnn-opt %s --split-input-file --verify-diagnostics

#edge = #rgnn.rows<edge, @g0>

func.func @gather_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected rows on node for path src, got rows on edge}}
  %0 = rgnn.gather src %x in %g : tensor<?x4xf32, #edge>
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @gather_c1_path(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) {
  // expected-error@+1 {{expected a path from dst_pair, got src}}
  %0 = rgnn.gather src %x in %g to dst_pair : tensor<?x4xf32, #node>
  return
}

// -----

func.func @gather_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #rgnn.rows<node, @g1>>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0>'}}
  %0 = "rgnn.gather"(%x, %g) <{path = #rgnn<path src>}> : (tensor<?x4xf32, #rgnn.rows<node, @g1>>, !rgnn.graph<@g0>) -> tensor<?x4xf32, #rgnn.rows<edge, @g1>>
  return
}

// -----

func.func @gather_c1_whole(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #rgnn.rows<edge, @g0>>) {
  // expected-error@+1 {{expected a part of a graph for path whole, got '!rgnn.graph<@g0>'}}
  %0 = "rgnn.gather"(%x, %g) <{path = #rgnn<path whole>}> : (tensor<?x4xf32, #rgnn.rows<edge, @g0>>, !rgnn.graph<@g0>) -> tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @reduce_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) {
  // expected-error@+1 {{expected rows that path dst starts at}}
  %0 = rgnn.reduce sum dst %x in %g : tensor<?x4xf32, #node>
  return
}

// -----

#node0 = #rgnn.rows<node, @g0, type = 0>

func.func @reduce_c1_type(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node0>) {
  // expected-error@+1 {{expected rows of all nodes, got rows of type 0}}
  %0 = rgnn.reduce sum ntype %x in %g : tensor<?x4xf32, #node0>
  return
}

// -----

#other = #rgnn.rows<edge, @g1>

func.func @reduce_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #other>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0>'}}
  %0 = "rgnn.reduce"(%x, %g) <{path = #rgnn<path dst>, kind = #rgnn<reduction sum>}> : (tensor<?x4xf32, #other>, !rgnn.graph<@g0>) -> tensor<?x4xf32, #rgnn.rows<node, @g1>>
  return
}

// -----

func.func @reduce_c2_part(%g: !rgnn.graph<@g0 : src>, %x: tensor<?x4xf32, #rgnn.rows<edge, @g0 : dst>>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0 : src>', got 'tensor<?x4xf32, #rgnn.rows<edge, @g0 : dst>>'}}
  %0 = "rgnn.reduce"(%x, %g) <{path = #rgnn<path dst>, kind = #rgnn<reduction sum>}> : (tensor<?x4xf32, #rgnn.rows<edge, @g0 : dst>>, !rgnn.graph<@g0 : src>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

func.func @reduce_c3(%g: !rgnn.graph<@g0 : src>, %x: tensor<?x4xf32, #rgnn.rows<edge, @g0 : src>>) {
  // expected-error@+1 {{expected a sum along path whole, got mean}}
  %0 = "rgnn.reduce"(%x, %g) <{path = #rgnn<path whole>, kind = #rgnn<reduction mean>}> : (tensor<?x4xf32, #rgnn.rows<edge, @g0 : src>>, !rgnn.graph<@g0 : src>) -> tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @group_softmax_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) {
  // expected-error@+1 {{expected rows on edge for path dst, got rows on node}}
  %0 = rgnn.group_softmax dst %x in %g : tensor<?x4xf32, #node>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @group_softmax_c1_path(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>) {
  // expected-error@+1 {{expected a path from edge, got ntype}}
  %0 = rgnn.group_softmax ntype %x in %g : tensor<?x4xf32, #edge>
  return
}

// -----

#other = #rgnn.rows<edge, @g1>

func.func @group_softmax_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #other>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0>'}}
  %0 = "rgnn.group_softmax"(%x, %g) <{path = #rgnn<path dst>}> : (tensor<?x4xf32, #other>, !rgnn.graph<@g0>) -> tensor<?x4xf32, #other>
  return
}

// -----

func.func @degree_c1(%g: !rgnn.graph<@g0>) {
  // expected-error@+1 {{expected numbers on the domain that dst leads to from edges}}
  %0 = rgnn.degree dst in %g : tensor<?xf32, #rgnn.rows<edge, @g0>>
  return
}

// -----

func.func @degree_c1_path(%g: !rgnn.graph<@g0>) {
  // expected-error@+1 {{expected numbers on the domain that ntype leads to from edges}}
  %0 = rgnn.degree ntype in %g : tensor<?xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

func.func @degree_c1_shape(%g: !rgnn.graph<@g0>) {
  // expected-error@+1 {{expected numbers on the domain that dst leads to from edges}}
  %0 = rgnn.degree dst in %g : tensor<?x1xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

#node0 = #rgnn.rows<node, @g0, type = 0>
rgnn.schema @g0 node_types(2)

func.func @concat_types_c1(%g: !rgnn.graph<@g0>, %a: tensor<?x8xf32, #node0>) {
  // expected-error@+1 {{expected one part for each of 2 node types, got 1}}
  %0 = rgnn.concat_types %a in %g : (tensor<?x8xf32, #node0>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>

func.func @concat_types_c1_order(%g: !rgnn.graph<@g0>, %a: tensor<?x8xf32, #node0>, %b: tensor<?x8xf32, #node1>) {
  // expected-error@+1 {{expected part 0 on nodes of type 0}}
  %0 = rgnn.concat_types %b, %a in %g : (tensor<?x8xf32, #node1>, tensor<?x8xf32, #node0>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>

func.func @concat_types_c2(%g: !rgnn.graph<@g0>, %a: tensor<?x8xf32, #node0>, %b: tensor<?x4xf32, #node1>) {
  // expected-error@+1 {{expected rows like those of}}
  %0 = rgnn.concat_types %a, %b in %g : (tensor<?x8xf32, #node0>, tensor<?x4xf32, #node1>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>

func.func @concat_types_c2_domain(%g: !rgnn.graph<@g0>, %a: tensor<?x8xf32, #node0>, %b: tensor<?x8xf32, #node1>) {
  // expected-error@+1 {{expected a result on all nodes}}
  %0 = rgnn.concat_types %a, %b in %g : (tensor<?x8xf32, #node0>, tensor<?x8xf32, #node1>) -> tensor<?x8xf32, #rgnn.rows<edge, @g0>>
  return
}

// -----

#edge = #rgnn.rows<edge, @g0>

func.func @slice_type_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) {
  // expected-error@+1 {{expected rows of all nodes to become those of one type}}
  %0 = rgnn.slice_type %x in %g : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #rgnn.rows<node, @g0, type = 0>>
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @slice_type_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected equal rows}}
  %0 = rgnn.slice_type %x in %g : tensor<?x8xf32, #node> -> tensor<?x4xf32, #rgnn.rows<node, @g0, type = 0>>
  return
}

// -----

#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 node_types(2)

func.func @slice_type_of_no_type(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) {
  // expected-error@+1 {{expected rows of one of 2 node types, got 'tensor<?x4xf32, #rgnn.rows<node, @g0, type = 2>>'}}
  %0 = rgnn.slice_type %x in %g : tensor<?x4xf32, #node> -> tensor<?x4xf32, #rgnn.rows<node, @g0, type = 2>>
  return
}

// -----

func.func @concat_rows_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32>) {
  // expected-error@+1 {{expected rows, got 'tensor<?x8xf32>'}}
  %0 = rgnn.concat_rows %x in %g : (tensor<?x8xf32>) -> tensor<?x8xf32, #rgnn.rows<edge, @g0>>
  return
}

// -----

func.func @concat_rows_c1_no_part(%g: !rgnn.graph<@g0>) {
  // expected-error@+1 {{expected a part, got none}}
  %0 = "rgnn.concat_rows"(%g) : (!rgnn.graph<@g0>) -> tensor<?x8xf32, #rgnn.rows<edge, @g0>>
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @concat_rows_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected rows like those of 'tensor<?x4xf32, #rgnn.rows<edge, @g0>>', got 'tensor<?x8xf32, #rgnn.rows<node, @g0>>'}}
  %0 = rgnn.concat_rows %x in %g : (tensor<?x8xf32, #node>) -> tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @regroup_rows_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32>) {
  // expected-error@+1 {{expected rows, got 'tensor<?x8xf32>'}}
  %0 = rgnn.regroup_rows %x in %g : tensor<?x8xf32> -> tensor<?x8xf32, #rgnn.rows<node, @g0>>
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @regroup_rows_c1_graph(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected rows of '!rgnn.graph<@g0>', got 'tensor<?x16xf32, #rgnn.rows<edge, @g1>>'}}
  %0 = "rgnn.regroup_rows"(%x, %g) : (tensor<?x8xf32, #node>, !rgnn.graph<@g0>) -> tensor<?x16xf32, #rgnn.rows<edge, @g1>>
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @regroup_rows_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected a result of 'f32', got 'f64'}}
  %0 = rgnn.regroup_rows %x in %g : tensor<?x8xf32, #node> -> tensor<?x8xf64, #node>
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @regroup_rows_c3(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected rows of a multiple or a part of 8 numbers, got 12}}
  %0 = rgnn.regroup_rows %x in %g : tensor<?x8xf32, #node> -> tensor<?x3x4xf32, #node>
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @slice_rows_c1(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected 2 graphs, one for each domain, got 1}}
  %0 = rgnn.slice_rows %x after [#rgnn.rows<edge, @g0>] in %g : tensor<?x8xf32, #node> -> tensor<?x8xf32, #node> (!rgnn.graph<@g0>)
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @slice_rows_c1_graph(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected a graph with rows on #rgnn.rows<edge, @g1>, got '!rgnn.graph<@g0>'}}
  %0 = rgnn.slice_rows %x after [#rgnn.rows<edge, @g1>] in %g, %g : tensor<?x8xf32, #node> -> tensor<?x8xf32, #node> (!rgnn.graph<@g0>, !rgnn.graph<@g0>)
  return
}

// -----

#node = #rgnn.rows<node, @g0>

func.func @slice_rows_c2(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) {
  // expected-error@+1 {{expected rows like those of 'tensor<?x8xf32, #rgnn.rows<node, @g0>>', got 'tensor<?x4xf32, #rgnn.rows<edge, @g0>>'}}
  %0 = rgnn.slice_rows %x after [] in %g : tensor<?x8xf32, #node> -> tensor<?x4xf32, #rgnn.rows<edge, @g0>> (!rgnn.graph<@g0>)
  return
}
