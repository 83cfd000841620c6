// RUN: rgnn-opt %s --hetkernel-collect-preprocessing -o %t
// RUN: FileCheck %s --check-prefix=KERNELS < %t
// RUN: rgnn-opt %t --hetkernel-choose-schedule --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:     --convert-hetkernel-to-scf \
// RUN:   | FileCheck %s --check-prefix=LOOPS

// What each kernel does is a sum of sizes with factors, and a constant: a row of x
// (8 x 4 bytes) and an entry of a list for each edge, and the weight once. The
// second kernel reads rows of an argument that no graph has; its line is one of this
// text, and none of a model. Loops keep the number of their kernel.

// KERNELS-DAG: \22kernels\22:[{\22dtype\22:\22float32\22,\22file\22:\22model.py\22,\22line\22:7,\22name\22:\22gemm\22,\22traffic\22:{\22buffers\22:[{{\[}}[32,0,0],[0,32,0]],{{\[}}[0,0,640],[0,0,640]],{{\[}}[4,0,0],[4,0,0]]],\22bytes_read\22:[32,0,640],\22bytes_written\22:[16,0,0],\22inner_rows\22:[0,0,0],\22operations\22:[64,0,0],\22rows\22:[1,0,0],\22sizes\22:[{\22graph\22:0,\22of\22:\22edge\22},{\22graph\22:0,\22of\22:\22node\22}]}}
// KERNELS-DAG: ,{\22dtype\22:\22float32\22,\22name\22:\22gemm\22,{{.*}}\22operations\22:[64,0],\22rows\22:[1,0],\22sizes\22:[{\22dim\22:0,\22input\22:3}]}}
// KERNELS-DAG: hetkernel.gemm {{.*}}rgnn.kernel = 0 : i64

//       LOOPS: scf.forall
//       LOOPS: {rgnn.kernel = 0 : i64}
//       LOOPS: scf.forall
//       LOOPS: {rgnn.kernel = 1 : i64}
rgnn.schema @g0 edge_types(5)
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32> {rgnn.rows = #rgnn.rows<node, @g0>}, %w: tensor<5x8x4xf32>,
                   %v: tensor<8x4xf32>, %y: tensor<?x8xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %e = hetkernel.size edge of %g : !rgnn.graph<@g0>
  %src = hetkernel.view etype_src of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %tiles = hetkernel.view etype_tiles 96 of %g : !rgnn.graph<@g0> -> tensor<?x3xi32>
  %m = tensor.empty(%e) : tensor<?x4xf32>
  %0 = hetkernel.gemm x(%x gather %src : tensor<?x8xf32>, tensor<?xi32>) weight(%w : tensor<5x8x4xf32>)
      tiles(%tiles : tensor<?x3xi32>) outs(%m : tensor<?x4xf32>) -> tensor<?x4xf32> loc("model.py":7:3)
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x8xf32>
  %o = tensor.empty(%n) : tensor<?x4xf32>
  %1 = hetkernel.gemm x(%y : tensor<?x8xf32>) weight(%v : tensor<8x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}
