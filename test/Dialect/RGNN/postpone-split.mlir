// Products of rows that come from several ends, as sums of products of their parts.

// RUN: rgnn-opt %s --rgnn-postpone-propagation --canonicalize --cse | FileCheck %s
// RUN: %check_numeric %s --rgnn-postpone-propagation
// RUN: rgnn-opt %s --rgnn-postpone-propagation --remarks-filter=".*" -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// Gradients of the split products are those of the whole, and so are those that go through the pass themselves.
// RUN: rgnn-translate --rgnn-check-gradient %t
// RUN: rgnn-opt %s --rgnn-differentiate -o %t.backward
// RUN: %check_numeric %t.backward --rgnn-postpone-propagation
// RUN: rgnn-opt %t --rgnn-differentiate -o %t.backward
// RUN: %check_numeric %t.backward --rgnn-postpone-propagation --rgnn-compact
// RUN: rgnn-translate --rgnn-check-compiled %t.backward

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#etype = #rgnn.rows<etype, @g0>

rgnn.schema @g0 edge_types(5)

// GAT (Zhang et al., equation 1): a [h_u || h_v].
// CHECK-LABEL: func @gat(
//  CHECK-SAME:   %[[G:.*]]: !rgnn.graph<@g0>, %[[X:.*]]: tensor<?x8xf64, {{.*}}>, %[[A:.*]]: tensor<16x1xf64>)
//   CHECK-DAG:   %[[AL:.*]] = rgnn.slice %[[A]] dim 0 from 0 size 8
//   CHECK-DAG:   %[[AR:.*]] = rgnn.slice %[[A]] dim 0 from 8 size 8
//   CHECK-DAG:   %[[L:.*]] = rgnn.linear %[[X]], %[[AL]] : tensor<?x8xf64, #rgnn.rows<node, @g0>>, tensor<8x1xf64>
//   CHECK-DAG:   %[[R:.*]] = rgnn.linear %[[X]], %[[AR]] : tensor<?x8xf64, #rgnn.rows<node, @g0>>, tensor<8x1xf64>
//   CHECK-DAG:   %[[LU:.*]] = rgnn.gather src %[[L]]
//   CHECK-DAG:   %[[RV:.*]] = rgnn.gather dst %[[R]]
//       CHECK:   %[[S:.*]] = rgnn.map %[[LU]], %[[RV]]
//       CHECK:     arith.addf
//   CHECK-NOT:   rgnn.concat
//       CHECK:   return %[[S]]
// REMARK: Passed{{.*}}Function=gat {{.*}}rgnn.linear becomes a sum of 2 products, by what their rows depend on
// REMARK: Passed{{.*}}Function=gat {{.*}}rgnn.linear is computed for each src
// REMARK: Passed{{.*}}Function=gat {{.*}}rgnn.linear is computed for each dst
func.func @gat(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %a: tensor<16x1xf64>) -> tensor<?x1xf64, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x8xf64, #node>
  %c = rgnn.concat %u, %v dim 1 : tensor<?x8xf64, #edge>, tensor<?x8xf64, #edge>
  %s = rgnn.linear %c, %a : tensor<?x16xf64, #edge>, tensor<16x1xf64>
  return %s : tensor<?x1xf64, #edge>
}

// The same as it is written with heads: (torch.cat([h_u, h_v], -1) * att).sum(-1).
// CHECK-LABEL: func @heads(
//   CHECK-DAG:   rgnn.slice %{{.*}} dim 1 from 0 size 4 : tensor<2x8xf64>
//   CHECK-DAG:   rgnn.slice %{{.*}} dim 1 from 4 size 4 : tensor<2x8xf64>
//   CHECK-DAG:   %[[L:.*]] = rgnn.reduce_features sum %{{.*}} dim 2 : tensor<?x2x4xf64, #rgnn.rows<node, @g0>>
//   CHECK-DAG:   rgnn.gather src %[[L]]
//   CHECK-DAG:   %[[R:.*]] = rgnn.reduce_features sum %{{.*}} dim 2 : tensor<?x2x4xf64, #rgnn.rows<node, @g0>>
//   CHECK-DAG:   rgnn.gather dst %[[R]]
//   CHECK-NOT:   rgnn.reduce_features
//       CHECK:   return
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x4xf64, #node>, %a: tensor<2x8xf64>) -> tensor<?x2xf64, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x2x4xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x2x4xf64, #node>
  %c = rgnn.concat %u, %v dim 2 : tensor<?x2x4xf64, #edge>, tensor<?x2x4xf64, #edge>
  %m = rgnn.map %c, %a : (tensor<?x2x8xf64, #edge>, tensor<2x8xf64>) -> tensor<?x2x8xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.mulf %p, %q : f64
    rgnn.yield %r : f64
  }
  %s = rgnn.reduce_features sum %m dim 2 : tensor<?x2x8xf64, #edge>
  return %s : tensor<?x2xf64, #edge>
}

