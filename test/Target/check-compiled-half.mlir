// Floats of 16 bits: each result is made by one kernel, which rounds it once. So it is off by half a unit in the last
// place of the largest number, 2^-8 in bf16 and 2^-11 in f16, and by what f32 is off on the way.

// RUN: rgnn-translate --rgnn-check-compiled --relative-error=0.00391 %s | FileCheck %s
// RUN: rgnn-translate --rgnn-check-compiled --relative-error=0.00391 %s --rgnn-to-cpu-options="cpu=x86-64 padding=8 serial-below=0 traverse-schedule=mapping:edge,task_rows:3,coarsening:2,hoisting:false,partial_aggregation:false" | FileCheck %s
// RUN: sed s/bf16/f16/g %s > %t.f16.mlir
// RUN: rgnn-translate --rgnn-check-compiled --relative-error=0.00049 %t.f16.mlir | FileCheck %s

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(2)

// CHECK: @reductions: compiled code agrees on 16 seeds
func.func @reductions(%g: !rgnn.graph<@g0>, %x: tensor<?x20xbf16, #node>)
    -> (tensor<?x20xbf16, #node>, tensor<?x20xbf16, #node>, tensor<?x20xbf16, #node>, tensor<?x20xbf16, #node>) {
  %u = rgnn.gather src %x in %g : tensor<?x20xbf16, #node>
  %sum = rgnn.reduce sum dst %u in %g : tensor<?x20xbf16, #edge>
  %mean = rgnn.reduce mean dst %u in %g : tensor<?x20xbf16, #edge>
  %max = rgnn.reduce max dst %u in %g : tensor<?x20xbf16, #edge>
  %min = rgnn.reduce min dst %u in %g : tensor<?x20xbf16, #edge>
  return %sum, %mean, %max, %min : tensor<?x20xbf16, #node>, tensor<?x20xbf16, #node>, tensor<?x20xbf16, #node>, tensor<?x20xbf16, #node>
}

// The caller gets logits, attention and the weighted sum, each rounded from what the loops keep in f32. Rounded logits,
// up to 30, would be too far off.
// CHECK: @attention: compiled code agrees on 16 seeds
func.func @attention(%g: !rgnn.graph<@g0>, %l: tensor<?x2xbf16, #node>, %x: tensor<?x2x5xbf16, #node>)
    -> (tensor<?x2xbf16, #edge>, tensor<?x2xbf16, #edge>, tensor<?x2x5xbf16, #node>) {
  %u = rgnn.gather src %l in %g : tensor<?x2xbf16, #node>
  %s = rgnn.map %u : (tensor<?x2xbf16, #edge>) -> tensor<?x2xbf16, #edge> {
  ^bb0(%i: bf16):
    %c = arith.constant 3.000000e+01 : bf16
    %t = math.tanh %i : bf16
    %p = arith.mulf %t, %c : bf16
    rgnn.yield %p : bf16
  }
  %a = rgnn.group_softmax dst %s in %g : tensor<?x2xbf16, #edge>
  %ar = rgnn.reshape %a : tensor<?x2xbf16, #edge> -> tensor<?x2x1xbf16, #edge>
  %z = rgnn.gather src %x in %g : tensor<?x2x5xbf16, #node>
  %m = rgnn.map %ar, %z : (tensor<?x2x1xbf16, #edge>, tensor<?x2x5xbf16, #edge>) -> tensor<?x2x5xbf16, #edge> {
  ^bb0(%i: bf16, %j: bf16):
    %p = arith.mulf %i, %j : bf16
    rgnn.yield %p : bf16
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2x5xbf16, #edge>
  return %s, %a, %y : tensor<?x2xbf16, #edge>, tensor<?x2xbf16, #edge>, tensor<?x2x5xbf16, #node>
}

// CHECK: @casts: compiled code agrees on 16 seeds
func.func @casts(%g: !rgnn.graph<@g0>, %x: tensor<?x3xbf16, #node>, %y: tensor<?x3xf32, #node>, %b: tensor<3xbf16>)
    -> (tensor<?x3xf32, #node>, tensor<?x3xf64, #node>, tensor<?x3xbf16, #node>) {
  %0 = rgnn.map %x, %y, %b : (tensor<?x3xbf16, #node>, tensor<?x3xf32, #node>, tensor<3xbf16>) -> tensor<?x3xf32, #node> {
  ^bb0(%i: bf16, %j: f32, %k: bf16):
    %p = arith.mulf %i, %k : bf16
    %w = arith.extf %p : bf16 to f32
    %s = arith.addf %w, %j : f32
    rgnn.yield %s : f32
  }
  %1 = rgnn.map %x : (tensor<?x3xbf16, #node>) -> tensor<?x3xf64, #node> {
  ^bb0(%i: bf16):
    %p = arith.mulf %i, %i : bf16
    %w = arith.extf %p : bf16 to f64
    rgnn.yield %w : f64
  }
  %2 = rgnn.map %0 : (tensor<?x3xf32, #node>) -> tensor<?x3xbf16, #node> {
  ^bb0(%i: f32):
    %n = arith.truncf %i : f32 to bf16
    rgnn.yield %n : bf16
  }
  return %0, %1, %2 : tensor<?x3xf32, #node>, tensor<?x3xf64, #node>, tensor<?x3xbf16, #node>
}
