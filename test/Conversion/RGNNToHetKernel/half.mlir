// Floats of 16 bits: rows are extended where they are loaded and rounded where they are stored, and all between is f32.

// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --cse | FileCheck %s

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(2)

// CHECK-LABEL: func @sum(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: tensor<?x4xbf16>
// CHECK:       hetkernel.traverse
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK:         %[[SUM:.*]] = hetkernel.for_each %{{.*}} init(%[[ZERO]] : vector<4xf32>) {
// CHECK:           %[[ROW:.*]] = hetkernel.row %[[M]]
// CHECK:           %[[WIDE:.*]] = arith.extf %[[ROW]] : vector<4xbf16> to vector<4xf32>
// CHECK:           %[[NEXT:.*]] = arith.addf %{{.*}}, %[[WIDE]] : vector<4xf32>
// CHECK:           hetkernel.yield %[[NEXT]] : vector<4xf32>
// CHECK:         } -> vector<4xf32>
// CHECK-NEXT:    %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : vector<4xf32> to vector<4xbf16>
// CHECK-NEXT:    hetkernel.yield %[[ROUNDED]] : vector<4xbf16>
func.func @sum(%g: !rgnn.graph<@g0>, %x: tensor<?x4xbf16, #node>) -> tensor<?x4xbf16, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xbf16, #node>
  %y = rgnn.reduce sum dst %u in %g : tensor<?x4xbf16, #edge>
  return %y : tensor<?x4xbf16, #node>
}

// The logits are kept twice: as they are for the next loop, and rounded for the caller.
// CHECK-LABEL: func @softmax(
// CHECK:       hetkernel.traverse
// CHECK:         %[[MAX:.*]]:3 = hetkernel.for_each {{.*}} : vector<2xf32>) {
// CHECK:           %[[LOGIT:.*]] = math.tanh %{{.*}} : vector<2xf32>
// CHECK-DAG:       %[[ROUNDED:.*]] = arith.truncf %[[LOGIT]] : vector<2xf32> to vector<2xbf16>
// CHECK-DAG:       %[[M:.*]] = arith.maximumf %{{.*}}, %[[LOGIT]] : vector<2xf32>
// CHECK:           hetkernel.yield %[[M]], %[[LOGIT]], %[[ROUNDED]]
// CHECK:         } -> vector<2xf32>, !hetkernel.segment<vector<2xf32>>, !hetkernel.segment<vector<2xbf16>>
// CHECK:         %[[SUM:.*]]:2 = hetkernel.for_each
// CHECK:           %[[AGAIN:.*]] = hetkernel.element %[[MAX]]#1[
// CHECK:           arith.subf %[[AGAIN]], %[[MAX]]#0 : vector<2xf32>
// CHECK:         } -> vector<2xf32>, !hetkernel.segment<vector<2xf32>>
// CHECK:         %[[ATTENTION:.*]] = hetkernel.for_each
// CHECK:           hetkernel.element %[[SUM]]#1[
// CHECK:           arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK:         } -> !hetkernel.segment<vector<2xbf16>>
// CHECK:         hetkernel.scatter %[[MAX]]#2 by
// CHECK:         hetkernel.scatter %[[ATTENTION]] by
func.func @softmax(%g: !rgnn.graph<@g0>, %l: tensor<?x2xbf16, #node>) -> (tensor<?x2xbf16, #edge>, tensor<?x2xbf16, #edge>) {
  %u = rgnn.gather src %l in %g : tensor<?x2xbf16, #node>
  %s = rgnn.map %u : (tensor<?x2xbf16, #edge>) -> tensor<?x2xbf16, #edge> {
  ^bb0(%i: bf16):
    %t = math.tanh %i : bf16
    rgnn.yield %t : bf16
  }
  %a = rgnn.group_softmax dst %s in %g : tensor<?x2xbf16, #edge>
  return %s, %a : tensor<?x2xbf16, #edge>, tensor<?x2xbf16, #edge>
}

// A cast to 16 bits in the model rounds; one from 16 bits has nothing to do.
// CHECK-LABEL: func @casts(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?xf16> {{.*}}, %[[Y:[a-z0-9]+]]: tensor<?xf32>
// CHECK:         %[[LOADED:.*]] = hetkernel.row %[[X]]
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extf %[[LOADED]] : f16 to f32
// CHECK-NEXT:    %[[J:.*]] = hetkernel.row %[[Y]]
// CHECK-NEXT:    %[[C:.*]] = arith.constant 1.500000e+00 : f32
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[WIDE]], %[[C]] : f32
// CHECK-NEXT:    %[[N:.*]] = arith.truncf %[[J]] : f32 to f16
// CHECK-NEXT:    %[[Q:.*]] = arith.extf %[[N]] : f16 to f32
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[P]], %[[Q]] : f32
// CHECK-NEXT:    hetkernel.yield %[[S]] : f32
func.func @casts(%g: !rgnn.graph<@g0>, %x: tensor<?xf16, #node>, %y: tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  %0 = rgnn.map %x, %y : (tensor<?xf16, #node>, tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  ^bb0(%i: f16, %j: f32):
    %c = arith.constant 1.500000e+00 : f16
    %p = arith.mulf %i, %c : f16
    %wide = arith.extf %p : f16 to f32
    %narrow = arith.truncf %j : f32 to f16
    %q = arith.extf %narrow : f16 to f32
    %sum = arith.addf %wide, %q : f32
    rgnn.yield %sum : f32
  }
  return %0 : tensor<?xf32, #node>
}
