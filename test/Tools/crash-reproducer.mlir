// A pipeline that fails leaves a file that holds the input and the passes, and fails alike when it is run again.

// RUN: not rgnn-opt %s --cse --convert-rgnn-to-hetkernel --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not rgnn-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: 'rgnn.reduce' op cannot be lowered
// FILE:  rgnn.reduce sum src
// FILE:  mlir_reproducer
// FILE:  pipeline: "builtin.module({{.*}}cse{{.*}}convert-rgnn-to-hetkernel

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)
func.func @forward(%g: !rgnn.graph<@g0>, %m: tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>> {
  %s = rgnn.reduce sum src %m in %g : tensor<?x8xf32, #edge>
  return %s : tensor<?x8xf32, #rgnn.rows<node, @g0>>
}
