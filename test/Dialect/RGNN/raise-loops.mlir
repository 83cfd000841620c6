// RUN: rgnn-opt %s --rgnn-raise-loops | FileCheck %s
// RUN: %check_numeric %s --rgnn-raise-loops
// RUN: rgnn-opt %s --rgnn-raise-loops --remarks-filter-analyse=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS

// COUNTS: Counts | Category:rgnn-raise-loops | Function=edges | num-raised=1

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 node_types(2) edge_types(3)

// The three ways to visit each edge once become the same ops.

// CHECK-LABEL: func @edges
//       CHECK: %[[G:.*]] = rgnn.gather src %{{.*}} in %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @g0>>
//  CHECK-NEXT: %[[S:.*]] = rgnn.reduce sum dst %[[G]] in
//  CHECK-NEXT: return %[[S]]
func.func @edges(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["y"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      %h = rgnn.read "x" of %u : tensor<4xf32> of !rgnn.node
      rgnn.accumulate sum "y" of %v, %h : tensor<4xf32> of !rgnn.node
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// CHECK-LABEL: func @incoming
//       CHECK: %[[G:.*]] = rgnn.gather src %{{.*}} in %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @g0>>
//  CHECK-NEXT: %[[S:.*]] = rgnn.reduce sum dst %[[G]] in
//  CHECK-NEXT: return %[[S]]
func.func @incoming(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["y"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %u = rgnn.source %e
        %h = rgnn.read "x" of %u : tensor<4xf32> of !rgnn.node
        rgnn.accumulate sum "y" of %n, %h : tensor<4xf32> of !rgnn.node
      }
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// CHECK-LABEL: func @outgoing
//       CHECK: %[[G:.*]] = rgnn.gather src %{{.*}} in %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @g0>>
//  CHECK-NEXT: %[[S:.*]] = rgnn.reduce sum dst %[[G]] in
//  CHECK-NEXT: return %[[S]]
func.func @outgoing(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["y"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in src_nodes {
      %h = rgnn.read "x" of %n : tensor<4xf32> of !rgnn.node
      rgnn.for_each %e in outgoing_edges of %n {
        %v = rgnn.destination %e
        rgnn.accumulate sum "y" of %v, %h : tensor<4xf32> of !rgnn.node
      }
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// Sums meet in any order, and start from what was there.
// CHECK-LABEL: func @sums
//   CHECK-DAG: %[[D:.*]] = rgnn.reduce sum dst %[[A:.*]] in
//   CHECK-DAG: %[[S:.*]] = rgnn.reduce sum src %[[A]] in
//       CHECK: rgnn.map
func.func @sums(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %a: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x", "a"](%x, %a) gives ["x"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      %h = rgnn.read "a" of %e : tensor<4xf32> of !rgnn.edge
      rgnn.accumulate sum "x" of %v, %h : tensor<4xf32> of !rgnn.node
      rgnn.accumulate sum "x" of %u, %h : tensor<4xf32> of !rgnn.node
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// A sum that starts at a zero written before, and is complete after the inner loop.
// CHECK-LABEL: func @complete_sum
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst
//  CHECK-NEXT: %[[M:.*]] = rgnn.map %[[S]]
//       CHECK: %[[G:.*]] = rgnn.gather dst %[[M]] in
//  CHECK-NEXT: return %[[G]]
func.func @complete_sum(%g: !rgnn.graph<@g0>, %a: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  %y = rgnn.program in %g takes ["a"](%a) gives ["b"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
    rgnn.for_each %n in dst_nodes {
      %zero = arith.constant dense<0.0> : tensor<4xf32>
      rgnn.write "sum" of %n, %zero : tensor<4xf32> of !rgnn.node
      rgnn.for_each %e in incoming_edges of %n {
        %h = rgnn.read "a" of %e : tensor<4xf32> of !rgnn.edge
        rgnn.accumulate sum "sum" of %n, %h : tensor<4xf32> of !rgnn.node
      }
      %s = rgnn.read "sum" of %n : tensor<4xf32> of !rgnn.node
      %t = rgnn.map %s : (tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%i: f32):
        %r = math.tanh %i : f32
        rgnn.yield %r : f32
      }
      rgnn.for_each %e in incoming_edges of %n {
        rgnn.write "b" of %e, %t : tensor<4xf32> of !rgnn.edge
      }
    }
  }
  return %y : tensor<?x4xf32, #edge>
}

// CHECK-LABEL: func @other_kinds
//       CHECK: rgnn.reduce mean dst
//       CHECK: rgnn.reduce max src
//       CHECK: rgnn.reduce min dst
func.func @other_kinds(%g: !rgnn.graph<@g0>, %a: tensor<?x4xf32, #edge>)
    -> (tensor<?x4xf32, #node>, tensor<?x4xf32, #node>, tensor<?x4xf32, #node>) {
  %y:3 = rgnn.program in %g takes ["a"](%a) gives ["mean", "max", "min"]
      : (!rgnn.graph<@g0>, tensor<?x4xf32, #edge>) -> (tensor<?x4xf32, #node>, tensor<?x4xf32, #node>, tensor<?x4xf32, #node>) {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      %h = rgnn.read "a" of %e : tensor<4xf32> of !rgnn.edge
      rgnn.accumulate mean "mean" of %v, %h : tensor<4xf32> of !rgnn.node
      rgnn.accumulate max "max" of %u, %h : tensor<4xf32> of !rgnn.node
      rgnn.accumulate min "min" of %v, %h : tensor<4xf32> of !rgnn.node
    }
  }
  return %y#0, %y#1, %y#2 : tensor<?x4xf32, #node>, tensor<?x4xf32, #node>, tensor<?x4xf32, #node>
}

// What all edges share is counted.
// CHECK-LABEL: func @degree
//       CHECK: %[[D:.*]] = rgnn.degree
//       CHECK: rgnn.map %[[D]], %{{.*}} : (tensor<?xf32, #rgnn.rows<node, @g0>>, tensor<f32>)
func.func @degree(%g: !rgnn.graph<@g0>) -> tensor<?xf32, #node> {
  %y = rgnn.program in %g takes []() gives ["deg"] : (!rgnn.graph<@g0>) -> tensor<?xf32, #node> {
    rgnn.for_each %e in edges {
      %one = arith.constant dense<1.0> : tensor<f32>
      %v = rgnn.destination %e
      rgnn.accumulate sum "deg" of %v, %one : tensor<f32> of !rgnn.node
    }
  }
  return %y : tensor<?xf32, #node>
}

// A name is given new data; the reads before keep the old.
// CHECK-LABEL: func @rewritten
//       CHECK: %[[B:.*]] = rgnn.map %[[A:[^,]*]], %[[A]]
//       CHECK: return %[[B]], %[[A]]
func.func @rewritten(%g: !rgnn.graph<@g0>, %a: tensor<?xf32, #edge>) -> (tensor<?xf32, #edge>, tensor<?xf32, #edge>) {
  %y:2 = rgnn.program in %g takes ["a"](%a) gives ["a", "old"] : (!rgnn.graph<@g0>, tensor<?xf32, #edge>) -> (tensor<?xf32, #edge>, tensor<?xf32, #edge>) {
    rgnn.for_each %e in edges {
      %h = rgnn.read "a" of %e : tensor<f32> of !rgnn.edge
      rgnn.write "old" of %e, %h : tensor<f32> of !rgnn.edge
      rgnn.accumulate sum "a" of %e, %h : tensor<f32> of !rgnn.edge
    }
  }
  return %y#0, %y#1 : tensor<?xf32, #edge>, tensor<?xf32, #edge>
}

// Without the maximum subtracted a softmax stays as it was written.
// CHECK-LABEL: func @plain_softmax
//       CHECK: %[[E:.*]] = rgnn.map
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst %[[E]] in
//       CHECK: %[[G:.*]] = rgnn.gather dst %[[S]] in
//       CHECK: rgnn.map %[[E]], %[[G]]
func.func @plain_softmax(%g: !rgnn.graph<@g0>, %a: tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
  %y = rgnn.program in %g takes ["att"](%a) gives ["att"] : (!rgnn.graph<@g0>, tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
    rgnn.for_each %e in edges {
      %h = rgnn.read "att" of %e : tensor<f32> of !rgnn.edge
      %p = rgnn.map %h : (tensor<f32>) -> tensor<f32> {
      ^bb0(%i: f32):
        %r = math.exp %i : f32
        rgnn.yield %r : f32
      }
      rgnn.write "att" of %e, %p : tensor<f32> of !rgnn.edge
      %v = rgnn.destination %e
      rgnn.accumulate sum "sum" of %v, %p : tensor<f32> of !rgnn.node
    }
    rgnn.for_each %e in edges {
      %v = rgnn.destination %e
      %h = rgnn.read "att" of %e : tensor<f32> of !rgnn.edge
      %s = rgnn.read "sum" of %v : tensor<f32> of !rgnn.node
      %p = rgnn.map %h, %s : (tensor<f32>, tensor<f32>) -> tensor<f32> {
      ^bb0(%i: f32, %j: f32):
        %r = arith.divf %i, %j : f32
        rgnn.yield %r : f32
      }
      rgnn.write "att" of %e, %p : tensor<f32> of !rgnn.edge
    }
  }
  return %y : tensor<?xf32, #edge>
}

// Rows of one end stay with the node until the other end joins.
// CHECK-LABEL: func @products
//   CHECK-DAG: rgnn.typed_linear %{{.*}}, %{{.*}} by ntype in %{{.*}} : tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<2x4x4xf32>
//   CHECK-DAG: rgnn.linear %{{.*}}, %{{.*}} transposed : tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<4x4xf32>
//   CHECK-DAG: rgnn.permute %{{.*}} [0, 2, 1] : tensor<3x4x4xf32>
//   CHECK-DAG: rgnn.typed_linear %{{.*}}, %{{.*}} by etype in %{{.*}} : tensor<?x4xf32, #rgnn.rows<edge, @g0>>, tensor<3x4x4xf32>
//       CHECK: rgnn.dot %{{.*}} : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
func.func @products(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %vt: tensor<2x4x4xf32>, %wt: tensor<3x4x4xf32>,
                    %w: tensor<4x4xf32>, %q: tensor<4xf32>, %qt: tensor<2x2x2xf32>, %q2: tensor<2x2xf32>)
    -> (tensor<?xf32, #edge>, tensor<?xf32, #edge>, tensor<?x2xf32, #edge>) {
  %y:3 = rgnn.program in %g takes ["x"](%x) gives ["a", "b", "c"]
      : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> (tensor<?xf32, #edge>, tensor<?xf32, #edge>, tensor<?x2xf32, #edge>) {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      %hu = rgnn.read "x" of %u : tensor<4xf32> of !rgnn.node
      %hv = rgnn.read "x" of %v : tensor<4xf32> of !rgnn.node
      %vu = rgnn.weight %vt of %u : tensor<2x4x4xf32> of !rgnn.node
      %we = rgnn.weight %wt of %e : tensor<3x4x4xf32> of !rgnn.edge
      %k = rgnn.linear %hu, %vu : tensor<4xf32>, tensor<4x4xf32>
      %s = rgnn.linear %hv, %w transposed : tensor<4xf32>, tensor<4x4xf32>
      %t = rgnn.linear %s, %we transposed : tensor<4xf32>, tensor<4x4xf32>
      %a = rgnn.dot %k, %t : tensor<4xf32>
      rgnn.write "a" of %e, %a : tensor<f32> of !rgnn.edge
      %b = rgnn.dot %q, %k : tensor<4xf32>
      rgnn.write "b" of %e, %b : tensor<f32> of !rgnn.edge
      %k2 = rgnn.reshape %k : tensor<4xf32> -> tensor<2x2xf32>
      %c = rgnn.dot %k2, %q2 : tensor<2x2xf32>
      %qv = rgnn.weight %qt of %v : tensor<2x2x2xf32> of !rgnn.node
      %d = rgnn.dot %qv, %k2 : tensor<2x2xf32>
      %f = rgnn.map %c, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
      ^bb0(%i: f32, %j: f32):
        %r = arith.subf %i, %j : f32
        rgnn.yield %r : f32
      }
      rgnn.write "c" of %e, %f : tensor<2xf32> of !rgnn.edge
    }
  }
  return %y#0, %y#1, %y#2 : tensor<?xf32, #edge>, tensor<?xf32, #edge>, tensor<?x2xf32, #edge>
}

// Dimensions of a row count from the rows of all.
// CHECK-LABEL: func @rows
//       CHECK: rgnn.concat %{{.*}}, %{{.*}} dim 1 :
//       CHECK: rgnn.reshape %{{.*}} : tensor<?x8xf32, #rgnn.rows<edge, @g0>> -> tensor<?x2x4xf32, #rgnn.rows<edge, @g0>>
//       CHECK: rgnn.permute %{{.*}} [0, 2, 1]
//       CHECK: rgnn.slice %{{.*}} dim 1 from 1 size 2
//       CHECK: rgnn.softmax log
//       CHECK: rgnn.reduce_features max %{{.*}} dim 2
//       CHECK: rgnn.norm %{{.*}} : tensor<?x4x2xf32, #rgnn.rows<edge, @g0>>
func.func @rows(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> (tensor<?x2xf32, #edge>, tensor<?x4xf32, #edge>) {
  %y:2 = rgnn.program in %g takes ["x"](%x) gives ["y", "n"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> (tensor<?x2xf32, #edge>, tensor<?x4xf32, #edge>) {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      %hu = rgnn.read "x" of %u : tensor<4xf32> of !rgnn.node
      %hv = rgnn.read "x" of %v : tensor<4xf32> of !rgnn.node
      %c = rgnn.concat %hu, %hv dim 0 : tensor<4xf32>, tensor<4xf32>
      %r = rgnn.reshape %c : tensor<8xf32> -> tensor<2x4xf32>
      %p = rgnn.permute %r [1, 0] : tensor<2x4xf32>
      %s = rgnn.slice %p dim 0 from 1 size 2 : tensor<4x2xf32>
      %l = rgnn.softmax log %s : tensor<2x2xf32>
      %m = rgnn.reduce_features max %l dim 1 : tensor<2x2xf32>
      %n = rgnn.norm %p : tensor<4x2xf32>
      rgnn.write "y" of %e, %m : tensor<2xf32> of !rgnn.edge
      rgnn.write "n" of %e, %n : tensor<4xf32> of !rgnn.edge
    }
  }
  return %y#0, %y#1 : tensor<?x2xf32, #edge>, tensor<?x4xf32, #edge>
}

// Rows of both ends meet at the edge, a weight of its type becomes rows.
// CHECK-LABEL: func @cross
//       CHECK: %[[U:.*]] = rgnn.gather src
//       CHECK: %[[V:.*]] = rgnn.gather dst
//       CHECK: rgnn.cross %[[U]], %[[V]] : tensor<?x3xf32, #rgnn.rows<edge, @g0>>, tensor<?x3xf32, #rgnn.rows<edge, @g0>>
//       CHECK: %[[W:.*]] = rgnn.gather etype
//       CHECK: rgnn.cross %{{.*}}, %[[W]] : tensor<?x3xf32, #rgnn.rows<edge, @g0>>, tensor<?x3xf32, #rgnn.rows<edge, @g0>>
func.func @cross(%g: !rgnn.graph<@g0>, %x: tensor<?x3xf32, #node>, %w: tensor<3x3xf32>) -> tensor<?x3xf32, #edge> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["y"] : (!rgnn.graph<@g0>, tensor<?x3xf32, #node>) -> tensor<?x3xf32, #edge> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      %hu = rgnn.read "x" of %u : tensor<3xf32> of !rgnn.node
      %hv = rgnn.read "x" of %v : tensor<3xf32> of !rgnn.node
      %c = rgnn.cross %hu, %hv : tensor<3xf32>, tensor<3xf32>
      %we = rgnn.weight %w of %e : tensor<3x3xf32> of !rgnn.edge
      %d = rgnn.cross %c, %we : tensor<3xf32>, tensor<3xf32>
      rgnn.write "y" of %e, %d : tensor<3xf32> of !rgnn.edge
    }
  }
  return %y : tensor<?x3xf32, #edge>
}

// A weight that is no factor becomes rows of types.
// CHECK-LABEL: func @weights_as_rows
//       CHECK: %[[P:.*]] = rgnn.place %{{.*}} in %{{.*}} : tensor<2x4xf32> -> tensor<2x4xf32, #rgnn.rows<ntype, @g0>>
//       CHECK: rgnn.gather ntype %[[P]] in %{{.*}} to node
//       CHECK: %[[E:.*]] = rgnn.place %{{.*}} in %{{.*}} : tensor<3x4xf32> -> tensor<3x4xf32, #rgnn.rows<etype, @g0>>
//       CHECK: rgnn.gather etype %[[E]] in
func.func @weights_as_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %v: tensor<2x4xf32>, %w: tensor<3x4xf32>) -> tensor<?x4xf32, #edge> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["y"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #edge> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %h = rgnn.read "x" of %u : tensor<4xf32> of !rgnn.node
      %vu = rgnn.weight %v of %u : tensor<2x4xf32> of !rgnn.node
      %we = rgnn.weight %w of %e : tensor<3x4xf32> of !rgnn.edge
      %m = rgnn.map %h, %vu, %we : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%i: f32, %j: f32, %k: f32):
        %p = arith.mulf %i, %j : f32
        %q = arith.addf %p, %k : f32
        rgnn.yield %q : f32
      }
      rgnn.write "y" of %e, %m : tensor<4xf32> of !rgnn.edge
    }
  }
  return %y : tensor<?x4xf32, #edge>
}
