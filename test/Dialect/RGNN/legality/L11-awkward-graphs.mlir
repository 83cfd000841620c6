// L11: self loops, isolated nodes, duplicate edges, edge types without edges and node types without nodes mean after the
// rewrites what they meant before.
//
// Nodes 0, 1, 2 are of type 0, none of type 1, nodes 3 and 4 of type 2. Edges 0 -> 1 twice, 1 -> 1 and 3 -> 1, 1 -> 3:
// nodes 2 and 4 are isolated, no edge enters node 0, and none has type 1.

// RUN: split-file %s %t
// RUN: rgnn-translate --rgnn-interpret %t/right.mlir
// RUN: rgnn-opt %t/right.mlir --rgnn-postpone-propagation --remarks-filter=".*" -o %t/postponed.mlir 2>&1 | FileCheck %s --check-prefix=POSTPONED
// RUN: rgnn-translate --rgnn-interpret %t/postponed.mlir
// RUN: rgnn-opt %t/postponed.mlir --rgnn-compact --remarks-filter=".*" -o %t/compact.mlir 2>&1 | FileCheck %s --check-prefix=COMPACT
// RUN: rgnn-translate --rgnn-interpret %t/compact.mlir
// RUN: rgnn-opt %t/right.mlir --rgnn-aggregate-first --remarks-filter=".*" -o %t/aggregated.mlir 2>&1 | FileCheck %s --check-prefix=AGGREGATED
// RUN: rgnn-translate --rgnn-interpret %t/aggregated.mlir
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear --remarks-filter=".*" -o %t/reordered.mlir 2>&1 | FileCheck %s --check-prefix=REORDERED
// RUN: rgnn-translate --rgnn-interpret %t/reordered.mlir
// RUN: rgnn-opt %t/right.mlir --rgnn-reassociate --remarks-filter=".*" -o %t/reassociated.mlir 2>&1 | FileCheck %s --check-prefix=REASSOCIATED
// RUN: rgnn-translate --rgnn-interpret %t/reassociated.mlir
// RUN: rgnn-opt %t/right.mlir --rgnn-split-sides --remarks-filter=".*" -o %t/sides.mlir 2>&1 | FileCheck %s --check-prefix=SIDES
// RUN: rgnn-translate --rgnn-interpret %t/sides.mlir
// RUN: rgnn-opt %t/right.mlir --rgnn-stack-types --remarks-filter=".*" -o %t/stacked.mlir 2>&1 | FileCheck %s --check-prefix=STACKED
// RUN: rgnn-translate --rgnn-interpret %t/stacked.mlir
// RUN: rgnn-opt %t/right.mlir --rgnn-stack-types --rgnn-reorder-linear --rgnn-postpone-propagation --rgnn-reassociate --rgnn-aggregate-first --rgnn-split-sides \
// RUN:   --rgnn-compact --canonicalize --cse -o %t/all.mlir
// RUN: rgnn-translate --rgnn-interpret %t/all.mlir
// RUN: FileCheck %s --check-prefix=STAYS --input-file=%t/all.mlir
// RUN: not rgnn-translate --rgnn-interpret --entry=edgeconv %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=ISOLATED
// RUN: not rgnn-translate --rgnn-interpret --entry=messages %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=DUPLICATES
// RUN: not rgnn-translate --rgnn-interpret --entry=attention %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: not rgnn-translate --rgnn-interpret --entry=products %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=EDGE-TYPE
// RUN: not rgnn-translate --rgnn-interpret --entry=types %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=NODE-TYPE
// RUN: not rgnn-translate --rgnn-interpret --entry=gcn %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=INFINITE
// RUN: not rgnn-translate --rgnn-interpret --entry=shared %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=SHARED

