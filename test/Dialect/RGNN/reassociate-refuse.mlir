// What rgnn-reassociate leaves as it is written; and that the results of the illegal orders differ.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/right.mlir --rgnn-reassociate | FileCheck %t/right.mlir
// RUN: rgnn-opt %t/right.mlir --rgnn-reassociate --remarks-filter-passed=".*" --remarks-filter-missed=".*" -o /dev/null 2>&1 | FileCheck %t/right.mlir --check-prefix=REMARK --implicit-check-not=Passed
// RUN: %check_numeric %t/right.mlir --rgnn-reassociate
// RUN: rgnn-opt %t/right.mlir --rgnn-reassociate=variant=2 --remarks-filter-missed=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: rgnn-opt %t/right.mlir --rgnn-reassociate=variant=3 --remarks-filter-missed=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=THIRD
// RUN: not rgnn-translate --rgnn-check-equivalent --against=%t/right.mlir %t/maximum.mlir 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// RUN: not rgnn-translate --rgnn-check-equivalent --against=%t/right.mlir %t/bias.mlir 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// RUN: not rgnn-translate --rgnn-check-equivalent --against=%t/right.mlir %t/infinite.mlir 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// RUN: not rgnn-translate --rgnn-check-equivalent --against=%t/right.mlir %t/unguarded.mlir 2>&1 | FileCheck %s --check-prefix=DIFFERENT

// SECOND: Function=infinite {{.*}}not computed as ((D1 A1 D2) H1): the factor of a node without edges may be infinite
// THIRD: Function=infinite {{.*}}the order stays: there is no such variant

// DIFFERENT: error: with seed {{.*}} expected {{.*}}, got

//--- right.mlir

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0

// The largest product is not the product of the largest.
// CHECK-LABEL: func @maximum(
//       CHECK:   rgnn.linear
//       CHECK:   rgnn.reduce max
// REMARK: Missed{{.*}}Function=maximum {{.*}}the order stays: rows are reduced by something else than a sum or mean
func.func @maximum(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #node>, %w: tensor<2x16xf64>) -> tensor<?x16xf64, #node> {
  %h = rgnn.linear %x, %w : tensor<?x2xf64, #node>, tensor<2x16xf64>
  %u = rgnn.gather src %h in %g : tensor<?x16xf64, #node>
  %y = rgnn.reduce max dst %u in %g : tensor<?x16xf64, #edge>
  return %y : tensor<?x16xf64, #node>
}

// A bias is added once for each edge.
// CHECK-LABEL: func @bias(
//       CHECK:   rgnn.linear
//       CHECK:   rgnn.gather
func.func @bias(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #node>, %w: tensor<2x16xf64>, %b: tensor<16xf64>) -> tensor<?x16xf64, #node> {
  %h = rgnn.linear %x, %w : tensor<?x2xf64, #node>, tensor<2x16xf64>
  %a = rgnn.map %h, %b : (tensor<?x16xf64, #node>, tensor<16xf64>) -> tensor<?x16xf64, #node> {
  ^bb0(%p: f64, %q: f64):
    %s = arith.addf %p, %q : f64
    rgnn.yield %s : f64
  }
  %u = rgnn.gather src %a in %g : tensor<?x16xf64, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x16xf64, #edge>
  return %y : tensor<?x16xf64, #node>
}

