// What disagrees is named: function, seed, result, place and both numbers.

// Single precision overflows where double does not; rounded after each op, the interpreter does so too.
// RUN: not rgnn-translate --rgnn-check-compiled --entry=overflow %s 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: rgnn-translate --rgnn-check-compiled --entry=overflow --round %s | FileCheck %s --check-prefix=ROUNDED

// RUN: not rgnn-translate --rgnn-check-compiled --entry=sum --relative-error=0 %s 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: not rgnn-translate --rgnn-check-compiled --entry=refused %s 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not rgnn-translate --rgnn-check-compiled --entry=number %s 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not rgnn-translate --rgnn-check-compiled --entry=nothing %s 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not rgnn-translate --rgnn-check-compiled --entry=sum --rgnn-to-cpu-options=speed=3 %s 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not rgnn-translate --rgnn-check-compiled --entry=types %s 2>&1 | FileCheck %s --check-prefix=TYPES

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(2)

// OVERFLOW: check-compiled-errors.mlir:[[@LINE+3]]:{{[0-9]+}}: error: with seed 0, result 1: expected {{[0-9.]+}}e+{{[0-9]+}} at [{{[0-9]+}}, {{[0-9]+}}], got inf
// ROUNDED: @overflow: compiled code agrees on 16 seeds
// EXACT-NOT: overflow
func.func @overflow(%g: !rgnn.graph<@g0>, %x: tensor<?x3xf32, #node>) -> (tensor<?x3xf32, #node>, tensor<?x3xf32, #node>) {
  %y = rgnn.map %x : (tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  ^bb0(%i: f32):
    %scale = arith.constant 1.0e+38 : f32
    %p = arith.mulf %i, %scale : f32
    %q = math.absf %p : f32
    rgnn.yield %q : f32
  }
  %z = rgnn.map %y : (tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  ^bb0(%i: f32):
    %scale = arith.constant 1.0e+30 : f32
    %p = arith.mulf %i, %scale : f32
    rgnn.yield %p : f32
  }
  return %y, %z : tensor<?x3xf32, #node>, tensor<?x3xf32, #node>
}

// EXACT: error: with seed {{[0-9]+}}, result 0: expected {{[-0-9.]+}} at [{{[0-9]+}}, {{[0-9]+}}], got
func.func @sum(%g: !rgnn.graph<@g0>, %m: tensor<?x3xf32, #edge>) -> tensor<?x3xf32, #node> {
  %s = rgnn.reduce mean dst %m in %g : tensor<?x3xf32, #edge>
  return %s : tensor<?x3xf32, #node>
}

// The place is that of the op in this file.
// REFUSED: error: not compiled: {{.*}}check-compiled-errors.mlir:[[@LINE+2]]:{{[0-9]+}}: error: 'rgnn.constant_graph' op expected graphs that are arguments
func.func @refused(%m: tensor<?x3xf32, #edge>) -> tensor<?x3xf32, #node> {
  %g = rgnn.constant_graph src([0]) dst([0]) nodes([1]) : !rgnn.graph<@g0>
  %s = rgnn.reduce sum dst %m in %g : tensor<?x3xf32, #edge>
  return %s : tensor<?x3xf32, #node>
}

// NUMBER: error: not compiled: {{.*}}expected tensors and graphs as arguments, got 'index'
func.func @number(%x: tensor<3xf32>, %n: index) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// ENTRY: error: expected a function nothing in the module, got none
// OPTION: error: not compiled: options of rgnn-to-cpu: {{.*}}speed

// TYPES: error: not compiled: {{.*}}expected a number of edge types in schema @unknown
rgnn.schema @unknown
func.func @types(%g: !rgnn.graph<@unknown>, %m: tensor<?x3xf32, #rgnn.rows<edge, @unknown>>) -> tensor<?x3xf32, #rgnn.rows<node, @unknown>> {
  %s = rgnn.reduce mean dst %m in %g : tensor<?x3xf32, #rgnn.rows<edge, @unknown>>
  return %s : tensor<?x3xf32, #rgnn.rows<node, @unknown>>
}
