// Products with matrices that differ from iteration to iteration, and values that do not where rows are needed.

// RUN: rgnn-opt %s --rgnn-raise-loops -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: %check_numeric %s --rgnn-raise-loops
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %s | FileCheck %s --check-prefix=COMPILED
// RUN: sed s/f32/f64/g %t > %t.f64.mlir
// RUN: rgnn-translate --rgnn-check-gradient %t.f64.mlir | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-opt %t.f64.mlir --rgnn-differentiate -o %t.backward.mlir
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %t.backward.mlir | FileCheck %s --check-prefix=BACKWARD
// RUN: rgnn-translate --rgnn-check-gpu --seeds=4 %t.backward.mlir | FileCheck %s --check-prefix=GPU

// COMPILED-COUNT-3: compiled code agrees on 4 seeds
// GRADIENT-COUNT-3: gradients agree on 16 seeds
// BACKWARD-COUNT-6: compiled code agrees on 4 seeds
//      GPU-COUNT-6: GPU kernels agree on 4 seeds

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 node_types(2) edge_types(3)

// What all iterations share becomes rows where rows are needed: of a result, a joined row, a maximum.
// CHECK-LABEL: func @shared_as_rows
//       CHECK: %[[E:.*]] = rgnn.map %{{.*}} : (tensor<2xf32>) -> tensor<?x2xf32, #rgnn.rows<edge, @g0>>
//       CHECK: rgnn.concat %{{.*}}, %[[E]] dim 1
//       CHECK: rgnn.reduce max dst
//       CHECK: rgnn.map %{{.*}} : (tensor<2xf32>) -> tensor<?x2xf32, #rgnn.rows<node, @g0>>
func.func @shared_as_rows(%g: !rgnn.graph<@g0>, %a: tensor<?x4xf32, #edge>, %b: tensor<2xf32>)
    -> (tensor<?x6xf32, #edge>, tensor<?x2xf32, #node>, tensor<?x2xf32, #node>) {
  %y:3 = rgnn.program in %g takes ["a"](%a) gives ["joined", "max", "same"]
      : (!rgnn.graph<@g0>, tensor<?x4xf32, #edge>) -> (tensor<?x6xf32, #edge>, tensor<?x2xf32, #node>, tensor<?x2xf32, #node>) {
    rgnn.for_each %e in edges {
      %v = rgnn.destination %e
      %h = rgnn.read "a" of %e : tensor<4xf32> of !rgnn.edge
      %c = rgnn.concat %h, %b dim 0 : tensor<4xf32>, tensor<2xf32>
      rgnn.write "joined" of %e, %c : tensor<6xf32> of !rgnn.edge
      rgnn.accumulate max "max" of %v, %b : tensor<2xf32> of !rgnn.node
    }
    rgnn.for_each %n in nodes {
      rgnn.write "same" of %n, %b : tensor<2xf32> of !rgnn.node
    }
  }
  return %y#0, %y#1, %y#2 : tensor<?x6xf32, #edge>, tensor<?x2xf32, #node>, tensor<?x2xf32, #node>
}

// Heads share the matrix of a type, or have one each.
// CHECK-LABEL: func @heads
//       CHECK: %[[W:.*]] = rgnn.map %{{.*}} : (tensor<3x1x4x2xf32>) -> tensor<3x2x4x2xf32>
//       CHECK: rgnn.typed_linear %{{.*}}, %[[W]] by etype in %{{.*}} : tensor<?x2x4xf32, #rgnn.rows<edge, @g0>>, tensor<3x2x4x2xf32>
//       CHECK: rgnn.typed_linear %{{.*}}, %{{.*}} by etype in %{{.*}} : tensor<?x2x4xf32, #rgnn.rows<edge, @g0>>, tensor<3x2x4x3xf32>
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x4xf32, #node>, %w: tensor<3x4x2xf32>, %wh: tensor<3x2x4x3xf32>)
    -> (tensor<?x2x2xf32, #edge>, tensor<?x2x3xf32, #edge>) {
  %y:2 = rgnn.program in %g takes ["x"](%x) gives ["a", "b"]
      : (!rgnn.graph<@g0>, tensor<?x2x4xf32, #node>) -> (tensor<?x2x2xf32, #edge>, tensor<?x2x3xf32, #edge>) {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %h = rgnn.read "x" of %u : tensor<2x4xf32> of !rgnn.node
      %we = rgnn.weight %w of %e : tensor<3x4x2xf32> of !rgnn.edge
      %a = rgnn.linear %h, %we : tensor<2x4xf32>, tensor<4x2xf32>
      rgnn.write "a" of %e, %a : tensor<2x2xf32> of !rgnn.edge
      %whe = rgnn.weight %wh of %e : tensor<3x2x4x3xf32> of !rgnn.edge
      %row = rgnn.reshape %h : tensor<2x4xf32> -> tensor<2x1x4xf32>
      %product = rgnn.matmul %row, %whe : tensor<2x1x4xf32>, tensor<2x4x3xf32>
      %b = rgnn.reshape %product : tensor<2x1x3xf32> -> tensor<2x3xf32>
      rgnn.write "b" of %e, %b : tensor<2x3xf32> of !rgnn.edge
    }
  }
  return %y#0, %y#1 : tensor<?x2x2xf32, #edge>, tensor<?x2x3xf32, #edge>
}