// Two pieces of the source share a product, the type has one (Simple-HGN), and what callers give for edges stays:
// its columns are on both sides of the others. The weight is stored transposed.
// CHECK-LABEL: func @pieces(
//   CHECK-DAG:   %[[XX:.*]] = rgnn.concat %{{.*}}, %{{.*}} dim 1 : tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<?x6xf64, #rgnn.rows<node, @g0>>
//   CHECK-DAG:   rgnn.linear %[[XX]], %{{.*}} transposed : tensor<?x10xf64, #rgnn.rows<node, @g0>>, tensor<3x10xf64>
//   CHECK-DAG:   rgnn.linear %{{.*}} transposed : tensor<5x8xf64, #rgnn.rows<etype, @g0>>, tensor<3x8xf64>
//   CHECK-DAG:   rgnn.linear %{{.*}} transposed : tensor<?x5xf64, #rgnn.rows<edge, @g0>>, tensor<3x5xf64>
//   CHECK-NOT:   rgnn.linear
//       CHECK:   return
// REMARK: Passed{{.*}}Function=pieces {{.*}}rgnn.linear becomes a sum of 3 products, by what their rows depend on
// REMARK: Missed{{.*}}Function=pieces {{.*}}rgnn.linear stays on edges: its rows depend on more than etype or src or dst
func.func @pieces(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %y: tensor<?x6xf64, #node>, %t: tensor<5x8xf64, #etype>,
                  %a: tensor<?x2xf64, #edge>, %b: tensor<?x3xf64, #edge>, %w: tensor<3x23xf64>) -> tensor<?x3xf64, #edge> {
  %xu = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %yu = rgnn.gather src %y in %g : tensor<?x6xf64, #node>
  %te = rgnn.gather etype %t in %g : tensor<5x8xf64, #etype>
  %ab = rgnn.concat %a, %xu dim 1 : tensor<?x2xf64, #edge>, tensor<?x4xf64, #edge>
  %c = rgnn.concat %ab, %te, %yu, %b dim 1 : tensor<?x6xf64, #edge>, tensor<?x8xf64, #edge>, tensor<?x6xf64, #edge>, tensor<?x3xf64, #edge>
  %z = rgnn.linear %c, %w transposed : tensor<?x23xf64, #edge>, tensor<3x23xf64>
  return %z : tensor<?x3xf64, #edge>
}

// Pieces of one end that are neighbours, among them one that was joined before: one slice of the weight.
// CHECK-LABEL: func @neighbours(
//   CHECK-DAG:   %[[W:.*]] = rgnn.slice %{{.*}} dim 0 from 0 size 10
//   CHECK-DAG:   %[[XX:.*]] = rgnn.concat %{{.*}} dim 1 : tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<?x2xf64, #rgnn.rows<node, @g0>>
//   CHECK-DAG:   rgnn.linear %[[XX]], %[[W]] : tensor<?x10xf64, #rgnn.rows<node, @g0>>
//   CHECK-DAG:   rgnn.linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<4x3xf64>
//   CHECK-NOT:   rgnn.linear
//       CHECK:   return
func.func @neighbours(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %y: tensor<?x2xf64, #node>, %w: tensor<14x3xf64>) -> tensor<?x3xf64, #edge> {
  %xu = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %yu = rgnn.gather src %y in %g : tensor<?x2xf64, #node>
  %xv = rgnn.gather dst %x in %g : tensor<?x4xf64, #node>
  %u = rgnn.concat %xu, %yu dim 1 : tensor<?x4xf64, #edge>, tensor<?x2xf64, #edge>
  %c = rgnn.concat %xu, %u, %xv dim 1 : tensor<?x4xf64, #edge>, tensor<?x6xf64, #edge>, tensor<?x4xf64, #edge>
  %z = rgnn.linear %c, %w : tensor<?x14xf64, #edge>, tensor<14x3xf64>
  return %z : tensor<?x3xf64, #edge>
}

