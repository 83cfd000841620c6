//===- Passes.td - passes below the dialects: memory, threads, entry -*- tablegen -*-===//

#ifndef RGNN_TRANSFORMS_PASSES
#define RGNN_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def RGNNPlanWorkspacePass : Pass<"rgnn-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "places the temporaries of @forward into one buffer that the caller keeps";
  let description = [{
    A system allocator returns large buffers to the kernel, and the first touch
    of new pages costs more than most operators. All buffers allocated at the
    top level of `@forward` therefore become views into one argument, at offsets
    that are multiples of 64 bytes. A second function says how many bytes that
    argument must have; it takes the same arguments but the workspace and reads
    only what the sizes depend on.

    Two buffers share a slot where the first is last used before the second is
    first used and both have the same number of bytes as a product of the same
    SSA values. Uses count through views, casts and control flow; loops of a group
    (`rgnn.group`) count as one op. A buffer whose pointer escapes into an op that
    is not understood lives to the end.

    Before:  func.func @forward(%n: index {rgnn.size}, %x: memref<?x8xf32>) {
               %t = memref.alloc(%n) : memref<?x8xf32>
               ...
               memref.dealloc %t
    After:   func.func @forward(%workspace: memref<?xi8> {rgnn.workspace}, %n: index, %x: ...) {
               %t = memref.view %workspace[%c0][%n] : memref<?xi8> to memref<?x8xf32>
               ...
             func.func @forward_workspace(%n: index, %x: ...) -> i64   // round up(32 * n, 64)

    Refused, with a missed remark: a buffer whose size is not computed from the
    arguments by pure ops, whose layout is not the identity, that is aligned to
    more than 64 bytes, or whose slot would lie in a region. It stays on the heap
    and is freed at the end of the function if nothing else frees it.

    Counts: `bytes-static` bytes of the slots whose size does not depend on the
    input, `num-slots` slots in the workspace, `num-reused` buffers placed into
    a slot that was there already, `num-refused` buffers left on the heap.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"forward\"", "the function to plan">,
    Option<"alignment", "alignment", "unsigned", "64", "alignment of the buffers in bytes, a power of two">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

def RGNNGroupLoopsPass : Pass<"rgnn-group-loops", "::mlir::func::FuncOp"> {
  let summary = "puts parallel loops side by side that do not depend on each other";
  let description = [{
    Between two loops all threads wait for the last; where there is no need to,
    the runtime is given both at once (`rgnn-outline-parallel`). A loop is in the
    first group behind all that it waits for; what is no loop, as late as it can.

    Before:  scf.forall (%i) in (%n) { ... memref.store %v, %a[%i] }
             scf.forall (%i) in (%n) { ... memref.load %a[%i] ... memref.store %w, %b[%i] }
             scf.forall (%i) in (%m) { ... memref.store %x, %c[%i] }
    After:   scf.forall (%i) in (%n) { ... memref.store %v, %a[%i] } {rgnn.group = 0}
             scf.forall (%i) in (%m) { ... memref.store %x, %c[%i] } {rgnn.group = 0}
             scf.forall (%i) in (%n) { ... memref.load %a[%i] ... memref.store %w, %b[%i] }

    A function with branches, or without two such loops, stays as it is. Nothing
    passes an op whose effects are not known.

    Counts: `num-groups` groups of `num-grouped` loops.
  }];
}

def RGNNOutlineParallelPass : Pass<"rgnn-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "turns parallel loops into functions that the runtime's threads call";
  let description = [{
    The process has threads already, PyTorch's where it is loaded, so a loop does
    not bring its own: its body becomes a function of a range of iterations, and
    the context that the caller passes in decides who runs which range.

    Values from outside travel as 64-bit words in an array on the caller's stack:
    a memref as its aligned pointer and the parts of offset, sizes and strides
    that its type leaves open, a scalar as its bits. Constants and pure
    computations of vectors are repeated in the function instead. The array is
    allocated in the entry block, so a loop around the parallel loop reuses it.
    Its first word is the number of the kernel that the loop comes from
    (`rgnn.kernel`), or -1: who times kernels tells them apart by it.

    Before:  scf.forall (%i) in (%n) { memref.store %v, %out[%i] : memref<?xf32> }
    After:   %env = llvm.alloca ... x !llvm.array<4 x i64>      // kernel, pointer, size, %v
             %call = llvm.load %context[8]
             llvm.call %call(%context, %n, @forward_parallel_0, %env)
             func.func private @forward_parallel_0(%begin: i64, %end: i64, %env: !llvm.ptr) {
               %out, %v = ... llvm.load from %env ...
               scf.for %i = %begin to %end { memref.store %v, %out[%i] }

    Loops of a group (`rgnn.group`) are given to the runtime together, where the
    last of them is:

             %loops = llvm.alloca ... x !llvm.array<6 x i64>    // %n, function and %env of each
             %call = llvm.load %context[32]
             llvm.call %call(%context, 2, %loops)

    A parallel loop inside another one runs sequentially in its thread. A
    function with a parallel loop gets the context as its first argument, marked
    `rgnn.context`; only functions that nobody calls may have one.

    Refused, with an error: results, more than one dimension, a captured value
    that has no fixed number of words (an unranked memref, a tensor), an op with
    effects between loops of a group.

    Counts: `num-outlined` parallel loops outlined, `num-sequential` parallel
    loops run within another one.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

def RGNNMergeFunctionsPass : Pass<"rgnn-merge-functions", "::mlir::ModuleOp"> {
  let summary = "keeps one of several functions with the same body";
  let description = [{
    A model with a kernel for each relation, head or layer has loops that differ in
    their buffers alone, which are arguments once they are functions. What is left
    out need not be lowered: two layers of ten relations have 172 functions in their
    backward, of which 21 are left. Upstream's `duplicate-function-elimination`
    renames calls alone; these functions are known by their addresses.

    Before:  %f = func.constant @forward_parallel_0 : (i64, i64, !llvm.ptr) -> ()
             %g = func.constant @forward_parallel_1 : (i64, i64, !llvm.ptr) -> ()
             func.func private @forward_parallel_0(%begin: i64, %end: i64, %env: !llvm.ptr) { ... }
             func.func private @forward_parallel_1(%begin: i64, %end: i64, %env: !llvm.ptr) { ... }  // the same
    After:   %f = func.constant @forward_parallel_0 : (i64, i64, !llvm.ptr) -> ()
             %g = func.constant @forward_parallel_0 : (i64, i64, !llvm.ptr) -> ()
             func.func private @forward_parallel_0(%begin: i64, %end: i64, %env: !llvm.ptr) { ... }

    Only private functions are left out, and nothing may tell them apart by their
    addresses.

    Counts: `num-merged` functions left out.
  }];
}

def RGNNEmitLaunchesPass : Pass<"rgnn-emit-launches", "::mlir::ModuleOp"> {
  let summary = "turns launches of a GPU's kernels into calls of the runtime";
  let description = [{
    The context that the caller passes in launches kernels: on PyTorch's stream,
    through the driver of the machine. Kernels have numbers, in the order of their
    first launch; `rgnn_kernels` says what code each of them is, for one chip or
    several. Sizes and parameters travel as 64-bit words in an array on the caller's stack: a memref
    as its whole descriptor, a scalar as its bits.

    Before:  gpu.launch_func @k::@k blocks in (%b, %c1, %c1) threads in (%c256, %c1, %c1) args(%n : index)
             gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "...">]
    After:   %words = llvm.alloca ... x !llvm.array<8 x i64>    // 6 sizes, shared bytes, %n
             %launch = llvm.load %context[24]
             llvm.call %launch(%context, 0, %words, 1)
             llvm.mlir.global constant @rgnn_kernels = [(name, codes, 1), (null, null, 0)]

    A function with a launch gets the context as its first argument, marked
    `rgnn.context`, and the manifest says that tensors are on a GPU.

    Refused, with an error: a launch that waits for another or has clusters, a
    kernel without its code or with code that no driver loads, an operand that has
    no fixed number of words, and a buffer that is not in the workspace: the host
    would allocate it in its own memory.

    Counts: `num-launches` launches in a function.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def RGNNEmitEntryPass : Pass<"rgnn-emit-entry", "::mlir::ModuleOp"> {
  let summary = "gives @forward and @forward_workspace their C interface";
  let description = [{
    The runtime passes one array of 64-bit words: the workspace, then every
    argument in order; a number is one word, a memref is its pointer and then each
    dynamic size. Strides follow from the sizes: arguments are contiguous.

    Before:  func.func @forward(%context: !llvm.ptr {rgnn.context}, %workspace: memref<?xi8> {rgnn.workspace},
                                %n: index {rgnn.size = ...}, %x: memref<?x8xf32>)
             func.func @forward_workspace(%n: index {rgnn.size = ...}, %x: memref<?x8xf32>) -> i64
    After:   func.func @rgnn_forward(%context: !llvm.ptr, %words: !llvm.ptr) -> i32  // [workspace, n, x, rows of x]
             func.func @rgnn_forward_workspace(%words: !llvm.ptr) -> i64
             and every other function internal

    Refused, with an error that names the argument: types that are neither
    memrefs of identity layout nor numbers of at most 64 bits.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def RGNNExpandCopiesPass : Pass<"rgnn-expand-copies"> {
  let summary = "turns copies of strided buffers into loops";
  let description = [{
    Upstream lowers `memref.copy` to memcpy where both sides are contiguous and
    else to a function of its own runtime library, which compiled models do not
    link. Those other copies become `linalg.copy`, and so loops that LLVM knows
    how to vectorise.

    Before:  memref.copy %row, %column : memref<4xf32> to memref<4xf32, strided<[8]>>
    After:   linalg.copy ins(%row : ...) outs(%column : ...)
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

def RGNNFuseLinalgPass : Pass<"rgnn-fuse-linalg", "::mlir::func::FuncOp"> {
  let summary = "computes chains of element-wise work on weights at once";
  let description = [{
    Gradients of weights have several parts, as large as the weights, which are
    added up one after the other. Upstream's patterns of linalg fuse what has one
    reader that computes as many elements, in any order.

    Before:  %0 = linalg.generic ins(%a, %b) { arith.addf }
             %1 = linalg.generic ins(%0, %c) { arith.addf }
    After:   %1 = linalg.generic ins(%a, %b, %c) { two of arith.addf }

    Left alone: what several ops read, what a reader repeats or adds up, and
    rows, which kernels compute.

    Counts: `num-fused` ops that another one computes.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def RGNNShareLinalgPass : Pass<"rgnn-share-linalg", "::mlir::func::FuncOp"> {
  let summary = "lets threads share large element-wise work on tensors of fixed size";
  let description = [{
    Weights of all types together are millions of numbers, and their gradients
    are added up and transposed by ops of linalg. Each such op on buffers whose
    loops are parallel, of known sizes and of `serial-below` elements or more, is
    tiled along its outermost loop, by upstream's `TilingInterface`.

    Before:  linalg.transpose ins(%w : memref<104x64x32xf32>) outs(%t : memref<104x32x64xf32>) permutation = [0, 2, 1]
    After:   scf.forall (%i) = (0) to (104) step (7) {
               %u = memref.subview %w[%i, 0, 0] ...
               %v = memref.subview %t[%i, 0, 0] ...
               linalg.transpose ins(%u : ...) outs(%v : ...) permutation = [0, 2, 1]
             }

    Refused, with a missed remark, are ops that add up, or write an element more
    than once. Those within other ops, or of unknown size, are left alone.

    Counts: `num-shared` ops that became parallel loops.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let options = [Option<"serialBelow", "serial-below", "int64_t", "32768",
                        "elements below which an op runs on one thread">];
}

def RGNNHoistAllocasPass : Pass<"rgnn-hoist-allocas", "::mlir::func::FuncOp"> {
  let summary = "moves stack buffers of fixed size to the entry of their function";
  let description = [{
    A loop frees the stack buffers of its body at the end of every iteration as
    long as it is a structured loop; once it is branches, they live until the
    function returns and the stack grows with the trip count. Moved to the entry
    block, one buffer serves all iterations.

    Before:  scf.for %i = %c0 to %n step %c1 { %t = memref.alloca() : memref<8xf32> ... }
    After:   %t = memref.alloca() : memref<8xf32>
             scf.for %i = %c0 to %n step %c1 { ... }

    Refused: a buffer of dynamic size gets a `memref.alloca_scope` around the
    loop's body instead, which saves and restores the stack pointer.

    Counts: `num-hoisted` stack buffers moved.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def RGNNCanonicalizePass : Pass<"rgnn-canonicalize"> {
  let summary = "canonicalises, without a pattern of upstream's that is wrong";
  let description = [{
    As `canonicalize`, but for a pattern that LLVM 22.1 has: it joins a
    `vector.shape_cast` with the `vector.broadcast` before it wherever the result
    is legal, although a dimension of one may then be repeated in another place.

    Before:        %b = vector.broadcast %v : vector<2x1xf32> to vector<2x2xf32>      // [v0, v0, v1, v1]
                   %s = vector.shape_cast %b : vector<2x2xf32> to vector<2x2x1xf32>
    After:         the same
    Upstream's:    %s = vector.broadcast %v : vector<2x1xf32> to vector<2x2x1xf32>    // [v0, v1, v0, v1]
  }];
}

def RGNNLinearizeVectorsPass : Pass<"rgnn-linearize-vectors"> {
  let summary = "computes rows of several dimensions as vectors of one";
  let description = [{
    LLVM has a vector of several dimensions as an array of short ones: eight heads
    of four numbers each would take eight instructions, each with a quarter of a
    register or less, where two do. Element-wise ops, constants and values that
    loops carry become vectors of one dimension by upstream's patterns; broadcasts,
    transposes and reductions over a dimension become shuffles, so that of a few
    terms each, all sums are added at once.

    Before:  %b = vector.broadcast %a : vector<8x1xf32> to vector<8x4xf32>
             %m = arith.mulf %x, %b : vector<8x4xf32>
             %s = vector.multi_reduction <add>, %m, %zero [1] : vector<8x4xf32> to vector<8xf32>
    After:   %b = vector.shuffle %a, %a [0, 0, 0, 0, 1, 1, 1, 1, ...] : vector<8xf32>, vector<8xf32>
             %m = arith.mulf %x, %b : vector<32xf32>
             %0 = vector.shuffle %m, %m [0, 4, 8, ...] : vector<32xf32>, vector<32xf32>
             %1 = arith.addf %zero, %0 : vector<8xf32>
             ...
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def RGNNLowerVectorsPass : Pass<"rgnn-lower-vectors"> {
  let summary = "breaks vector ops of any shape into what LLVM has: one-dimensional vectors";
  let description = [{
    Collects the upstream lowerings of contractions, reductions, transposes,
    broadcasts, shape casts, masks, gathers and transfers, so that a vector of any
    static shape compiles. Lengths need not be powers of two; LLVM splits them. The
    numbers of a reduction may be added in any order.

    Before:  %s = vector.multi_reduction <add>, %v, %init [1] : vector<2x33xf32> to vector<2xf32>
    After:   %0 = vector.extract %v[0] : vector<33xf32> from vector<2x33xf32>
             %1 = vector.reduction <add>, %0, ... fastmath<reassoc> : vector<33xf32> into f32
             ...
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect",
                           "::mlir::vector::VectorDialect"];
}

def RGNNApproximateMathPass : Pass<"rgnn-approximate-math", "::mlir::ModuleOp"> {
  let summary = "replaces functions by polynomials where these are as good as libm's";
  let description = [{
    A call into libm for each element keeps LLVM from vectorising the loop around
    it. The functions listed in `ApproximateMath.cpp`, with the error measured for
    each, become polynomials: those of f32, and `exp`, `sin` and `cos` of f64. The
    rest calls libm, as do vectors of which an element is beyond those that the
    polynomials of `sin` and `cos` are for.
    This pass writes the calls that upstream's lowering to LLVM would not: of `erf`,
    `cbrt`, `asinh` and the like, which have no intrinsics, and of `log1p` and
    `expm1`, which would become log(1 + x) and exp(x) - 1 and lose all digits near 0.

    Before:  %e = math.exp %x : vector<8xf32>
             %l = math.log1p %y : f64
    After:   %k = math.floor ..., %p = math.fma ...
             %l = call @log1p(%y) : (f64) -> f64
  }];
  let options = [Option<"polynomials", "polynomials", "bool", "true", "false leaves all to libm">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def RGNNOutlineFallbackPass : Pass<"rgnn-outline-fallback", "::mlir::ModuleOp"> {
  let summary = "parts what is compiled from what runs in PyTorch";
  let description = [{
    Where lifting left `rgnn.torch` in `@forward`, everything else moves into
    functions that can be compiled one by one, and `@forward` keeps the captured
    operators and calls: a plan that PyTorch carries out. A region holds all that
    can run before the next captured operator that needs it. Graphs, sizes and
    constants are made again in each region; rows cross over as plain tensors.

    Before:  func.func @forward(%x, %ei) {
               %m = rgnn.reduce sum dst ...
               %p = rgnn.unplace %m
               %f = rgnn.torch "aten.cumsum"(%p) [...]
               %h = rgnn.place %f in %g ...
               %s = rgnn.reduce sum dst ...
    After:   func.func @forward(%x, %ei) {
               %p = call @forward_region_0(%x, %ei)
               %f = rgnn.torch "aten.cumsum"(%p) [...]
               %s = call @forward_region_1(%f, %ei)

    A function without `rgnn.torch` stays as it is.

    Counts: `num-regions` functions to compile.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::rgnn::RGNNDialect"];
}

def RGNNVerifyStagePass : Pass<"rgnn-verify-stage"> {
  let summary = "checks that nothing is left that a level of IR has no place for";
  let description = [{
    Stands between the levels of every pipeline, so that a lowering that leaves
    something behind fails by name, not by what a later pass makes of it.

    | stage | ops | types |
    |---|---|---|
    | `captured` | rgnn, captured operators, func, tensor, arith, math | no buffers |
    | `rgnn` | the same; `rgnn.torch` only in a plan for PyTorch, which holds nothing but captured operators and calls | no buffers |
    | `hetkernel` | kernels, their graphs and schemas, func, tensor, linalg, bufferization, vector, arith, math | no buffers, no rows on a domain |
    | `buffers` | kernels, schemas, func, memref, scf, affine, linalg, vector, arith, math | no tensors, no graphs |
    | `llvm` | llvm | |

    It changes nothing.

    Example: `rgnn-opt --rgnn-verify-stage=stage=buffers` on

    ```mlir
    func.func @forward(%x: tensor<4xf32>) { return }
    ```

    says `'func.func' op expected no tensors at stage buffers, got 'tensor<4xf32>'`.
  }];
  let options = [Option<"stage", "stage", "std::string", "\"\"", "captured, rgnn, hetkernel, buffers or llvm">];
}

#endif // RGNN_TRANSFORMS_PASSES
