// RUN: rgnn-opt %s --rgnn-differentiate --canonicalize --cse --rgnn-recompute --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --rgnn-differentiate --canonicalize --cse --rgnn-recompute --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: sed s/f32/f64/g %s | rgnn-translate --rgnn-check-gradient --seeds=4
// RUN: rgnn-opt %s --rgnn-differentiate --canonicalize --cse --rgnn-recompute -o %t.mlir
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %t.mlir

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>

rgnn.schema @g0 edge_types(3)

// GAT: two numbers for each node instead of one for each edge. The scores are made again of what is saved for each node.
// CHECK-LABEL: func.func @attention(
//  CHECK-SAME:   -> (tensor<?x4xf32, #rgnn.rows<node, @g0>>,
//       CHECK:   %[[M:.*]] = rgnn.reduce max dst %[[S:.*]] in
//       CHECK:   %[[OF:.*]] = rgnn.gather dst %[[M]]
//       CHECK:   %[[E:.*]] = rgnn.map %[[S]], %[[OF]]
//       CHECK:     math.exp
//       CHECK:   %[[D:.*]] = rgnn.reduce sum dst %[[E]]
//       CHECK:   %[[R:.*]] = rgnn.map %[[D]]
//       CHECK:     arith.divf
//   CHECK-NOT:   rgnn.group_softmax
//       CHECK:   return %{{.*}}, %[[M]], %[[R]] :
// CHECK-LABEL: func.func @attention_backward(
//  CHECK-SAME:   %[[M:[a-z0-9]*]]: tensor<?x1xf32, #rgnn.rows<node, @g0>> {rgnn.result = 3 : i64}
//  CHECK-SAME:   %[[R:[a-z0-9]*]]: tensor<?x1xf32, #rgnn.rows<node, @g0>> {rgnn.result = 4 : i64}
//   CHECK-DAG:   %[[OFM:.*]] = rgnn.gather dst %[[M]]
//   CHECK-DAG:   %[[E:.*]] = rgnn.map %{{.*}}, %[[OFM]]
//   CHECK-DAG:   rgnn.gather dst %[[R]]
//       CHECK:     math.exp
// REMARK: Passed{{.*}}Function=attention {{.*}}the backward computes the result of rgnn.group_softmax again, of the maximum and the denominator of each group
func.func @attention(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<4x4xf32>, %a: tensor<4x1xf32>, %b: tensor<4x1xf32>) -> tensor<?x4xf32, #node> {
  %h = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x4xf32>
  %l = rgnn.linear %h, %a : tensor<?x4xf32, #node>, tensor<4x1xf32>
  %r = rgnn.linear %h, %b : tensor<?x4xf32, #node>, tensor<4x1xf32>
  %u = rgnn.gather src %l in %g : tensor<?x1xf32, #node>
  %v = rgnn.gather dst %r in %g : tensor<?x1xf32, #node>
  %s = rgnn.map %u, %v : (tensor<?x1xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.addf %i, %j : f32
    %1 = math.tanh %0 : f32
    rgnn.yield %1 : f32
  }
  %p = rgnn.group_softmax dst %s in %g : tensor<?x1xf32, #edge>
  %m = rgnn.gather src %h in %g : tensor<?x4xf32, #node>
  %t = rgnn.map %p, %m : (tensor<?x1xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %y = rgnn.reduce sum dst %t in %g : tensor<?x4xf32, #edge>
  return %y : tensor<?x4xf32, #node>
}

// Within relations, on pairs: two numbers for each of the groups, which may be half as many as the edges.
// CHECK-LABEL: func.func @within(
//       CHECK:   rgnn.group_softmax dst_pair
// REMARK: Missed{{.*}}Function=within {{.*}}the result of rgnn.group_softmax is kept for the backward: what it is made of takes as much memory
func.func @within(%g: !rgnn.graph<@g0>, %s: tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #node> {
  %p = rgnn.group_softmax dst_pair %s in %g : tensor<?x2xf32, #edge>
  %y = rgnn.reduce sum dst %p in %g : tensor<?x2xf32, #edge>
  return %y : tensor<?x2xf32, #node>
}

// Scores that products of edges make are not saved for anything else.
// CHECK-LABEL: func.func @products(
//       CHECK:   rgnn.group_softmax dst
// REMARK: Missed{{.*}}Function=products {{.*}}the result of rgnn.group_softmax is kept for the backward: rgnn.dot costs more to compute than to load
func.func @products(%g: !rgnn.graph<@g0>, %q: tensor<?x2x4xf32, #node>, %k: tensor<?x2x4xf32, #node>) -> tensor<?x2xf32, #node> {
  %u = rgnn.gather dst %q in %g : tensor<?x2x4xf32, #node>
  %v = rgnn.gather src %k in %g : tensor<?x2x4xf32, #node>
  %s = rgnn.dot %u, %v : tensor<?x2x4xf32, #edge>
  %p = rgnn.group_softmax dst %s in %g : tensor<?x2xf32, #edge>
  %y = rgnn.reduce sum src %p in %g : tensor<?x2xf32, #edge>
  return %y : tensor<?x2xf32, #node>
}

