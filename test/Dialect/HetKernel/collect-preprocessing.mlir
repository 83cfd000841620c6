// RUN: rgnn-opt %s --hetkernel-collect-preprocessing --split-input-file --verify-diagnostics | FileCheck %s

rgnn.schema @g0 edge_types(3)

// Sizes come first, then views, each once; what only made the graph is no argument any more.

// CHECK: rgnn.manifest = "{
// CHECK-SAME: \22graphs\22:[{\22dst_type\22:[],\22edge_index\22:[1],\22edge_type\22:2,\22num_edge_types\22:3,\22num_nodes\22:[{\22dim\22:0,\22input\22:0}]
// CHECK-SAME: \22shape\22:[2,-1],\22used\22:false
// CHECK-SAME: \22outputs\22:[{\22dtype\22:\22float32\22,\22shape\22:[{\22graph\22:0,\22of\22:\22node\22},8]}]
// CHECK-SAME: \22sizes\22:[{\22graph\22:0,\22of\22:\22node\22}]
// CHECK-SAME: \22views\22:[{\22graph\22:0,\22kind\22:\22dst_offsets\22,\22param\22:0},{\22graph\22:0,\22kind\22:\22src_of_edge\22,\22param\22:0}]
// CHECK-NOT: rgnn.schema
// CHECK: func.func @forward(%[[N:.*]]: index {rgnn.size}, %[[OFFSETS:.*]]: tensor<?xi32> {rgnn.view}, %[[SRC:.*]]: tensor<?xi32> {rgnn.view}, %[[X:.*]]: tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK-NOT: rgnn.coo_graph
// CHECK: hetkernel.traverse rows(%[[N]]) segments(%[[OFFSETS]]
// CHECK: hetkernel.lookup %[[SRC]]
func.func @forward(%x: tensor<?x8xf32>, %ei: tensor<2x?xi64>, %et: tensor<?xi64>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) types(%et : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %size = hetkernel.size node of %g : !rgnn.graph<@g0>
  %again = hetkernel.size node of %g : !rgnn.graph<@g0>
  %offsets = hetkernel.view dst_offsets of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %src = hetkernel.view src_of_edge of %g : !rgnn.graph<@g0> -> tensor<?xi32>
  %out = tensor.empty(%again) : tensor<?x8xf32>
  %s = hetkernel.traverse rows(%size) segments(%offsets : tensor<?xi32>) outs(%out : tensor<?x8xf32>) {
  ^bb0(%i: index):
    %zero = arith.constant dense<0.0> : vector<8xf32>
    %sum = hetkernel.for_each %i init(%zero : vector<8xf32>) {
    ^bb0(%e: index, %acc: vector<8xf32>):
      %u = hetkernel.lookup %src[%e] : tensor<?xi32>
      %row = hetkernel.row %x[%u] : tensor<?x8xf32> -> vector<8xf32>
      %next = arith.addf %acc, %row : vector<8xf32>
      hetkernel.yield %next : vector<8xf32>
    } -> vector<8xf32>
    hetkernel.yield %sum : vector<8xf32>
  } -> tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}

// -----

// CHECK: func.func @forward(%[[X:.*]]: tensor<?x8xf32>)
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X]]) : tensor<?x8xf32>
// CHECK: return %[[X]], %[[COPY]]
func.func @forward(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  return %x, %x : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// A graph that the caller makes comes first, and is no input: %y is input 1.

// CHECK: \22graphs\22:[{\22dst_type\22:[1,0,1],\22edge_index\22:[],\22edge_type\22:-1,\22num_edge_types\22:3,\22num_nodes\22:[-1,-1],\22src_type\22:[0,1,1]},
// CHECK-SAME: {\22dst_type\22:[],\22edge_index\22:[2],\22edge_type\22:-1,\22num_edge_types\22:1,\22num_nodes\22:[{\22dim\22:0,\22input\22:1}],\22src_type\22:[]}]
// CHECK-SAME: \22sizes\22:[{\22graph\22:0,\22of\22:\22edge\22},{\22graph\22:1,\22of\22:\22node\22}]
// CHECK: func.func @forward(%{{.*}}: index {rgnn.size}, %{{.*}}: index {rgnn.size}, %{{.*}}: tensor<?x8xf32>) ->
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])
rgnn.schema @g1 edge_types(1)
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %ei: tensor<2x?xi64>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x8xf32>
  %h = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %edges = hetkernel.size edge of %g : !rgnn.graph<@g0>
  %nodes = hetkernel.size node of %h : !rgnn.graph<@g1>
  %a = tensor.empty(%edges) : tensor<?xf32>
  %b = tensor.empty(%nodes) : tensor<?xf32>
  return %x, %a, %b : tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

