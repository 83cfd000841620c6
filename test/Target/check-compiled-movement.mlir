// Movement along every arrow of the lattice, and rows that callers give and get on every domain, as machine code
// against the interpreter.

// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %s --rgnn-to-cpu-options="cpu=x86-64 gemm-schedule=tile_rows:5,block_rows:5 traverse-schedule=task_rows:1" | FileCheck %s --check-prefix=FOUR
// RUN: rgnn-translate --rgnn-check-compiled --seeds=2 %s --rgnn-to-cpu-options="adjacency=coo"
// RUN: rgnn-translate --rgnn-check-compiled --seeds=2 %s --rgnn-to-cpu-options="adjacency=csc"
// RUN: rgnn-translate --rgnn-check-compiled --seeds=2 %s --rgnn-to-cpu-options="traverse-schedule=mapping:edge,task_rows:3,coarsening:2,partial_aggregation:false"

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#etype = #rgnn.rows<etype, @g0>
#ntype = #rgnn.rows<ntype, @g0>
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// Every reduction along every arrow, and rows read back along it: a maximum and its distances.
// CHECK: @edge_src: compiled code agrees on 16 seeds
// FOUR: @edge_src: compiled code agrees on 4 seeds
func.func @edge_src(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>)
    -> (tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #edge>) {
  %s = rgnn.reduce sum src %m in %g : tensor<?x5xf32, #edge>
  %a = rgnn.reduce mean src %m in %g : tensor<?x5xf32, #edge>
  %b = rgnn.reduce max src %m in %g : tensor<?x5xf32, #edge>
  %c = rgnn.reduce min src %m in %g : tensor<?x5xf32, #edge>
  %r = rgnn.gather src %b in %g : tensor<?x5xf32, #node>
  %d = rgnn.map %m, %r : (tensor<?x5xf32, #edge>, tensor<?x5xf32, #edge>) -> tensor<?x5xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.subf %i, %j : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.reduce sum src %d in %g : tensor<?x5xf32, #edge>
  return %s, %a, %b, %c, %t, %r : tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #edge>
}

// CHECK: @edge_dst: compiled code agrees on 16 seeds
// FOUR: @edge_dst: compiled code agrees on 4 seeds
func.func @edge_dst(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>)
    -> (tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #edge>) {
  %s = rgnn.reduce sum dst %m in %g : tensor<?x5xf32, #edge>
  %a = rgnn.reduce mean dst %m in %g : tensor<?x5xf32, #edge>
  %b = rgnn.reduce max dst %m in %g : tensor<?x5xf32, #edge>
  %c = rgnn.reduce min dst %m in %g : tensor<?x5xf32, #edge>
  %r = rgnn.gather dst %b in %g : tensor<?x5xf32, #node>
  %d = rgnn.map %m, %r : (tensor<?x5xf32, #edge>, tensor<?x5xf32, #edge>) -> tensor<?x5xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.subf %i, %j : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.reduce sum dst %d in %g : tensor<?x5xf32, #edge>
  return %s, %a, %b, %c, %t, %r : tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #edge>
}

// CHECK: @edge_src_pair: compiled code agrees on 16 seeds
// FOUR: @edge_src_pair: compiled code agrees on 4 seeds
func.func @edge_src_pair(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>)
    -> (tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #edge>) {
  %s = rgnn.reduce sum src_pair %m in %g : tensor<?x5xf32, #edge>
  %a = rgnn.reduce mean src_pair %m in %g : tensor<?x5xf32, #edge>
  %b = rgnn.reduce max src_pair %m in %g : tensor<?x5xf32, #edge>
  %c = rgnn.reduce min src_pair %m in %g : tensor<?x5xf32, #edge>
  %r = rgnn.gather src_pair %b in %g : tensor<?x5xf32, #src_pair>
  %d = rgnn.map %m, %r : (tensor<?x5xf32, #edge>, tensor<?x5xf32, #edge>) -> tensor<?x5xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.subf %i, %j : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.reduce sum src_pair %d in %g : tensor<?x5xf32, #edge>
  return %s, %a, %b, %c, %t, %r : tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #edge>
}

// CHECK: @edge_dst_pair: compiled code agrees on 16 seeds
// FOUR: @edge_dst_pair: compiled code agrees on 4 seeds
func.func @edge_dst_pair(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>)
    -> (tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #edge>) {
  %s = rgnn.reduce sum dst_pair %m in %g : tensor<?x5xf32, #edge>
  %a = rgnn.reduce mean dst_pair %m in %g : tensor<?x5xf32, #edge>
  %b = rgnn.reduce max dst_pair %m in %g : tensor<?x5xf32, #edge>
  %c = rgnn.reduce min dst_pair %m in %g : tensor<?x5xf32, #edge>
  %r = rgnn.gather dst_pair %b in %g : tensor<?x5xf32, #dst_pair>
  %d = rgnn.map %m, %r : (tensor<?x5xf32, #edge>, tensor<?x5xf32, #edge>) -> tensor<?x5xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.subf %i, %j : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.reduce sum dst_pair %d in %g : tensor<?x5xf32, #edge>
  return %s, %a, %b, %c, %t, %r : tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #edge>
}

// CHECK: @edge_etype: compiled code agrees on 16 seeds
// FOUR: @edge_etype: compiled code agrees on 4 seeds
func.func @edge_etype(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>)
    -> (tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #edge>) {
  %s = rgnn.reduce sum etype %m in %g : tensor<?x5xf32, #edge>
  %a = rgnn.reduce mean etype %m in %g : tensor<?x5xf32, #edge>
  %b = rgnn.reduce max etype %m in %g : tensor<?x5xf32, #edge>
  %c = rgnn.reduce min etype %m in %g : tensor<?x5xf32, #edge>
  %r = rgnn.gather etype %b in %g : tensor<?x5xf32, #etype>
  %d = rgnn.map %m, %r : (tensor<?x5xf32, #edge>, tensor<?x5xf32, #edge>) -> tensor<?x5xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.subf %i, %j : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.reduce sum etype %d in %g : tensor<?x5xf32, #edge>
  return %s, %a, %b, %c, %t, %r : tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #edge>
}

// CHECK: @src_pair_src: compiled code agrees on 16 seeds
// FOUR: @src_pair_src: compiled code agrees on 4 seeds
func.func @src_pair_src(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #src_pair>)
    -> (tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #src_pair>) {
  %s = rgnn.reduce sum src %m in %g : tensor<?x5xf32, #src_pair>
  %a = rgnn.reduce mean src %m in %g : tensor<?x5xf32, #src_pair>
  %b = rgnn.reduce max src %m in %g : tensor<?x5xf32, #src_pair>
  %c = rgnn.reduce min src %m in %g : tensor<?x5xf32, #src_pair>
  %r = rgnn.gather src %b in %g to src_pair : tensor<?x5xf32, #node>
  %d = rgnn.map %m, %r : (tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #src_pair>) -> tensor<?x5xf32, #src_pair> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.subf %i, %j : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.reduce sum src %d in %g : tensor<?x5xf32, #src_pair>
  return %s, %a, %b, %c, %t, %r : tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #src_pair>
}

// CHECK: @src_pair_etype: compiled code agrees on 16 seeds
// FOUR: @src_pair_etype: compiled code agrees on 4 seeds
func.func @src_pair_etype(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #src_pair>)
    -> (tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #src_pair>) {
  %s = rgnn.reduce sum etype %m in %g : tensor<?x5xf32, #src_pair>
  %a = rgnn.reduce mean etype %m in %g : tensor<?x5xf32, #src_pair>
  %b = rgnn.reduce max etype %m in %g : tensor<?x5xf32, #src_pair>
  %c = rgnn.reduce min etype %m in %g : tensor<?x5xf32, #src_pair>
  %r = rgnn.gather etype %b in %g to src_pair : tensor<?x5xf32, #etype>
  %d = rgnn.map %m, %r : (tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #src_pair>) -> tensor<?x5xf32, #src_pair> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.subf %i, %j : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.reduce sum etype %d in %g : tensor<?x5xf32, #src_pair>
  return %s, %a, %b, %c, %t, %r : tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #src_pair>
}

// CHECK: @dst_pair_dst: compiled code agrees on 16 seeds
// FOUR: @dst_pair_dst: compiled code agrees on 4 seeds
func.func @dst_pair_dst(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #dst_pair>)
    -> (tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #dst_pair>) {
  %s = rgnn.reduce sum dst %m in %g : tensor<?x5xf32, #dst_pair>
  %a = rgnn.reduce mean dst %m in %g : tensor<?x5xf32, #dst_pair>
  %b = rgnn.reduce max dst %m in %g : tensor<?x5xf32, #dst_pair>
  %c = rgnn.reduce min dst %m in %g : tensor<?x5xf32, #dst_pair>
  %r = rgnn.gather dst %b in %g to dst_pair : tensor<?x5xf32, #node>
  %d = rgnn.map %m, %r : (tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #dst_pair>) -> tensor<?x5xf32, #dst_pair> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.subf %i, %j : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.reduce sum dst %d in %g : tensor<?x5xf32, #dst_pair>
  return %s, %a, %b, %c, %t, %r : tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #dst_pair>
}

// CHECK: @dst_pair_etype: compiled code agrees on 16 seeds
// FOUR: @dst_pair_etype: compiled code agrees on 4 seeds
func.func @dst_pair_etype(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #dst_pair>)
    -> (tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #dst_pair>) {
  %s = rgnn.reduce sum etype %m in %g : tensor<?x5xf32, #dst_pair>
  %a = rgnn.reduce mean etype %m in %g : tensor<?x5xf32, #dst_pair>
  %b = rgnn.reduce max etype %m in %g : tensor<?x5xf32, #dst_pair>
  %c = rgnn.reduce min etype %m in %g : tensor<?x5xf32, #dst_pair>
  %r = rgnn.gather etype %b in %g to dst_pair : tensor<?x5xf32, #etype>
  %d = rgnn.map %m, %r : (tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #dst_pair>) -> tensor<?x5xf32, #dst_pair> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.subf %i, %j : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.reduce sum etype %d in %g : tensor<?x5xf32, #dst_pair>
  return %s, %a, %b, %c, %t, %r : tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #dst_pair>
}

// CHECK: @node_ntype: compiled code agrees on 16 seeds
// FOUR: @node_ntype: compiled code agrees on 4 seeds
func.func @node_ntype(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #node>)
    -> (tensor<?x5xf32, #ntype>, tensor<?x5xf32, #ntype>, tensor<?x5xf32, #ntype>, tensor<?x5xf32, #ntype>, tensor<?x5xf32, #ntype>, tensor<?x5xf32, #node>) {
  %s = rgnn.reduce sum ntype %m in %g : tensor<?x5xf32, #node>
  %a = rgnn.reduce mean ntype %m in %g : tensor<?x5xf32, #node>
  %b = rgnn.reduce max ntype %m in %g : tensor<?x5xf32, #node>
  %c = rgnn.reduce min ntype %m in %g : tensor<?x5xf32, #node>
  %r = rgnn.gather ntype %b in %g to node : tensor<?x5xf32, #ntype>
  %d = rgnn.map %m, %r : (tensor<?x5xf32, #node>, tensor<?x5xf32, #node>) -> tensor<?x5xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.subf %i, %j : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.reduce sum ntype %d in %g : tensor<?x5xf32, #node>
  return %s, %a, %b, %c, %t, %r : tensor<?x5xf32, #ntype>, tensor<?x5xf32, #ntype>, tensor<?x5xf32, #ntype>, tensor<?x5xf32, #ntype>, tensor<?x5xf32, #ntype>, tensor<?x5xf32, #node>
}

// Softmax within every group of edges: given to the caller, summed over the same groups, and over others.
// CHECK: @softmax_src: compiled code agrees on 16 seeds
// FOUR: @softmax_src: compiled code agrees on 4 seeds
func.func @softmax_src(%g: !rgnn.graph<@g0>, %m: tensor<?x2xf32, #edge>)
    -> (tensor<?x2xf32, #edge>, tensor<?x2xf32, #node>, tensor<?x2xf32, #node>) {
  %a = rgnn.group_softmax src %m in %g : tensor<?x2xf32, #edge>
  %x = rgnn.map %a, %m : (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.mulf %i, %j : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum src %x in %g : tensor<?x2xf32, #edge>
  %t = rgnn.reduce max dst %a in %g : tensor<?x2xf32, #edge>
  return %a, %s, %t : tensor<?x2xf32, #edge>, tensor<?x2xf32, #node>, tensor<?x2xf32, #node>
}

// CHECK: @softmax_dst: compiled code agrees on 16 seeds
// FOUR: @softmax_dst: compiled code agrees on 4 seeds
func.func @softmax_dst(%g: !rgnn.graph<@g0>, %m: tensor<?x2xf32, #edge>)
    -> (tensor<?x2xf32, #edge>, tensor<?x2xf32, #node>, tensor<?x2xf32, #node>) {
  %a = rgnn.group_softmax dst %m in %g : tensor<?x2xf32, #edge>
  %x = rgnn.map %a, %m : (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.mulf %i, %j : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst %x in %g : tensor<?x2xf32, #edge>
  %t = rgnn.reduce max src %a in %g : tensor<?x2xf32, #edge>
  return %a, %s, %t : tensor<?x2xf32, #edge>, tensor<?x2xf32, #node>, tensor<?x2xf32, #node>
}

// CHECK: @softmax_src_pair: compiled code agrees on 16 seeds
// FOUR: @softmax_src_pair: compiled code agrees on 4 seeds
func.func @softmax_src_pair(%g: !rgnn.graph<@g0>, %m: tensor<?x2xf32, #edge>)
    -> (tensor<?x2xf32, #edge>, tensor<?x2xf32, #src_pair>, tensor<?x2xf32, #node>) {
  %a = rgnn.group_softmax src_pair %m in %g : tensor<?x2xf32, #edge>
  %x = rgnn.map %a, %m : (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.mulf %i, %j : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum src_pair %x in %g : tensor<?x2xf32, #edge>
  %t = rgnn.reduce max src %a in %g : tensor<?x2xf32, #edge>
  return %a, %s, %t : tensor<?x2xf32, #edge>, tensor<?x2xf32, #src_pair>, tensor<?x2xf32, #node>
}

// CHECK: @softmax_dst_pair: compiled code agrees on 16 seeds
// FOUR: @softmax_dst_pair: compiled code agrees on 4 seeds
func.func @softmax_dst_pair(%g: !rgnn.graph<@g0>, %m: tensor<?x2xf32, #edge>)
    -> (tensor<?x2xf32, #edge>, tensor<?x2xf32, #dst_pair>, tensor<?x2xf32, #node>) {
  %a = rgnn.group_softmax dst_pair %m in %g : tensor<?x2xf32, #edge>
  %x = rgnn.map %a, %m : (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.mulf %i, %j : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst_pair %x in %g : tensor<?x2xf32, #edge>
  %t = rgnn.reduce max src %a in %g : tensor<?x2xf32, #edge>
  return %a, %s, %t : tensor<?x2xf32, #edge>, tensor<?x2xf32, #dst_pair>, tensor<?x2xf32, #node>
}

// CHECK: @softmax_etype: compiled code agrees on 16 seeds
// FOUR: @softmax_etype: compiled code agrees on 4 seeds
func.func @softmax_etype(%g: !rgnn.graph<@g0>, %m: tensor<?x2xf32, #edge>)
    -> (tensor<?x2xf32, #edge>, tensor<?x2xf32, #etype>, tensor<?x2xf32, #node>) {
  %a = rgnn.group_softmax etype %m in %g : tensor<?x2xf32, #edge>
  %x = rgnn.map %a, %m : (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.mulf %i, %j : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum etype %x in %g : tensor<?x2xf32, #edge>
  %t = rgnn.reduce max src %a in %g : tensor<?x2xf32, #edge>
  return %a, %s, %t : tensor<?x2xf32, #edge>, tensor<?x2xf32, #etype>, tensor<?x2xf32, #node>
}

// Edges that lead to a row, counted for callers and for edges.
// CHECK: @degrees: compiled code agrees on 16 seeds
// FOUR: @degrees: compiled code agrees on 4 seeds
func.func @degrees(%g: !rgnn.graph<@g0>, %x: tensor<?x1xf32, #node>)
    -> (tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #src_pair>, tensor<?xf32, #dst_pair>, tensor<?xf32, #etype>, tensor<?xf32, #edge>) {
  %d0 = rgnn.degree src in %g : tensor<?xf32, #node>
  %d1 = rgnn.degree dst in %g : tensor<?xf32, #node>
  %d2 = rgnn.degree src_pair in %g : tensor<?xf32, #src_pair>
  %d3 = rgnn.degree dst_pair in %g : tensor<?xf32, #dst_pair>
  %d4 = rgnn.degree etype in %g : tensor<?xf32, #etype>
  %e0 = rgnn.gather src %d0 in %g : tensor<?xf32, #node>
  %e1 = rgnn.gather dst %d1 in %g : tensor<?xf32, #node>
  %e2 = rgnn.gather src_pair %d2 in %g : tensor<?xf32, #src_pair>
  %e3 = rgnn.gather dst_pair %d3 in %g : tensor<?xf32, #dst_pair>
  %e4 = rgnn.gather etype %d4 in %g : tensor<?xf32, #etype>
  %e = rgnn.map %e0, %e1, %e2, %e3, %e4 : (tensor<?xf32, #edge>, tensor<?xf32, #edge>, tensor<?xf32, #edge>, tensor<?xf32, #edge>, tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
  ^bb0(%a: f32, %b: f32, %c: f32, %i: f32, %j: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %c, %i : f32
    %r = arith.addf %p, %q : f32
    %s = arith.subf %r, %j : f32
    rgnn.yield %s : f32
  }
  return %d0, %d1, %d2, %d3, %d4, %e : tensor<?xf32, #node>, tensor<?xf32, #node>, tensor<?xf32, #src_pair>, tensor<?xf32, #dst_pair>, tensor<?xf32, #etype>, tensor<?xf32, #edge>
}

// Rows that come and go as they are.
// CHECK: @identity: compiled code agrees on 16 seeds
// FOUR: @identity: compiled code agrees on 4 seeds
func.func @identity(%g: !rgnn.graph<@g0>, %x0: tensor<?x5xf32, #edge>, %x1: tensor<?x5xf32, #src_pair>, %x2: tensor<?x5xf32, #dst_pair>, %x3: tensor<?x5xf32, #node>, %x4: tensor<?x5xf32, #etype>, %x5: tensor<?x5xf32, #ntype>)
    -> (tensor<?x5xf32, #edge>, tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #node>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #ntype>) {
  return %x0, %x1, %x2, %x3, %x4, %x5 : tensor<?x5xf32, #edge>, tensor<?x5xf32, #src_pair>, tensor<?x5xf32, #dst_pair>, tensor<?x5xf32, #node>, tensor<?x5xf32, #etype>, tensor<?x5xf32, #ntype>
}

// Row ops on every domain.
// CHECK: @map: compiled code agrees on 16 seeds
// FOUR: @map: compiled code agrees on 4 seeds
func.func @map(%g: !rgnn.graph<@g0>, %x0: tensor<?x5xf32, #edge>, %x1: tensor<?x5xf32, #src_pair>, %x2: tensor<?x5xf32, #dst_pair>, %x3: tensor<?x5xf32, #node>, %x4: tensor<?x5xf32, #etype>, %x5: tensor<?x5xf32, #ntype>)
    -> (tensor<?x5x1xf32, #edge>, tensor<?x5x1xf32, #src_pair>, tensor<?x5x1xf32, #dst_pair>, tensor<?x5x1xf32, #node>, tensor<?x5x1xf32, #etype>, tensor<?x5x1xf32, #ntype>) {
  %y0 = rgnn.map %x0 : (tensor<?x5xf32, #edge>) -> tensor<?x5xf32, #edge> {
  ^bb0(%i: f32):
    %q = math.absf %i : f32
    rgnn.yield %q : f32
  }
  %z0 = rgnn.reshape %y0 : tensor<?x5xf32, #edge> -> tensor<?x5x1xf32, #edge>
  %y1 = rgnn.map %x1 : (tensor<?x5xf32, #src_pair>) -> tensor<?x5xf32, #src_pair> {
  ^bb0(%i: f32):
    %q = math.absf %i : f32
    rgnn.yield %q : f32
  }
  %z1 = rgnn.reshape %y1 : tensor<?x5xf32, #src_pair> -> tensor<?x5x1xf32, #src_pair>
  %y2 = rgnn.map %x2 : (tensor<?x5xf32, #dst_pair>) -> tensor<?x5xf32, #dst_pair> {
  ^bb0(%i: f32):
    %q = math.absf %i : f32
    rgnn.yield %q : f32
  }
  %z2 = rgnn.reshape %y2 : tensor<?x5xf32, #dst_pair> -> tensor<?x5x1xf32, #dst_pair>
  %y3 = rgnn.map %x3 : (tensor<?x5xf32, #node>) -> tensor<?x5xf32, #node> {
  ^bb0(%i: f32):
    %q = math.absf %i : f32
    rgnn.yield %q : f32
  }
  %z3 = rgnn.reshape %y3 : tensor<?x5xf32, #node> -> tensor<?x5x1xf32, #node>
  %y4 = rgnn.map %x4 : (tensor<?x5xf32, #etype>) -> tensor<?x5xf32, #etype> {
  ^bb0(%i: f32):
    %q = math.absf %i : f32
    rgnn.yield %q : f32
  }
  %z4 = rgnn.reshape %y4 : tensor<?x5xf32, #etype> -> tensor<?x5x1xf32, #etype>
  %y5 = rgnn.map %x5 : (tensor<?x5xf32, #ntype>) -> tensor<?x5xf32, #ntype> {
  ^bb0(%i: f32):
    %q = math.absf %i : f32
    rgnn.yield %q : f32
  }
  %z5 = rgnn.reshape %y5 : tensor<?x5xf32, #ntype> -> tensor<?x5x1xf32, #ntype>
  return %z0, %z1, %z2, %z3, %z4, %z5 : tensor<?x5x1xf32, #edge>, tensor<?x5x1xf32, #src_pair>, tensor<?x5x1xf32, #dst_pair>, tensor<?x5x1xf32, #node>, tensor<?x5x1xf32, #etype>, tensor<?x5x1xf32, #ntype>
}

// Types whose number is known.
// CHECK: @static_types: compiled code agrees on 16 seeds
// FOUR: @static_types: compiled code agrees on 4 seeds
func.func @static_types(%g: !rgnn.graph<@g0>, %x: tensor<3x5xf32, #etype>, %y: tensor<2x5xf32, #ntype>)
    -> (tensor<?x5xf32, #edge>, tensor<?x5xf32, #node>, tensor<3x5xf32, #etype>) {
  %u = rgnn.gather etype %x in %g : tensor<3x5xf32, #etype>
  %v = rgnn.gather ntype %y in %g to node : tensor<2x5xf32, #ntype>
  return %u, %v, %x : tensor<?x5xf32, #edge>, tensor<?x5xf32, #node>, tensor<3x5xf32, #etype>
}

// A value of edges that callers get, and that both ends sum up.
// CHECK: @messages: compiled code agrees on 16 seeds
// FOUR: @messages: compiled code agrees on 4 seeds
func.func @messages(%g: !rgnn.graph<@g0>, %h: tensor<?x5xf32, #node>, %m: tensor<?x5xf32, #edge>)
    -> (tensor<?x5xf32, #edge>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>) {
  %u = rgnn.gather src %h in %g : tensor<?x5xf32, #node>
  %v = rgnn.gather dst %h in %g : tensor<?x5xf32, #node>
  %d = rgnn.map %u, %v, %m : (tensor<?x5xf32, #edge>, tensor<?x5xf32, #edge>, tensor<?x5xf32, #edge>) -> tensor<?x5xf32, #edge> {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %p = arith.mulf %i, %j : f32
    %q = arith.addf %p, %k : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst %d in %g : tensor<?x5xf32, #edge>
  %q = rgnn.reduce sum src %d in %g : tensor<?x5xf32, #edge>
  return %d, %s, %q : tensor<?x5xf32, #edge>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>
}

// Gathers of gathers.
// CHECK: @chains: compiled code agrees on 16 seeds
// FOUR: @chains: compiled code agrees on 4 seeds
func.func @chains(%g: !rgnn.graph<@g0>, %h: tensor<?x5xf32, #node>, %t: tensor<?x5xf32, #etype>)
    -> (tensor<?x5xf32, #edge>, tensor<?x5xf32, #edge>, tensor<?x5xf32, #node>) {
  %p = rgnn.gather src %h in %g to src_pair : tensor<?x5xf32, #node>
  %e = rgnn.gather src_pair %p in %g : tensor<?x5xf32, #src_pair>
  %q = rgnn.gather etype %t in %g to dst_pair : tensor<?x5xf32, #etype>
  %f = rgnn.gather dst_pair %q in %g : tensor<?x5xf32, #dst_pair>
  %m = rgnn.map %e, %f : (tensor<?x5xf32, #edge>, tensor<?x5xf32, #edge>) -> tensor<?x5xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %r = arith.mulf %i, %j : f32
    rgnn.yield %r : f32
  }
  %s = rgnn.reduce sum src %m in %g : tensor<?x5xf32, #edge>
  return %e, %f, %s : tensor<?x5xf32, #edge>, tensor<?x5xf32, #edge>, tensor<?x5xf32, #node>
}

// GEMMs over rows of every domain, from and to callers.
// CHECK: @linear: compiled code agrees on 16 seeds
// FOUR: @linear: compiled code agrees on 4 seeds
func.func @linear(%g: !rgnn.graph<@g0>, %x0: tensor<?x5xf32, #edge>, %x1: tensor<?x5xf32, #src_pair>, %x2: tensor<?x5xf32, #dst_pair>, %x3: tensor<?x5xf32, #node>, %x4: tensor<?x5xf32, #etype>, %x5: tensor<?x5xf32, #ntype>, %w: tensor<5x3xf32>)
    -> (tensor<?x3xf32, #edge>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #node>, tensor<?x3xf32, #etype>, tensor<?x3xf32, #ntype>) {
  %y0 = rgnn.linear %x0, %w : tensor<?x5xf32, #edge>, tensor<5x3xf32>
  %y1 = rgnn.linear %x1, %w : tensor<?x5xf32, #src_pair>, tensor<5x3xf32>
  %y2 = rgnn.linear %x2, %w : tensor<?x5xf32, #dst_pair>, tensor<5x3xf32>
  %y3 = rgnn.linear %x3, %w : tensor<?x5xf32, #node>, tensor<5x3xf32>
  %y4 = rgnn.linear %x4, %w : tensor<?x5xf32, #etype>, tensor<5x3xf32>
  %y5 = rgnn.linear %x5, %w : tensor<?x5xf32, #ntype>, tensor<5x3xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5 : tensor<?x3xf32, #edge>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #node>, tensor<?x3xf32, #etype>, tensor<?x3xf32, #ntype>
}

// CHECK: @typed_linear: compiled code agrees on 16 seeds
// FOUR: @typed_linear: compiled code agrees on 4 seeds
func.func @typed_linear(%g: !rgnn.graph<@g0>, %x0: tensor<?x5xf32, #edge>, %x1: tensor<?x5xf32, #src_pair>, %x2: tensor<?x5xf32, #dst_pair>, %we: tensor<3x5x3xf32>)
    -> (tensor<?x3xf32, #edge>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #etype>, tensor<?x3xf32, #etype>, tensor<?x3xf32, #etype>) {
  %y0 = rgnn.typed_linear %x0, %we by etype in %g : tensor<?x5xf32, #edge>, tensor<3x5x3xf32>
  %y1 = rgnn.typed_linear %x1, %we by etype in %g : tensor<?x5xf32, #src_pair>, tensor<3x5x3xf32>
  %y2 = rgnn.typed_linear %x2, %we by etype in %g : tensor<?x5xf32, #dst_pair>, tensor<3x5x3xf32>
  %s0 = rgnn.reduce sum etype %y0 in %g : tensor<?x3xf32, #edge>
  %s1 = rgnn.reduce sum etype %y1 in %g : tensor<?x3xf32, #src_pair>
  %s2 = rgnn.reduce sum etype %y2 in %g : tensor<?x3xf32, #dst_pair>
  return %y0, %y1, %y2, %s0, %s1, %s2 : tensor<?x3xf32, #edge>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #etype>, tensor<?x3xf32, #etype>, tensor<?x3xf32, #etype>
}

// GEMMs that gather along every arrow.
// CHECK: @gathers: compiled code agrees on 16 seeds
// FOUR: @gathers: compiled code agrees on 4 seeds
func.func @gathers(%g: !rgnn.graph<@g0>, %h: tensor<?x5xf32, #node>, %p: tensor<?x5xf32, #src_pair>, %q: tensor<?x5xf32, #dst_pair>, %t: tensor<?x5xf32, #etype>, %k: tensor<?x5xf32, #ntype>, %w: tensor<5x3xf32>)
    -> (tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #node>) {
  %x0 = rgnn.gather src %h in %g : tensor<?x5xf32, #node>
  %y0 = rgnn.linear %x0, %w : tensor<?x5xf32, #edge>, tensor<5x3xf32>
  %x1 = rgnn.gather dst %h in %g : tensor<?x5xf32, #node>
  %y1 = rgnn.linear %x1, %w : tensor<?x5xf32, #edge>, tensor<5x3xf32>
  %x2 = rgnn.gather src_pair %p in %g : tensor<?x5xf32, #src_pair>
  %y2 = rgnn.linear %x2, %w : tensor<?x5xf32, #edge>, tensor<5x3xf32>
  %x3 = rgnn.gather dst_pair %q in %g : tensor<?x5xf32, #dst_pair>
  %y3 = rgnn.linear %x3, %w : tensor<?x5xf32, #edge>, tensor<5x3xf32>
  %x4 = rgnn.gather etype %t in %g : tensor<?x5xf32, #etype>
  %y4 = rgnn.linear %x4, %w : tensor<?x5xf32, #edge>, tensor<5x3xf32>
  %x5 = rgnn.gather src %h in %g to src_pair : tensor<?x5xf32, #node>
  %y5 = rgnn.linear %x5, %w : tensor<?x5xf32, #src_pair>, tensor<5x3xf32>
  %x6 = rgnn.gather etype %t in %g to src_pair : tensor<?x5xf32, #etype>
  %y6 = rgnn.linear %x6, %w : tensor<?x5xf32, #src_pair>, tensor<5x3xf32>
  %x7 = rgnn.gather dst %h in %g to dst_pair : tensor<?x5xf32, #node>
  %y7 = rgnn.linear %x7, %w : tensor<?x5xf32, #dst_pair>, tensor<5x3xf32>
  %x8 = rgnn.gather etype %t in %g to dst_pair : tensor<?x5xf32, #etype>
  %y8 = rgnn.linear %x8, %w : tensor<?x5xf32, #dst_pair>, tensor<5x3xf32>
  %x9 = rgnn.gather ntype %k in %g to node : tensor<?x5xf32, #ntype>
  %y9 = rgnn.linear %x9, %w : tensor<?x5xf32, #node>, tensor<5x3xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8, %y9 : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #node>
}

// CHECK: @typed_gathers: compiled code agrees on 16 seeds
// FOUR: @typed_gathers: compiled code agrees on 4 seeds
func.func @typed_gathers(%g: !rgnn.graph<@g0>, %h: tensor<?x5xf32, #node>, %p: tensor<?x5xf32, #src_pair>, %q: tensor<?x5xf32, #dst_pair>, %t: tensor<?x5xf32, #etype>, %we: tensor<3x5x3xf32>)
    -> (tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #dst_pair>) {
  %x0 = rgnn.gather src %h in %g : tensor<?x5xf32, #node>
  %y0 = rgnn.typed_linear %x0, %we by etype in %g : tensor<?x5xf32, #edge>, tensor<3x5x3xf32>
  %x1 = rgnn.gather dst %h in %g : tensor<?x5xf32, #node>
  %y1 = rgnn.typed_linear %x1, %we by etype in %g : tensor<?x5xf32, #edge>, tensor<3x5x3xf32>
  %x2 = rgnn.gather src_pair %p in %g : tensor<?x5xf32, #src_pair>
  %y2 = rgnn.typed_linear %x2, %we by etype in %g : tensor<?x5xf32, #edge>, tensor<3x5x3xf32>
  %x3 = rgnn.gather dst_pair %q in %g : tensor<?x5xf32, #dst_pair>
  %y3 = rgnn.typed_linear %x3, %we by etype in %g : tensor<?x5xf32, #edge>, tensor<3x5x3xf32>
  %x4 = rgnn.gather etype %t in %g : tensor<?x5xf32, #etype>
  %y4 = rgnn.typed_linear %x4, %we by etype in %g : tensor<?x5xf32, #edge>, tensor<3x5x3xf32>
  %x5 = rgnn.gather src %h in %g to src_pair : tensor<?x5xf32, #node>
  %y5 = rgnn.typed_linear %x5, %we by etype in %g : tensor<?x5xf32, #src_pair>, tensor<3x5x3xf32>
  %x6 = rgnn.gather etype %t in %g to src_pair : tensor<?x5xf32, #etype>
  %y6 = rgnn.typed_linear %x6, %we by etype in %g : tensor<?x5xf32, #src_pair>, tensor<3x5x3xf32>
  %x7 = rgnn.gather dst %h in %g to dst_pair : tensor<?x5xf32, #node>
  %y7 = rgnn.typed_linear %x7, %we by etype in %g : tensor<?x5xf32, #dst_pair>, tensor<3x5x3xf32>
  %x8 = rgnn.gather etype %t in %g to dst_pair : tensor<?x5xf32, #etype>
  %y8 = rgnn.typed_linear %x8, %we by etype in %g : tensor<?x5xf32, #dst_pair>, tensor<3x5x3xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #dst_pair>
}

// GEMMs over rows that traversals make; aggregation before the product.
// CHECK: @made_rows: compiled code agrees on 16 seeds
// FOUR: @made_rows: compiled code agrees on 4 seeds
func.func @made_rows(%g: !rgnn.graph<@g0>, %m: tensor<?x5xf32, #edge>, %w: tensor<5x3xf32>, %we: tensor<3x5x3xf32>)
    -> (tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #etype>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #node>) {
  %a = rgnn.group_softmax src %m in %g : tensor<?x5xf32, #edge>
  %y0 = rgnn.linear %a, %w : tensor<?x5xf32, #edge>, tensor<5x3xf32>
  %y1 = rgnn.typed_linear %a, %we by etype in %g : tensor<?x5xf32, #edge>, tensor<3x5x3xf32>
  %b = rgnn.reduce sum dst_pair %m in %g : tensor<?x5xf32, #edge>
  %y2 = rgnn.typed_linear %b, %we by etype in %g : tensor<?x5xf32, #dst_pair>, tensor<3x5x3xf32>
  %c = rgnn.reduce sum src_pair %m in %g : tensor<?x5xf32, #edge>
  %y3 = rgnn.typed_linear %c, %we by etype in %g : tensor<?x5xf32, #src_pair>, tensor<3x5x3xf32>
  %d = rgnn.reduce mean etype %m in %g : tensor<?x5xf32, #edge>
  %y4 = rgnn.linear %d, %w : tensor<?x5xf32, #etype>, tensor<5x3xf32>
  %e = rgnn.gather dst_pair %b in %g : tensor<?x5xf32, #dst_pair>
  %y5 = rgnn.typed_linear %e, %we by etype in %g : tensor<?x5xf32, #edge>, tensor<3x5x3xf32>
  %z = rgnn.typed_linear %b, %we by etype in %g : tensor<?x5xf32, #dst_pair>, tensor<3x5x3xf32>
  %n = rgnn.reduce sum dst %z in %g : tensor<?x3xf32, #dst_pair>
  return %y0, %y1, %y2, %y3, %y4, %y5, %n : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #src_pair>, tensor<?x3xf32, #etype>, tensor<?x3xf32, #edge>, tensor<?x3xf32, #node>
}

// One matrix for all heads.
// CHECK: @heads: compiled code agrees on 16 seeds
// FOUR: @heads: compiled code agrees on 4 seeds
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x5xf32, #node>, %w: tensor<5x3xf32>, %v: tensor<3x5xf32>)
    -> (tensor<?x2x3xf32, #edge>, tensor<?x2x3xf32, #node>) {
  %u = rgnn.gather src %x in %g : tensor<?x2x5xf32, #node>
  %y = rgnn.linear %u, %w : tensor<?x2x5xf32, #edge>, tensor<5x3xf32>
  %z = rgnn.linear %x, %v transposed : tensor<?x2x5xf32, #node>, tensor<3x5xf32>
  return %y, %z : tensor<?x2x3xf32, #edge>, tensor<?x2x3xf32, #node>
}

// Rows gathered by node type, for a GEMM and for a slice.
// CHECK: @node_types: compiled code agrees on 16 seeds
// FOUR: @node_types: compiled code agrees on 4 seeds
func.func @node_types(%g: !rgnn.graph<@g0>, %h: tensor<?x5xf32, #node>, %k: tensor<?x5xf32, #ntype>, %w: tensor<2x5x3xf32>)
    -> (tensor<?x3xf32, #node>, tensor<?x5xf32, #rgnn.rows<node, @g0, type = 1>>) {
  %r = rgnn.gather ntype %k in %g to node : tensor<?x5xf32, #ntype>
  %y = rgnn.typed_linear %r, %w by ntype in %g : tensor<?x5xf32, #node>, tensor<2x5x3xf32>
  %s = rgnn.slice_type %r in %g : tensor<?x5xf32, #node> -> tensor<?x5xf32, #rgnn.rows<node, @g0, type = 1>>
  return %y, %s : tensor<?x3xf32, #node>, tensor<?x5xf32, #rgnn.rows<node, @g0, type = 1>>
}

// Weights of nodes: for callers, by source, by type, and for a GEMM.
// CHECK: @lookup: compiled code agrees on 16 seeds
// FOUR: @lookup: compiled code agrees on 4 seeds
func.func @lookup(%g: !rgnn.graph<@g0>, %t: tensor<3x9x5xf32>, %b: tensor<2x9x5xf32>, %c: tensor<3x2xf32>, %w: tensor<5x3xf32>)
    -> (tensor<?x5xf32, #edge>, tensor<?x5xf32, #node>, tensor<?x5xf32, #etype>, tensor<?x3xf32, #edge>) {
  %m = rgnn.lookup src %t in %g : (tensor<3x9x5xf32>) -> !rgnn.graph<@g0>
  %n = rgnn.lookup dst %b bases(%c) in %g : (tensor<2x9x5xf32>, tensor<3x2xf32>) -> !rgnn.graph<@g0>
  %s = rgnn.reduce sum src %n in %g : tensor<?x5xf32, #edge>
  %o = rgnn.lookup dst %t in %g : (tensor<3x9x5xf32>) -> !rgnn.graph<@g0>
  %u = rgnn.reduce max etype %o in %g : tensor<?x5xf32, #edge>
  %q = rgnn.lookup src %b bases(%c) in %g : (tensor<2x9x5xf32>, tensor<3x2xf32>) -> !rgnn.graph<@g0>
  %y = rgnn.linear %q, %w : tensor<?x5xf32, #edge>, tensor<5x3xf32>
  return %m, %s, %u, %y : tensor<?x5xf32, #edge>, tensor<?x5xf32, #node>, tensor<?x5xf32, #etype>, tensor<?x3xf32, #edge>
}

// Plain tensors of callers, whose numbers of rows are checked.
// CHECK: @placed: compiled code agrees on 16 seeds
// FOUR: @placed: compiled code agrees on 4 seeds
func.func @placed(%n0: tensor<?x3xf32>, %n1: tensor<?x3xf32>, %a: tensor<2x?xi64>, %b: tensor<2x?xi64>, %c: tensor<2x?xi64>,
                  %x0: tensor<?x3xf32>, %x1: tensor<?x3xf32>, %x2: tensor<?x3xf32>, %x4: tensor<?x3xf32>, %x5: tensor<?x3xf32>)
    -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %n0, %c0 : tensor<?x3xf32>
  %d1 = tensor.dim %n1, %c0 : tensor<?x3xf32>
  %g = rgnn.coo_graph edges(%a, %b, %c : tensor<2x?xi64>, tensor<2x?xi64>, tensor<2x?xi64>) nodes(%d0, %d1) : !rgnn.graph<@g0>
  %p0 = rgnn.place %x0 in %g : tensor<?x3xf32> -> tensor<?x3xf32, #edge>
  %q0 = rgnn.map %p0 : (tensor<?x3xf32, #edge>) -> tensor<?x3xf32, #edge> {
  ^bb0(%i: f32):
    %r = math.absf %i : f32
    rgnn.yield %r : f32
  }
  %y0 = rgnn.unplace %q0 : tensor<?x3xf32, #edge>
  %p1 = rgnn.place %x1 in %g : tensor<?x3xf32> -> tensor<?x3xf32, #src_pair>
  %q1 = rgnn.map %p1 : (tensor<?x3xf32, #src_pair>) -> tensor<?x3xf32, #src_pair> {
  ^bb0(%i: f32):
    %r = math.absf %i : f32
    rgnn.yield %r : f32
  }
  %y1 = rgnn.unplace %q1 : tensor<?x3xf32, #src_pair>
  %p2 = rgnn.place %x2 in %g : tensor<?x3xf32> -> tensor<?x3xf32, #dst_pair>
  %q2 = rgnn.map %p2 : (tensor<?x3xf32, #dst_pair>) -> tensor<?x3xf32, #dst_pair> {
  ^bb0(%i: f32):
    %r = math.absf %i : f32
    rgnn.yield %r : f32
  }
  %y2 = rgnn.unplace %q2 : tensor<?x3xf32, #dst_pair>
  %h0 = rgnn.place %n0 in %g : tensor<?x3xf32> -> tensor<?x3xf32, #rgnn.rows<node, @g0, type = 0>>
  %h1 = rgnn.place %n1 in %g : tensor<?x3xf32> -> tensor<?x3xf32, #rgnn.rows<node, @g0, type = 1>>
  %p3 = rgnn.concat_types %h0, %h1 in %g : (tensor<?x3xf32, #rgnn.rows<node, @g0, type = 0>>, tensor<?x3xf32, #rgnn.rows<node, @g0, type = 1>>) -> tensor<?x3xf32, #node>
  %q3 = rgnn.map %p3 : (tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  ^bb0(%i: f32):
    %r = math.absf %i : f32
    rgnn.yield %r : f32
  }
  %y3 = rgnn.unplace %q3 : tensor<?x3xf32, #node>
  %p4 = rgnn.place %x4 in %g : tensor<?x3xf32> -> tensor<?x3xf32, #etype>
  %q4 = rgnn.map %p4 : (tensor<?x3xf32, #etype>) -> tensor<?x3xf32, #etype> {
  ^bb0(%i: f32):
    %r = math.absf %i : f32
    rgnn.yield %r : f32
  }
  %y4 = rgnn.unplace %q4 : tensor<?x3xf32, #etype>
  %p5 = rgnn.place %x5 in %g : tensor<?x3xf32> -> tensor<?x3xf32, #ntype>
  %q5 = rgnn.map %p5 : (tensor<?x3xf32, #ntype>) -> tensor<?x3xf32, #ntype> {
  ^bb0(%i: f32):
    %r = math.absf %i : f32
    rgnn.yield %r : f32
  }
  %y5 = rgnn.unplace %q5 : tensor<?x3xf32, #ntype>
  return %y0, %y1, %y2, %y3, %y4, %y5 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}

// Slices of what callers give: of whole heads or features, which lie together, and within each head, which do not.
// CHECK: @slices: compiled code agrees on 16 seeds
// FOUR: @slices: compiled code agrees on 4 seeds
func.func @slices(%g: !rgnn.graph<@g0>, %x: tensor<?x3x4xf32, #node>, %y: tensor<?x20xf32, #edge>)
    -> (tensor<?x2x4xf32, #node>, tensor<?x3x2xf32, #node>, tensor<?x6xf32, #node>, tensor<?x7xf32, #edge>, tensor<?x7xf32, #node>) {
  %heads = rgnn.slice %x dim 1 from 1 size 2 : tensor<?x3x4xf32, #node>
  %within = rgnn.slice %x dim 2 from 1 size 2 : tensor<?x3x4xf32, #node>
  %flat = rgnn.reshape %within : tensor<?x3x2xf32, #node> -> tensor<?x6xf32, #node>
  %features = rgnn.slice %y dim 1 from 9 size 7 : tensor<?x20xf32, #edge>
  %sum = rgnn.reduce sum dst %features in %g : tensor<?x7xf32, #edge>
  return %heads, %within, %flat, %features, %sum
      : tensor<?x2x4xf32, #node>, tensor<?x3x2xf32, #node>, tensor<?x6xf32, #node>, tensor<?x7xf32, #edge>, tensor<?x7xf32, #node>
}
