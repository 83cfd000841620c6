//===- HetKernelOps.td - the operations of the hetkernel dialect -*- tablegen -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_IR_HETKERNELOPS
#define RGNN_DIALECT_HETKERNEL_IR_HETKERNELOPS

include "RGNN/Dialect/HetKernel/IR/HetKernelSchedules.td"
include "RGNN/Dialect/RGNN/IR/RGNNAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class HetKernel_Op<string mnemonic, list<Trait> traits = []> : Op<HetKernel_Dialect, mnemonic, traits>;

// Tensors before bufferisation, buffers after it.
def HetKernel_FloatBuffer : AnyTypeOf<[RankedTensorOf<[AnyFloat]>, MemRefOf<[AnyFloat]>]>;
def HetKernel_IndexBuffer : AnyTypeOf<[RankedTensorOf<[I32]>, MemRefOf<[I32]>]>;
// One row: a scalar or a vector of the row's shape.
def HetKernel_RowValue : AnyTypeOf<[AnyFloat, VectorOfAnyRankOf<[AnyFloat]>]>;

// What targets lower to code that is launched, and reports list.
def HetKernel_IsKernel : NativeOpTrait<"IsKernel"> {
  let cppNamespace = "::mlir::hetkernel";
}

// A kernel: destination-passing style on tensors, memory effects on buffers.
class HetKernel_KernelOp<string mnemonic, list<Trait> traits = []> : HetKernel_Op<mnemonic, !listconcat([
    HetKernel_IsKernel, DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)>;

//===----------------------------------------------------------------------===//
// Graph preprocessing
//===----------------------------------------------------------------------===//

def HetKernel_ViewOp : HetKernel_Op<"view", [Pure]> {
  let summary = "an integer array derived from a graph, built once per graph";
  let description = [{
    The kinds are listed in `build/docs/GraphViews.md`, which is made, like the
    enum, of `RGNN/Support/GraphViews.def`.

    (C1) Tiles are `?x3`, every other kind is `?`.
    (C2) `param` is at least 1 for tiles, and 0 for every other kind.

    Example:

    ```mlir
    %t = hetkernel.view etype_tiles 96 of %g : !rgnn.graph<@g0> -> tensor<?x3xi32>
    ```
  }];
  let arguments = (ins RGNN_GraphType:$graph, HetKernel_ViewKindAttr:$kind, DefaultValuedAttr<I64Attr, "0">:$param);
  let results = (outs HetKernel_IndexBuffer:$result);
  let assemblyFormat = "$kind ($param^)? `of` $graph attr-dict `:` qualified(type($graph)) `->` type($result)";
  let hasVerifier = 1;
}

def HetKernel_SizeOp : HetKernel_Op<"size", [Pure]> {
  let summary = "a number of rows of a graph";
  let description = [{
    Nodes (`node`), edges (`edge`), unique (source, type) or (destination, type)
    pairs (`src_pair`, `dst_pair`), edge types (`edge_type_count`), node types
    (`node_type_count`), or nodes of type `param` (`node_of_type`).

    Example:

    ```mlir
    %n = hetkernel.size node of %g : !rgnn.graph<@g0>
    ```
  }];
  let arguments = (ins RGNN_GraphType:$graph, HetKernel_SizeKindAttr:$kind, DefaultValuedAttr<I64Attr, "0">:$param);
  let results = (outs Index:$result);
  let assemblyFormat = "$kind ($param^)? `of` $graph attr-dict `:` qualified(type($graph))";
}

//===----------------------------------------------------------------------===//
// The GEMM template
//===----------------------------------------------------------------------===//

def HetKernel_GemmOp : HetKernel_KernelOp<"gemm", [AttrSizedOperandSegments]> {
  let summary = "multiplies gathered rows by the weight of their type";
  let description = [{
    For each tile `(t, begin, end)` of `tiles` and each `i` in it:

    ```
    out[S(i), b..., n] (+)= scale[i] * sum_k x[G(i), b..., k] * weight[t, b..., k, n] + bias[t, b..., n]
    ```

    `G(i)` is `gather[i]`, or `i` without a gather list; `S(i)` likewise. Without
    `tiles` there is one weight `[b..., K, N]` and `i` runs over all rows of
    `gather`, else of `x`. A bias may be one for all types, `[b..., N]`. With
    `transposed` the weight is `[..., N, K]`; with
    `accumulate` the product is added to what `out` holds. Rows of `scatter` are
    distinct, so that no two threads write one row; `atomic` they may repeat, and
    what is added to one row is added in any order.

    (C1) `x` is `[rows, b..., K]`, `weight` `[types, b..., K, N]`, `out` `[rows, b..., N]`, of one element type.
    (C2) `tiles` is `?x3`, lists are `?`.
    (C3) The schedule's vector width is a power of two, blocks are not empty.
    (C4) `scale` is `?`, `bias` `[types, b..., N]` or `[b..., N]`, of that element type.
    (C5) What is `atomic` accumulates, floats of 32 or 64 bits.

    Example:

    ```mlir
    %y = hetkernel.gemm x(%x gather %g : tensor<?x64xf32>, tensor<?xi32>) weight(%w : tensor<5x64x32xf32>)
        tiles(%t : tensor<?x3xi32>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
    ```
  }];
  let arguments = (ins HetKernel_FloatBuffer:$x, Optional<HetKernel_IndexBuffer>:$gather, HetKernel_FloatBuffer:$weight,
                       Optional<HetKernel_IndexBuffer>:$tiles, Optional<HetKernel_FloatBuffer>:$scale,
                       Optional<HetKernel_FloatBuffer>:$bias,
                       Optional<HetKernel_IndexBuffer>:$scatter, HetKernel_FloatBuffer:$out,
                       UnitAttr:$transposed, UnitAttr:$accumulate, UnitAttr:$atomic,
                       OptionalAttr<HetKernel_GemmScheduleInterface>:$schedule);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    `x` `(` $x (`gather` $gather^)? `:` type($x) (`,` type($gather)^)? `)`
    `weight` `(` $weight (`transposed` $transposed^)? `:` type($weight) `)` (`tiles` `(` $tiles^ `:` type($tiles) `)`)?
    (`scale` `(` $scale^ `:` type($scale) `)`)? (`bias` `(` $bias^ `:` type($bias) `)`)?
    `outs` `(` $out (`scatter` $scatter^)? `:` type($out) (`,` type($scatter)^)? `)`
    (`accumulate` $accumulate^)? (`atomic` $atomic^)?
    (`schedule` $schedule^)? attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }];
}