rgnn.schema @g0 node_types(2)
// expected-error @+1 {{expected a number of edge types in schema @g0}}
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

rgnn.schema @g0 edge_types(1)
// expected-error @+1 {{expected tensors and graphs as arguments, got 'index'}}
func.func @forward(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

rgnn.schema @g0 edge_types(1)
func.func @forward(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{expected graphs that are arguments, or made of the function's arguments by rgnn.coo_graph}}
  %g = rgnn.constant_graph src([0]) dst([0]) nodes([1]) : !rgnn.graph<@g0>
  return %x : tensor<?x8xf32>
}

// -----

// Tiles of two sizes are two views.

// CHECK: \22views\22:[{\22graph\22:0,\22kind\22:\22etype_tiles\22,\22param\22:96},{\22graph\22:0,\22kind\22:\22etype_tiles\22,\22param\22:1024}]
// CHECK: func.func @forward(%{{.*}}: index {rgnn.size}, %[[SMALL:[a-z0-9]+]]: tensor<?x3xi32> {rgnn.tile_rows = 96 : i64, rgnn.view}, %[[LARGE:[a-z0-9]+]]: tensor<?x3xi32> {rgnn.tile_rows = 1024 : i64, rgnn.view},
// CHECK: hetkernel.gemm {{.*}} tiles(%[[SMALL]] :
// CHECK: hetkernel.outer_sum {{.*}} tiles(%[[LARGE]] :
rgnn.schema @g0 edge_types(3)
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32>, %w: tensor<3x8x8xf32>) -> tensor<3x8x8xf32> {
  %small = hetkernel.view etype_tiles 96 of %g : !rgnn.graph<@g0> -> tensor<?x3xi32>
  %large = hetkernel.view etype_tiles 1024 of %g : !rgnn.graph<@g0> -> tensor<?x3xi32>
  %n = hetkernel.size edge of %g : !rgnn.graph<@g0>
  %0 = tensor.empty(%n) : tensor<?x8xf32>
  %y = hetkernel.gemm x(%x : tensor<?x8xf32>) weight(%w : tensor<3x8x8xf32>) tiles(%small : tensor<?x3xi32>) outs(%0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = tensor.empty() : tensor<3x8x8xf32>
  %s = hetkernel.outer_sum x(%x : tensor<?x8xf32>) y(%y : tensor<?x8xf32>) tiles(%large : tensor<?x3xi32>) outs(%1 : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  return %s : tensor<3x8x8xf32>
}

// -----

// A result of one size for all calls has it in its type: the runtime passes the other sizes alone.

// CHECK: \22outputs\22:[{\22dtype\22:\22float32\22,\22shape\22:[1,8]}]
// CHECK: func.func @forward({{.*}}) -> tensor<1x8xf32>
//      CHECK: %[[ROW:.*]] = tensor.cast %{{.*}} : tensor<?x8xf32> to tensor<1x8xf32>
// CHECK-NEXT: return %[[ROW]]
func.func @forward() -> tensor<?x8xf32> {
  %x = arith.constant dense<1.0> : tensor<1x8xf32>
  %row = tensor.cast %x : tensor<1x8xf32> to tensor<?x8xf32>
  return %row : tensor<?x8xf32>
}

// -----

rgnn.schema @g0 node_types(2) edge_types(1)

// The rows of two tables are a graph's sources.

// CHECK: rgnn.manifest = "{
// CHECK-SAME: \22num_nodes\22:[{\22sum\22:[{\22dim\22:0,\22input\22:0},{\22dim\22:0,\22input\22:1}]},{\22dim\22:0,\22input\22:2}]
// CHECK-SAME: \22shape\22:[{\22sum\22:[{\22dim\22:0,\22input\22:0},{\22dim\22:0,\22input\22:1}]},8]
// CHECK-SAME: \22version\22:6
func.func @forward(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %z: tensor<?x8xf32>, %ei: tensor<2x?xi64>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %nx = tensor.dim %x, %c0 : tensor<?x8xf32>
  %ny = tensor.dim %y, %c0 : tensor<?x8xf32>
  %nz = tensor.dim %z, %c0 : tensor<?x8xf32>
  %sources = arith.addi %nx, %ny : index
  %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) nodes(%sources, %nz) : !rgnn.graph<@g0, bipartite>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%sources) : tensor<?x8xf32>
  %out = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %out : tensor<?x8xf32>
}
