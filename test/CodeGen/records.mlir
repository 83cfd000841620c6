// RUN: %PYTHON %S/Inputs/records.py %s

func.func @forward(%x: tensor<?x4xf32> {rgnn.input = "x"}, %ei: tensor<2x?xi64> {rgnn.input = "edge_index"},
                          %w: tensor<4x8xf32> {rgnn.param = "w"}) -> tensor<?x8xf32> {
  %n = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x4xf32>) -> i64
  %src = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64>
  %dst = rgnn.torch "aten.select.int"(%ei) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64>
  %u = rgnn.torch "aten.index_select"(%x, %src) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %m = rgnn.torch "aten.mm"(%u, %w) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %s = rgnn.torch "rgnn.aggregate"(%m, %dst, %n) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x8xf32>, tensor<?xi64>, i64) -> tensor<?x8xf32> loc("model.py":7:3)
  %t = rgnn.torch "aten.relu"(%s) [#rgnn.operand<0>] : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("model.py":9:1)
  return %t : tensor<?x8xf32>
}
