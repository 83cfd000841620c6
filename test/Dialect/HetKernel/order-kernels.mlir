// RUN: rgnn-opt %s --hetkernel-order-kernels | FileCheck %s
// RUN: rgnn-opt %s --hetkernel-order-kernels --remarks-filter-analyse=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS

rgnn.schema @g {num_edge_types = 1}

// What is read last is made last.
// CHECK-LABEL: func @late(
//       CHECK: %[[B:.*]] = hetkernel.gemm x(%arg2
//       CHECK: hetkernel.outer_sum y(%[[B]]
//       CHECK: %[[A:.*]] = hetkernel.gemm x(%arg1
//       CHECK: hetkernel.outer_sum y(%[[A]]
// COUNTS: Counts | Category:hetkernel-order-kernels | Function=late | percent-saved=50
func.func @late(%g: !rgnn.graph<@g>, %x: tensor<?x8xf32>, %z: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = hetkernel.size node of %g : !rgnn.graph<@g>
  %o = tensor.empty(%n) : tensor<?x8xf32>
  %s = tensor.empty() : tensor<8xf32>
  %a = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  %b = hetkernel.gemm x(%z : tensor<?x8xf32>) weight(%w : tensor<8x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  %c = hetkernel.outer_sum y(%b : tensor<?x8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %d = hetkernel.outer_sum y(%a : tensor<?x8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  return %c, %d : tensor<8xf32>, tensor<8xf32>
}

// Rows of edges count more than rows of nodes: the chain through them comes first, while there is little else.
// CHECK-LABEL: func @edges_first(
//       CHECK: hetkernel.traverse {{.*}} outs(%{{.*}} : tensor<?x8xf32>)
//       CHECK: hetkernel.gemm x(%{{.*}} gather
//       CHECK: hetkernel.outer_sum
//       CHECK: hetkernel.gemm x(%arg1
//       CHECK: hetkernel.outer_sum
//       CHECK: return
func.func @edges_first(%g: !rgnn.graph<@g>, %x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %list: tensor<?xi32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = hetkernel.size node of %g : !rgnn.graph<@g>
  %e = hetkernel.size edge of %g : !rgnn.graph<@g>
  %s = tensor.empty() : tensor<8xf32>
  %o = tensor.empty(%n) : tensor<?x8xf32>
  %p = tensor.empty(%e) : tensor<?x8xf32>
  %a = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  %m = hetkernel.traverse rows(%e) outs(%p : tensor<?x8xf32>) {
  ^bb0(%i: index):
    %j = hetkernel.lookup %list[%i] : tensor<?xi32>
    %r = hetkernel.row %x[%j] : tensor<?x8xf32> -> vector<8xf32>
    hetkernel.yield %r : vector<8xf32>
  } -> tensor<?x8xf32>
  %b = hetkernel.gemm x(%m gather %list : tensor<?x8xf32>, tensor<?xi32>) weight(%w : tensor<8x8xf32>) outs(%p : tensor<?x8xf32>) -> tensor<?x8xf32>
  %c = hetkernel.outer_sum y(%b : tensor<?x8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %d = hetkernel.outer_sum y(%a : tensor<?x8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  return %c, %d : tensor<8xf32>, tensor<8xf32>
}

// Whoever reads a value comes before what overwrites it, also within a region.
// CHECK-LABEL: func @overwritten(
//       CHECK: %[[Z:.*]] = hetkernel.traverse
//       CHECK: %[[R:.*]] = hetkernel.traverse
//       CHECK: hetkernel.row %[[Z]]
//       CHECK: %[[Y:.*]] = hetkernel.gemm {{.*}} outs(%[[Z]] : tensor<?x8xf32>) accumulate
//       CHECK: return %[[R]], %[[Y]]
func.func @overwritten(%g: !rgnn.graph<@g>, %x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %n = hetkernel.size node of %g : !rgnn.graph<@g>
  %o = tensor.empty(%n) : tensor<?x8xf32>
  %z = hetkernel.traverse rows(%n) outs(%o : tensor<?x8xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %x[%i] : tensor<?x8xf32> -> vector<8xf32>
    hetkernel.yield %r : vector<8xf32>
  } -> tensor<?x8xf32>
  %r = hetkernel.traverse rows(%n) outs(%o : tensor<?x8xf32>) {
  ^bb0(%i: index):
    %v = hetkernel.row %z[%i] : tensor<?x8xf32> -> vector<8xf32>
    hetkernel.yield %v : vector<8xf32>
  } -> tensor<?x8xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x8xf32>) outs(%z : tensor<?x8xf32>) accumulate -> tensor<?x8xf32>
  return %r, %y : tensor<?x8xf32>, tensor<?x8xf32>
}
