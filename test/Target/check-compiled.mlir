// Every op that has a lowering, as machine code against the interpreter: in every element type, with widths that fill no
// vector, with tasks of one row on all threads, and with vectors of four.

// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t.f64.mlir
// RUN: rgnn-translate --rgnn-check-compiled %t.f64.mlir | FileCheck %s
// RUN: sed s/f32/bf16/g %s > %t.bf16.mlir
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %t.bf16.mlir | FileCheck %s --check-prefix=FOUR
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %s --rgnn-to-cpu-options="cpu=x86-64 serial-below=0 gemm-schedule=tile_rows:8 traverse-schedule=task_rows:1" | FileCheck %s --check-prefix=FOUR
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %s --rgnn-to-cpu-options="padding=8 serial-below=0 gemm-schedule=coarsening:2,scale:load traverse-schedule=mapping:edge,task_rows:3,coarsening:2,hoisting:false,partial_aggregation:false" | FileCheck %s --check-prefix=FOUR

#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#edge = #rgnn.rows<edge, @g0>
#pair = #rgnn.rows<dst_pair, @g0>
#node_of_1 = #rgnn.rows<node, @g1>
#edge_of_1 = #rgnn.rows<edge, @g1>

rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])
rgnn.schema @g1 edge_types(2)

// CHECK: @widths: compiled code agrees on 16 seeds
// FOUR: @widths: compiled code agrees on 4 seeds
func.func @widths(%g: !rgnn.graph<@g0>, %a: tensor<?x1xf32, #node>, %b: tensor<?x3xf32, #node>, %c: tensor<?x16xf32, #node>,
                  %d: tensor<?x20xf32, #node>, %e: tensor<?x33xf32, #node>)
    -> (tensor<?x1xf32, #node>, tensor<?x3xf32, #node>, tensor<?x16xf32, #node>, tensor<?x20xf32, #node>, tensor<?x33xf32, #node>) {
  %ua = rgnn.gather src %a in %g : tensor<?x1xf32, #node>
  %ub = rgnn.gather src %b in %g : tensor<?x3xf32, #node>
  %uc = rgnn.gather src %c in %g : tensor<?x16xf32, #node>
  %ud = rgnn.gather src %d in %g : tensor<?x20xf32, #node>
  %ue = rgnn.gather src %e in %g : tensor<?x33xf32, #node>
  %sa = rgnn.reduce sum dst %ua in %g : tensor<?x1xf32, #edge>
  %sb = rgnn.reduce sum dst %ub in %g : tensor<?x3xf32, #edge>
  %sc = rgnn.reduce sum dst %uc in %g : tensor<?x16xf32, #edge>
  %sd = rgnn.reduce sum dst %ud in %g : tensor<?x20xf32, #edge>
  %se = rgnn.reduce sum dst %ue in %g : tensor<?x33xf32, #edge>
  return %sa, %sb, %sc, %sd, %se : tensor<?x1xf32, #node>, tensor<?x3xf32, #node>, tensor<?x16xf32, #node>, tensor<?x20xf32, #node>, tensor<?x33xf32, #node>
}

// Rows of edges come in the order of the list.
// CHECK: @kinds: compiled code agrees on 16 seeds
// FOUR: @kinds: compiled code agrees on 4 seeds
func.func @kinds(%g: !rgnn.graph<@g0>, %m: tensor<?x20xf32, #edge>, %s: tensor<?xf32, #edge>)
    -> (tensor<?x20xf32, #node>, tensor<?x20xf32, #node>, tensor<?x20xf32, #node>, tensor<?x20xf32, #node>, tensor<?xf32, #node>) {
  %0 = rgnn.reduce sum dst %m in %g : tensor<?x20xf32, #edge>
  %1 = rgnn.reduce mean dst %m in %g : tensor<?x20xf32, #edge>
  %2 = rgnn.reduce max dst %m in %g : tensor<?x20xf32, #edge>
  %3 = rgnn.reduce min dst %m in %g : tensor<?x20xf32, #edge>
  %4 = rgnn.reduce max dst %s in %g : tensor<?xf32, #edge>
  return %0, %1, %2, %3, %4 : tensor<?x20xf32, #node>, tensor<?x20xf32, #node>, tensor<?x20xf32, #node>, tensor<?x20xf32, #node>, tensor<?xf32, #node>
}

// CHECK: @pairs: compiled code agrees on 16 seeds
// FOUR: @pairs: compiled code agrees on 4 seeds
func.func @pairs(%g: !rgnn.graph<@g0>, %m: tensor<?x3xf32, #edge>) -> (tensor<?x3xf32, #node>, tensor<?x3xf32, #node>, tensor<?x3xf32, #node>) {
  %mean = rgnn.reduce mean dst_pair %m in %g : tensor<?x3xf32, #edge>
  %max = rgnn.reduce max dst_pair %m in %g : tensor<?x3xf32, #edge>
  %a = rgnn.gather dst_pair %mean in %g : tensor<?x3xf32, #pair>
  %b = rgnn.gather dst_pair %max in %g : tensor<?x3xf32, #pair>
  %0 = rgnn.reduce sum dst %a in %g : tensor<?x3xf32, #edge>
  %1 = rgnn.reduce min dst %b in %g : tensor<?x3xf32, #edge>
  %c = rgnn.group_softmax dst_pair %m in %g : tensor<?x3xf32, #edge>
  %d = rgnn.map %c, %m : (tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>) -> tensor<?x3xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %2 = rgnn.reduce sum dst %d in %g : tensor<?x3xf32, #edge>
  return %0, %1, %2 : tensor<?x3xf32, #node>, tensor<?x3xf32, #node>, tensor<?x3xf32, #node>
}

// Two heads of five; the softmax takes the maximum off, so that large logits do not overflow.
// CHECK: @attention: compiled code agrees on 16 seeds
// FOUR: @attention: compiled code agrees on 4 seeds
func.func @attention(%g: !rgnn.graph<@g0>, %l: tensor<?x2xf32, #edge>, %x: tensor<?x10xf32, #node>) -> tensor<?x10xf32, #node> {
  %scaled = rgnn.map %l : (tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%i: f32):
    %scale = arith.constant 300.0 : f32
    %p = arith.mulf %i, %scale : f32
    rgnn.yield %p : f32
  }
  %a = rgnn.group_softmax dst %scaled in %g : tensor<?x2xf32, #edge>
  %u = rgnn.gather src %x in %g : tensor<?x10xf32, #node>
  %z = rgnn.reshape %u : tensor<?x10xf32, #edge> -> tensor<?x2x5xf32, #edge>
  %b = rgnn.reshape %a : tensor<?x2xf32, #edge> -> tensor<?x2x1xf32, #edge>
  %m = rgnn.map %z, %b : (tensor<?x2x5xf32, #edge>, tensor<?x2x1xf32, #edge>) -> tensor<?x2x5xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %s = rgnn.reduce sum dst %m in %g : tensor<?x2x5xf32, #edge>
  %y = rgnn.reshape %s : tensor<?x2x5xf32, #node> -> tensor<?x10xf32, #node>
  return %y : tensor<?x10xf32, #node>
}

// CHECK: @degrees: compiled code agrees on 16 seeds
// FOUR: @degrees: compiled code agrees on 4 seeds
func.func @degrees(%g: !rgnn.graph<@g0>, %x: tensor<?x3xf32, #node>) -> (tensor<?x3xf32, #node>, tensor<?xf32, #node>) {
  %d = rgnn.degree dst in %g : tensor<?xf32, #node>
  %r = rgnn.reshape %d : tensor<?xf32, #node> -> tensor<?x1xf32, #node>
  %y = rgnn.map %x, %r : (tensor<?x3xf32, #node>, tensor<?x1xf32, #node>) -> tensor<?x3xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %p = rgnn.degree dst_pair in %g : tensor<?xf32, #pair>
  %e = rgnn.gather dst_pair %p in %g : tensor<?xf32, #pair>
  %n = rgnn.map %e : (tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
  ^bb0(%i: f32):
    %one = arith.constant 1.0 : f32
    %q = arith.divf %one, %i : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst %n in %g : tensor<?xf32, #edge>
  return %y, %s : tensor<?x3xf32, #node>, tensor<?xf32, #node>
}

// Weights of edge types, of both ends and of edges; with a matrix for each head; weights of node types.
// CHECK: @typed_linear: compiled code agrees on 16 seeds
// FOUR: @typed_linear: compiled code agrees on 4 seeds
func.func @typed_linear(%g: !rgnn.graph<@g0>, %x: tensor<?x20xf32, #node>, %m: tensor<?x3xf32, #edge>, %w: tensor<3x20x33xf32>,
                        %we: tensor<3x3x33xf32>, %wh: tensor<3x2x10x3xf32>, %wn: tensor<2x20x16xf32>)
    -> (tensor<?x33xf32, #node>, tensor<?x33xf32, #node>, tensor<?x2x3xf32, #node>, tensor<?x16xf32, #node>) {
  %u = rgnn.gather src %x in %g : tensor<?x20xf32, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x20xf32, #node>
  %zu = rgnn.typed_linear %u, %w by etype in %g : tensor<?x20xf32, #edge>, tensor<3x20x33xf32>
  %zv = rgnn.typed_linear %v, %w by etype in %g : tensor<?x20xf32, #edge>, tensor<3x20x33xf32>
  %ze = rgnn.typed_linear %m, %we by etype in %g : tensor<?x3xf32, #edge>, tensor<3x3x33xf32>
  %z = rgnn.map %zu, %zv, %ze : (tensor<?x33xf32, #edge>, tensor<?x33xf32, #edge>, tensor<?x33xf32, #edge>) -> tensor<?x33xf32, #edge> {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %p = arith.mulf %i, %j : f32
    %q = arith.addf %p, %k : f32
    rgnn.yield %q : f32
  }
  %0 = rgnn.reduce sum dst %z in %g : tensor<?x33xf32, #edge>
  %1 = rgnn.reduce max dst %zu in %g : tensor<?x33xf32, #edge>
  %h = rgnn.reshape %x : tensor<?x20xf32, #node> -> tensor<?x2x10xf32, #node>
  %uh = rgnn.gather src %h in %g : tensor<?x2x10xf32, #node>
  %zh = rgnn.typed_linear %uh, %wh by etype in %g : tensor<?x2x10xf32, #edge>, tensor<3x2x10x3xf32>
  %2 = rgnn.reduce mean dst %zh in %g : tensor<?x2x3xf32, #edge>
  %3 = rgnn.typed_linear %x, %wn by ntype in %g : tensor<?x20xf32, #node>, tensor<2x20x16xf32>
  return %0, %1, %2, %3 : tensor<?x33xf32, #node>, tensor<?x33xf32, #node>, tensor<?x2x3xf32, #node>, tensor<?x16xf32, #node>
}

// CHECK: @linear: compiled code agrees on 16 seeds
// FOUR: @linear: compiled code agrees on 4 seeds
func.func @linear(%g: !rgnn.graph<@g0>, %x: tensor<?x33xf32, #node>, %m: tensor<?x16xf32, #edge>, %w: tensor<33x20xf32>, %v: tensor<1x20xf32>, %we: tensor<16x1xf32>)
    -> (tensor<?x20xf32, #node>, tensor<?x1xf32, #node>, tensor<?x1xf32, #node>) {
  %0 = rgnn.linear %x, %w : tensor<?x33xf32, #node>, tensor<33x20xf32>
  %1 = rgnn.linear %0, %v transposed : tensor<?x20xf32, #node>, tensor<1x20xf32>
  %z = rgnn.linear %m, %we : tensor<?x16xf32, #edge>, tensor<16x1xf32>
  %2 = rgnn.reduce sum dst %z in %g : tensor<?x1xf32, #edge>
  return %0, %1, %2 : tensor<?x20xf32, #node>, tensor<?x1xf32, #node>, tensor<?x1xf32, #node>
}

// CHECK: @lookup: compiled code agrees on 16 seeds
// FOUR: @lookup: compiled code agrees on 4 seeds
func.func @lookup(%g: !rgnn.graph<@g0>, %t: tensor<3x9x5xf32>, %b: tensor<2x9x5xf32>, %c: tensor<3x2xf32>) -> (tensor<?x5xf32, #node>, tensor<?x5xf32, #node>) {
  %m = rgnn.lookup src %t in %g : (tensor<3x9x5xf32>) -> !rgnn.graph<@g0>
  %n = rgnn.lookup dst %b bases(%c) in %g : (tensor<2x9x5xf32>, tensor<3x2xf32>) -> !rgnn.graph<@g0>
  %0 = rgnn.reduce sum dst %m in %g : tensor<?x5xf32, #edge>
  %1 = rgnn.reduce mean dst %n in %g : tensor<?x5xf32, #edge>
  return %0, %1 : tensor<?x5xf32, #node>, tensor<?x5xf32, #node>
}

// Functions that the compiler has polynomials for, and a bias.
// CHECK: @map: compiled code agrees on 16 seeds
// FOUR: @map: compiled code agrees on 4 seeds
func.func @map(%g: !rgnn.graph<@g0>, %x: tensor<?x2x7xf32, #node>, %s: tensor<?x7xf32, #node>, %b: tensor<7xf32>) -> tensor<?x2x7xf32, #node> {
  %y = rgnn.map %x, %s, %b : (tensor<?x2x7xf32, #node>, tensor<?x7xf32, #node>, tensor<7xf32>) -> tensor<?x2x7xf32, #node> {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.2 : f32
    %0 = math.exp %i : f32
    %1 = math.tanh %j : f32
    %2 = math.erf %k : f32
    %3 = math.absf %i : f32
    %4 = math.sqrt %3 : f32
    %5 = math.log1p %3 : f32
    %6 = arith.addf %0, %1 : f32
    %7 = arith.mulf %2, %4 : f32
    %8 = arith.subf %6, %7 : f32
    %9 = arith.addf %8, %5 : f32
    %10 = arith.cmpf oge, %9, %zero : f32
    %11 = arith.mulf %9, %slope : f32
    %12 = arith.select %10, %9, %11 : f32
    rgnn.yield %12 : f32
  }
  return %y : tensor<?x2x7xf32, #node>
}

// CHECK: @rows: compiled code agrees on 16 seeds
// FOUR: @rows: compiled code agrees on 4 seeds
func.func @rows(%g: !rgnn.graph<@g0>, %x: tensor<?x2x3xf32, #node>, %y: tensor<?x2x3xf32, #node>)
    -> (tensor<?x2xf32, #node>, tensor<?x5x2xf32, #node>, tensor<?x3xf32, #node>, tensor<?x2xf32, #node>, tensor<?x2xf32, #node>,
        tensor<?x2x3xf32, #node>, tensor<?x2x3xf32, #node>, tensor<?x2xf32, #node>, tensor<?x2x3xf32, #node>) {
  %dot = rgnn.dot %x, %y : tensor<?x2x3xf32, #node>
  %p = rgnn.permute %x [0, 2, 1] : tensor<?x2x3xf32, #node>
  %s = rgnn.slice %p dim 1 from 1 size 2 : tensor<?x3x2xf32, #node>
  %c = rgnn.concat %p, %s dim 1 : tensor<?x3x2xf32, #node>, tensor<?x2x2xf32, #node>
  %mean = rgnn.reduce_features mean %x dim 1 : tensor<?x2x3xf32, #node>
  %max = rgnn.reduce_features max %x dim 2 : tensor<?x2x3xf32, #node>
  %sum = rgnn.reduce_features sum %x dim 2 : tensor<?x2x3xf32, #node>
  %soft = rgnn.softmax %x : tensor<?x2x3xf32, #node>
  %log = rgnn.softmax log %x : tensor<?x2x3xf32, #node>
  %norm = rgnn.norm %x : tensor<?x2x3xf32, #node>
  %cross = rgnn.cross %x, %y : tensor<?x2x3xf32, #node>, tensor<?x2x3xf32, #node>
  return %dot, %c, %mean, %max, %sum, %soft, %log, %norm, %cross : tensor<?x2xf32, #node>, tensor<?x5x2xf32, #node>, tensor<?x3xf32, #node>, tensor<?x2xf32, #node>,
      tensor<?x2xf32, #node>, tensor<?x2x3xf32, #node>, tensor<?x2x3xf32, #node>, tensor<?x2xf32, #node>, tensor<?x2x3xf32, #node>
}

// The same on edges, whose rows differ from message to message.
// CHECK: @edge_rows: compiled code agrees on 16 seeds
// FOUR: @edge_rows: compiled code agrees on 4 seeds
func.func @edge_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf32, #node>, %m: tensor<?x2x3xf32, #edge>)
    -> (tensor<?x2xf32, #node>, tensor<?x7xf32, #node>, tensor<?xf32, #node>, tensor<?x3xf32, #node>) {
  %u = rgnn.gather src %x in %g : tensor<?x6xf32, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x6xf32, #node>
  %z = rgnn.reshape %u : tensor<?x6xf32, #edge> -> tensor<?x2x3xf32, #edge>
  %dot = rgnn.dot %z, %m : tensor<?x2x3xf32, #edge>
  %0 = rgnn.reduce max dst %dot in %g : tensor<?x2xf32, #edge>
  %s = rgnn.slice %v dim 1 from 5 size 1 : tensor<?x6xf32, #edge>
  %soft = rgnn.softmax %u : tensor<?x6xf32, #edge>
  %c = rgnn.concat %s, %soft dim 1 : tensor<?x1xf32, #edge>, tensor<?x6xf32, #edge>
  %1 = rgnn.reduce sum dst %c in %g : tensor<?x7xf32, #edge>
  %norm = rgnn.norm %c : tensor<?x7xf32, #edge>
  %2 = rgnn.reduce sum dst %norm in %g : tensor<?xf32, #edge>
  %a = rgnn.slice %u dim 1 from 0 size 3 : tensor<?x6xf32, #edge>
  %b = rgnn.slice %v dim 1 from 2 size 3 : tensor<?x6xf32, #edge>
  %cross = rgnn.cross %a, %b : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>
  %3 = rgnn.reduce sum dst %cross in %g : tensor<?x3xf32, #edge>
  return %0, %1, %2, %3 : tensor<?x2xf32, #node>, tensor<?x7xf32, #node>, tensor<?xf32, #node>, tensor<?x3xf32, #node>
}

// Weights made of weights, and no graph at all.
// CHECK: @plain: compiled code agrees on 16 seeds
// FOUR: @plain: compiled code agrees on 4 seeds
func.func @plain(%c: tensor<3x2xf32>, %b: tensor<2x20xf32>, %d: tensor<5xf32>) -> (tensor<3x4x5xf32>, tensor<4x6xf32>) {
  %0 = rgnn.linear %c, %b : tensor<3x2xf32>, tensor<2x20xf32>
  %1 = rgnn.reshape %0 : tensor<3x20xf32> -> tensor<3x4x5xf32>
  %2 = rgnn.map %1, %d : (tensor<3x4x5xf32>, tensor<5xf32>) -> tensor<3x4x5xf32> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.addf %i, %j : f32
    rgnn.yield %p : f32
  }
  %3 = rgnn.slice %0 dim 1 from 3 size 4 : tensor<3x20xf32>
  %4 = rgnn.permute %3 [1, 0] : tensor<3x4xf32>
  %5 = rgnn.concat %4, %4 dim 1 : tensor<4x3xf32>, tensor<4x3xf32>
  return %2, %5 : tensor<3x4x5xf32>, tensor<4x6xf32>
}

// CHECK: @plain_reductions: compiled code agrees on 16 seeds
// FOUR: @plain_reductions: compiled code agrees on 4 seeds
func.func @plain_reductions(%x: tensor<3x4x5xf32>, %d: tensor<7xf32>)
    -> (tensor<4x5xf32>, tensor<3x5xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>, tensor<f32>) {
  %0 = rgnn.reduce_features sum %x dim 0 : tensor<3x4x5xf32>
  %1 = rgnn.reduce_features mean %x dim 1 : tensor<3x4x5xf32>
  %2 = rgnn.reduce_features max %x dim 2 : tensor<3x4x5xf32>
  %3 = rgnn.reduce_features min %x dim 2 : tensor<3x4x5xf32>
  %4 = rgnn.reduce_features sum %d dim 0 : tensor<7xf32>
  %5 = rgnn.norm %x : tensor<3x4x5xf32>
  %6 = rgnn.norm %d : tensor<7xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4x5xf32>, tensor<3x5xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>, tensor<f32>
}

// CHECK: @plain_cross: compiled code agrees on 16 seeds
// FOUR: @plain_cross: compiled code agrees on 4 seeds
func.func @plain_cross(%a: tensor<4x2x3xf32>, %b: tensor<4x2x3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>) -> (tensor<4x2x3xf32>, tensor<3xf32>) {
  %0 = rgnn.cross %a, %b : tensor<4x2x3xf32>, tensor<4x2x3xf32>
  %1 = rgnn.cross %c, %d : tensor<3xf32>, tensor<3xf32>
  return %0, %1 : tensor<4x2x3xf32>, tensor<3xf32>
}

// Rows of one node type, of which there may be none.
// CHECK: @node_types: compiled code agrees on 16 seeds
// FOUR: @node_types: compiled code agrees on 4 seeds
func.func @node_types(%g: !rgnn.graph<@g0>, %x0: tensor<?x4xf32, #node0>, %x1: tensor<?x3xf32, #node1>, %w: tensor<4x3xf32>)
    -> (tensor<?x3xf32, #node>, tensor<?x3xf32, #node0>, tensor<?x3xf32, #node1>) {
  %h0 = rgnn.linear %x0, %w : tensor<?x4xf32, #node0>, tensor<4x3xf32>
  %h = rgnn.concat_types %h0, %x1 in %g : (tensor<?x3xf32, #node0>, tensor<?x3xf32, #node1>) -> tensor<?x3xf32, #node>
  %u = rgnn.gather src %h in %g : tensor<?x3xf32, #node>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x3xf32, #edge>
  %s0 = rgnn.slice_type %s in %g : tensor<?x3xf32, #node> -> tensor<?x3xf32, #node0>
  %s1 = rgnn.slice_type %s in %g : tensor<?x3xf32, #node> -> tensor<?x3xf32, #node1>
  %y1 = rgnn.map %s1, %x1 : (tensor<?x3xf32, #node1>, tensor<?x3xf32, #node1>) -> tensor<?x3xf32, #node1> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.addf %i, %j : f32
    rgnn.yield %p : f32
  }
  return %s, %s0, %y1 : tensor<?x3xf32, #node>, tensor<?x3xf32, #node0>, tensor<?x3xf32, #node1>
}

// Rows joined to those of another domain that counts as many: nodes of both types, and again with edges in the caller's
// order.
// CHECK: @joined_rows: compiled code agrees on 16 seeds
// FOUR: @joined_rows: compiled code agrees on 4 seeds
func.func @joined_rows(%g: !rgnn.graph<@g0>, %x0: tensor<?x3xf32, #node0>, %x1: tensor<?x3xf32, #node1>, %e: tensor<?x3xf32, #edge>)
    -> (tensor<?x3xf32, #node>, tensor<?x3xf32, #node1>, tensor<?x3xf32, #edge>) {
  %h = rgnn.concat_rows %x0, %x1 in %g : (tensor<?x3xf32, #node0>, tensor<?x3xf32, #node1>) -> tensor<?x3xf32, #node>
  %u = rgnn.gather src %h in %g : tensor<?x3xf32, #node>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x3xf32, #edge>
  %s1 = rgnn.slice_rows %s after [#node0] in %g, %g : tensor<?x3xf32, #node> -> tensor<?x3xf32, #node1> (!rgnn.graph<@g0>, !rgnn.graph<@g0>)
  %v = rgnn.map %u, %e : (tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>) -> tensor<?x3xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %w = rgnn.concat_rows %v in %g : (tensor<?x3xf32, #edge>) -> tensor<?x3xf32, #edge>
  return %s, %s1, %w : tensor<?x3xf32, #node>, tensor<?x3xf32, #node1>, tensor<?x3xf32, #edge>
}

// The same numbers as rows of another shape, of nodes, of a type of them, and of edges in the caller's order.
// CHECK: @regrouped_rows: compiled code agrees on 16 seeds
// FOUR: @regrouped_rows: compiled code agrees on 4 seeds
func.func @regrouped_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf32, #node>, %x1: tensor<?xf32, #node1>, %e: tensor<?x6xf32, #edge>)
    -> (tensor<?x6xf32, #node>, tensor<?x1xf32, #node1>, tensor<?x2x3xf32, #edge>) {
  %h = rgnn.regroup_rows %x in %g : tensor<?x6xf32, #node> -> tensor<?x2x3xf32, #node>
  %u = rgnn.gather src %h in %g : tensor<?x2x3xf32, #node>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x2x3xf32, #edge>
  %y = rgnn.regroup_rows %s in %g : tensor<?x2x3xf32, #node> -> tensor<?x6xf32, #node>
  %y1 = rgnn.regroup_rows %x1 in %g : tensor<?xf32, #node1> -> tensor<?x1xf32, #node1>
  %w = rgnn.regroup_rows %e in %g : tensor<?x6xf32, #edge> -> tensor<?x2x3xf32, #edge>
  return %y, %y1, %w : tensor<?x6xf32, #node>, tensor<?x1xf32, #node1>, tensor<?x2x3xf32, #edge>
}

// What is returned twice, in another shape, or as it came.
// CHECK: @results: compiled code agrees on 16 seeds
// FOUR: @results: compiled code agrees on 4 seeds
func.func @results(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf32, #node>)
    -> (tensor<?x6xf32, #node>, tensor<?x6xf32, #node>, tensor<?x2x3xf32, #node>, tensor<?x6xf32, #node>) {
  %u = rgnn.gather src %x in %g : tensor<?x6xf32, #node>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x6xf32, #edge>
  %r = rgnn.reshape %s : tensor<?x6xf32, #node> -> tensor<?x2x3xf32, #node>
  return %s, %s, %r, %x : tensor<?x6xf32, #node>, tensor<?x6xf32, #node>, tensor<?x2x3xf32, #node>, tensor<?x6xf32, #node>
}

// Graphs are told apart by their schemas, wherever they stand among the arguments.
// CHECK: @two_graphs: compiled code agrees on 16 seeds
// FOUR: @two_graphs: compiled code agrees on 4 seeds
func.func @two_graphs(%x: tensor<?x3xf32, #node>, %g: !rgnn.graph<@g0>, %y: tensor<?x3xf32, #node_of_1>, %h: !rgnn.graph<@g1>)
    -> (tensor<?x3xf32, #node_of_1>, tensor<?x3xf32, #node>) {
  %u = rgnn.gather src %x in %g : tensor<?x3xf32, #node>
  %v = rgnn.gather src %y in %h : tensor<?x3xf32, #node_of_1>
  %0 = rgnn.reduce sum dst %u in %g : tensor<?x3xf32, #edge>
  %1 = rgnn.reduce max dst %v in %h : tensor<?x3xf32, #edge_of_1>
  return %1, %0 : tensor<?x3xf32, #node_of_1>, tensor<?x3xf32, #node>
}

// Graphs made of index tensors: one list with types, and one list for each edge type beside a graph that is given.
// CHECK: @one_list: compiled code agrees on 16 seeds
// FOUR: @one_list: compiled code agrees on 4 seeds
func.func @one_list(%x: tensor<?x3xf32>, %m: tensor<?x3xf32>, %ei: tensor<2x?xi32>, %et: tensor<?xi64>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %g = rgnn.coo_graph edges(%ei : tensor<2x?xi32>) types(%et : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %h = rgnn.place %x in %g : tensor<?x3xf32> -> tensor<?x3xf32, #node_of_1>
  %e = rgnn.place %m in %g : tensor<?x3xf32> -> tensor<?x3xf32, #edge_of_1>
  %u = rgnn.gather src %h in %g : tensor<?x3xf32, #node_of_1>
  %z = rgnn.map %u, %e : (tensor<?x3xf32, #edge_of_1>, tensor<?x3xf32, #edge_of_1>) -> tensor<?x3xf32, #edge_of_1> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %s = rgnn.reduce sum dst %z in %g : tensor<?x3xf32, #edge_of_1>
  %y = rgnn.unplace %s : tensor<?x3xf32, #node_of_1>
  return %y : tensor<?x3xf32>
}

// CHECK: @typed_lists: compiled code agrees on 16 seeds
// FOUR: @typed_lists: compiled code agrees on 4 seeds
func.func @typed_lists(%x0: tensor<?x3xf32>, %x1: tensor<?x3xf32>, %a: tensor<2x?xi64>, %b: tensor<2x?xi64>, %c: tensor<2x?xi64>,
                       %m: tensor<?x1xf32>, %w: tensor<3x3x5xf32>, %f: !rgnn.graph<@g1>, %y: tensor<?x5xf32, #node_of_1>)
    -> (tensor<?x5xf32, #node>, tensor<?x5xf32, #node_of_1>) {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %x0, %c0 : tensor<?x3xf32>
  %n1 = tensor.dim %x1, %c0 : tensor<?x3xf32>
  %g = rgnn.coo_graph edges(%a, %b, %c : tensor<2x?xi64>, tensor<2x?xi64>, tensor<2x?xi64>) nodes(%n0, %n1) : !rgnn.graph<@g0>
  %h0 = rgnn.place %x0 in %g : tensor<?x3xf32> -> tensor<?x3xf32, #node0>
  %h1 = rgnn.place %x1 in %g : tensor<?x3xf32> -> tensor<?x3xf32, #node1>
  %e = rgnn.place %m in %g : tensor<?x1xf32> -> tensor<?x1xf32, #edge>
  %h = rgnn.concat_types %h0, %h1 in %g : (tensor<?x3xf32, #node0>, tensor<?x3xf32, #node1>) -> tensor<?x3xf32, #node>
  %u = rgnn.gather src %h in %g : tensor<?x3xf32, #node>
  %t = rgnn.typed_linear %u, %w by etype in %g : tensor<?x3xf32, #edge>, tensor<3x3x5xf32>
  %z = rgnn.map %t, %e : (tensor<?x5xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x5xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %s = rgnn.reduce sum dst %z in %g : tensor<?x5xf32, #edge>
  %v = rgnn.gather src %y in %f : tensor<?x5xf32, #node_of_1>
  %r = rgnn.reduce mean dst %v in %f : tensor<?x5xf32, #edge_of_1>
  return %s, %r : tensor<?x5xf32, #node>, tensor<?x5xf32, #node_of_1>
}

// A factor of its own for each row, which the GEMM applies.
// CHECK: @row_scale: compiled code agrees on 16 seeds
// FOUR: @row_scale: compiled code agrees on 4 seeds
func.func @row_scale(%g: !rgnn.graph<@g0>, %x: tensor<?x3xf32, #node>, %w: tensor<3x5xf32>, %v: tensor<2x3x5xf32>, %s: tensor<?x1xf32, #node>)
    -> (tensor<?x5xf32, #node>, tensor<?x5xf32, #node>) {
  %y = rgnn.linear %x, %w : tensor<?x3xf32, #node>, tensor<3x5xf32>
  %z = rgnn.map %y, %s : (tensor<?x5xf32, #node>, tensor<?x1xf32, #node>) -> tensor<?x5xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  %t = rgnn.typed_linear %x, %v by ntype in %g : tensor<?x3xf32, #node>, tensor<2x3x5xf32>
  %u = rgnn.map %s, %t : (tensor<?x1xf32, #node>, tensor<?x5xf32, #node>) -> tensor<?x5xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %p = arith.mulf %i, %j : f32
    rgnn.yield %p : f32
  }
  return %z, %u : tensor<?x5xf32, #node>, tensor<?x5xf32, #node>
}

// Products of weights: of few rows and of more than a tile has, of batches and of none.
// CHECK: @matmul: compiled code agrees on 16 seeds
// FOUR: @matmul: compiled code agrees on 4 seeds
func.func @matmul(%a: tensor<3x2x5x4xf32>, %b: tensor<3x2x4x7xf32>, %c: tensor<2x101x3xf32>, %d: tensor<2x3x16xf32>, %e: tensor<5x4xf32>, %f: tensor<4x1xf32>)
    -> (tensor<3x2x5x7xf32>, tensor<2x101x16xf32>, tensor<5x1xf32>) {
  %0 = rgnn.matmul %a, %b : tensor<3x2x5x4xf32>, tensor<3x2x4x7xf32>
  %1 = rgnn.matmul %c, %d : tensor<2x101x3xf32>, tensor<2x3x16xf32>
  %2 = rgnn.matmul %e, %f : tensor<5x4xf32>, tensor<4x1xf32>
  return %0, %1, %2 : tensor<3x2x5x7xf32>, tensor<2x101x16xf32>, tensor<5x1xf32>
}
