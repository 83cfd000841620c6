// RUN: rgnn-opt %s --rgnn-verify-host --split-input-file --verify-diagnostics | FileCheck %s

// The host may compute sizes, allocate, free and take parts of buffers; launches do the rest.
// CHECK-LABEL: func @allowed
//       CHECK:   memref.alloc
//       CHECK:   gpu.launch
//       CHECK:   memref.dealloc
func.func @allowed(%x: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %t = memref.alloc(%n) : memref<?x4xf32>
  %part = memref.subview %t[0, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1]>>
  %any = arith.cmpi ne, %n, %c0 : index
  scf.if %any {
    gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
      %number = memref.load %x[%a, %g] : memref<?x4xf32>
      memref.store %number, %part[%g, %g] : memref<1x4xf32, strided<[4, 1]>>
      gpu.terminator
    }
  }
  memref.dealloc %t : memref<?x4xf32>
  return
}

// -----

func.func @load(%n: memref<index>) -> memref<?xf32> {
  // expected-error @+1 {{expected work on buffers in launches only, got it on the host}}
  %size = memref.load %n[] : memref<index>
  %t = memref.alloc(%size) : memref<?xf32>
  return %t : memref<?xf32>
}

// -----

func.func @store_in_condition(%n: index, %o: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %any = arith.cmpi ne, %n, %c0 : index
  scf.if %any {
    // expected-error @+1 {{expected work on buffers in launches only, got it on the host}}
    memref.store %zero, %o[%c0] : memref<4xf32>
  }
  return
}

// -----

func.func @copy(%x: memref<4xf32>, %o: memref<4xf32>) {
  // expected-error @+1 {{expected work on buffers in launches only, got it on the host}}
  memref.copy %x, %o : memref<4xf32> to memref<4xf32>
  return
}
