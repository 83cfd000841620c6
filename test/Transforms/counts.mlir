// What passes count, each by one remark for a function; what counts nothing is silent.

// RUN: rgnn-opt %s --rgnn-to-cpu="cpu=x86-64-v3 padding=8" --remarks-filter-analyse=".*" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=Counts
// CHECK: Counts | Category:rgnn-lift-torch | Function=forward | num-left=0, num-lifted=7
// CHECK-DAG: Counts | Category:rgnn-compact | Function=forward | num-compacted=2
// CHECK-DAG: Counts | Category:rgnn-split-sides | Function=forward | num-split=2
// CHECK: Counts | Category:convert-rgnn-to-hetkernel | Function=forward | num-fused=3, num-gemms=4, num-outer-sums=0, num-ranks=0, num-traversals=6
// CHECK: Counts | Category:hetkernel-choose-schedule | Function=forward | num-chosen=10
// CHECK: Counts | Category:hetkernel-pad-rows | Function=forward | num-padded=2
// CHECK: Counts | Category:convert-hetkernel-to-scf | Function=forward | num-concats=0, num-gemms=4, num-outer-sums=0, num-ranks=0, num-temporaries=0, num-traversals=6
// CHECK: Counts | Category:rgnn-group-loops | Function=forward | num-grouped=6, num-groups=3
// CHECK: Counts | Category:rgnn-plan-workspace | Function=forward | bytes-static=0, num-refused=0, num-reused=0, num-slots=7
// CHECK: Counts | Category:rgnn-outline-parallel | Function=forward | num-outlined=10, num-sequential=0

// A file has the same.
// RUN: rgnn-opt %s --rgnn-to-cpu --mlir-disable-threading --remarks-filter-analyse=rgnn-lift-torch --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null
// RUN: FileCheck %s --check-prefix=YAML --input-file=%t.yaml
//      YAML: Pass: {{ *}}rgnn-lift-torch
// YAML-NEXT: Name: {{ *}}Counts
//      YAML: Function: {{ *}}forward
//      YAML: - num-lifted: {{ *}}'7'
// YAML-NEXT: - num-left: {{ *}}'0'

func.func @forward(%x: tensor<?x12xf32> {rgnn.input = "x"}, %ei: tensor<2x?xi64> {rgnn.input = "edge_index"},
                   %type: tensor<?xi64> {rgnn.input = "edge_type"}, %w: tensor<3x12x20xf32> {rgnn.param = "w"},
                   %v: tensor<3x20x12xf32> {rgnn.param = "v"}) -> tensor<?x12xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x12xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u1 = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x12xf32>, tensor<?xi64>) -> tensor<?x12xf32>
  %m1 = rgnn.torch "rgnn.typed_linear"(%u1, %type, %w) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x12xf32>, tensor<?xi64>, tensor<3x12x20xf32>) -> tensor<?x20xf32>
  %h = rgnn.torch "rgnn.aggregate"(%m1, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x20xf32>, tensor<?xi64>, i64) -> tensor<?x20xf32>
  %r = rgnn.torch "aten.relu"(%h) [#rgnn.operand<0>] : (tensor<?x20xf32>) -> tensor<?x20xf32>
  %u2 = rgnn.torch "aten.index_select"(%r, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x20xf32>, tensor<?xi64>) -> tensor<?x20xf32>
  %m2 = rgnn.torch "rgnn.typed_linear"(%u2, %type, %v) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x20xf32>, tensor<?xi64>, tensor<3x20x12xf32>) -> tensor<?x12xf32>
  %y = rgnn.torch "rgnn.aggregate"(%m2, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x12xf32>, tensor<?xi64>, i64) -> tensor<?x12xf32>
  return %y : tensor<?x12xf32>
}

func.func @idle() {
  return
}
