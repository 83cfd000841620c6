// A layer of RGAT as Hector computes it: attention vectors by edge type, and a
// softmax over all edges that enter a node. Two heads.
//
//   z_u = x_u W[etype(e)],  z_v = x_v W[etype(e)]
//   att_e = softmax(LeakyReLU(l[etype(e)] . z_u + r[etype(e)] . z_v))
//   y_v = relu(b + sum over e = (u -> v) of att_e z_u)

// RUN: rgnn-opt %s --rgnn-raise-loops | FileCheck %s --check-prefix=RAISED
// RUN: rgnn-opt %s --rgnn-raise-loops --convert-rgnn-to-hetkernel | FileCheck %s --check-prefix=KERNELS
// RUN: %check_numeric %s --rgnn-raise-loops
// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s --check-prefix=COMPILED

// COMPILED: @rgat: compiled code agrees on 16 seeds

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(3)

// RAISED-LABEL: func @rgat
//   RAISED-NOT: rgnn.program
//       RAISED: rgnn.typed_linear {{.*}} by etype in {{.*}} : tensor<?x8xf32, #rgnn.rows<edge, @g0>>, tensor<3x8x8xf32>
//       RAISED: rgnn.typed_linear {{.*}} by etype in {{.*}} : tensor<?x2x4xf32, #rgnn.rows<edge, @g0>>, tensor<3x2x4x1xf32>
//       RAISED: %[[A:.*]] = rgnn.group_softmax dst %{{.*}} in
//       RAISED: %[[R:.*]] = rgnn.reshape %[[A]]
//       RAISED: %[[M:.*]] = rgnn.map %{{.*}}, %[[R]]
//       RAISED: rgnn.reduce sum dst %[[M]] in

// KERNELS-LABEL: func @rgat
//   KERNELS-NOT: rgnn.{{(gather|typed_linear|reduce|group_softmax)}}
//       KERNELS: hetkernel.gemm
//       KERNELS: hetkernel.traverse
func.func @rgat(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %w: tensor<3x8x8xf32>, %lt: tensor<3x2x4xf32>,
                %rt: tensor<3x2x4xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32, #node> {
  %y = rgnn.program in %g takes ["x"](%x) gives ["y"]
      : (!rgnn.graph<@g0>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
    rgnn.for_each %e in edges {
      %u = rgnn.source %e
      %v = rgnn.destination %e
      %we = rgnn.weight %w of %e : tensor<3x8x8xf32> of !rgnn.edge
      %le = rgnn.weight %lt of %e : tensor<3x2x4xf32> of !rgnn.edge
      %re = rgnn.weight %rt of %e : tensor<3x2x4xf32> of !rgnn.edge
      %xu = rgnn.read "x" of %u : tensor<8xf32> of !rgnn.node
      %xv = rgnn.read "x" of %v : tensor<8xf32> of !rgnn.node
      %pu = rgnn.linear %xu, %we : tensor<8xf32>, tensor<8x8xf32>
      %pv = rgnn.linear %xv, %we : tensor<8xf32>, tensor<8x8xf32>
      %zu = rgnn.reshape %pu : tensor<8xf32> -> tensor<2x4xf32>
      %zv = rgnn.reshape %pv : tensor<8xf32> -> tensor<2x4xf32>
      %al = rgnn.dot %zu, %le : tensor<2x4xf32>
      %ar = rgnn.dot %zv, %re : tensor<2x4xf32>
      %a = rgnn.map %al, %ar : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
      ^bb0(%i: f32, %j: f32):
        %zero = arith.constant 0.0 : f32
        %slope = arith.constant 0.2 : f32
        %s = arith.addf %i, %j : f32
        %c = arith.cmpf oge, %s, %zero : f32
        %t = arith.mulf %s, %slope : f32
        %o = arith.select %c, %s, %t : f32
        rgnn.yield %o : f32
      }
      rgnn.write "att" of %e, %a : tensor<2xf32> of !rgnn.edge
      rgnn.write "z" of %e, %zu : tensor<2x4xf32> of !rgnn.edge
    }
    // edge_softmax(g), with the maximum subtracted.
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %a = rgnn.read "att" of %e : tensor<2xf32> of !rgnn.edge
        rgnn.accumulate max "att_max" of %n, %a : tensor<2xf32> of !rgnn.node
      }
    }
    rgnn.for_each %e in edges {
      %v = rgnn.destination %e
      %a = rgnn.read "att" of %e : tensor<2xf32> of !rgnn.edge
      %m = rgnn.read "att_max" of %v : tensor<2xf32> of !rgnn.node
      %p = rgnn.map %a, %m : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
      ^bb0(%i: f32, %j: f32):
        %d = arith.subf %i, %j : f32
        %r = math.exp %d : f32
        rgnn.yield %r : f32
      }
      rgnn.write "att" of %e, %p : tensor<2xf32> of !rgnn.edge
    }
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %a = rgnn.read "att" of %e : tensor<2xf32> of !rgnn.edge
        rgnn.accumulate sum "att_sum" of %n, %a : tensor<2xf32> of !rgnn.node
      }
    }
    rgnn.for_each %e in edges {
      %v = rgnn.destination %e
      %a = rgnn.read "att" of %e : tensor<2xf32> of !rgnn.edge
      %s = rgnn.read "att_sum" of %v : tensor<2xf32> of !rgnn.node
      %p = rgnn.map %a, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
      ^bb0(%i: f32, %j: f32):
        %r = arith.divf %i, %j : f32
        rgnn.yield %r : f32
      }
      rgnn.write "att" of %e, %p : tensor<2xf32> of !rgnn.edge
    }
    rgnn.for_each %n in dst_nodes {
      rgnn.for_each %e in incoming_edges of %n {
        %a = rgnn.read "att" of %e : tensor<2xf32> of !rgnn.edge
        %z = rgnn.read "z" of %e : tensor<2x4xf32> of !rgnn.edge
        %c = rgnn.reshape %a : tensor<2xf32> -> tensor<2x1xf32>
        %m = rgnn.map %z, %c : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32> {
        ^bb0(%i: f32, %j: f32):
          %p = arith.mulf %i, %j : f32
          rgnn.yield %p : f32
        }
        rgnn.accumulate sum "h" of %n, %m : tensor<2x4xf32> of !rgnn.node
      }
      %h = rgnn.read "h" of %n : tensor<2x4xf32> of !rgnn.node
      %t = rgnn.reshape %h : tensor<2x4xf32> -> tensor<8xf32>
      %o = rgnn.map %t, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
      ^bb0(%i: f32, %j: f32):
        %zero = arith.constant 0.0 : f32
        %p = arith.addf %i, %j : f32
        %q = arith.maximumf %p, %zero : f32
        rgnn.yield %q : f32
      }
      rgnn.write "y" of %n, %o : tensor<8xf32> of !rgnn.node
    }
  }
  return %y : tensor<?x8xf32, #node>
}
