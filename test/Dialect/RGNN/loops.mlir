// RUN: rgnn-opt %s | rgnn-opt | FileCheck %s
// RUN: rgnn-opt %s --mlir-print-op-generic | rgnn-opt | FileCheck %s

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 node_types(2) edge_types(3)

// CHECK-LABEL: func @everything
func.func @everything(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %norm: tensor<?xf32, #edge>,
                      %w: tensor<3x8x4xf32>, %v: tensor<2x4xf32>) -> (tensor<?x4xf32, #node>, tensor<?xf32, #edge>) {
  // CHECK: %{{.*}}:2 = rgnn.program in %{{.*}} takes ["x", "norm"](%{{.*}}, %{{.*}}) gives ["y", "att"] : (!rgnn.graph<@g0>, tensor<?x8xf32, #rgnn.rows<node, @g0>>, tensor<?xf32, #rgnn.rows<edge, @g0>>) -> (tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<?xf32, #rgnn.rows<edge, @g0>>) {
  %y, %att = rgnn.program in %g takes ["x", "norm"](%x, %norm) gives ["y", "att"]
      : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>, tensor<?xf32, #edge>) -> (tensor<?x4xf32, #node>, tensor<?xf32, #edge>) {
    // CHECK-NEXT: rgnn.for_each %[[E:.*]] in edges {
    rgnn.for_each %e in edges {
      // CHECK-NEXT: %[[U:.*]] = rgnn.source %[[E]]
      %u = rgnn.source %e
      // CHECK-NEXT: %[[V:.*]] = rgnn.destination %[[E]]
      %d = rgnn.destination %e
      // CHECK-NEXT: %[[H:.*]] = rgnn.read "x" of %[[U]] : tensor<8xf32> of !rgnn.node
      %h = rgnn.read "x" of %u : tensor<8xf32> of !rgnn.node
      // CHECK-NEXT: %[[W:.*]] = rgnn.weight %{{.*}} of %[[E]] : tensor<3x8x4xf32> of !rgnn.edge
      %we = rgnn.weight %w of %e : tensor<3x8x4xf32> of !rgnn.edge
      // CHECK-NEXT: %[[M:.*]] = rgnn.linear %[[H]], %[[W]] : tensor<8xf32>, tensor<8x4xf32>
      %m = rgnn.linear %h, %we : tensor<8xf32>, tensor<8x4xf32>
      // CHECK-NEXT: %[[A:.*]] = rgnn.weight %{{.*}} of %[[V]] : tensor<2x4xf32> of !rgnn.node
      %a = rgnn.weight %v of %d : tensor<2x4xf32> of !rgnn.node
      // CHECK-NEXT: %[[S:.*]] = rgnn.dot %[[M]], %[[A]] : tensor<4xf32>
      %s = rgnn.dot %m, %a : tensor<4xf32>
      // CHECK-NEXT: rgnn.write "att" of %[[E]], %[[S]] : tensor<f32> of !rgnn.edge
      rgnn.write "att" of %e, %s : tensor<f32> of !rgnn.edge
      // CHECK-NEXT: rgnn.accumulate max "y" of %[[V]], %[[M]] : tensor<4xf32> of !rgnn.node
      rgnn.accumulate max "y" of %d, %m : tensor<4xf32> of !rgnn.node
    }
    // CHECK: rgnn.for_each %[[N:.*]] in dst_nodes {
    rgnn.for_each %n in dst_nodes {
      // CHECK-NEXT: rgnn.for_each %{{.*}} in incoming_edges of %[[N]] {
      rgnn.for_each %e in incoming_edges of %n {
        %s = rgnn.read "att" of %e : tensor<f32> of !rgnn.edge
        // CHECK: rgnn.accumulate sum "att_sum" of %[[N]], %{{.*}} : tensor<f32> of !rgnn.node
        rgnn.accumulate sum "att_sum" of %n, %s : tensor<f32> of !rgnn.node
      }
    }
    // CHECK: rgnn.for_each %[[N:.*]] in src_nodes {
    rgnn.for_each %n in src_nodes {
      // CHECK-NEXT: rgnn.for_each %{{.*}} in outgoing_edges of %[[N]] {
      rgnn.for_each %e in outgoing_edges of %n {
      }
    }
    // CHECK: rgnn.for_each %{{.*}} in nodes {
    rgnn.for_each %n in nodes {
    }
  }
  return %y, %att : tensor<?x4xf32, #node>, tensor<?xf32, #edge>
}

// A program may be empty.
// CHECK-LABEL: func @nothing
//       CHECK: rgnn.program
func.func @nothing(%g: !rgnn.graph<@g0>) -> !rgnn.graph<@g0> {
  rgnn.program in %g takes []() gives [] : (!rgnn.graph<@g0>) -> () {
  }
  return %g : !rgnn.graph<@g0>
}
