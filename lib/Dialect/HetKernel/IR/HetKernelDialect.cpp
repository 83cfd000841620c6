//===- HetKernelDialect.cpp - registration, types and schedules -----------===//

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::hetkernel;

#include "RGNN/Dialect/HetKernel/IR/HetKernelAttrInterfaces.cpp.inc"
#include "RGNN/Dialect/HetKernel/IR/HetKernelDialect.cpp.inc"
#include "RGNN/Dialect/HetKernel/IR/HetKernelEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "RGNN/Dialect/HetKernel/IR/HetKernelAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "RGNN/Dialect/HetKernel/IR/HetKernelTypes.cpp.inc"

void HetKernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "RGNN/Dialect/HetKernel/IR/HetKernelOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "RGNN/Dialect/HetKernel/IR/HetKernelAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "RGNN/Dialect/HetKernel/IR/HetKernelTypes.cpp.inc"
      >();
}

FailureOr<bool> hetkernel::parseFlag(AsmParser &parser) {
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword, {"true", "false"})))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected true or false");
  return keyword == "true";
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

static LogicalResult
verifyCoarsening(function_ref<InFlightDiagnostic()> emitError,
                 int64_t coarsening) {
  if (coarsening == 1 || coarsening == 2 || coarsening == 4)
    return success();
  return emitError() << "expected a coarsening of 1, 2 or 4, got "
                     << coarsening;
}

static LogicalResult verifyThreads(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t threads) {
  if (threads >= 0 && threads <= 1024)
    return success();
  return emitError() << "expected at most 1024 threads, or 0, got " << threads;
}

/// What LLVM unrolls and allocates registers for in reasonable time.
constexpr int64_t maxWidth = 64, maxBlock = 64;

static bool isLargeBlock(int64_t rows, int64_t others) {
  return rows > maxBlock || others > maxBlock || rows * others > maxBlock;
}

static LogicalResult
verifyTileRows(function_ref<InFlightDiagnostic()> emitError, int64_t tileRows,
               int64_t blockRows) {
  if (tileRows >= blockRows)
    return success();
  return emitError() << "expected tiles of at least one block of " << blockRows
                     << " rows, got " << tileRows;
}

LogicalResult
CPUGemmScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                            int64_t tileRows, int64_t blockRows,
                            int64_t blockVectors, int64_t vectorWidth,
                            int64_t coarsening, RowScale) {
  if (blockRows < 1 || blockVectors < 1)
    return emitError()
           << "expected blocks of at least one row and one vector, got "
           << blockRows << " and " << blockVectors;
  if (vectorWidth < 1 || !llvm::isPowerOf2_64(vectorWidth))
    return emitError() << "expected a power of two as vector width, got "
                       << vectorWidth;
  if (vectorWidth > maxWidth || isLargeBlock(blockRows, blockVectors))
    return emitError() << "expected vectors of at most " << maxWidth
                       << " elements and blocks of at most " << maxBlock
                       << " vectors, got " << vectorWidth << " and "
                       << blockRows << " x " << blockVectors;
  return success(succeeded(verifyTileRows(emitError, tileRows, blockRows)) &&
                 succeeded(verifyCoarsening(emitError, coarsening)));
}

LogicalResult
GPUGemmScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                            int64_t tileRows, int64_t blockRows,
                            int64_t blockColumns, int64_t lanes,
                            int64_t coarsening, RowScale, int64_t threads) {
  if (blockRows < 1 || blockColumns < 1)
    return emitError()
           << "expected blocks of at least one row and one column, got "
           << blockRows << " and " << blockColumns;
  if (lanes < 1 || !llvm::isPowerOf2_64(lanes))
    return emitError() << "expected a power of two as lanes, got " << lanes;
  if (lanes > maxWidth || isLargeBlock(blockRows, blockColumns))
    return emitError() << "expected at most " << maxWidth
                       << " lanes and blocks of at most " << maxBlock
                       << " numbers, got " << lanes << " and " << blockRows
                       << " x " << blockColumns;
  return success(succeeded(verifyTileRows(emitError, tileRows, blockRows)) &&
                 succeeded(verifyCoarsening(emitError, coarsening)) &&
                 succeeded(verifyThreads(emitError, threads)));
}

LogicalResult
CPUTraverseScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t taskRows, Mapping, int64_t coarsening,
                                bool, bool, int64_t prefetch) {
  if (taskRows < 1)
    return emitError() << "expected tasks of at least one row, got "
                       << taskRows;
  if (prefetch < 0)
    return emitError() << "expected a prefetch of no negative number of rows, "
                          "got "
                       << prefetch;
  return verifyCoarsening(emitError, coarsening);
}

LogicalResult
GPUTraverseScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t coarsening, bool, bool, int64_t threads,
                                int64_t blockAbove) {
  if (blockAbove < 0)
    return emitError() << "expected block_above of no negative number of rows, "
                          "got "
                       << blockAbove;
  return success(succeeded(verifyCoarsening(emitError, coarsening)) &&
                 succeeded(verifyThreads(emitError, threads)));
}
