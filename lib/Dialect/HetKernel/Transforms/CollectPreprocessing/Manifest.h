//===- Manifest.h - the parts of a function's manifest ----------*- C++ -*-===//
//
// Each function describes one part of how the runtime calls a function, and
// makes that part of it so: what is left runs on arrays alone.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_DIALECT_HETKERNEL_TRANSFORMS_COLLECTPREPROCESSING_MANIFEST_H
#define RGNN_LIB_DIALECT_HETKERNEL_TRANSFORMS_COLLECTPREPROCESSING_MANIFEST_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

namespace mlir::hetkernel {

/// The graphs that are arguments, then those made of arguments. Fails, with an
/// error, where there are others.
FailureOr<SmallVector<Value>> findGraphs(func::FuncOp function);

/// How each graph is made of inputs.
FailureOr<llvm::json::Array> describeGraphs(func::FuncOp function,
                                            ArrayRef<Value> graphs);

/// The element types and sizes of results.
FailureOr<llvm::json::Array> describeOutputs(func::FuncOp function,
                                             ArrayRef<Value> graphs);

/// Numbers the kernels, and describes each: where it comes from and what it
/// reads, writes and computes, on graphs of `schemas`. Views and sizes are ops
/// still.
llvm::json::Array describeKernels(func::FuncOp function,
                                  ArrayRef<FlatSymbolRefAttr> schemas);

/// What a function asks of its graphs.
struct Requests {
  llvm::json::Array sizes, views;
};

/// Gives every view and size that is used an argument of its own, sizes first.
Requests collectRequests(func::FuncOp function, ArrayRef<Value> graphs);

/// Whether argument `number` is such a view or size.
bool isRequest(func::FuncOp function, unsigned number);

/// The inputs, in graphs of `schemas`. Drops the graphs, and the arguments that
/// only they used.
llvm::json::Array replaceInputs(func::FuncOp function,
                                ArrayRef<FlatSymbolRefAttr> schemas);

/// The number of rows that an input must have; -1 for any.
llvm::json::Value describeRows(rgnn::RowsAttr rows,
                               ArrayRef<FlatSymbolRefAttr> schemas);

/// PyTorch's name of an element type.
std::string getDTypeName(Type type);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_DIALECT_HETKERNEL_TRANSFORMS_COLLECTPREPROCESSING_MANIFEST_H
