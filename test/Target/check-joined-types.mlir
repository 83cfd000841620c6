// Rows of each node type, joined to those of all nodes, in a graph whose edges say nothing of node types: compiled code
// and gradients against the interpreter on random graphs, with all rewrites, on processors and simulated GPUs.

// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s --check-prefix=CPU
// RUN: sed s/f32/f64/g %s | rgnn-translate --rgnn-check-compiled --rgnn-to-cpu-options="compact=true reorder=true adjacency=coo" | FileCheck %s --check-prefix=CPU
// RUN: rgnn-opt %s --rgnn-differentiate | rgnn-translate --rgnn-check-compiled | FileCheck %s --check-prefix=TRAINING
// RUN: sed s/f32/f64/g %s | rgnn-translate --rgnn-check-gradient | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-translate --rgnn-check-gpu --seeds=10 %s | FileCheck %s --check-prefix=GPU
// RUN: rgnn-opt %s --rgnn-differentiate | rgnn-translate --rgnn-check-gpu --seeds=10 | FileCheck %s --check-prefix=GPU

// CPU-COUNT-2: compiled code agrees on 16 seeds
// TRAINING-COUNT-4: compiled code agrees on 16 seeds
// GRADIENT-COUNT-2: gradients agree
// GPU-COUNT-2: GPU kernels agree on 10 seeds

#node = #rgnn.rows<node, @g>
#node0 = #rgnn.rows<node, @g, type = 0>
#node1 = #rgnn.rows<node, @g, type = 1>
#edge = #rgnn.rows<edge, @g>
!graph = !rgnn.graph<@g>

rgnn.schema @g node_types(2) edge_types(3)

// A layer per type, and a mean of neighbours.
func.func @mean(%g: !graph, %x: tensor<?x3xf32, #node0>, %y: tensor<?x5xf32, #node1>, %v: tensor<3x8xf32>, %w: tensor<5x8xf32>, %u: tensor<8x6xf32>)
    -> tensor<?x6xf32, #node> {
  %a = rgnn.linear %x, %v : tensor<?x3xf32, #node0>, tensor<3x8xf32>
  %b = rgnn.linear %y, %w : tensor<?x5xf32, #node1>, tensor<5x8xf32>
  %h = rgnn.concat_types %a, %b in %g : (tensor<?x8xf32, #node0>, tensor<?x8xf32, #node1>) -> tensor<?x8xf32, #node>
  %m = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %s = rgnn.reduce mean dst %m in %g : tensor<?x8xf32, #edge>
  %o = rgnn.linear %s, %u : tensor<?x8xf32, #node>, tensor<8x6xf32>
  return %o : tensor<?x6xf32, #node>
}

// A weight per edge type, and what the nodes have themselves.
func.func @typed(%g: !graph, %x: tensor<?x3xf32, #node0>, %y: tensor<?x5xf32, #node1>, %v: tensor<3x8xf32>, %w: tensor<5x8xf32>, %r: tensor<3x8x8xf32>)
    -> tensor<?x8xf32, #node> {
  %a = rgnn.linear %x, %v : tensor<?x3xf32, #node0>, tensor<3x8xf32>
  %b = rgnn.linear %y, %w : tensor<?x5xf32, #node1>, tensor<5x8xf32>
  %h = rgnn.concat_types %a, %b in %g : (tensor<?x8xf32, #node0>, tensor<?x8xf32, #node1>) -> tensor<?x8xf32, #node>
  %m = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %t = rgnn.typed_linear %m, %r by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x8xf32>
  %s = rgnn.reduce sum dst %t in %g : tensor<?x8xf32, #edge>
  %o = rgnn.map %s, %h : (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %k = arith.addf %i, %j : f32
    rgnn.yield %k : f32
  }
  return %o : tensor<?x8xf32, #node>
}
