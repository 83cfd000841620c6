// RUN: rgnn-opt %s --rgnn-approximate-math | FileCheck %s

// Few elements are beyond 2^31: where one is, all of its vector are libm's.

// CHECK-LABEL: func.func @vector
//  CHECK-SAME:   %[[X:.*]]: vector<8xf32>
//       CHECK:   arith.extf %[[X]] : vector<8xf32> to vector<8xf64>
//       CHECK:   %[[REST:.*]] = arith.truncf {{.*}} : vector<8xf64> to vector<8xf32>
//       CHECK:   %[[QUARTERS:.*]] = arith.trunci {{.*}} : vector<8xi64> to vector<8xi32>
//       CHECK:   arith.mulf %[[REST]], %[[REST]] : vector<8xf32>
//       CHECK:   %[[BEYOND:.*]] = vector.reduction <or>, %{{.*}} : vector<8xi1> into i1
//       CHECK:   scf.if %[[BEYOND]] -> (vector<8xf32>)
//       CHECK:     scf.for
//       CHECK:       math.sin %{{.*}} : f32
//   CHECK-NOT:   math.sin
func.func @vector(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.sin %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// cos(x) = sin(x + pi / 2): a quarter of a turn more.

// CHECK-LABEL: func.func @single
//       CHECK:   arith.bitcast %{{.*}} : f64 to i64
//       CHECK:   arith.addi %{{.*}} : i64
//       CHECK:   scf.if
//  CHECK-NEXT:     math.cos %{{.*}} : f64
func.func @single(%x: f64) -> f64 {
  %0 = math.cos %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @half
//       CHECK:   math.sin %{{.*}} : f16
func.func @half(%x: f16) -> f16 {
  %0 = math.sin %x : f16
  return %0 : f16
}
