//===- Converter.h - what the parts of the conversion share -----*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_CONVERTER_H
#define RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_CONVERTER_H

#include "KernelPlan.h"

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::rgnn {

/// Rows of edges that the caller gives are in the order of the graph's lists;
/// those that kernels make, by position.
enum class EdgeOrder { Position, List };

/// Builds the kernels of one function. Rows become tensors without encoding.
class Converter {
public:
  Converter(OpBuilder &builder, const KernelPlan &plan, int64_t tileRows)
      : builder(builder), plan(plan), tileRows(tileRows) {}

  /// The tensor of a value that is stored. A plain tensor that nothing replaced
  /// is its own.
  Value getTensor(Value value) {
    Value tensor = tensors.lookup(value);
    return tensor || getRows(value.getType()) ? tensor : value;
  }
  EdgeOrder getOrder(Value value) {
    return listOrdered.contains(value) ? EdgeOrder::List : EdgeOrder::Position;
  }
  void setTensor(Value value, Value tensor,
                 EdgeOrder order = EdgeOrder::Position) {
    tensors[value] = tensor;
    if (order == EdgeOrder::List)
      listOrdered.insert(value);
  }

  /// An array derived from `graph`.
  Value getView(Location loc, Value graph, hetkernel::ViewKind kind,
                int64_t param = 0);
  /// The number of rows of a domain, or of the nodes of one type.
  Value getSize(Location loc, Value graph, Domain domain,
                int64_t nodeType = -1);
  /// An uninitialised tensor for the rows of `type`.
  Value createEmpty(Location loc, Type type, Value graph);

  LogicalResult convertGemm(Operation *op);
  LogicalResult convertView(Operation *op);
  LogicalResult convertPlain(Operation *op);
  LogicalResult convertTraversal(const TraversalGroup &group);

  OpBuilder &builder;
  const KernelPlan &plan;
  /// Rows of the tiles that types are cut into for GEMMs.
  const int64_t tileRows;

private:
  llvm::DenseMap<Value, Value> tensors;
  llvm::DenseSet<Value> listOrdered;
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_CONVERTER_H
