//===- Buffers.cpp - from captured operators to buffers -------------------===//

#include "RGNN/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"

void mlir::rgnn::buildRGNNToBuffersPipeline(OpPassManager &manager,
                                            const CPUPipelineOptions &options) {
}
