// A layer of HGT as Hector computes it, with one head: keys, queries, values and
// the output by node type, attention and messages by edge type.
//
//   att_e = softmax((k_u Watt[etype(e)]) . q_v mu[etype(e)] / sqrt(d))
//   t_v = sum over e = (u -> v) of att_e v_u Wmsg[etype(e)]
//   y_v = sigmoid(skip[ntype(v)]) t_v A[ntype(v)]

// RUN: rgnn-opt %s --rgnn-raise-loops | FileCheck %s --check-prefix=RAISED
// RUN: rgnn-opt %s --rgnn-raise-loops --convert-rgnn-to-hetkernel | FileCheck %s --check-prefix=KERNELS
// RUN: %check_numeric %s --rgnn-raise-loops
// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s --check-prefix=COMPILED

// COMPILED: @hgt: compiled code agrees on 16 seeds

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 node_types(2) edge_types(3)

// RAISED-LABEL: func @hgt
//   RAISED-NOT: rgnn.program
//       RAISED: rgnn.typed_linear %{{.*}}, %{{.*}} by ntype in
//       RAISED: rgnn.typed_linear %{{.*}}, %{{.*}} by etype in
//       RAISED: rgnn.dot
//       RAISED: %[[A:.*]] = rgnn.group_softmax dst %{{.*}} in
//       RAISED: %[[M:.*]] = rgnn.map %{{.*}}, %[[A]]
//       RAISED: %[[T:.*]] = rgnn.reduce sum dst %[[M]] in
//       RAISED: rgnn.typed_linear %[[T]], %{{.*}} by ntype in

