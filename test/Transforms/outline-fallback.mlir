// RUN: rgnn-opt %s --rgnn-outline-fallback --split-input-file | FileCheck %s
// RUN: rgnn-opt %s --rgnn-outline-fallback --split-input-file --remarks-filter-analyse=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS

// COUNTS: Counts | Category:rgnn-outline-fallback | Function=forward | num-regions=2

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(1)

// Two regions around one captured operator. Each makes the graph for itself; the sum crosses over as a plain tensor.

// CHECK-LABEL: func private @forward_region_0
// CHECK:         rgnn.coo_graph
// CHECK:         rgnn.reduce sum dst
// CHECK:         return %{{.*}} : tensor<?x8xf32>
// CHECK-LABEL: func private @forward_region_1
// CHECK:         rgnn.coo_graph
// CHECK:         rgnn.degree dst
// CHECK:         rgnn.reduce max dst
// CHECK-LABEL: func @forward(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf32>, %[[E:.*]]: tensor<2x?xi64>)
// CHECK-NEXT:    %[[A:.*]] = call @forward_region_0(%[[X]], %[[E]])
// CHECK-NEXT:    %[[B:.*]] = rgnn.torch "aten.cumsum"(%[[A]])
// CHECK-NEXT:    %[[C:.*]] = call @forward_region_1(
// CHECK-NEXT:    return %[[C]]
func.func @forward(%x: tensor<?x8xf32>, %ei: tensor<2x?xi64>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %h = rgnn.place %x in %g : tensor<?x8xf32> -> tensor<?x8xf32, #node>
  // Only the second region reads degrees, so that they are made there.
  %d = rgnn.degree dst in %g : tensor<?xf32, #node>
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x8xf32, #edge>
  %p = rgnn.unplace %s : tensor<?x8xf32, #node>
  %c = rgnn.torch "aten.cumsum"(%p) [#rgnn.operand<0>, 1, unit] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %q = rgnn.place %c in %g : tensor<?x8xf32> -> tensor<?x8xf32, #node>
  %v = rgnn.gather src %q in %g : tensor<?x8xf32, #node>
  %t = rgnn.reduce max dst %v in %g : tensor<?x8xf32, #edge>
  %dr = rgnn.reshape %d : tensor<?xf32, #node> -> tensor<?x1xf32, #node>
  %m = rgnn.map %t, %dr : (tensor<?x8xf32, #node>, tensor<?x1xf32, #node>) -> tensor<?x8xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.divf %a, %b : f32
    rgnn.yield %r : f32
  }
  %y = rgnn.unplace %m : tensor<?x8xf32, #node>
  return %y : tensor<?x8xf32>
}

// -----

// The last operator is PyTorch's, and what the only region makes is returned too.

// CHECK-LABEL: func.func private @forward_region_0(
//       CHECK:   return %{{.*}}, %{{.*}} :
// CHECK-LABEL: func @forward(
//       CHECK:   %[[R:.*]]:2 = call @forward_region_0
//       CHECK:   %[[C:.*]] = rgnn.torch "aten.cumsum"(%[[R]]#{{[01]}})
//       CHECK:   return %[[C]], %[[R]]#{{[01]}}
func.func @forward(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %h = rgnn.map %x : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    rgnn.yield %r : f32
  }
  %c = rgnn.torch "aten.cumsum"(%h) [#rgnn.operand<0>, 0, unit] : (tensor<8xf32>) -> tensor<8xf32>
  %y = rgnn.map %h : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    rgnn.yield %r : f32
  }
  return %c, %y : tensor<8xf32>, tensor<8xf32>
}

// -----

// All of it can be compiled: nothing changes.

// CHECK-LABEL: func @forward(
// CHECK-NEXT:    rgnn.map
// CHECK-NEXT:    ^bb0
// CHECK-NOT:   call
func.func @forward(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = rgnn.map %x : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    rgnn.yield %r : f32
  }
  return %y : tensor<8xf32>
}

// -----

#node = #rgnn.rows<node, @g0>
#other = #rgnn.rows<node, @g1>
rgnn.schema @g0 edge_types(1)
rgnn.schema @g1 edge_types(1)

// Rows are placed on their graph again where they are but returned. Its number of nodes, a sum, is computed there, too.

// CHECK-LABEL: func private @forward_region_0
// CHECK:         rgnn.degree
// CHECK-LABEL: func private @forward_region_1
// CHECK:         %[[N:.*]] = arith.addi
// CHECK:         %[[G:.*]] = rgnn.coo_graph {{.*}} nodes(%[[N]])
// CHECK:         rgnn.place %{{.*}} in %[[G]]
// CHECK-LABEL: func @forward(
// CHECK-NEXT:    call @forward_region_0(
// CHECK-NEXT:    rgnn.torch "aten.cumsum"
// CHECK-NEXT:    call @forward_region_1(
func.func @forward(%x: tensor<?xf32>, %z: tensor<?xf32>, %ei: tensor<2x?xi64>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %z, %c0 : tensor<?xf32>
  %k = arith.addi %n, %m : index
  %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) nodes(%k) : !rgnn.graph<@g0>
  %d = rgnn.degree dst in %g : tensor<?xf32, #node>
  %p = rgnn.unplace %d : tensor<?xf32, #node>
  %c = rgnn.torch "aten.cumsum"(%p) [#rgnn.operand<0>, 0, unit] : (tensor<?xf32>) -> tensor<?xf32>
  %f = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %y = rgnn.place %c in %f : tensor<?xf32> -> tensor<?xf32, #other>
  %w = rgnn.map %y : (tensor<?xf32, #other>) -> tensor<?xf32, #other> {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    rgnn.yield %r : f32
  }
  %o = rgnn.unplace %w : tensor<?xf32, #other>
  %q = rgnn.unplace %d : tensor<?xf32, #node>
  return %q, %o : tensor<?xf32>, tensor<?xf32>
}
