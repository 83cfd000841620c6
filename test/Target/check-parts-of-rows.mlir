// Rows of several dimensions, of which a part is read or written that is no run of memory: halves of the last dimension
// of rows and of weights of types.

// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s --check-prefix=CPU
// RUN: sed s/f32/f64/g %s | rgnn-translate --rgnn-check-compiled --rgnn-to-cpu-options="adjacency=coo traverse-schedule=mapping:edge,task_rows:3" | FileCheck %s --check-prefix=CPU
// RUN: rgnn-opt %s --rgnn-differentiate | rgnn-translate --rgnn-check-compiled | FileCheck %s --check-prefix=TRAINING
// RUN: sed s/f32/f64/g %s | rgnn-translate --rgnn-check-gradient | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-translate --rgnn-check-gpu --seeds=10 %s | FileCheck %s --check-prefix=GPU
// RUN: rgnn-opt %s --rgnn-differentiate | rgnn-translate --rgnn-check-gpu --seeds=10 | FileCheck %s --check-prefix=GPU

// CPU-COUNT-2: compiled code agrees on 16 seeds
// TRAINING-COUNT-4: compiled code agrees on 16 seeds
// GRADIENT-COUNT-2: gradients agree
// GPU-COUNT-2: GPU kernels agree on 10 seeds

#node = #rgnn.rows<node, @g>
#edge = #rgnn.rows<edge, @g>
#etype = #rgnn.rows<etype, @g>
!graph = !rgnn.graph<@g>

rgnn.schema @g node_types(1) edge_types(3)

// Each source, turned by the angles of the edge's type.
func.func @turn(%g: !graph, %x: tensor<?x3x6xf32, #node>, %angles: tensor<3x3x6xf32>) -> tensor<?x3x6xf32, #node> {
  %w = rgnn.place %angles in %g : tensor<3x3x6xf32> -> tensor<3x3x6xf32, #etype>
  %u = rgnn.gather src %x in %g : tensor<?x3x6xf32, #node>
  %v = rgnn.gather etype %w in %g : tensor<3x3x6xf32, #etype>
  %a = rgnn.slice %u dim 2 from 0 size 3 : tensor<?x3x6xf32, #edge>
  %b = rgnn.slice %u dim 2 from 3 size 3 : tensor<?x3x6xf32, #edge>
  %c = rgnn.slice %v dim 2 from 0 size 3 : tensor<?x3x6xf32, #edge>
  %s = rgnn.slice %v dim 2 from 3 size 3 : tensor<?x3x6xf32, #edge>
  %ac = rgnn.map %a, %c : (tensor<?x3x3xf32, #edge>, tensor<?x3x3xf32, #edge>) -> tensor<?x3x3xf32, #edge> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    rgnn.yield %r : f32
  }
  %bs = rgnn.map %b, %s : (tensor<?x3x3xf32, #edge>, tensor<?x3x3xf32, #edge>) -> tensor<?x3x3xf32, #edge> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    rgnn.yield %r : f32
  }
  %real = rgnn.map %ac, %bs : (tensor<?x3x3xf32, #edge>, tensor<?x3x3xf32, #edge>) -> tensor<?x3x3xf32, #edge> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.subf %p, %q : f32
    rgnn.yield %r : f32
  }
  %imaginary = rgnn.map %a, %s : (tensor<?x3x3xf32, #edge>, tensor<?x3x3xf32, #edge>) -> tensor<?x3x3xf32, #edge> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    rgnn.yield %r : f32
  }
  %m = rgnn.concat %real, %imaginary dim 2 : tensor<?x3x3xf32, #edge>, tensor<?x3x3xf32, #edge>
  %y = rgnn.reduce sum dst %m in %g : tensor<?x3x6xf32, #edge>
  return %y : tensor<?x3x6xf32, #node>
}

// A part of what each type has, whose number is known; in the gradient it is not.
func.func @types(%g: !graph, %x: tensor<?x2xf32, #node>, %w: tensor<3x4x3xf32>) -> tensor<?x2xf32, #node> {
  %p = rgnn.place %w in %g : tensor<3x4x3xf32> -> tensor<3x4x3xf32, #etype>
  %s = rgnn.reduce_features sum %p dim 2 : tensor<3x4x3xf32, #etype>
  %part = rgnn.slice %s dim 1 from 1 size 2 : tensor<3x4xf32, #etype>
  %e = rgnn.gather etype %part in %g : tensor<3x2xf32, #etype>
  %u = rgnn.gather src %x in %g : tensor<?x2xf32, #node>
  %m = rgnn.map %e, %u : (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    rgnn.yield %r : f32
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf32, #edge>
  return %y : tensor<?x2xf32, #node>
}
