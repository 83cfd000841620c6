// RUN: rgnn-opt %s --canonicalize | FileCheck %s

#a = #rgnn.rows<edge, @a>
#b = #rgnn.rows<edge, @b>
#n = #rgnn.rows<node, @a>

// Messages are scaled by weights of another list of edges, and are added up
// without a tensor of all messages.
// CHECK-LABEL: func @scaled_elsewhere
//  CHECK-SAME: %[[X:[a-z0-9]+]]: {{.*}}, %[[W:[a-z0-9]+]]: {{.*}}, %[[A:[a-z0-9]+]]: !rgnn.graph<@a>
//       CHECK: %[[M:.*]] = rgnn.gather src %[[X]] in %[[A]]
//       CHECK: %[[PLAIN:.*]] = rgnn.unplace %[[W]]
//       CHECK: %[[V:.*]] = rgnn.place %[[PLAIN]] in %[[A]]
//       CHECK: %[[S:.*]] = rgnn.map %[[V]], %[[M]] : ({{.*}}) -> tensor<?x4xf32, #rgnn.rows<edge, @a>>
//       CHECK: rgnn.reduce sum dst %[[S]] in %[[A]]
func.func @scaled_elsewhere(%x: tensor<?x4xf32, #n>, %w: tensor<?x1xf32, #b>, %ga: !rgnn.graph<@a>, %gb: !rgnn.graph<@b>) -> tensor<?x4xf32, #n> {
  %m = rgnn.gather src %x in %ga : tensor<?x4xf32, #n>
  %0 = rgnn.unplace %m : tensor<?x4xf32, #a>
  %1 = rgnn.place %0 in %gb : tensor<?x4xf32> -> tensor<?x4xf32, #b>
  %2 = rgnn.map %w, %1 : (tensor<?x1xf32, #b>, tensor<?x4xf32, #b>) -> tensor<?x4xf32, #b> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    rgnn.yield %r : f32
  }
  %3 = rgnn.unplace %2 : tensor<?x4xf32, #b>
  %4 = rgnn.place %3 in %ga : tensor<?x4xf32> -> tensor<?x4xf32, #a>
  %5 = rgnn.reduce sum dst %4 in %ga : tensor<?x4xf32, #a>
  return %5 : tensor<?x4xf32, #n>
}

// Through what else is done to single rows.
// CHECK-LABEL: func @several_steps
//       CHECK: rgnn.gather src
//       CHECK: rgnn.map {{.*}} -> tensor<?x4xf32, #rgnn.rows<edge, @a>>
//       CHECK: rgnn.reshape {{.*}} -> tensor<?x2x2xf32, #rgnn.rows<edge, @a>>
//   CHECK-NOT: rgnn.place
//       CHECK: return
func.func @several_steps(%x: tensor<?x4xf32, #n>, %ga: !rgnn.graph<@a>, %gb: !rgnn.graph<@b>) -> tensor<?x2x2xf32, #a> {
  %m = rgnn.gather src %x in %ga : tensor<?x4xf32, #n>
  %0 = rgnn.unplace %m : tensor<?x4xf32, #a>
  %1 = rgnn.place %0 in %gb : tensor<?x4xf32> -> tensor<?x4xf32, #b>
  %2 = rgnn.map %1 : (tensor<?x4xf32, #b>) -> tensor<?x4xf32, #b> {
  ^bb0(%p: f32):
    %r = math.exp %p : f32
    rgnn.yield %r : f32
  }
  %3 = rgnn.reshape %2 : tensor<?x4xf32, #b> -> tensor<?x2x2xf32, #b>
  %4 = rgnn.unplace %3 : tensor<?x2x2xf32, #b>
  %5 = rgnn.place %4 in %ga : tensor<?x2x2xf32> -> tensor<?x2x2xf32, #a>
  return %5 : tensor<?x2x2xf32, #a>
}

// It is done once where the other graph needs it too.
// CHECK-LABEL: func @read_there_too
//       CHECK: rgnn.map {{.*}} -> tensor<?x4xf32, #rgnn.rows<edge, @b>>
//   CHECK-NOT: rgnn.map
//       CHECK: return
func.func @read_there_too(%m: tensor<?x4xf32, #a>, %ga: !rgnn.graph<@a>, %gb: !rgnn.graph<@b>) -> (tensor<?x4xf32, #a>, tensor<?x4xf32, #b>) {
  %0 = rgnn.unplace %m : tensor<?x4xf32, #a>
  %1 = rgnn.place %0 in %gb : tensor<?x4xf32> -> tensor<?x4xf32, #b>
  %2 = rgnn.map %1 : (tensor<?x4xf32, #b>) -> tensor<?x4xf32, #b> {
  ^bb0(%p: f32):
    %r = math.exp %p : f32
    rgnn.yield %r : f32
  }
  %3 = rgnn.unplace %2 : tensor<?x4xf32, #b>
  %4 = rgnn.place %3 in %ga : tensor<?x4xf32> -> tensor<?x4xf32, #a>
  return %4, %2 : tensor<?x4xf32, #a>, tensor<?x4xf32, #b>
}

// Rows that were never of the graph are computed where they are.
// CHECK-LABEL: func @from_elsewhere
//       CHECK: rgnn.map {{.*}} -> tensor<?x4xf32, #rgnn.rows<edge, @b>>
//       CHECK: rgnn.place
func.func @from_elsewhere(%w: tensor<?x4xf32, #b>, %ga: !rgnn.graph<@a>) -> tensor<?x4xf32, #a> {
  %2 = rgnn.map %w : (tensor<?x4xf32, #b>) -> tensor<?x4xf32, #b> {
  ^bb0(%p: f32):
    %r = math.exp %p : f32
    rgnn.yield %r : f32
  }
  %3 = rgnn.unplace %2 : tensor<?x4xf32, #b>
  %4 = rgnn.place %3 in %ga : tensor<?x4xf32> -> tensor<?x4xf32, #a>
  return %4 : tensor<?x4xf32, #a>
}
