// RUN: rgnn-opt %s --rgnn-emit-launches --split-input-file --verify-diagnostics | FileCheck %s

// Sizes, then a memref's pointers, offset, size and stride, then numbers. A kernel launched twice has one number.

// CHECK: rgnn.manifest = "{\22device\22:\22cuda\22,\22variants\22:[{\22device\22:\22cuda\22,\22version\22:1}],\22version\22:1}"
// CHECK: llvm.mlir.global internal constant @rgnn_kernel_name_0("scale\00")
// CHECK: llvm.mlir.global internal constant @rgnn_kernel_code_0_0("PTX of k\00") {{.*}}alignment = 64
// CHECK: llvm.mlir.global internal constant @rgnn_kernel_name_1("add\00")
// CHECK: llvm.mlir.global internal constant @rgnn_kernel_code_1_0("ELF")
// CHECK: llvm.mlir.global internal constant @rgnn_kernel_code_1_1("fat ELF")
// CHECK: llvm.mlir.global internal constant @rgnn_kernel_codes_1() {{.*}}!llvm.array<2 x ptr>
// CHECK:   llvm.mlir.addressof @rgnn_kernel_code_1_0
// CHECK:   llvm.mlir.addressof @rgnn_kernel_code_1_1
// CHECK: llvm.mlir.global external constant @rgnn_kernels() {{.*}}!llvm.array<3 x struct<(ptr, ptr, i64)>>
// CHECK:   llvm.mlir.zero
// CHECK:   %[[NAME:.*]] = llvm.mlir.addressof @rgnn_kernel_name_0
// CHECK:   llvm.mlir.addressof @rgnn_kernel_codes_0
// CHECK:   llvm.insertvalue %[[NAME]], %{{.*}}[0, 0]
// CHECK:   llvm.mlir.addressof @rgnn_kernel_codes_1
// CHECK:   %[[COUNT:.*]] = llvm.mlir.constant(2 : i64)
// CHECK:   llvm.insertvalue %[[COUNT]], %{{.*}}[1, 2]
// CHECK-NOT: gpu.binary

// CHECK-LABEL: func.func @forward(
//  CHECK-SAME:   %[[CTX:.*]]: !llvm.ptr {rgnn.context}, %[[X:.*]]: memref<?xf32>, %[[B:.*]]: index, %[[S:.*]]: f32)
//       CHECK:   llvm.alloca %{{.*}} x !llvm.array<10 x i64>
//       CHECK:   %[[WORDS:.*]] = llvm.alloca %{{.*}} x !llvm.array<13 x i64>
//       CHECK:   %[[BLOCKS:.*]] = builtin.unrealized_conversion_cast %[[B]] : index to i64
//       CHECK:   llvm.store %[[BLOCKS]], %{{.*}}
//       CHECK:   %[[SHARED:.*]] = llvm.mlir.constant(0 : i64)
//       CHECK:   llvm.store %[[SHARED]], %{{.*}}
//       CHECK:   %[[D:.*]] = builtin.unrealized_conversion_cast %[[X]] : memref<?xf32> to
//       CHECK:   %[[ALLOCATED:.*]] = llvm.extractvalue %[[D]][0]
//       CHECK:   llvm.store %[[ALLOCATED]]
//       CHECK:   llvm.extractvalue %[[D]][1]
//       CHECK:   llvm.extractvalue %[[D]][2]
//       CHECK:   llvm.extractvalue %[[D]][3, 0]
//       CHECK:   llvm.extractvalue %[[D]][4, 0]
//       CHECK:   llvm.store %[[S]], %{{.*}} : f32
//       CHECK:   %[[NUMBER:.*]] = llvm.mlir.constant(0 : i32)
//       CHECK:   %[[COUNT:.*]] = llvm.mlir.constant(6 : i32)
//       CHECK:   %[[SLOT:.*]] = llvm.getelementptr %[[CTX]][24]
//       CHECK:   %[[LAUNCH:.*]] = llvm.load %[[SLOT]]
//       CHECK:   llvm.call %[[LAUNCH]](%[[CTX]], %[[NUMBER]], %[[WORDS]], %[[COUNT]])
//       CHECK:   scf.for
//       CHECK:     arith.extui %{{.*}} : i32 to i64
//       CHECK:     llvm.mlir.constant(1 : i32)
//       CHECK:     llvm.call
//       CHECK:     llvm.mlir.constant(0 : i32)
//       CHECK:     llvm.call
//   CHECK-NOT:   gpu.
module attributes {gpu.container_module, rgnn.manifest = "{\22version\22:1,\22variants\22:[{\22version\22:1}]}"} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = "PTX of k">]
  gpu.binary @other [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "ELF">, #gpu.object<#nvvm.target<chip = "sm_80">, "fat ELF">]
  func.func @forward(%x: memref<?xf32>, %b: index, %s: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %bytes = arith.constant 1024 : i32
    gpu.launch_func @k::@scale blocks in (%b, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<?xf32>, %s : f32)
    scf.for %i = %c0 to %b step %c1 {
      gpu.launch_func @other::@add blocks in (%b, %c1, %c1) threads in (%c256, %c1, %c1) dynamic_shared_memory_size %bytes args(%s : f32, %i : index, %i : index)
      gpu.launch_func @k::@scale blocks in (%i, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<?xf32>, %s : f32)
    }
    return
  }
}

