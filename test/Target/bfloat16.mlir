// RUN: rgnn-translate --rgnn-to-llvmir --optimize=false --rgnn-to-cpu-options="cpu=x86-64-v3" %s | FileCheck %s
// RUN: rgnn-translate --rgnn-to-object --rgnn-to-cpu-options="cpu=x86-64-v3" %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOLS

// Code that rounds to bfloat16 brings the function for it: libgcc has it only
// since GCC 13.

//   CHECK-LABEL: define i32 @rgnn_forward(ptr
//         CHECK: sitofp i64 %{{.*}} to bfloat
//   CHECK-LABEL: define weak hidden bfloat @__truncsfbf2(float
// SYMBOLS:       W __truncsfbf2
// SYMBOLS-NOT:   U __truncsfbf2

llvm.func @rgnn_forward(%context: !llvm.ptr, %words: !llvm.ptr) -> i32 {
  %number = llvm.load %words : !llvm.ptr -> i64
  %real = llvm.sitofp %number : i64 to bf16
  llvm.store %real, %words : bf16, !llvm.ptr
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}
