// RUN: rgnn-opt %s --rgnn-to-gpu=format=isa -o %t.mlir
// RUN: FileCheck %s --check-prefix=HOST --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.mlir
// RUN: rgnn-translate --rgnn-check-gpu --seeds=4 %s | FileCheck %s

// CHECK: @forward: GPU kernels agree on 4 seeds

// Constants of a model are memory of the device: those of the kernel's module, and no parameters.
//  HOST-LABEL: func.func @forward
//    HOST-NOT: memref.get_global
//        HOST: gpu.launch_func

// PTX: .global .align 64 .b8 __constant_4x4xf32[64] = {0, 0, 128, 63, 0, 0, 0, 64,

#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 edge_types(1)
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [0.5, 1.0, 1.0, 1.0], [1.0, 1.0, 2.0, 1.0], [1.0, 1.0, 1.0, 2.0]]> : tensor<4x4xf32>
  %b = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x4xf32>
  %z = rgnn.map %y, %b : (tensor<?x4xf32, #node>, tensor<4xf32>) -> tensor<?x4xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.addf %i, %j : f32
    rgnn.yield %s : f32
  }
  return %z : tensor<?x4xf32, #node>
}
