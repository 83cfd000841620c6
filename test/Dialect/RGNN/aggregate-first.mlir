// RUN: rgnn-opt %s --rgnn-aggregate-first --canonicalize --cse | FileCheck %s
// RUN: %check_numeric %s --rgnn-aggregate-first
// RUN: rgnn-opt %s --rgnn-aggregate-first --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-opt %s --rgnn-aggregate-first | rgnn-translate --rgnn-check-gradient --seeds=4 | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-opt %s --rgnn-differentiate --canonicalize --cse -o %t.mlir
// RUN: %check_numeric %t.mlir --rgnn-aggregate-first | FileCheck %s --check-prefix=BACKWARD
// GRADIENT-COUNT-7: gradients agree on 4 seeds
// BACKWARD-COUNT-14: equivalent on 16 seeds

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>

rgnn.schema @g0 edge_types(5)

// RGCN: the mean within each relation.
// CHECK-LABEL: func @rgcn(
//       CHECK:   %[[U:.*]] = rgnn.gather src
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst_pair %[[U]]
//       CHECK:   %[[Z:.*]] = rgnn.typed_linear %[[S]], %{{.*}} : tensor<?x8xf64, #rgnn.rows<dst_pair, @g0>>, tensor<5x8x4xf64>
//       CHECK:   %[[M:.*]] = rgnn.map %[[Z]], %{{.*}} : (tensor<?x4xf64, #rgnn.rows<dst_pair, @g0>>, tensor<?x1xf64, #rgnn.rows<dst_pair, @g0>>)
//       CHECK:   rgnn.reduce sum dst %[[M]]
// REMARK: Passed{{.*}}Function=rgcn {{.*}}rows are summed before they are multiplied
func.func @rgcn(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %d = rgnn.degree dst_pair in %g : tensor<?xf64, #dst_pair>
  %e = rgnn.gather dst_pair %d in %g : tensor<?xf64, #dst_pair>
  %r = rgnn.reshape %e : tensor<?xf64, #edge> -> tensor<?x1xf64, #edge>
  %m = rgnn.map %z, %r : (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.divf %a, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// The sum over outgoing edges of what callers give for edges, scaled by one number for all.
// CHECK-LABEL: func @outgoing(
//       CHECK:   rgnn.reduce sum src_pair
//       CHECK:   rgnn.typed_linear {{.*}}src_pair
//       CHECK:   rgnn.map {{.*}}src_pair
//       CHECK:   rgnn.reduce sum src
func.func @outgoing(%g: !rgnn.graph<@g0>, %a: tensor<?x8xf64, #edge>, %w: tensor<5x8x4xf64>, %c: tensor<4xf64>) -> tensor<?x4xf64, #node> {
  %z = rgnn.typed_linear %a, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %m = rgnn.map %c, %z : (tensor<4xf64>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum src %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// Blocks, whose products are joined before the sum.
// CHECK-LABEL: func @blocks(
//       CHECK:   rgnn.reduce sum dst_pair
//       CHECK:   rgnn.typed_linear {{.*}}tensor<?x2x4xf64, #rgnn.rows<dst_pair, @g0>>
//       CHECK:   rgnn.reshape {{.*}} -> tensor<?x6xf64, #rgnn.rows<dst_pair, @g0>>
//       CHECK:   rgnn.reduce sum dst
func.func @blocks(%g: !rgnn.graph<@g0>, %a: tensor<?x2x4xf64, #edge>, %w: tensor<5x2x4x3xf64>) -> tensor<?x6xf64, #node> {
  %z = rgnn.typed_linear %a, %w by etype in %g : tensor<?x2x4xf64, #edge>, tensor<5x2x4x3xf64>
  %r = rgnn.reshape %z : tensor<?x2x3xf64, #edge> -> tensor<?x6xf64, #edge>
  %y = rgnn.reduce sum dst %r in %g : tensor<?x6xf64, #edge>
  return %y : tensor<?x6xf64, #node>
}

// The mean of a pair is that of the rows before the product, scaled as they were.
// CHECK-LABEL: func @mean_of_pairs(
//       CHECK:   %[[S:.*]] = rgnn.reduce mean dst_pair
//       CHECK:   %[[Z:.*]] = rgnn.typed_linear %[[S]], {{.*}}#rgnn.rows<dst_pair, @g0>>
//       CHECK:   %[[M:.*]] = rgnn.map %{{.*}}, %[[Z]]
//       CHECK:   return %[[M]]
func.func @mean_of_pairs(%g: !rgnn.graph<@g0>, %a: tensor<?x8xf64, #edge>, %w: tensor<5x8x4xf64>, %c: tensor<4xf64>) -> tensor<?x4xf64, #dst_pair> {
  %z = rgnn.typed_linear %a, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %m = rgnn.map %c, %z : (tensor<4xf64>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce mean dst_pair %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #dst_pair>
}

// The mean of all edges of a node counts them, of whatever type; without edges it is zero.
// CHECK-LABEL: func @mean_of_nodes(
//       CHECK:   %[[P:.*]] = rgnn.reduce sum dst_pair
//       CHECK:   %[[Z:.*]] = rgnn.typed_linear %[[P]]
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst %[[Z]]
//       CHECK:   %[[D:.*]] = rgnn.degree dst
//       CHECK:   %[[N:.*]] = rgnn.reshape %[[D]] : {{.*}} -> tensor<?x1x1xf64
//       CHECK:   rgnn.map %[[S]], %[[N]]
//       CHECK:     arith.maximumf
//       CHECK:     arith.divf
// REMARK: Passed{{.*}}Function=mean_of_nodes {{.*}}rows are summed before they are multiplied
func.func @mean_of_nodes(%g: !rgnn.graph<@g0>, %a: tensor<?x2x4xf64, #edge>, %w: tensor<5x2x4x3xf64>) -> tensor<?x2x3xf64, #node> {
  %z = rgnn.typed_linear %a, %w by etype in %g : tensor<?x2x4xf64, #edge>, tensor<5x2x4x3xf64>
  %y = rgnn.reduce mean dst %z in %g : tensor<?x2x3xf64, #edge>
  return %y : tensor<?x2x3xf64, #node>
}

// An attention weight differs among the edges of a pair, but scales a row before the product as behind it.
// CHECK-LABEL: func @attention(
//       CHECK:   %[[M:.*]] = rgnn.map {{.*}} -> tensor<?x8xf64, #rgnn.rows<edge, @g0>>
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst_pair %[[M]]
//       CHECK:   %[[Z:.*]] = rgnn.typed_linear %[[S]], {{.*}}#rgnn.rows<dst_pair, @g0>>
//       CHECK:   rgnn.reduce sum dst %[[Z]]
// REMARK: Passed{{.*}}Function=attention {{.*}}rows are summed before they are multiplied
func.func @attention(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x4xf64>, %s: tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %m = rgnn.map %z, %s : (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// CHECK-LABEL: func @refused(
// CHECK-COUNT-4: rgnn.typed_linear {{.*}}#rgnn.rows<edge, @g0>>
// REMARK: Missed{{.*}}Function=refused {{.*}}they are reduced by something else than a sum or mean
// REMARK: Missed{{.*}}Function=refused {{.*}}what is between is not linear
// REMARK: Missed{{.*}}Function=refused {{.*}}the rows are also used otherwise
// REMARK: Missed{{.*}}Function=refused {{.*}}the factors of a row differ among the edges of an end and type
func.func @refused(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #edge>, %w: tensor<5x8x4xf64>, %v: tensor<5x8x4xf64>, %t: tensor<5x8x4xf64>, %o: tensor<5x8x4xf64>)
    -> (tensor<?x4xf64, #node>, tensor<?x4xf64, #node>, tensor<?x4xf64, #node>, tensor<?x4xf64, #edge>, tensor<?x4xf64, #node>) {
  %z = rgnn.typed_linear %x, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %y = rgnn.reduce max dst %z in %g : tensor<?x4xf64, #edge>
  %z2 = rgnn.typed_linear %x, %v by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %r = rgnn.map %z2 : (tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64):
    %q = math.exp %a : f64
    rgnn.yield %q : f64
  }
  %y2 = rgnn.reduce sum dst %r in %g : tensor<?x4xf64, #edge>
  %z3 = rgnn.typed_linear %x, %t by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %y3 = rgnn.reduce sum dst %z3 in %g : tensor<?x4xf64, #edge>
  %z4 = rgnn.typed_linear %x, %o by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %m = rgnn.map %z4, %z4 : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %y4 = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y, %y2, %y3, %z3, %y4 : tensor<?x4xf64, #node>, tensor<?x4xf64, #node>, tensor<?x4xf64, #node>, tensor<?x4xf64, #edge>, tensor<?x4xf64, #node>
}
