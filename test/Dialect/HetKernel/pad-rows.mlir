// RUN: rgnn-opt %s --hetkernel-pad-rows | FileCheck %s
// RUN: rgnn-opt %s --hetkernel-pad-rows=multiple=16 | FileCheck %s --check-prefix=WIDE
// RUN: rgnn-opt %s --hetkernel-pad-rows --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --hetkernel-choose-schedule --convert-hetkernel-to-scf \
// RUN:   | FileCheck %s --check-prefix=BUFFER
// RUN: not rgnn-opt %s --hetkernel-pad-rows=multiple=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: expected rows padded to a multiple of 1 to 1024, got 0

// What a kernel writes and another reads.
// CHECK-LABEL: func @temporary(
//  CHECK-SAME: %[[N:[a-z0-9]*]]: index
//       CHECK: %[[P:.*]] = tensor.empty(%[[N]]) : tensor<?x40xf32>
//       CHECK: %[[O:.*]] = tensor.extract_slice %[[P]][0, 0] [%[[N]], 33] [1, 1] : tensor<?x40xf32> to tensor<?x33xf32>
//       CHECK: %[[Y:.*]] = hetkernel.gemm {{.*}} outs(%[[O]] : tensor<?x33xf32>)
//       CHECK: hetkernel.row %[[Y]]
//        WIDE: tensor.empty(%{{.*}}) : tensor<?x48xf32>

// The layout is in the type of the buffer.
// BUFFER-LABEL: func @temporary(
//       BUFFER: memref.alloc(%{{.*}}) {{.*}} : memref<?x40xf32>
//       BUFFER: memref.subview %{{.*}} : memref<?x40xf32> to memref<?x33xf32, strided<[40, 1]>>
//       BUFFER: vector.load %{{.*}} : memref<?x33xf32, strided<[40, 1]>>, vector<33xf32>
func.func @temporary(%n: index, %x: tensor<?x8xf32>, %w: tensor<8x33xf32>) -> tensor<?x33xf32> {
  %o = tensor.empty(%n) : tensor<?x33xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x33xf32>) outs(%o : tensor<?x33xf32>) -> tensor<?x33xf32>
  %p = tensor.empty(%n) : tensor<?x33xf32>
  %z = hetkernel.traverse rows(%n) outs(%p : tensor<?x33xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x33xf32> -> vector<33xf32>
    hetkernel.yield %r : vector<33xf32>
  } -> tensor<?x33xf32>
  return %z : tensor<?x33xf32>
}

// Rows that leave the function are dense, as are rows that are a multiple already.
// CHECK-LABEL: func @stays(
//   CHECK-NOT: tensor.extract_slice
func.func @stays(%n: index, %x: tensor<?x8xf32>, %w: tensor<8x33xf32>, %v: tensor<33x8xf32>) -> (tensor<?x33xf32>, tensor<?x1xf32>) {
  %o = tensor.empty(%n) : tensor<?x33xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x33xf32>) outs(%o : tensor<?x33xf32>) -> tensor<?x33xf32>
  %p = tensor.empty(%n) : tensor<?x8xf32>
  %z = hetkernel.gemm x(%y : tensor<?x33xf32>) weight(%v : tensor<33x8xf32>) outs(%p : tensor<?x8xf32>) -> tensor<?x8xf32>
  %q = tensor.empty(%n) : tensor<?x1xf32>
  %s = hetkernel.traverse rows(%n) outs(%q : tensor<?x1xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %z[%i] : tensor<?x8xf32> -> vector<8xf32>
    %f = vector.extract_strided_slice %r {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    hetkernel.yield %f : vector<1xf32>
  } -> tensor<?x1xf32>
  return %y, %s : tensor<?x33xf32>, tensor<?x1xf32>
}
