// What a backward function needs of its forward: nothing for its shape alone, and, of what it reads bit for bit, that itself.

// RUN: rgnn-opt %s --rgnn-differentiate | FileCheck %s
// RUN: rgnn-opt %s --rgnn-differentiate --remarks-filter-analyse=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>

rgnn.schema @g0 edge_types(3)

// COUNTS: Function=mean | num-gradients=2, num-saved=0
// COUNTS: Function=mean_of_pairs | num-gradients=2, num-saved=0
// COUNTS: Function=shapes | num-gradients=2, num-saved=0
// COUNTS: Function=types | num-gradients=2, num-saved=0
// COUNTS: Function=sums | num-gradients=3, num-saved=0
// COUNTS: Function=sizes | num-gradients=1, num-saved=0
// COUNTS: Function=maximum | num-gradients=1, num-saved=1
// COUNTS: Function=maximum_of_moved | num-gradients=2, num-saved=2
// COUNTS: Function=with_bias | num-gradients=4, num-saved=1

// The mean reads how many rows it is of, not the rows.
// CHECK-LABEL: func.func @mean_backward(
//       CHECK:   %[[D:.*]] = rgnn.degree dst in
//       CHECK:   %[[S:.*]] = rgnn.map %{{.*}}, %[[D]] : (tensor<?x8xf32, #rgnn.rows<node, @g0>>, tensor<?xf32, #rgnn.rows<node, @g0>>)
//       CHECK:     arith.divf
//       CHECK:   rgnn.gather dst %[[S]]
func.func @mean(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>, %w: tensor<3x4x8xf32>) -> tensor<?x8xf32, #node> {
  %y = rgnn.typed_linear %x, %w by etype in %g : tensor<?x4xf32, #edge>, tensor<3x4x8xf32>
  %m = rgnn.reduce mean dst %y in %g : tensor<?x8xf32, #edge>
  return %m : tensor<?x8xf32, #node>
}

// Pairs have no degree: one number for each is summed up.
// CHECK-LABEL: func.func @mean_of_pairs_backward(
//       CHECK:   %[[ONES:.*]] = rgnn.map %{{.*}} : (tensor<?xf32, #rgnn.rows<dst_pair, @g0>>) -> tensor<?xf32, #rgnn.rows<dst_pair, @g0>>
//       CHECK:   rgnn.reduce sum dst %[[ONES]]
func.func @mean_of_pairs(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #dst_pair>, %w: tensor<3x4x8xf32>) -> tensor<?x8xf32, #node> {
  %y = rgnn.typed_linear %x, %w by etype in %g : tensor<?x4xf32, #dst_pair>, tensor<3x4x8xf32>
  %m = rgnn.reduce mean dst %y in %g : tensor<?x8xf32, #dst_pair>
  return %m : tensor<?x8xf32, #node>
}

// Zeros and repeated rows are made of gradients.
// CHECK-LABEL: func.func @shapes_backward(
//  CHECK-SAME:   tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.argument = 0 : i64}, %{{[a-z0-9]*}}: tensor<4x6xf32> {rgnn.argument = 1 : i64},
//  CHECK-SAME:   {rgnn.gradient_of_result = 0 : i64}, %{{[^:]*}}: tensor<?x7xf32, #rgnn.rows<node, @g0>> {rgnn.gradient_of_result = 1 : i64}, %{{[^:]*}}: tensor<?x2xf32, #rgnn.rows<node, @g0>> {rgnn.gradient_of_result = 2 : i64}) ->
func.func @shapes(%x: tensor<?x4xf32, #node>, %w: tensor<4x6xf32>) -> (tensor<?x2xf32, #node>, tensor<?x7xf32, #node>, tensor<?x2xf32, #node>) {
  %y = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x6xf32>
  %s = rgnn.slice %y dim 1 from 1 size 2 : tensor<?x6xf32, #node>
  %t = rgnn.slice %y dim 1 from 5 size 1 : tensor<?x6xf32, #node>
  %c = rgnn.concat %y, %t dim 1 : tensor<?x6xf32, #node>, tensor<?x1xf32, #node>
  %h = rgnn.reshape %y : tensor<?x6xf32, #node> -> tensor<?x3x2xf32, #node>
  %f = rgnn.reduce_features sum %h dim 1 : tensor<?x3x2xf32, #node>
  return %s, %c, %f : tensor<?x2xf32, #node>, tensor<?x7xf32, #node>, tensor<?x2xf32, #node>
}

// The nodes of the other types are those of the graph.
// CHECK-LABEL: func.func @types_backward(
//       CHECK:   %[[LIKE:.*]] = rgnn.slice_type %{{.*}} in %{{.*}} : tensor<?xf32, #rgnn.rows<node, @g1>> -> tensor<?xf32, #rgnn.rows<node, @g1, type = 0>>
//       CHECK:   %[[ZEROS:.*]] = rgnn.map %[[LIKE]]
//       CHECK:   rgnn.concat_types %[[ZEROS]], %{{.*}} in
func.func @types(%g: !rgnn.graph<@g1>, %x: tensor<?x4xf32, #rgnn.rows<node, @g1>>, %w: tensor<4x6xf32>) -> tensor<?x6xf32, #rgnn.rows<node, @g1, type = 1>> {
  %y = rgnn.linear %x, %w : tensor<?x4xf32, #rgnn.rows<node, @g1>>, tensor<4x6xf32>
  %s = rgnn.slice_type %y in %g : tensor<?x6xf32, #rgnn.rows<node, @g1>> -> tensor<?x6xf32, #rgnn.rows<node, @g1, type = 1>>
  return %s : tensor<?x6xf32, #rgnn.rows<node, @g1, type = 1>>
}
rgnn.schema @g1 node_types(2) edge_types(1) src_types([0]) dst_types([1])

