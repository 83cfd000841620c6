// Kernels for GPUs, run by the simulator, against the interpreter on the awkward graphs: the functions that
// --rgnn-check-compiled compares on CPUs, forward and backward.

// RUN: rgnn-translate --rgnn-check-gpu --seeds=10 %S/check-compiled.mlir | FileCheck %s --check-prefix=OPS
// RUN: rgnn-translate --rgnn-check-gpu --seeds=10 %S/check-compiled-movement.mlir | FileCheck %s --check-prefix=MOVEMENT
// RUN: rgnn-translate --rgnn-check-gpu --seeds=10 %S/check-compiled-outer-sum.mlir | FileCheck %s --check-prefix=SUMS
// RUN: rgnn-translate --rgnn-check-gpu --seeds=10 %S/check-compiled-half.mlir --relative-error=0.00391 | FileCheck %s --check-prefix=HALF
// RUN: rgnn-opt %S/check-compiled-gradient.mlir --rgnn-differentiate | rgnn-translate --rgnn-check-gpu --seeds=10 | FileCheck %s --check-prefix=BACKWARD

// Small tiles give several blocks and tails of tiles; f64 agrees to its own precision.
// RUN: sed s/f32/f64/g %S/check-compiled.mlir | rgnn-translate --rgnn-check-gpu --seeds=3 \
// RUN:   --rgnn-to-gpu-options="threads=128 gemm-schedule=tile_rows:4,block_rows:2,block_columns:1,lanes:16,coarsening:2 traverse-schedule=coarsening:1,block_above:0" \
// RUN:   | FileCheck %s --check-prefix=OPS

// Blocks that share out the inner rows of every outer row with more than one of them, several at a time.
// RUN: rgnn-translate --rgnn-check-gpu --seeds=5 %S/check-compiled.mlir --rgnn-to-gpu-options="traverse-schedule=block_above:1" \
// RUN:   | FileCheck %s --check-prefix=OPS
// RUN: sed s/f32/f64/g %S/check-compiled.mlir | rgnn-translate --rgnn-check-gpu --seeds=3 \
// RUN:   --rgnn-to-gpu-options="threads=64 traverse-schedule=block_above:2,coarsening:2" | FileCheck %s --check-prefix=OPS
// RUN: rgnn-translate --rgnn-check-gpu --seeds=10 %S/check-compiled-half.mlir --relative-error=0.00391 \
// RUN:   --rgnn-to-gpu-options="traverse-schedule=block_above:1,coarsening:1" | FileCheck %s --check-prefix=HALF
// RUN: rgnn-opt %S/check-compiled-gradient.mlir --rgnn-differentiate | rgnn-translate --rgnn-check-gpu --seeds=10 \
// RUN:   --rgnn-to-gpu-options="traverse-schedule=block_above:1" | FileCheck %s --check-prefix=BACKWARD

// Warps and blocks of other sizes, copies through registers, and an option that does not exist.
// RUN: rgnn-translate --rgnn-check-gpu --seeds=3 %S/check-compiled-outer-sum.mlir --rgnn-to-gpu-options="threads=64 chip=sm_75" \
// RUN:   | FileCheck %s --check-prefix=SMALL
// RUN: not rgnn-translate --rgnn-check-gpu %S/check-compiled.mlir --rgnn-to-gpu-options=color=red 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not rgnn-translate --rgnn-check-gpu %S/check-compiled-errors.mlir --entry=overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not rgnn-translate --rgnn-check-gpu %S/check-compiled-errors.mlir --entry=types 2>&1 | FileCheck %s --check-prefix=TYPES

// SMALL-COUNT-8: GPU kernels agree on 3 seeds, {{[1-9][0-9]*}} launches
// OPTION: error: --rgnn-to-gpu-options: {{.*}}no such option color
// OVERFLOW: error: with seed 0, result 1: expected {{.*}}, got inf
// TYPES: error: {{.*}}expected a number of edge types in schema @unknown

// OPS-COUNT-22: GPU kernels agree on {{[0-9]+}} seeds, {{[1-9][0-9]*}} launches
// MOVEMENT-COUNT-31: GPU kernels agree on 10 seeds, {{[1-9][0-9]*}} launches
// SUMS-COUNT-8: GPU kernels agree on 10 seeds, {{[1-9][0-9]*}} launches
// HALF-COUNT-3: GPU kernels agree on 10 seeds, {{[1-9][0-9]*}} launches
// BACKWARD: @attention_backward: GPU kernels agree on 10 seeds
// BACKWARD: @pairs_backward: GPU kernels agree on 10 seeds
// BACKWARD: @shapes_backward: GPU kernels agree on 10 seeds
// BACKWARD: @table_backward: GPU kernels agree on 10 seeds
// BACKWARD: @lookup_sum_backward: GPU kernels agree on 10 seeds
// BACKWARD: @made_of_the_graph_backward: GPU kernels agree on 10 seeds
// BACKWARD: @used_twice_backward: GPU kernels agree on 10 seeds
// BACKWARD: @bases_backward: GPU kernels agree on 10 seeds
