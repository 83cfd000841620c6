// GAT as Zhang et al. take it apart (MLSys 2022, sec. 4 and 5): operations before and after products come before
// gathers, and the traffic of the ops on the graph. E edges, V nodes, f features of a head, h heads.

// DEFINE: %{sizes} = -D#V=232965 -D#E=114615892 -D#F=64 -D#H=4
// DEFINE: %{cost} = --rgnn-print-cost="nodes=232965 edges=114615892"

// RUN: rgnn-opt %s %{cost} -o /dev/null 2>&1 | FileCheck %s %{sizes} --check-prefix=BEFORE
// RUN: rgnn-opt %s --rgnn-postpone-propagation --canonicalize --cse %{cost} -o /dev/null 2>&1 \
// RUN:   | FileCheck %s %{sizes} --check-prefix=AFTER
// RUN: rgnn-opt %s --canonicalize --cse --rgnn-differentiate %{cost} -o /dev/null 2>&1 \
// RUN:   | FileCheck %s %{sizes} --check-prefix=TRAIN
// RUN: rgnn-opt %s --canonicalize --cse --rgnn-differentiate --canonicalize --cse --rgnn-recompute %{cost} -o /dev/null 2>&1 \
// RUN:   | FileCheck %s %{sizes} --check-prefix=RECOMPUTE
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --canonicalize --cse -o /dev/null 2>&1 \
// RUN:   --hetkernel-print-traffic="nodes=232965 edges=114615892" | FileCheck %s %{sizes} --check-prefix=FUSED
// RUN: %check_numeric %s --rgnn-postpone-propagation

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0

// Section 4: 2 E f for both ends side by side, 4 E f for the projection, E for LeakyReLU.
//      BEFORE: cost of @score
//      BEFORE: rgnn.concat edge [[#E]] [[#mul(mul(2,E),F)]]
//      BEFORE: rgnn.linear edge [[#E]] [[#mul(mul(4,E),F)]]
//      BEFORE: rgnn.map    edge [[#E]] [[#E]]
// BEFORE-NEXT: products [[#E]] [[#mul(mul(4,E),F)]]
// BEFORE-NEXT: all {{[0-9]+}} [[#add(mul(mul(6,E),F),E)]]
// BEFORE-NEXT: redundant: 66.4 % of operations

// 4 V f for a projection of each end, 2 E for their sum and LeakyReLU.
//      AFTER: cost of @score
//      AFTER: rgnn.linear node [[#V]] [[#mul(mul(2,V),F)]]
//      AFTER: rgnn.linear node [[#V]] [[#mul(mul(2,V),F)]]
//      AFTER: products [[#mul(2,V)]] [[#mul(mul(4,V),F)]]
// AFTER-NEXT: all {{[0-9]+}} [[#add(mul(mul(4,V),F),mul(2,E))]]
// AFTER-NEXT: redundant: 0.0 % of operations
func.func @score(%g: !rgnn.graph<@g0>, %h: tensor<?x64xf32, #node>, %a: tensor<128x1xf32>) -> tensor<?x1xf32, #edge> {
  %u = rgnn.gather src %h in %g : tensor<?x64xf32, #node>
  %v = rgnn.gather dst %h in %g : tensor<?x64xf32, #node>
  %c = rgnn.concat %u, %v dim 1 : tensor<?x64xf32, #edge>, tensor<?x64xf32, #edge>
  %s = rgnn.linear %c, %a : tensor<?x128xf32, #edge>, tensor<128x1xf32>
  %e = rgnn.map %s : (tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32):
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.2 : f32
    %p = arith.cmpf oge, %i, %zero : f32
    %t = arith.mulf %i, %slope : f32
    %o = arith.select %p, %i, %t : f32
    rgnn.yield %o : f32
  }
  return %e : tensor<?x1xf32, #edge>
}

// Section 5: the ops on the graph read and write V h f + 7 E h + 3 E h f numbers, of which the paper gives 4 E h to
// Scatter, 3 E h to ReduceScatter and the rest to Aggregate. The sum is the same here, but Aggregate reads the E h
// weights, too, and Scatter is one kernel of 3 E h.
//      BEFORE: cost of @graph_ops
//      BEFORE: rgnn.map edge [[#E]] {{[0-9]+}} [[#mul(mul(8,E),H)]] [[#mul(mul(4,E),H)]]
// BEFORE-NEXT: rgnn.group_softmax edge [[#E]] {{[0-9]+}} [[#mul(mul(8,E),H)]] [[#mul(mul(4,E),H)]]
// BEFORE-NEXT: rgnn.map edge [[#E]] {{[0-9]+}} [[#mul(4,add(mul(E,H),mul(mul(E,H),F)))]] [[#mul(4,mul(mul(E,H),F))]]
// BEFORE-NEXT: rgnn.reduce edge [[#E]] {{[0-9]+}} [[#mul(4,mul(mul(E,H),F))]] [[#mul(4,mul(mul(V,H),F))]]
// BEFORE-NEXT: products 0
// BEFORE-NEXT: all {{[0-9]+}} {{[0-9]+}} [[#mul(4,add(mul(mul(5,E),H),mul(mul(2,E),mul(H,F))))]]
// BEFORE-SAME: [[#mul(4,add(add(mul(mul(2,E),H),mul(E,mul(H,F))),mul(V,mul(H,F))))]]

