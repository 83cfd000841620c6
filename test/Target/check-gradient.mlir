// The gradient of every op that has one, against finite differences.

// RUN: rgnn-translate --rgnn-check-gradient %s | FileCheck %s

#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#edge = #rgnn.rows<edge, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#etype = #rgnn.rows<etype, @g0>
#ntype = #rgnn.rows<ntype, @g0>

rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// CHECK: @gather: gradients agree on 16 seeds
func.func @gather(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #node>, %p: tensor<?x2xf64, #src_pair>, %t: tensor<?x2xf64, #etype>)
    -> (tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>, tensor<?x2xf64, #dst_pair>) {
  %0 = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %1 = rgnn.gather src_pair %p in %g : tensor<?x2xf64, #src_pair>
  %2 = rgnn.gather etype %t in %g : tensor<?x2xf64, #etype>
  %3 = rgnn.gather dst %x in %g to dst_pair : tensor<?x2xf64, #node>
  return %0, %1, %2, %3 : tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>, tensor<?x2xf64, #dst_pair>
}

// CHECK: @reduce: gradients agree on 16 seeds
func.func @reduce(%g: !rgnn.graph<@g0>, %m: tensor<?x2xf64, #edge>, %p: tensor<?xf64, #dst_pair>)
    -> (tensor<?x2xf64, #node>, tensor<?x2xf64, #src_pair>, tensor<?x2xf64, #node>, tensor<?x2xf64, #dst_pair>, tensor<?xf64, #node>) {
  %0 = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #edge>
  %1 = rgnn.reduce mean src_pair %m in %g : tensor<?x2xf64, #edge>
  %2 = rgnn.reduce max src %m in %g : tensor<?x2xf64, #edge>
  %3 = rgnn.reduce min dst_pair %m in %g : tensor<?x2xf64, #edge>
  %4 = rgnn.reduce mean dst %p in %g : tensor<?xf64, #dst_pair>
  return %0, %1, %2, %3, %4 : tensor<?x2xf64, #node>, tensor<?x2xf64, #src_pair>, tensor<?x2xf64, #node>, tensor<?x2xf64, #dst_pair>, tensor<?xf64, #node>
}

// CHECK: @softmax: gradients agree on 16 seeds
func.func @softmax(%g: !rgnn.graph<@g0>, %m: tensor<?x3xf64, #edge>)
    -> (tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>) {
  %0 = rgnn.group_softmax dst %m in %g : tensor<?x3xf64, #edge>
  %1 = rgnn.group_softmax dst_pair %m in %g : tensor<?x3xf64, #edge>
  %2 = rgnn.softmax %m : tensor<?x3xf64, #edge>
  %3 = rgnn.softmax log %m : tensor<?x3xf64, #edge>
  return %0, %1, %2, %3 : tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>, tensor<?x3xf64, #edge>
}

// CHECK: @products: gradients agree on 16 seeds
func.func @products(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<4x3xf64>, %v: tensor<3x4xf64>,
                    %m: tensor<?x2x4xf64, #edge>, %t: tensor<3x2x4x3xf64>, %n: tensor<2x4x4xf64>)
    -> (tensor<?x3xf64, #node>, tensor<?x3xf64, #node>, tensor<?x2x3xf64, #edge>, tensor<?x2x3xf64, #edge>, tensor<?x4xf64, #node>, tensor<?x2xf64, #edge>, tensor<4x4xf64>) {
  %0 = rgnn.linear %x, %w : tensor<?x4xf64, #node>, tensor<4x3xf64>
  %1 = rgnn.linear %x, %v transposed : tensor<?x4xf64, #node>, tensor<3x4xf64>
  %2 = rgnn.linear %m, %w : tensor<?x2x4xf64, #edge>, tensor<4x3xf64>
  %3 = rgnn.typed_linear %m, %t by etype in %g : tensor<?x2x4xf64, #edge>, tensor<3x2x4x3xf64>
  %4 = rgnn.typed_linear %x, %n by ntype in %g : tensor<?x4xf64, #node>, tensor<2x4x4xf64>
  %5 = rgnn.dot %m, %m : tensor<?x2x4xf64, #edge>
  %6 = rgnn.linear %w, %v : tensor<4x3xf64>, tensor<3x4xf64>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<?x3xf64, #node>, tensor<?x3xf64, #node>, tensor<?x2x3xf64, #edge>, tensor<?x2x3xf64, #edge>, tensor<?x4xf64, #node>, tensor<?x2xf64, #edge>, tensor<4x4xf64>
}

// Operands that are broadcast: along dimensions of a row, to every row, and both.
// CHECK: @broadcast: gradients agree on 16 seeds
func.func @broadcast(%x: tensor<?x2x3xf64, #node>, %a: tensor<?x1x3xf64, #node>, %b: tensor<?x3xf64, #node>, %c: tensor<3xf64>, %d: tensor<2x1xf64>)
    -> tensor<?x2x3xf64, #node> {
  %0 = rgnn.map %x, %a, %b, %c, %d : (tensor<?x2x3xf64, #node>, tensor<?x1x3xf64, #node>, tensor<?x3xf64, #node>, tensor<3xf64>, tensor<2x1xf64>)
      -> tensor<?x2x3xf64, #node> {
  ^bb0(%s: f64, %t: f64, %u: f64, %v: f64, %w: f64):
    %1 = arith.mulf %s, %t : f64
    %2 = arith.mulf %u, %v : f64
    %3 = arith.addf %1, %2 : f64
    %4 = arith.mulf %3, %w : f64
    %5 = arith.mulf %4, %s : f64
    rgnn.yield %5 : f64
  }
  return %0 : tensor<?x2x3xf64, #node>
}

// Numbers are in [-1, 1]: some functions get one that is larger.
// CHECK: @scalars: gradients agree on 16 seeds
func.func @scalars(%x: tensor<?xf64, #node>, %y: tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  %0 = rgnn.map %x, %y : (tensor<?xf64, #node>, tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %zero = arith.constant 0.0 : f64
    %two = arith.constant 2.0 : f64
    %slope = arith.constant 0.2 : f64
    %large = arith.addf %b, %two : f64
    %s0 = arith.subf %a, %b : f64
    %s1 = arith.divf %s0, %large : f64
    %s2 = arith.negf %s1 : f64
    %s3 = arith.maximumf %s2, %a : f64
    %s4 = arith.minimumf %s3, %large : f64
    %relu = arith.maximumf %s4, %zero : f64
    %positive = arith.cmpf ogt, %a, %zero : f64
    %small = arith.mulf %a, %slope : f64
    %leaky = arith.select %positive, %a, %small : f64
    %e0 = math.exp %a : f64
    %e1 = math.exp2 %b : f64
    %e2 = math.expm1 %a : f64
    %l0 = math.log %large : f64
    %l1 = math.log1p %large : f64
    %l2 = math.log2 %large : f64
    %l3 = math.log10 %large : f64
    %r0 = math.sqrt %large : f64
    %r1 = math.rsqrt %large : f64
    %t0 = math.sin %a : f64
    %t1 = math.cos %b : f64
    %t2 = math.tanh %a : f64
    %t3 = math.erf %b : f64
    %p0 = math.powf %large, %a : f64
    %a0 = math.absf %a : f64
    %f = arith.truncf %a0 : f64 to f32
    %d = arith.extf %f : f32 to f64
    %m0 = arith.addf %relu, %leaky : f64
    %m1 = arith.mulf %m0, %e0 : f64
    %m2 = arith.addf %m1, %e1 : f64
    %m3 = arith.mulf %m2, %e2 : f64
    %m4 = arith.addf %m3, %l0 : f64
    %m5 = arith.mulf %m4, %l1 : f64
    %m6 = arith.addf %m5, %l2 : f64
    %m7 = arith.mulf %m6, %l3 : f64
    %m8 = arith.addf %m7, %r0 : f64
    %m9 = arith.mulf %m8, %r1 : f64
    %n0 = arith.addf %m9, %t0 : f64
    %n1 = arith.mulf %n0, %t1 : f64
    %n2 = arith.addf %n1, %t2 : f64
    %n3 = arith.mulf %n2, %t3 : f64
    %n4 = arith.addf %n3, %p0 : f64
    %n5 = arith.addf %n4, %d : f64
    rgnn.yield %n5 : f64
  }
  return %0 : tensor<?xf64, #node>
}

// CHECK: @shapes: gradients agree on 16 seeds
func.func @shapes(%x: tensor<?x2x3xf64, #node>, %y: tensor<?x2x1xf64, #node>, %w: tensor<2x3x4xf64>)
    -> (tensor<?x6xf64, #node>, tensor<?x3x2xf64, #node>, tensor<?x2x4xf64, #node>, tensor<?x2x1xf64, #node>, tensor<?x2x3xf64, #node>, tensor<4x2x3xf64>) {
  %0 = rgnn.reshape %x : tensor<?x2x3xf64, #node> -> tensor<?x6xf64, #node>
  %1 = rgnn.permute %x [0, 2, 1] : tensor<?x2x3xf64, #node>
  %2 = rgnn.concat %x, %y dim 2 : tensor<?x2x3xf64, #node>, tensor<?x2x1xf64, #node>
  %3 = rgnn.slice %x dim 2 from 1 size 1 : tensor<?x2x3xf64, #node>
  %4 = rgnn.slice %x dim 2 from 0 size 3 : tensor<?x2x3xf64, #node>
  %5 = rgnn.permute %w [2, 0, 1] : tensor<2x3x4xf64>
  return %0, %1, %2, %3, %4, %5 : tensor<?x6xf64, #node>, tensor<?x3x2xf64, #node>, tensor<?x2x4xf64, #node>, tensor<?x2x1xf64, #node>, tensor<?x2x3xf64, #node>, tensor<4x2x3xf64>
}

// CHECK: @features: gradients agree on 16 seeds
func.func @features(%x: tensor<?x2x3xf64, #node>)
    -> (tensor<?x3xf64, #node>, tensor<?x2xf64, #node>, tensor<?x2xf64, #node>, tensor<?x3xf64, #node>) {
  %0 = rgnn.reduce_features sum %x dim 1 : tensor<?x2x3xf64, #node>
  %1 = rgnn.reduce_features mean %x dim 2 : tensor<?x2x3xf64, #node>
  %2 = rgnn.reduce_features max %x dim 2 : tensor<?x2x3xf64, #node>
  %3 = rgnn.reduce_features min %x dim 1 : tensor<?x2x3xf64, #node>
  return %0, %1, %2, %3 : tensor<?x3xf64, #node>, tensor<?x2xf64, #node>, tensor<?x2xf64, #node>, tensor<?x3xf64, #node>
}

// A norm has no derivative at zero, and a large one next to it: numbers are made to be in [1, 3].
// CHECK: @norm: gradients agree on 16 seeds
func.func @norm(%x: tensor<?x2x3xf64, #node>, %w: tensor<2x4xf64>) -> (tensor<?x2xf64, #node>, tensor<2xf64>) {
  %y = rgnn.map %x : (tensor<?x2x3xf64, #node>) -> tensor<?x2x3xf64, #node> {
  ^bb0(%a: f64):
    %two = arith.constant 2.0 : f64
    %s = arith.addf %a, %two : f64
    rgnn.yield %s : f64
  }
  %v = rgnn.map %w : (tensor<2x4xf64>) -> tensor<2x4xf64> {
  ^bb0(%a: f64):
    %two = arith.constant 2.0 : f64
    %s = arith.addf %a, %two : f64
    rgnn.yield %s : f64
  }
  %0 = rgnn.norm %y : tensor<?x2x3xf64, #node>
  %1 = rgnn.norm %v : tensor<2x4xf64>
  return %0, %1 : tensor<?x2xf64, #node>, tensor<2xf64>
}

// CHECK: @cross: gradients agree on 16 seeds
func.func @cross(%x: tensor<?x2x3xf64, #node>, %y: tensor<?x2x3xf64, #node>, %v: tensor<3xf64>, %w: tensor<3xf64>) -> (tensor<?x2x3xf64, #node>, tensor<3xf64>) {
  %0 = rgnn.cross %x, %y : tensor<?x2x3xf64, #node>, tensor<?x2x3xf64, #node>
  %1 = rgnn.cross %v, %w : tensor<3xf64>, tensor<3xf64>
  return %0, %1 : tensor<?x2x3xf64, #node>, tensor<3xf64>
}

// CHECK: @node_types: gradients agree on 16 seeds
func.func @node_types(%g: !rgnn.graph<@g0>, %a: tensor<?x2xf64, #node0>, %b: tensor<?x2xf64, #node1>, %x: tensor<?x2xf64, #node>)
    -> (tensor<?x2xf64, #node>, tensor<?x2xf64, #node1>) {
  %0 = rgnn.concat_types %a, %b in %g : (tensor<?x2xf64, #node0>, tensor<?x2xf64, #node1>) -> tensor<?x2xf64, #node>
  %1 = rgnn.slice_type %x in %g : tensor<?x2xf64, #node> -> tensor<?x2xf64, #node1>
  return %0, %1 : tensor<?x2xf64, #node>, tensor<?x2xf64, #node1>
}

// CHECK: @joined_rows: gradients agree on 16 seeds
func.func @joined_rows(%g: !rgnn.graph<@g0>, %a: tensor<?x2xf64, #node0>, %b: tensor<?x2xf64, #node1>) -> tensor<?x2xf64, #node> {
  %0 = rgnn.concat_rows %a, %b in %g : (tensor<?x2xf64, #node0>, tensor<?x2xf64, #node1>) -> tensor<?x2xf64, #node>
  return %0 : tensor<?x2xf64, #node>
}

// CHECK: @regrouped_rows: gradients agree on 16 seeds
func.func @regrouped_rows(%g: !rgnn.graph<@g0>, %a: tensor<?x6xf64, #node>) -> tensor<?x2x3xf64, #node> {
  %0 = rgnn.regroup_rows %a in %g : tensor<?x6xf64, #node> -> tensor<?x2x3xf64, #node>
  return %0 : tensor<?x2x3xf64, #node>
}

// CHECK: @lookup: gradients agree on 16 seeds
func.func @lookup(%g: !rgnn.graph<@g1>, %basis: tensor<2x9x3xf64>, %comp: tensor<3x2xf64>)
    -> (tensor<?x3xf64, #rgnn.rows<edge, @g1>>, tensor<?x3xf64, #rgnn.rows<edge, @g1>>) {
  %0 = rgnn.lookup src %basis bases(%comp) in %g : (tensor<2x9x3xf64>, tensor<3x2xf64>) -> !rgnn.graph<@g1>
  %1 = rgnn.lookup dst %basis bases(%comp) in %g : (tensor<2x9x3xf64>, tensor<3x2xf64>) -> !rgnn.graph<@g1>
  return %0, %1 : tensor<?x3xf64, #rgnn.rows<edge, @g1>>, tensor<?x3xf64, #rgnn.rows<edge, @g1>>
}

// A row for each type and node, and the transpose, where edges are repeated, loops, or there are none.
// CHECK: @table: gradients agree on 16 seeds
func.func @table(%g: !rgnn.graph<@g1>, %table: tensor<3x9x4xf64>) -> (tensor<?x4xf64, #rgnn.rows<edge, @g1>>, tensor<?x4xf64, #rgnn.rows<edge, @g1>>) {
  %0 = rgnn.lookup src %table in %g : (tensor<3x9x4xf64>) -> !rgnn.graph<@g1>
  %1 = rgnn.lookup dst %table in %g : (tensor<3x9x4xf64>) -> !rgnn.graph<@g1>
  return %0, %1 : tensor<?x4xf64, #rgnn.rows<edge, @g1>>, tensor<?x4xf64, #rgnn.rows<edge, @g1>>
}

// CHECK: @lookup_sum: gradients agree on 16 seeds
func.func @lookup_sum(%g: !rgnn.graph<@g1>, %m: tensor<?x4xf64, #rgnn.rows<edge, @g1>>) -> (tensor<3x9x4xf64>, tensor<3x9x4xf64>) {
  %0 = rgnn.lookup_sum src %m in %g : tensor<?x4xf64, #rgnn.rows<edge, @g1>> -> tensor<3x9x4xf64>
  %1 = rgnn.lookup_sum dst %m in %g : tensor<?x4xf64, #rgnn.rows<edge, @g1>> -> tensor<3x9x4xf64>
  return %0, %1 : tensor<3x9x4xf64>, tensor<3x9x4xf64>
}

// One row is the gradient of all, on every domain.
// CHECK: @sum_rows: gradients agree on 16 seeds
func.func @sum_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x2x3xf64, #node>, %y: tensor<?x2xf64, #node1>, %m: tensor<?x2xf64, #edge>,
                    %p: tensor<?xf64, #src_pair>, %q: tensor<?x1xf64, #dst_pair>, %t: tensor<?x2xf64, #etype>, %k: tensor<?x2xf64, #ntype>)
    -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<f64>, tensor<1xf64>, tensor<2xf64>, tensor<2xf64>) {
  %0 = rgnn.sum_rows %x : tensor<?x2x3xf64, #node>
  %1 = rgnn.sum_rows %y : tensor<?x2xf64, #node1>
  %2 = rgnn.sum_rows %m : tensor<?x2xf64, #edge>
  %3 = rgnn.sum_rows %p : tensor<?xf64, #src_pair>
  %4 = rgnn.sum_rows %q : tensor<?x1xf64, #dst_pair>
  %5 = rgnn.sum_rows %t : tensor<?x2xf64, #etype>
  %6 = rgnn.sum_rows %k : tensor<?x2xf64, #ntype>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<f64>, tensor<1xf64>, tensor<2xf64>, tensor<2xf64>
}

// Means of rows that are no edges.
// CHECK: @means: gradients agree on 16 seeds
func.func @means(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #node>, %p: tensor<?x2xf64, #src_pair>, %q: tensor<?x2xf64, #dst_pair>)
    -> (tensor<?x2xf64, #ntype>, tensor<?x2xf64, #node>, tensor<?x2xf64, #etype>) {
  %0 = rgnn.reduce mean ntype %x in %g : tensor<?x2xf64, #node>
  %1 = rgnn.reduce mean src %p in %g : tensor<?x2xf64, #src_pair>
  %2 = rgnn.reduce mean etype %q in %g : tensor<?x2xf64, #dst_pair>
  return %0, %1, %2 : tensor<?x2xf64, #ntype>, tensor<?x2xf64, #node>, tensor<?x2xf64, #etype>
}

// A layer as it is lifted: rows come and go as plain tensors.
// CHECK: @rgat: gradients agree on 16 seeds
func.func @rgat(%x: tensor<?x4xf64>, %edge_index: tensor<2x?xi64>, %edge_type: tensor<?xi64>, %w: tensor<3x4x4xf64>,
                %q: tensor<4x1xf64>, %k: tensor<4x1xf64>, %bias: tensor<4xf64>) -> tensor<?x4xf64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf64>
  %g = rgnn.coo_graph edges(%edge_index : tensor<2x?xi64>) types(%edge_type : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %h = rgnn.place %x in %g : tensor<?x4xf64> -> tensor<?x4xf64, #rgnn.rows<node, @g1>>
  %u = rgnn.gather src %h in %g : tensor<?x4xf64, #rgnn.rows<node, @g1>>
  %v = rgnn.gather dst %h in %g : tensor<?x4xf64, #rgnn.rows<node, @g1>>
  %zu = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #rgnn.rows<edge, @g1>>, tensor<3x4x4xf64>
  %zv = rgnn.typed_linear %v, %w by etype in %g : tensor<?x4xf64, #rgnn.rows<edge, @g1>>, tensor<3x4x4xf64>
  %su = rgnn.linear %zu, %k : tensor<?x4xf64, #rgnn.rows<edge, @g1>>, tensor<4x1xf64>
  %sv = rgnn.linear %zv, %q : tensor<?x4xf64, #rgnn.rows<edge, @g1>>, tensor<4x1xf64>
  %s = rgnn.map %su, %sv : (tensor<?x1xf64, #rgnn.rows<edge, @g1>>, tensor<?x1xf64, #rgnn.rows<edge, @g1>>) -> tensor<?x1xf64, #rgnn.rows<edge, @g1>> {
  ^bb0(%a: f64, %b: f64):
    %zero = arith.constant 0.0 : f64
    %slope = arith.constant 0.2 : f64
    %sum = arith.addf %a, %b : f64
    %small = arith.mulf %sum, %slope : f64
    %positive = arith.cmpf ogt, %sum, %zero : f64
    %leaky = arith.select %positive, %sum, %small : f64
    rgnn.yield %leaky : f64
  }
  %att = rgnn.group_softmax dst %s in %g : tensor<?x1xf64, #rgnn.rows<edge, @g1>>
  %m = rgnn.map %att, %zu : (tensor<?x1xf64, #rgnn.rows<edge, @g1>>, tensor<?x4xf64, #rgnn.rows<edge, @g1>>) -> tensor<?x4xf64, #rgnn.rows<edge, @g1>> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    rgnn.yield %p : f64
  }
  %sum = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #rgnn.rows<edge, @g1>>
  %out = rgnn.map %sum, %bias : (tensor<?x4xf64, #rgnn.rows<node, @g1>>, tensor<4xf64>) -> tensor<?x4xf64, #rgnn.rows<node, @g1>> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.addf %a, %b : f64
    rgnn.yield %p : f64
  }
  %y = rgnn.unplace %out : tensor<?x4xf64, #rgnn.rows<node, @g1>>
  return %y : tensor<?x4xf64>
}

rgnn.schema @g1 edge_types(3)

// A result that does not change with an argument, and an argument that is a result.
// CHECK: @apart: gradients agree on 16 seeds
func.func @apart(%x: tensor<?x2xf64, #node>, %y: tensor<?x2xf64, #node>, %z: tensor<3xf64>) -> (tensor<?x2xf64, #node>, tensor<?x2xf64, #node>) {
  return %x, %x : tensor<?x2xf64, #node>, tensor<?x2xf64, #node>
}

rgnn.schema @g2 edge_types(3)

// Plain values that are used twice: an argument that is placed and returned, rows of one graph that are placed in another
// and returned.
// CHECK: @used_twice: gradients agree on 16 seeds
func.func @used_twice(%a: tensor<2x?xi64>, %s: tensor<?xi64>, %x: tensor<?x4xf64>)
    -> (tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf64>
  %g = rgnn.coo_graph edges(%a : tensor<2x?xi64>) types(%s : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %h = rgnn.coo_graph edges(%a : tensor<2x?xi64>) types(%s : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g2>
  %0 = rgnn.place %x in %g : tensor<?x4xf64> -> tensor<?x4xf64, #rgnn.rows<node, @g1>>
  %1 = rgnn.gather src %0 in %g : tensor<?x4xf64, #rgnn.rows<node, @g1>>
  %2 = rgnn.reduce sum dst %1 in %g : tensor<?x4xf64, #rgnn.rows<edge, @g1>>
  %y = rgnn.unplace %2 : tensor<?x4xf64, #rgnn.rows<node, @g1>>
  %3 = rgnn.place %y in %h : tensor<?x4xf64> -> tensor<?x4xf64, #rgnn.rows<node, @g2>>
  %4 = rgnn.gather dst %3 in %h : tensor<?x4xf64, #rgnn.rows<node, @g2>>
  %5 = rgnn.reduce sum src %4 in %h : tensor<?x4xf64, #rgnn.rows<edge, @g2>>
  %z = rgnn.unplace %5 : tensor<?x4xf64, #rgnn.rows<node, @g2>>
  return %y, %z, %x, %x : tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>
}

// CHECK: @matmul: gradients agree on 16 seeds
func.func @matmul(%a: tensor<2x3x2x4xf64>, %b: tensor<2x3x4x2xf64>) -> tensor<2x3x2x2xf64> {
  %0 = rgnn.matmul %a, %b : tensor<2x3x2x4xf64>, tensor<2x3x4x2xf64>
  return %0 : tensor<2x3x2x2xf64>
}

// CHECK: @repeated: gradients agree on 16 seeds
func.func @repeated(%a: tensor<1x2xf64>, %b: tensor<1x2xf64>, %x: tensor<?x2xf64, #node>) -> (tensor<4x2xf64>, tensor<?x4xf64, #node>) {
  %0 = rgnn.concat %a, %b, %a, %a dim 0 : tensor<1x2xf64>, tensor<1x2xf64>, tensor<1x2xf64>, tensor<1x2xf64>
  %1 = rgnn.concat %x, %x dim 1 : tensor<?x2xf64, #node>, tensor<?x2xf64, #node>
  return %0, %1 : tensor<4x2xf64>, tensor<?x4xf64, #node>
}
