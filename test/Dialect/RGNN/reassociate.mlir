// RUN: rgnn-opt %s --rgnn-reassociate --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --rgnn-reassociate --remarks-filter-passed=".*" --remarks-filter-missed=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-opt %s --rgnn-reassociate --remarks-filter-analyse=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TREES

// Every order that is kept computes the same, and so does its gradient.
// RUN: %check_numeric %s --rgnn-reassociate
// RUN: %check_numeric %s --rgnn-reassociate=variant=1
// RUN: %check_numeric %s --rgnn-reassociate=variant=2
// RUN: %check_numeric %s --rgnn-reassociate=variant=3
// RUN: %check_numeric %s --rgnn-reassociate=variant=4
// RUN: %check_numeric %s --rgnn-reassociate=variant=5
// RUN: %check_numeric %s --rgnn-reassociate=variant=6
// RUN: rgnn-opt %s --rgnn-reassociate=variant=1 | rgnn-translate --rgnn-check-gradient --seeds=8 | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-opt %s --rgnn-reassociate=variant=2 | rgnn-translate --rgnn-check-gradient --seeds=8 | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-opt %s --rgnn-reassociate=variant=3 | rgnn-translate --rgnn-check-gradient --seeds=8 | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-opt %s --rgnn-reassociate=variant=4 | rgnn-translate --rgnn-check-gradient --seeds=8 | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-opt %s --rgnn-reassociate=variant=5 | rgnn-translate --rgnn-check-gradient --seeds=8 | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-opt %s --rgnn-reassociate=variant=6 | rgnn-translate --rgnn-check-gradient --seeds=8 | FileCheck %s --check-prefix=GRADIENT

// So does machine code: of the last order, and of what the pipeline chooses.
// RUN: rgnn-opt %s --rgnn-reassociate=variant=4 | rgnn-translate --rgnn-check-compiled --rgnn-to-cpu-options=reassociate=false | FileCheck %s --check-prefix=COMPILED
// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s --check-prefix=COMPILED
// COMPILED-COUNT-8: compiled code agrees on 16 seeds

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(1)

