// Parts of a weight's gradient are added up by one loop, which threads share; the values are those of the interpreter.

// RUN: rgnn-opt %s --rgnn-to-buffers=serial-below=0 | FileCheck %s
// RUN: rgnn-opt %s --rgnn-to-buffers | FileCheck %s --check-prefix=SERIAL
// RUN: rgnn-translate --rgnn-check-compiled --rgnn-to-cpu-options="serial-below=0" %s

// CHECK-LABEL: func.func @parts(
//       CHECK:   scf.forall
//       CHECK:     linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : {{.*}})
//       CHECK:       arith.addf
//       CHECK:       arith.addf
//   CHECK-NOT:   linalg.generic
//       CHECK:   return

// So small, it is not worth a thread.
// SERIAL-LABEL: func.func @parts(
//   SERIAL-NOT:   scf.forall
//       SERIAL:   linalg.generic
//       SERIAL:   return
func.func @parts(%a: tensor<5x8x4xf32>, %b: tensor<5x8x4xf32>, %c: tensor<5x8x4xf32>) -> tensor<5x8x4xf32> {
  %0 = rgnn.map %a, %b : (tensor<5x8x4xf32>, tensor<5x8x4xf32>) -> tensor<5x8x4xf32> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    rgnn.yield %s : f32
  }
  %1 = rgnn.map %0, %c : (tensor<5x8x4xf32>, tensor<5x8x4xf32>) -> tensor<5x8x4xf32> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    rgnn.yield %s : f32
  }
  return %1 : tensor<5x8x4xf32>
}
