// RUN: rgnn-opt %s --rgnn-stack-types --canonicalize --cse | FileCheck %s
// RUN: %check_numeric %s --rgnn-stack-types
// RUN: rgnn-opt %s --rgnn-stack-types --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-opt %s --rgnn-stack-types | rgnn-translate --rgnn-check-gradient --seeds=4 | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-opt %s --rgnn-differentiate --canonicalize --cse -o %t.mlir
// RUN: %check_numeric %t.mlir --rgnn-stack-types | FileCheck %s --check-prefix=BACKWARD
// GRADIENT-COUNT-8: gradients agree on 4 seeds
// BACKWARD-COUNT-16: equivalent on 16 seeds

#node = #rgnn.rows<node, @g0>
#node0 = #rgnn.rows<node, @g0, type = 0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#one = #rgnn.rows<node, @g1>
#one0 = #rgnn.rows<node, @g1, type = 0>

rgnn.schema @g0 node_types(2) edge_types(3)
rgnn.schema @g1 node_types(1) edge_types(3)

// Features are joined instead of what is made of them, which is wider.
// CHECK-LABEL: func @joined(
//  CHECK-SAME:   %[[G:.*]]: !rgnn.graph<@g0>, %[[A:.*]]: tensor<?x4xf64, {{.*}}>, %[[B:.*]]: tensor<?x4xf64, {{.*}}>, %[[V:.*]]: tensor<8x4xf64>, %[[W:.*]]: tensor<8x4xf64>,
//   CHECK-DAG:   %[[X:.*]] = rgnn.concat_types %[[A]], %[[B]] in %[[G]]
//   CHECK-DAG:   %[[V1:.*]] = rgnn.reshape %[[V]] : tensor<8x4xf64> -> tensor<1x8x4xf64>
//   CHECK-DAG:   %[[W1:.*]] = rgnn.reshape %[[W]] : tensor<8x4xf64> -> tensor<1x8x4xf64>
//       CHECK:   %[[WT:.*]] = rgnn.concat %[[V1]], %[[W1]] dim 0
//       CHECK:   %[[WS:.*]] = rgnn.permute %[[WT]] [0, 2, 1]
//       CHECK:   %[[Y:.*]] = rgnn.typed_linear %[[X]], %[[WS]] by ntype in %[[G]] : tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<2x4x8xf64>
//       CHECK:   %[[BIAS:.*]] = rgnn.gather ntype %{{.*}} in %[[G]] to node
//       CHECK:   %[[S:.*]] = rgnn.map %[[Y]], %[[BIAS]]
//       CHECK:   return %[[S]]
// REMARK-DAG: Passed{{.*}}Function=joined {{.*}}rows of all node types are computed at once
func.func @joined(%g: !rgnn.graph<@g0>, %a: tensor<?x4xf64, #node0>, %b: tensor<?x4xf64, #node1>, %v: tensor<8x4xf64>, %w: tensor<8x4xf64>,
                  %va: tensor<8xf64>, %wa: tensor<8xf64>) -> tensor<?x8xf64, #node> {
  %0 = rgnn.linear %a, %v transposed : tensor<?x4xf64, #node0>, tensor<8x4xf64>
  %1 = rgnn.map %0, %va : (tensor<?x8xf64, #node0>, tensor<8xf64>) -> tensor<?x8xf64, #node0> {
  ^bb0(%x: f64, %y: f64):
    %s = arith.addf %x, %y : f64
    rgnn.yield %s : f64
  }
  %2 = rgnn.linear %b, %w transposed : tensor<?x4xf64, #node1>, tensor<8x4xf64>
  %3 = rgnn.map %2, %wa : (tensor<?x8xf64, #node1>, tensor<8xf64>) -> tensor<?x8xf64, #node1> {
  ^bb0(%x: f64, %y: f64):
    %s = arith.addf %x, %y : f64
    rgnn.yield %s : f64
  }
  %h = rgnn.concat_types %1, %3 in %g : (tensor<?x8xf64, #node0>, tensor<?x8xf64, #node1>) -> tensor<?x8xf64, #node>
  return %h : tensor<?x8xf64, #node>
}

