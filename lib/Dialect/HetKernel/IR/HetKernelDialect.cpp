//===- HetKernelDialect.cpp - registration, types and schedules -----------===//

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::hetkernel;

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

/// What both kinds of kernels need of their schedules.
static LogicalResult verifyLaunch(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t coarsening, int64_t threads) {
  if (coarsening != 1 && coarsening != 2 && coarsening != 4)
    return emitError() << "expected a coarsening of 1, 2 or 4, got "
                       << coarsening;
  if (threads < 0 || threads > 1024)
    return emitError() << "expected at most 1024 threads, or 0, got "
                       << threads;
  return success();
}

LogicalResult
GemmScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t tileRows, int64_t blockRows,
                         int64_t blockVectors, int64_t vectorWidth,
                         int64_t coarsening, RowScale, int64_t threads) {
  if (blockRows < 1 || blockVectors < 1)
    return emitError()
           << "expected blocks of at least one row and one vector, got "
           << blockRows << " and " << blockVectors;
  if (vectorWidth < 1 || !llvm::isPowerOf2_64(vectorWidth))
    return emitError() << "expected a power of two as vector width, got "
                       << vectorWidth;
  // What LLVM unrolls and allocates registers for in reasonable time.
  constexpr int64_t maxWidth = 64, maxBlock = 64;
  if (vectorWidth > maxWidth || blockRows > maxBlock ||
      blockVectors > maxBlock || blockRows * blockVectors > maxBlock)
    return emitError() << "expected vectors of at most " << maxWidth
                       << " elements and blocks of at most " << maxBlock
                       << " vectors, got " << vectorWidth << " and "
                       << blockRows << " x " << blockVectors;
  if (tileRows < blockRows)
    return emitError() << "expected tiles of at least one block of "
                       << blockRows << " rows, got " << tileRows;
  return verifyLaunch(emitError, coarsening, threads);
}

LogicalResult
TraverseScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             int64_t taskRows, Mapping, int64_t coarsening,
                             bool, bool, int64_t prefetch, int64_t threads,
                             int64_t blockAbove) {
  if (taskRows < 1)
    return emitError() << "expected tasks of at least one row, got "
                       << taskRows;
  if (prefetch < 0)
    return emitError() << "expected a prefetch of no negative number of rows, "
                          "got "
                       << prefetch;
  if (blockAbove < 0)
    return emitError() << "expected block_above of no negative number of rows, "
                          "got "
                       << blockAbove;
  return verifyLaunch(emitError, coarsening, threads);
}
