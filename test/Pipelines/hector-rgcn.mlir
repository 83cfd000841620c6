// A layer of RGCN as Hector writes it (ASPLOS 2024, Eq. 1): the norm of an edge is
// given, self loops have a weight of their own.
//
//   y_v = relu(x_v W0 + b + sum over e = (u -> v) of norm_e x_u W[etype(e)])

// RUN: rgnn-opt %s --rgnn-raise-loops | FileCheck %s --check-prefix=RAISED
// RUN: rgnn-opt %s --rgnn-raise-loops --convert-rgnn-to-hetkernel | FileCheck %s --check-prefix=KERNELS
// RUN: %check_numeric %s --rgnn-raise-loops
// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s --check-prefix=COMPILED

// COMPILED: @rgcn: compiled code agrees on 16 seeds

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(3)

// RAISED-LABEL: func @rgcn
//   RAISED-NOT: rgnn.program
//       RAISED: %[[XU:.*]] = rgnn.gather src %{{.*}} in %{{.*}}
//       RAISED: %[[Z:.*]] = rgnn.typed_linear %[[XU]], %{{.*}} by etype in
//       RAISED: %[[M:.*]] = rgnn.map %[[Z]], %{{.*}} : (tensor<?x4xf32, #rgnn.rows<edge, @g0>>, tensor<?x1xf32, #rgnn.rows<edge, @g0>>)
//       RAISED: %[[S:.*]] = rgnn.reduce sum dst %[[M]] in
//       RAISED: %[[L:.*]] = rgnn.linear %{{.*}}, %{{.*}} : tensor<?x8xf32, #rgnn.rows<node, @g0>>
//       RAISED: rgnn.map %[[S]], %[[L]], %{{.*}} : (tensor<?x4xf32, #rgnn.rows<node, @g0>>

// KERNELS-LABEL: func @rgcn
//   KERNELS-NOT: rgnn.{{(gather|typed_linear|reduce)}}
//       KERNELS: hetkernel.gemm
//       KERNELS: hetkernel.traverse
func.func @rgcn(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %norm: tensor<?x1xf32, #edge>,
                %w: tensor<3x8x4xf32>, %w0: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["x", "norm"](%x, %norm) gives ["y"]
      : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>, tensor<?x1xf32, #edge>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %xu = rgnn.read "x" of %u : tensor<8xf32> of !rgnn.node
      %we = rgnn.weight %w of %e : tensor<3x8x4xf32> of !rgnn.edge
      %m = rgnn.linear %xu, %we : tensor<8xf32>, tensor<8x4xf32>
      rgnn.write "msg" of %e, %m : tensor<4xf32> of !rgnn.edge
    }
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %m = rgnn.read "msg" of %e : tensor<4xf32> of !rgnn.edge
        %c = rgnn.read "norm" of %e : tensor<1xf32> of !rgnn.edge
        %s = rgnn.map %m, %c : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32> {
        ^bb0(%i: f32, %j: f32):
          %p = arith.mulf %i, %j : f32
          rgnn.yield %p : f32
        }
        rgnn.accumulate sum "sum" of %n, %s : tensor<4xf32> of !rgnn.node
      }
    }
    rgnn.for_each %n in nodes {
      %s = rgnn.read "sum" of %n : tensor<4xf32> of !rgnn.node
      %xn = rgnn.read "x" of %n : tensor<8xf32> of !rgnn.node
      %l = rgnn.linear %xn, %w0 : tensor<8xf32>, tensor<8x4xf32>
      %h = rgnn.map %s, %l, %b : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%i: f32, %j: f32, %k: f32):
        %zero = arith.constant 0.0 : f32
        %p = arith.addf %i, %j : f32
        %q = arith.addf %p, %k : f32
        %r = arith.maximumf %q, %zero : f32
        rgnn.yield %r : f32
      }
      rgnn.write "y" of %n, %h : tensor<4xf32> of !rgnn.node
    }
  }
  return %y : tensor<?x4xf32, #node>
}
