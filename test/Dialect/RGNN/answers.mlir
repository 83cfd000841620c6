// RUN: rgnn-opt %S/ops.mlir --test-print-answers -o /dev/null | FileCheck %s --match-full-lines --implicit-check-not=rgnn.

// What each op of the dialect says of itself: how kernels compute it, what its results take, and which other questions
// it answers. Passes act on these words: a new op is to get a line here, and each word of it is a decision
// (include/RGNN/Dialect/RGNN/IR/RGNNAttrs.td). Ops without tensors of their own, or of loops, compute nothing.

// CHECK:      rgnn.accumulate: no computation
// CHECK-NEXT: rgnn.concat: row, copy, on rows, on whole tensors, differentiable
// CHECK-NEXT: rgnn.concat_rows: view, copy, differentiable
// CHECK-NEXT: rgnn.concat_types: view, copy, differentiable
// CHECK-NEXT: rgnn.constant_graph: boundary, view
// CHECK-NEXT: rgnn.coo_graph: boundary, view
// CHECK-NEXT: rgnn.cross: row, light, on rows, on whole tensors, differentiable
// CHECK-NEXT: rgnn.degree: load, light
// CHECK-NEXT: rgnn.destination: no computation
// CHECK-NEXT: rgnn.detach: row, view, on rows
// CHECK-NEXT: rgnn.dot: row, heavy, on rows, contraction, differentiable
// CHECK-NEXT: rgnn.for_each: no computation
// CHECK-NEXT: rgnn.gather: load, copy, differentiable
// CHECK-NEXT: rgnn.group_excess: rank, heavy, differentiable
// CHECK-NEXT: rgnn.group_softmax: group, heavy, differentiable
// CHECK-NEXT: rgnn.group_sum_below: rank, heavy, differentiable
// CHECK-NEXT: rgnn.linear: product, heavy, contraction, on whole tensors, differentiable
// CHECK-NEXT: rgnn.lookup: table, light, differentiable
// CHECK-NEXT: rgnn.lookup_sum: sum, heavy, differentiable
// CHECK-NEXT: rgnn.map: row, light, on rows, on whole tensors, differentiable
// CHECK-NEXT: rgnn.matmul: product, heavy, on whole tensors, differentiable
// CHECK-NEXT: rgnn.norm: row, heavy, on rows, on whole tensors, differentiable
// CHECK-NEXT: rgnn.outer_sum: sum, heavy, on whole tensors, differentiable
// CHECK-NEXT: rgnn.permute: row, view, on rows, on whole tensors, differentiable
// CHECK-NEXT: rgnn.place: boundary, view, differentiable
// CHECK-NEXT: rgnn.program: no computation
// CHECK-NEXT: rgnn.read: no computation
// CHECK-NEXT: rgnn.reduce: group, heavy, differentiable
// CHECK-NEXT: rgnn.reduce_features: row, heavy, on rows, contraction, on whole tensors, differentiable
// CHECK-NEXT: rgnn.regroup_rows: view, view, differentiable
// CHECK-NEXT: rgnn.reshape: row, view, on rows, on whole tensors, differentiable
// CHECK-NEXT: rgnn.schema: no computation
// CHECK-NEXT: rgnn.slice: row, view, on rows, on whole tensors, differentiable
// CHECK-NEXT: rgnn.slice_rows: view, view
// CHECK-NEXT: rgnn.slice_type: view, view, differentiable
// CHECK-NEXT: rgnn.softmax: row, heavy, on rows, differentiable
// CHECK-NEXT: rgnn.source: no computation
// CHECK-NEXT: rgnn.split_graph: boundary, view
// CHECK-NEXT: rgnn.sum_rows: sum, heavy, differentiable
// CHECK-NEXT: rgnn.torch: no computation
// CHECK-NEXT: rgnn.typed_linear: product, heavy, contraction, differentiable
// CHECK-NEXT: rgnn.typed_outer_sum: sum, heavy
// CHECK-NEXT: rgnn.unplace: boundary, view, differentiable
// CHECK-NEXT: rgnn.weight: no computation
// CHECK-NEXT: rgnn.with_slope: row, view, on rows, differentiable
// CHECK-NEXT: rgnn.write: no computation
// CHECK-NEXT: rgnn.yield: no computation