// -----

// expected-error@+1 {{rgnn.manifest: expected a JSON object}}
module attributes {gpu.container_module, rgnn.manifest = "[]"} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "A">]
  func.func @forward(%b: index, %s: f32) {
    gpu.launch_func @k::@scale blocks in (%b, %b, %b) threads in (%b, %b, %b) args(%s : f32)
    return
  }
}

// -----

// Nothing is launched: nothing changes.
// CHECK-LABEL: func.func @forward(
//  CHECK-SAME:   %{{.*}}: index)
func.func @forward(%b: index) {
  return
}

// -----

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%s: f32) kernel {
      gpu.return
    }
  }
  func.func @forward(%b: index, %s: f32) {
    // expected-error@+1 {{expected the kernel's code as gpu.binary @k}}
    gpu.launch_func @k::@scale blocks in (%b, %b, %b) threads in (%b, %b, %b) args(%s : f32)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error@+1 {{expected PTX, machine code or both}}
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "A">, #gpu.object<#nvvm.target<chip = "sm_90">, offload = "B">]
  func.func @forward(%b: index, %s: f32) {
    gpu.launch_func @k::@scale blocks in (%b, %b, %b) threads in (%b, %b, %b) args(%s : f32)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "A">]
  func.func @forward(%b: index, %x: memref<*xf32>) {
    // expected-error@+1 {{expected operands that are memrefs or scalars, got 'memref<*xf32>'}}
    gpu.launch_func @k::@scale blocks in (%b, %b, %b) threads in (%b, %b, %b) args(%x : memref<*xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error@+1 {{expected the root of a CUDA Toolkit as option toolkit or in CUDA_ROOT, CUDA_HOME or CUDA_PATH, got none: its libdevice has __nv_expf}}
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".extern .func (.param .b32 func_retval0) __nv_expf\0A(\0A.param .b32 x)">]
  func.func @forward(%b: index, %s: f32) {
    gpu.launch_func @k::@scale blocks in (%b, %b, %b) threads in (%b, %b, %b) args(%s : f32)
    return
  }
}

// -----

// The host would allocate it in its own memory.
module attributes {gpu.container_module} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "A">]
  func.func @forward(%b: index, %n: index) {
    // expected-error@+1 {{expected a buffer in the workspace, beside launches, got one in the memory of the host}}
    %x = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @k::@scale blocks in (%b, %b, %b) threads in (%b, %b, %b) args(%x : memref<?xf32>)
    memref.dealloc %x : memref<?xf32>
    return
  }
}
