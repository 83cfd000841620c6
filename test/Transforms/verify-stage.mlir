// RUN: split-file %s %t
// RUN: rgnn-opt %t/captured.mlir --rgnn-verify-stage=stage=captured --split-input-file --verify-diagnostics
// RUN: rgnn-opt %t/rgnn.mlir --rgnn-verify-stage=stage=rgnn --split-input-file --verify-diagnostics
// RUN: rgnn-opt %t/hetkernel.mlir --rgnn-verify-stage=stage=hetkernel --split-input-file --verify-diagnostics
// RUN: rgnn-opt %t/buffers.mlir --rgnn-verify-stage=stage=buffers --split-input-file --verify-diagnostics
// RUN: rgnn-opt %t/llvm.mlir --rgnn-verify-stage=stage=llvm --split-input-file --verify-diagnostics
// RUN: not rgnn-opt %t/llvm.mlir --rgnn-verify-stage=stage=gpu --split-input-file 2>&1 | FileCheck %s
// CHECK: expected captured, rgnn, hetkernel, buffers or llvm as stage, got 'gpu'

//--- captured.mlir

func.func @good(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rgnn.torch "aten.relu"(%x) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @kernel(%n: index, %o: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'hetkernel.traverse' op is not allowed at stage captured}}
  %0 = hetkernel.traverse rows(%n) outs(%o : tensor<?xf32>) {
  ^bb0(%i: index):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{'hetkernel.yield' op is not allowed at stage captured}}
    hetkernel.yield %zero : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected no buffers at stage captured, got 'memref<4xf32>'}}
func.func @buffer(%x: memref<4xf32>) {
  return
}

//--- rgnn.mlir

rgnn.schema @g0
func.func @good(%x: tensor<?x4xf32, #rgnn.rows<node, @g0>>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>> {
  %0 = rgnn.softmax %x : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return %0 : tensor<?x4xf32, #rgnn.rows<node, @g0>>
}

// A plan for PyTorch: captured operators, and calls of what is compiled.
func.func private @region(tensor<?x4xf32>) -> tensor<?x4xf32>
func.func @plan(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rgnn.torch "aten.cumsum"(%x) [#rgnn.operand<0>, 0, unit] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = call @region(%0) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

func.func @left_over(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'rgnn.torch' op cannot be lowered: at stage rgnn it may only stand in a plan for PyTorch}}
  %0 = rgnn.torch "aten.cumsum"(%x) [#rgnn.operand<0>, 0, unit] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = rgnn.softmax %0 : tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

func.func @vector(%x: f32) {
  // expected-error @+1 {{'vector.broadcast' op is not allowed at stage rgnn}}
  %0 = vector.broadcast %x : f32 to vector<4xf32>
  return
}

//--- hetkernel.mlir

rgnn.schema @g0
func.func @good(%ei: tensor<2x?xi64>, %n: index, %x: tensor<?x6xf32>, %w: tensor<6x8xf32>) -> tensor<?x8xf32> {
  %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %s = hetkernel.view src_of_edge of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %e = hetkernel.size edge of %g : !rgnn.graph<@g0>
  %o = tensor.empty(%e) : tensor<?x8xf32>
  %y = hetkernel.gemm x(%x gather %s : tensor<?x6xf32>, tensor<?xi32>) weight(%w : tensor<6x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

rgnn.schema @g0
// expected-error @+1 {{'func.func' op expected no rows on a domain at stage hetkernel, got 'tensor<?x4xf32, #rgnn.rows<node, @g0>>'}}
func.func private @rows(tensor<?x4xf32, #rgnn.rows<node, @g0>>)

// -----

func.func @mathematics(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'rgnn.softmax' op is not allowed at stage hetkernel}}
  %0 = rgnn.softmax %x : tensor<?x4xf32>
  return
}

// -----

// expected-error @+1 {{'func.func' op expected no buffers at stage hetkernel, got 'memref<4xf32>'}}
func.func private @buffer(memref<4xf32>)

//--- buffers.mlir

func.func @good(%x: memref<?x6xf32>, %w: memref<6x8xf32>, %o: memref<?x8xf32>) {
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x8xf32>) outs(%o : memref<?x8xf32>)
  return
}

// -----

// expected-error @+1 {{'func.func' op expected no tensors at stage buffers, got 'tensor<4xf32>'}}
func.func private @tensor(tensor<4xf32>)

// -----

rgnn.schema @g0
// expected-error @+1 {{'func.func' op expected no graphs at stage buffers, got '!rgnn.graph<@g0>'}}
func.func @graph(%g: !rgnn.graph<@g0>) {
  // expected-error @+1 {{'hetkernel.size' op is not allowed at stage buffers}}
  %0 = hetkernel.size edge of %g : !rgnn.graph<@g0>
  return
}

//--- llvm.mlir

llvm.func @good(%x: f32) -> f32 {
  %0 = llvm.fadd %x, %x : f32
  llvm.return %0 : f32
}

// -----

llvm.func @cast(%x: i64) {
  // expected-error @+1 {{'builtin.unrealized_conversion_cast' op is not allowed at stage llvm}}
  %0 = builtin.unrealized_conversion_cast %x : i64 to index
  llvm.return
}

// -----

// expected-error @+1 {{'func.func' op is not allowed at stage llvm}}
func.func private @function()
