// RUN: rgnn-opt %s --rgnn-lift-torch --canonicalize --cse --rgnn-postpone-propagation --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --rgnn-lift-torch --canonicalize --cse --rgnn-postpone-propagation --remarks-filter-missed=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A product of picked rows is one of all rows where a list may name a row many times, such as a batch vector does, and of
// the picked ones where it names none twice: what is true of a mask, of one type of many.

// CHECK-LABEL: func.func @any(
//       CHECK: %[[Y:.*]] = rgnn.linear %{{.*}} : tensor<?x4xf32, #rgnn.rows<node
//       CHECK: rgnn.gather dst %[[Y]]
func.func @any(%x: tensor<?x4xf32> {rgnn.input = "x", rgnn.num_rows = "n0"}, %l: tensor<?xi64> {rgnn.input = "l", rgnn.num_rows = "n1"},
               %w: tensor<4x5xf32> {rgnn.param = "w"}) -> tensor<?x5xf32> {
  %r = rgnn.torch "aten.index_select"(%x, %l) [#rgnn.operand<0>, 0, #rgnn.operand<1>] {rgnn.num_rows = "n1"}
    : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %y = rgnn.torch "aten.mm"(%r, %w) [#rgnn.operand<0>, #rgnn.operand<1>] {rgnn.num_rows = "n1"}
    : (tensor<?x4xf32>, tensor<4x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// CHECK-LABEL: func.func @distinct(
//       CHECK: %[[R:.*]] = rgnn.gather dst
//       CHECK: rgnn.linear %[[R]], %{{.*}} : tensor<?x4xf32, #rgnn.rows<edge
//      REMARK: Missed{{.*}}Function=distinct {{.*}}rgnn.linear stays on edges: the list names no row twice
func.func @distinct(%x: tensor<?x4xf32> {rgnn.input = "x", rgnn.num_rows = "n0"},
                    %l: tensor<?xi64> {rgnn.input = "l", rgnn.num_rows = "n1", rgnn.distinct}, %w: tensor<4x5xf32> {rgnn.param = "w"})
    -> tensor<?x5xf32> {
  %r = rgnn.torch "aten.index_select"(%x, %l) [#rgnn.operand<0>, 0, #rgnn.operand<1>] {rgnn.num_rows = "n1"}
    : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %y = rgnn.torch "aten.mm"(%r, %w) [#rgnn.operand<0>, #rgnn.operand<1>] {rgnn.num_rows = "n1"}
    : (tensor<?x4xf32>, tensor<4x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// So it is where the call that was captured had few edges for its nodes: pairs of a batch whose scores a model gives.

// CHECK-LABEL: func.func @few(
//       CHECK: rgnn.concat
//       CHECK: rgnn.linear %{{.*}} : tensor<?x8xf32, #rgnn.rows<edge
//      REMARK: Missed{{.*}}Function=few {{.*}}rgnn.linear stays on edges: its edges are few
func.func @few(%x: tensor<?x4xf32> {rgnn.input = "x", rgnn.num_rows = "n0"},
               %l: tensor<2x?xi64> {rgnn.input = "l", rgnn.num_rows = "2", rgnn.few}, %w: tensor<8x5xf32> {rgnn.param = "w"})
    -> tensor<?x5xf32> {
  %a = rgnn.torch "aten.select.int"(%l) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %b = rgnn.torch "aten.select.int"(%l) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %r = rgnn.torch "aten.index_select"(%x, %a) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %s = rgnn.torch "aten.index_select"(%x, %b) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %c = rgnn.torch "aten.cat"(%r, %s) [[#rgnn.operand<0>, #rgnn.operand<1>], 1] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  %y = rgnn.torch "aten.mm"(%c, %w) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<8x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}
