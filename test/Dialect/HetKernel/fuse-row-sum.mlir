// RUN: rgnn-opt %s --hetkernel-fuse-row-sum | FileCheck %s
// RUN: rgnn-opt %s --hetkernel-fuse-row-sum --remarks-filter=hetkernel-fuse-row-sum -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The traversal goes with its only sum.
// CHECK-LABEL: func @alone(
//       CHECK: %[[Y:.*]] = hetkernel.gemm x(%{{.*}} : tensor<?x8xf32>)
//       CHECK: %[[Z:.*]] = hetkernel.gemm x(%{{.*}} : tensor<?x4xf32>) {{.*}} outs(%[[Y]] : tensor<?x16xf32>) accumulate
//   CHECK-NOT: hetkernel.traverse
//       CHECK: return %[[Z]]
//      REMARK: RowSum {{.*}}a GEMM adds its product to another's
//      REMARK: Counts | Category:hetkernel-fuse-row-sum | Function=alone | num-fused=1
func.func @alone(%n: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %u: tensor<?x4xf32>, %v: tensor<4x16xf32>) -> tensor<?x16xf32> {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z = hetkernel.gemm x(%u : tensor<?x4xf32>) weight(%v : tensor<4x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %s = hetkernel.traverse rows(%n) outs(%o : tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %t = hetkernel.row %z[%i] : tensor<?x16xf32> -> vector<16xf32>
    %a = arith.addf %r, %t : vector<16xf32>
    hetkernel.yield %a : vector<16xf32>
  } -> tensor<?x16xf32>
  return %s : tensor<?x16xf32>
}

// Three products and other rows: what else the traversal does stays.
// CHECK-LABEL: func @three(
//  CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<?x16xf32>
//       CHECK: %[[Y:.*]] = hetkernel.gemm x(%{{.*}} : tensor<?x8xf32>)
//       CHECK: %[[Z:.*]] = hetkernel.gemm {{.*}} bias(%{{.*}}) outs(%[[Y]] : tensor<?x16xf32>) accumulate
//       CHECK: %[[Q:.*]] = hetkernel.gemm {{.*}} outs(%[[Z]] : tensor<?x16xf32>) accumulate
//       CHECK: hetkernel.traverse
//   CHECK-DAG:   %[[T:.*]] = hetkernel.row %[[Q]]
//   CHECK-DAG:   %[[R:.*]] = hetkernel.row %[[B]]
//       CHECK:   %[[A:.*]] = arith.addf %[[R]], %[[T]]
//       CHECK:   math.exp %[[A]]
//      REMARK: Function=three | num-fused=2
func.func @three(%b: tensor<?x16xf32>, %n: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %c: tensor<16xf32>) -> tensor<?x16xf32> {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) bias(%c : tensor<16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %q = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %s = hetkernel.traverse rows(%n) outs(%o : tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %q[%i] : tensor<?x16xf32> -> vector<16xf32>
    %t = hetkernel.row %b[%i] : tensor<?x16xf32> -> vector<16xf32>
    %u = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %v = hetkernel.row %z[%i] : tensor<?x16xf32> -> vector<16xf32>
    %d = arith.addf %r, %u : vector<16xf32>
    %e = arith.addf %t, %d : vector<16xf32>
    %a = arith.addf %e, %v : vector<16xf32>
    %f = math.exp %a : vector<16xf32>
    hetkernel.yield %f : vector<16xf32>
  } -> tensor<?x16xf32>
  return %s : tensor<?x16xf32>
}

// CHECK-LABEL: func @used_twice(
//   CHECK-NOT: accumulate
//       CHECK: arith.addf
//      REMARK: RowSum {{.*}}rows of products are added by the traversal: they are also used apart from the sum
func.func @used_twice(%n: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %s = hetkernel.traverse rows(%n) outs(%o : tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %t = hetkernel.row %z[%i] : tensor<?x16xf32> -> vector<16xf32>
    %a = arith.addf %r, %t : vector<16xf32>
    hetkernel.yield %a : vector<16xf32>
  } -> tensor<?x16xf32>
  return %s, %y : tensor<?x16xf32>, tensor<?x16xf32>
}

// The same rows of both, wherever they are read.
// CHECK-LABEL: func @gathered(
//       CHECK: %[[Z:.*]] = hetkernel.gemm {{.*}} accumulate
//       CHECK: hetkernel.traverse
//       CHECK:   hetkernel.row %[[Z]]
//   CHECK-NOT:   hetkernel.row
//   CHECK-NOT:   arith.addf
func.func @gathered(%n: index, %m: index, %l: tensor<?xi32>, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> tensor<?x16xf32> {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %p = tensor.empty(%m) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %s = hetkernel.traverse rows(%m) outs(%p : tensor<?x16xf32>) {
  ^bb0(%i: index):
    %j = hetkernel.lookup %l[%i] : tensor<?xi32>
    %r = hetkernel.row %y[%j] : tensor<?x16xf32> -> vector<16xf32>
    %t = hetkernel.row %z[%j] : tensor<?x16xf32> -> vector<16xf32>
    %a = arith.addf %r, %t : vector<16xf32>
    hetkernel.yield %a : vector<16xf32>
  } -> tensor<?x16xf32>
  return %s : tensor<?x16xf32>
}

// Others of one than of the other.
// CHECK-LABEL: func @others(
//   CHECK-NOT: accumulate
//       CHECK: arith.addf
//      REMARK: RowSum {{.*}}rows of products are added by the traversal: they are other rows than those of the other product
func.func @others(%n: index, %m: index, %l: tensor<?xi32>, %x: tensor<?x8xf32>, %u: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> tensor<?x16xf32> {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %p = tensor.empty(%m) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z = hetkernel.gemm x(%u : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%p : tensor<?x16xf32>) -> tensor<?x16xf32>
  %s = hetkernel.traverse rows(%n) outs(%o : tensor<?x16xf32>) {
  ^bb0(%i: index):
    %j = hetkernel.lookup %l[%i] : tensor<?xi32>
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %t = hetkernel.row %z[%j] : tensor<?x16xf32> -> vector<16xf32>
    %a = arith.addf %r, %t : vector<16xf32>
    hetkernel.yield %a : vector<16xf32>
  } -> tensor<?x16xf32>
  return %s : tensor<?x16xf32>
}

// Of fewer rows than there are, a copy stays.
// CHECK-LABEL: func @fewer(
//       CHECK: %[[Z:.*]] = hetkernel.gemm {{.*}} accumulate
//       CHECK: %[[S:.*]] = hetkernel.traverse rows(%{{.*}}) outs
//       CHECK:   hetkernel.row %[[Z]]
//       CHECK: return %[[S]]
func.func @fewer(%n: index, %m: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> tensor<?x16xf32> {
  %o = tensor.empty(%n) : tensor<?x16xf32>
  %p = tensor.empty(%m) : tensor<?x16xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %s = hetkernel.traverse rows(%m) outs(%p : tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %t = hetkernel.row %z[%i] : tensor<?x16xf32> -> vector<16xf32>
    %a = arith.addf %r, %t : vector<16xf32>
    hetkernel.yield %a : vector<16xf32>
  } -> tensor<?x16xf32>
  return %s : tensor<?x16xf32>
}

// Of rows whose number nothing says.
// CHECK-LABEL: func @unknown(
//   CHECK-NOT: accumulate
//       CHECK: arith.addf
func.func @unknown(%n: index, %x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %o: tensor<?x16xf32>, %p: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x16xf32>) outs(%p : tensor<?x16xf32>) -> tensor<?x16xf32>
  %s = hetkernel.traverse rows(%n) outs(%o : tensor<?x16xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x16xf32> -> vector<16xf32>
    %t = hetkernel.row %z[%i] : tensor<?x16xf32> -> vector<16xf32>
    %a = arith.addf %r, %t : vector<16xf32>
    hetkernel.yield %a : vector<16xf32>
  } -> tensor<?x16xf32>
  return %s : tensor<?x16xf32>
}
