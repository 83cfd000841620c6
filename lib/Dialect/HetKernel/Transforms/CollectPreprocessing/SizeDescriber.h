//===- SizeDescriber.h - sizes as the manifest says them --------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_HETKERNEL_TRANSFORMS_COLLECTPREPROCESSING_SIZEDESCRIBER_H
#define RGNN_LIB_DIALECT_HETKERNEL_TRANSFORMS_COLLECTPREPROCESSING_SIZEDESCRIBER_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "llvm/Support/JSON.h"

namespace mlir::hetkernel {

/// The input that a value is, through casts of its type: its number among the
/// arguments that are no graphs.
std::optional<unsigned> getInputIndex(Value value);

/// Numbers that the runtime can find without running code: constants, sizes of
/// inputs, sizes of graphs, and sums of these.
class SizeDescriber {
public:
  explicit SizeDescriber(ArrayRef<Value> graphs) : graphs(graphs) {}

  std::optional<llvm::json::Value> describe(Value index) const;
  llvm::json::Value describe(SizeOp size) const;
  /// Size `dim` of a tensor, followed to where it was made.
  std::optional<llvm::json::Value> describeDim(Value tensor, int64_t dim) const;
  /// An object that says which graph: its number and, of a part, which.
  llvm::json::Object describeGraph(Value graph) const;

private:
  ArrayRef<Value> graphs;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_DIALECT_HETKERNEL_TRANSFORMS_COLLECTPREPROCESSING_SIZEDESCRIBER_H