def HetKernel_OuterSumOp : HetKernel_KernelOp<"outer_sum", [AttrSizedOperandSegments]> {
  let summary = "sums the outer products of gathered rows of each type";
  let description = [{
    The twin of `hetkernel.gemm` that makes the gradient of its weight:

    ```
    out[t, b..., k, n] = sum of x[G(i), b..., k] * y[H(i), b..., n]
    ```

    over each `i` in the tiles `(t, begin, end)` of type `t`, and zero where a
    type has none. `G(i)` is the entry `i` of the list of `x`, or `i` without
    one; `H(i)` likewise. Without `tiles` there is one matrix `[b..., K, N]` and
    `i` runs over all rows of the list of `y`, else of `y`. Without `x` the
    factor is 1 and `out` is `[t, b..., n]`: sums of rows.

    (C1) `y` is `[rows, b..., N]`, `x` `[rows, b..., K]`, `out` `[types, b..., K, N]`, of one element type.
    (C2) `tiles` is `?x3`, lists are `?`.
    (C3) The schedule is that of a GEMM, whose rows are here those of `out`.
    (C4) Tiles are in the order of their types, as those of `hetkernel.view` are:
    a target may search them for the first of a type. Seen where they are constant.

    Example:

    ```mlir
    %dw = hetkernel.outer_sum x(%x gather %g : tensor<?x64xf32>, tensor<?xi32>) y(%dy : tensor<?x32xf32>)
        tiles(%t : tensor<?x3xi32>) outs(%o : tensor<5x64x32xf32>) -> tensor<5x64x32xf32>
    ```
  }];
  let arguments = (ins Optional<HetKernel_FloatBuffer>:$x, Optional<HetKernel_IndexBuffer>:$x_gather,
                       HetKernel_FloatBuffer:$y, Optional<HetKernel_IndexBuffer>:$y_gather,
                       Optional<HetKernel_IndexBuffer>:$tiles, HetKernel_FloatBuffer:$out,
                       OptionalAttr<HetKernel_GemmScheduleInterface>:$schedule);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    (`x` `(` $x^ (`gather` $x_gather^)? `:` type($x) (`,` type($x_gather)^)? `)`)?
    `y` `(` $y (`gather` $y_gather^)? `:` type($y) (`,` type($y_gather)^)? `)` (`tiles` `(` $tiles^ `:` type($tiles) `)`)?
    `outs` `(` $out `:` type($out) `)` (`schedule` $schedule^)? attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }];
}

