// RUN: rgnn-opt %s --hetkernel-print-traffic="nodes=100" --split-input-file --verify-diagnostics

rgnn.schema @g0
func.func @edges(%x: tensor<?x8xf32> {rgnn.rows = #rgnn.rows<edge, @g0>}, %w: tensor<8x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'hetkernel.gemm' op expected sizes of a graph that are given}}
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<8x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @rows(%n: index, %x: tensor<?x8xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'hetkernel.traverse' op expected sizes of a graph that are given}}
  %y = hetkernel.traverse rows(%n) outs(%o : tensor<?x8xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %x[%i] : tensor<?x8xf32> -> vector<8xf32>
    hetkernel.yield %r : vector<8xf32>
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