// A function of each element is one of each piece. Inner products of pieces.
// CHECK-LABEL: func @functions(
//   CHECK-DAG:   rgnn.linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<4x2xf64>
//   CHECK-DAG:   rgnn.linear %{{.*}} : tensor<?x3xf64, #rgnn.rows<node, @g0>>, tensor<3x2xf64>
//   CHECK-DAG:   rgnn.dot %{{.*}} : tensor<?x4xf64, #rgnn.rows<node, @g0>>
//   CHECK-DAG:   rgnn.dot %{{.*}} : tensor<?x3xf64, #rgnn.rows<node, @g0>>
//   CHECK-NOT:   rgnn.{{dot|linear}}
//       CHECK:   return
func.func @functions(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %y: tensor<?x3xf64, #node>, %b: tensor<7xf64>, %w: tensor<7x2xf64>)
    -> (tensor<?x2xf64, #edge>, tensor<?xf64, #edge>) {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %v = rgnn.gather dst %y in %g : tensor<?x3xf64, #node>
  %c = rgnn.concat %u, %v dim 1 : tensor<?x4xf64, #edge>, tensor<?x3xf64, #edge>
  %m = rgnn.map %c, %b : (tensor<?x7xf64, #edge>, tensor<7xf64>) -> tensor<?x7xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.addf %p, %q : f64
    %t = math.tanh %r : f64
    rgnn.yield %t : f64
  }
  %z = rgnn.linear %m, %w : tensor<?x7xf64, #edge>, tensor<7x2xf64>
  %d = rgnn.dot %m, %c : tensor<?x7xf64, #edge>
  return %z, %d : tensor<?x2xf64, #edge>, tensor<?xf64, #edge>
}

// The difference of both ends (Zhang et al., figure 4): one product for each node serves both.
// CHECK-LABEL: func @difference(
//       CHECK:   %[[P:.*]] = rgnn.linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<4x3xf64>
//   CHECK-NOT:   rgnn.linear
//   CHECK-DAG:   %[[U:.*]] = rgnn.gather src %[[P]]
//   CHECK-DAG:   %[[V:.*]] = rgnn.gather dst %[[P]]
//       CHECK:   rgnn.map %[[U]], %[[V]]
//       CHECK:     arith.subf
func.func @difference(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<4x3xf64>) -> tensor<?x3xf64, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x4xf64, #node>
  %d = rgnn.map %u, %v : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.subf %p, %q : f64
    rgnn.yield %r : f64
  }
  %z = rgnn.linear %d, %w : tensor<?x4xf64, #edge>, tensor<4x3xf64>
  return %z : tensor<?x3xf64, #edge>
}

