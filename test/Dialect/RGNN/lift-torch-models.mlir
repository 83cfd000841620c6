// RUN: rgnn-opt %s --rgnn-lift-torch --split-input-file | FileCheck %s --implicit-check-not=rgnn.torch

// Models as captured from PyG's layers. Each lifts whole.

// CHECK-LABEL: func.func @fast_rgcn_add_noroot(
//       CHECK: rgnn.typed_linear
//       CHECK: rgnn.reduce sum dst
module {
  func.func @fast_rgcn_add_noroot(%x: tensor<?x16xf32> {rgnn.input = "x"},
                     %edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %weight: tensor<5x16x8xf32> {rgnn.param = "weight"}) -> tensor<?x8xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %index_select = rgnn.torch "aten.index_select"(%x, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select, %edge_type, %weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%typed_linear, %select_1, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x8xf32>, tensor<?xi64>, i64) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    return %aggregate : tensor<?x8xf32>
  }
}

// -----

// CHECK: rgnn.schema @g0 edge_types(5)
// CHECK-LABEL: func.func @fast_rgcn_mean(
//       CHECK: rgnn.typed_linear
//       CHECK: rgnn.degree dst_pair
//       CHECK: rgnn.reduce sum dst
//       CHECK: rgnn.linear
module {
  func.func @fast_rgcn_mean(%x: tensor<?x16xf32> {rgnn.input = "x"},
                     %edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %weight: tensor<5x16x8xf32> {rgnn.param = "weight"},
                     %root: tensor<16x8xf32> {rgnn.param = "root"},
                     %bias: tensor<8xf32> {rgnn.param = "bias"}) -> tensor<?x8xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %index_select = rgnn.torch "aten.index_select"(%x, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select, %edge_type, %weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %pair_degree = rgnn.torch "rgnn.pair_degree"(%select_1, %edge_type, %sym_size_int, %typed_linear) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, 5, #rgnn.operand<3>] : (tensor<?xi64>, tensor<?xi64>, i64, tensor<?x8xf32>) -> tensor<?xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %view = rgnn.torch "aten.view"(%pair_degree) [#rgnn.operand<0>, [-1, 1]] : (tensor<?xf32>) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %div = rgnn.torch "aten.div.Tensor"(%typed_linear, %view) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%div, %select_1, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x8xf32>, tensor<?xi64>, i64) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %matmul = rgnn.torch "aten.matmul"(%x, %root) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %add = rgnn.torch "aten.add.Tensor"(%aggregate, %matmul) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%add, %bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    return %add_1 : tensor<?x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @rgcn_stack(
//       CHECK: rgnn.coo_graph
//       CHECK: rgnn.reduce sum dst
//       CHECK: rgnn.reduce sum dst
//       CHECK: rgnn.softmax log
module {
  func.func @rgcn_stack(%x: tensor<?x16xf32> {rgnn.input = "x"},
                     %edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %conv1_weight: tensor<5x16x16xf32> {rgnn.param = "conv1.weight"},
                     %conv1_root: tensor<16x16xf32> {rgnn.param = "conv1.root"},
                     %conv1_bias: tensor<16xf32> {rgnn.param = "conv1.bias"},
                     %conv2_weight: tensor<5x16x4xf32> {rgnn.param = "conv2.weight"},
                     %conv2_root: tensor<16x4xf32> {rgnn.param = "conv2.root"},
                     %conv2_bias: tensor<4xf32> {rgnn.param = "conv2.bias"}) -> tensor<?x4xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %index_select = rgnn.torch "aten.index_select"(%x, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select, %edge_type, %conv1_weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %pair_degree = rgnn.torch "rgnn.pair_degree"(%select_1, %edge_type, %sym_size_int, %typed_linear) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, 5, #rgnn.operand<3>] : (tensor<?xi64>, tensor<?xi64>, i64, tensor<?x16xf32>) -> tensor<?xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %view = rgnn.torch "aten.view"(%pair_degree) [#rgnn.operand<0>, [-1, 1]] : (tensor<?xf32>) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %div = rgnn.torch "aten.div.Tensor"(%typed_linear, %view) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?x1xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%div, %select_1, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x16xf32>, tensor<?xi64>, i64) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %matmul = rgnn.torch "aten.matmul"(%x, %conv1_root) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %add = rgnn.torch "aten.add.Tensor"(%aggregate, %matmul) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%add, %conv1_bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %relu = rgnn.torch "aten.relu"(%add_1) [#rgnn.operand<0>] : (tensor<?x16xf32>) -> tensor<?x16xf32> loc("gen.py":11:0)
    %select_2 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %select_3 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %index_select_1 = rgnn.torch "aten.index_select"(%relu, %select_2) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %typed_linear_1 = rgnn.torch "rgnn.typed_linear"(%index_select_1, %edge_type, %conv2_weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x4xf32>) -> tensor<?x4xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %pair_degree_1 = rgnn.torch "rgnn.pair_degree"(%select_3, %edge_type, %sym_size_int, %typed_linear_1) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, 5, #rgnn.operand<3>] : (tensor<?xi64>, tensor<?xi64>, i64, tensor<?x4xf32>) -> tensor<?xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %view_1 = rgnn.torch "aten.view"(%pair_degree_1) [#rgnn.operand<0>, [-1, 1]] : (tensor<?xf32>) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %div_1 = rgnn.torch "aten.div.Tensor"(%typed_linear_1, %view_1) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %aggregate_1 = rgnn.torch "rgnn.aggregate"(%div_1, %select_3, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x4xf32>, tensor<?xi64>, i64) -> tensor<?x4xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %matmul_1 = rgnn.torch "aten.matmul"(%relu, %conv2_root) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x4xf32>) -> tensor<?x4xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %add_2 = rgnn.torch "aten.add.Tensor"(%aggregate_1, %matmul_1) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %add_3 = rgnn.torch "aten.add.Tensor"(%add_2, %conv2_bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":304:0)
    %log_softmax = rgnn.torch "aten.log_softmax.int"(%add_3) [#rgnn.operand<0>, -1, unit] : (tensor<?x4xf32>) -> tensor<?x4xf32> loc("gen.py":14:0)
    return %log_softmax : tensor<?x4xf32>
  }
}

// -----

// CHECK: rgnn.schema @g0 edge_types(5)
// CHECK-LABEL: func.func @rgcn_bases(
//       CHECK: rgnn.linear %{{.*}} : tensor<5x3xf32>, tensor<3x128xf32>
//       CHECK: rgnn.typed_linear
module {
  func.func @rgcn_bases(%x: tensor<?x16xf32> {rgnn.input = "x"},
                     %edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %weight: tensor<3x16x8xf32> {rgnn.param = "weight"},
                     %comp: tensor<5x3xf32> {rgnn.param = "comp"},
                     %root: tensor<16x8xf32> {rgnn.param = "root"},
                     %bias: tensor<8xf32> {rgnn.param = "bias"}) -> tensor<?x8xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %index_select = rgnn.torch "aten.index_select"(%x, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %view = rgnn.torch "aten.view"(%weight) [#rgnn.operand<0>, [3, -1]] : (tensor<3x16x8xf32>) -> tensor<3x128xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %matmul = rgnn.torch "aten.matmul"(%comp, %view) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<5x3xf32>, tensor<3x128xf32>) -> tensor<5x128xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %view_1 = rgnn.torch "aten.view"(%matmul) [#rgnn.operand<0>, [5, 16, 8]] : (tensor<5x128xf32>) -> tensor<5x16x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select, %edge_type, %view_1) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %pair_degree = rgnn.torch "rgnn.pair_degree"(%select_1, %edge_type, %sym_size_int, %typed_linear) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, 5, #rgnn.operand<3>] : (tensor<?xi64>, tensor<?xi64>, i64, tensor<?x8xf32>) -> tensor<?xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %view_2 = rgnn.torch "aten.view"(%pair_degree) [#rgnn.operand<0>, [-1, 1]] : (tensor<?xf32>) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %div = rgnn.torch "aten.div.Tensor"(%typed_linear, %view_2) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%div, %select_1, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x8xf32>, tensor<?xi64>, i64) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %matmul_1 = rgnn.torch "aten.matmul"(%x, %root) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %add = rgnn.torch "aten.add.Tensor"(%aggregate, %matmul_1) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%add, %bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    return %add_1 : tensor<?x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @rgcn_blocks(
//       CHECK: rgnn.typed_linear {{.*}}tensor<5x4x4x2xf32>
module {
  func.func @rgcn_blocks(%x: tensor<?x16xf32> {rgnn.input = "x"},
                     %edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %weight: tensor<5x4x4x2xf32> {rgnn.param = "weight"},
                     %root: tensor<16x8xf32> {rgnn.param = "root"},
                     %bias: tensor<8xf32> {rgnn.param = "bias"}) -> tensor<?x8xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %index_select = rgnn.torch "aten.index_select"(%x, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %view = rgnn.torch "aten.view"(%index_select) [#rgnn.operand<0>, [-1, 4, 4]] : (tensor<?x16xf32>) -> tensor<?x4x4xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%view, %edge_type, %weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4x4xf32>, tensor<?xi64>, tensor<5x4x4x2xf32>) -> tensor<?x4x2xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %view_1 = rgnn.torch "aten.view"(%typed_linear) [#rgnn.operand<0>, [-1, 8]] : (tensor<?x4x2xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %pair_degree = rgnn.torch "rgnn.pair_degree"(%select_1, %edge_type, %sym_size_int, %view_1) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, 5, #rgnn.operand<3>] : (tensor<?xi64>, tensor<?xi64>, i64, tensor<?x8xf32>) -> tensor<?xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %view_2 = rgnn.torch "aten.view"(%pair_degree) [#rgnn.operand<0>, [-1, 1]] : (tensor<?xf32>) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %div = rgnn.torch "aten.div.Tensor"(%view_1, %view_2) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%div, %select_1, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x8xf32>, tensor<?xi64>, i64) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %matmul = rgnn.torch "aten.matmul"(%x, %root) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %add = rgnn.torch "aten.add.Tensor"(%aggregate, %matmul) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%add, %bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    return %add_1 : tensor<?x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @rgcn_featureless(
//       CHECK: nodes(%c9)
//       CHECK: rgnn.lookup src
//       CHECK: tensor.cast {{.*}} to tensor<9x8xf32>
module {
  func.func @rgcn_featureless(%edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %weight: tensor<5x9x8xf32> {rgnn.param = "weight"},
                     %root: tensor<9x8xf32> {rgnn.param = "root"},
                     %bias: tensor<8xf32> {rgnn.param = "bias"}) -> tensor<9x8xf32> {
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %lookup = rgnn.torch "rgnn.lookup"(%weight, %edge_type, %select) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<5x9x8xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %pair_degree = rgnn.torch "rgnn.pair_degree"(%select_1, %edge_type, %lookup) [#rgnn.operand<0>, #rgnn.operand<1>, 9, 5, #rgnn.operand<2>] : (tensor<?xi64>, tensor<?xi64>, tensor<?x8xf32>) -> tensor<?xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %view = rgnn.torch "aten.view"(%pair_degree) [#rgnn.operand<0>, [-1, 1]] : (tensor<?xf32>) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %div = rgnn.torch "aten.div.Tensor"(%lookup, %view) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%div, %select_1) [#rgnn.operand<0>, #rgnn.operand<1>, 9, "sum"] : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<9x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %add = rgnn.torch "aten.add.Tensor"(%aggregate, %root) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%add, %bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<9x8xf32>, tensor<8xf32>) -> tensor<9x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    return %add_1 : tensor<9x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @rgcn_bases_featureless(
//       CHECK: rgnn.lookup src {{.*}} bases(
module {
  func.func @rgcn_bases_featureless(%edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %comp: tensor<5x3xf32> {rgnn.param = "comp"},
                     %weight: tensor<3x9x8xf32> {rgnn.param = "weight"},
                     %root: tensor<9x8xf32> {rgnn.param = "root"},
                     %bias: tensor<8xf32> {rgnn.param = "bias"}) -> tensor<9x8xf32> {
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %basis_lookup = rgnn.torch "rgnn.basis_lookup"(%comp, %weight, %edge_type, %select) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, #rgnn.operand<3>] : (tensor<5x3xf32>, tensor<3x9x8xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %pair_degree = rgnn.torch "rgnn.pair_degree"(%select_1, %edge_type, %basis_lookup) [#rgnn.operand<0>, #rgnn.operand<1>, 9, 5, #rgnn.operand<2>] : (tensor<?xi64>, tensor<?xi64>, tensor<?x8xf32>) -> tensor<?xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %view = rgnn.torch "aten.view"(%pair_degree) [#rgnn.operand<0>, [-1, 1]] : (tensor<?xf32>) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %div = rgnn.torch "aten.div.Tensor"(%basis_lookup, %view) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%div, %select_1) [#rgnn.operand<0>, #rgnn.operand<1>, 9, "sum"] : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<9x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %add = rgnn.torch "aten.add.Tensor"(%aggregate, %root) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%add, %bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<9x8xf32>, tensor<8xf32>) -> tensor<9x8xf32> loc("torch_geometric/nn/conv/rgcn_conv.py":164:0)
    return %add_1 : tensor<9x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @rgat_across_h2_concat(
//       CHECK: rgnn.group_softmax dst %
//       CHECK: rgnn.reduce sum dst
module {
  func.func @rgat_across_h2_concat(%x: tensor<?x16xf32> {rgnn.input = "x"},
                     %edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %weight: tensor<5x16x16xf32> {rgnn.param = "weight"},
                     %q: tensor<16x2xf32> {rgnn.param = "q"},
                     %k: tensor<16x2xf32> {rgnn.param = "k"},
                     %bias: tensor<16xf32> {rgnn.param = "bias"}) -> tensor<?x16xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select = rgnn.torch "aten.index_select"(%x, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select_1 = rgnn.torch "aten.index_select"(%x, %select_1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select, %edge_type, %weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %typed_linear_1 = rgnn.torch "rgnn.typed_linear"(%index_select_1, %edge_type, %weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul = rgnn.torch "aten.matmul"(%typed_linear, %q) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul_1 = rgnn.torch "aten.matmul"(%typed_linear_1, %k) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %add = rgnn.torch "aten.add.Tensor"(%matmul, %matmul_1) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %leaky_relu = rgnn.torch "aten.leaky_relu"(%add) [#rgnn.operand<0>, 0.2 : f64] : (tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %edge_softmax = rgnn.torch "rgnn.edge_softmax"(%leaky_relu, %select, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2xf32>, tensor<?xi64>, i64) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view = rgnn.torch "aten.view"(%edge_softmax) [#rgnn.operand<0>, [-1, 2, 1]] : (tensor<?x2xf32>) -> tensor<?x2x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_1 = rgnn.torch "aten.view"(%typed_linear_1) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %mul = rgnn.torch "aten.mul.Tensor"(%view, %view_1) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x1xf32>, tensor<?x2x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%mul, %select, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x2x8xf32>, tensor<?xi64>, i64) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %view_2 = rgnn.torch "aten.view"(%aggregate) [#rgnn.operand<0>, [-1, 16]] : (tensor<?x2x8xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":510:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%view_2, %bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":515:0)
    return %add_1 : tensor<?x16xf32>
  }
}

// -----

// CHECK-LABEL: func.func @rgat_within_mean(
//       CHECK: rgnn.group_softmax dst_pair
//       CHECK: rgnn.reduce_features mean
module {
  func.func @rgat_within_mean(%x: tensor<?x16xf32> {rgnn.input = "x"},
                     %edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %weight: tensor<5x16x16xf32> {rgnn.param = "weight"},
                     %q: tensor<16x2xf32> {rgnn.param = "q"},
                     %k: tensor<16x2xf32> {rgnn.param = "k"},
                     %bias: tensor<8xf32> {rgnn.param = "bias"}) -> tensor<?x8xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select = rgnn.torch "aten.index_select"(%x, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select_1 = rgnn.torch "aten.index_select"(%x, %select_1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select, %edge_type, %weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %typed_linear_1 = rgnn.torch "rgnn.typed_linear"(%index_select_1, %edge_type, %weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul = rgnn.torch "aten.matmul"(%typed_linear, %q) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul_1 = rgnn.torch "aten.matmul"(%typed_linear_1, %k) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %add = rgnn.torch "aten.add.Tensor"(%matmul, %matmul_1) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %leaky_relu = rgnn.torch "aten.leaky_relu"(%add) [#rgnn.operand<0>, 0.2 : f64] : (tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %pair_softmax = rgnn.torch "rgnn.pair_softmax"(%leaky_relu, %select, %edge_type, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, #rgnn.operand<3>, 5] : (tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>, i64) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view = rgnn.torch "aten.view"(%pair_softmax) [#rgnn.operand<0>, [-1, 2, 1]] : (tensor<?x2xf32>) -> tensor<?x2x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_1 = rgnn.torch "aten.view"(%typed_linear_1) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %mul = rgnn.torch "aten.mul.Tensor"(%view, %view_1) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x1xf32>, tensor<?x2x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%mul, %select, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x2x8xf32>, tensor<?xi64>, i64) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %mean = rgnn.torch "aten.mean.dim"(%aggregate) [#rgnn.operand<0>, [1], false, unit] : (tensor<?x2x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":512:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%mean, %bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":515:0)
    return %add_1 : tensor<?x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @rgat_bases(
//       CHECK: rgnn.linear {{.*}}tensor<5x3xf32>
//       CHECK: rgnn.group_softmax dst %
module {
  func.func @rgat_bases(%x: tensor<?x16xf32> {rgnn.input = "x"},
                     %edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %basis: tensor<3x16x16xf32> {rgnn.param = "basis"},
                     %att: tensor<5x3xf32> {rgnn.param = "att"},
                     %q: tensor<16x2xf32> {rgnn.param = "q"},
                     %k: tensor<16x2xf32> {rgnn.param = "k"},
                     %bias: tensor<16xf32> {rgnn.param = "bias"}) -> tensor<?x16xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select = rgnn.torch "aten.index_select"(%x, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select_1 = rgnn.torch "aten.index_select"(%x, %select_1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %view = rgnn.torch "aten.view"(%basis) [#rgnn.operand<0>, [3, -1]] : (tensor<3x16x16xf32>) -> tensor<3x256xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul = rgnn.torch "aten.matmul"(%att, %view) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<5x3xf32>, tensor<3x256xf32>) -> tensor<5x256xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_1 = rgnn.torch "aten.view"(%matmul) [#rgnn.operand<0>, [5, 16, 16]] : (tensor<5x256xf32>) -> tensor<5x16x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select, %edge_type, %view_1) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %typed_linear_1 = rgnn.torch "rgnn.typed_linear"(%index_select_1, %edge_type, %view_1) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul_1 = rgnn.torch "aten.matmul"(%typed_linear, %q) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul_2 = rgnn.torch "aten.matmul"(%typed_linear_1, %k) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %add = rgnn.torch "aten.add.Tensor"(%matmul_1, %matmul_2) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %leaky_relu = rgnn.torch "aten.leaky_relu"(%add) [#rgnn.operand<0>, 0.2 : f64] : (tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %edge_softmax = rgnn.torch "rgnn.edge_softmax"(%leaky_relu, %select, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2xf32>, tensor<?xi64>, i64) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_2 = rgnn.torch "aten.view"(%edge_softmax) [#rgnn.operand<0>, [-1, 2, 1]] : (tensor<?x2xf32>) -> tensor<?x2x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_3 = rgnn.torch "aten.view"(%typed_linear_1) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %mul = rgnn.torch "aten.mul.Tensor"(%view_2, %view_3) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x1xf32>, tensor<?x2x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%mul, %select, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x2x8xf32>, tensor<?xi64>, i64) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %view_4 = rgnn.torch "aten.view"(%aggregate) [#rgnn.operand<0>, [-1, 16]] : (tensor<?x2x8xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":510:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%view_4, %bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":515:0)
    return %add_1 : tensor<?x16xf32>
  }
}

// -----

// CHECK-LABEL: func.func @rgat_blocks(
//       CHECK: rgnn.typed_linear {{.*}}tensor<5x4x4x4xf32>
//       CHECK: rgnn.group_softmax dst %
module {
  func.func @rgat_blocks(%x: tensor<?x16xf32> {rgnn.input = "x"},
                     %edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %weight: tensor<5x4x4x4xf32> {rgnn.param = "weight"},
                     %q: tensor<16x2xf32> {rgnn.param = "q"},
                     %k: tensor<16x2xf32> {rgnn.param = "k"},
                     %bias: tensor<16xf32> {rgnn.param = "bias"}) -> tensor<?x16xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select = rgnn.torch "aten.index_select"(%x, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select_1 = rgnn.torch "aten.index_select"(%x, %select_1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %view = rgnn.torch "aten.view"(%index_select) [#rgnn.operand<0>, [-1, 4, 4]] : (tensor<?x16xf32>) -> tensor<?x4x4xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%view, %edge_type, %weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4x4xf32>, tensor<?xi64>, tensor<5x4x4x4xf32>) -> tensor<?x4x4xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_1 = rgnn.torch "aten.view"(%typed_linear) [#rgnn.operand<0>, [-1, 16]] : (tensor<?x4x4xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_2 = rgnn.torch "aten.view"(%index_select_1) [#rgnn.operand<0>, [-1, 4, 4]] : (tensor<?x16xf32>) -> tensor<?x4x4xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %typed_linear_1 = rgnn.torch "rgnn.typed_linear"(%view_2, %edge_type, %weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x4x4xf32>, tensor<?xi64>, tensor<5x4x4x4xf32>) -> tensor<?x4x4xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_3 = rgnn.torch "aten.view"(%typed_linear_1) [#rgnn.operand<0>, [-1, 16]] : (tensor<?x4x4xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul = rgnn.torch "aten.matmul"(%view_1, %q) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul_1 = rgnn.torch "aten.matmul"(%view_3, %k) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %add = rgnn.torch "aten.add.Tensor"(%matmul, %matmul_1) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %leaky_relu = rgnn.torch "aten.leaky_relu"(%add) [#rgnn.operand<0>, 0.2 : f64] : (tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %edge_softmax = rgnn.torch "rgnn.edge_softmax"(%leaky_relu, %select, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2xf32>, tensor<?xi64>, i64) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_4 = rgnn.torch "aten.view"(%edge_softmax) [#rgnn.operand<0>, [-1, 2, 1]] : (tensor<?x2xf32>) -> tensor<?x2x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_5 = rgnn.torch "aten.view"(%view_3) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %mul = rgnn.torch "aten.mul.Tensor"(%view_4, %view_5) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x1xf32>, tensor<?x2x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%mul, %select, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x2x8xf32>, tensor<?xi64>, i64) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %view_6 = rgnn.torch "aten.view"(%aggregate) [#rgnn.operand<0>, [-1, 16]] : (tensor<?x2x8xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":510:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%view_6, %bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":515:0)
    return %add_1 : tensor<?x16xf32>
  }
}

// -----

// CHECK-LABEL: func.func @rgat_edge_attr(
//       CHECK: rgnn.place {{.*}}#rgnn.rows<edge, @g0>>
//       CHECK: rgnn.group_softmax dst %
module {
  func.func @rgat_edge_attr(%x: tensor<?x16xf32> {rgnn.input = "x"},
                     %edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %edge_attr: tensor<?x6xf32> {rgnn.input = "edge_attr"},
                     %weight: tensor<5x16x16xf32> {rgnn.param = "weight"},
                     %q: tensor<16x2xf32> {rgnn.param = "q"},
                     %k: tensor<16x2xf32> {rgnn.param = "k"},
                     %lin_edge_weight: tensor<16x6xf32> {rgnn.param = "lin_edge.weight"},
                     %e: tensor<16x2xf32> {rgnn.param = "e"},
                     %bias: tensor<16xf32> {rgnn.param = "bias"}) -> tensor<?x16xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select = rgnn.torch "aten.index_select"(%x, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select_1 = rgnn.torch "aten.index_select"(%x, %select_1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select, %edge_type, %weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %typed_linear_1 = rgnn.torch "rgnn.typed_linear"(%index_select_1, %edge_type, %weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul = rgnn.torch "aten.matmul"(%typed_linear, %q) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul_1 = rgnn.torch "aten.matmul"(%typed_linear_1, %k) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %add = rgnn.torch "aten.add.Tensor"(%matmul, %matmul_1) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %linear = rgnn.torch "aten.linear"(%edge_attr, %lin_edge_weight) [#rgnn.operand<0>, #rgnn.operand<1>, unit] : (tensor<?x6xf32>, tensor<16x6xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul_2 = rgnn.torch "aten.matmul"(%linear, %e) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%add, %matmul_2) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %leaky_relu = rgnn.torch "aten.leaky_relu"(%add_1) [#rgnn.operand<0>, 0.2 : f64] : (tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %edge_softmax = rgnn.torch "rgnn.edge_softmax"(%leaky_relu, %select, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2xf32>, tensor<?xi64>, i64) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view = rgnn.torch "aten.view"(%edge_softmax) [#rgnn.operand<0>, [-1, 2, 1]] : (tensor<?x2xf32>) -> tensor<?x2x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_1 = rgnn.torch "aten.view"(%typed_linear_1) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %mul = rgnn.torch "aten.mul.Tensor"(%view, %view_1) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x1xf32>, tensor<?x2x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%mul, %select, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x2x8xf32>, tensor<?xi64>, i64) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %view_2 = rgnn.torch "aten.view"(%aggregate) [#rgnn.operand<0>, [-1, 16]] : (tensor<?x2x8xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":510:0)
    %add_2 = rgnn.torch "aten.add.Tensor"(%view_2, %bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":515:0)
    return %add_2 : tensor<?x16xf32>
  }
}

// -----

// CHECK-LABEL: func.func @rgat_stack_skip(
//       CHECK: rgnn.group_softmax dst %
//       CHECK: rgnn.group_softmax dst %
module {
  func.func @rgat_stack_skip(%x: tensor<?x16xf32> {rgnn.input = "x"},
                     %edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"},
                     %edge_type: tensor<?xi64> {rgnn.input = "edge_type"},
                     %conv1_weight: tensor<5x16x16xf32> {rgnn.param = "conv1.weight"},
                     %conv1_q: tensor<16x2xf32> {rgnn.param = "conv1.q"},
                     %conv1_k: tensor<16x2xf32> {rgnn.param = "conv1.k"},
                     %conv1_bias: tensor<8xf32> {rgnn.param = "conv1.bias"},
                     %skip_weight: tensor<8x16xf32> {rgnn.param = "skip.weight"},
                     %skip_bias: tensor<8xf32> {rgnn.param = "skip.bias"},
                     %conv2_weight: tensor<5x8x8xf32> {rgnn.param = "conv2.weight"},
                     %conv2_q: tensor<8x1xf32> {rgnn.param = "conv2.q"},
                     %conv2_k: tensor<8x1xf32> {rgnn.param = "conv2.k"},
                     %conv2_bias: tensor<8xf32> {rgnn.param = "conv2.bias"}) -> tensor<?x8xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %select = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %select_1 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select = rgnn.torch "aten.index_select"(%x, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select_1 = rgnn.torch "aten.index_select"(%x, %select_1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<?xi64>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select, %edge_type, %conv1_weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %typed_linear_1 = rgnn.torch "rgnn.typed_linear"(%index_select_1, %edge_type, %conv1_weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<?xi64>, tensor<5x16x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul = rgnn.torch "aten.matmul"(%typed_linear, %conv1_q) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul_1 = rgnn.torch "aten.matmul"(%typed_linear_1, %conv1_k) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %add = rgnn.torch "aten.add.Tensor"(%matmul, %matmul_1) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %leaky_relu = rgnn.torch "aten.leaky_relu"(%add) [#rgnn.operand<0>, 0.2 : f64] : (tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %edge_softmax = rgnn.torch "rgnn.edge_softmax"(%leaky_relu, %select, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2xf32>, tensor<?xi64>, i64) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view = rgnn.torch "aten.view"(%edge_softmax) [#rgnn.operand<0>, [-1, 2, 1]] : (tensor<?x2xf32>) -> tensor<?x2x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_1 = rgnn.torch "aten.view"(%typed_linear_1) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %mul = rgnn.torch "aten.mul.Tensor"(%view, %view_1) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x1xf32>, tensor<?x2x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%mul, %select, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x2x8xf32>, tensor<?xi64>, i64) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %mean = rgnn.torch "aten.mean.dim"(%aggregate) [#rgnn.operand<0>, [1], false, unit] : (tensor<?x2x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":512:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%mean, %conv1_bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":515:0)
    %linear = rgnn.torch "aten.linear"(%x, %skip_weight, %skip_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<8x16xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("gen.py":29:0)
    %add_2 = rgnn.torch "aten.add.Tensor"(%add_1, %linear) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("gen.py":29:0)
    %relu = rgnn.torch "aten.relu"(%add_2) [#rgnn.operand<0>] : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("gen.py":29:0)
    %select_2 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %select_3 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select_2 = rgnn.torch "aten.index_select"(%relu, %select_2) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %index_select_3 = rgnn.torch "aten.index_select"(%relu, %select_3) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %typed_linear_2 = rgnn.torch "rgnn.typed_linear"(%index_select_2, %edge_type, %conv2_weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x8xf32>, tensor<?xi64>, tensor<5x8x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %typed_linear_3 = rgnn.torch "rgnn.typed_linear"(%index_select_3, %edge_type, %conv2_weight) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x8xf32>, tensor<?xi64>, tensor<5x8x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul_2 = rgnn.torch "aten.matmul"(%typed_linear_2, %conv2_q) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<8x1xf32>) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %matmul_3 = rgnn.torch "aten.matmul"(%typed_linear_3, %conv2_k) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x8xf32>, tensor<8x1xf32>) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %add_3 = rgnn.torch "aten.add.Tensor"(%matmul_2, %matmul_3) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %leaky_relu_1 = rgnn.torch "aten.leaky_relu"(%add_3) [#rgnn.operand<0>, 0.2 : f64] : (tensor<?x1xf32>) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %edge_softmax_1 = rgnn.torch "rgnn.edge_softmax"(%leaky_relu_1, %select_2, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x1xf32>, tensor<?xi64>, i64) -> tensor<?x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_2 = rgnn.torch "aten.view"(%edge_softmax_1) [#rgnn.operand<0>, [-1, 1, 1]] : (tensor<?x1xf32>) -> tensor<?x1x1xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %view_3 = rgnn.torch "aten.view"(%typed_linear_3) [#rgnn.operand<0>, [-1, 1, 8]] : (tensor<?x8xf32>) -> tensor<?x1x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %mul_1 = rgnn.torch "aten.mul.Tensor"(%view_2, %view_3) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x1x1xf32>, tensor<?x1x8xf32>) -> tensor<?x1x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":373:0)
    %aggregate_1 = rgnn.torch "rgnn.aggregate"(%mul_1, %select_2, %sym_size_int) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x1x8xf32>, tensor<?xi64>, i64) -> tensor<?x1x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":353:0)
    %view_4 = rgnn.torch "aten.view"(%aggregate_1) [#rgnn.operand<0>, [-1, 8]] : (tensor<?x1x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":510:0)
    %add_4 = rgnn.torch "aten.add.Tensor"(%view_4, %conv2_bias) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/rgat_conv.py":515:0)
    %add_5 = rgnn.torch "aten.add.Tensor"(%add_4, %relu) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("gen.py":30:0)
    return %add_5 : tensor<?x8xf32>
  }
}

// -----

// CHECK: rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 0]) dst_types([0, 0, 1])
// CHECK-LABEL: func.func @hgt(
//       CHECK: rgnn.concat_types
//       CHECK: rgnn.typed_linear
//       CHECK: rgnn.dot
//       CHECK: rgnn.group_softmax dst %
//       CHECK: rgnn.slice_type
module {
  func.func @hgt(%x_dict_paper: tensor<?x16xf32> {rgnn.input = "x_dict['paper']"},
                     %x_dict_author: tensor<?x12xf32> {rgnn.input = "x_dict['author']"},
                     %edge_index_dict_paper_cites_paper: tensor<2x?xi64> {rgnn.input = "edge_index_dict['paper', 'cites', 'paper']"},
                     %edge_index_dict_author_writes_paper: tensor<2x?xi64> {rgnn.input = "edge_index_dict['author', 'writes', 'paper']"},
                     %edge_index_dict_paper_rev_writes_author: tensor<2x?xi64> {rgnn.input = "edge_index_dict['paper', 'rev_writes', 'author']"},
                     %kqv_lin_lins_paper_weight: tensor<48x16xf32> {rgnn.param = "kqv_lin.lins.paper.weight"},
                     %kqv_lin_lins_paper_bias: tensor<48xf32> {rgnn.param = "kqv_lin.lins.paper.bias"},
                     %kqv_lin_lins_author_weight: tensor<48x12xf32> {rgnn.param = "kqv_lin.lins.author.weight"},
                     %kqv_lin_lins_author_bias: tensor<48xf32> {rgnn.param = "kqv_lin.lins.author.bias"},
                     %k_rel_weight: tensor<6x8x8xf32> {rgnn.param = "k_rel.weight"},
                     %v_rel_weight: tensor<6x8x8xf32> {rgnn.param = "v_rel.weight"},
                     %p_rel_paper__cites__paper: tensor<1x2xf32> {rgnn.param = "p_rel.paper__cites__paper"},
                     %p_rel_author__writes__paper: tensor<1x2xf32> {rgnn.param = "p_rel.author__writes__paper"},
                     %p_rel_paper__rev_writes__author: tensor<1x2xf32> {rgnn.param = "p_rel.paper__rev_writes__author"},
                     %out_lin_lins_paper_weight: tensor<16x16xf32> {rgnn.param = "out_lin.lins.paper.weight"},
                     %out_lin_lins_paper_bias: tensor<16xf32> {rgnn.param = "out_lin.lins.paper.bias"},
                     %out_lin_lins_author_weight: tensor<16x16xf32> {rgnn.param = "out_lin.lins.author.weight"},
                     %out_lin_lins_author_bias: tensor<16xf32> {rgnn.param = "out_lin.lins.author.bias"},
                     %skip_paper: tensor<1xf32> {rgnn.param = "skip.paper"}) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x_dict_paper) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sym_size_int_1 = rgnn.torch "aten.sym_size.int"(%x_dict_author) [#rgnn.operand<0>, 0] : (tensor<?x12xf32>) -> i64 loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear = rgnn.torch "aten.linear"(%x_dict_paper, %kqv_lin_lins_paper_weight, %kqv_lin_lins_paper_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<48x16xf32>, tensor<48xf32>) -> tensor<?x48xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_1 = rgnn.torch "aten.linear"(%x_dict_author, %kqv_lin_lins_author_weight, %kqv_lin_lins_author_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x12xf32>, tensor<48x12xf32>, tensor<48xf32>) -> tensor<?x48xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %concat_types = rgnn.torch "rgnn.concat_types"(%linear, %linear_1) [[#rgnn.operand<0>, #rgnn.operand<1>]] : (tensor<?x48xf32>, tensor<?x48xf32>) -> tensor<?x48xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %add = rgnn.torch "sym.add"(%sym_size_int, %sym_size_int_1) [#rgnn.operand<0>, #rgnn.operand<1>] : (i64, i64) -> i64 loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice = rgnn.torch "aten.slice.Tensor"(%concat_types) [#rgnn.operand<0>, 1, 0, 16, 1] : (tensor<?x48xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view = rgnn.torch "aten.view"(%slice) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_1 = rgnn.torch "aten.slice.Tensor"(%concat_types) [#rgnn.operand<0>, 1, 16, 32, 1] : (tensor<?x48xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_1 = rgnn.torch "aten.view"(%slice_1) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_2 = rgnn.torch "aten.slice.Tensor"(%concat_types) [#rgnn.operand<0>, 1, 32, 48, 1] : (tensor<?x48xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_2 = rgnn.torch "aten.view"(%slice_2) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %hetero_edges:2 = rgnn.torch "rgnn.hetero_edges"(%edge_index_dict_paper_cites_paper, %edge_index_dict_author_writes_paper, %edge_index_dict_paper_rev_writes_author, %sym_size_int, %sym_size_int_1) [[#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>], [0, 1, 0], [0, 0, 1], [#rgnn.operand<3>, #rgnn.operand<4>]] : (tensor<2x?xi64>, tensor<2x?xi64>, tensor<2x?xi64>, i64, i64) -> (tensor<2x?xi64>, tensor<?xi64>) loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %select = rgnn.torch "aten.select.int"(%hetero_edges#0) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %select_1 = rgnn.torch "aten.select.int"(%hetero_edges#0) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_3 = rgnn.torch "aten.view"(%k_rel_weight) [#rgnn.operand<0>, [2, 3, 8, 8]] : (tensor<6x8x8xf32>) -> tensor<2x3x8x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %transpose = rgnn.torch "aten.transpose.int"(%view_3) [#rgnn.operand<0>, 0, 1] : (tensor<2x3x8x8xf32>) -> tensor<3x2x8x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_4 = rgnn.torch "aten.view"(%v_rel_weight) [#rgnn.operand<0>, [2, 3, 8, 8]] : (tensor<6x8x8xf32>) -> tensor<2x3x8x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %transpose_1 = rgnn.torch "aten.transpose.int"(%view_4) [#rgnn.operand<0>, 0, 1] : (tensor<2x3x8x8xf32>) -> tensor<3x2x8x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select = rgnn.torch "aten.index_select"(%view, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x8xf32>, tensor<?xi64>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select, %hetero_edges#1, %transpose) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2x8xf32>, tensor<?xi64>, tensor<3x2x8x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_1 = rgnn.torch "aten.index_select"(%view_2, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x8xf32>, tensor<?xi64>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %typed_linear_1 = rgnn.torch "rgnn.typed_linear"(%index_select_1, %hetero_edges#1, %transpose_1) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2x8xf32>, tensor<?xi64>, tensor<3x2x8x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %cat = rgnn.torch "aten.cat"(%p_rel_paper__cites__paper, %p_rel_author__writes__paper, %p_rel_paper__rev_writes__author) [[#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>], 0] : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_2 = rgnn.torch "aten.index_select"(%cat, %hetero_edges#1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<3x2xf32>, tensor<?xi64>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_3 = rgnn.torch "aten.index_select"(%view_1, %select_1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x8xf32>, tensor<?xi64>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul = rgnn.torch "aten.mul.Tensor"(%index_select_3, %typed_linear) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x8xf32>, tensor<?x2x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sum = rgnn.torch "aten.sum.dim_IntList"(%mul) [#rgnn.operand<0>, [-1], false, unit] : (tensor<?x2x8xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_1 = rgnn.torch "aten.mul.Tensor"(%sum, %index_select_2) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %div = rgnn.torch "aten.div.Tensor"(%mul_1) [#rgnn.operand<0>, 2.8284271247461903 : f64] : (tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %edge_softmax = rgnn.torch "rgnn.edge_softmax"(%div, %select_1, %add) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2xf32>, tensor<?xi64>, i64) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_5 = rgnn.torch "aten.view"(%edge_softmax) [#rgnn.operand<0>, [-1, 2, 1]] : (tensor<?x2xf32>) -> tensor<?x2x1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_2 = rgnn.torch "aten.mul.Tensor"(%typed_linear_1, %view_5) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x8xf32>, tensor<?x2x1xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_6 = rgnn.torch "aten.view"(%mul_2) [#rgnn.operand<0>, [-1, 16]] : (tensor<?x2x8xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%view_6, %select_1, %add) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x16xf32>, tensor<?xi64>, i64) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_type = rgnn.torch "rgnn.slice_type"(%aggregate, %sym_size_int, %sym_size_int_1) [#rgnn.operand<0>, 0, [#rgnn.operand<1>, #rgnn.operand<2>]] : (tensor<?x16xf32>, i64, i64) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %gelu = rgnn.torch "aten.gelu"(%slice_type) [#rgnn.operand<0>, "none"] : (tensor<?x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_type_1 = rgnn.torch "rgnn.slice_type"(%aggregate, %sym_size_int, %sym_size_int_1) [#rgnn.operand<0>, 1, [#rgnn.operand<1>, #rgnn.operand<2>]] : (tensor<?x16xf32>, i64, i64) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %gelu_1 = rgnn.torch "aten.gelu"(%slice_type_1) [#rgnn.operand<0>, "none"] : (tensor<?x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_2 = rgnn.torch "aten.linear"(%gelu, %out_lin_lins_paper_weight, %out_lin_lins_paper_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_3 = rgnn.torch "aten.linear"(%gelu_1, %out_lin_lins_author_weight, %out_lin_lins_author_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sigmoid = rgnn.torch "aten.sigmoid"(%skip_paper) [#rgnn.operand<0>] : (tensor<1xf32>) -> tensor<1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_3 = rgnn.torch "aten.mul.Tensor"(%sigmoid, %linear_2) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<1xf32>, tensor<?x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %rsub = rgnn.torch "aten.rsub.Scalar"(%sigmoid) [#rgnn.operand<0>, 1, 1] : (tensor<1xf32>) -> tensor<1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_4 = rgnn.torch "aten.mul.Tensor"(%rsub, %x_dict_paper) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<1xf32>, tensor<?x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%mul_3, %mul_4) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    return %add_1, %linear_3 : tensor<?x16xf32>, tensor<?x16xf32>
  }
}

// -----

// CHECK: rgnn.schema @g0 node_types(2) edge_types(1) src_types([1]) dst_types([0])
// CHECK-LABEL: func.func @hgt_missing_edge_type(
//       CHECK: rgnn.slice {{.*}} dim 0 from 1 size 1
//       CHECK: rgnn.typed_linear
//       CHECK: rgnn.dot
module {
  func.func @hgt_missing_edge_type(%x_dict_paper: tensor<?x16xf32> {rgnn.input = "x_dict['paper']"},
                     %x_dict_author: tensor<?x12xf32> {rgnn.input = "x_dict['author']"},
                     %edge_index_dict_author_writes_paper: tensor<2x?xi64> {rgnn.input = "edge_index_dict['author', 'writes', 'paper']"},
                     %kqv_lin_lins_paper_weight: tensor<48x16xf32> {rgnn.param = "kqv_lin.lins.paper.weight"},
                     %kqv_lin_lins_paper_bias: tensor<48xf32> {rgnn.param = "kqv_lin.lins.paper.bias"},
                     %kqv_lin_lins_author_weight: tensor<48x12xf32> {rgnn.param = "kqv_lin.lins.author.weight"},
                     %kqv_lin_lins_author_bias: tensor<48xf32> {rgnn.param = "kqv_lin.lins.author.bias"},
                     %k_rel_weight: tensor<6x8x8xf32> {rgnn.param = "k_rel.weight"},
                     %v_rel_weight: tensor<6x8x8xf32> {rgnn.param = "v_rel.weight"},
                     %p_rel_author__writes__paper: tensor<1x2xf32> {rgnn.param = "p_rel.author__writes__paper"},
                     %out_lin_lins_paper_weight: tensor<16x16xf32> {rgnn.param = "out_lin.lins.paper.weight"},
                     %out_lin_lins_paper_bias: tensor<16xf32> {rgnn.param = "out_lin.lins.paper.bias"},
                     %out_lin_lins_author_weight: tensor<16x16xf32> {rgnn.param = "out_lin.lins.author.weight"},
                     %out_lin_lins_author_bias: tensor<16xf32> {rgnn.param = "out_lin.lins.author.bias"},
                     %skip_paper: tensor<1xf32> {rgnn.param = "skip.paper"},
                     %constant_0: tensor<1xi64> {rgnn.constant = 0, rgnn.value = dense<1> : tensor<1xi64>},
                     %constant_1: tensor<1xi64> {rgnn.constant = 1, rgnn.value = dense<1> : tensor<1xi64>}) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x_dict_paper) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sym_size_int_1 = rgnn.torch "aten.sym_size.int"(%x_dict_author) [#rgnn.operand<0>, 0] : (tensor<?x12xf32>) -> i64 loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear = rgnn.torch "aten.linear"(%x_dict_paper, %kqv_lin_lins_paper_weight, %kqv_lin_lins_paper_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<48x16xf32>, tensor<48xf32>) -> tensor<?x48xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_1 = rgnn.torch "aten.linear"(%x_dict_author, %kqv_lin_lins_author_weight, %kqv_lin_lins_author_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x12xf32>, tensor<48x12xf32>, tensor<48xf32>) -> tensor<?x48xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %concat_types = rgnn.torch "rgnn.concat_types"(%linear, %linear_1) [[#rgnn.operand<0>, #rgnn.operand<1>]] : (tensor<?x48xf32>, tensor<?x48xf32>) -> tensor<?x48xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %add = rgnn.torch "sym.add"(%sym_size_int, %sym_size_int_1) [#rgnn.operand<0>, #rgnn.operand<1>] : (i64, i64) -> i64 loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice = rgnn.torch "aten.slice.Tensor"(%concat_types) [#rgnn.operand<0>, 1, 0, 16, 1] : (tensor<?x48xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view = rgnn.torch "aten.view"(%slice) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_1 = rgnn.torch "aten.slice.Tensor"(%concat_types) [#rgnn.operand<0>, 1, 16, 32, 1] : (tensor<?x48xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_1 = rgnn.torch "aten.view"(%slice_1) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_2 = rgnn.torch "aten.slice.Tensor"(%concat_types) [#rgnn.operand<0>, 1, 32, 48, 1] : (tensor<?x48xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_2 = rgnn.torch "aten.view"(%slice_2) [#rgnn.operand<0>, [-1, 2, 8]] : (tensor<?x16xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %hetero_edges:2 = rgnn.torch "rgnn.hetero_edges"(%edge_index_dict_author_writes_paper, %sym_size_int, %sym_size_int_1) [[#rgnn.operand<0>], [1], [0], [#rgnn.operand<1>, #rgnn.operand<2>]] : (tensor<2x?xi64>, i64, i64) -> (tensor<2x?xi64>, tensor<?xi64>) loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %select = rgnn.torch "aten.select.int"(%hetero_edges#0) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %select_1 = rgnn.torch "aten.select.int"(%hetero_edges#0) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_3 = rgnn.torch "aten.view"(%k_rel_weight) [#rgnn.operand<0>, [2, 3, 8, 8]] : (tensor<6x8x8xf32>) -> tensor<2x3x8x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %transpose = rgnn.torch "aten.transpose.int"(%view_3) [#rgnn.operand<0>, 0, 1] : (tensor<2x3x8x8xf32>) -> tensor<3x2x8x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select = rgnn.torch "aten.index_select"(%transpose, %constant_0) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<3x2x8x8xf32>, tensor<1xi64>) -> tensor<1x2x8x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_4 = rgnn.torch "aten.view"(%v_rel_weight) [#rgnn.operand<0>, [2, 3, 8, 8]] : (tensor<6x8x8xf32>) -> tensor<2x3x8x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %transpose_1 = rgnn.torch "aten.transpose.int"(%view_4) [#rgnn.operand<0>, 0, 1] : (tensor<2x3x8x8xf32>) -> tensor<3x2x8x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_1 = rgnn.torch "aten.index_select"(%transpose_1, %constant_1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<3x2x8x8xf32>, tensor<1xi64>) -> tensor<1x2x8x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_2 = rgnn.torch "aten.index_select"(%view, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x8xf32>, tensor<?xi64>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select_2, %hetero_edges#1, %index_select) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2x8xf32>, tensor<?xi64>, tensor<1x2x8x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_3 = rgnn.torch "aten.index_select"(%view_2, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x8xf32>, tensor<?xi64>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %typed_linear_1 = rgnn.torch "rgnn.typed_linear"(%index_select_3, %hetero_edges#1, %index_select_1) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2x8xf32>, tensor<?xi64>, tensor<1x2x8x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %cat = rgnn.torch "aten.cat"(%p_rel_author__writes__paper) [[#rgnn.operand<0>], 0] : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_4 = rgnn.torch "aten.index_select"(%cat, %hetero_edges#1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<1x2xf32>, tensor<?xi64>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_5 = rgnn.torch "aten.index_select"(%view_1, %select_1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x8xf32>, tensor<?xi64>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul = rgnn.torch "aten.mul.Tensor"(%index_select_5, %typed_linear) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x8xf32>, tensor<?x2x8xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sum = rgnn.torch "aten.sum.dim_IntList"(%mul) [#rgnn.operand<0>, [-1], false, unit] : (tensor<?x2x8xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_1 = rgnn.torch "aten.mul.Tensor"(%sum, %index_select_4) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %div = rgnn.torch "aten.div.Tensor"(%mul_1) [#rgnn.operand<0>, 2.8284271247461903 : f64] : (tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %edge_softmax = rgnn.torch "rgnn.edge_softmax"(%div, %select_1, %add) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2xf32>, tensor<?xi64>, i64) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_5 = rgnn.torch "aten.view"(%edge_softmax) [#rgnn.operand<0>, [-1, 2, 1]] : (tensor<?x2xf32>) -> tensor<?x2x1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_2 = rgnn.torch "aten.mul.Tensor"(%typed_linear_1, %view_5) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x8xf32>, tensor<?x2x1xf32>) -> tensor<?x2x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_6 = rgnn.torch "aten.view"(%mul_2) [#rgnn.operand<0>, [-1, 16]] : (tensor<?x2x8xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%view_6, %select_1, %add) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x16xf32>, tensor<?xi64>, i64) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_type = rgnn.torch "rgnn.slice_type"(%aggregate, %sym_size_int, %sym_size_int_1) [#rgnn.operand<0>, 0, [#rgnn.operand<1>, #rgnn.operand<2>]] : (tensor<?x16xf32>, i64, i64) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %gelu = rgnn.torch "aten.gelu"(%slice_type) [#rgnn.operand<0>, "none"] : (tensor<?x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_type_1 = rgnn.torch "rgnn.slice_type"(%aggregate, %sym_size_int, %sym_size_int_1) [#rgnn.operand<0>, 1, [#rgnn.operand<1>, #rgnn.operand<2>]] : (tensor<?x16xf32>, i64, i64) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %gelu_1 = rgnn.torch "aten.gelu"(%slice_type_1) [#rgnn.operand<0>, "none"] : (tensor<?x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_2 = rgnn.torch "aten.linear"(%gelu, %out_lin_lins_paper_weight, %out_lin_lins_paper_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_3 = rgnn.torch "aten.linear"(%gelu_1, %out_lin_lins_author_weight, %out_lin_lins_author_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sigmoid = rgnn.torch "aten.sigmoid"(%skip_paper) [#rgnn.operand<0>] : (tensor<1xf32>) -> tensor<1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_3 = rgnn.torch "aten.mul.Tensor"(%sigmoid, %linear_2) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<1xf32>, tensor<?x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %rsub = rgnn.torch "aten.rsub.Scalar"(%sigmoid) [#rgnn.operand<0>, 1, 1] : (tensor<1xf32>) -> tensor<1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_4 = rgnn.torch "aten.mul.Tensor"(%rsub, %x_dict_paper) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<1xf32>, tensor<?x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%mul_3, %mul_4) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    return %add_1, %linear_3 : tensor<?x16xf32>, tensor<?x16xf32>
  }
}

// -----

// CHECK-LABEL: func.func @hgt_stack(
//       CHECK: rgnn.coo_graph
//       CHECK: rgnn.concat_types
//       CHECK: rgnn.dot
//       CHECK: rgnn.concat_types
//       CHECK: rgnn.dot
module {
  func.func @hgt_stack(%x_dict_paper: tensor<?x16xf32> {rgnn.input = "x_dict['paper']"},
                     %x_dict_author: tensor<?x12xf32> {rgnn.input = "x_dict['author']"},
                     %edge_index_dict_paper_cites_paper: tensor<2x?xi64> {rgnn.input = "edge_index_dict['paper', 'cites', 'paper']"},
                     %edge_index_dict_author_writes_paper: tensor<2x?xi64> {rgnn.input = "edge_index_dict['author', 'writes', 'paper']"},
                     %edge_index_dict_paper_rev_writes_author: tensor<2x?xi64> {rgnn.input = "edge_index_dict['paper', 'rev_writes', 'author']"},
                     %lin_paper_weight: tensor<8x16xf32> {rgnn.param = "lin.paper.weight"},
                     %lin_paper_bias: tensor<8xf32> {rgnn.param = "lin.paper.bias"},
                     %lin_author_weight: tensor<8x12xf32> {rgnn.param = "lin.author.weight"},
                     %lin_author_bias: tensor<8xf32> {rgnn.param = "lin.author.bias"},
                     %convs_0_kqv_lin_lins_paper_weight: tensor<24x8xf32> {rgnn.param = "convs.0.kqv_lin.lins.paper.weight"},
                     %convs_0_kqv_lin_lins_paper_bias: tensor<24xf32> {rgnn.param = "convs.0.kqv_lin.lins.paper.bias"},
                     %convs_0_kqv_lin_lins_author_weight: tensor<24x8xf32> {rgnn.param = "convs.0.kqv_lin.lins.author.weight"},
                     %convs_0_kqv_lin_lins_author_bias: tensor<24xf32> {rgnn.param = "convs.0.kqv_lin.lins.author.bias"},
                     %convs_0_k_rel_weight: tensor<6x4x4xf32> {rgnn.param = "convs.0.k_rel.weight"},
                     %convs_0_v_rel_weight: tensor<6x4x4xf32> {rgnn.param = "convs.0.v_rel.weight"},
                     %convs_0_p_rel_paper__cites__paper: tensor<1x2xf32> {rgnn.param = "convs.0.p_rel.paper__cites__paper"},
                     %convs_0_p_rel_author__writes__paper: tensor<1x2xf32> {rgnn.param = "convs.0.p_rel.author__writes__paper"},
                     %convs_0_p_rel_paper__rev_writes__author: tensor<1x2xf32> {rgnn.param = "convs.0.p_rel.paper__rev_writes__author"},
                     %convs_0_out_lin_lins_paper_weight: tensor<8x8xf32> {rgnn.param = "convs.0.out_lin.lins.paper.weight"},
                     %convs_0_out_lin_lins_paper_bias: tensor<8xf32> {rgnn.param = "convs.0.out_lin.lins.paper.bias"},
                     %convs_0_out_lin_lins_author_weight: tensor<8x8xf32> {rgnn.param = "convs.0.out_lin.lins.author.weight"},
                     %convs_0_out_lin_lins_author_bias: tensor<8xf32> {rgnn.param = "convs.0.out_lin.lins.author.bias"},
                     %convs_0_skip_paper: tensor<1xf32> {rgnn.param = "convs.0.skip.paper"},
                     %convs_0_skip_author: tensor<1xf32> {rgnn.param = "convs.0.skip.author"},
                     %convs_1_kqv_lin_lins_paper_weight: tensor<24x8xf32> {rgnn.param = "convs.1.kqv_lin.lins.paper.weight"},
                     %convs_1_kqv_lin_lins_paper_bias: tensor<24xf32> {rgnn.param = "convs.1.kqv_lin.lins.paper.bias"},
                     %convs_1_kqv_lin_lins_author_weight: tensor<24x8xf32> {rgnn.param = "convs.1.kqv_lin.lins.author.weight"},
                     %convs_1_kqv_lin_lins_author_bias: tensor<24xf32> {rgnn.param = "convs.1.kqv_lin.lins.author.bias"},
                     %convs_1_k_rel_weight: tensor<6x4x4xf32> {rgnn.param = "convs.1.k_rel.weight"},
                     %convs_1_v_rel_weight: tensor<6x4x4xf32> {rgnn.param = "convs.1.v_rel.weight"},
                     %convs_1_p_rel_paper__cites__paper: tensor<1x2xf32> {rgnn.param = "convs.1.p_rel.paper__cites__paper"},
                     %convs_1_p_rel_author__writes__paper: tensor<1x2xf32> {rgnn.param = "convs.1.p_rel.author__writes__paper"},
                     %convs_1_p_rel_paper__rev_writes__author: tensor<1x2xf32> {rgnn.param = "convs.1.p_rel.paper__rev_writes__author"},
                     %convs_1_out_lin_lins_author_weight: tensor<8x8xf32> {rgnn.param = "convs.1.out_lin.lins.author.weight"},
                     %convs_1_out_lin_lins_author_bias: tensor<8xf32> {rgnn.param = "convs.1.out_lin.lins.author.bias"},
                     %convs_1_skip_author: tensor<1xf32> {rgnn.param = "convs.1.skip.author"},
                     %out_weight: tensor<4x8xf32> {rgnn.param = "out.weight"},
                     %out_bias: tensor<4xf32> {rgnn.param = "out.bias"}) -> tensor<?x4xf32> {
    %sym_size_int = rgnn.torch "aten.sym_size.int"(%x_dict_paper) [#rgnn.operand<0>, 0] : (tensor<?x16xf32>) -> i64 loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sym_size_int_1 = rgnn.torch "aten.sym_size.int"(%x_dict_author) [#rgnn.operand<0>, 0] : (tensor<?x12xf32>) -> i64 loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear = rgnn.torch "aten.linear"(%x_dict_paper, %lin_paper_weight, %lin_paper_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x16xf32>, tensor<8x16xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("gen.py":22:0)
    %relu = rgnn.torch "aten.relu"(%linear) [#rgnn.operand<0>] : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("gen.py":22:0)
    %linear_1 = rgnn.torch "aten.linear"(%x_dict_author, %lin_author_weight, %lin_author_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x12xf32>, tensor<8x12xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("gen.py":22:0)
    %relu_1 = rgnn.torch "aten.relu"(%linear_1) [#rgnn.operand<0>] : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("gen.py":22:0)
    %linear_2 = rgnn.torch "aten.linear"(%relu, %convs_0_kqv_lin_lins_paper_weight, %convs_0_kqv_lin_lins_paper_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x8xf32>, tensor<24x8xf32>, tensor<24xf32>) -> tensor<?x24xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_3 = rgnn.torch "aten.linear"(%relu_1, %convs_0_kqv_lin_lins_author_weight, %convs_0_kqv_lin_lins_author_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x8xf32>, tensor<24x8xf32>, tensor<24xf32>) -> tensor<?x24xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %concat_types = rgnn.torch "rgnn.concat_types"(%linear_2, %linear_3) [[#rgnn.operand<0>, #rgnn.operand<1>]] : (tensor<?x24xf32>, tensor<?x24xf32>) -> tensor<?x24xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %add = rgnn.torch "sym.add"(%sym_size_int, %sym_size_int_1) [#rgnn.operand<0>, #rgnn.operand<1>] : (i64, i64) -> i64 loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice = rgnn.torch "aten.slice.Tensor"(%concat_types) [#rgnn.operand<0>, 1, 0, 8, 1] : (tensor<?x24xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view = rgnn.torch "aten.view"(%slice) [#rgnn.operand<0>, [-1, 2, 4]] : (tensor<?x8xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_1 = rgnn.torch "aten.slice.Tensor"(%concat_types) [#rgnn.operand<0>, 1, 8, 16, 1] : (tensor<?x24xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_1 = rgnn.torch "aten.view"(%slice_1) [#rgnn.operand<0>, [-1, 2, 4]] : (tensor<?x8xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_2 = rgnn.torch "aten.slice.Tensor"(%concat_types) [#rgnn.operand<0>, 1, 16, 24, 1] : (tensor<?x24xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_2 = rgnn.torch "aten.view"(%slice_2) [#rgnn.operand<0>, [-1, 2, 4]] : (tensor<?x8xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %hetero_edges:2 = rgnn.torch "rgnn.hetero_edges"(%edge_index_dict_paper_cites_paper, %edge_index_dict_author_writes_paper, %edge_index_dict_paper_rev_writes_author, %sym_size_int, %sym_size_int_1) [[#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>], [0, 1, 0], [0, 0, 1], [#rgnn.operand<3>, #rgnn.operand<4>]] : (tensor<2x?xi64>, tensor<2x?xi64>, tensor<2x?xi64>, i64, i64) -> (tensor<2x?xi64>, tensor<?xi64>) loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %select = rgnn.torch "aten.select.int"(%hetero_edges#0) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %select_1 = rgnn.torch "aten.select.int"(%hetero_edges#0) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_3 = rgnn.torch "aten.view"(%convs_0_k_rel_weight) [#rgnn.operand<0>, [2, 3, 4, 4]] : (tensor<6x4x4xf32>) -> tensor<2x3x4x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %transpose = rgnn.torch "aten.transpose.int"(%view_3) [#rgnn.operand<0>, 0, 1] : (tensor<2x3x4x4xf32>) -> tensor<3x2x4x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_4 = rgnn.torch "aten.view"(%convs_0_v_rel_weight) [#rgnn.operand<0>, [2, 3, 4, 4]] : (tensor<6x4x4xf32>) -> tensor<2x3x4x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %transpose_1 = rgnn.torch "aten.transpose.int"(%view_4) [#rgnn.operand<0>, 0, 1] : (tensor<2x3x4x4xf32>) -> tensor<3x2x4x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select = rgnn.torch "aten.index_select"(%view, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x4xf32>, tensor<?xi64>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %typed_linear = rgnn.torch "rgnn.typed_linear"(%index_select, %hetero_edges#1, %transpose) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2x4xf32>, tensor<?xi64>, tensor<3x2x4x4xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_1 = rgnn.torch "aten.index_select"(%view_2, %select) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x4xf32>, tensor<?xi64>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %typed_linear_1 = rgnn.torch "rgnn.typed_linear"(%index_select_1, %hetero_edges#1, %transpose_1) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2x4xf32>, tensor<?xi64>, tensor<3x2x4x4xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %cat = rgnn.torch "aten.cat"(%convs_0_p_rel_paper__cites__paper, %convs_0_p_rel_author__writes__paper, %convs_0_p_rel_paper__rev_writes__author) [[#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>], 0] : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_2 = rgnn.torch "aten.index_select"(%cat, %hetero_edges#1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<3x2xf32>, tensor<?xi64>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_3 = rgnn.torch "aten.index_select"(%view_1, %select_1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x4xf32>, tensor<?xi64>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul = rgnn.torch "aten.mul.Tensor"(%index_select_3, %typed_linear) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x4xf32>, tensor<?x2x4xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sum = rgnn.torch "aten.sum.dim_IntList"(%mul) [#rgnn.operand<0>, [-1], false, unit] : (tensor<?x2x4xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_1 = rgnn.torch "aten.mul.Tensor"(%sum, %index_select_2) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %div = rgnn.torch "aten.div.Tensor"(%mul_1) [#rgnn.operand<0>, 2.0 : f64] : (tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %edge_softmax = rgnn.torch "rgnn.edge_softmax"(%div, %select_1, %add) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2xf32>, tensor<?xi64>, i64) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_5 = rgnn.torch "aten.view"(%edge_softmax) [#rgnn.operand<0>, [-1, 2, 1]] : (tensor<?x2xf32>) -> tensor<?x2x1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_2 = rgnn.torch "aten.mul.Tensor"(%typed_linear_1, %view_5) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x4xf32>, tensor<?x2x1xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_6 = rgnn.torch "aten.view"(%mul_2) [#rgnn.operand<0>, [-1, 8]] : (tensor<?x2x4xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %aggregate = rgnn.torch "rgnn.aggregate"(%view_6, %select_1, %add) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x8xf32>, tensor<?xi64>, i64) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_type = rgnn.torch "rgnn.slice_type"(%aggregate, %sym_size_int, %sym_size_int_1) [#rgnn.operand<0>, 0, [#rgnn.operand<1>, #rgnn.operand<2>]] : (tensor<?x8xf32>, i64, i64) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %gelu = rgnn.torch "aten.gelu"(%slice_type) [#rgnn.operand<0>, "none"] : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_type_1 = rgnn.torch "rgnn.slice_type"(%aggregate, %sym_size_int, %sym_size_int_1) [#rgnn.operand<0>, 1, [#rgnn.operand<1>, #rgnn.operand<2>]] : (tensor<?x8xf32>, i64, i64) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %gelu_1 = rgnn.torch "aten.gelu"(%slice_type_1) [#rgnn.operand<0>, "none"] : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_4 = rgnn.torch "aten.linear"(%gelu, %convs_0_out_lin_lins_paper_weight, %convs_0_out_lin_lins_paper_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_5 = rgnn.torch "aten.linear"(%gelu_1, %convs_0_out_lin_lins_author_weight, %convs_0_out_lin_lins_author_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sigmoid = rgnn.torch "aten.sigmoid"(%convs_0_skip_paper) [#rgnn.operand<0>] : (tensor<1xf32>) -> tensor<1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_3 = rgnn.torch "aten.mul.Tensor"(%sigmoid, %linear_4) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<1xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %rsub = rgnn.torch "aten.rsub.Scalar"(%sigmoid) [#rgnn.operand<0>, 1, 1] : (tensor<1xf32>) -> tensor<1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_4 = rgnn.torch "aten.mul.Tensor"(%rsub, %relu) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<1xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %add_1 = rgnn.torch "aten.add.Tensor"(%mul_3, %mul_4) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sigmoid_1 = rgnn.torch "aten.sigmoid"(%convs_0_skip_author) [#rgnn.operand<0>] : (tensor<1xf32>) -> tensor<1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_5 = rgnn.torch "aten.mul.Tensor"(%sigmoid_1, %linear_5) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<1xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %rsub_1 = rgnn.torch "aten.rsub.Scalar"(%sigmoid_1) [#rgnn.operand<0>, 1, 1] : (tensor<1xf32>) -> tensor<1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_6 = rgnn.torch "aten.mul.Tensor"(%rsub_1, %relu_1) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<1xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %add_2 = rgnn.torch "aten.add.Tensor"(%mul_5, %mul_6) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_6 = rgnn.torch "aten.linear"(%add_1, %convs_1_kqv_lin_lins_paper_weight, %convs_1_kqv_lin_lins_paper_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x8xf32>, tensor<24x8xf32>, tensor<24xf32>) -> tensor<?x24xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_7 = rgnn.torch "aten.linear"(%add_2, %convs_1_kqv_lin_lins_author_weight, %convs_1_kqv_lin_lins_author_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x8xf32>, tensor<24x8xf32>, tensor<24xf32>) -> tensor<?x24xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %concat_types_1 = rgnn.torch "rgnn.concat_types"(%linear_6, %linear_7) [[#rgnn.operand<0>, #rgnn.operand<1>]] : (tensor<?x24xf32>, tensor<?x24xf32>) -> tensor<?x24xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_3 = rgnn.torch "aten.slice.Tensor"(%concat_types_1) [#rgnn.operand<0>, 1, 0, 8, 1] : (tensor<?x24xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_7 = rgnn.torch "aten.view"(%slice_3) [#rgnn.operand<0>, [-1, 2, 4]] : (tensor<?x8xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_4 = rgnn.torch "aten.slice.Tensor"(%concat_types_1) [#rgnn.operand<0>, 1, 8, 16, 1] : (tensor<?x24xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_8 = rgnn.torch "aten.view"(%slice_4) [#rgnn.operand<0>, [-1, 2, 4]] : (tensor<?x8xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_5 = rgnn.torch "aten.slice.Tensor"(%concat_types_1) [#rgnn.operand<0>, 1, 16, 24, 1] : (tensor<?x24xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_9 = rgnn.torch "aten.view"(%slice_5) [#rgnn.operand<0>, [-1, 2, 4]] : (tensor<?x8xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %hetero_edges_1:2 = rgnn.torch "rgnn.hetero_edges"(%edge_index_dict_paper_cites_paper, %edge_index_dict_author_writes_paper, %edge_index_dict_paper_rev_writes_author, %sym_size_int, %sym_size_int_1) [[#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>], [0, 1, 0], [0, 0, 1], [#rgnn.operand<3>, #rgnn.operand<4>]] : (tensor<2x?xi64>, tensor<2x?xi64>, tensor<2x?xi64>, i64, i64) -> (tensor<2x?xi64>, tensor<?xi64>) loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %select_2 = rgnn.torch "aten.select.int"(%hetero_edges_1#0) [#rgnn.operand<0>, 0, 0] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %select_3 = rgnn.torch "aten.select.int"(%hetero_edges_1#0) [#rgnn.operand<0>, 0, 1] : (tensor<2x?xi64>) -> tensor<?xi64> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_10 = rgnn.torch "aten.view"(%convs_1_k_rel_weight) [#rgnn.operand<0>, [2, 3, 4, 4]] : (tensor<6x4x4xf32>) -> tensor<2x3x4x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %transpose_2 = rgnn.torch "aten.transpose.int"(%view_10) [#rgnn.operand<0>, 0, 1] : (tensor<2x3x4x4xf32>) -> tensor<3x2x4x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_11 = rgnn.torch "aten.view"(%convs_1_v_rel_weight) [#rgnn.operand<0>, [2, 3, 4, 4]] : (tensor<6x4x4xf32>) -> tensor<2x3x4x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %transpose_3 = rgnn.torch "aten.transpose.int"(%view_11) [#rgnn.operand<0>, 0, 1] : (tensor<2x3x4x4xf32>) -> tensor<3x2x4x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_4 = rgnn.torch "aten.index_select"(%view_7, %select_2) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x4xf32>, tensor<?xi64>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %typed_linear_2 = rgnn.torch "rgnn.typed_linear"(%index_select_4, %hetero_edges_1#1, %transpose_2) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2x4xf32>, tensor<?xi64>, tensor<3x2x4x4xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_5 = rgnn.torch "aten.index_select"(%view_9, %select_2) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x4xf32>, tensor<?xi64>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %typed_linear_3 = rgnn.torch "rgnn.typed_linear"(%index_select_5, %hetero_edges_1#1, %transpose_3) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2x4xf32>, tensor<?xi64>, tensor<3x2x4x4xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %cat_1 = rgnn.torch "aten.cat"(%convs_1_p_rel_paper__cites__paper, %convs_1_p_rel_author__writes__paper, %convs_1_p_rel_paper__rev_writes__author) [[#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>], 0] : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_6 = rgnn.torch "aten.index_select"(%cat_1, %hetero_edges_1#1) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<3x2xf32>, tensor<?xi64>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %index_select_7 = rgnn.torch "aten.index_select"(%view_8, %select_3) [#rgnn.operand<0>, 0, #rgnn.operand<1>] : (tensor<?x2x4xf32>, tensor<?xi64>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_7 = rgnn.torch "aten.mul.Tensor"(%index_select_7, %typed_linear_2) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x4xf32>, tensor<?x2x4xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sum_1 = rgnn.torch "aten.sum.dim_IntList"(%mul_7) [#rgnn.operand<0>, [-1], false, unit] : (tensor<?x2x4xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_8 = rgnn.torch "aten.mul.Tensor"(%sum_1, %index_select_6) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %div_1 = rgnn.torch "aten.div.Tensor"(%mul_8) [#rgnn.operand<0>, 2.0 : f64] : (tensor<?x2xf32>) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %edge_softmax_1 = rgnn.torch "rgnn.edge_softmax"(%div_1, %select_3, %add) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x2xf32>, tensor<?xi64>, i64) -> tensor<?x2xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_12 = rgnn.torch "aten.view"(%edge_softmax_1) [#rgnn.operand<0>, [-1, 2, 1]] : (tensor<?x2xf32>) -> tensor<?x2x1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_9 = rgnn.torch "aten.mul.Tensor"(%typed_linear_3, %view_12) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<?x2x4xf32>, tensor<?x2x1xf32>) -> tensor<?x2x4xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %view_13 = rgnn.torch "aten.view"(%mul_9) [#rgnn.operand<0>, [-1, 8]] : (tensor<?x2x4xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %aggregate_1 = rgnn.torch "rgnn.aggregate"(%view_13, %select_3, %add) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"] : (tensor<?x8xf32>, tensor<?xi64>, i64) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %slice_type_2 = rgnn.torch "rgnn.slice_type"(%aggregate_1, %sym_size_int, %sym_size_int_1) [#rgnn.operand<0>, 1, [#rgnn.operand<1>, #rgnn.operand<2>]] : (tensor<?x8xf32>, i64, i64) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %gelu_2 = rgnn.torch "aten.gelu"(%slice_type_2) [#rgnn.operand<0>, "none"] : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_8 = rgnn.torch "aten.linear"(%gelu_2, %convs_1_out_lin_lins_author_weight, %convs_1_out_lin_lins_author_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %sigmoid_2 = rgnn.torch "aten.sigmoid"(%convs_1_skip_author) [#rgnn.operand<0>] : (tensor<1xf32>) -> tensor<1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_10 = rgnn.torch "aten.mul.Tensor"(%sigmoid_2, %linear_8) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<1xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %rsub_2 = rgnn.torch "aten.rsub.Scalar"(%sigmoid_2) [#rgnn.operand<0>, 1, 1] : (tensor<1xf32>) -> tensor<1xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %mul_11 = rgnn.torch "aten.mul.Tensor"(%rsub_2, %add_2) [#rgnn.operand<0>, #rgnn.operand<1>] : (tensor<1xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %add_3 = rgnn.torch "aten.add.Tensor"(%mul_10, %mul_11) [#rgnn.operand<0>, #rgnn.operand<1>, 1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("torch_geometric/nn/conv/hgt_conv.py":156:0)
    %linear_9 = rgnn.torch "aten.linear"(%add_3, %out_weight, %out_bias) [#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>] : (tensor<?x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<?x4xf32> loc("gen.py":24:0)
    return %linear_9 : tensor<?x4xf32>
  }
}