// What an addition adds is not read, nor what a sum sums up.
// CHECK-LABEL: func.func @sums_backward(
//       CHECK:   %[[ROWS:.*]] = rgnn.degree dst in
//       CHECK:   rgnn.map %[[ROWS]], %{{.*}} : (tensor<?xf32, #rgnn.rows<node, @g0>>, tensor<6xf32>) -> tensor<?x6xf32, #rgnn.rows<node, @g0>>
func.func @sums(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  %y = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x6xf32>
  %z = rgnn.map %y, %b : (tensor<?x6xf32, #node>, tensor<6xf32>) -> tensor<?x6xf32, #node> {
  ^bb0(%s: f32, %t: f32):
    %0 = arith.addf %s, %t : f32
    rgnn.yield %0 : f32
  }
  %s = rgnn.sum_rows %z : tensor<?x6xf32, #node>
  return %s : tensor<6xf32>
}

// The input said how many nodes there are; its gradient says so too.
// CHECK-LABEL: func.func @sizes_backward(
//  CHECK-SAME:   %[[EDGES:[a-z0-9]*]]: tensor<2x?xi64> {rgnn.argument = 1 : i64}, %[[DY:[a-z0-9]*]]: tensor<?x4xf32> {rgnn.gradient_of_result = 0 : i64}) ->
//       CHECK:   %[[N:.*]] = tensor.dim %[[DY]]
//       CHECK:   rgnn.coo_graph edges(%[[EDGES]] : tensor<2x?xi64>) nodes(%[[N]])
func.func @sizes(%x: tensor<?x4xf32>, %edges: tensor<2x?xi64>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %g = rgnn.coo_graph edges(%edges : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g2>
  %h = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g2>>
  %u = rgnn.gather src %h in %g : tensor<?x4xf32, #rgnn.rows<node, @g2>>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x4xf32, #rgnn.rows<edge, @g2>>
  %y = rgnn.unplace %s : tensor<?x4xf32, #rgnn.rows<node, @g2>>
  return %y : tensor<?x4xf32>
}
rgnn.schema @g2 edge_types(1)

// What a maximum was taken of is not computed again: to compare it, bit for bit, the forward keeps it.
// CHECK-LABEL: func.func @maximum(
//       CHECK:   %[[E:.*]] = rgnn.map
//       CHECK:   %[[M:.*]] = rgnn.reduce max dst %[[E]]
//       CHECK:   return %[[M]], %[[E]]
// CHECK-LABEL: func.func @maximum_backward(
//  CHECK-SAME:   %[[M:[a-z0-9]*]]: tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.result = 0 : i64}
//       CHECK:   %[[G:.*]] = rgnn.gather dst %[[M]]
//       CHECK:   rgnn.map %[[E:.*]], %[[G]] :
//       CHECK:     arith.cmpf oeq
func.func @maximum(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #node> {
  %e = rgnn.map %x : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    rgnn.yield %0 : f32
  }
  %m = rgnn.reduce max dst %e in %g : tensor<?x4xf32, #edge>
  return %m : tensor<?x4xf32, #node>
}

// Movement changes no bits: what is moved is kept once for each node, and an argument not at all.
// CHECK-LABEL: func.func @maximum_of_moved(
//  CHECK-SAME:   -> (tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.saved}, tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.saved})
func.func @maximum_of_moved(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %v: tensor<?x4xf32, #edge>) -> (tensor<?x4xf32, #node>, tensor<?x4xf32, #node>) {
  %e = rgnn.map %x : (tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    rgnn.yield %0 : f32
  }
  %u = rgnn.gather src %e in %g : tensor<?x4xf32, #node>
  %m = rgnn.reduce max dst %u in %g : tensor<?x4xf32, #edge>
  %square = rgnn.map %m : (tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    rgnn.yield %0 : f32
  }
  %n = rgnn.reduce min dst %v in %g : tensor<?x4xf32, #edge>
  return %square, %n : tensor<?x4xf32, #node>, tensor<?x4xf32, #node>
}

// Where nothing else needs the product, its sum with the bias is saved, so that the backward need not add them again.
// CHECK-LABEL: func.func @with_bias(
//       CHECK:   %[[S:.*]] = rgnn.map %{{.*}}, %{{.*}} : (tensor<?x4xf32, {{.*}}>, tensor<4xf32>)
//       CHECK:   return %{{.*}}, %[[S]]
// CHECK-LABEL: func.func @with_bias_backward(
//   CHECK-NOT:   arith.addf
//       CHECK:   rgnn.outer_sum
func.func @with_bias(%x: tensor<?x4xf32, #node>, %w: tensor<4x4xf32>, %b: tensor<4xf32>, %v: tensor<4x2xf32>) -> tensor<?x2xf32, #node> {
  %y = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x4xf32>
  %s = rgnn.map %y, %b : (tensor<?x4xf32, #node>, tensor<4xf32>) -> tensor<?x4xf32, #node> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    rgnn.yield %r : f32
  }
  %z = rgnn.linear %s, %v : tensor<?x4xf32, #node>, tensor<4x2xf32>
  return %z : tensor<?x2xf32, #node>
}
