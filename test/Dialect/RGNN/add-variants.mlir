// RUN: rgnn-opt %s --split-input-file --rgnn-add-variants --rgnn-reassociate --canonicalize --cse | FileCheck %s
// Once more changes nothing.
// RUN: rgnn-opt %s --split-input-file --rgnn-add-variants -o %t.once
// RUN: rgnn-opt %t.once --split-input-file --rgnn-add-variants | diff %t.once -
// RUN: rgnn-opt %s --split-input-file --rgnn-add-variants --remarks-filter-passed=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Each order computes what is written, in machine code, too, and has its gradient. Rows are narrower here.
// RUN: sed '/^\/\/ -----/,$d; s/f32/f64/g; s/64x96x/8x12x/g; s/x64x/x8x/g; s/x96x/x12x/g' %s > %t.written.mlir
// RUN: rgnn-opt %t.written.mlir --rgnn-add-variants --rgnn-reassociate -o %t.variants.mlir
// RUN: rgnn-translate --rgnn-check-equivalent --against=%t.variants.mlir %t.written.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: sed "s/@forward(/@other(/; s/@forward_1(/@forward(/" %t.variants.mlir > %t.variant.mlir
// RUN: rgnn-translate --rgnn-check-equivalent --against=%t.variant.mlir %t.written.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: rgnn-translate --rgnn-check-gradient --seeds=4 %t.variants.mlir | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %t.variants.mlir | FileCheck %s --check-prefix=COMPILED
// EQUAL: @forward: equivalent on 16 seeds
// GRADIENT: @forward: gradients agree on 4 seeds
// GRADIENT: @forward_1: gradients agree on 4 seeds
// COMPILED: @forward: compiled code agrees on 4 seeds
// COMPILED: @forward_1: compiled code agrees on 4 seeds

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(1)

// The product makes rows wider: with few edges they are summed up behind it, as written, with more before it.
// REMARK: @forward_1 for graphs with fewer than 0.[[#]] edges for each node
// CHECK-LABEL: func @forward(
//  CHECK-SAME:     attributes {rgnn.edges_per_node = 1.0{{.*}} : f64}
//       CHECK:   rgnn.reduce sum dst {{.*}} tensor<?x64xf32,
//       CHECK:   rgnn.linear
// CHECK-LABEL: func @forward_1(
//  CHECK-SAME:     attributes {rgnn.edges_per_node = 2.5{{.*}}e-01 : f64, rgnn.edges_per_node_below = 0.{{.*}} : f64}
//       CHECK:   rgnn.linear
//       CHECK:   rgnn.reduce sum dst {{.*}} tensor<?x96xf32,
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x64xf32, #node>, %w: tensor<64x96xf32>) -> tensor<?x96xf32, #node> {
  %degree = rgnn.degree dst in %g : tensor<?xf32, #node>
  %d = rgnn.map %degree : (tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %b = arith.addf %a, %one : f32
    %r = math.rsqrt %b : f32
    rgnn.yield %r : f32
  }
  %h = rgnn.linear %x, %w : tensor<?x64xf32, #node>, tensor<64x96xf32>
  %s = rgnn.map %h, %d : (tensor<?x96xf32, #node>, tensor<?xf32, #node>) -> tensor<?x96xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    rgnn.yield %r : f32
  }
  %u = rgnn.gather src %s in %g : tensor<?x96xf32, #node>
  %a = rgnn.reduce sum dst %u in %g : tensor<?x96xf32, #edge>
  %y = rgnn.map %a, %d : (tensor<?x96xf32, #node>, tensor<?xf32, #node>) -> tensor<?x96xf32, #node> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    rgnn.yield %r : f32
  }
  return %y : tensor<?x96xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(1)

// The product makes rows so narrow that it comes first on each graph.
// REMARK-NOT: forward_
// CHECK-LABEL: func @forward(
//   CHECK-NOT: attributes
//       CHECK:   return
//  CHECK-NEXT: }
//  CHECK-NEXT: }
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x64xf32, #node>, %w: tensor<64x2xf32>) -> tensor<?x2xf32, #node> {
  %h = rgnn.linear %x, %w : tensor<?x64xf32, #node>, tensor<64x2xf32>
  %u = rgnn.gather src %h in %g : tensor<?x2xf32, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x2xf32, #edge>
  return %y : tensor<?x2xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(1)

// Of two graphs, neither says alone what is cheaper.
// CHECK-LABEL: func @forward(
//   CHECK-NOT: attributes
//       CHECK:   return
//  CHECK-NEXT: }
//  CHECK-NEXT: }
func.func @forward(%g: !rgnn.graph<@g0>, %other: !rgnn.graph<@g0>, %x: tensor<?x64xf32, #node>, %w: tensor<64x96xf32>) -> tensor<?x96xf32, #node> {
  %h = rgnn.linear %x, %w : tensor<?x64xf32, #node>, tensor<64x96xf32>
  %u = rgnn.gather src %h in %g : tensor<?x96xf32, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x96xf32, #edge>
  return %y : tensor<?x96xf32, #node>
}
