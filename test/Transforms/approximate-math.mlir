// RUN: rgnn-opt %s --rgnn-approximate-math | FileCheck %s
// RUN: rgnn-opt %s --rgnn-approximate-math=polynomials=false | FileCheck %s --check-prefix=LIBM

// CHECK-LABEL: func.func @single
//   CHECK-NOT:   math.exp
//       CHECK:   scf.if
// LIBM-LABEL: func.func @single
//       LIBM:   math.exp
func.func @single(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %0 = math.exp %x : vector<8xf32>
  %1 = math.sin %x : vector<8xf32>
  return %0, %1 : vector<8xf32>, vector<8xf32>
}

// exp(x) - 1 would lose all digits near 0.

// CHECK-LABEL: func.func @double
//   CHECK-NOT:   math.exp
//       CHECK:   arith.shli %{{.*}} : i64
//       CHECK:   call @expm1
//       CHECK:   call @log1p
func.func @double(%x: f64) -> (f64, f64, f64) {
  %0 = math.exp %x : f64
  %1 = math.expm1 %x : f64
  %2 = math.log1p %x : f64
  return %0, %1, %2 : f64, f64, f64
}
