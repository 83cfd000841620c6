// RUN: rgnn-opt %s --pass-pipeline='builtin.module(func.func(rgnn-share-linalg{serial-below=64}))' | FileCheck %s
// RUN: rgnn-opt %s --pass-pipeline='builtin.module(func.func(rgnn-share-linalg{serial-below=64}))' --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @transpose
//       CHECK:   scf.forall (%[[I:.*]]) = (0) to (104) step (7) {
//       CHECK:     %[[SIZE:.*]] = affine.min
//   CHECK-DAG:     %[[IN:.*]] = memref.subview %{{.*}}[%[[I]], 0, 0] [%[[SIZE]], 8, 4]
//   CHECK-DAG:     %[[OUT:.*]] = memref.subview %{{.*}}[%[[I]], 0, 0] [%[[SIZE]], 4, 8]
//       CHECK:     linalg.transpose ins(%[[IN]] : {{.*}}) outs(%[[OUT]] : {{.*}}) permutation = [0, 2, 1]
//   CHECK-NOT:   linalg.transpose
//       CHECK:   return
func.func @transpose(%w: memref<104x8x4xf32>, %t: memref<104x4x8xf32>) {
  linalg.transpose ins(%w : memref<104x8x4xf32>) outs(%t : memref<104x4x8xf32>) permutation = [0, 2, 1]
  return
}

// The first loop has one iteration, which nobody can share.
// CHECK-LABEL: func.func @one_type
//       CHECK:   scf.forall (%[[I:.*]]) = (0) to (32) step (2) {
//       CHECK:     linalg.add ins(%{{.*}}, %{{.*}} : memref<1x2x8xf32, {{.*}}>, {{.*}})
func.func @one_type(%a: memref<1x32x8xf32>, %b: memref<1x32x8xf32>, %c: memref<1x32x8xf32>) {
  linalg.add ins(%a, %b : memref<1x32x8xf32>, memref<1x32x8xf32>) outs(%c : memref<1x32x8xf32>)
  return
}

// The factor of each row, and a tensor that is read as it is written.
// CHECK-LABEL: func.func @in_place
//       CHECK:   scf.forall
//       CHECK:     linalg.generic {{.*}} ins(%{{.*}} : memref<2xf32, {{.*}}>) outs(%{{.*}} : memref<2x8xf32
func.func @in_place(%a: memref<32xf32>, %c: memref<32x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<32xf32>) outs(%c : memref<32x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    linalg.yield %p : f32
  }
  return
}

// CHECK-LABEL: func.func @nothing
//   CHECK-NOT:   scf.forall
func.func @nothing(%a: memref<0x8xf32>, %c: memref<0x8xf32>) {
  linalg.copy ins(%a : memref<0x8xf32>) outs(%c : memref<0x8xf32>)
  return
}

// REMARK: Missed{{.*}}Function=left_alone {{.*}}one thread computes linalg.reduce: it adds up
// CHECK-LABEL: func.func @left_alone
//   CHECK-NOT:   scf.forall
//       CHECK:   linalg.copy ins(%{{.*}} : memref<4x8xf32>)
//       CHECK:   linalg.copy ins(%{{.*}} : memref<?x64xf32>)
//       CHECK:   linalg.reduce
//       CHECK:   scf.for
//       CHECK:     linalg.copy ins(%{{.*}} : memref<64x8xf32>)
func.func @left_alone(%small: memref<4x8xf32>, %small_out: memref<4x8xf32>,
                      %dynamic: memref<?x64xf32>, %dynamic_out: memref<?x64xf32>,
                      %rows: memref<64x8xf32>, %sum: memref<8xf32>, %rows_out: memref<64x8xf32>,
                      %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.copy ins(%small : memref<4x8xf32>) outs(%small_out : memref<4x8xf32>)
  linalg.copy ins(%dynamic : memref<?x64xf32>) outs(%dynamic_out : memref<?x64xf32>)
  linalg.reduce { arith.addf } ins(%rows : memref<64x8xf32>) outs(%sum : memref<8xf32>) dimensions = [0]
  scf.for %i = %c0 to %steps step %c1 {
    linalg.copy ins(%rows : memref<64x8xf32>) outs(%rows_out : memref<64x8xf32>)
  }
  return
}
