// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,IEEE
// RUN: rgnn-opt %s --convert-hetkernel-to-gpu=tf32 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: rgnn-opt %s --convert-hetkernel-to-gpu="tf32 chip=sm_75" --canonicalize --cse | FileCheck %s --check-prefix=NONE --implicit-check-not=nvgpu.mma.sync

// NONE-COUNT-6: gpu.launch

// Four warps have 16 rows and 32 columns each of a block of 32 x 64: four products, of 8 terms. A lane keeps four fragments
// of 2 x 2 sums. Terms of x follow each other in shared memory too, in rows of 12 numbers; rows of the weight are 8 numbers
// longer than a multiple of the 32 banks. Eight numbers of 16 bits are copied at once.
// CHECK-LABEL: func @half
//       CHECK: gpu.launch {{.*}} workgroup(%[[X:[a-z0-9_]*]] : memref<2x32x12xf32, #gpu.address_space<workgroup>>, %[[W:[a-z0-9_]*]] : memref<2x8x72xf32, #gpu.address_space<workgroup>>)
//       CHECK:   arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
//   CHECK-NOT:   nvvm.convert
//       CHECK:   %[[KEPT:[a-z0-9_]*]]:5 = scf.for %{{[a-z0-9_]*}} = %c0 to %c32 step %c8 iter_args({{.*}}, %[[SLOT:[a-z0-9_]*]] = %c0) -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, index) {
//       CHECK:     %[[A0:[a-z0-9_]*]] = memref.load %[[X]][%[[SLOT]], %[[ROW:[a-z0-9_]*]], %[[TERM:[a-z0-9_]*]]]
//       CHECK:     %[[A1:[a-z0-9_]*]] = memref.load %[[X]][%[[SLOT]], %[[ROW8:[a-z0-9_]*]], %[[TERM]]]
//       CHECK:     %[[TERM4:[a-z0-9_]*]] = arith.addi %[[TERM]], %c4
//       CHECK:     %[[A2:[a-z0-9_]*]] = memref.load %[[X]][%[[SLOT]], %[[ROW]], %[[TERM4]]]
//       CHECK:     %[[A3:[a-z0-9_]*]] = memref.load %[[X]][%[[SLOT]], %[[ROW8]], %[[TERM4]]]
//       CHECK:     %[[A:[a-z0-9_]*]] = vector.from_elements %[[A0]], %[[A1]], %[[A2]], %[[A3]] : vector<4x1xf32>
//       CHECK:     %[[B0:[a-z0-9_]*]] = memref.load %[[W]][%[[SLOT]], %[[TERM]], %[[COLUMN:[a-z0-9_]*]]]
//       CHECK:     %[[B1:[a-z0-9_]*]] = memref.load %[[W]][%[[SLOT]], %[[TERM4]], %[[COLUMN]]]
//       CHECK:     vector.from_elements %[[B0]], %[[B1]] : vector<2x1xf32>
// CHECK-COUNT-4:   nvgpu.mma.sync(%[[A]], %{{.*}}, %{{.*}}) {mmaShape = [16, 8, 8], tf32Enabled}
//       CHECK:   vector.extract %[[KEPT]]#0[0, 0] : f32 from vector<2x2xf32>
//       CHECK:   arith.truncf %{{.*}} : f32 to bf16
//       CHECK:   vector.store %{{.*}} {alignment = 4 : i64} : memref<?x64xbf16>, vector<2xbf16>
func.func @half(%x: memref<?x32xbf16>, %w: memref<32x64xbf16>, %o: memref<?x64xbf16>) {
  hetkernel.gemm x(%x : memref<?x32xbf16>) weight(%w : memref<32x64xbf16>) outs(%o : memref<?x64xbf16>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 4, lanes = 16>
  return
}

// Of f32, only where that is asked for; never in a block whose rows warps do not divide, nor with a scale that would be
// rounded with its row. Factors are rounded to the nearest, which the hardware would not do.
// CHECK-LABEL: func @single
//    IEEE-NOT: nvgpu.mma.sync
//        TF32: %[[BITS:.*]] = nvvm.convert.float.to.tf32 %{{[a-z0-9_]*}} {rnd = #nvvm.fp_rnd_mode<rna>}
//        TF32: arith.bitcast %[[BITS]] : i32 to f32
//        TF32: nvgpu.mma.sync
func.func @single(%x: memref<?x32xf32>, %w: memref<32x64xf32>, %o: memref<?x64xf32>) {
  hetkernel.gemm x(%x : memref<?x32xf32>) weight(%w : memref<32x64xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 4, lanes = 16>
  return
}

// CHECK-LABEL: func @odd_rows
//   CHECK-NOT: nvgpu.mma.sync
//       CHECK: math.fma
func.func @odd_rows(%x: memref<?x32xf32>, %w: memref<32x64xf32>, %o: memref<?x64xf32>) {
  hetkernel.gemm x(%x : memref<?x32xf32>) weight(%w : memref<32x64xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 24, block_rows = 3, block_columns = 4, lanes = 16>
  return
}

// CHECK-LABEL: func @scaled_at_load
//   CHECK-NOT: nvgpu.mma.sync
//       CHECK: math.fma
func.func @scaled_at_load(%x: memref<?x32xf32>, %w: memref<32x64xf32>, %s: memref<?xf32>, %o: memref<?x64xf32>) {
  hetkernel.gemm x(%x : memref<?x32xf32>) weight(%w : memref<32x64xf32>) scale(%s : memref<?xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 4, lanes = 16, scale = load>
  return
}

// CHECK-LABEL: func @outer_sum
//    IEEE-NOT: nvgpu.mma.sync
//        TF32: nvgpu.mma.sync
//        TF32: vector.store %{{.*}} {alignment = 8 : i64} : memref<?x32x64xf32>, vector<2xf32>
func.func @outer_sum(%x: memref<?x32xf32>, %y: memref<?x64xf32>, %o: memref<32x64xf32>) {
  hetkernel.outer_sum x(%x : memref<?x32xf32>) y(%y : memref<?x64xf32>) outs(%o : memref<32x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 256, block_rows = 4, block_columns = 4, lanes = 16>
  return
}
