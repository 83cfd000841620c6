// Factors of nodes that edges may read, since they are finite at nodes without edges, and some that are not.

// RUN: rgnn-opt %s --rgnn-reassociate=variant=2 --remarks-filter-passed=".*" --remarks-filter-missed=".*" -o /dev/null 2>&1 | FileCheck %s
// RUN: %check_numeric %s --rgnn-reassociate=variant=2
// RUN: rgnn-opt %s --rgnn-reassociate=variant=2 | not rgnn-translate --rgnn-check-gradient 2>&1 | FileCheck %s --check-prefix=GRADIENT

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0

// A count.
// CHECK: Passed{{.*}}Function=degree |{{.*}}computed as ((A1 D1) H1)
// GRADIENT-DAG: @degree: gradients agree
func.func @degree(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %d = rgnn.degree src in %g : tensor<?xf64, #node>
  %s = rgnn.map %x, %d : (tensor<?x4xf64, #node>, tensor<?xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x4xf64, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// 0 where one over it is infinite; a count that is over 0 is 1 or more.
// CHECK: Passed{{.*}}Function=chosen |{{.*}}computed as ((A1 D1) H1)
// GRADIENT-DAG: @chosen: gradients agree
func.func @chosen(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %deg = rgnn.degree src in %g : tensor<?xf64, #node>
  %d = rgnn.map %deg : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %c = arith.cmpf ogt, %a, %zero : f64
    %i = arith.divf %one, %a : f64
    %r = arith.select %c, %i, %zero : f64
    rgnn.yield %r : f64
  }
  %s = rgnn.map %x, %d : (tensor<?x4xf64, #node>, tensor<?xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x4xf64, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// The same, the other way round.
// CHECK: Passed{{.*}}Function=equal |{{.*}}computed as ((A1 D1) H1)
// GRADIENT-DAG: @equal: gradients agree
func.func @equal(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %deg = rgnn.degree src in %g : tensor<?xf64, #node>
  %d = rgnn.map %deg : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %c = arith.cmpf oeq, %a, %zero : f64
    %i = math.rsqrt %a : f64
    %r = arith.select %c, %one, %i : f64
    rgnn.yield %r : f64
  }
  %s = rgnn.map %x, %d : (tensor<?x4xf64, #node>, tensor<?xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x4xf64, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// A divisor that is never 0.
// CHECK: Passed{{.*}}Function=divisor |{{.*}}computed as ((A1 D1) H1)
// GRADIENT-DAG: @divisor: gradients agree
func.func @divisor(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %deg = rgnn.degree src in %g : tensor<?xf64, #node>
  %d = rgnn.map %deg : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %one = arith.constant 1.0 : f64
    %p = arith.addf %a, %one : f64
    %r = math.sqrt %p : f64
    rgnn.yield %r : f64
  }
  %s = rgnn.map %x, %d : (tensor<?x4xf64, #node>, tensor<?xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.divf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x4xf64, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// An upper bound.
// CHECK: Passed{{.*}}Function=bounded |{{.*}}computed as ((A1 D1) H1)
// GRADIENT-DAG: @bounded: gradients agree
func.func @bounded(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %deg = rgnn.degree src in %g : tensor<?xf64, #node>
  %d = rgnn.map %deg : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %one = arith.constant 1.0 : f64
    %two = arith.constant 2.0 : f64
    %i = arith.divf %one, %a : f64
    %m = arith.minimumf %i, %two : f64
    %h = arith.mulf %m, %m : f64
    %r = arith.subf %h, %one : f64
    rgnn.yield %r : f64
  }
  %s = rgnn.map %x, %d : (tensor<?x4xf64, #node>, tensor<?xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x4xf64, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// One over a count, which may be 0: no edge reads it there, but a gradient does as long as it is multiplied by nodes.
// GRADIENT-DAG: error: with seed {{.*}} expected 0 at {{.*}}, got nan
// CHECK: Missed{{.*}}Function=infinite |{{.*}}not computed as ((A1 D1) H1): the factor
func.func @infinite(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %deg = rgnn.degree src in %g : tensor<?xf64, #node>
  %d = rgnn.map %deg : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %one = arith.constant 1.0 : f64
    %r = arith.divf %one, %a : f64
    rgnn.yield %r : f64
  }
  %s = rgnn.map %x, %d : (tensor<?x4xf64, #node>, tensor<?xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x4xf64, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// A divisor that may be 0.
// CHECK: Missed{{.*}}Function=infinite_divisor |{{.*}}not computed as ((A1 D1) H1): the factor
func.func @infinite_divisor(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %d = rgnn.degree src in %g : tensor<?xf64, #node>
  %s = rgnn.map %x, %d : (tensor<?x4xf64, #node>, tensor<?xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.divf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x4xf64, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// The branch is not the one that the comparison is about.
// CHECK: Missed{{.*}}Function=infinite_branch |{{.*}}not computed as ((A1 D1) H1): the factor
func.func @infinite_branch(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %deg = rgnn.degree src in %g : tensor<?xf64, #node>
  %d = rgnn.map %deg : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %c = arith.cmpf ogt, %a, %zero : f64
    %i = arith.divf %one, %a : f64
    %r = arith.select %c, %zero, %i : f64
    rgnn.yield %r : f64
  }
  %s = rgnn.map %x, %d : (tensor<?x4xf64, #node>, tensor<?xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x4xf64, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// The root of less than 0 is no number.
// CHECK: Missed{{.*}}Function=infinite_root |{{.*}}not computed as ((A1 D1) H1): the factor
func.func @infinite_root(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %deg = rgnn.degree src in %g : tensor<?xf64, #node>
  %d = rgnn.map %deg : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%a: f64):
    %one = arith.constant 1.0 : f64
    %p = arith.subf %a, %one : f64
    %r = math.sqrt %p : f64
    rgnn.yield %r : f64
  }
  %s = rgnn.map %x, %d : (tensor<?x4xf64, #node>, tensor<?xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x4xf64, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// What a caller gives may be anything.
// CHECK: Missed{{.*}}Function=infinite_argument |{{.*}}not computed as ((A1 D1) H1): the factor
func.func @infinite_argument(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %d: tensor<?x1xf64, #node>) -> tensor<?x4xf64, #node> {
  %s = rgnn.map %x, %d : (tensor<?x4xf64, #node>, tensor<?x1xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x4xf64, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}