// Slices are taken behind the last product and its bias; what scales them is done for each type, whose result is its own.
// CHECK-LABEL: func @sliced(
//  CHECK-SAME:   %[[G:.*]]: !rgnn.graph<@g0>, %[[H:.*]]: tensor<?x4xf64, #rgnn.rows<node, @g0>>,
//       CHECK:   %[[E:.*]] = rgnn.map %[[H]]
//       CHECK:     math.exp
//       CHECK:   %[[Y:.*]] = rgnn.typed_linear %[[E]], %{{.*}} by ntype in %[[G]]
//       CHECK:   %[[S:.*]] = rgnn.map %[[Y]], %{{.*}} : (tensor<?x3xf64, #rgnn.rows<node, @g0>>, tensor<?x3xf64, #rgnn.rows<node, @g0>>)
//   CHECK-DAG:   %[[A:.*]] = rgnn.slice_type %[[S]] in %[[G]] : {{.*}} type = 0>>
//   CHECK-DAG:   %[[B:.*]] = rgnn.slice_type %[[S]] in %[[G]] : {{.*}} type = 1>>
//       CHECK:   rgnn.map %{{.*}} type = 0>>
//       CHECK:     arith.mulf
//   CHECK-NOT:   rgnn.linear
func.func @sliced(%g: !rgnn.graph<@g0>, %h: tensor<?x4xf64, #node>, %v: tensor<4x3xf64>, %w: tensor<4x3xf64>, %va: tensor<3xf64>,
                  %wa: tensor<3xf64>, %vs: tensor<1xf64>, %ws: tensor<1xf64>) -> (tensor<?x3xf64, #node0>, tensor<?x3xf64, #node1>) {
  %a = rgnn.slice_type %h in %g : tensor<?x4xf64, #node> -> tensor<?x4xf64, #node0>
  %ea = rgnn.map %a : (tensor<?x4xf64, #node0>) -> tensor<?x4xf64, #node0> {
  ^bb0(%x: f64):
    %e = math.exp %x : f64
    rgnn.yield %e : f64
  }
  %0 = rgnn.linear %ea, %v : tensor<?x4xf64, #node0>, tensor<4x3xf64>
  %1 = rgnn.map %0, %va : (tensor<?x3xf64, #node0>, tensor<3xf64>) -> tensor<?x3xf64, #node0> {
  ^bb0(%x: f64, %y: f64):
    %s = arith.addf %x, %y : f64
    rgnn.yield %s : f64
  }
  %2 = rgnn.map %1, %vs : (tensor<?x3xf64, #node0>, tensor<1xf64>) -> tensor<?x3xf64, #node0> {
  ^bb0(%x: f64, %y: f64):
    %s = arith.mulf %x, %y : f64
    rgnn.yield %s : f64
  }
  %b = rgnn.slice_type %h in %g : tensor<?x4xf64, #node> -> tensor<?x4xf64, #node1>
  %eb = rgnn.map %b : (tensor<?x4xf64, #node1>) -> tensor<?x4xf64, #node1> {
  ^bb0(%x: f64):
    %e = math.exp %x : f64
    rgnn.yield %e : f64
  }
  %3 = rgnn.linear %eb, %w : tensor<?x4xf64, #node1>, tensor<4x3xf64>
  %4 = rgnn.map %3, %wa : (tensor<?x3xf64, #node1>, tensor<3xf64>) -> tensor<?x3xf64, #node1> {
  ^bb0(%x: f64, %y: f64):
    %s = arith.addf %x, %y : f64
    rgnn.yield %s : f64
  }
  %5 = rgnn.map %4, %ws : (tensor<?x3xf64, #node1>, tensor<1xf64>) -> tensor<?x3xf64, #node1> {
  ^bb0(%x: f64, %y: f64):
    %s = arith.mulf %x, %y : f64
    rgnn.yield %s : f64
  }
  return %2, %5 : tensor<?x3xf64, #node0>, tensor<?x3xf64, #node1>
}

// One weight for all types, and rows that meet again with slices of others.
// CHECK-LABEL: func @shared(
//       CHECK:   %[[X:.*]] = rgnn.concat_types
//       CHECK:   %[[Y:.*]] = rgnn.linear %[[X]], %{{.*}} : tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<4x4xf64>
//       CHECK:   %[[S:.*]] = rgnn.map %[[Y]], %{{.*}}
//       CHECK:   return %[[S]]
func.func @shared(%g: !rgnn.graph<@g0>, %h: tensor<?x4xf64, #node>, %a: tensor<?x4xf64, #node0>, %b: tensor<?x4xf64, #node1>,
                  %w: tensor<4x4xf64>) -> tensor<?x4xf64, #node> {
  %ha = rgnn.slice_type %h in %g : tensor<?x4xf64, #node> -> tensor<?x4xf64, #node0>
  %hb = rgnn.slice_type %h in %g : tensor<?x4xf64, #node> -> tensor<?x4xf64, #node1>
  %0 = rgnn.linear %a, %w : tensor<?x4xf64, #node0>, tensor<4x4xf64>
  %1 = rgnn.linear %b, %w : tensor<?x4xf64, #node1>, tensor<4x4xf64>
  %2 = rgnn.map %0, %ha : (tensor<?x4xf64, #node0>, tensor<?x4xf64, #node0>) -> tensor<?x4xf64, #node0> {
  ^bb0(%x: f64, %y: f64):
    %s = arith.mulf %x, %y : f64
    rgnn.yield %s : f64
  }
  %3 = rgnn.map %1, %hb : (tensor<?x4xf64, #node1>, tensor<?x4xf64, #node1>) -> tensor<?x4xf64, #node1> {
  ^bb0(%x: f64, %y: f64):
    %s = arith.mulf %x, %y : f64
    rgnn.yield %s : f64
  }
  %4 = rgnn.concat_types %2, %3 in %g : (tensor<?x4xf64, #node0>, tensor<?x4xf64, #node1>) -> tensor<?x4xf64, #node>
  return %4 : tensor<?x4xf64, #node>
}

