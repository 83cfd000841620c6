// RUN: rgnn-translate --rgnn-interpret --random-graph=0 %s | FileCheck %s
// RUN: rgnn-translate --rgnn-interpret --random-graph=0 %s > %t.0
// RUN: rgnn-translate --rgnn-interpret --random-graph=0 %s | diff %t.0 -
// RUN: rgnn-translate --rgnn-interpret --random-graph=3 --entry=count %s | FileCheck %s --check-prefix=EMPTY
// RUN: rgnn-translate --rgnn-interpret --random-graph=2 --entry=count %s | FileCheck %s --check-prefix=ONE
// RUN: rgnn-translate --rgnn-check-equivalent --against=%s --seeds=32 %s | FileCheck %s --check-prefix=EQUAL

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 node_types(3) edge_types(4) src_types([0, 1, 2, 0]) dst_types([1, 0, 2, 0])

// CHECK-LABEL: @layer
//  CHECK-NEXT: result 0: {{[0-9]+}}x2
// EQUAL: @layer: equivalent on 32 seeds
func.func @layer(%g: !rgnn.graph<@g0>, %h: tensor<?x4xf32, #node>, %w: tensor<4x4x2xf32>, %b: tensor<?x2xf32>) -> tensor<?x2xf32, #node> {
  %u = rgnn.gather src %h in %g : tensor<?x4xf32, #node>
  %m = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf32, #edge>, tensor<4x4x2xf32>
  %a = rgnn.group_softmax dst_pair %m in %g : tensor<?x2xf32, #edge>
  %s = rgnn.reduce mean dst %a in %g : tensor<?x2xf32, #edge>
  %r = rgnn.place %b in %g : tensor<?x2xf32> -> tensor<?x2xf32, #node>
  %y = rgnn.map %s, %r : (tensor<?x2xf32, #node>, tensor<?x2xf32, #node>) -> tensor<?x2xf32, #node> {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    rgnn.yield %2 : f32
  }
  return %y : tensor<?x2xf32, #node>
}

// Without edges every degree is zero; a graph of one node has one row.
// EMPTY: result 0: 4
// EMPTY-NEXT: {{^}}0{{$}}
// EMPTY-NEXT: {{^}}0{{$}}
// EMPTY-NEXT: {{^}}0{{$}}
// EMPTY-NEXT: {{^}}0{{$}}
// ONE: result 1: 1{{$}}
// EQUAL: @count: equivalent on 32 seeds
func.func @count(%g: !rgnn.graph<@g0>) -> (tensor<?xf32, #rgnn.rows<etype, @g0>>, tensor<?xf32, #node>) {
  %t = rgnn.degree etype in %g : tensor<?xf32, #rgnn.rows<etype, @g0>>
  %n = rgnn.degree dst in %g : tensor<?xf32, #node>
  return %t, %n : tensor<?xf32, #rgnn.rows<etype, @g0>>, tensor<?xf32, #node>
}

// Lists of edges are made up too, and fit the rows that are placed on their graph.
// CHECK-LABEL: @captured
//  CHECK-NEXT: result 0: {{[0-9]+}}x3
// EQUAL: @captured: equivalent on 32 seeds
func.func @captured(%x: tensor<?x3xf32>, %ei: tensor<2x?xi64>, %et: tensor<?xi64>, %n: index) -> tensor<?x3xf32> {
  %g = rgnn.coo_graph edges(%ei : tensor<2x?xi64>) types(%et : tensor<?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %h = rgnn.place %x in %g : tensor<?x3xf32> -> tensor<?x3xf32, #rgnn.rows<node, @g1>>
  %u = rgnn.gather src %h in %g : tensor<?x3xf32, #rgnn.rows<node, @g1>>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x3xf32, #rgnn.rows<edge, @g1>>
  %y = rgnn.unplace %s : tensor<?x3xf32, #rgnn.rows<node, @g1>>
  return %y : tensor<?x3xf32>
}

// EQUAL: @typed_lists: equivalent on 32 seeds
func.func @typed_lists(%a: tensor<2x?xi64>, %b: tensor<2x?xi64>, %c: tensor<2x?xi64>, %d: tensor<2x?xi64>, %n0: index, %n1: index, %n2: index) -> tensor<?xf32, #node> {
  %g = rgnn.coo_graph edges(%a, %b, %c, %d : tensor<2x?xi64>, tensor<2x?xi64>, tensor<2x?xi64>, tensor<2x?xi64>) nodes(%n0, %n1, %n2) : !rgnn.graph<@g0>
  %n = rgnn.degree dst in %g : tensor<?xf32, #node>
  return %n : tensor<?xf32, #node>
}

// A graph has as many nodes as the tables of its lookups.
// CHECK-LABEL: @embedding
//  CHECK-NEXT: result 0: 9x2
// EQUAL: @embedding: equivalent on 32 seeds
func.func @embedding(%g: !rgnn.graph<@g0>, %t: tensor<4x9x2xf32>) -> tensor<?x2xf32, #node> {
  %m = rgnn.lookup src %t in %g : (tensor<4x9x2xf32>) -> !rgnn.graph<@g0>
  %s = rgnn.reduce sum dst %m in %g : tensor<?x2xf32, #edge>
  return %s : tensor<?x2xf32, #node>
}
