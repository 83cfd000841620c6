// Bipartite graphs, whose sources and destinations are different nodes: compiled code and gradients against the
// interpreter on random graphs, with all rewrites, on processors and simulated GPUs.

// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s --check-prefix=CPU
// RUN: sed s/f32/f64/g %s | rgnn-translate --rgnn-check-compiled --rgnn-to-cpu-options="compact=true reorder=true adjacency=coo" | FileCheck %s --check-prefix=CPU
// RUN: rgnn-opt %s --rgnn-differentiate | rgnn-translate --rgnn-check-compiled | FileCheck %s --check-prefix=TRAINING
// RUN: sed s/f32/f64/g %s | rgnn-translate --rgnn-check-gradient | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-translate --rgnn-check-gpu --seeds=10 %s | FileCheck %s --check-prefix=GPU
// RUN: rgnn-opt %s --rgnn-differentiate | rgnn-translate --rgnn-check-gpu --seeds=10 | FileCheck %s --check-prefix=GPU

// CPU-COUNT-9: compiled code agrees on 16 seeds
// TRAINING-COUNT-18: compiled code agrees on 16 seeds
// GRADIENT-COUNT-9: gradients agree
// GPU-COUNT-9: GPU kernels agree on 10 seeds

#src = #rgnn.rows<node, @g, type = 0>
#dst = #rgnn.rows<node, @g, type = 1>
#edge = #rgnn.rows<edge, @g>
!graph = !rgnn.graph<@g, bipartite>

rgnn.schema @g node_types(2) edge_types(3)

// SAGE: the mean of sources, and the destination itself.
func.func @sage(%g: !graph, %x: tensor<?x8xf32, #src>, %y: tensor<?x5xf32, #dst>, %w: tensor<8x6xf32>, %v: tensor<5x6xf32>)
    -> tensor<?x6xf32, #dst> {
  %m = rgnn.gather src %x in %g : tensor<?x8xf32, #src> bipartite
  %s = rgnn.reduce mean dst %m in %g : tensor<?x8xf32, #edge> bipartite
  %l = rgnn.linear %s, %w : tensor<?x8xf32, #dst>, tensor<8x6xf32>
  %r = rgnn.linear %y, %v : tensor<?x5xf32, #dst>, tensor<5x6xf32>
  %o = rgnn.map %l, %r : (tensor<?x6xf32, #dst>, tensor<?x6xf32, #dst>) -> tensor<?x6xf32, #dst> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    rgnn.yield %c : f32
  }
  return %o : tensor<?x6xf32, #dst>
}

// GAT: scores of both ends, softmax by destination.
func.func @gat(%g: !graph, %x: tensor<?x8xf32, #src>, %a: tensor<?x1xf32, #src>, %b: tensor<?x1xf32, #dst>)
    -> tensor<?x8xf32, #dst> {
  %as = rgnn.gather src %a in %g : tensor<?x1xf32, #src> bipartite
  %bd = rgnn.gather dst %b in %g : tensor<?x1xf32, #dst> bipartite
  %e = rgnn.map %as, %bd : (tensor<?x1xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    rgnn.yield %c : f32
  }
  %t = rgnn.group_softmax dst %e in %g : tensor<?x1xf32, #edge> bipartite
  %m = rgnn.gather src %x in %g : tensor<?x8xf32, #src> bipartite
  %n = rgnn.map %m, %t : (tensor<?x8xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x8xf32, #edge> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.mulf %p, %q : f32
    rgnn.yield %c : f32
  }
  %o = rgnn.reduce sum dst %n in %g : tensor<?x8xf32, #edge> bipartite
  return %o : tensor<?x8xf32, #dst>
}

// RGCN between different nodes: a weight by type, the mean of each type.
func.func @rgcn(%g: !graph, %x: tensor<?x8xf32, #src>, %w: tensor<3x8x6xf32>) -> tensor<?x6xf32, #dst> {
  %m = rgnn.gather src %x in %g : tensor<?x8xf32, #src> bipartite
  %t = rgnn.typed_linear %m, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x6xf32> bipartite
  %p = rgnn.reduce mean dst_pair %t in %g : tensor<?x6xf32, #edge> bipartite
  %o = rgnn.reduce sum dst %p in %g : tensor<?x6xf32, #rgnn.rows<dst_pair, @g>> bipartite
  return %o : tensor<?x6xf32, #dst>
}

