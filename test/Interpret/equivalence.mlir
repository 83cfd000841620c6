// RUN: sed 's/reduce sum/reduce mean/' %s > %t.mean
// RUN: not rgnn-translate --rgnn-check-equivalent --against=%t.mean %s 2>&1 | FileCheck %s
// RUN: not rgnn-translate --rgnn-check-equivalent %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not rgnn-translate --rgnn-interpret --entry=nothing %s 2>&1 | FileCheck %s --check-prefix=ENTRY

// CHECK: error: with seed 0, result 0: expected {{.*}} at [{{[0-9]+}}], got
// NONE: error: expected --against=FILE, got none
// ENTRY: error: expected a function nothing in the module, got none
func.func @sum(%g: !rgnn.graph<@g0>, %m: tensor<?xf32, #rgnn.rows<edge, @g0>>) -> tensor<?xf32, #rgnn.rows<node, @g0>> {
  %s = rgnn.reduce sum dst %m in %g : tensor<?xf32, #rgnn.rows<edge, @g0>>
  return %s : tensor<?xf32, #rgnn.rows<node, @g0>>
}
