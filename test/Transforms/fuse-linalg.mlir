// RUN: rgnn-opt %s --pass-pipeline='builtin.module(func.func(rgnn-fuse-linalg))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
#repeated = affine_map<(d0, d1) -> (d0, 0)>

// The parts of a gradient, one of them transposed.
// CHECK-LABEL: func.func @parts
//       CHECK:   linalg.generic {{.*}} ins(%arg0, %arg1, %arg2 : {{.*}}) outs
//       CHECK:     arith.addf
//       CHECK:     arith.addf
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @parts(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#transposed, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// A factor of each row is divided once for the row, not for each element of it.
// CHECK-LABEL: func.func @repeated
//       CHECK:   linalg.generic
//       CHECK:     arith.divf
//       CHECK:   linalg.generic
//       CHECK:     arith.mulf
func.func @repeated(%a: tensor<4x1xf32>, %b: tensor<4x1xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = tensor.empty() : tensor<4x1xf32>
  %p = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4x1xf32>, tensor<4x1xf32>) outs(%o : tensor<4x1xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.divf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  %1 = linalg.generic {indexing_maps = [#repeated, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<4x1xf32>, tensor<4x4xf32>) outs(%p : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.mulf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// What is returned is computed in any case; what is added up, by a loop of its own.
// CHECK-LABEL: func.func @read_twice
// CHECK-COUNT-3: linalg.generic
func.func @read_twice(%a: tensor<4x4xf32>, %sum: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
  %o = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%x: f32, %z: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%x: f32, %z: f32):
    %s = arith.mulf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<4x4xf32>) outs(%sum : tensor<4xf32>) {
  ^bb0(%x: f32, %z: f32):
    %s = arith.addf %z, %x : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
}
