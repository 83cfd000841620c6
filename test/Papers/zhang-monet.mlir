// MoNet as Zhang et al. write it (MLSys 2022, appendix A.2): y_v = 1/K sum over u and k of w_k(m_uv) h_uk with Gaussian
// weights of projected pseudo-coordinates, in their setup (sec. 7.3): K = 2 kernels, r = 1 coordinate, f = 16 features,
// on Reddit.

// DEFINE: %{cost} = --rgnn-print-cost="nodes=232965 edges=114615892"
// DEFINE: %{check} = FileCheck %s -D#V=232965 -D#E=114615892 -D#F=16 -D#K=2

// RUN: rgnn-opt %s %{cost} -o /dev/null 2>&1 | %{check}
// RUN: rgnn-opt %s --rgnn-postpone-propagation --canonicalize --cse %{cost} -o /dev/null 2>&1 | %{check}
// RUN: rgnn-opt %s --canonicalize --cse --rgnn-differentiate %{cost} -o /dev/null 2>&1 | %{check} --check-prefix=TRAIN
// RUN: rgnn-opt %s --canonicalize --cse --rgnn-differentiate --canonicalize --cse --rgnn-recompute %{cost} -o /dev/null 2>&1 \
// RUN:   | %{check} --check-prefix=TRAIN
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --canonicalize --cse -o /dev/null 2>&1 \
// RUN:   --hetkernel-print-traffic="nodes=232965 edges=114615892" | %{check} --check-prefix=FUSED
// RUN: %check_numeric %s --rgnn-postpone-propagation

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0

// Edge rows are a function of edges, so that there is nothing to reorganise (sec. 7.3): the same counts before and
// after.
//      CHECK: cost of @monet
//      CHECK: rgnn.linear edge [[#E]] [[#mul(4,E)]]
// CHECK-NEXT: rgnn.map edge [[#E]] [[#E]]
// CHECK-NEXT: rgnn.map edge [[#E]] [[#mul(mul(4,E),K)]]
// CHECK-NEXT: rgnn.reduce_features edge [[#E]] [[#mul(E,K)]]
// CHECK-NEXT: rgnn.map edge [[#E]] [[#mul(E,K)]]
// CHECK-NEXT: rgnn.linear node [[#V]] [[#mul(mul(2,V),mul(F,mul(F,K)))]]
// CHECK-NEXT: rgnn.map edge [[#E]] [[#mul(E,mul(F,K))]]
// CHECK-NEXT: rgnn.reduce edge [[#E]] [[#mul(E,mul(F,K))]]
// CHECK-NEXT: rgnn.reduce_features node [[#V]] [[#mul(V,mul(F,K + 1))]]
//      CHECK: all {{[0-9]+}} {{[0-9]+}} [[#add(add(mul(296,E),mul(192,V)),2072)]] [[#add(mul(160,E),mul(320,V))]]
// CHECK-NEXT: redundant: 0.0 % of operations

// Of 296 E + 160 E bytes for edges, fusion leaves two coordinates, a projection that is written and read, and the
// features of both kernels: 8 E + 8 E + 128 E.
//      FUSED: traffic of @monet
//      FUSED: hetkernel.traverse [[#V]] [[#E]] [[#add(mul(132,E),16)]] [[#mul(64,V)]]
// FUSED-NEXT: all {{[0-9]+}} {{[0-9]+}} [[#add(add(mul(140,E),mul(64,V)),2072)]] [[#add(mul(4,E),mul(192,V))]]

// Section 6: edge rows are computed again but for what products and sums give. In bytes: for each edge the projection, 4,
// its hyperbolic tangent, 4, and for both kernels the exponent, 8, and the weight, 8, of which the tangent and the weight
// are computed again; for each node the features of both kernels, 2 x 16 x 4. There is no softmax and no maximum, so that
// rgnn-recompute leaves it at that.
//      TRAIN: read by the backward, none recomputed [[#add(mul(24,E),mul(128,V))]] bytes, 74.6 % of memory
// TRAIN-NEXT: saved for the backward [[#add(mul(12,E),mul(128,V))]] bytes, 59.7 % of memory
func.func @monet(%g: !rgnn.graph<@g0>, %h: tensor<?x16xf32, #node>, %coordinates: tensor<?x2xf32, #edge>, %f: tensor<2x1xf32>,
                 %w: tensor<16x32xf32>, %mu: tensor<2x1xf32>, %sigma: tensor<2x1xf32>) -> tensor<?x16xf32, #node> {
  %p = rgnn.linear %coordinates, %f : tensor<?x2xf32, #edge>, tensor<2x1xf32>
  %m = rgnn.map %p : (tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32):
    %t = math.tanh %i : f32
    rgnn.yield %t : f32
  }
  %r = rgnn.reshape %m : tensor<?x1xf32, #edge> -> tensor<?x1x1xf32, #edge>
  %d = rgnn.map %r, %mu, %sigma : (tensor<?x1x1xf32, #edge>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<?x2x1xf32, #edge> {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %half = arith.constant -0.5 : f32
    %s = arith.subf %i, %j : f32
    %q = arith.mulf %s, %s : f32
    %n = arith.mulf %q, %k : f32
    %o = arith.mulf %n, %half : f32
    rgnn.yield %o : f32
  }
  %s = rgnn.reduce_features sum %d dim 2 : tensor<?x2x1xf32, #edge>
  %a = rgnn.map %s : (tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%i: f32):
    %t = math.exp %i : f32
    rgnn.yield %t : f32
  }
  %b = rgnn.reshape %a : tensor<?x2xf32, #edge> -> tensor<?x2x1xf32, #edge>
  %z = rgnn.linear %h, %w : tensor<?x16xf32, #node>, tensor<16x32xf32>
  %zk = rgnn.reshape %z : tensor<?x32xf32, #node> -> tensor<?x2x16xf32, #node>
  %u = rgnn.gather src %zk in %g : tensor<?x2x16xf32, #node>
  %c = rgnn.map %u, %b : (tensor<?x2x16xf32, #edge>, tensor<?x2x1xf32, #edge>) -> tensor<?x2x16xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %t = arith.mulf %i, %j : f32
    rgnn.yield %t : f32
  }
  %e = rgnn.reduce sum dst %c in %g : tensor<?x2x16xf32, #edge>
  %y = rgnn.reduce_features mean %e dim 1 : tensor<?x2x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}
