// RUN: rgnn-opt %s --rgnn-separate-ones --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --rgnn-separate-ones --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Of the same functions, values are compared in separate-ones-values.test, gradients in separate-ones-gradient.test and
// separate-ones-backward.test, and GPU kernels in separate-ones-gpu.test.

#edge = #rgnn.rows<edge, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(2) edge_types(3)

// A product makes the bias of each type; the GEMM adds it.
// REMARK: [Passed] Ones | Category:rgnn-separate-ones | Function=product | Remark="rows are read without their column of ones"
// REMARK: Function=product | num-separated=1
// CHECK-LABEL: func @product
//  CHECK-SAME: %[[G:[a-z0-9]+]]: !rgnn.graph<@g0>, %[[X:[a-z0-9]+]]: tensor<?x8xf32, #{{.*}}>, %[[W:[a-z0-9]+]]: tensor<3x9x4xf32>
//   CHECK-DAG: %[[U:.*]] = rgnn.gather src %[[X]] in %[[G]] to src_pair
//   CHECK-DAG: %[[W8:.*]] = rgnn.slice %[[W]] dim 1 from 0 size 8
//       CHECK: %[[P:.*]] = rgnn.typed_linear %[[U]], %[[W8]] by etype
//       CHECK: %[[W1:.*]] = rgnn.slice %[[W]] dim 1 from 8 size 1
//       CHECK: %[[B:.*]] = rgnn.reshape %[[W1]] : tensor<3x1x4xf32> -> tensor<3x4xf32>
//       CHECK: %[[T:.*]] = rgnn.place %[[B]] in %[[G]]
//       CHECK: %[[V:.*]] = rgnn.gather etype %[[T]] in %[[G]] to src_pair
//       CHECK: %[[Z:.*]] = rgnn.map %[[P]], %[[V]]
//       CHECK:   arith.addf
//       CHECK: return %[[Z]]
func.func @product(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %w: tensor<3x9x4xf32>) -> tensor<?x4xf32, #src_pair> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  %u = rgnn.gather src %c in %g to src_pair : tensor<?x9xf32, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x9xf32, #src_pair>, tensor<3x9x4xf32>
  return %z : tensor<?x4xf32, #src_pair>
}

// What the column adds to an inner product is a number of the other rows, that
// is taken before they are gathered.
// CHECK-LABEL: func @scores
//  CHECK-SAME: %[[G:[a-z0-9]+]]: !rgnn.graph<@g0>, %[[X:[a-z0-9]+]]: tensor<?x8xf32, #{{.*}}>, %[[Q:[a-z0-9]+]]: tensor<?x9xf32
//   CHECK-DAG: %[[U:.*]] = rgnn.gather src %[[X]]
//   CHECK-DAG: %[[Q8:.*]] = rgnn.slice %[[Q]] dim 1 from 0 size 8
//       CHECK: %[[V:.*]] = rgnn.gather dst_pair %[[Q8]]
//       CHECK: %[[D:.*]] = rgnn.dot %[[U]], %[[V]] : tensor<?x8xf32
//       CHECK: %[[Q1:.*]] = rgnn.slice %[[Q]] dim 1 from 8 size 1
//       CHECK: %[[V1:.*]] = rgnn.gather dst_pair %[[Q1]]
//       CHECK: %[[R:.*]] = rgnn.reshape %[[V1]]
//       CHECK: rgnn.map %[[D]], %[[R]]
//       CHECK:   arith.addf
func.func @scores(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %q: tensor<?x9xf32, #dst_pair>) -> tensor<?xf32, #edge> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  %u = rgnn.gather src %c in %g : tensor<?x9xf32, #node>
  %v = rgnn.gather dst_pair %q in %g : tensor<?x9xf32, #dst_pair>
  %d = rgnn.dot %u, %v : tensor<?x9xf32, #edge>
  return %d : tensor<?xf32, #edge>
}

// Of a weighted sum the column is the sum of the weights, which scales the bias.
// CHECK-LABEL: func @weighted_sum
//  CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x1xf32, #{{.*}}>, %[[W:[a-z0-9]+]]: tensor<3x9x4xf32>
//       CHECK: %[[M:.*]] = rgnn.map %{{.*}}, %[[A]]
//       CHECK: %[[Y:.*]] = rgnn.reduce sum dst_pair %[[M]] in %{{.*}} : tensor<?x8xf32
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst_pair %[[A]] in %{{.*}} : tensor<?x1xf32
//       CHECK: %[[P:.*]] = rgnn.typed_linear %[[Y]], %{{.*}} : tensor<?x8xf32
//       CHECK: %[[B:.*]] = rgnn.typed_linear %[[S]], %{{.*}} : tensor<?x1xf32
//       CHECK: rgnn.map %[[P]], %[[B]]
func.func @weighted_sum(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %a: tensor<?x1xf32, #edge>, %w: tensor<3x9x4xf32>) -> tensor<?x4xf32, #dst_pair> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  %u = rgnn.gather src %c in %g : tensor<?x9xf32, #node>
  %m = rgnn.map %u, %a : (tensor<?x9xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x9xf32, #edge> {
  ^bb0(%b: f32, %d: f32):
    %p = arith.mulf %b, %d : f32
    rgnn.yield %p : f32
  }
  %y = rgnn.reduce sum dst_pair %m in %g : tensor<?x9xf32, #edge>
  %z = rgnn.typed_linear %y, %w by etype in %g : tensor<?x9xf32, #dst_pair>, tensor<3x9x4xf32>
  return %z : tensor<?x4xf32, #dst_pair>
}