// One over the degree is infinite at nodes without edges: zero times it is no number, unless edges read it.
// CHECK-LABEL: func @infinite(
//       CHECK:   rgnn.reduce sum dst
//       CHECK:   rgnn.map
//  CHECK-NEXT:   ^bb0
//  CHECK-NEXT:     arith.mulf
// REMARK: Missed{{.*}}Function=infinite {{.*}}not computed as ((D1 A1 D2) H1): the factor of a node without edges may be infinite
// REMARK: Missed{{.*}}Function=infinite {{.*}}the order stays: it is (D1 (A1 (D2 H1)))
func.func @infinite(%g: !rgnn.graph<@g0>, %x: tensor<?x16xf64, #node>) -> tensor<?x16xf64, #node> {
  %in = rgnn.degree dst in %g : tensor<?xf64, #node>
  %dv = rgnn.map %in : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %r = math.rsqrt %a : f64
    rgnn.yield %r : f64
  }
  %out = rgnn.degree src in %g : tensor<?xf64, #node>
  %du = rgnn.map %out : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %one = arith.constant 1.0 : f64
    %c = arith.maximumf %a, %one : f64
    %r = math.rsqrt %c : f64
    rgnn.yield %r : f64
  }
  %s = rgnn.map %x, %du : (tensor<?x16xf64, #node>, tensor<?xf64, #node>) -> tensor<?x16xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x16xf64, #node>
  %a = rgnn.reduce sum dst %u in %g : tensor<?x16xf64, #edge>
  %y = rgnn.map %a, %dv : (tensor<?x16xf64, #node>, tensor<?xf64, #node>) -> tensor<?x16xf64, #node> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  return %y : tensor<?x16xf64, #node>
}

// What moves from edges to nodes is guarded, as @gcn of reassociate.mlir shows.
// CHECK-LABEL: func @unguarded(
// REMARK: Missed{{.*}}Function=unguarded {{.*}}the order stays: it is ((D1 A1) H1)
func.func @unguarded(%g: !rgnn.graph<@g0>, %x: tensor<?x64xf64, #node>) -> tensor<?x64xf64, #node> {
  %in = rgnn.degree dst in %g : tensor<?xf64, #node>
  %n = rgnn.gather dst %in in %g : tensor<?xf64, #node>
  %u = rgnn.gather src %x in %g : tensor<?x64xf64, #node>
  %m = rgnn.map %u, %n : (tensor<?x64xf64, #edge>, tensor<?xf64, #edge>) -> tensor<?x64xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.divf %a, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x64xf64, #edge>
  return %y : tensor<?x64xf64, #node>
}

// CHECK-LABEL: func @others(
// CHECK-COUNT-3: rgnn.linear
// REMARK: Missed{{.*}}Function=others {{.*}}the order stays: what is between gather and sum is not a product
// REMARK: Missed{{.*}}Function=others {{.*}}the order stays: rows on edges are also used otherwise
func.func @others(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #node>, %w: tensor<2x16xf64>, %v: tensor<2x16xf64>, %e: tensor<?x1xf64, #edge>,
                  %t: tensor<2x16xf64>, %z: tensor<?x2xf64, #edge>)
    -> (tensor<?x16xf64, #node>, tensor<?x16xf64, #edge>, tensor<?x16xf64, #node>, tensor<?x16xf64, #node>) {
  %h = rgnn.linear %x, %w : tensor<?x2xf64, #node>, tensor<2x16xf64>
  %u = rgnn.gather src %h in %g : tensor<?x16xf64, #node>
  %m = rgnn.map %u, %e : (tensor<?x16xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x16xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x16xf64, #edge>
  %h2 = rgnn.linear %x, %v : tensor<?x2xf64, #node>, tensor<2x16xf64>
  %u2 = rgnn.gather src %h2 in %g : tensor<?x16xf64, #node>
  %m2 = rgnn.map %u2 : (tensor<?x16xf64, #edge>) -> tensor<?x16xf64, #edge> {
  ^bb0(%a: f64):
    %q = math.exp %a : f64
    rgnn.yield %q : f64
  }
  %y2 = rgnn.reduce sum dst %m2 in %g : tensor<?x16xf64, #edge>
  // Rows of edges that no node has: rgnn-aggregate-first looks after those.
  %l = rgnn.linear %z, %t : tensor<?x2xf64, #edge>, tensor<2x16xf64>
  %y3 = rgnn.reduce sum dst %l in %g : tensor<?x16xf64, #edge>
  return %y, %m, %y2, %y3 : tensor<?x16xf64, #node>, tensor<?x16xf64, #edge>, tensor<?x16xf64, #node>, tensor<?x16xf64, #node>
}

//--- maximum.mlir

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0

func.func @maximum(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #node>, %w: tensor<2x16xf64>) -> tensor<?x16xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %m = rgnn.reduce max dst %u in %g : tensor<?x2xf64, #edge>
  %y = rgnn.linear %m, %w : tensor<?x2xf64, #node>, tensor<2x16xf64>
  return %y : tensor<?x16xf64, #node>
}

//--- bias.mlir

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0

func.func @bias(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #node>, %w: tensor<2x16xf64>, %b: tensor<16xf64>) -> tensor<?x16xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x2xf64, #edge>
  %h = rgnn.linear %s, %w : tensor<?x2xf64, #node>, tensor<2x16xf64>
  %y = rgnn.map %h, %b : (tensor<?x16xf64, #node>, tensor<16xf64>) -> tensor<?x16xf64, #node> {
  ^bb0(%p: f64, %q: f64):
    %s2 = arith.addf %p, %q : f64
    rgnn.yield %s2 : f64
  }
  return %y : tensor<?x16xf64, #node>
}

//--- infinite.mlir

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0

func.func @infinite(%g: !rgnn.graph<@g0>, %x: tensor<?x16xf64, #node>) -> tensor<?x16xf64, #node> {
  %in = rgnn.degree dst in %g : tensor<?xf64, #node>
  %out = rgnn.degree src in %g : tensor<?xf64, #node>
  %nv = rgnn.gather dst %in in %g : tensor<?xf64, #node>
  %nu = rgnn.gather src %out in %g : tensor<?xf64, #node>
  %u = rgnn.gather src %x in %g : tensor<?x16xf64, #node>
  %m = rgnn.map %u, %nv, %nu : (tensor<?x16xf64, #edge>, tensor<?xf64, #edge>, tensor<?xf64, #edge>) -> tensor<?x16xf64, #edge> {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %q = arith.mulf %b, %c : f64
    %r = math.rsqrt %q : f64
    %s = arith.mulf %a, %r : f64
    rgnn.yield %s : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x16xf64, #edge>
  return %y : tensor<?x16xf64, #node>
}

//--- unguarded.mlir

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0

func.func @unguarded(%g: !rgnn.graph<@g0>, %x: tensor<?x64xf64, #node>) -> tensor<?x64xf64, #node> {
  %in = rgnn.degree dst in %g : tensor<?xf64, #node>
  %u = rgnn.gather src %x in %g : tensor<?x64xf64, #node>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x64xf64, #edge>
  %y = rgnn.map %s, %in : (tensor<?x64xf64, #node>, tensor<?xf64, #node>) -> tensor<?x64xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.divf %a, %b : f64
    rgnn.yield %q : f64
  }
  return %y : tensor<?x64xf64, #node>
}