// POSTPONED: Passed{{.*}}Function=edgeconv {{.*}}rgnn.linear becomes a sum of 2 products
// POSTPONED: Passed{{.*}}Function=edgeconv {{.*}}what edges of a group share leaves their max
// POSTPONED: Passed{{.*}}Function=attention {{.*}}rgnn.linear becomes a sum of 2 products
// COMPACT: Passed{{.*}}Function=messages {{.*}}rgnn.typed_linear is computed for each src_pair
// AGGREGATED: Passed{{.*}}Function=messages {{.*}}rows are summed before they are multiplied
// REORDERED: Passed{{.*}}Function=products {{.*}}weights are multiplied first
// REASSOCIATED: Passed{{.*}}Function=gcn |{{.*}}computed as (D1 (A1 (D2 (H1 W1))))
// SIDES: Passed{{.*}}Function=messages {{.*}}each edge type has its products on its smaller side
// STACKED: Passed{{.*}}Function=types {{.*}}rows of all node types are computed at once
// STAYS-LABEL: func.func @shared(
//       STAYS:   %[[V:.*]] = rgnn.gather dst
//       STAYS:   %[[Y:.*]] = rgnn.reduce mean dst %[[V]]
//       STAYS:   check.expect_almost_eq_const %[[Y]]
// ISOLATED: error: {{.*}}expected 0 at [0, 0], got -1
// DUPLICATES: error: {{.*}}expected 9 at [1, 0], got
// LOOPS: error: {{.*}}expected 0.75 at [1, 0], got
// EDGE-TYPE: error: {{.*}}expected 9 at [1, 0], got 23
// NODE-TYPE: error: {{.*}}expected 4 at [3, 0], got 18
// INFINITE: error: {{.*}}expected 0 at [0, 0], got {{-?}}nan
// SHARED: error: {{.*}}expected 0 at [0, 0], got 1

//--- right.mlir
#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#node2 = #rgnn.rows<node, @g0, type = 2>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(3) edge_types(3)

// max_u ((x_u - x_v) Theta + x_v Phi): Theta gives 4, 5, 15, 0, 21, and Phi 3, 2, 10, 2, 14.
func.func @edgeconv() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %w = arith.constant dense<[[1.0], [1.0], [2.0], [1.0]]> : tensor<4x1xf64>
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x2xf64, #node>
  %s = rgnn.map %u, %v : (tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.subf %p, %q : f64
    rgnn.yield %r : f64
  }
  %j = rgnn.concat %v, %s dim 1 : tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>
  %z = rgnn.linear %j, %w : tensor<?x4xf64, #edge>, tensor<4x1xf64>
  %y = rgnn.reduce max dst %z in %g : tensor<?x1xf64, #edge>
  check.expect_almost_eq_const %y, dense<[[0.0], [2.0], [0.0], [7.0], [0.0]]> : tensor<5x1xf64> : tensor<?x1xf64, #node>
  return
}

// Node 1 gets 1 twice, 3 and 4, node 3 gets -1.
func.func @messages() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %w = arith.constant dense<[[[1.0], [0.0]], [[9.0], [9.0]], [[0.0], [1.0]]]> : tensor<3x2x1xf64>
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x2xf64, #edge>, tensor<3x2x1xf64>
  %y = rgnn.reduce sum dst %z in %g : tensor<?x1xf64, #edge>
  check.expect_almost_eq_const %y, dense<[[0.0], [9.0], [0.0], [-1.0], [0.0]]> : tensor<5x1xf64> : tensor<?x1xf64, #node>
  return
}

// All edges of a destination have one score, so that node 1 gets the mean of x_0, x_0, x_1 and x_3.
func.func @attention() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %a = arith.constant dense<[[0.0], [0.0], [2.0], [1.0]]> : tensor<4x1xf64>
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x2xf64, #node>
  %j = rgnn.concat %u, %v dim 1 : tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>
  %s = rgnn.linear %j, %a : tensor<?x4xf64, #edge>, tensor<4x1xf64>
  %t = rgnn.group_softmax dst %s in %g : tensor<?x1xf64, #edge>
  %m = rgnn.map %u, %t : (tensor<?x2xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.mulf %p, %q : f64
    rgnn.yield %r : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #edge>
  check.expect_almost_eq_const %y, dense<[[0.0, 0.0], [0.75, 1.75], [0.0, 0.0], [3.0, -1.0], [0.0, 0.0]]> : tensor<5x2xf64> : tensor<?x2xf64, #node>
  return
}

