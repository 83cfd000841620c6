// Edges compared with those of their group: machine code and kernels for GPUs against the interpreter, in every element
// type, and gradients against finite differences.

// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t.f64.mlir
// RUN: rgnn-translate --rgnn-check-compiled %t.f64.mlir --rgnn-to-cpu-options="serial-below=0" | FileCheck %s
// RUN: sed s/f32/bf16/g %s | rgnn-translate --rgnn-check-compiled | FileCheck %s
// RUN: rgnn-translate --rgnn-check-gradient %t.f64.mlir | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-opt %s --rgnn-differentiate > %t.mlir
// RUN: rgnn-translate --rgnn-check-compiled %t.mlir | FileCheck %s --check-prefix=BACKWARD
// RUN: rgnn-translate --rgnn-check-gpu --seeds=6 %t.mlir | FileCheck %s --check-prefix=GPU

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// CHECK: @excess: compiled code agrees on 16 seeds
// GRADIENT: @excess: gradients agree on 16 seeds
// BACKWARD: @excess: compiled code agrees on 16 seeds
// BACKWARD: @excess_backward: compiled code agrees on 16 seeds
// GPU: @excess: GPU kernels agree on 6 seeds
// GPU: @excess_backward: GPU kernels agree on 6 seeds
func.func @excess(%g: !rgnn.graph<@g0>, %h: tensor<?x2x3xf32, #node>, %e: tensor<?x2x3xf32, #edge>)
    -> (tensor<?x2x3xf32, #node>, tensor<?x2x3xf32, #edge>, tensor<?x2x3xf32, #edge>) {
  %x = rgnn.gather src %h in %g : tensor<?x2x3xf32, #node>
  %own = rgnn.group_excess dst %x over %x in %g : tensor<?x2x3xf32, #edge>
  %sum = rgnn.reduce sum dst %own in %g : tensor<?x2x3xf32, #edge>
  %other = rgnn.group_excess src %e over %x in %g : tensor<?x2x3xf32, #edge>
  %typed = rgnn.group_excess dst_pair %x over %e in %g : tensor<?x2x3xf32, #edge>
  return %sum, %other, %typed : tensor<?x2x3xf32, #node>, tensor<?x2x3xf32, #edge>, tensor<?x2x3xf32, #edge>
}

// CHECK: @numbers: compiled code agrees on 16 seeds
// GRADIENT: @numbers: gradients agree on 16 seeds
// BACKWARD: @numbers_backward: compiled code agrees on 16 seeds
// GPU: @numbers_backward: GPU kernels agree on 6 seeds
func.func @numbers(%g: !rgnn.graph<@g0>, %e: tensor<?xf32, #edge>) -> (tensor<?xf32, #edge>, tensor<?xf32, #edge>) {
  %0 = rgnn.group_excess dst %e over %e in %g : tensor<?xf32, #edge>
  %1 = rgnn.group_excess etype %e over %e in %g : tensor<?xf32, #edge>
  return %0, %1 : tensor<?xf32, #edge>, tensor<?xf32, #edge>
}

// CHECK: @sums: compiled code agrees on 16 seeds
// GRADIENT: @sums: gradients agree on 16 seeds
// BACKWARD: @sums_backward: compiled code agrees on 16 seeds
// GPU: @sums_backward: GPU kernels agree on 6 seeds
func.func @sums(%g: !rgnn.graph<@g0>, %r: tensor<?x4xf32, #edge>, %y: tensor<?x4xf32, #edge>, %x: tensor<?x4xf32, #edge>)
    -> (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) {
  %0 = rgnn.group_sum_below dst %r where %y below %x in %g : tensor<?x4xf32, #edge>
  %1 = rgnn.group_sum_below src_pair %r where %y below %y in %g : tensor<?x4xf32, #edge>
  return %0, %1 : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>
}
