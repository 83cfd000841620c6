// RUN: rgnn-opt %s --hetkernel-fuse-row-scale | FileCheck %s
// RUN: rgnn-opt %s --hetkernel-fuse-row-scale --remarks-filter=hetkernel-fuse-row-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The traversal goes with its only product. One number a row may stand in a tensor of two dimensions.
// CHECK-LABEL: func @alone(
//  CHECK-SAME: %[[S:[a-z0-9]*]]: tensor<?x1xf32>
//       CHECK: %[[F:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0, 1]] : tensor<?x1xf32> into tensor<?xf32>
//       CHECK: %[[Y:.*]] = hetkernel.gemm {{.*}} scale(%[[F]] : tensor<?xf32>)
//   CHECK-NOT: hetkernel.traverse
//       CHECK: return %[[Y]]
//      REMARK: RowScale {{.*}}a scale of rows is applied by the GEMM
//      REMARK: Counts | Category:hetkernel-fuse-row-scale | Function=alone | num-fused=1
func.func @alone(%s: tensor<?x1xf32>, %n: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> tensor<?x16xf32> {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z = hetkernel.traverse rows(%n) outs(%o : tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %f = hetkernel.row %s[%i] : tensor<?x1xf32> -> vector<1xf32>
    %b = vector.broadcast %f : vector<1xf32> to vector<16xf32>
    %m = arith.mulf %r, %b : vector<16xf32>
    hetkernel.yield %m : vector<16xf32>
  } -> tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}

// What else the traversal does stays.
// CHECK-LABEL: func @rest(
//       CHECK: %[[Y:.*]] = hetkernel.gemm {{.*}} scale(
//       CHECK: %[[Z:.*]] = hetkernel.traverse rows(%{{.*}}) outs(%{{.*}} : tensor<?x16xf32>) {
//       CHECK:   %[[R:.*]] = hetkernel.row %[[Y]]
//   CHECK-NOT:   arith.mulf
//       CHECK:   %[[E:.*]] = math.exp %[[R]]
//       CHECK:   hetkernel.yield %[[E]]
//       CHECK: return %[[Y]], %[[Z]]
func.func @rest(%s: tensor<?xf32>, %n: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z:2 = hetkernel.traverse rows(%n) outs(%o, %o : tensor<?x16xf32>, tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %f = hetkernel.row %s[%i] : tensor<?xf32> -> f32
    %b = vector.broadcast %f : f32 to vector<16xf32>
    %m = arith.mulf %b, %r : vector<16xf32>
    %e = math.exp %m : vector<16xf32>
    hetkernel.yield %m, %e : vector<16xf32>, vector<16xf32>
  } -> tensor<?x16xf32>, tensor<?x16xf32>
  return %z#0, %z#1 : tensor<?x16xf32>, tensor<?x16xf32>
}

// CHECK-LABEL: func @used_twice(
//   CHECK-NOT: scale(
//       CHECK: arith.mulf
//      REMARK: RowScale {{.*}}a scale of rows stays in the traversal: the rows are also used without the scale
func.func @used_twice(%s: tensor<?xf32>, %n: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> tensor<?x16xf32> {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z = hetkernel.traverse rows(%n) outs(%o : tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %f = hetkernel.row %s[%i] : tensor<?xf32> -> f32
    %b = vector.broadcast %f : f32 to vector<16xf32>
    %m = arith.mulf %r, %b : vector<16xf32>
    %a = arith.addf %m, %r : vector<16xf32>
    hetkernel.yield %a : vector<16xf32>
  } -> tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}

// CHECK-LABEL: func @later(
//   CHECK-NOT: scale(
//       CHECK: return
//      REMARK: stays in the traversal: the scale is computed after the GEMM
func.func @later(%n: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> tensor<?x16xf32> {
  %one = arith.constant 1.0 : f32
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %p = tensor.empty(%n) : tensor<?xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %s = hetkernel.traverse rows(%n) outs(%p : tensor<?xf32>) {
  ^bb0(%i: index):
    hetkernel.yield %one : f32
  } -> tensor<?xf32>
  %z = hetkernel.traverse rows(%n) outs(%o : tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %f = hetkernel.row %s[%i] : tensor<?xf32> -> f32
    %b = vector.broadcast %f : f32 to vector<16xf32>
    %m = arith.mulf %r, %b : vector<16xf32>
    hetkernel.yield %m : vector<16xf32>
  } -> tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}

// Not all rows of the GEMM, or rows that a list has moved.
// CHECK-LABEL: func @rows(
//   CHECK-NOT: scale(
//       CHECK: return
//      REMARK: stays in the traversal: the traversal may not have all rows of the GEMM
//      REMARK: stays in the traversal: the GEMM has a scatter list, a scale or accumulates
func.func @rows(%s: tensor<?xf32>, %n: index, %k: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %l: tensor<?xi32>)
    -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %p = tensor.empty(%k) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %v = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%p scatter %l : tensor<?x16xf32>, tensor<?xi32>) -> tensor<?x16xf32>
  %z:2 = hetkernel.traverse rows(%k) outs(%p, %p : tensor<?x16xf32>, tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %q = hetkernel.row %v[%i] : tensor<?x16xf32> -> vector<16xf32>
    %f = hetkernel.row %s[%i] : tensor<?xf32> -> f32
    %b = vector.broadcast %f : f32 to vector<16xf32>
    %m = arith.mulf %r, %b : vector<16xf32>
    %t = arith.mulf %q, %b : vector<16xf32>
    hetkernel.yield %m, %t : vector<16xf32>, vector<16xf32>
  } -> tensor<?x16xf32>, tensor<?x16xf32>
  return %z#0, %z#1 : tensor<?x16xf32>, tensor<?x16xf32>
}

// Other outputs stay: what repeats a longer tensor is not that tensor.
// CHECK-LABEL: func @longer(
//       CHECK: %[[Y:.*]] = hetkernel.gemm {{.*}} scale(
//       CHECK: %[[Z:.*]] = hetkernel.traverse
//       CHECK: return %[[Y]], %[[Z]]
func.func @longer(%s: tensor<?xf32>, %n: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %t: tensor<?x16xf32>) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z:2 = hetkernel.traverse rows(%n) outs(%o, %o : tensor<?x16xf32>, tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %f = hetkernel.row %s[%i] : tensor<?xf32> -> f32
    %b = vector.broadcast %f : f32 to vector<16xf32>
    %m = arith.mulf %r, %b : vector<16xf32>
    %l = hetkernel.row %t[%i] : tensor<?x16xf32> -> vector<16xf32>
    hetkernel.yield %m, %l : vector<16xf32>, vector<16xf32>
  } -> tensor<?x16xf32>, tensor<?x16xf32>
  return %z#0, %z#1 : tensor<?x16xf32>, tensor<?x16xf32>
}

// (x W + b) s is not s (x W) + b.
// CHECK-LABEL: func @biased(
//       CHECK: hetkernel.gemm
//   CHECK-NOT: scale(
//       CHECK: arith.mulf
//      REMARK: stays in the traversal: the GEMM adds a bias behind its scale, which is scaled, too
func.func @biased(%s: tensor<?xf32>, %n: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %a: tensor<16xf32>) -> tensor<?x16xf32> {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) bias(%a : tensor<16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z = hetkernel.traverse rows(%n) outs(%o : tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %f = hetkernel.row %s[%i] : tensor<?xf32> -> f32
    %b = vector.broadcast %f : f32 to vector<16xf32>
    %m = arith.mulf %r, %b : vector<16xf32>
    hetkernel.yield %m : vector<16xf32>
  } -> tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
