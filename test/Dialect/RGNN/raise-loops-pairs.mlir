// RUN: rgnn-opt %s --rgnn-raise-loops | FileCheck %s
// RUN: %check_numeric %s --rgnn-raise-loops

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 node_types(2) edge_types(3)

// All edges of a node against all: of C-GAT (Graphiler, MLSys 2022).

// CHECK-LABEL: func @excess
//  CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<?x4xf32
//       CHECK: %[[E:.*]] = rgnn.group_excess dst %[[A]] over %[[A]] in
//       CHECK: rgnn.map %[[E]], %[[A]]
//       CHECK: rgnn.reduce sum dst
func.func @excess(%g: !rgnn.graph<@g0>, %a: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #node> {
  %y = rgnn.program in %g takes ["a"](%a) gives ["y"] : (!rgnn.graph<@g0>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #node> {
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %own = rgnn.read "a" of %e : tensor<4xf32> of !rgnn.edge
        rgnn.for_each %f in incoming_edges of %n {
          %other = rgnn.read "a" of %f : tensor<4xf32> of !rgnn.edge
          %d = rgnn.map %own, %other : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
          ^bb0(%x: f32, %z: f32):
            %0 = arith.subf %x, %z : f32
            %zero = arith.constant 0.0 : f32
            %1 = arith.maximumf %0, %zero : f32
            rgnn.yield %1 : f32
          }
          rgnn.accumulate sum "s" of %e, %d : tensor<4xf32> of !rgnn.edge
        }
        %s = rgnn.read "s" of %e : tensor<4xf32> of !rgnn.edge
        %m = rgnn.map %s, %own : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
        ^bb0(%x: f32, %z: f32):
          %0 = arith.mulf %x, %z : f32
          rgnn.yield %0 : f32
        }
        rgnn.accumulate sum "y" of %n, %m : tensor<4xf32> of !rgnn.node
      }
    }
  }
  return %y : tensor<?x4xf32, #node>
}

// In two maps, with what the other edge's source has, which is one number for four; the sum is of the inner edge.

// CHECK-LABEL: func @of_the_other
//       CHECK: %[[H:.*]] = rgnn.gather dst
//       CHECK: %[[W:.*]] = rgnn.map %[[H]]
//   CHECK-DAG: rgnn.group_excess src %{{.*}} over %{{.*}} in
//   CHECK-DAG: rgnn.reduce sum src %{{.*}} in
//   CHECK-DAG: rgnn.degree src
func.func @of_the_other(%g: !rgnn.graph<@g0>, %a: tensor<?x4xf32, #edge>, %h: tensor<?xf32, #node>)
    -> (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) {
  %s, %t, %u = rgnn.program in %g takes ["a", "h"](%a, %h) gives ["s", "t", "u"]
      : (!rgnn.graph<@g0>, tensor<?x4xf32, #edge>, tensor<?xf32, #node>) -> (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) {
    rgnn.for_each %n in src_nodes {
      rgnn.for_each %e in outgoing_edges of %n {
        rgnn.for_each %f in outgoing_edges of %n {
          %own = rgnn.read "a" of %e : tensor<4xf32> of !rgnn.edge
          %v = rgnn.destination %f
          %other = rgnn.read "h" of %v : tensor<f32> of !rgnn.node
          %d = rgnn.map %own, %other : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
          ^bb0(%x: f32, %z: f32):
            %0 = arith.subf %z, %x : f32
            rgnn.yield %0 : f32
          }
          %r = rgnn.map %d : (tensor<4xf32>) -> tensor<4xf32> {
          ^bb0(%x: f32):
            %zero = arith.constant 0.0 : f32
            %1 = arith.maximumf %zero, %x : f32
            rgnn.yield %1 : f32
          }
          rgnn.accumulate sum "s" of %f, %r : tensor<4xf32> of !rgnn.edge
          // What one edge has: added up, or as often as there are others.
          rgnn.accumulate sum "t" of %f, %own : tensor<4xf32> of !rgnn.edge
          rgnn.accumulate sum "u" of %e, %own : tensor<4xf32> of !rgnn.edge
        }
      }
    }
  }
  return %s, %t, %u : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>
}
