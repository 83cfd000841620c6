// A pipeline that fails leaves a file that holds the input and the passes, and fails alike when it is run again.

// RUN: not rgnn-opt %s --cse --convert-rgnn-to-hetkernel --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not rgnn-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: 'rgnn.softmax' op cannot be lowered
// FILE:  rgnn.softmax
// FILE:  mlir_reproducer
// FILE:  pipeline: "builtin.module({{.*}}cse{{.*}}convert-rgnn-to-hetkernel

func.func @forward(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = rgnn.softmax %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
