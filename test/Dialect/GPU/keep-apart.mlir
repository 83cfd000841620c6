// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --rgnn-merge-launches --canonicalize --gpu-kernel-outlining -o %t.mlir
// RUN: rgnn-opt %t.mlir --convert-scf-to-cf --canonicalize=region-simplify=aggressive | FileCheck %s
// RUN: sed /inline_asm/d %t.mlir | rgnn-opt --convert-scf-to-cf --canonicalize=region-simplify=aggressive | FileCheck %s --check-prefix=MERGED
// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --rgnn-merge-launches --test-serialize-launches --canonicalize --rgnn-lower-vectors --memref-expand \
// RUN:   --expand-strided-metadata --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm \
// RUN:   --reconcile-unrealized-casts | mlir-runner -e main -entry-point-result=i32 | FileCheck %s --check-prefix=RESULT

// Two kernels of one launch end alike. The comments at their ends keep the two stores apart, where equal blocks are merged;
// without them there would be one, of what each has chosen.
// CHECK-LABEL: gpu.func @both_kernel
//       CHECK:   memref.store
//       CHECK:   llvm.inline_asm has_side_effects "// the end of part 0"
//       CHECK:   memref.store
//       CHECK:   llvm.inline_asm has_side_effects "// the end of part 1"
// MERGED-LABEL: gpu.func @both_kernel
//       MERGED:   memref.store
//   MERGED-NOT:   memref.store
//       MERGED:   gpu.return

// Code for a processor has them, too: both copies are there.
// RESULT: {{^}}3{{$}}

func.func @both(%a: memref<4xf32>, %o: memref<4xf32>, %b: memref<4xf32>, %p: memref<4xf32>) {
  memref.copy %a, %o : memref<4xf32> to memref<4xf32>
  memref.copy %b, %p : memref<4xf32> to memref<4xf32>
  return
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %a = memref.alloc() : memref<4xf32>
  %o = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %p = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %one, %a[%i] : memref<4xf32>
    memref.store %two, %b[%i] : memref<4xf32>
  }
  func.call @both(%a, %o, %b, %p) : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  %first = memref.load %o[%c0] : memref<4xf32>
  %second = memref.load %p[%c1] : memref<4xf32>
  %sum = arith.addf %first, %second : f32
  %result = arith.fptosi %sum : f32 to i32
  return %result : i32
}