def HetKernel_ConcatOp : HetKernel_KernelOp<"concat"> {
  let summary = "copies tensors one after another";
  let description = [{
    The rows of the parts follow each other in `out`: the nodes of all types, or
    weights that a model keeps apart by type. One op, because models have
    hundreds of parts.

    (C1) Parts have the shape of `out` but for the first dimension.

    Example:

    ```mlir
    %all = hetkernel.concat (%a, %b : tensor<?x8xf32>, tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Variadic<HetKernel_FloatBuffer>:$parts, HetKernel_FloatBuffer:$out);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    `(` $parts `:` type($parts) `)` `outs` `(` $out `:` type($out) `)` attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }];
}

//===----------------------------------------------------------------------===//
// Ranks in groups
//===----------------------------------------------------------------------===//

def HetKernel_RankOp : HetKernel_KernelOp<"rank", [AttrSizedOperandSegments]> {
  let summary = "compares the numbers of each inner row with those of its segment";
  let description = [{
    For each column `c` and each inner row `e`, with `R(i)` the entry `i` of the
    list, or `i` without one, over the rows `f` of the same segment:

    ```
    out[R(e), c] = sum of max(0, x[R(e), c] - y[R(f), c])
    out[R(e), c] = sum of values[R(f), c] where y[R(f), c] < x[R(e), c]      (with values)
    ```

    The numbers `y` of a segment are sorted, so that `n` rows take `n log n`
    steps.

    (C1) `x`, `y`, `values` and `out` are `[rows, columns]`, of one element type.
    (C2) Segments and list are `?`.

    Example:

    ```mlir
    %r = hetkernel.rank x(%x : tensor<?x4xf32>) y(%y : tensor<?x4xf32>) segments(%s : tensor<?xi32>)
        outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins HetKernel_FloatBuffer:$x, HetKernel_FloatBuffer:$y, Optional<HetKernel_FloatBuffer>:$values,
                       HetKernel_IndexBuffer:$segments, Optional<HetKernel_IndexBuffer>:$list,
                       HetKernel_FloatBuffer:$out);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    `x` `(` $x `:` type($x) `)` `y` `(` $y `:` type($y) `)` (`values` `(` $values^ `:` type($values) `)`)?
    `segments` `(` $segments (`list` $list^)? `:` type($segments) (`,` type($list)^)? `)`
    `outs` `(` $out `:` type($out) `)` attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }];
}

//===----------------------------------------------------------------------===//
// The traversal template
//===----------------------------------------------------------------------===//