// The same of two products.
func.func @products() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %w = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[9.0, 9.0], [9.0, 9.0]], [[0.0, 1.0], [1.0, 0.0]]]> : tensor<3x2x2xf64>
  %q = arith.constant dense<[[1.0], [0.0]]> : tensor<2x1xf64>
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x2xf64, #edge>, tensor<3x2x2xf64>
  %s = rgnn.linear %z, %q : tensor<?x2xf64, #edge>, tensor<2x1xf64>
  %y = rgnn.reduce sum dst %s in %g : tensor<?x1xf64, #edge>
  check.expect_almost_eq_const %y, dense<[[0.0], [9.0], [0.0], [-1.0], [0.0]]> : tensor<5x1xf64> : tensor<?x1xf64, #node>
  return
}

// The weight of type 1 has no row.
func.func @types() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %w0 = arith.constant dense<[[1.0], [0.0]]> : tensor<2x1xf64>
  %w1 = arith.constant dense<[[9.0], [9.0]]> : tensor<2x1xf64>
  %w2 = arith.constant dense<[[0.0], [1.0]]> : tensor<2x1xf64>
  %a0 = rgnn.slice_type %x in %g : tensor<?x2xf64, #node> -> tensor<?x2xf64, #node0>
  %a1 = rgnn.slice_type %x in %g : tensor<?x2xf64, #node> -> tensor<?x2xf64, #node1>
  %a2 = rgnn.slice_type %x in %g : tensor<?x2xf64, #node> -> tensor<?x2xf64, #node2>
  %y0 = rgnn.linear %a0, %w0 : tensor<?x2xf64, #node0>, tensor<2x1xf64>
  %y1 = rgnn.linear %a1, %w1 : tensor<?x2xf64, #node1>, tensor<2x1xf64>
  %y2 = rgnn.linear %a2, %w2 : tensor<?x2xf64, #node2>, tensor<2x1xf64>
  %y = rgnn.concat_types %y0, %y1, %y2 in %g : (tensor<?x1xf64, #node0>, tensor<?x1xf64, #node1>, tensor<?x1xf64, #node2>) -> tensor<?x1xf64, #node>
  check.expect_almost_eq_const %y, dense<[[1.0], [3.0], [5.0], [4.0], [7.0]]> : tensor<5x1xf64> : tensor<?x1xf64, #node>
  return
}