// GCN with factors of edges, infinite at nodes without edges, which is why they become 1 there.
// CHECK-LABEL: func @gcn(
//  CHECK-SAME:   %[[G:.*]]: !rgnn.graph<@g0>, %[[X:.*]]: tensor<?x8xf64, {{.*}}>, %[[W:.*]]: tensor<8x4xf64>
//       CHECK:   %[[OUT:.*]] = rgnn.degree src
//       CHECK:   %[[DU:.*]] = rgnn.map %[[OUT]]
//       CHECK:   rgnn.map
//       CHECK:   %[[FINITE:.*]] = rgnn.map %[[DU]], %[[OUT]]
//       CHECK:     %[[HAS:.*]] = arith.cmpf ogt
//       CHECK:     arith.select %[[HAS]], %{{.*}}, %{{.*}} : f64
//       CHECK:   %[[H:.*]] = rgnn.linear %[[X]], %[[W]]
//       CHECK:   %[[S:.*]] = rgnn.map %[[H]], %[[FINITE]]
//       CHECK:   %[[U:.*]] = rgnn.gather src %[[S]]
//       CHECK:   %[[A:.*]] = rgnn.reduce sum dst %[[U]]
//       CHECK:   rgnn.map %[[A]], %{{.*}} : (tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<?xf64, #rgnn.rows<node, @g0>>)
//   CHECK-NOT:   rgnn.gather
// TREES: Function=gcn |{{.*}}12 orders, 4 kept; 1: (D1 (A1 (D2 (H1 W1)))) costs 40; 2: ((D1 A1 D2) (H1 W1)) costs 70; 3: ((D1 (A1 (D2 H1))) W1) costs 91; 4: (((D1 A1 D2) H1) W1) costs 106
// REMARK: Passed{{.*}}Function=gcn |{{.*}}computed as (D1 (A1 (D2 (H1 W1))))
// GRADIENT: @gcn: gradients agree
func.func @gcn(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<8x4xf64>) -> tensor<?x4xf64, #node> {
  %in = rgnn.degree dst in %g : tensor<?xf64, #node>
  %out = rgnn.degree src in %g : tensor<?xf64, #node>
  %dv = rgnn.map %in : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %r = math.rsqrt %a : f64
    rgnn.yield %r : f64
  }
  %du = rgnn.map %out : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %r = math.rsqrt %a : f64
    rgnn.yield %r : f64
  }
  %nv = rgnn.gather dst %dv in %g : tensor<?xf64, #node>
  %nu = rgnn.gather src %du in %g : tensor<?xf64, #node>
  %n = rgnn.map %nv, %nu : (tensor<?xf64, #edge>, tensor<?xf64, #edge>) -> tensor<?xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %n1 = rgnn.reshape %n : tensor<?xf64, #edge> -> tensor<?x1xf64, #edge>
  %h = rgnn.linear %x, %w : tensor<?x8xf64, #node>, tensor<8x4xf64>
  %u = rgnn.gather src %h in %g : tensor<?x4xf64, #node>
  %m = rgnn.map %n1, %u : (tensor<?x1xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// GCN with factors of nodes, which are finite: PyG sets one over the root of degree 0 to 0. The same factors at both
// ends; the product comes last, since rows get wider.
// CHECK-LABEL: func @wider(
//   CHECK-NOT:   rgnn.linear
//       CHECK:   rgnn.reduce sum dst {{.*}} tensor<?x32xf64
//       CHECK:   rgnn.linear {{.*}} : tensor<?x32xf64, #rgnn.rows<node, @g0>>, tensor<32x64xf64>
// TREES: Function=wider {{.*}}12 orders, 4 kept; 1: (D1 (A1 (D1 (H1 W1)))) costs 706; 2: ((D1 A1 D1) (H1 W1)) costs 736; 3: ((D1 (A1 (D1 H1))) W1) costs 481; 4: (((D1 A1 D1) H1) W1) costs 448
// REMARK: Passed{{.*}}Function=wider {{.*}}computed as (((D1 A1 D1) H1) W1)
// GRADIENT: @wider: gradients agree
func.func @wider(%g: !rgnn.graph<@g0>, %x: tensor<?x32xf64, #node>, %w: tensor<32x64xf64>) -> tensor<?x64xf64, #node> {
  %deg = rgnn.degree dst in %g : tensor<?xf64, #node>
  %d = rgnn.map %deg : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %power = arith.constant -0.5 : f64
    %infinite = arith.constant 0x7FF0000000000000 : f64
    %zero = arith.constant 0.0 : f64
    %r = math.powf %a, %power : f64
    %is = arith.cmpf oeq, %r, %infinite : f64
    %s = arith.select %is, %zero, %r : f64
    rgnn.yield %s : f64
  }
  %d1 = rgnn.reshape %d : tensor<?xf64, #node> -> tensor<?x1xf64, #node>
  %h = rgnn.linear %x, %w : tensor<?x32xf64, #node>, tensor<32x64xf64>
  %s = rgnn.map %h, %d1 : (tensor<?x64xf64, #node>, tensor<?x1xf64, #node>) -> tensor<?x64xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x64xf64, #node>
  %a = rgnn.reduce sum dst %u in %g : tensor<?x64xf64, #edge>
  %y = rgnn.map %a, %d1 : (tensor<?x64xf64, #node>, tensor<?x1xf64, #node>) -> tensor<?x64xf64, #node> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  return %y : tensor<?x64xf64, #node>
}

// GAT: the sum reads the narrower rows, and the product is computed again behind it.
// CHECK-LABEL: func @gat(
//  CHECK-SAME:   %{{.*}}: !rgnn.graph<@g0>, %[[X:.*]]: tensor<?x4xf64, {{.*}}>, %[[W:.*]]: tensor<4x16xf64>
//       CHECK:   rgnn.linear %[[X]], %[[W]]
//       CHECK:   %[[ALPHA:.*]] = rgnn.group_softmax dst
//       CHECK:   %[[U:.*]] = rgnn.gather src %[[X]]
//       CHECK:   %[[M:.*]] = rgnn.map %[[U]], %[[ALPHA]]
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst %[[M]]
//       CHECK:   rgnn.linear %[[S]], %[[W]]
// TREES: Function=gat |{{.*}}2 orders, 2 kept; 1: (A1 (H1 W1)) costs 152; 2: ((A1 H1) W1) costs 48
// REMARK: Passed{{.*}}Function=gat |{{.*}}computed as ((A1 H1) W1)
// GRADIENT: @gat: gradients agree
func.func @gat(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<4x16xf64>, %l: tensor<16x1xf64>, %r: tensor<16x1xf64>)
    -> tensor<?x16xf64, #node> {
  %h = rgnn.linear %x, %w : tensor<?x4xf64, #node>, tensor<4x16xf64>
  %su = rgnn.linear %h, %l : tensor<?x16xf64, #node>, tensor<16x1xf64>
  %sv = rgnn.linear %h, %r : tensor<?x16xf64, #node>, tensor<16x1xf64>
  %eu = rgnn.gather src %su in %g : tensor<?x1xf64, #node>
  %ev = rgnn.gather dst %sv in %g : tensor<?x1xf64, #node>
  %e = rgnn.map %eu, %ev : (tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x1xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %s = arith.addf %a, %b : f64
    %t = math.tanh %s : f64
    rgnn.yield %t : f64
  }
  %alpha = rgnn.group_softmax dst %e in %g : tensor<?x1xf64, #edge>
  %u = rgnn.gather src %h in %g : tensor<?x16xf64, #node>
  %m = rgnn.map %u, %alpha : (tensor<?x16xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x16xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x16xf64, #edge>
  return %y : tensor<?x16xf64, #node>
}

// Where rows do not get wider, what the attention reads is read again.
// CHECK-LABEL: func @gat_reuse(
//       CHECK:   %[[H:.*]] = rgnn.linear
//       CHECK:   rgnn.gather src %[[H]]
//   CHECK-NOT:   rgnn.linear
// TREES: Function=gat_reuse {{.*}}2 orders, 2 kept; 1: (A1 (H1 W1)) costs 80; 2: ((A1 H1) W1) costs 84
// REMARK: Missed{{.*}}Function=gat_reuse {{.*}}the order stays: it is (A1 (H1 W1))
// GRADIENT: @gat_reuse: gradients agree
func.func @gat_reuse(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<8x8xf64>, %alpha: tensor<?x1xf64, #edge>)
    -> (tensor<?x8xf64, #node>, tensor<?x8xf64, #node>) {
  %h = rgnn.linear %x, %w : tensor<?x8xf64, #node>, tensor<8x8xf64>
  %u = rgnn.gather src %h in %g : tensor<?x8xf64, #node>
  %m = rgnn.map %u, %alpha : (tensor<?x8xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x8xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x8xf64, #edge>
  return %y, %h : tensor<?x8xf64, #node>, tensor<?x8xf64, #node>
}

// SGC: two sums with nothing in between. The factors of edges are computed once for both.
// CHECK-LABEL: func @sgc(
// TREES: Function=sgc {{.*}}132 orders, 6 kept; 1: (D1 (A1 ((D1 D1) (A1 (D1 (H1 W1)))))) costs 42; {{.*}}3: ((D1 A1 D1) ((D1 A1 D1) (H1 W1))) costs 76;
// REMARK: Passed{{.*}}Function=sgc {{.*}}computed as (D1 (A1 ((D1 D1) (A1 (D1 (H1 W1))))))
// GRADIENT: @sgc: gradients agree
func.func @sgc(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %d: tensor<?x1xf64, #node>, %w: tensor<4x2xf64>) -> tensor<?x2xf64, #node> {
  %du = rgnn.gather src %d in %g : tensor<?x1xf64, #node>
  %dv = rgnn.gather dst %d in %g : tensor<?x1xf64, #node>
  %n = rgnn.map %du, %dv : (tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x1xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %m = rgnn.map %u, %n : (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %h = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  %u2 = rgnn.gather src %h in %g : tensor<?x4xf64, #node>
  %m2 = rgnn.map %u2, %n : (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %h2 = rgnn.reduce sum dst %m2 in %g : tensor<?x4xf64, #edge>
  %y = rgnn.linear %h2, %w : tensor<?x4xf64, #node>, tensor<4x2xf64>
  return %y : tensor<?x2xf64, #node>
}

// The same with factors that are infinite where a node has no edges of one direction, but those of the other.
// REMARK: Passed{{.*}}Function=sgc_degrees {{.*}}computed as
// GRADIENT: @sgc_degrees: gradients agree
func.func @sgc_degrees(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<4x2xf64>) -> tensor<?x2xf64, #node> {
  %out = rgnn.degree src in %g : tensor<?xf64, #node>
  %in = rgnn.degree dst in %g : tensor<?xf64, #node>
  %o = rgnn.map %out : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %r = math.rsqrt %a : f64
    rgnn.yield %r : f64
  }
  %du = rgnn.gather src %o in %g : tensor<?xf64, #node>
  %dv = rgnn.gather dst %in in %g : tensor<?xf64, #node>
  %n = rgnn.map %du, %dv : (tensor<?xf64, #edge>, tensor<?xf64, #edge>) -> tensor<?xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.divf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %m = rgnn.map %u, %n : (tensor<?x4xf64, #edge>, tensor<?xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %h = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  %u2 = rgnn.gather src %h in %g : tensor<?x4xf64, #node>
  %m2 = rgnn.map %u2, %n : (tensor<?x4xf64, #edge>, tensor<?xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %h2 = rgnn.reduce sum dst %m2 in %g : tensor<?x4xf64, #edge>
  %y = rgnn.linear %h2, %w : tensor<?x4xf64, #node>, tensor<4x2xf64>
  return %y : tensor<?x2xf64, #node>
}

// TAGCN: each hop's rows go on to the next and to a product of their own, which ends a chain.
// TREES: Function=tagcn {{.*}}12 orders, 4 kept
// TREES: Function=tagcn {{.*}}4 orders, 2 kept; 1: (D1 (A1 (D1 H1))) costs 45; 2: ((D1 A1 D1) H1) costs 68
// GRADIENT: @tagcn: gradients agree
func.func @tagcn(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %d: tensor<?x1xf64, #node>, %w0: tensor<4x4xf64>, %w1: tensor<4x4xf64>,
                 %w2: tensor<4x4xf64>) -> (tensor<?x4xf64, #node>, tensor<?x4xf64, #node>, tensor<?x4xf64, #node>) {
  %du = rgnn.gather src %d in %g : tensor<?x1xf64, #node>
  %dv = rgnn.gather dst %d in %g : tensor<?x1xf64, #node>
  %y0 = rgnn.linear %x, %w0 : tensor<?x4xf64, #node>, tensor<4x4xf64>
  %u1 = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %m1 = rgnn.map %du, %dv, %u1 : (tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %q = arith.mulf %a, %b : f64
    %r = arith.mulf %q, %c : f64
    rgnn.yield %r : f64
  }
  %h1 = rgnn.reduce sum dst %m1 in %g : tensor<?x4xf64, #edge>
  %y1 = rgnn.linear %h1, %w1 : tensor<?x4xf64, #node>, tensor<4x4xf64>
  %u2 = rgnn.gather src %h1 in %g : tensor<?x4xf64, #node>
  %m2 = rgnn.map %du, %dv, %u2 : (tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %q = arith.mulf %a, %b : f64
    %r = arith.mulf %q, %c : f64
    rgnn.yield %r : f64
  }
  %h2 = rgnn.reduce sum dst %m2 in %g : tensor<?x4xf64, #edge>
  %y2 = rgnn.linear %h2, %w2 transposed : tensor<?x4xf64, #node>, tensor<4x4xf64>
  return %y0, %y1, %y2 : tensor<?x4xf64, #node>, tensor<?x4xf64, #node>, tensor<?x4xf64, #node>
}

// The mean over outgoing edges, divided by a factor that both ends have; products on edges.
// CHECK-LABEL: func @mean(
//   CHECK-NOT:   rgnn.linear {{.*}}edge
//       CHECK:   rgnn.reduce mean src
// GRADIENT: @mean: gradients agree
func.func @mean(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<8x4xf64>, %e: tensor<?xf64, #edge>) -> tensor<?x4xf64, #node> {
  %in = rgnn.degree dst in %g : tensor<?xf64, #node>
  %out = rgnn.degree src in %g : tensor<?xf64, #node>
  %nv = rgnn.gather dst %in in %g : tensor<?xf64, #node>
  %nu = rgnn.gather src %out in %g : tensor<?xf64, #node>
  %u = rgnn.gather dst %x in %g : tensor<?x8xf64, #node>
  %m = rgnn.map %u, %nv, %nu, %e : (tensor<?x8xf64, #edge>, tensor<?xf64, #edge>, tensor<?xf64, #edge>, tensor<?xf64, #edge>) -> tensor<?x8xf64, #edge> {
  ^bb0(%a: f64, %b: f64, %c: f64, %d: f64):
    %q = arith.mulf %b, %c : f64
    %r = arith.divf %a, %q : f64
    %s = arith.mulf %r, %d : f64
    rgnn.yield %s : f64
  }
  %z = rgnn.linear %m, %w : tensor<?x8xf64, #edge>, tensor<8x4xf64>
  %y = rgnn.reduce mean src %z in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}