def HetKernel_TraverseOp : HetKernel_KernelOp<"traverse", [
    AttrSizedOperandSegments, SingleBlock, RecursivelySpeculatable]> {
  let summary = "a loop over rows, and within each over a segment of others";
  let description = [{
    The region runs once for each outer row `i` below `rows`, on any thread, in
    any order. It computes on values of one row: scalars, and vectors of the
    row's shape. `hetkernel.for_each` in it loops over the inner rows
    `segments[i]` to `segments[i + 1]` (not included). It yields one value for
    each of `outs`: the row `i`, or a `!hetkernel.segment`, which is the part of
    an output with one row for each inner row.

    (C1) The region has one argument of type index.
    (C2) It yields a row or segment of the shape of each output.
    (C3) Without `segments` it holds no `for_each`.

    Example:

    ```mlir
    %sum = hetkernel.traverse rows(%n) segments(%offsets : tensor<?xi32>) outs(%o : tensor<?x64xf32>) {
    ^bb0(%i: index):
      %zero = arith.constant dense<0.0> : vector<64xf32>
      %s = hetkernel.for_each %i init(%zero : vector<64xf32>) {
      ^bb0(%e: index, %acc: vector<64xf32>):
        %m = hetkernel.row %y[%e] : tensor<?x64xf32> -> vector<64xf32>
        %a = arith.addf %acc, %m : vector<64xf32>
        hetkernel.yield %a : vector<64xf32>
      } -> vector<64xf32>
      hetkernel.yield %s : vector<64xf32>
    } -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Index:$rows, Optional<HetKernel_IndexBuffer>:$segments, Variadic<HetKernel_FloatBuffer>:$outs,
                       OptionalAttr<HetKernel_TraverseScheduleInterface>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `rows` `(` $rows `)` (`segments` `(` $segments^ `:` type($segments) `)`)? `outs` `(` ($outs^ `:` type($outs))? `)`
    (`schedule` $schedule^)? attr-dict-with-keyword $body (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
  }];
}

def HetKernel_ForEachOp : HetKernel_Op<"for_each", [SingleBlock, RecursiveMemoryEffects, HasParent<"TraverseOp">]> {
  let summary = "the loop over the inner rows of an outer row";
  let description = [{
    The region runs for each inner row of `outer`, in order, on the accumulators
    that the run before yielded, first `inits`. It yields the next accumulators,
    then one value for each segment that the loop keeps. Results are the last
    accumulators, then the segments.

    (C1) The region's arguments are an index and the accumulators.
    (C2) It yields the types of accumulators and of the segments' elements.

    Example: see `hetkernel.traverse`.
  }];
  let arguments = (ins Index:$outer, Variadic<HetKernel_RowValue>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $outer (`init` `(` $inits^ `:` type($inits) `)`)? attr-dict-with-keyword $body (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def HetKernel_LookupOp : HetKernel_Op<"lookup", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "an entry of a view";
  let description = [{
    Example: `%u = hetkernel.lookup %src[%e] : tensor<?xi32>`
  }];
  let arguments = (ins HetKernel_IndexBuffer:$view, Index:$index);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `[` $index `]` attr-dict `:` type($view)";
}

def HetKernel_RowOp : HetKernel_Op<"row", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one row of a tensor";
  let description = [{
    The elements below the leading indices: a scalar, or a vector of the shape of
    the dimensions that are left. Without indices it is the whole tensor.

    (C1) The result has the shape of the dimensions that are left.

    Example:

    ```mlir
    %z = hetkernel.row %y[%e] : tensor<?x2x32xf32> -> vector<2x32xf32>
    ```
  }];
  let arguments = (ins HetKernel_FloatBuffer:$source, Variadic<Index>:$indices);
  let results = (outs HetKernel_RowValue:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def HetKernel_ElementOp : HetKernel_Op<"element", [Pure, TypesMatchWith<"the segment's element",
    "segment", "result", "::llvm::cast<SegmentType>($_self).getElement()">]> {
  let summary = "what an earlier loop kept for an inner row";
  let description = [{
    Example: `%a = hetkernel.element %kept[%e] : !hetkernel.segment<vector<4xf32>>`
  }];
  let arguments = (ins HetKernel_SegmentType:$segment, Index:$index);
  let results = (outs HetKernel_RowValue:$result);
  let assemblyFormat = "$segment `[` $index `]` attr-dict `:` qualified(type($segment))";
}

def HetKernel_ScatterOp : HetKernel_Op<"scatter", [Pure, AllTypesMatch<["segment", "result"]>]> {
  let summary = "other places for what a loop kept, in the output";
  let description = [{
    The value of inner row `j` is row `list[j]` of the output that the traversal
    yields the result for; with several lists, what the first says is an index
    into the second. Inner rows have distinct places, and all rows of the output
    are one.

    (C1) There is at least one list, and lists are `?`.

    Example:

    ```mlir
    %s = hetkernel.scatter %kept by %edge_id : !hetkernel.segment<vector<4xf32>>, tensor<?xi32>
    ```
  }];
  let arguments = (ins HetKernel_SegmentType:$segment, Variadic<HetKernel_IndexBuffer>:$lists);
  let results = (outs HetKernel_SegmentType:$result);
  let assemblyFormat = "$segment `by` $lists attr-dict `:` qualified(type($segment)) `,` type($lists)";
  let hasVerifier = 1;
}

def HetKernel_YieldOp : HetKernel_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["TraverseOp", "ForEachOp"]>]> {
  let summary = "ends a region of a traversal";
  let description = [{
    Example: `hetkernel.yield %s : vector<64xf32>`
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // RGNN_DIALECT_HETKERNEL_IR_HETKERNELOPS
