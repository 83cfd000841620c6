// RUN: rgnn-translate --rgnn-to-object --rgnn-to-cpu-options="start=buffers cpu=x86-64-v3" %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=CODE
// RUN: rgnn-translate --rgnn-to-assembly --rgnn-to-cpu-options="start=buffers cpu=x86-64-v3" %s | FileCheck %s --check-prefix=CODE

// From `@forward` on buffers, and from the llvm dialect.
// RUN: rgnn-opt --rgnn-to-cpu="start=buffers cpu=x86-64-v3" %s \
// RUN:   | rgnn-translate --rgnn-to-object --rgnn-to-cpu-options="cpu=x86-64-v3" -o %t.staged.o
// RUN: llvm-nm %t.staged.o | FileCheck %s

// CHECK: T rgnn_forward
// CHECK: T rgnn_forward_workspace
// CODE:  vfmadd

func.func @forward(%x: memref<16xf32>, %y: memref<16xf32>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %a = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
  %b = vector.load %y[%c0] : memref<16xf32>, vector<16xf32>
  %p = arith.mulf %a, %b : vector<16xf32>
  %s = arith.addf %p, %a : vector<16xf32>
  vector.store %s, %out[%c0] : memref<16xf32>, vector<16xf32>
  return
}
