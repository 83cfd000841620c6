// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --test-print-launch-order -o /dev/null | FileCheck %s --match-full-lines

// The third reads what the first writes. A height is how many launches wait in a row; what a launch takes is two buffers
// and a weight, or two buffers, and their sizes.
// CHECK-LABEL: launches of @two_and_one
// CHECK-NEXT:  0: 128 threads, product, {{[0-9]+}} arguments, height 1
// CHECK-NEXT:  1: 128 threads, product, {{[0-9]+}} arguments, height 0, waits for 0
// CHECK-NEXT:  2: 128 threads, product, {{[0-9]+}} arguments, height 0
// CHECK-NEXT:  launch of 0, 2
// CHECK-NEXT:  launch of 1
func.func @two_and_one(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %w: memref<16x16xf32>, %a: memref<?x16xf32>, %b: memref<?x16xf32>,
                       %c: memref<?x16xf32>) {
  hetkernel.gemm x(%x : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%a : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  hetkernel.gemm x(%a : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%b : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  hetkernel.gemm x(%y : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%c : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  return
}

// What writes a buffer waits for what reads it. A copy does not run beside a product.
// CHECK-LABEL: launches of @write_after_read
// CHECK-NEXT:  0: 128 threads, product, {{[0-9]+}} arguments, height 1
// CHECK-NEXT:  1: 128 threads, {{[0-9]+}} arguments, height 0, waits for 0
// CHECK-NEXT:  launch of 0
// CHECK-NEXT:  launch of 1
func.func @write_after_read(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %w: memref<16x16xf32>, %a: memref<?x16xf32>) {
  hetkernel.gemm x(%x : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%a : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  memref.copy %y, %x : memref<?x16xf32> to memref<?x16xf32>
  return
}

// Two chains: a copy and a GEMM, and a GEMM, a copy and a GEMM. The copy of the first comes late, with that of the second.
// CHECK-LABEL: launches of @two_chains
// CHECK-NEXT:  0: 128 threads, {{[0-9]+}} arguments, height 1
// CHECK-NEXT:  1: 128 threads, product, {{[0-9]+}} arguments, height 0, waits for 0
// CHECK-NEXT:  2: 128 threads, product, {{[0-9]+}} arguments, height 2
// CHECK-NEXT:  3: 128 threads, {{[0-9]+}} arguments, height 1, waits for 2
// CHECK-NEXT:  4: 128 threads, product, {{[0-9]+}} arguments, height 0, waits for 3
// CHECK-NEXT:  launch of 2
// CHECK-NEXT:  launch of 0, 3
// CHECK-NEXT:  launch of 1, 4
func.func @two_chains(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %a: memref<?x16xf32>, %b: memref<?x16xf32>, %c: memref<?x16xf32>,
                      %d: memref<?x16xf32>, %e: memref<?x16xf32>) {
  memref.copy %x, %d : memref<?x16xf32> to memref<?x16xf32>
  hetkernel.gemm x(%d : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%e : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  hetkernel.gemm x(%x : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%a : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  memref.copy %a, %b : memref<?x16xf32> to memref<?x16xf32>
  hetkernel.gemm x(%b : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%c : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  return
}

// Columns of one buffer that lie apart do not meet; the last part meets both.
// CHECK-LABEL: launches of @parts
// CHECK-NEXT:  0: 128 threads, {{[0-9]+}} arguments, height 1
// CHECK-NEXT:  1: 128 threads, {{[0-9]+}} arguments, height 1
// CHECK-NEXT:  2: 128 threads, {{[0-9]+}} arguments, height 0, waits for 0, 1
// CHECK-NEXT:  launch of 0, 1
// CHECK-NEXT:  launch of 2
func.func @parts(%a: memref<4x2xf32>, %b: memref<4x3xf32>, %c: memref<4x2xf32>, %o: memref<4x8xf32>) {
  %0 = memref.subview %o[0, 0] [4, 2] [1, 1] : memref<4x8xf32> to memref<4x2xf32, strided<[8, 1]>>
  %1 = memref.subview %o[0, 2] [4, 3] [1, 1] : memref<4x8xf32> to memref<4x3xf32, strided<[8, 1], offset: 2>>
  %2 = memref.subview %o[0, 1] [4, 2] [1, 1] : memref<4x8xf32> to memref<4x2xf32, strided<[8, 1], offset: 1>>
  memref.copy %a, %0 : memref<4x2xf32> to memref<4x2xf32, strided<[8, 1]>>
  memref.copy %b, %1 : memref<4x3xf32> to memref<4x3xf32, strided<[8, 1], offset: 2>>
  memref.copy %c, %2 : memref<4x2xf32> to memref<4x2xf32, strided<[8, 1], offset: 1>>
  return
}

// What a callee does to memory is not known.
func.func private @callee()
// CHECK-LABEL: launches of @call
// CHECK-NEXT:  stay as they are
func.func @call(%a: memref<4xf32>, %b: memref<4xf32>) {
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  call @callee() : () -> ()
  return
}