// HGT: the products are saved for the gradient of each relation's prior, which the backward gets, too.
// CHECK-LABEL: func.func @prior(
//       CHECK:   %[[S:.*]] = rgnn.dot
//       CHECK:   return %{{.*}}, %[[S]], %{{.*}}, %{{.*}} : tensor<?x2xf32, #rgnn.rows<node, @g0>>, tensor<?x2xf32, #rgnn.rows<edge, @g0>>, tensor<?x2xf32, #rgnn.rows<node, @g0>>, tensor<?x2xf32, #rgnn.rows<node, @g0>>
// REMARK: Passed{{.*}}Function=prior
func.func @prior(%g: !rgnn.graph<@g0>, %q: tensor<?x2x4xf32, #node>, %k: tensor<?x2x4xf32, #node>, %prior: tensor<3x2xf32>) -> tensor<?x2xf32, #node> {
  %u = rgnn.gather dst %q in %g : tensor<?x2x4xf32, #node>
  %v = rgnn.gather src %k in %g : tensor<?x2x4xf32, #node>
  %s = rgnn.dot %u, %v : tensor<?x2x4xf32, #edge>
  %table = rgnn.place %prior in %g : tensor<3x2xf32> -> tensor<3x2xf32, #rgnn.rows<etype, @g0>>
  %f = rgnn.gather etype %table in %g : tensor<3x2xf32, #rgnn.rows<etype, @g0>>
  %t = rgnn.map %s, %f : (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %p = rgnn.group_softmax dst %t in %g : tensor<?x2xf32, #edge>
  %y = rgnn.reduce sum src %p in %g : tensor<?x2xf32, #edge>
  return %y : tensor<?x2xf32, #node>
}

// A caller who asks for the weights gets them; nothing is saved.
// CHECK-LABEL: func.func @returned(
//       CHECK:   rgnn.group_softmax dst
func.func @returned(%g: !rgnn.graph<@g0>, %s: tensor<?x2xf32, #edge>) -> (tensor<?x2xf32, #edge>, tensor<?x2xf32, #node>) {
  %p = rgnn.group_softmax dst %s in %g : tensor<?x2xf32, #edge>
  %y = rgnn.reduce sum src %p in %g : tensor<?x2xf32, #edge>
  return %p, %y : tensor<?x2xf32, #edge>, tensor<?x2xf32, #node>
}

// EdgeConv: the candidates of the maximum are sums of rows of nodes, which all code rounds alike. Neither was saved.
// CHECK-LABEL: func.func @edge_conv(
//  CHECK-SAME:   -> (tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.saved}, tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.saved}) {
// CHECK-LABEL: func.func @edge_conv_backward(
//       CHECK:   rgnn.gather dst
//       CHECK:   rgnn.gather src
//       CHECK:   rgnn.map
//       CHECK:     arith.addf
//       CHECK:     arith.maximumf
//       CHECK:   arith.cmpf oeq
// REMARK: Passed{{.*}}Function=edge_conv {{.*}}the backward computes the result of rgnn.map again
func.func @edge_conv(%g: !rgnn.graph<@g0>, %x: tensor<?x3xf32, #node>, %w: tensor<3x4xf32>, %v: tensor<3x4xf32>) -> tensor<?x4xf32, #node> {
  %a = rgnn.linear %x, %w : tensor<?x3xf32, #node>, tensor<3x4xf32>
  %b = rgnn.linear %x, %v : tensor<?x3xf32, #node>, tensor<3x4xf32>
  %d = rgnn.gather dst %a in %g : tensor<?x4xf32, #node>
  %s = rgnn.gather src %b in %g : tensor<?x4xf32, #node>
  %e = rgnn.map %d, %s : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.addf %i, %j : f32
    %1 = arith.maximumf %0, %zero : f32
    rgnn.yield %1 : f32
  }
  %m = rgnn.reduce max dst %e in %g : tensor<?x4xf32, #edge>
  return %m : tensor<?x4xf32, #node>
}

// The backward compares candidates with the maximum, bit for bit.
// CHECK-LABEL: func.func @inexact(
//       CHECK:   {rgnn.saved}
// REMARK: Missed{{.*}}Function=inexact {{.*}}the result of rgnn.map is kept for the backward: rgnn.map may differ in its last bit if computed again
func.func @inexact(%g: !rgnn.graph<@g0>, %x: tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  %s = rgnn.gather src %x in %g : tensor<?x3xf32, #node>
  %d = rgnn.gather dst %x in %g : tensor<?x3xf32, #node>
  %e = rgnn.map %s, %d : (tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>) -> tensor<?x3xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = math.exp %i : f32
    %1 = arith.mulf %0, %j : f32
    rgnn.yield %1 : f32
  }
  %m = rgnn.reduce max dst %e in %g : tensor<?x3xf32, #edge>
  return %m : tensor<?x3xf32, #node>
}

