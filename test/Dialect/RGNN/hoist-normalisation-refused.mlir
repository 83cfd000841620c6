// RUN: rgnn-opt %s --rgnn-hoist-normalisation --split-input-file --remarks-filter=".*" 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// CHECK-NOT: @forward_once
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0

// REMARK: [Missed] Once | Category:rgnn-hoist-normalisation | Function=forward | Remark="what the graph decides is computed in each call: the schema does not say how many edge types there are"
// CHECK-LABEL: func.func @forward(
//       CHECK:   math.rsqrt
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  %d = rgnn.degree dst in %g : tensor<?xf32, #node>
  %n = rgnn.map %d : (tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%a: f32):
    %i = math.rsqrt %a : f32
    rgnn.yield %i : f32
  }
  %y = rgnn.map %x, %n : (tensor<?xf32, #node>, tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    rgnn.yield %q : f32
  }
  return %y : tensor<?xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
#other = #rgnn.rows<node, @g1>
rgnn.schema @g0 edge_types(1)
rgnn.schema @g1 edge_types(1)

// REMARK: [Missed] Once | Category:rgnn-hoist-normalisation | Function=forward | Remark="what the graph decides is computed in each call: there is not one graph"
// CHECK-LABEL: func.func @forward(
//       CHECK:   math.rsqrt
func.func @forward(%g: !rgnn.graph<@g0>, %h: !rgnn.graph<@g1>, %x: tensor<?xf32, #node>, %z: tensor<?xf32, #other>) -> (tensor<?xf32, #node>, tensor<?xf32, #other>) {
  %d = rgnn.degree dst in %g : tensor<?xf32, #node>
  %n = rgnn.map %d : (tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%a: f32):
    %i = math.rsqrt %a : f32
    rgnn.yield %i : f32
  }
  %y = rgnn.map %x, %n : (tensor<?xf32, #node>, tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    rgnn.yield %q : f32
  }
  %u = rgnn.gather src %z in %h : tensor<?xf32, #other>
  %s = rgnn.reduce sum dst %u in %h : tensor<?xf32, #rgnn.rows<edge, @g1>>
  return %y, %s : tensor<?xf32, #node>, tensor<?xf32, #other>
}
