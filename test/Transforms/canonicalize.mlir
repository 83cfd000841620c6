// RUN: rgnn-opt %s --rgnn-canonicalize | FileCheck %s

// A column is repeated along rows, which then are rows of one number: what would
// repeat the column as a whole has its numbers in another order.

// CHECK-LABEL: func.func @column(
//       CHECK:   %[[ROWS:.*]] = vector.broadcast %{{.*}} : vector<2x1xf32> to vector<2x2xf32>
//       CHECK:   vector.shape_cast %[[ROWS]] : vector<2x2xf32> to vector<2x2x1xf32>
func.func @column(%v: vector<2x1xf32>) -> vector<2x2x1xf32> {
  %b = vector.broadcast %v : vector<2x1xf32> to vector<2x2xf32>
  %s = vector.shape_cast %b : vector<2x2xf32> to vector<2x2x1xf32>
  return %s : vector<2x2x1xf32>
}

// Other patterns are there.

// CHECK-LABEL: func.func @twice(
//  CHECK-NEXT:   vector.shape_cast %{{.*}} : vector<4xf32> to vector<1x4xf32>
//  CHECK-NEXT:   return
func.func @twice(%v: vector<4xf32>) -> vector<1x4xf32> {
  %a = vector.shape_cast %v : vector<4xf32> to vector<2x2xf32>
  %b = vector.shape_cast %a : vector<2x2xf32> to vector<1x4xf32>
  return %b : vector<1x4xf32>
}
