//===- Passes.td - from the mathematics to kernels -------------*- tablegen -*-===//

#ifndef RGNN_CONVERSION_RGNNTOHETKERNEL_PASSES
#define RGNN_CONVERSION_RGNNTOHETKERNEL_PASSES

include "mlir/Pass/PassBase.td"

def ConvertRGNNToHetKernelPass : Pass<"convert-rgnn-to-hetkernel", "::mlir::func::FuncOp"> {
  let summary = "covers a function with GEMM and traversal kernels";
  let description = [{
    Instances are chosen greedily by preference (Hector, ASPLOS 2024, sec.
    3.2.5): products of rows with weights become `hetkernel.gemm`, with the
    gather that feeds them fused in, and sums of products or of rows, the
    gradients of weights, `hetkernel.outer_sum`; everything else on rows becomes
    `hetkernel.traverse`, and ops of one nest that no GEMM parts share a kernel,
    so that what only they use is never stored. Plain tensors (weights) go to
    tensor and linalg. Encodings disappear.

    Two traversal ops share a kernel if

    * they run over the same nest: the rows that an arrow of the lattice leads
      to x those that it leads from (destinations x incoming edges, sources x
      outgoing edges, types x their pairs), edges alone, or the nodes of a type;
      and
    * neither reads, through a path that leaves the outer row, what the other
      computes: such a value must be complete before it is read (legality rule of
      fusing, Hector sec. 3.2.4).

    Before:  %u = rgnn.gather src %h in %g
             %m = rgnn.typed_linear %u, %w by etype in %g
             %s = rgnn.reduce sum dst %m in %g
    After:   %m = hetkernel.gemm x(%h gather %etype_src) weight(%w) tiles(%tiles) outs(%o scatter %etype_edges)
             %s = hetkernel.traverse rows(%n) segments(%dst_offsets) outs(%p) {
               hetkernel.for_each ... { hetkernel.row %m[%e] ... arith.addf }
             }

    What is computed of edges, and sums of edges, that only a later kernel over
    the same nest reads are computed in that kernel, so that they are not stored;
    and so are rows of pairs that only a sum over pairs reads.

    Edge values that the function returns are stored in the order of its caller's
    lists by the kernel that makes them. A value of edges that no reduction uses
    needs no nodes around it:

    Before:  %u = rgnn.gather src %h in %g
             %y = rgnn.softmax %u
             return %y
    After:   %y = hetkernel.traverse rows(%edges) outs(%o) {
               hetkernel.lookup %edge_position[%i] ... hetkernel.row %h[%u] ...
             }

    Kernels compute on f32 where tensors have floats of 16 bits. A traversal
    extends the rows that it loads and rounds those that it stores; between its
    loops nothing is rounded.

    Before:  %s = rgnn.reduce sum dst %m in %g : tensor<?x8xbf16, #edge>
    After:   %s = hetkernel.traverse rows(%n) segments(%dst_offsets) outs(%p) {
               hetkernel.for_each ... { hetkernel.row %m[%e] ... arith.extf ... arith.addf } -> vector<8xf32>
               arith.truncf ... : vector<8xf32> to vector<8xbf16>
             }

    Sums of rows for each node are computed row by row, so that the same numbers
    are added up in the same order in every run. Unless `deterministic`, a GEMM
    adds the rows that it makes to those of nodes at once, where nothing but such
    a sum reads them and they have 32 or 64 bits. They are not stored, but many
    rows may be added to one, in any order.

    Before:  %m = rgnn.typed_linear %p, %w by etype in %g : tensor<?x8xf32, #src_pair>, tensor<3x8x8xf32>
             %s = rgnn.reduce sum src %m in %g
    After:   %s = hetkernel.gemm x(%p) weight(%w) tiles(%tiles) outs(%zeros scatter %src_pair_node) accumulate atomic

    Row ops, softmaxes and reductions over the same nest share a traversal, and
    rows of edges that nothing else reads are not stored. A missed remark names
    those that are: another kernel reads them, as a product does, or a traversal
    over others than their destinations. Without `fuse` each op has a traversal of
    its own, to see what sharing is worth.

    Refused, with an error that names the op and the reason: `rgnn.torch`, ops
    on tensors without rows that are neither element-wise nor products nor
    changes of shape, two graphs of one schema, and weights by node type on a
    graph that does not say the types of its nodes.

    Counts: `num-gemms` GEMM instances, `num-outer-sums` outer sum instances,
    `num-ranks` rank instances, `num-traversals` traversal instances, `num-fused`
    row ops that join the traversal of another.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::hetkernel::HetKernelDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"];
  let options = [Option<"tileRows", "tile-rows", "int64_t", "96",
                        "rows of the tiles that types are cut into for GEMMs">,
                 Option<"outerSumTileRows", "outer-sum-tile-rows", "int64_t", "1024",
                        "rows of the tiles that types are cut into for outer sums">,
                 Option<"adjacency", "adjacency", "std::string", [{"auto"}],
                        "how rows of edges are computed: csc, within the incoming edges of a node; coo, edge by edge "
                        "with the ends looked up; or auto, as suits what reads them">,
                 Option<"deterministic", "deterministic", "bool", "true",
                        "add up the rows of a node in the same order in every run">,
                 Option<"fuse", "fuse", "bool", "true",
                        "let ops over the same rows share a traversal">];
}

#endif // RGNN_CONVERSION_RGNNTOHETKERNEL_PASSES
