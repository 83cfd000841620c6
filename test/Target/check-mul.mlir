// Products of rows and within rows: compiled code and gradients against the interpreter on random graphs, with all
// rewrites, on processors and simulated GPUs. Gradients of factors that are zero: test_lifted_rows.py.

// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s --check-prefix=CPU
// RUN: sed s/f32/f64/g %s | rgnn-translate --rgnn-check-compiled --rgnn-to-cpu-options="adjacency=coo traverse-schedule=mapping:edge,task_rows:3" | FileCheck %s --check-prefix=CPU
// RUN: rgnn-opt %s --rgnn-differentiate | rgnn-translate --rgnn-check-compiled | FileCheck %s --check-prefix=TRAINING
// RUN: sed s/f32/f64/g %s | rgnn-translate --rgnn-check-gradient | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-translate --rgnn-check-gpu --seeds=10 %s | FileCheck %s --check-prefix=GPU
// RUN: rgnn-opt %s --rgnn-differentiate | rgnn-translate --rgnn-check-gpu --seeds=10 | FileCheck %s --check-prefix=GPU

// CPU-COUNT-3: compiled code agrees on 16 seeds
// TRAINING-COUNT-6: compiled code agrees on 16 seeds
// GRADIENT-COUNT-3: gradients agree
// GPU-COUNT-3: GPU kernels agree on 10 seeds

#node = #rgnn.rows<node, @g>
#edge = #rgnn.rows<edge, @g>
#pair = #rgnn.rows<dst_pair, @g>
!graph = !rgnn.graph<@g>

rgnn.schema @g node_types(1) edge_types(3)

// Beside other reductions of the same rows, in one loop.
func.func @edges(%g: !graph, %m: tensor<?x5xf32, #edge>) -> (tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>) {
  %p = rgnn.reduce mul dst %m in %g : tensor<?x5xf32, #edge>
  %b = rgnn.reduce max dst %m in %g : tensor<?x5xf32, #edge>
  %s = rgnn.reduce mul src %m in %g : tensor<?x5xf32, #edge>
  return %p, %b, %s : tensor<?x5xf32, #node>, tensor<?x5xf32, #node>, tensor<?x5xf32, #node>
}

// Of sources, and of what edges of a type give a node.
func.func @sources(%g: !graph, %x: tensor<?x33xf32, #node>) -> (tensor<?x33xf32, #node>, tensor<?x33xf32, #node>) {
  %m = rgnn.gather src %x in %g : tensor<?x33xf32, #node>
  %p = rgnn.reduce mul dst %m in %g : tensor<?x33xf32, #edge>
  %q = rgnn.reduce sum dst_pair %m in %g : tensor<?x33xf32, #edge>
  %t = rgnn.reduce mul dst %q in %g : tensor<?x33xf32, #pair>
  return %p, %t : tensor<?x33xf32, #node>, tensor<?x33xf32, #node>
}

func.func @features(%g: !graph, %x: tensor<?x4x3xf32, #node>, %w: tensor<3x2xf32>) -> (tensor<?x3xf32, #node>, tensor<?x4xf32, #node>, tensor<3xf32>) {
  %0 = rgnn.reduce_features mul %x dim 1 : tensor<?x4x3xf32, #node>
  %1 = rgnn.reduce_features mul %x dim 2 : tensor<?x4x3xf32, #node>
  %2 = rgnn.reduce_features mul %w dim 1 : tensor<3x2xf32>
  return %0, %1, %2 : tensor<?x3xf32, #node>, tensor<?x4xf32, #node>, tensor<3xf32>
}
