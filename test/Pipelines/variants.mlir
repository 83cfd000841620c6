// RUN: rgnn-opt %s --rgnn-to-hetkernel | FileCheck %s --check-prefix=MANIFEST
// RUN: rgnn-opt %s --rgnn-to-cpu | FileCheck %s --check-prefix=LLVM
// RUN: rgnn-opt %s --rgnn-to-cpu=reassociate=false | FileCheck %s --check-prefix=ALONE --implicit-check-not=rgnn_forward_1
// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s --check-prefix=COMPILED

// What is cheaper for graphs of few edges is a function of its own, with an entry and a workspace; random graphs, of
// which some have no edges, run one or the other.
// MANIFEST: \22entry\22:\22rgnn_forward\22
// MANIFEST-SAME: variants\22:[{\22edges_per_node_below\22:0.{{[0-9]*}},\22entry\22:\22rgnn_forward_1\22
// MANIFEST-SAME: \22workspace\22:\22rgnn_forward_1_workspace\22
// MANIFEST: func.func @forward(
// MANIFEST: func.func @forward_1(
// LLVM: llvm.func @rgnn_forward(
// LLVM: llvm.func @rgnn_forward_workspace(
// LLVM: llvm.func @rgnn_forward_1(
// LLVM: llvm.func @rgnn_forward_1_workspace(
// LLVM: llvm.func internal @forward_1_parallel_0(
// ALONE: llvm.func @rgnn_forward(
// COMPILED: compiled code agrees

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(1)

func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x64xf32, #node>, %w: tensor<64x96xf32>) -> tensor<?x96xf32, #node> {
  %degree = rgnn.degree dst in %g : tensor<?xf32, #node>
  %d = rgnn.map %degree : (tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %b = arith.addf %a, %one : f32
    %r = math.rsqrt %b : f32
    rgnn.yield %r : f32
  }
  %h = rgnn.linear %x, %w : tensor<?x64xf32, #node>, tensor<64x96xf32>
  %s = rgnn.map %h, %d : (tensor<?x96xf32, #node>, tensor<?xf32, #node>) -> tensor<?x96xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    rgnn.yield %r : f32
  }
  %u = rgnn.gather src %s in %g : tensor<?x96xf32, #node>
  %a = rgnn.reduce sum dst %u in %g : tensor<?x96xf32, #edge>
  %y = rgnn.map %a, %d : (tensor<?x96xf32, #node>, tensor<?xf32, #node>) -> tensor<?x96xf32, #node> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    rgnn.yield %r : f32
  }
  return %y : tensor<?x96xf32, #node>
}
