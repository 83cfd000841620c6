//===- Passes.td - passes over the hetkernel dialect ------*- tablegen -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_TRANSFORMS_PASSES
#define RGNN_DIALECT_HETKERNEL_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def HetKernelChooseSchedulePass : Pass<"hetkernel-choose-schedule", "::mlir::func::FuncOp"> {
  let summary = "gives every kernel without a schedule one that suits the machine";
  let description = [{
    A GEMM gets the block of vectors that fills the registers: 6 rows x 2
    vectors of the 16 registers of AVX2, 12 x 2 of the 32 of AVX-512, and more
    rows by one vector where the output is narrow. Its tiles are those of the
    view where it has one. A schedule that is there stays (IREE's discipline: a
    chooser proposes, an attribute carries, passes obey).

    Before:  hetkernel.gemm x(...) weight(%w : tensor<5x64x64xf32>) ...
    After:   hetkernel.gemm ... schedule <tile_rows = 96, block_rows = 6, block_vectors = 2, vector_width = 8>
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "256", "bits of a vector register: 128, 256 or 512">];
  let statistics = [Statistic<"numChosen", "num-chosen", "schedules chosen">];
  let dependentDialects = ["::mlir::hetkernel::HetKernelDialect"];
}

def HetKernelSetSchedulePass : Pass<"hetkernel-set-schedule", "::mlir::func::FuncOp"> {
  let summary = "sets the schedule of kernels by hand";
  let description = [{
    Replaces schedules, chosen or not, for experiments and tuning. Kernels are
    numbered in the order in which they stand in the function, from 0.

    `--hetkernel-set-schedule="gemm=96,8,1,8 kernels=0,3"` sets GEMMs 0 and 3,
    `--hetkernel-set-schedule="traverse=16"` all traversals.

    Refused, with an error: a block that is empty or larger than a tile, a vector
    width that is no power of two, tiles that are not those of the kernel's view,
    a number that is not that of a kernel.
  }];
  let options = [
    ListOption<"gemm", "gemm", "int64_t", "tile rows, block rows, block vectors, vector width">,
    ListOption<"traverse", "traverse", "int64_t", "task rows">,
    ListOption<"kernels", "kernels", "int64_t", "numbers of the kernels to set; all without it">];
  let dependentDialects = ["::mlir::hetkernel::HetKernelDialect"];
}

#endif // RGNN_DIALECT_HETKERNEL_TRANSFORMS_PASSES