// Fused, they are V h f + 5 E h + 2 E h f in the paper. In one kernel that keeps what belongs to the edges of a node,
// the scores of both ends and the features are read once, and the result is written: V h f + V h + E h + E h f.
//      FUSED: traffic of @graph_ops
// FUSED-NEXT: kernel
// FUSED-NEXT: hetkernel.traverse [[#V]] [[#E]] [[#mul(4,add(mul(H,V + E),mul(E,mul(H,F))))]] [[#mul(4,mul(V,mul(H,F)))]]
// FUSED-NEXT: all
func.func @graph_ops(%g: !rgnn.graph<@g0>, %z: tensor<?x4x64xf32, #node>, %l: tensor<?x4xf32, #node>, %r: tensor<?x4xf32, #node>)
    -> tensor<?x4x64xf32, #node> {
  %u = rgnn.gather src %l in %g : tensor<?x4xf32, #node>
  %v = rgnn.gather dst %r in %g : tensor<?x4xf32, #node>
  %e = rgnn.map %u, %v : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.2 : f32
    %s = arith.addf %i, %j : f32
    %p = arith.cmpf oge, %s, %zero : f32
    %t = arith.mulf %s, %slope : f32
    %o = arith.select %p, %s, %t : f32
    rgnn.yield %o : f32
  }
  %a = rgnn.group_softmax dst %e in %g : tensor<?x4xf32, #edge>
  %w = rgnn.reshape %a : tensor<?x4xf32, #edge> -> tensor<?x4x1xf32, #edge>
  %zu = rgnn.gather src %z in %g : tensor<?x4x64xf32, #node>
  %m = rgnn.map %zu, %w : (tensor<?x4x64xf32, #edge>, tensor<?x4x1xf32, #edge>) -> tensor<?x4x64xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4x64xf32, #edge>
  return %y : tensor<?x4x64xf32, #node>
}

// Section 6: without recomputation the backward reads the products, the scores and their softmax. The paper says that
// intermediate data take 91.9 % of the memory of a GAT, but not of which; here it is a layer of its setup (sec. 7.3: 4
// heads of 64 features, on Reddit), and all tensors but those that hold the graph. Of that,
// products and the softmax are saved, and with recomputation a maximum and a denominator for each node instead of it.
//      TRAIN: cost of @layer
//      TRAIN: arguments and results [[#add(mul(1280,V),67584)]] bytes
// TRAIN-NEXT: intermediate data
// TRAIN-NEXT: read by the backward, none recomputed [[#add(mul(1024,V),mul(32,E))]] bytes, 92.9 % of memory
// TRAIN-NEXT: saved for the backward [[#add(mul(1056,V),mul(16,E))]] bytes, 87.5 % of memory
// RECOMPUTE: cost of @layer
// RECOMPUTE: saved for the backward [[#mul(1088,V)]] bytes, 45.9 % of memory
func.func @layer(%g: !rgnn.graph<@g0>, %x: tensor<?x64xf32, #node>, %w: tensor<64x256xf32>, %al: tensor<4x64xf32>, %ar: tensor<4x64xf32>)
    -> tensor<?x4x64xf32, #node> {
  %p = rgnn.linear %x, %w : tensor<?x64xf32, #node>, tensor<64x256xf32>
  %z = rgnn.reshape %p : tensor<?x256xf32, #node> -> tensor<?x4x64xf32, #node>
  %zl = rgnn.map %z, %al : (tensor<?x4x64xf32, #node>, tensor<4x64xf32>) -> tensor<?x4x64xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.mulf %i, %j : f32
    rgnn.yield %q : f32
  }
  %l = rgnn.reduce_features sum %zl dim 2 : tensor<?x4x64xf32, #node>
  %zr = rgnn.map %z, %ar : (tensor<?x4x64xf32, #node>, tensor<4x64xf32>) -> tensor<?x4x64xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.mulf %i, %j : f32
    rgnn.yield %q : f32
  }
  %r = rgnn.reduce_features sum %zr dim 2 : tensor<?x4x64xf32, #node>
  %u = rgnn.gather src %l in %g : tensor<?x4xf32, #node>
  %v = rgnn.gather dst %r in %g : tensor<?x4xf32, #node>
  %s = rgnn.map %u, %v : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %t = arith.addf %i, %j : f32
    rgnn.yield %t : f32
  }
  %e = rgnn.map %s : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32):
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.2 : f32
    %c = arith.cmpf oge, %i, %zero : f32
    %t = arith.mulf %i, %slope : f32
    %o = arith.select %c, %i, %t : f32
    rgnn.yield %o : f32
  }
  %a = rgnn.group_softmax dst %e in %g : tensor<?x4xf32, #edge>
  %b = rgnn.reshape %a : tensor<?x4xf32, #edge> -> tensor<?x4x1xf32, #edge>
  %zu = rgnn.gather src %z in %g : tensor<?x4x64xf32, #node>
  %m = rgnn.map %zu, %b : (tensor<?x4x64xf32, #edge>, tensor<?x4x1xf32, #edge>) -> tensor<?x4x64xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %q = arith.mulf %i, %j : f32
    rgnn.yield %q : f32
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4x64xf32, #edge>
  return %y : tensor<?x4x64xf32, #node>
}