// One over the numbers of edges, infinite where there are none: node 1 gets 1/4 of twice (3, -1)/2,
// (2, 4)/2 and (2, -6), node 3 gets (2, 4)/2.
func.func @gcn() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %w = arith.constant dense<[[1.0, 1.0], [1.0, -1.0]]> : tensor<2x2xf64>
  %in = rgnn.degree dst in %g : tensor<?xf64, #node>
  %out = rgnn.degree src in %g : tensor<?xf64, #node>
  %dv = rgnn.map %in : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%p: f64):
    %one = arith.constant 1.0 : f64
    %r = arith.divf %one, %p : f64
    rgnn.yield %r : f64
  }
  %du = rgnn.map %out : (tensor<?xf64, #node>) -> tensor<?xf64, #node> {
  ^bb0(%p: f64):
    %one = arith.constant 1.0 : f64
    %r = arith.divf %one, %p : f64
    rgnn.yield %r : f64
  }
  %nv = rgnn.gather dst %dv in %g : tensor<?xf64, #node>
  %nu = rgnn.gather src %du in %g : tensor<?xf64, #node>
  %n = rgnn.map %nv, %nu : (tensor<?xf64, #edge>, tensor<?xf64, #edge>) -> tensor<?xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.mulf %p, %q : f64
    rgnn.yield %r : f64
  }
  %n1 = rgnn.reshape %n : tensor<?xf64, #edge> -> tensor<?x1xf64, #edge>
  %h = rgnn.linear %x, %w : tensor<?x2xf64, #node>, tensor<2x2xf64>
  %u = rgnn.gather src %h in %g : tensor<?x2xf64, #node>
  %m = rgnn.map %n1, %u : (tensor<?x1xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.mulf %p, %q : f64
    rgnn.yield %r : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #edge>
  check.expect_almost_eq_const %y, dense<[[0.0, 0.0], [1.5, -1.25], [0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]> : tensor<5x2xf64> : tensor<?x2xf64, #node>
  return
}

// What all edges of a destination share is their mean, but where there are none.
func.func @shared() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x2xf64, #node>
  %y = rgnn.reduce mean dst %v in %g : tensor<?x2xf64, #edge>
  check.expect_almost_eq_const %y, dense<[[0.0, 0.0], [3.0, -1.0], [0.0, 0.0], [-2.0, 4.0], [0.0, 0.0]]> : tensor<5x2xf64> : tensor<?x2xf64, #node>
  return
}

//--- wrong.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
rgnn.schema @g0 node_types(3) edge_types(3)

// Isolated nodes get what edges share.
func.func @edgeconv() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %theta = arith.constant dense<[[2.0], [1.0]]> : tensor<2x1xf64>
  %phi = arith.constant dense<[[1.0], [1.0]]> : tensor<2x1xf64>
  %t = rgnn.linear %x, %theta : tensor<?x2xf64, #node>, tensor<2x1xf64>
  %p = rgnn.linear %x, %phi : tensor<?x2xf64, #node>, tensor<2x1xf64>
  %u = rgnn.gather src %t in %g : tensor<?x1xf64, #node>
  %m = rgnn.reduce max dst %u in %g : tensor<?x1xf64, #edge>
  %y = rgnn.map %m, %t, %p : (tensor<?x1xf64, #node>, tensor<?x1xf64, #node>, tensor<?x1xf64, #node>) -> tensor<?x1xf64, #node> {
  ^bb0(%i: f64, %j: f64, %k: f64):
    %r = arith.subf %i, %j : f64
    %s = arith.addf %r, %k : f64
    rgnn.yield %s : f64
  }
  check.expect_almost_eq_const %y, dense<[[0.0], [2.0], [0.0], [7.0], [0.0]]> : tensor<5x1xf64> : tensor<?x1xf64, #node>
  return
}

// Edges of a destination and type count as one.
func.func @messages() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %w = arith.constant dense<[[[1.0], [0.0]], [[9.0], [9.0]], [[0.0], [1.0]]]> : tensor<3x2x1xf64>
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %s = rgnn.reduce mean dst_pair %u in %g : tensor<?x2xf64, #edge>
  %z = rgnn.typed_linear %s, %w by etype in %g : tensor<?x2xf64, #dst_pair>, tensor<3x2x1xf64>
  %y = rgnn.reduce sum dst %z in %g : tensor<?x1xf64, #dst_pair>
  check.expect_almost_eq_const %y, dense<[[0.0], [9.0], [0.0], [-1.0], [0.0]]> : tensor<5x1xf64> : tensor<?x1xf64, #node>
  return
}