// KERNELS-LABEL: func @hgt
//   KERNELS-NOT: rgnn.{{(gather|typed_linear|reduce|group_softmax)}}
//       KERNELS: hetkernel.gemm
//       KERNELS: hetkernel.traverse
func.func @hgt(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %wk: tensor<2x8x4xf32>, %wq: tensor<2x8x4xf32>,
               %wv: tensor<2x8x4xf32>, %watt: tensor<3x4x4xf32>, %wmsg: tensor<3x4x4xf32>, %mu: tensor<3xf32>,
               %wa: tensor<2x4x4xf32>, %skip: tensor<2x1x1xf32>) -> tensor<?x4xf32, #node> {
  // The gate of a node type scales its output matrix, once for all nodes.
  %gated = rgnn.map %wa, %skip : (tensor<2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<2x4x4xf32> {
  ^bb0(%i: f32, %j: f32):
    %one = arith.constant 1.0 : f32
    %neg = arith.negf %j : f32
    %exp = math.exp %neg : f32
    %den = arith.addf %exp, %one : f32
    %p = arith.divf %i, %den : f32
    rgnn.yield %p : f32
  }
  %y = rgnn.program in %g takes ["x"](%x) gives ["y"]
      : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in nodes {
      %h = rgnn.read "x" of %n : tensor<8xf32> of !rgnn.node
      %wkn = rgnn.weight %wk of %n : tensor<2x8x4xf32> of !rgnn.node
      %k = rgnn.linear %h, %wkn : tensor<8xf32>, tensor<8x4xf32>
      rgnn.write "k" of %n, %k : tensor<4xf32> of !rgnn.node
      %wqn = rgnn.weight %wq of %n : tensor<2x8x4xf32> of !rgnn.node
      %q = rgnn.linear %h, %wqn : tensor<8xf32>, tensor<8x4xf32>
      rgnn.write "q" of %n, %q : tensor<4xf32> of !rgnn.node
      %wvn = rgnn.weight %wv of %n : tensor<2x8x4xf32> of !rgnn.node
      %v = rgnn.linear %h, %wvn : tensor<8xf32>, tensor<8x4xf32>
      rgnn.write "v" of %n, %v : tensor<4xf32> of !rgnn.node
    }
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      %k = rgnn.read "k" of %u : tensor<4xf32> of !rgnn.node
      %q = rgnn.read "q" of %v : tensor<4xf32> of !rgnn.node
      %we = rgnn.weight %watt of %e : tensor<3x4x4xf32> of !rgnn.edge
      %ke = rgnn.linear %k, %we : tensor<4xf32>, tensor<4x4xf32>
      %d = rgnn.dot %ke, %q : tensor<4xf32>
      %mue = rgnn.weight %mu of %e : tensor<3xf32> of !rgnn.edge
      %a = rgnn.map %d, %mue : (tensor<f32>, tensor<f32>) -> tensor<f32> {
      ^bb0(%i: f32, %j: f32):
        %scale = arith.constant 0.5 : f32
        %p = arith.mulf %i, %j : f32
        %s = arith.mulf %p, %scale : f32
        rgnn.yield %s : f32
      }
      rgnn.write "att" of %e, %a : tensor<f32> of !rgnn.edge
      %val = rgnn.read "v" of %u : tensor<4xf32> of !rgnn.node
      %wm = rgnn.weight %wmsg of %e : tensor<3x4x4xf32> of !rgnn.edge
      %m = rgnn.linear %val, %wm : tensor<4xf32>, tensor<4x4xf32>
      rgnn.write "msg" of %e, %m : tensor<4xf32> of !rgnn.edge
    }
    // edge_softmax(g), with the maximum subtracted.
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %a = rgnn.read "att" of %e : tensor<f32> of !rgnn.edge
        rgnn.accumulate max "att_max" of %n, %a : tensor<f32> of !rgnn.node
      }
    }
    rgnn.for_each %e in edges {
      %v = rgnn.destination %e
      %a = rgnn.read "att" of %e : tensor<f32> of !rgnn.edge
      %m = rgnn.read "att_max" of %v : tensor<f32> of !rgnn.node
      %p = rgnn.map %a, %m : (tensor<f32>, tensor<f32>) -> tensor<f32> {
      ^bb0(%i: f32, %j: f32):
        %d = arith.subf %i, %j : f32
        %r = math.exp %d : f32
        rgnn.yield %r : f32
      }
      rgnn.write "att" of %e, %p : tensor<f32> of !rgnn.edge
    }
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %a = rgnn.read "att" of %e : tensor<f32> of !rgnn.edge
        rgnn.accumulate sum "att_sum" of %n, %a : tensor<f32> of !rgnn.node
      }
    }
    rgnn.for_each %e in edges {
      %v = rgnn.destination %e
      %a = rgnn.read "att" of %e : tensor<f32> of !rgnn.edge
      %s = rgnn.read "att_sum" of %v : tensor<f32> of !rgnn.node
      %p = rgnn.map %a, %s : (tensor<f32>, tensor<f32>) -> tensor<f32> {
      ^bb0(%i: f32, %j: f32):
        %r = arith.divf %i, %j : f32
        rgnn.yield %r : f32
      }
      rgnn.write "att" of %e, %p : tensor<f32> of !rgnn.edge
    }
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %m = rgnn.read "msg" of %e : tensor<4xf32> of !rgnn.edge
        %a = rgnn.read "att" of %e : tensor<f32> of !rgnn.edge
        %s = rgnn.map %m, %a : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
        ^bb0(%i: f32, %j: f32):
          %p = arith.mulf %i, %j : f32
          rgnn.yield %p : f32
        }
        rgnn.accumulate sum "t" of %n, %s : tensor<4xf32> of !rgnn.node
      }
      %t = rgnn.read "t" of %n : tensor<4xf32> of !rgnn.node
      %wan = rgnn.weight %gated of %n : tensor<2x4x4xf32> of !rgnn.node
      %o = rgnn.linear %t, %wan : tensor<4xf32>, tensor<4x4xf32>
      rgnn.write "y" of %n, %o : tensor<4xf32> of !rgnn.node
    }
  }
  return %y : tensor<?x4xf32, #node>
}