// A product and a sum may be rounded once, in one kernel and not in the other.
// CHECK-LABEL: func.func @fused(
//       CHECK:   {rgnn.saved}
// REMARK: Missed{{.*}}Function=fused {{.*}}rgnn.map may differ in its last bit if computed again
func.func @fused(%g: !rgnn.graph<@g0>, %x: tensor<?x3xf32, #node>, %y: tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  %s = rgnn.gather src %x in %g : tensor<?x3xf32, #node>
  %d = rgnn.gather dst %y in %g : tensor<?x3xf32, #node>
  %p = rgnn.map %s, %d : (tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>) -> tensor<?x3xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %0, %i : f32
    rgnn.yield %1 : f32
  }
  %m = rgnn.reduce max dst %p in %g : tensor<?x3xf32, #edge>
  return %m : tensor<?x3xf32, #node>
}

// The slope of a leaky unit is in no sum.
// CHECK-LABEL: func.func @leaky(
//   CHECK-NOT:   {rgnn.saved}
// CHECK-LABEL: func.func @leaky_backward(
// REMARK: Passed{{.*}}Function=leaky
func.func @leaky(%g: !rgnn.graph<@g0>, %x: tensor<?x3xf32, #node>, %y: tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  %s = rgnn.gather src %x in %g : tensor<?x3xf32, #node>
  %d = rgnn.gather dst %y in %g : tensor<?x3xf32, #node>
  %p = rgnn.map %s, %d : (tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>) -> tensor<?x3xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.2 : f32
    %0 = arith.addf %i, %j : f32
    %1 = arith.mulf %0, %slope : f32
    %2 = arith.cmpf ogt, %0, %zero : f32
    %3 = arith.select %2, %0, %1 : f32
    rgnn.yield %3 : f32
  }
  %m = rgnn.reduce max dst %p in %g : tensor<?x3xf32, #edge>
  return %m : tensor<?x3xf32, #node>
}

// A sum over all nodes is no work on weights.
// CHECK-LABEL: func.func @sum_of_all(
//       CHECK:   rgnn.group_softmax
// REMARK: Missed{{.*}}Function=sum_of_all {{.*}}rgnn.sum_rows costs more to compute than to load
func.func @sum_of_all(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf32, #node>) -> tensor<?x2xf32, #node> {
  %all = rgnn.sum_rows %x : tensor<?x2xf32, #node>
  %u = rgnn.gather src %x in %g : tensor<?x2xf32, #node>
  %s = rgnn.map %u, %all : (tensor<?x2xf32, #edge>, tensor<2xf32>) -> tensor<?x2xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %p = rgnn.group_softmax dst %s in %g : tensor<?x2xf32, #edge>
  %y = rgnn.reduce sum src %p in %g : tensor<?x2xf32, #edge>
  return %y : tensor<?x2xf32, #node>
}

// CHECK-LABEL: func.func @largest_weight(
//       CHECK:   rgnn.group_softmax
// REMARK: Missed{{.*}}Function=largest_weight {{.*}}the result of rgnn.group_softmax is kept for the backward: it is compared with a maximum, bit for bit
func.func @largest_weight(%g: !rgnn.graph<@g0>, %s: tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #node> {
  %p = rgnn.group_softmax dst %s in %g : tensor<?x2xf32, #edge>
  %y = rgnn.reduce max src %p in %g : tensor<?x2xf32, #edge>
  return %y : tensor<?x2xf32, #node>
}

// Memory has the maximum rounded to 16 bits; the forward subtracts it as it is.
// CHECK-LABEL: func.func @half(
//       CHECK:   rgnn.group_softmax
// REMARK: Missed{{.*}}Function=half {{.*}}numbers of 16 bits are rounded in memory alone
func.func @half(%g: !rgnn.graph<@g0>, %x: tensor<?x2xbf16, #node>) -> tensor<?x2xbf16, #node> {
  %s = rgnn.gather src %x in %g : tensor<?x2xbf16, #node>
  %d = rgnn.gather dst %x in %g : tensor<?x2xbf16, #node>
  %e = rgnn.map %s, %d : (tensor<?x2xbf16, #edge>, tensor<?x2xbf16, #edge>) -> tensor<?x2xbf16, #edge> {
  ^bb0(%i: bf16, %j: bf16):
    %0 = arith.addf %i, %j : bf16
    rgnn.yield %0 : bf16
  }
  %p = rgnn.group_softmax dst %e in %g : tensor<?x2xbf16, #edge>
  %y = rgnn.reduce sum src %p in %g : tensor<?x2xbf16, #edge>
  return %y : tensor<?x2xbf16, #node>
}
