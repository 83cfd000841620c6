// RUN: rgnn-opt %s --rgnn-split-sides --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --rgnn-split-sides | FileCheck %s --check-prefix=ONCE
// RUN: %check_numeric %s --rgnn-split-sides
// RUN: %check_numeric %s --rgnn-split-sides --rgnn-compact
// RUN: rgnn-opt %s --rgnn-split-sides --rgnn-compact -o %t.mlir
// RUN: rgnn-translate --rgnn-check-gradient %t.mlir
// RUN: rgnn-translate --rgnn-check-compiled %t.mlir
// RUN: rgnn-translate --rgnn-check-gpu --seeds=4 %t.mlir
// RUN: rgnn-opt %s --rgnn-split-sides --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#node1 = #rgnn.rows<node, @g1>
#edge1 = #rgnn.rows<edge, @g1>

rgnn.schema @g0 edge_types(5)
rgnn.schema @g1 edge_types(1)

// RGCN: the mean within each relation.
// CHECK-LABEL: func @rgcn(
//       CHECK:   %[[SRC:.*]], %[[DST:.*]] = rgnn.split_graph %{{.*}} : !rgnn.graph<@g0>
//       CHECK:   %[[U:.*]] = rgnn.gather src %{{.*}} in %[[SRC]] : tensor<?x8xf64, #rgnn.rows<node, @g0>> part src
//       CHECK:   %[[Z:.*]] = rgnn.typed_linear %[[U]], %{{.*}} in %[[SRC]] : tensor<?x8xf64, #rgnn.rows<edge, @g0 : src>>
//       CHECK:   rgnn.degree dst_pair in %[[SRC]] : tensor<?xf64, #rgnn.rows<dst_pair, @g0 : src>>
//       CHECK:   %[[A:.*]] = rgnn.reduce sum dst %{{.*}} in %[[SRC]] : tensor<?x4xf64, #rgnn.rows<edge, @g0 : src>>
//       CHECK:   %[[V:.*]] = rgnn.gather src %{{.*}} in %[[DST]] : tensor<?x8xf64, #rgnn.rows<node, @g0>> part dst
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst_pair %[[V]] in %[[DST]]
//       CHECK:   rgnn.typed_linear %[[S]], %{{.*}} in %[[DST]] : tensor<?x8xf64, #rgnn.rows<dst_pair, @g0 : dst>>
//       CHECK:   %[[B:.*]] = rgnn.reduce sum dst %{{.*}} in %[[DST]] : tensor<?x4xf64, #rgnn.rows<dst_pair, @g0 : dst>>
//       CHECK:   rgnn.map %[[A]], %[[B]]
//   CHECK-NOT:   rgnn.typed_linear
//       CHECK:   return
// REMARK: Passed{{.*}}Function=rgcn {{.*}}each edge type has its products on its smaller side
func.func @rgcn(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %d = rgnn.degree dst_pair in %g : tensor<?xf64, #dst_pair>
  %e = rgnn.gather dst_pair %d in %g : tensor<?xf64, #dst_pair>
  %r = rgnn.reshape %e : tensor<?xf64, #edge> -> tensor<?x1xf64, #edge>
  %m = rgnn.map %z, %r : (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.divf %a, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// Two layers share the parts.
// CHECK-LABEL: func @two_layers(
//       CHECK:   rgnn.split_graph
//   CHECK-NOT:   rgnn.split_graph
//       CHECK:   return
func.func @two_layers(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x8xf64>, %v: tensor<5x8x8xf64>) -> tensor<?x8xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x8xf64>
  %h = rgnn.reduce sum dst %z in %g : tensor<?x8xf64, #edge>
  %hu = rgnn.gather src %h in %g : tensor<?x8xf64, #node>
  %hz = rgnn.typed_linear %hu, %v by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x8xf64>
  %y = rgnn.reduce sum dst %hz in %g : tensor<?x8xf64, #edge>
  return %y : tensor<?x8xf64, #node>
}

// A product scaled by what edges of a pair share, in rows of blocks.
// CHECK-LABEL: func @blocks(
//       CHECK:   rgnn.split_graph
//       CHECK:   rgnn.typed_linear {{.*}}tensor<?x2x4xf64, #rgnn.rows<edge, @g0 : src>>
//       CHECK:   rgnn.typed_linear {{.*}}tensor<?x2x4xf64, #rgnn.rows<dst_pair, @g0 : dst>>
func.func @blocks(%g: !rgnn.graph<@g0>, %x: tensor<?x2x4xf64, #node>, %w: tensor<5x2x4x3xf64>) -> tensor<?x6xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x2x4xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x2x4xf64, #edge>, tensor<5x2x4x3xf64>
  %r = rgnn.reshape %z : tensor<?x2x3xf64, #edge> -> tensor<?x6xf64, #edge>
  %y = rgnn.reduce sum dst %r in %g : tensor<?x6xf64, #edge>
  return %y : tensor<?x6xf64, #node>
}

// Numbers of edges are read from the whole graph; in front of the sum for destinations, they scale its rows.
// CHECK-LABEL: func @edge_weights(
//  CHECK-SAME:   %{{.*}}, %{{.*}}, %[[A:[a-z0-9]+]]: tensor<?x1xf64
//       CHECK:   %[[Z:.*]] = rgnn.typed_linear {{.*}}#rgnn.rows<edge, @g0 : src>>
//       CHECK:   %[[AS:.*]] = rgnn.gather whole %[[A]] in %{{.*}} : tensor<?x1xf64, #rgnn.rows<edge, @g0>> part src
//       CHECK:   rgnn.map %[[Z]], %[[AS]]
//       CHECK:   %[[AD:.*]] = rgnn.gather whole %[[A]] in %{{.*}} : tensor<?x1xf64, #rgnn.rows<edge, @g0>> part dst
//       CHECK:   %[[M:.*]] = rgnn.map %{{.*}}, %[[AD]] : {{.*}} -> tensor<?x8xf64, #rgnn.rows<edge, @g0 : dst>>
//       CHECK:   rgnn.reduce sum dst_pair %[[M]]
func.func @edge_weights(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %a: tensor<?x1xf64, #edge>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %m = rgnn.map %z, %a : (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// What a softmax over the edges of a node makes is read, too; one over those of a pair is computed again.
// CHECK-LABEL: func @attention(
//       CHECK:   %[[A:.*]] = rgnn.group_softmax dst %{{.*}} : tensor<?x1xf64, #rgnn.rows<edge, @g0>>
//       CHECK:   rgnn.gather whole %[[A]] in
//       CHECK:   rgnn.gather whole %[[A]] in
// CHECK-LABEL: func @attention_within(
//   CHECK-NOT:   rgnn.gather whole %{{.*}} : tensor<?x1xf64
//       CHECK:   rgnn.group_softmax dst_pair %{{.*}} : tensor<?x1xf64, #rgnn.rows<edge, @g0 : src>>
//       CHECK:   rgnn.group_softmax dst_pair %{{.*}} : tensor<?x1xf64, #rgnn.rows<edge, @g0 : dst>>
func.func @attention(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %s: tensor<?x1xf64, #node>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %l = rgnn.gather src %s in %g : tensor<?x1xf64, #node>
  %a = rgnn.group_softmax dst %l in %g : tensor<?x1xf64, #edge>
  %m = rgnn.map %z, %a : (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}
func.func @attention_within(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %s: tensor<?x1xf64, #node>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %l = rgnn.gather src %s in %g : tensor<?x1xf64, #node>
  %a = rgnn.group_softmax dst_pair %l in %g : tensor<?x1xf64, #edge>
  %m = rgnn.map %z, %a : (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// RGAT: the score of a source needs no rows of the message, with the weights multiplied first.
// CHECK-LABEL: func @rgat(
//   CHECK-NOT:   #rgnn.rows<edge, @g0>>, tensor<5x8x8xf64>
//       CHECK:   rgnn.linear {{.*}} : tensor<40x8xf64>, tensor<8x1xf64>
//       CHECK:   %[[L:.*]] = rgnn.typed_linear {{.*}} : tensor<?x8xf64, #rgnn.rows<edge, @g0>>, tensor<5x8x1xf64>
//       CHECK:   rgnn.group_softmax dst %[[L]]
//       CHECK:   return
// REMARK: Passed{{.*}}Function=rgat {{.*}}each edge type has its products on its smaller side
func.func @rgat(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x8xf64>, %k: tensor<8x1xf64>) -> tensor<?x8xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x8xf64>
  %l = rgnn.linear %z, %k : tensor<?x8xf64, #edge>, tensor<8x1xf64>
  %a = rgnn.group_softmax dst %l in %g : tensor<?x1xf64, #edge>
  %m = rgnn.map %z, %a : (tensor<?x8xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x8xf64, #edge> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x8xf64, #edge>
  return %y : tensor<?x8xf64, #node>
}

// HGT: the score of an edge, of a product of its source or of its destination.
// CHECK-LABEL: func @score(
//       CHECK:   %[[SRC:.*]], %[[DST:.*]] = rgnn.split_graph
//       CHECK:   %[[Z:.*]] = rgnn.typed_linear {{.*}} in %[[SRC]] : tensor<?x8xf64, #rgnn.rows<edge, @g0 : src>>, tensor<5x8x4xf64>
//       CHECK:   %[[A:.*]] = rgnn.dot
//       CHECK:   %[[T:.*]] = rgnn.permute %{{.*}} [0, 2, 1]
//       CHECK:   %[[Q:.*]] = rgnn.typed_linear %{{.*}}, %[[T]] by etype in %[[DST]] : tensor<?x4xf64, #rgnn.rows<edge, @g0 : dst>>, tensor<5x4x8xf64>
//       CHECK:   %[[B:.*]] = rgnn.dot %{{.*}}, %[[Q]] : tensor<?x8xf64, #rgnn.rows<edge, @g0 : dst>>
//       CHECK:   rgnn.reduce sum whole %{{.*}} in %[[SRC]] : tensor<?x1xf64, #rgnn.rows<edge, @g0 : src>>
//       CHECK:   rgnn.reduce sum whole %{{.*}} in %[[DST]] : tensor<?x1xf64, #rgnn.rows<edge, @g0 : dst>>
//       CHECK:   return
func.func @score(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %h: tensor<?x1x4xf64, #node>, %w: tensor<5x8x4xf64>) -> tensor<?x1xf64, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %k = rgnn.reshape %z : tensor<?x4xf64, #edge> -> tensor<?x1x4xf64, #edge>
  %v = rgnn.gather dst %h in %g : tensor<?x1x4xf64, #node>
  %a = rgnn.dot %v, %k : tensor<?x1x4xf64, #edge>
  return %a : tensor<?x1xf64, #edge>
}

// Refused: each head's product is another.
// CHECK-LABEL: func @scores_of_heads(
//   CHECK-NOT:   rgnn.split_graph
// REMARK: Missed{{.*}}Function=scores_of_heads {{.*}}edge types have their products on one side: each head has a product of its own
func.func @scores_of_heads(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %h: tensor<?x2x4xf64, #node>, %w: tensor<5x8x8xf64>) -> tensor<?x2xf64, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x8xf64>
  %k = rgnn.reshape %z : tensor<?x8xf64, #edge> -> tensor<?x2x4xf64, #edge>
  %v = rgnn.gather dst %h in %g : tensor<?x2x4xf64, #node>
  %a = rgnn.dot %k, %v : tensor<?x2x4xf64, #edge>
  return %a : tensor<?x2xf64, #edge>
}

// Refused: a map of source and edge numbers is multiplied.
// CHECK-LABEL: func @edge_features(
//   CHECK-NOT:   rgnn.split_graph
// REMARK: Missed{{.*}}Function=edge_features {{.*}}they depend on more than the source and the type
func.func @edge_features(%g: !rgnn.graph<@g0>, %a: tensor<?x8xf64, #edge>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #node> {
  %z = rgnn.typed_linear %a, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %y = rgnn.reduce sum dst %z in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// Refused: edges of the second part would read rows of 12 numbers where those of the first read 4.
// CHECK-LABEL: func @wide(
//   CHECK-NOT:   rgnn.split_graph
// REMARK: Missed{{.*}}Function=wide {{.*}}rows are more than twice as wide before the product as behind it
func.func @wide(%g: !rgnn.graph<@g0>, %x: tensor<?x12xf64, #node>, %w: tensor<5x12x4xf64>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x12xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x12xf64, #edge>, tensor<5x12x4xf64>
  %y = rgnn.reduce sum dst %z in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// Refused: one edge type is in one part.
// CHECK-LABEL: func @one_type(
//   CHECK-NOT:   rgnn.split_graph
// REMARK: Missed{{.*}}Function=one_type {{.*}}there is one edge type
func.func @one_type(%g: !rgnn.graph<@g1>, %x: tensor<?x8xf64, #node1>, %w: tensor<1x8x4xf64>) -> tensor<?x4xf64, #node1> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node1>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge1>, tensor<1x8x4xf64>
  %y = rgnn.reduce sum dst %z in %g : tensor<?x4xf64, #edge1>
  return %y : tensor<?x4xf64, #node1>
}

// Refused: each head has a weight of its own, and the product has none.
// CHECK-LABEL: func @heads(
//   CHECK-NOT:   rgnn.split_graph
// REMARK: Missed{{.*}}Function=heads {{.*}}edge types have their products on one side: the factors of a row differ among the edges of an end and type
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %a: tensor<?x4xf64, #edge>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %m = rgnn.map %z, %a : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// Refused: a maximum is none of sums.
// CHECK-LABEL: func @maximum(
//   CHECK-NOT:   rgnn.split_graph
// REMARK: Missed{{.*}}Function=maximum {{.*}}they are reduced by something else than a sum or mean
func.func @maximum(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %y = rgnn.reduce max dst %z in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// Refused: a mean over the edges of a node.
// CHECK-LABEL: func @mean(
//   CHECK-NOT:   rgnn.split_graph
// REMARK: Missed{{.*}}Function=mean {{.*}}they are not summed for destinations
func.func @mean(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %y = rgnn.reduce mean dst %z in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// Refused: the product scales itself.
// CHECK-LABEL: func @square(
//   CHECK-NOT:   rgnn.split_graph
// REMARK: Missed{{.*}}Function=square {{.*}}the rows are also used otherwise
func.func @square(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #node>, %a: tensor<?x1xf64, #edge>, %w: tensor<5x2x1xf64>) -> tensor<?x1xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x2xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x2xf64, #edge>, tensor<5x2x1xf64>
  %s = rgnn.map %z, %a : (tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x1xf64, #edge> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  %m = rgnn.map %s, %z : (tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x1xf64, #edge> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x1xf64, #edge>
  return %y : tensor<?x1xf64, #node>
}

// Refused: the caller's numbers of pairs are those of the whole graph.
// CHECK-LABEL: func @factors_of_pairs(
//   CHECK-NOT:   rgnn.split_graph
// REMARK: Missed{{.*}}Function=factors_of_pairs {{.*}}rows are given for edges or pairs, or of another graph
func.func @factors_of_pairs(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %n: tensor<?x4xf64, #dst_pair>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %e = rgnn.gather dst_pair %n in %g : tensor<?x4xf64, #dst_pair>
  %m = rgnn.map %z, %e : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64, %b: f64):
    %q = arith.mulf %p, %b : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// Rows of parts come and go in the order of (destination, type).
// CHECK-LABEL: func @rows_of_parts(
func.func @rows_of_parts(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %a: tensor<?x8xf64, #edge>, %p: tensor<?x8xf64, #rgnn.rows<edge, @g0 : src>>)
    -> (tensor<?x8xf64, #rgnn.rows<edge, @g0 : dst>>, tensor<?x8xf64, #rgnn.rows<edge, @g0 : src>>, tensor<?x8xf64, #edge>) {
  %s, %d = rgnn.split_graph %g : !rgnn.graph<@g0>
  %u = rgnn.gather src %x in %d : tensor<?x8xf64, #node> part dst
  %b = rgnn.gather whole %a in %s : tensor<?x8xf64, #edge> part src
  %c = rgnn.map %b, %p : (tensor<?x8xf64, #rgnn.rows<edge, @g0 : src>>, tensor<?x8xf64, #rgnn.rows<edge, @g0 : src>>) -> tensor<?x8xf64, #rgnn.rows<edge, @g0 : src>> {
  ^bb0(%v: f64, %w: f64):
    %q = arith.mulf %v, %w : f64
    rgnn.yield %q : f64
  }
  %y = rgnn.reduce sum whole %c in %s : tensor<?x8xf64, #rgnn.rows<edge, @g0 : src>>
  return %u, %c, %y : tensor<?x8xf64, #rgnn.rows<edge, @g0 : dst>>, tensor<?x8xf64, #rgnn.rows<edge, @g0 : src>>, tensor<?x8xf64, #edge>
}

// A graph that is split already has no other parts.
// ONCE-LABEL: func @split_already(
//       ONCE:   rgnn.split_graph
//       ONCE:   rgnn.typed_linear {{.*}}#rgnn.rows<edge, @g0 : src>>
//   ONCE-NOT:   rgnn.split_graph
func.func @split_already(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x4xf64>) -> (tensor<?x4xf64, #node>, tensor<?xf64, #node>) {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %y = rgnn.reduce sum dst %z in %g : tensor<?x4xf64, #edge>
  %s, %d = rgnn.split_graph %g : !rgnn.graph<@g0>
  %n = rgnn.degree dst in %s : tensor<?xf64, #node> part src
  return %y, %n : tensor<?x4xf64, #node>, tensor<?xf64, #node>
}