// Slices that are joined again are what they were taken of.
// CHECK-LABEL: func @whole(
//  CHECK-SAME:   %[[H:[a-z0-9]+]]: tensor<?x4xf64, #rgnn.rows<node, @g0>>)
//       CHECK:   return %[[H]]
func.func @whole(%g: !rgnn.graph<@g0>, %h: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %a = rgnn.slice_type %h in %g : tensor<?x4xf64, #node> -> tensor<?x4xf64, #node0>
  %b = rgnn.slice_type %h in %g : tensor<?x4xf64, #node> -> tensor<?x4xf64, #node1>
  %c = rgnn.concat_types %a, %b in %g : (tensor<?x4xf64, #node0>, tensor<?x4xf64, #node1>) -> tensor<?x4xf64, #node>
  return %c : tensor<?x4xf64, #node>
}

// The only type needs no weight by type.
// CHECK-LABEL: func @only(
//       CHECK:   %[[X:.*]] = rgnn.concat_types
//       CHECK:   rgnn.linear %[[X]], %{{.*}} : tensor<?x4xf64, #rgnn.rows<node, @g1>>, tensor<4x8xf64>
func.func @only(%g: !rgnn.graph<@g1>, %a: tensor<?x4xf64, #one0>, %w: tensor<4x8xf64>) -> tensor<?x8xf64, #one> {
  %0 = rgnn.linear %a, %w : tensor<?x4xf64, #one0>, tensor<4x8xf64>
  %1 = rgnn.concat_types %0 in %g : (tensor<?x8xf64, #one0>) -> tensor<?x8xf64, #one>
  return %1 : tensor<?x8xf64, #one>
}

// REMARK-DAG: Missed{{.*}}Function=widths {{.*}}rows are computed for each node type: the types differ in how, or in the shape of rows
// CHECK-LABEL: func @widths(
// CHECK-COUNT-2: rgnn.linear
//         CHECK: rgnn.concat_types
func.func @widths(%g: !rgnn.graph<@g0>, %a: tensor<?x4xf64, #node0>, %b: tensor<?x5xf64, #node1>, %v: tensor<4x8xf64>, %w: tensor<5x8xf64>)
    -> tensor<?x8xf64, #node> {
  %0 = rgnn.linear %a, %v : tensor<?x4xf64, #node0>, tensor<4x8xf64>
  %1 = rgnn.linear %b, %w : tensor<?x5xf64, #node1>, tensor<5x8xf64>
  %h = rgnn.concat_types %0, %1 in %g : (tensor<?x8xf64, #node0>, tensor<?x8xf64, #node1>) -> tensor<?x8xf64, #node>
  return %h : tensor<?x8xf64, #node>
}

// REMARK-DAG: Missed{{.*}}Function=wider {{.*}}rows are computed for each node type: those that they are computed of are wider
// CHECK-LABEL: func @wider(
// CHECK-COUNT-2: rgnn.linear
//         CHECK: rgnn.concat_types
func.func @wider(%g: !rgnn.graph<@g0>, %a: tensor<?x9xf64, #node0>, %b: tensor<?x9xf64, #node1>, %v: tensor<9x8xf64>, %w: tensor<9x8xf64>)
    -> tensor<?x8xf64, #node> {
  %0 = rgnn.linear %a, %v : tensor<?x9xf64, #node0>, tensor<9x8xf64>
  %1 = rgnn.linear %b, %w : tensor<?x9xf64, #node1>, tensor<9x8xf64>
  %h = rgnn.concat_types %0, %1 in %g : (tensor<?x8xf64, #node0>, tensor<?x8xf64, #node1>) -> tensor<?x8xf64, #node>
  return %h : tensor<?x8xf64, #node>
}

// The sums of one type, the differences of the other.
// REMARK-DAG: Missed{{.*}}Function=different {{.*}}rows are computed for each node type: the types differ in how
// CHECK-LABEL: func @different(
// CHECK-COUNT-2: rgnn.map
//         CHECK: rgnn.concat_types
func.func @different(%g: !rgnn.graph<@g0>, %a: tensor<?x4xf64, #node0>, %b: tensor<?x4xf64, #node1>, %w: tensor<4xf64>) -> tensor<?x4xf64, #node> {
  %0 = rgnn.map %a, %w : (tensor<?x4xf64, #node0>, tensor<4xf64>) -> tensor<?x4xf64, #node0> {
  ^bb0(%x: f64, %y: f64):
    %s = arith.addf %x, %y : f64
    rgnn.yield %s : f64
  }
  %1 = rgnn.map %b, %w : (tensor<?x4xf64, #node1>, tensor<4xf64>) -> tensor<?x4xf64, #node1> {
  ^bb0(%x: f64, %y: f64):
    %s = arith.subf %x, %y : f64
    rgnn.yield %s : f64
  }
  %h = rgnn.concat_types %0, %1 in %g : (tensor<?x4xf64, #node0>, tensor<?x4xf64, #node1>) -> tensor<?x4xf64, #node>
  return %h : tensor<?x4xf64, #node>
}
