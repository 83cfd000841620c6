// RUN: rgnn-translate --rgnn-to-object %s --split-input-file --verify-diagnostics
// RUN: not rgnn-translate --rgnn-to-llvmir --rgnn-to-cpu-options="cpu=8086" %s 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not rgnn-translate --rgnn-to-llvmir --rgnn-to-cpu-options="speed=high" %s 2>&1 | FileCheck %s --check-prefix=OPTION

// CPU: expected native or a processor of x86_64-{{.*}} as cpu, got '8086'
// OPTION: --rgnn-to-cpu-options: {{.*}}no such option speed

// What the pipeline cannot lower.

func.func @forward(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{cannot be lowered: no kernel computes it on tensors without rows}}
  %y = rgnn.softmax %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