// The self loop is missing.
func.func @attention() {
  %g = rgnn.constant_graph src([0, 0, 3, 1]) dst([1, 1, 1, 3]) types([0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %y = rgnn.reduce mean dst %u in %g : tensor<?x2xf64, #edge>
  check.expect_almost_eq_const %y, dense<[[0.0, 0.0], [0.75, 1.75], [0.0, 0.0], [3.0, -1.0], [0.0, 0.0]]> : tensor<5x2xf64> : tensor<?x2xf64, #node>
  return
}

// Weights are numbered by the types that have edges, so that type 2 reads another's.
func.func @products() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %w = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]], [[9.0, 9.0], [9.0, 9.0]]]> : tensor<3x2x2xf64>
  %q = arith.constant dense<[[1.0], [0.0]]> : tensor<2x1xf64>
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x2xf64, #edge>, tensor<3x2x2xf64>
  %s = rgnn.linear %z, %q : tensor<?x2xf64, #edge>, tensor<2x1xf64>
  %y = rgnn.reduce sum dst %s in %g : tensor<?x1xf64, #edge>
  check.expect_almost_eq_const %y, dense<[[0.0], [9.0], [0.0], [-1.0], [0.0]]> : tensor<5x1xf64> : tensor<?x1xf64, #node>
  return
}

// Weights are numbered by the types that have nodes: type 2 reads that of type 1.
func.func @types() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %w = arith.constant dense<[[[1.0], [0.0]], [[0.0], [1.0]], [[9.0], [9.0]]]> : tensor<3x2x1xf64>
  %y = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x2xf64, #node>, tensor<3x2x1xf64>
  check.expect_almost_eq_const %y, dense<[[1.0], [3.0], [5.0], [4.0], [7.0]]> : tensor<5x1xf64> : tensor<?x1xf64, #node>
  return
}

// Factors leave the sum as they are: infinity times an empty sum.
func.func @gcn() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  %w = arith.constant dense<[[1.0, 1.0], [1.0, -1.0]]> : tensor<2x2xf64>
  %in = rgnn.degree dst in %g : tensor<?xf64, #node>
  %out = rgnn.degree src in %g : tensor<?xf64, #node>
  %h = rgnn.linear %x, %w : tensor<?x2xf64, #node>, tensor<2x2xf64>
  %out1 = rgnn.reshape %out : tensor<?xf64, #node> -> tensor<?x1xf64, #node>
  %s = rgnn.map %h, %out1 : (tensor<?x2xf64, #node>, tensor<?x1xf64, #node>) -> tensor<?x2xf64, #node> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.divf %p, %q : f64
    rgnn.yield %r : f64
  }
  %u = rgnn.gather src %s in %g : tensor<?x2xf64, #node>
  %a = rgnn.reduce sum dst %u in %g : tensor<?x2xf64, #edge>
  %in1 = rgnn.reshape %in : tensor<?xf64, #node> -> tensor<?x1xf64, #node>
  %y = rgnn.map %a, %in1 : (tensor<?x2xf64, #node>, tensor<?x1xf64, #node>) -> tensor<?x2xf64, #node> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.divf %p, %q : f64
    rgnn.yield %r : f64
  }
  check.expect_almost_eq_const %y, dense<[[0.0, 0.0], [1.5, -1.25], [0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]> : tensor<5x2xf64> : tensor<?x2xf64, #node>
  return
}

// Isolated nodes get what they would share with their edges.
func.func @shared() {
  %g = rgnn.constant_graph src([0, 0, 1, 3, 1]) dst([1, 1, 1, 1, 3]) types([0, 0, 0, 2, 2]) nodes([3, 0, 2]) : !rgnn.graph<@g0>
  %c = arith.constant dense<[[1.0, 2.0], [3.0, -1.0], [5.0, 5.0], [-2.0, 4.0], [7.0, 7.0]]> : tensor<5x2xf64>
  %d = tensor.cast %c : tensor<5x2xf64> to tensor<?x2xf64>
  %x = rgnn.place %d in %g : tensor<?x2xf64> -> tensor<?x2xf64, #node>
  check.expect_almost_eq_const %x, dense<[[0.0, 0.0], [3.0, -1.0], [0.0, 0.0], [-2.0, 4.0], [0.0, 0.0]]> : tensor<5x2xf64> : tensor<?x2xf64, #node>
  return
}