// Matrices that are data, or of another node's type: number by number. What all share times those of types: a table.
// CHECK-LABEL: func @by_numbers
//       CHECK: rgnn.reduce_features sum %{{.*}} dim 1 : tensor<?x4x2xf32, #rgnn.rows<edge, @g0>>
//       CHECK: rgnn.reduce_features sum %{{.*}} dim 1 : tensor<?x4x2xf32, #rgnn.rows<edge, @g0>>
//       CHECK: rgnn.reduce_features sum %{{.*}} dim 2 : tensor<?x2x4x2xf32, #rgnn.rows<edge, @g0>>
//       CHECK: %[[D:.*]] = rgnn.reduce_features sum %{{.*}} dim 1 : tensor<3x2x4xf32>
//       CHECK: rgnn.place %[[D]] in
func.func @by_numbers(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %m: tensor<?x4x2xf32, #edge>, %h: tensor<?x2x4xf32, #edge>,
                      %w: tensor<2x4x2xf32>, %v: tensor<2xf32>, %u: tensor<3x4x2xf32>)
    -> (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>, tensor<?x2x2xf32, #edge>, tensor<?x4xf32, #edge>) {
  %y:4 = rgnn.program in %g takes ["x", "m", "h"](%x, %m, %h) gives ["a", "b", "c", "d"]
      : (!rgnn.graph<@g0>, tensor<?x4xf32, #node>, tensor<?x4x2xf32, #edge>, tensor<?x2x4xf32, #edge>)
      -> (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>, tensor<?x2x2xf32, #edge>, tensor<?x4xf32, #edge>) {
    rgnn.for_each %e in edges {
      %s = rgnn.source %e
      %t = rgnn.destination %e
      %xs = rgnn.read "x" of %s : tensor<4xf32> of !rgnn.node
      %me = rgnn.read "m" of %e : tensor<4x2xf32> of !rgnn.edge
      %a = rgnn.linear %xs, %me : tensor<4xf32>, tensor<4x2xf32>
      rgnn.write "a" of %e, %a : tensor<2xf32> of !rgnn.edge
      %wt = rgnn.weight %w of %t : tensor<2x4x2xf32> of !rgnn.node
      %b = rgnn.linear %xs, %wt : tensor<4xf32>, tensor<4x2xf32>
      rgnn.write "b" of %e, %b : tensor<2xf32> of !rgnn.edge
      %he = rgnn.read "h" of %e : tensor<2x4xf32> of !rgnn.edge
      %c = rgnn.linear %he, %me : tensor<2x4xf32>, tensor<4x2xf32>
      rgnn.write "c" of %e, %c : tensor<2x2xf32> of !rgnn.edge
      %ue = rgnn.weight %u of %e : tensor<3x4x2xf32> of !rgnn.edge
      %d = rgnn.linear %v, %ue transposed : tensor<2xf32>, tensor<4x2xf32>
      rgnn.write "d" of %e, %d : tensor<4xf32> of !rgnn.edge
    }
  }
  return %y#0, %y#1, %y#2, %y#3 : tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>, tensor<?x2x2xf32, #edge>, tensor<?x4xf32, #edge>
}
