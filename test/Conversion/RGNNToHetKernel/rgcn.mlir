// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --cse | FileCheck %s

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#pair = #rgnn.rows<dst_pair, @g0>
rgnn.schema @g0 edge_types(3)

// The mean over (destination, type) divides each message by its pair's degree, which is read off two offsets. Messages
// are stored once, by the GEMM; sum, root weight, bias and activation share the traversal that reads them.

// CHECK-LABEL: func @mean
func.func @mean(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>, %w: tensor<3x8x4xf32>, %root: tensor<8x4xf32>,
                %b: tensor<4xf32>) -> tensor<?x4xf32, #node> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  // CHECK: %[[M:.*]] = hetkernel.gemm x(%{{.*}} gather
  %m = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x4xf32>
  %d = rgnn.degree dst_pair in %g : tensor<?xf32, #pair>
  %de = rgnn.gather dst_pair %d in %g : tensor<?xf32, #pair>
  %dr = rgnn.reshape %de : tensor<?xf32, #edge> -> tensor<?x1xf32, #edge>
  %n = rgnn.map %m, %dr : (tensor<?x4xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %q = arith.divf %x, %y : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst %n in %g : tensor<?x4xf32, #edge>
  // CHECK: %[[ROOT:.*]] = hetkernel.gemm x(%{{[a-z0-9]+}} : tensor<?x8xf32>)
  %r = rgnn.linear %h, %root : tensor<?x8xf32, #node>, tensor<8x4xf32>
  // CHECK: hetkernel.traverse
  // CHECK:   hetkernel.for_each
  // CHECK:     hetkernel.row %[[M]]
  // CHECK:     %[[PAIR:.*]] = hetkernel.lookup
  // CHECK:     hetkernel.lookup
  // CHECK:     hetkernel.lookup %{{.*}}[%[[PAIR]]]
  // CHECK:     arith.divf
  // CHECK:   } -> vector<4xf32>
  // CHECK:   hetkernel.row %[[ROOT]]
  // CHECK:   arith.addf
  // CHECK-NOT: hetkernel.traverse
  %o = rgnn.map %s, %r, %b : (tensor<?x4xf32, #node>, tensor<?x4xf32, #node>, tensor<4xf32>) -> tensor<?x4xf32, #node> {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.addf %x, %y : f32
    %q = arith.addf %p, %z : f32
    rgnn.yield %q : f32
  }
  return %o : tensor<?x4xf32, #node>
}