// The extremes, back at the sources, and a product per edge.
func.func @both_ways(%g: !graph, %x: tensor<?x4xf32, #src>, %y: tensor<?x4xf32, #dst>, %w: tensor<8x4xf32>)
    -> (tensor<?x4xf32, #src>, tensor<?x4xf32, #dst>) {
  %s = rgnn.gather src %x in %g : tensor<?x4xf32, #src> bipartite
  %d = rgnn.gather dst %y in %g : tensor<?x4xf32, #dst> bipartite
  %c = rgnn.concat %s, %d dim 1 : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>
  %l = rgnn.linear %c, %w : tensor<?x8xf32, #edge>, tensor<8x4xf32>
  %max = rgnn.reduce max dst %l in %g : tensor<?x4xf32, #edge> bipartite
  %back = rgnn.gather dst %max in %g : tensor<?x4xf32, #dst> bipartite
  %sum = rgnn.reduce sum src %back in %g : tensor<?x4xf32, #edge> bipartite
  return %sum, %max : tensor<?x4xf32, #src>, tensor<?x4xf32, #dst>
}

// Pairs of both ends, whose ends are numbers of their own sides.
func.func @pairs(%g: !graph, %x: tensor<?x4xf32, #src>, %y: tensor<?x4xf32, #dst>, %w: tensor<3x4x4xf32>)
    -> tensor<?x4xf32, #dst> {
  %s = rgnn.gather src %x in %g to src_pair : tensor<?x4xf32, #src> bipartite
  %d = rgnn.gather dst %y in %g to dst_pair : tensor<?x4xf32, #dst> bipartite
  %ts = rgnn.typed_linear %s, %w by etype in %g : tensor<?x4xf32, #rgnn.rows<src_pair, @g>>, tensor<3x4x4xf32> bipartite
  %td = rgnn.typed_linear %d, %w by etype in %g : tensor<?x4xf32, #rgnn.rows<dst_pair, @g>>, tensor<3x4x4xf32> bipartite
  %es = rgnn.gather src_pair %ts in %g : tensor<?x4xf32, #rgnn.rows<src_pair, @g>> bipartite
  %ed = rgnn.gather dst_pair %td in %g : tensor<?x4xf32, #rgnn.rows<dst_pair, @g>> bipartite
  %m = rgnn.map %es, %ed : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.mulf %p, %q : f32
    rgnn.yield %c : f32
  }
  %o = rgnn.reduce sum dst %m in %g : tensor<?x4xf32, #edge> bipartite
  return %o : tensor<?x4xf32, #dst>
}

// Degrees of both sides.
func.func @degrees(%g: !graph, %x: tensor<?x4xf32, #src>) -> (tensor<?x4xf32, #dst>, tensor<?xf32, #src>) {
  %ds = rgnn.degree src in %g : tensor<?xf32, #src> bipartite
  %dd = rgnn.degree dst in %g : tensor<?xf32, #dst> bipartite
  %m = rgnn.gather src %x in %g : tensor<?x4xf32, #src> bipartite
  %s = rgnn.reduce sum dst %m in %g : tensor<?x4xf32, #edge> bipartite
  %o = rgnn.map %s, %dd : (tensor<?x4xf32, #dst>, tensor<?xf32, #dst>) -> tensor<?x4xf32, #dst> {
  ^bb0(%p: f32, %q: f32):
    %c = arith.mulf %p, %q : f32
    rgnn.yield %c : f32
  }
  return %o, %ds : tensor<?x4xf32, #dst>, tensor<?xf32, #src>
}

// Made of lists, as callers have them.
func.func @lists(%ei: tensor<2x?xi64>, %types: tensor<?xi64>, %x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<3x4x4xf32>)
    -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %ns = tensor.dim %x, %c0 : tensor<?x4xf32>
  %nd = tensor.dim %y, %c0 : tensor<?x4xf32>
  %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) types(%types : tensor<?xi64>) nodes(%ns, %nd) : !rgnn.graph<@g, bipartite>
  %px = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #src> bipartite
  %py = rgnn.place %y in %g : tensor<?x4xf32> -> tensor<?x4xf32, #dst> bipartite
  %m = rgnn.gather src %px in %g : tensor<?x4xf32, #src> bipartite
  %t = rgnn.typed_linear %m, %w by etype in %g : tensor<?x4xf32, #edge>, tensor<3x4x4xf32> bipartite
  %s = rgnn.reduce sum dst %t in %g : tensor<?x4xf32, #edge> bipartite
  %o = rgnn.map %s, %py : (tensor<?x4xf32, #dst>, tensor<?x4xf32, #dst>) -> tensor<?x4xf32, #dst> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    rgnn.yield %c : f32
  }
  %r = rgnn.unplace %o : tensor<?x4xf32, #dst>
  return %r : tensor<?x4xf32>
}

// Of lists of their own.
func.func @ends(%from: tensor<?xi64>, %to: tensor<?xi64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %g = rgnn.coo_graph edges(%from, %to : tensor<?xi64>, tensor<?xi64>) nodes(%n) : !rgnn.graph<@plain>
  %px = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @plain>>
  %m = rgnn.gather src %px in %g : tensor<?x4xf32, #rgnn.rows<node, @plain>>
  %s = rgnn.reduce sum dst %m in %g : tensor<?x4xf32, #rgnn.rows<edge, @plain>>
  %r = rgnn.unplace %s : tensor<?x4xf32, #rgnn.rows<node, @plain>>
  return %r : tensor<?x4xf32>
}
rgnn.schema @plain edge_types(1)

// One list that says which rows belong together.
func.func @pooling(%batch: tensor<?xi64>, %x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x4xf32>
  %g = rgnn.coo_graph edges(%batch : tensor<?xi64>) nodes(%n) : !rgnn.graph<@of_one_end>
  %px = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<edge, @of_one_end>>
  %py = rgnn.place %y in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @of_one_end>>
  %s = rgnn.reduce mean dst %px in %g : tensor<?x4xf32, #rgnn.rows<edge, @of_one_end>>
  %o = rgnn.map %s, %py : (tensor<?x4xf32, #rgnn.rows<node, @of_one_end>>, tensor<?x4xf32, #rgnn.rows<node, @of_one_end>>)
      -> tensor<?x4xf32, #rgnn.rows<node, @of_one_end>> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    rgnn.yield %c : f32
  }
  %r = rgnn.unplace %o : tensor<?x4xf32, #rgnn.rows<node, @of_one_end>>
  return %r : tensor<?x4xf32>
}
rgnn.schema @of_one_end edge_types(1)
