// RUN: rgnn-opt %s --rgnn-normalise-sums --split-input-file | FileCheck %s
// RUN: rgnn-opt %s --rgnn-normalise-sums --split-input-file --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: split-file %s %t
// RUN: %check_numeric %t/taken.mlir --rgnn-normalise-sums
// RUN: sed s/f32/f64/g %t/taken.mlir | rgnn-opt --rgnn-normalise-sums | rgnn-translate --rgnn-check-gradient --seeds=4
// RUN: rgnn-opt %t/taken.mlir --rgnn-differentiate --canonicalize --cse --rgnn-normalise-sums -o %t/gradients.mlir
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %t/gradients.mlir
// RUN: rgnn-opt %t/taken.mlir --rgnn-normalise-sums --convert-rgnn-to-hetkernel | FileCheck %s --check-prefix=KERNEL

//--- taken.mlir

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
rgnn.schema @g0 edge_types(3)

// CHECK-LABEL: func.func @heads(
//       CHECK:   %[[M:.*]] = rgnn.reduce max dst %[[S:.*]] in
//       CHECK:   %[[OF:.*]] = rgnn.gather dst %[[M]]
//       CHECK:   %[[E:.*]] = rgnn.map %[[S]], %[[OF]]
//       CHECK:     math.exp
//       CHECK:   %[[D:.*]] = rgnn.reduce sum dst %[[E]]
//       CHECK:   %[[R:.*]] = rgnn.map %[[D]]
//       CHECK:     arith.divf
//   CHECK-NOT:   rgnn.group_softmax
//       CHECK:   %[[EE:.*]] = rgnn.reshape %[[E]] : {{.*}} -> tensor<?x2x1xf32, {{.*}}edge
//       CHECK:   %[[T:.*]] = rgnn.map %[[EE]], %{{.*}}
//       CHECK:   %[[U:.*]] = rgnn.reduce sum dst %[[T]]
//       CHECK:   %[[RR:.*]] = rgnn.reshape %[[R]] : {{.*}} -> tensor<?x2x1xf32, {{.*}}node
//       CHECK:   %[[Y:.*]] = rgnn.map %[[U]], %[[RR]]
//       CHECK:     arith.mulf
//       CHECK:   return %[[Y]]
// REMARK: Passed{{.*}}Function=heads {{.*}}sums of rows that a softmax weights are divided at the end
// One loop for the maximum, one for the rest.
// KERNEL-LABEL: func.func @heads(
// KERNEL-COUNT-2: hetkernel.for_each
// KERNEL-NOT:     hetkernel.for_each
// KERNEL:         return
func.func @heads(%g: !rgnn.graph<@g0>, %s: tensor<?x2xf32, #edge>, %x: tensor<?x2x4xf32, #node>) -> tensor<?x2x4xf32, #node> {
  %p = rgnn.group_softmax dst %s in %g : tensor<?x2xf32, #edge>
  %q = rgnn.reshape %p : tensor<?x2xf32, #edge> -> tensor<?x2x1xf32, #edge>
  %m = rgnn.gather src %x in %g : tensor<?x2x4xf32, #node>
  %t = rgnn.map %q, %m : (tensor<?x2x1xf32, #edge>, tensor<?x2x4xf32, #edge>) -> tensor<?x2x4xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %y = rgnn.reduce sum dst %t in %g : tensor<?x2x4xf32, #edge>
  return %y : tensor<?x2x4xf32, #node>
}

// Two sums over the outgoing edges; one of them is of the weights' squares with other rows.
// CHECK-LABEL: func.func @two_sums(
//   CHECK-NOT:   rgnn.group_softmax
//       CHECK:   rgnn.reduce sum src
//       CHECK:   rgnn.reduce sum src
//       CHECK:   rgnn.reduce sum src
// REMARK: Passed{{.*}}Function=two_sums
func.func @two_sums(%g: !rgnn.graph<@g0>, %s: tensor<?x1xf32, #edge>, %x: tensor<?x4xf32, #node>, %z: tensor<?x3xf32, #edge>) -> (tensor<?x4xf32, #node>, tensor<?x3xf32, #node>) {
  %p = rgnn.group_softmax src %s in %g : tensor<?x1xf32, #edge>
  %m = rgnn.gather dst %x in %g : tensor<?x4xf32, #node>
  %t = rgnn.map %p, %m : (tensor<?x1xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %u = rgnn.map %z, %p : (tensor<?x3xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x3xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %y = rgnn.reduce sum src %t in %g : tensor<?x4xf32, #edge>
  %v = rgnn.reduce sum src %u in %g : tensor<?x3xf32, #edge>
  return %y, %v : tensor<?x4xf32, #node>, tensor<?x3xf32, #node>
}

// Large scores, within each relation.
// CHECK-LABEL: func.func @large(
//   CHECK-NOT:   rgnn.group_softmax
//       CHECK:   return
func.func @large(%g: !rgnn.graph<@g0>, %s: tensor<?x1xf32, #edge>, %z: tensor<?x3xf32, #edge>) -> tensor<?x3xf32, #dst_pair> {
  %k = rgnn.map %s : (tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32):
    %c = arith.constant 1.0e+30 : f32
    %0 = arith.mulf %i, %c : f32
    rgnn.yield %0 : f32
  }
  %p = rgnn.group_softmax dst_pair %k in %g : tensor<?x1xf32, #edge>
  %u = rgnn.map %z, %p : (tensor<?x3xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x3xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %v = rgnn.reduce sum dst_pair %u in %g : tensor<?x3xf32, #edge>
  return %v : tensor<?x3xf32, #dst_pair>
}

//--- refused.mlir
// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
rgnn.schema @g0 edge_types(3)

// The caller gets the weights.
// CHECK-LABEL: func.func @returned(
//       CHECK:   rgnn.group_softmax
// REMARK: Missed{{.*}}Function=returned {{.*}}a softmax is divided before rows are added up: not only products read it
func.func @returned(%g: !rgnn.graph<@g0>, %s: tensor<?x1xf32, #edge>, %z: tensor<?x1xf32, #edge>) -> (tensor<?x1xf32, #edge>, tensor<?x1xf32, #node>) {
  %p = rgnn.group_softmax dst %s in %g : tensor<?x1xf32, #edge>
  %t = rgnn.map %p, %z : (tensor<?x1xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %y = rgnn.reduce sum dst %t in %g : tensor<?x1xf32, #edge>
  return %p, %y : tensor<?x1xf32, #edge>, tensor<?x1xf32, #node>
}

// Within each relation: a node adds up rows of several groups.
// CHECK-LABEL: func.func @within(
//       CHECK:   rgnn.group_softmax
// REMARK: Missed{{.*}}Function=within {{.*}}rows are added up in other groups
func.func @within(%g: !rgnn.graph<@g0>, %s: tensor<?x1xf32, #edge>, %z: tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #node> {
  %p = rgnn.group_softmax dst_pair %s in %g : tensor<?x1xf32, #edge>
  %t = rgnn.map %p, %z : (tensor<?x1xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %y = rgnn.reduce sum dst %t in %g : tensor<?x1xf32, #edge>
  return %y : tensor<?x1xf32, #node>
}

// CHECK-LABEL: func.func @maximum(
//       CHECK:   rgnn.group_softmax
// REMARK: Missed{{.*}}Function=maximum {{.*}}not only sums read the rows that it weights
func.func @maximum(%g: !rgnn.graph<@g0>, %s: tensor<?x1xf32, #edge>, %z: tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #node> {
  %p = rgnn.group_softmax dst %s in %g : tensor<?x1xf32, #edge>
  %t = rgnn.map %p, %z : (tensor<?x1xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %y = rgnn.reduce max dst %t in %g : tensor<?x1xf32, #edge>
  return %y : tensor<?x1xf32, #node>
}

// Squares are no multiples.
// CHECK-LABEL: func.func @squared(
//       CHECK:   rgnn.group_softmax
// REMARK: Missed{{.*}}Function=squared {{.*}}not only products read it
func.func @squared(%g: !rgnn.graph<@g0>, %s: tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #node> {
  %p = rgnn.group_softmax dst %s in %g : tensor<?x1xf32, #edge>
  %t = rgnn.map %p, %p : (tensor<?x1xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %y = rgnn.reduce sum dst %t in %g : tensor<?x1xf32, #edge>
  return %y : tensor<?x1xf32, #node>
}

// CHECK-LABEL: func.func @half(
//       CHECK:   rgnn.group_softmax
// REMARK: Missed{{.*}}Function=half {{.*}}its numbers have 16 bits
func.func @half(%g: !rgnn.graph<@g0>, %s: tensor<?x1xf16, #edge>, %z: tensor<?x1xf16, #edge>) -> tensor<?x1xf16, #node> {
  %p = rgnn.group_softmax dst %s in %g : tensor<?x1xf16, #edge>
  %t = rgnn.map %p, %z : (tensor<?x1xf16, #edge>, tensor<?x1xf16, #edge>) -> tensor<?x1xf16, #edge> {
  ^bb0(%i: f16, %j: f16):
    %0 = arith.mulf %i, %j : f16
    rgnn.yield %0 : f16
  }
  %y = rgnn.reduce sum dst %t in %g : tensor<?x1xf16, #edge>
  return %y : tensor<?x1xf16, #node>
}
