//===- RGNNRowOps.td - ops on rows, and on weights ---------*- tablegen -*-===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNROWOPS
#define RGNN_DIALECT_RGNN_IR_RGNNROWOPS

include "RGNN/Dialect/RGNN/IR/RGNNOpBase.td"

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def RGNN_LinearOp : RGNN_InferredOp<"linear", "Product", "Heavy", [Contraction, Differentiable]> {
  let summary = "multiplies every row by one weight matrix";
  let description = [{
    `result[i, ..., n] = sum_k x[i, ..., k] * weight[k, n]`, or `weight[n, k]` if
    `transposed`, which is how PyTorch's `Linear` stores it. A tensor without
    rows is multiplied in the same way (products of weights: bases of RGCN).

    Canonicalisation makes a map of a product with rows of one number.

    (C1) `weight` is a matrix without rows, of `x`'s element type.
    (C2) The last dimension of `x` is `K`.

    Example:

    ```mlir
    %y = rgnn.linear %h, %w : tensor<?x64xf32, #rgnn.rows<node, @g0>>, tensor<64x32xf32>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, RGNN_FloatTensor:$weight, UnitAttr:$transposed);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x `,` $weight (`transposed` $transposed^)? attr-dict `:` type($x) `,` type($weight)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def RGNN_TypedLinearOp : RGNN_InferredOp<"typed_linear", "Product", "Heavy", [Contraction, Differentiable]> {
  let summary = "multiplies every row by the weight matrix of its type";
  let description = [{
    `result[i, b..., n] = sum_k x[i, b..., k] * weight[type(i), b..., k, n]`, with
    `type` the edge type of edge and pair rows (`etype`) or the node type of node
    rows (`ntype`). The dimensions `b` between row and `K` are heads (HGT) or
    blocks (block-diagonal RGCN): each has a matrix of its own. The weight of a
    row is never copied.

    (C1) `path` leads from the domain of `x` to `etype` or `ntype`.
    (C2) `weight` is `[types, b..., K, N]` without rows, with `x`'s `b...` and `K`.
    (C3) `weight` has as many types as the schema, where it says so.

    Example:

    ```mlir
    %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x64xf32, #rgnn.rows<edge, @g0>>, tensor<5x64x32xf32>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, RGNN_FloatTensor:$weight, RGNN_GraphType:$graph, RGNN_PathAttr:$path);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $weight `by` $path `in` $graph attr-dict `:` type($x) `,` type($weight) custom<GraphOfRows>(ref(type($x)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_MatmulOp : RGNN_InferredOp<"matmul", "Product", "Heavy", [Differentiable]> {
  let summary = "multiplies matrices of weights, each by its own";
  let description = [{
    `result[b..., m, n] = sum_k lhs[b..., m, k] * rhs[b..., k, n]`: products of
    weights by type and by head, which `rgnn-reorder-linear` computes before
    those of rows (Hector, ASPLOS 2024, sec. 3.2.3).

    (C1) Neither has rows, and all sizes are known.
    (C2) `lhs` is `[b..., M, K]` and `rhs` `[b..., K, N]`, of one element type.

    Example:

    ```mlir
    %p = rgnn.matmul %w, %v : tensor<5x64x32xf32>, tensor<5x32x16xf32>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$lhs, RGNN_FloatTensor:$rhs);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

def RGNN_OuterSumOp : RGNN_InferredOp<"outer_sum", "Sum", "Heavy", [Differentiable]> {
  let summary = "sums the outer products of rows";
  let description = [{
    `result[k, n] = sum_i,... x[i, ..., k] * y[i, ..., n]` over all dimensions but
    the last: the gradient of the weight of `rgnn.linear`, or the product of keys
    and values of linear attention. Its own gradients are products of the other
    rows with that of the result.

    (C1) `x` and `y` agree in domain, element type and all dimensions but the last.

    Example:

    ```mlir
    %dw = rgnn.outer_sum %h, %dy : tensor<?x64xf32, #rgnn.rows<node, @g0>>, tensor<?x32xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, RGNN_FloatTensor:$y);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x) `,` type($y)";
}

def RGNN_TypedOuterSumOp : RGNN_ComputeOp<"typed_outer_sum", "Sum", "Heavy", []> {
  let summary = "sums the outer products of the rows of each type";
  let description = [{
    `result[t, b..., k, n]` is the sum of `x[i, b..., k] * y[i, b..., n]` over the
    rows `i` with `type(i) = t`, and zero where there are none: the gradient of
    the weight of `rgnn.typed_linear`, whose `path` and `b` it shares. It has no
    gradient of its own, as `rgnn.outer_sum` has none.

    (C1) `path` leads from the domain of `x` to `etype` or `ntype`.
    (C2) `x` and `y` agree in domain, element type and all dimensions but the last.
    (C3) `result` is `[types, b..., K, N]` without rows, of as many types as the
    schema has, where it says so.

    Example:

    ```mlir
    %dw = rgnn.typed_outer_sum %u, %dz by etype in %g
      : tensor<?x64xf32, #rgnn.rows<edge, @g0>>, tensor<?x32xf32, #rgnn.rows<edge, @g0>> -> tensor<5x64x32xf32>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, RGNN_FloatTensor:$y, RGNN_GraphType:$graph, RGNN_PathAttr:$path);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $y `by` $path `in` $graph attr-dict `:` type($x) `,` type($y) `->` type($result)
    custom<GraphOfRows>(ref(type($x)), type($graph))
  }];
  let hasVerifier = 1;
}

def RGNN_SumRowsOp : RGNN_InferredOp<"sum_rows", "Sum", "Heavy", [Differentiable]> {
  let summary = "the sum of all rows";
  let description = [{
    `result[...] = sum_i x[i, ...]`, and zero where there are no rows: the gradient
    of a tensor that all rows share, such as a bias. Its own gradient is the same
    for every row.

    (C1) `x` has rows.

    Example:

    ```mlir
    %db = rgnn.sum_rows %dy : tensor<?x64xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def RGNN_DotOp : RGNN_InferredOp<"dot", "Row", "Heavy", [RowOp, Contraction, Differentiable, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "inner product over the last dimension";
  let description = [{
    `result[i, b...] = sum_c lhs[i, b..., c] * rhs[i, b..., c]`: one attention
    score a head from two vectors a head.

    (C1) Both types are equal, with rows of at least one dimension.

    Example:

    ```mlir
    %s = rgnn.dot %q, %k : tensor<?x2x32xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$lhs, RGNN_FloatTensor:$rhs);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

//===----------------------------------------------------------------------===//
// Row ops
//===----------------------------------------------------------------------===//

def RGNN_MapOp : RGNN_ComputeOp<"map", "Row", "Light", [RowOp, Differentiable, IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "element-wise computation, written for scalars";
  let description = [{
    Every element of the result is computed by the region from the elements of
    the operands at its place. Operands on the result's domain are broadcast
    along row dimensions of size 1, and missing leading ones; operands without
    rows are broadcast to every row (a bias).

    (C1) Operands live on the result's domain or have no rows.
    (C2) Their row shapes broadcast to the result's by PyTorch's rules.
    (C3) The region has one scalar argument an operand and yields one scalar, of
    the element types.
    (C4) The region holds scalar ops of arith and math without side effects only.

    Example:

    ```mlir
    %m = rgnn.map %z, %a : (tensor<?x2x32xf32, #rgnn.rows<edge, @g0>>, tensor<?x2x1xf32, #rgnn.rows<edge, @g0>>)
        -> tensor<?x2x32xf32, #rgnn.rows<edge, @g0>> {
    ^bb0(%x: f32, %y: f32):
      %p = arith.mulf %x, %y : f32
      rgnn.yield %p : f32
    }
    ```
  }];
  let arguments = (ins Variadic<RGNN_FloatTensor>:$inputs);
  let results = (outs RGNN_FloatTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "($inputs^)? attr-dict `:` functional-type($inputs, $result) $body";
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::ValueRange":$inputs,
    "::llvm::function_ref<::mlir::Value(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>":$body)>];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def RGNN_YieldOp : RGNN_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"MapOp">]> {
  let summary = "gives the element that a map computes";
  let description = [{
    Example: `rgnn.yield %p : f32`
  }];
  let arguments = (ins Variadic<AnyFloat>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def RGNN_ReshapeOp : RGNN_ComputeOp<"reshape", "Row", "View", [RowOp, Differentiable]> {
  let summary = "another shape for the elements of each row";
  let description = [{
    Splits features into heads or joins them, in row-major order. A tensor
    without rows is reshaped as a whole.

    (C1) Domain, element type and number of elements (of a row) stay.

    Canonicalisation joins two in a row, and two of which rows become those of
    another graph in between.

    Example:

    ```mlir
    %z = rgnn.reshape %y : tensor<?x64xf32, #rgnn.rows<edge, @g0>> -> tensor<?x2x32xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def RGNN_PermuteOp : RGNN_InferredOp<"permute", "Row", "View", [RowOp, Differentiable]> {
  let summary = "another order of dimensions";
  let description = [{
    Dimension `d` of the result is dimension `order[d]` of `x`.

    Canonicalisation makes a reshape of a permutation that moves dimensions of
    size 1 alone, and exchanges the factors of a sum of outer products that is
    transposed to longer rows.

    (C1) `order` is a permutation of the dimensions.
    (C2) If `x` has rows, `order[0] = 0`.

    Example:

    ```mlir
    %t = rgnn.permute %w [1, 0, 2, 3] : tensor<2x5x32x32xf32>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, DenseI64ArrayAttr:$order);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x $order attr-dict `:` type($x)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def RGNN_ConcatOp : RGNN_InferredOp<"concat", "Row", "Copy", [RowOp, Differentiable]> {
  let summary = "joins tensors along a dimension";
  let description = [{
    (C1) `dim` is a dimension, and not that of the rows.
    (C2) The types agree but for the size of `dim`.

    Example:

    ```mlir
    %c = rgnn.concat %a, %b dim 1 : tensor<?x8xf32, #rgnn.rows<edge, @g0>>, tensor<?x4xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins Variadic<RGNN_FloatTensor>:$inputs, I64Attr:$dim);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$inputs `dim` $dim attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

def RGNN_SliceOp : RGNN_InferredOp<"slice", "Row", "View", [RowOp, Differentiable]> {
  let summary = "a range of a dimension";
  let description = [{
    Elements `begin` to `begin + size` (not included) of dimension `dim`.

    (C1) `dim` is a dimension, and not that of the rows.
    (C2) The range lies within it.

    Example:

    ```mlir
    %q = rgnn.slice %kqv dim 1 from 64 size 64 : tensor<?x192xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, I64Attr:$dim, I64Attr:$begin, I64Attr:$size);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x `dim` $dim `from` $begin `size` $size attr-dict `:` type($x)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def RGNN_ReduceFeaturesOp : RGNN_InferredOp<"reduce_features", "Row", "Heavy", [RowOp, Contraction, Differentiable]> {
  let summary = "reduces one dimension of each row";
  let description = [{
    Sum, mean, maximum, minimum or product over dimension `dim`, which
    disappears: the mean over heads.

    Canonicalisation makes a map of the sum, or mean, of what is joined for it.

    (C1) `dim` is a dimension of the row.

    Example:

    ```mlir
    %m = rgnn.reduce_features mean %h dim 1 : tensor<?x2x32xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, RGNN_ReductionAttr:$kind, I64Attr:$dim);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$kind $x `dim` $dim attr-dict `:` type($x)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def RGNN_SoftmaxOp : RGNN_InferredOp<"softmax", "Row", "Heavy", [RowOp, Differentiable]> {
  let summary = "softmax over the last dimension of each row, or its logarithm";
  let description = [{
    `exp(x - m) / sum exp(x - m)` with `m` the maximum of the last dimension; with
    `log`, `x - m - log(sum exp(x - m))`.

    (C1) Rows have at least one dimension.

    Example:

    ```mlir
    %y = rgnn.softmax log %h : tensor<?x4xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x, UnitAttr:$log);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "(`log` $log^)? $x attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def RGNN_NormOp : RGNN_InferredOp<"norm", "Row", "Heavy", [RowOp, Differentiable]> {
  let summary = "Euclidean norm over the last dimension of each row";
  let description = [{
    `result[i, b...] = sqrt(sum_c x[i, b..., c]^2)`: one length a head. A tensor
    without rows is reduced in the same way.

    The gradient is that of PyTorch's `linalg.vector_norm`: where the result
    changes a number by `g`, `x` changes it by `g * x / result`, and by 0 where
    the norm is 0, which has no derivative there.

    (C1) Rows have at least one dimension.

    Example:

    ```mlir
    %n = rgnn.norm %h : tensor<?x2x32xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def RGNN_CrossOp : RGNN_InferredOp<"cross", "Row", "Light", [RowOp, Differentiable]> {
  let summary = "cross product over the last dimension of rows, of three numbers";
  let description = [{
    `result[i, b..., c] = lhs[i, b..., c + 1] * rhs[i, b..., c + 2] - lhs[i, b..., c + 2] * rhs[i, b..., c + 1]`,
    where `c + 1` and `c + 2` are modulo 3. Tensors without rows are multiplied
    in the same way. Code may contract a product with the difference, as that of
    PyTorch does: a row times itself is zero up to rounding.

    Where the result changes a number by `g`, `lhs` changes it by
    `cross(rhs, g)` and `rhs` by `cross(g, lhs)`.

    (C1) Both types are equal.
    (C2) The last dimension of each row has size 3.

    Example:

    ```mlir
    %c = rgnn.cross %a, %b : tensor<?x3xf32, #rgnn.rows<edge, @g0>>, tensor<?x3xf32, #rgnn.rows<edge, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$lhs, RGNN_FloatTensor:$rhs);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

def RGNN_DetachOp : RGNN_ComputeOp<"detach", "Row", "View", [RowOp, SameOperandsAndResultType]> {
  let summary = "the same values, which no gradient passes";
  let description = [{
    To `rgnn-differentiate`, nothing that is made of the result changes with
    `x`: a straight-through estimator is `x + detach(round(x) - x)`. Once there
    are gradients, and where none are wanted, `x` takes its place
    (`rgnn-erase-detach`).

    Example:

    ```mlir
    %d = rgnn.detach %x : tensor<?x64xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$x);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def RGNN_WithSlopeOp : RGNN_ComputeOp<"with_slope", "Row", "View",
                                      [RowOp, Differentiable, SameOperandsAndResultType]> {
  let summary = "the same values, with a slope that the model says";
  let description = [{
    Gives `value`. A gradient `g` of the result passes to `value` as it is, and
    to `by` as `slope * g`, element by element; none passes to `slope`. Of a
    `value` that is detached, a model's own backward (`autograd.Function`) so
    replaces the gradient of how it is computed: a straight-through estimator
    has slopes of one, a reversal of gradients slopes of `-alpha`. Once there
    are gradients, and where none are wanted, `value` takes its place
    (`rgnn-erase-detach`).

    Example:

    ```mlir
    %d = rgnn.detach %sign : tensor<?x64xf32, #rgnn.rows<node, @g0>>
    %y = rgnn.with_slope %d by %x slope %ones : tensor<?x64xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins RGNN_FloatTensor:$value, RGNN_FloatTensor:$by, RGNN_FloatTensor:$slope);
  let results = (outs RGNN_FloatTensor:$result);
  let assemblyFormat = "$value `by` $by `slope` $slope attr-dict `:` type($value)";
}

#endif // RGNN_DIALECT_RGNN_IR_RGNNROWOPS
