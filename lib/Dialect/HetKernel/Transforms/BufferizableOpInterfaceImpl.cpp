//===- BufferizableOpInterfaceImpl.cpp - kernels on buffers ---------------===//

#include "RGNN/Dialect/HetKernel/Transforms/BufferizableOpInterfaceImpl.h"
#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::hetkernel;

/// The operands of `op` with buffers in the place of tensors.
static FailureOr<SmallVector<Value>>
getOperandBuffers(Operation *op, RewriterBase &rewriter,
                  const BufferizationOptions &options,
                  const BufferizationState &state) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isa<TensorType>(operand.getType())) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operand = *buffer;
    }
    operands.push_back(operand);
  }
  return operands;
}

/// The same kernel on buffers, whose results are the buffers of its `outs`.
static LogicalResult bufferizeKernel(Operation *op, RewriterBase &rewriter,
                                     const BufferizationOptions &options,
                                     BufferizationState &state) {
  FailureOr<SmallVector<Value>> operands =
      getOperandBuffers(op, rewriter, options, state);
  if (failed(operands))
    return failure();
  rewriter.setInsertionPoint(op);
  Operation *lowered = cloneWithoutRegions(
      rewriter, op, /*newResultTypes=*/TypeRange(), *operands);
  for (auto [from, to] : llvm::zip(op->getRegions(), lowered->getRegions()))
    rewriter.inlineRegionBefore(from, to, to.begin());
  auto outs = cast<DestinationStyleOpInterface>(lowered).getDpsInits();
  replaceOpWithBufferizedValues(rewriter, op, SmallVector<Value>(outs));
  return success();
}

namespace {

struct GemmModel : DstBufferizableOpInterfaceExternalModel<GemmModel, GemmOp> {
  /// Rows that no tile and no scatter list names keep what `out` holds.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto gemm = cast<GemmOp>(op);
    return !gemm.isDpsInit(&operand) || gemm.getAccumulate() ||
           gemm.getTiles() || gemm.getScatter();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeKernel(op, rewriter, options, state);
  }
};

/// Kernels that write all of their outputs.
template <typename OpT>
struct WholeOutModel
    : DstBufferizableOpInterfaceExternalModel<WholeOutModel<OpT>, OpT> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<OpT>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeKernel(op, rewriter, options, state);
  }
};

struct TraverseModel
    : DstBufferizableOpInterfaceExternalModel<TraverseModel, TraverseOp> {
  /// All rows of the outputs are written before anything reads them.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<TraverseOp>(op).isDpsInit(&operand);
  }

  bool isRepetitiveRegion(Operation *, unsigned) const { return true; }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeKernel(op, rewriter, options, state);
  }
};

/// Ops that read tensors and return a value that is no tensor.
template <typename OpT>
struct ReadModel : BufferizableOpInterface::ExternalModel<ReadModel<OpT>, OpT> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    FailureOr<SmallVector<Value>> operands =
        getOperandBuffers(op, rewriter, options, state);
    if (failed(operands))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperands(*operands); });
    return success();
  }
};

} // namespace

void hetkernel::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HetKernelDialect *) {
    GemmOp::attachInterface<GemmModel>(*context);
    OuterSumOp::attachInterface<WholeOutModel<OuterSumOp>>(*context);
    ConcatOp::attachInterface<WholeOutModel<ConcatOp>>(*context);
    RankOp::attachInterface<WholeOutModel<RankOp>>(*context);
    TraverseOp::attachInterface<TraverseModel>(*context);
    RowOp::attachInterface<ReadModel<RowOp>>(*context);
    LookupOp::attachInterface<ReadModel<LookupOp>>(*context);
    ScatterOp::attachInterface<ReadModel<ScatterOp>>(*context);
  });
}