// Two biases are two columns, one behind the other.
// REMARK: Function=two_biases | num-separated=2
// CHECK-LABEL: func @two_biases
//       CHECK: rgnn.typed_linear %{{.*}} : tensor<?x8xf32
//   CHECK-NOT: rgnn.concat
func.func @two_biases(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %w: tensor<3x10x4xf32>) -> tensor<?x4xf32, #edge> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>, tensor<?x1xf32, #node>
  %u = rgnn.gather src %c in %g : tensor<?x10xf32, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x10xf32, #edge>, tensor<3x10x4xf32>
  return %z : tensor<?x4xf32, #edge>
}

// A sum of ones is a count.
// REMARK: [Missed] Ones | Category:rgnn-separate-ones | Function=count | Remark="rows keep their column of ones: rgnn.reduce needs it"
// CHECK-LABEL: func @count
//       CHECK: rgnn.concat
func.func @count(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) -> tensor<?x9xf32, #node> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  %u = rgnn.gather src %c in %g : tensor<?x9xf32, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x9xf32, #edge>
  return %y : tensor<?x9xf32, #node>
}

// Products of 16 bits would be rounded before the bias is added.
// REMARK: [Missed] Ones | Category:rgnn-separate-ones | Function=half
// CHECK-LABEL: func @half
//       CHECK: rgnn.concat
func.func @half(%g: !rgnn.graph<@g0>, %x: tensor<?x8xbf16, #node>, %w: tensor<2x9x4xbf16>) -> tensor<?x4xbf16, #node> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xbf16, #node>
  %o = rgnn.map %s : (tensor<?x1xbf16, #node>) -> tensor<?x1xbf16, #node> {
  ^bb0(%b: bf16):
    %one = arith.constant 1.0 : bf16
    rgnn.yield %one : bf16
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x8xbf16, #node>, tensor<?x1xbf16, #node>
  %z = rgnn.typed_linear %c, %w by ntype in %g : tensor<?x9xbf16, #node>, tensor<2x9x4xbf16>
  return %z : tensor<?x4xbf16, #node>
}

// Two concatenations with one in front: it is separated when it is read no more with what is behind it.
// REMARK: Function=shared | num-separated=3
// CHECK-LABEL: func @shared
// CHECK-COUNT-2: rgnn.typed_linear %{{.*}} : tensor<?x8xf32
//   CHECK-NOT: rgnn.concat
func.func @shared(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %v: tensor<3x10x4xf32>, %w: tensor<3x10x4xf32>) -> (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %t = rgnn.slice %x dim 1 from 1 size 1 : tensor<?x8xf32, #node>
  %p = rgnn.map %t : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %a = rgnn.concat %x, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  %c = rgnn.concat %a, %o dim 1 : tensor<?x9xf32, #node>, tensor<?x1xf32, #node>
  %d = rgnn.concat %a, %p dim 1 : tensor<?x9xf32, #node>, tensor<?x1xf32, #node>
  %uc = rgnn.gather src %c in %g : tensor<?x10xf32, #node>
  %y = rgnn.typed_linear %uc, %v by etype in %g : tensor<?x10xf32, #edge>, tensor<3x10x4xf32>
  %ud = rgnn.gather src %d in %g : tensor<?x10xf32, #node>
  %z = rgnn.typed_linear %ud, %w by etype in %g : tensor<?x10xf32, #edge>, tensor<3x10x4xf32>
  return %y, %z : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>
}

// A scale without columns; what another function than a product makes of a one is one number a row, too.
// CHECK-LABEL: func @scale_without_columns
//   CHECK-NOT: rgnn.concat
func.func @scale_without_columns(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %a: tensor<?xf32, #edge>, %w: tensor<3x9x4xf32>) -> tensor<?x4xf32, #edge> {
  %s = rgnn.slice %x dim 1 from 0 size 1 : tensor<?x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 1 : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  %u = rgnn.gather dst %c in %g : tensor<?x9xf32, #node>
  %m = rgnn.map %u, %a : (tensor<?x9xf32, #edge>, tensor<?xf32, #edge>) -> tensor<?x9xf32, #edge> {
  ^bb0(%b: f32, %d: f32):
    %q = arith.divf %b, %d : f32
    %e = math.absf %q : f32
    rgnn.yield %e : f32
  }
  %z = rgnn.typed_linear %m, %w by etype in %g : tensor<?x9xf32, #edge>, tensor<3x9x4xf32>
  return %z : tensor<?x4xf32, #edge>
}

// Heads have columns of their own.
// CHECK-LABEL: func @heads
//       CHECK: rgnn.concat
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x8xf32, #node>, %w: tensor<3x2x9x4xf32>) -> tensor<?x2x4xf32, #edge> {
  %s = rgnn.slice %x dim 2 from 0 size 1 : tensor<?x2x8xf32, #node>
  %o = rgnn.map %s : (tensor<?x2x1xf32, #node>) -> tensor<?x2x1xf32, #node> {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %c = rgnn.concat %x, %o dim 2 : tensor<?x2x8xf32, #node>, tensor<?x2x1xf32, #node>
  %u = rgnn.gather src %c in %g : tensor<?x2x9xf32, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x2x9xf32, #edge>, tensor<3x2x9x4xf32>
  return %z : tensor<?x2x4xf32, #edge>
}
