// RUN: rgnn-translate --rgnn-to-object %s --split-input-file --verify-diagnostics
// RUN: not rgnn-translate --rgnn-to-llvmir --rgnn-to-cpu-options="cpu=8086" %s 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not rgnn-translate --rgnn-to-llvmir --rgnn-to-cpu-options="speed=high" %s 2>&1 | FileCheck %s --check-prefix=OPTION

// CPU: expected native or a processor of x86_64-{{.*}} as cpu, got '8086'
// OPTION: --rgnn-to-cpu-options: {{.*}}no such option speed

// What the pipeline cannot lower.

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)
func.func @forward(%g: !rgnn.graph<@g0>, %m: tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #rgnn.rows<node, @g0>> {
  // expected-error @+1 {{cannot be lowered: no kernel reduces rows of edge along path src}}
  %s = rgnn.reduce sum src %m in %g : tensor<?x8xf32, #edge>
  return %s : tensor<?x8xf32, #rgnn.rows<node, @g0>>
}
