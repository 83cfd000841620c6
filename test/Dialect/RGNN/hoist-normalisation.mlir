// RUN: rgnn-opt %s --rgnn-hoist-normalisation --split-input-file | FileCheck %s
// RUN: rgnn-opt %s --rgnn-hoist-normalisation --split-input-file --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-opt %s --rgnn-hoist-normalisation --split-input-file --verify-roundtrip -o /dev/null
// RUN: rgnn-translate %s --rgnn-check-compiled --split-input-file | FileCheck %s --check-prefix=COMPILED
// RUN: rgnn-translate %s --rgnn-check-compiled --split-input-file --seeds=4 --rgnn-to-cpu-options="adjacency=coo"
// RUN: rgnn-translate %s --rgnn-check-compiled --split-input-file --seeds=4 --rgnn-to-cpu-options="adjacency=csc"

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(1)

// COMPILED-COUNT-6: @forward: compiled code agrees
// The factors of a normalised adjacency matrix (GCN), which are moved to edges by what reads them.
// REMARK: [Passed] Once | Category:rgnn-hoist-normalisation | Function=forward | Remark="rgnn.map is computed once for each graph"
// REMARK: num-hoisted=1
// CHECK-LABEL: func.func private @forward_once(%arg0: !rgnn.graph<@g0>) -> tensor<?x1xf32, #{{.*}}> attributes {rgnn.once = "forward"}
//       CHECK:   %[[D:.*]] = rgnn.degree dst in %arg0
//       CHECK:   %[[R:.*]] = rgnn.reshape %[[D]]
//       CHECK:   %[[N:.*]] = rgnn.map %[[R]]
//       CHECK:     math.rsqrt
//       CHECK:   return %[[N]]
// CHECK-LABEL: func.func @forward(
//   CHECK-NOT:   rgnn.degree
//       CHECK:   %[[C:.*]] = call @forward_once(%arg0)
//       CHECK:   rgnn.gather src %[[C]]
//       CHECK:   rgnn.gather dst %[[C]]
//   CHECK-NOT:   math.rsqrt
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  %d = rgnn.degree dst in %g : tensor<?xf32, #node>
  %r = rgnn.reshape %d : tensor<?xf32, #node> -> tensor<?x1xf32, #node>
  %n = rgnn.map %r : (tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %c = arith.maximumf %a, %one : f32
    %i = math.rsqrt %c : f32
    rgnn.yield %i : f32
  }
  %u = rgnn.gather src %x in %g : tensor<?x8xf32, #node>
  %s = rgnn.gather src %n in %g : tensor<?x1xf32, #node>
  %t = rgnn.gather dst %n in %g : tensor<?x1xf32, #node>
  %m = rgnn.map %u, %s, %t : (tensor<?x8xf32, #edge>, tensor<?x1xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x8xf32, #edge> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %c : f32
    rgnn.yield %q : f32
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x8xf32, #edge>
  return %y : tensor<?x8xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// What is computed for edges, pairs and parts, of a graph that the function makes: one function gives all of it.
// REMARK: num-hoisted=2
// CHECK-LABEL: func.func private @forward_once(%arg0: !rgnn.graph<@g0>)
//       CHECK:   %[[S:.*]], %{{.*}} = rgnn.split_graph %arg0
//       CHECK:   rgnn.group_softmax dst
//       CHECK:   rgnn.degree dst_pair in %[[S]]
//       CHECK:   return %{{.*}}, %{{.*}} : tensor<?xf32, #{{.*}}>, tensor<?xf32, #{{.*}}>
// CHECK-LABEL: func.func @forward(
//       CHECK:   %[[G:.*]] = rgnn.coo_graph
//       CHECK:   %[[C:.*]]:2 = call @forward_once(%[[G]])
//       CHECK:   return
func.func @forward(%e: tensor<2x?xi64>, %t: tensor<?xi64>, %x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %g = rgnn.coo_graph edges(%e : tensor<2x?xi64>) types(%t : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %src, %dst = rgnn.split_graph %g : !rgnn.graph<@g0>
  %h = rgnn.place %x in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %d = rgnn.degree dst_pair in %g : tensor<?xf32, #dst_pair>
  %de = rgnn.gather dst_pair %d in %g : tensor<?xf32, #dst_pair>
  %a = rgnn.group_softmax dst %de in %g : tensor<?xf32, #edge>
  %u = rgnn.gather src %h in %g : tensor<?xf32, #node>
  %m = rgnn.map %u, %a : (tensor<?xf32, #edge>, tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
  ^bb0(%b: f32, %c: f32):
    %p = arith.mulf %b, %c : f32
    rgnn.yield %p : f32
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?xf32, #edge>
  %us = rgnn.gather src %h in %src : tensor<?xf32, #node> part src
  %ds = rgnn.degree dst_pair in %src : tensor<?xf32, #rgnn.rows<dst_pair, @g0 : src>>
  %des = rgnn.gather dst_pair %ds in %src : tensor<?xf32, #rgnn.rows<dst_pair, @g0 : src>>
  %ms = rgnn.map %us, %des : (tensor<?xf32, #rgnn.rows<edge, @g0 : src>>, tensor<?xf32, #rgnn.rows<edge, @g0 : src>>) -> tensor<?xf32, #rgnn.rows<edge, @g0 : src>> {
  ^bb0(%b: f32, %c: f32):
    %p = arith.divf %b, %c : f32
    rgnn.yield %p : f32
  }
  %ys = rgnn.reduce sum dst %ms in %src : tensor<?xf32, #rgnn.rows<edge, @g0 : src>>
  %z = rgnn.unplace %y : tensor<?xf32, #node>
  %zs = rgnn.unplace %ys : tensor<?xf32, #node>
  return %z, %zs : tensor<?xf32>, tensor<?xf32>
}

// -----

#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(1)

// A kernel finds a number of edges beside the row that it computes.
// REMARK-NOT: num-hoisted
// CHECK-LABEL: func.func @forward(
//       CHECK:   rgnn.degree
//   CHECK-NOT: @forward_once
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  %d = rgnn.degree dst in %g : tensor<?xf32, #node>
  %y = rgnn.map %x, %d : (tensor<?xf32, #node>, tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    rgnn.yield %q : f32
  }
  return %y : tensor<?xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(1)

// What is given to the caller is computed for him.
// REMARK: num-hoisted=1
// CHECK-LABEL: func.func private @forward_once(
// CHECK-LABEL: func.func @forward(
//   CHECK-DAG:   %[[C:.*]] = call @forward_once
//   CHECK-DAG:   %[[N:.*]] = rgnn.map %{{[0-9]+}} :
//       CHECK:   %[[Y:.*]] = rgnn.map %arg1, %[[C]]
//       CHECK:   return %[[Y]], %[[N]]
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?xf32, #node>) -> (tensor<?xf32, #node>, tensor<?xf32, #node>) {
  %d = rgnn.degree dst in %g : tensor<?xf32, #node>
  %n = rgnn.map %d : (tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%a: f32):
    %q = arith.mulf %a, %a : f32
    rgnn.yield %q : f32
  }
  %y = rgnn.map %x, %n : (tensor<?xf32, #node>, tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    rgnn.yield %q : f32
  }
  return %y, %n : tensor<?xf32, #node>, tensor<?xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// Through a slice, too; a function of that name is there already.
// REMARK: num-hoisted=1
// CHECK-LABEL: func.func private @forward_once_0(
// CHECK-LABEL: func.func @forward(
//       CHECK:   call @forward_once_0
func.func private @forward_once() -> tensor<f32> {
  %c = arith.constant dense<1.0> : tensor<f32>
  return %c : tensor<f32>
}
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>) -> (tensor<?x4xf32, #edge>, tensor<?x2xf32, #edge>) {
  %d = rgnn.degree src in %g : tensor<?xf32, #node>
  %r = rgnn.reshape %d : tensor<?xf32, #node> -> tensor<?x1xf32, #node>
  %u = rgnn.gather src %r in %g : tensor<?x1xf32, #node>
  %n = rgnn.map %u : (tensor<?x1xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    %q = math.sqrt %a : f32
    rgnn.yield %q : f32
  }
  %y = rgnn.map %x, %n : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    rgnn.yield %q : f32
  }
  %t = rgnn.slice %n dim 1 from 1 size 2 : tensor<?x4xf32, #edge>
  return %y, %t : tensor<?x4xf32, #edge>, tensor<?x2xf32, #edge>
}

// -----

#node = #rgnn.rows<node, @g0>
#ntype = #rgnn.rows<ntype, @g0>
rgnn.schema @g0 edge_types(3)

// Node types are those of the numbers of nodes that the graph is made of.
// CHECK-LABEL: func.func @forward(
//       CHECK:   rgnn.reduce max ntype
//   CHECK-NOT: @forward_once
func.func @forward(%e: tensor<2x?xi64>, %t: tensor<?xi64>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %g = rgnn.coo_graph edges(%e : tensor<2x?xi64>) types(%t : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %h = rgnn.place %x in %g : tensor<?xf32> -> tensor<?xf32, #node>
  %d = rgnn.degree dst in %g : tensor<?xf32, #node>
  %m = rgnn.reduce max ntype %d in %g : tensor<?xf32, #node>
  %u = rgnn.gather ntype %m in %g to node : tensor<?xf32, #ntype>
  %y = rgnn.map %h, %u : (tensor<?xf32, #node>, tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    rgnn.yield %q : f32
  }
  %z = rgnn.unplace %y : tensor<?xf32, #node>
  return %z : tensor<?xf32>
}
