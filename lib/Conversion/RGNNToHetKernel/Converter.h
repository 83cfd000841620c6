//===- Converter.h - what the parts of the conversion share -----*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_CONVERTER_H
#define RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_CONVERTER_H

#include "Access.h"
#include "RGNN/Conversion/RGNNToHetKernel/KernelPlan.h"

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::rgnn {

/// Another shape of the same elements, keeping the first `rowDims` dimensions.
Value reshape(OpBuilder &builder, Location loc, Value tensor,
              RankedTensorType type, int64_t rowDims);

/// The part of `tensor` from `offset` of `size` along `dim`.
Value slice(OpBuilder &builder, Location loc, Value tensor, int64_t dim,
            OpFoldResult offset, OpFoldResult size);

/// What each step of a GEMM or of a sum reads: the row of `tensor` that `list`
/// leads to, or that of the step's own number.
struct StepRows {
  Value tensor;
  Place list;
};

/// Builds the kernels of one function. Rows become tensors without encoding.
class Converter {
public:
  Converter(OpBuilder &builder, const KernelPlan &plan, int64_t tileRows,
            int64_t outerSumTileRows)
      : builder(builder), plan(plan), tileRows(tileRows),
        outerSumTileRows(outerSumTileRows) {}

  /// The tensor of a value that is stored. A plain tensor that nothing replaced
  /// is its own.
  Value getTensor(Value value) {
    Value tensor = tensors.lookup(value);
    return tensor || getRows(value.getType()) ? tensor : value;
  }
  Place getPlace(Value value) { return places.lookup(value); }
  void setTensor(Value value, Value tensor, Place place = {}) {
    tensors[value] = tensor;
    places[value] = place;
  }
  /// The tensor of a value with rows in the order of their numbers, or in that
  /// of the caller: a copy where it has another.
  FailureOr<Value> getNumbered(Operation *user, Value value);
  FailureOr<Value> getForCaller(Operation *user, Value value);

  /// An array derived from `graph`.
  Value getView(Location loc, Value graph, ViewKind kind, int64_t param = 0);
  /// An entry of such an array.
  Value lookUp(Location loc, Value graph, ViewKind kind, Value index);
  /// The number of rows of a domain, or of the nodes of one type.
  Value getSize(Location loc, Value graph, Domain domain,
                int64_t nodeType = -1);
  /// An uninitialised tensor for the rows of `type`.
  Value createEmpty(Location loc, Type type, Value graph);
  /// One of zeros.
  Value createZeros(Location loc, Type type, Value graph);

  LogicalResult convertGemm(Operation *op);
  LogicalResult convertOuterSum(Operation *op);
  LogicalResult convertLookupSum(rgnn::LookupSumOp op);
  /// `values` is null where an excess is computed.
  LogicalResult convertRank(Operation *op, Value x, Value y, Value values,
                            Path path);
  LogicalResult convertView(Operation *op);
  LogicalResult convertJoin(rgnn::ConcatRowsOp op);
  LogicalResult convertPart(rgnn::SliceRowsOp op);
  LogicalResult convertGroups(rgnn::RegroupRowsOp op);
  LogicalResult convertWhole(Operation *op);
  Value emitMatmul(MatmulOp op, Value lhs, Value rhs);
  void convertTraversal(const TraversalGroup &group);

  OpBuilder &builder;
  const KernelPlan &plan;
  /// Rows of the tiles that types are cut into for GEMMs, and for sums.
  const int64_t tileRows, outerSumTileRows;

private:
  FailureOr<StepRows> getStepRows(Operation *product, Value operand,
                                  const GemmOrder &order);
  FailureOr<Value> reorder(Operation *user, Value value, Place place);

  llvm::DenseMap<Value, Value> tensors;
  llvm::DenseMap<Value, Place> places;
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_CONVERTER_H
