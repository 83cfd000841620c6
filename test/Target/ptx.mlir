// RUN: rgnn-opt %s --rgnn-kernels-to-nvvm=format=isa | FileCheck %s
// RUN: rgnn-opt %s --rgnn-kernels-to-nvvm=format=isa | %PYTHON %S/Inputs/split_ptx.py %t.gemm.ptx %t.sum.ptx %t.softmax.ptx
// RUN: ptxas -arch=sm_90 --warning-as-error %t.gemm.ptx -o %t.cubin
// RUN: ptxas -arch=sm_90 --warning-as-error %t.sum.ptx -o %t.cubin
// RUN: ptxas -arch=sm_90 --warning-as-error %t.softmax.ptx -o %t.cubin
// RUN: rgnn-translate %s --rgnn-to-ptx | split-file - %t.parts
// RUN: ptxas -arch=sm_90 --warning-as-error %t.parts/gemm_kernel.ptx -o %t.cubin
// RUN: ptxas -arch=sm_90 --warning-as-error %t.parts/sum_kernel.ptx -o %t.cubin
// RUN: ptxas -arch=sm_90 --warning-as-error %t.parts/softmax_kernel.ptx -o %t.cubin
// RUN: rgnn-translate %s --rgnn-to-ptx --rgnn-kernels-to-nvvm-options="chip=sm_80" | FileCheck %s --check-prefix=SM80
// RUN: not rgnn-translate %s --rgnn-to-ptx --rgnn-kernels-to-nvvm-options="color=red" 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: rgnn-translate %S/Inputs/layer.mlir --rgnn-to-ptx | split-file - %t.layer
// RUN: ptxas -arch=sm_90 --warning-as-error %t.layer/forward_kernel.ptx -o %t.cubin
// RUN: rgnn-opt %s --rgnn-kernels-to-nvvm="chip=sm_90 format=bin" | FileCheck %s --check-prefix=BIN
// RUN: rgnn-opt %s --rgnn-kernels-to-nvvm="chip=sm_80 format=isa" | FileCheck %s --check-prefix=SM80

// Kernels become PTX, and machine code by ptxas: nothing here needs a GPU, and nothing is skipped without a toolkit.

// CHECK: gpu.launch_func @gemm_kernel::@gemm_kernel
// CHECK: gpu.binary @gemm_kernel [#gpu.object<#nvvm.target<O = 3, chip = "sm_90", features = "+ptx81">
// CHECK-SAME: .target sm_90
// CHECK-SAME: .visible .entry gemm_kernel(
// CHECK-SAME: ld.global
// CHECK-SAME: fma.rn.f32
// CHECK-SAME: st.global

// CHECK: gpu.binary @sum_kernel
// CHECK-SAME: .target sm_90
// CHECK-SAME: .visible .entry sum_kernel(
// CHECK-SAME: ld.global
// CHECK-SAME: cvt.rzi.f32.f32
// CHECK-SAME: add.rn.f32

// The exponential is libdevice's, inlined.
// CHECK: gpu.binary @softmax_kernel
// CHECK-NOT: .extern
// CHECK-SAME: .visible .entry softmax_kernel(
// CHECK-SAME: ex2.approx

// The first bytes are those of an ELF file.
// BIN-COUNT-3: bin = "\7FELF

// SM80: .target sm_80

// OPTION: --rgnn-kernels-to-nvvm-options: {{.*}}no such option color

func.func @gemm(%x: memref<?x6xf32>, %g: memref<?xi32>, %w: memref<3x6x21xf32>, %t: memref<?x3xi32>, %c: memref<?xf32>, %s: memref<?xi32>, %o: memref<?x21xf32>) {
  hetkernel.gemm x(%x gather %g : memref<?x6xf32>, memref<?xi32>) weight(%w : memref<3x6x21xf32>) tiles(%t : memref<?x3xi32>)
      scale(%c : memref<?xf32>) outs(%o scatter %s : memref<?x21xf32>, memref<?xi32>) accumulate
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 2, block_columns = 2, lanes = 16>
  return
}
func.func @sum(%n: index, %p: memref<?xi32>, %s: memref<?xi32>, %y: memref<?x8xf32>, %o: memref<?x8xf32>) {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x8xf32>) schedule #hetkernel.gpu_traverse<coarsening = 1> {
  ^bb0(%i: index):
    %sum = hetkernel.for_each %i init(%zero : vector<8xf32>) {
    ^bb0(%e: index, %acc: vector<8xf32>):
      %u = hetkernel.lookup %s[%e] : memref<?xi32>
      %r = hetkernel.row %y[%u] : memref<?x8xf32> -> vector<8xf32>
      %whole = math.trunc %r : vector<8xf32>
    %a = arith.addf %acc, %whole : vector<8xf32>
      hetkernel.yield %a : vector<8xf32>
    } -> vector<8xf32>
    hetkernel.yield %sum : vector<8xf32>
  }
  return
}
func.func @softmax(%n: index, %p: memref<?xi32>, %s: memref<?x2xf32>, %y: memref<?x2x4xf32>, %o: memref<?x2x4xf32>) {
  %inf = arith.constant dense<0xFF800000> : vector<2xf32>
  %zero = arith.constant dense<0.0> : vector<2xf32>
  %zeros = arith.constant dense<0.0> : vector<2x4xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x2x4xf32>) schedule #hetkernel.gpu_traverse<coarsening = 1> {
  ^bb0(%i: index):
    %max = hetkernel.for_each %i init(%inf : vector<2xf32>) {
    ^bb0(%e: index, %m: vector<2xf32>):
      %x = hetkernel.row %s[%e] : memref<?x2xf32> -> vector<2xf32>
      %next = arith.maximumf %m, %x : vector<2xf32>
      hetkernel.yield %next : vector<2xf32>
    } -> vector<2xf32>
    %sum, %kept = hetkernel.for_each %i init(%zero : vector<2xf32>) {
    ^bb0(%e: index, %a: vector<2xf32>):
      %x = hetkernel.row %s[%e] : memref<?x2xf32> -> vector<2xf32>
      %d = arith.subf %x, %max : vector<2xf32>
      %q = math.exp %d : vector<2xf32>
      %next = arith.addf %a, %q : vector<2xf32>
      hetkernel.yield %next, %q : vector<2xf32>, vector<2xf32>
    } -> vector<2xf32>, !hetkernel.segment<vector<2xf32>>
    %total = hetkernel.for_each %i init(%zeros : vector<2x4xf32>) {
    ^bb0(%e: index, %a: vector<2x4xf32>):
      %q0 = hetkernel.element %kept[%e] : !hetkernel.segment<vector<2xf32>>
      %q = arith.divf %q0, %sum : vector<2xf32>
      %q1 = vector.shape_cast %q : vector<2xf32> to vector<2x1xf32>
      %q2 = vector.broadcast %q1 : vector<2x1xf32> to vector<2x4xf32>
      %z = hetkernel.row %y[%e] : memref<?x2x4xf32> -> vector<2x4xf32>
      %m = arith.mulf %z, %q2 : vector<2x4xf32>
      %next = arith.addf %a, %m : vector<2x4xf32>
      hetkernel.yield %next : vector<2x4xf32>
    } -> vector<2x4xf32>
    hetkernel.yield %total : vector<2x4xf32>
  }
  return
}