// Sums of sums: multiples, a number for each node that is broadcast, a bias, which goes with any, and the type.
// CHECK-LABEL: func @multiples(
//   CHECK-DAG:   rgnn.linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<4x3xf64>
//   CHECK-DAG:   rgnn.linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<4x3xf64>
//   CHECK-DAG:   rgnn.linear %{{.*}} : tensor<5x4xf64, #rgnn.rows<etype, @g0>>, tensor<4x3xf64>
//   CHECK-NOT:   rgnn.linear
//       CHECK:   return
// REMARK: Passed{{.*}}Function=multiples {{.*}}rgnn.linear becomes a sum of 3 products
func.func @multiples(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %n: tensor<?x1xf64, #node>, %t: tensor<5x4xf64, #etype>, %b: tensor<4xf64>, %w: tensor<4x3xf64>)
    -> tensor<?x3xf64, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %nu = rgnn.gather src %n in %g : tensor<?x1xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x4xf64, #node>
  %te = rgnn.gather etype %t in %g : tensor<5x4xf64, #etype>
  %d = rgnn.map %u, %v, %nu, %b : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>, tensor<4xf64>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %q: f64, %i: f64, %j: f64):
    %two = arith.constant 2.0 : f64
    %four = arith.constant 4.0 : f64
    %0 = arith.mulf %two, %p : f64
    %1 = arith.divf %q, %four : f64
    %2 = arith.subf %0, %1 : f64
    %3 = arith.addf %2, %i : f64
    %4 = arith.subf %3, %j : f64
    rgnn.yield %4 : f64
  }
  %e = rgnn.map %te, %d : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %0 = arith.negf %p : f64
    %1 = arith.addf %0, %q : f64
    rgnn.yield %1 : f64
  }
  %z = rgnn.linear %e, %w : tensor<?x4xf64, #edge>, tensor<4x3xf64>
  return %z : tensor<?x3xf64, #edge>
}

// Floats of 16 bits are subtracted before they are rounded.
// CHECK-LABEL: func private @rounded(
//       CHECK:   rgnn.linear %{{.*}} : tensor<?x4xbf16, #rgnn.rows<edge, @g0>>
// REMARK: Missed{{.*}}Function=rounded {{.*}}rgnn.linear stays on edges
func.func private @rounded(%g: !rgnn.graph<@g0>, %x: tensor<?x4xbf16, #node>, %w: tensor<4x3xbf16>) -> tensor<?x3xbf16, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x4xbf16, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x4xbf16, #node>
  %d = rgnn.map %u, %v : (tensor<?x4xbf16, #edge>, tensor<?x4xbf16, #edge>) -> tensor<?x4xbf16, #edge> {
  ^bb0(%p: bf16, %q: bf16):
    %r = arith.subf %p, %q : bf16
    rgnn.yield %r : bf16
  }
  %z = rgnn.linear %d, %w : tensor<?x4xbf16, #edge>, tensor<4x3xbf16>
  return %z : tensor<?x3xbf16, #edge>
}

// A term that stays on edges, a product of both ends, a sum with a number, and columns of one number.
// CHECK-LABEL: func @refused(
// CHECK-COUNT-4: rgnn.linear %{{.*}} : tensor<?x{{[24]}}xf64, #rgnn.rows<edge, @g0>>
// REMARK-COUNT-4: Missed{{.*}}Function=refused {{.*}}rgnn.linear stays on edges: its rows depend on more than etype or src or dst
//  REMARK-NOT: Function=refused
func.func @refused(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %n: tensor<?x1xf64, #node>, %a: tensor<?x4xf64, #edge>, %w: tensor<4x3xf64>, %v: tensor<2x3xf64>)
    -> (tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>) {
  %xu = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %xv = rgnn.gather dst %x in %g : tensor<?x4xf64, #node>
  %0 = rgnn.map %xu, %a : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.addf %p, %q : f64
    rgnn.yield %r : f64
  }
  %1 = rgnn.linear %0, %w : tensor<?x4xf64, #edge>, tensor<4x3xf64>
  %2 = rgnn.map %xu, %xv : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.mulf %p, %q : f64
    rgnn.yield %r : f64
  }
  %3 = rgnn.linear %2, %w : tensor<?x4xf64, #edge>, tensor<4x3xf64>
  %4 = rgnn.map %xu, %xv : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %one = arith.constant 1.0 : f64
    %s = arith.addf %p, %one : f64
    %r = arith.subf %s, %q : f64
    rgnn.yield %r : f64
  }
  %5 = rgnn.linear %4, %w : tensor<?x4xf64, #edge>, tensor<4x3xf64>
  %nu = rgnn.gather src %n in %g : tensor<?x1xf64, #node>
  %nv = rgnn.gather dst %n in %g : tensor<?x1xf64, #node>
  %6 = rgnn.concat %nu, %nv dim 1 : tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>
  %7 = rgnn.linear %6, %v : tensor<?x2xf64, #edge>, tensor<2x3xf64>
  return %1, %3, %5, %7 : tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>
}
