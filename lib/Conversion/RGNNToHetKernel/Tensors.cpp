//===- Tensors.cpp - views of rows that are stored ------------------------===//

#include "Converter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

/// `type` without encoding.
static RankedTensorType getTensorType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

/// The reassociation that joins dimensions [`first`, rank) of a tensor into
/// one.
static SmallVector<ReassociationIndices> joinFrom(int64_t first, int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < first; ++dim)
    groups.push_back({dim});
  groups.push_back(llvm::to_vector(llvm::seq<int64_t>(first, rank)));
  return groups;
}

Value rgnn::reshape(OpBuilder &builder, Location loc, Value tensor,
                    RankedTensorType type, int64_t rowDims) {
  auto from = cast<RankedTensorType>(tensor.getType());
  // The number of types may be known of one side alone.
  if (rowDims == 1 && from.getDimSize(0) != type.getDimSize(0)) {
    from = RankedTensorType::get(
        llvm::to_vector(llvm::concat<const int64_t>(
            type.getShape().take_front(1), from.getShape().drop_front(1))),
        from.getElementType());
    tensor = tensor::CastOp::create(builder, loc, from, tensor);
  }
  if (from.getRank() > rowDims + 1) {
    SmallVector<int64_t> shape(from.getShape().take_front(rowDims));
    shape.push_back(
        ShapedType::getNumElements(from.getShape().drop_front(rowDims)));
    tensor = tensor::CollapseShapeOp::create(
        builder, loc, RankedTensorType::get(shape, from.getElementType()),
        tensor, joinFrom(rowDims, from.getRank()));
  } else if (from.getRank() == rowDims) {
    tensor = tensor::ExpandShapeOp::create(
        builder, loc,
        RankedTensorType::get(llvm::to_vector(llvm::concat<const int64_t>(
                                  from.getShape(), ArrayRef<int64_t>{1})),
                              from.getElementType()),
        tensor,
        rowDims == 0 ? SmallVector<ReassociationIndices>{}
                     : SmallVector<ReassociationIndices>{{0, 1}});
  }
  if (tensor.getType() == type)
    return tensor;
  if (type.getRank() == rowDims)
    return tensor::CollapseShapeOp::create(
        builder, loc, type, tensor,
        rowDims == 0 ? SmallVector<ReassociationIndices>{}
                     : SmallVector<ReassociationIndices>{{0, 1}});
  return tensor::ExpandShapeOp::create(builder, loc, type, tensor,
                                       joinFrom(rowDims, type.getRank()));
}

Value rgnn::slice(OpBuilder &builder, Location loc, Value tensor, int64_t dim,
                  OpFoldResult offset, OpFoldResult size) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  offsets[dim] = offset;
  sizes[dim] = size;
  // An argument still has the encoding that its slice must not have.
  RankedTensorType type = tensor::ExtractSliceOp::inferResultType(
      getTensorType(tensor.getType()), sizes);
  return tensor::ExtractSliceOp::create(builder, loc, type, tensor, offsets,
                                        sizes, strides);
}

/// The first node of each type, for types 0 to `count` (included).
static SmallVector<Value> getTypeOffsets(Converter &converter, Location loc,
                                         Value graph, int64_t count) {
  SmallVector<Value> offsets{
      arith::ConstantIndexOp::create(converter.builder, loc, 0)};
  for (int64_t type = 0; type < count; ++type)
    offsets.push_back(arith::AddIOp::create(
        converter.builder, loc, offsets.back(),
        converter.getSize(loc, graph, Domain::Node, type)));
  return offsets;
}

/// A tensor that is all of `parts`, one after another.
static Value join(Converter &converter, Value result, ArrayRef<Value> parts,
                  Value graph) {
  if (parts.size() == 1)
    return parts.front();
  Location loc = result.getLoc();
  Value out = converter.createEmpty(loc, result.getType(), graph);
  return hetkernel::ConcatOp::create(converter.builder, loc, out.getType(),
                                     parts, out)
      .getResult();
}

/// Rows of several graphs are joined in the order that the caller counts them.
LogicalResult Converter::convertJoin(ConcatRowsOp op) {
  SmallVector<Value> parts;
  for (Value part : op.getParts()) {
    FailureOr<Value> tensor = getForCaller(op, part);
    if (failed(tensor))
      return failure();
    parts.push_back(*tensor);
  }
  Value result = op.getResult();
  setTensor(result, join(*this, result, parts, op.getGraph()),
            getCallersPlace(getRows(result.getType()).getDomain()));
  return success();
}

LogicalResult Converter::convertPart(SliceRowsOp op) {
  Location loc = op.getLoc();
  FailureOr<Value> tensor = getForCaller(op, op.getRows());
  if (failed(tensor))
    return failure();
  RowsAttr to = getRows(op.getResult().getType());
  SmallVector<RowsAttr> domains(op.getAfter().getAsRange<RowsAttr>());
  domains.push_back(to);
  SmallVector<Value> sizes;
  for (auto [graph, rows] : llvm::zip(op.getGraphs(), domains))
    sizes.push_back(getSize(loc, graph, rows.getDomain(), rows.getType()));
  Value offset = arith::ConstantIndexOp::create(builder, loc, 0);
  for (Value size : ArrayRef(sizes).drop_back())
    offset = arith::AddIOp::create(builder, loc, offset, size);
  setTensor(op.getResult(),
            slice(builder, loc, *tensor, 0, offset, sizes.back()),
            getCallersPlace(to.getDomain()));
  return success();
}

/// The numbers stay where they are.
LogicalResult Converter::convertGroups(RegroupRowsOp op) {
  Location loc = op.getLoc();
  FailureOr<Value> tensor = getForCaller(op, op.getRows());
  if (failed(tensor))
    return failure();
  Type result = op.getResult().getType();
  Domain domain = getRows(result).getDomain();
  RankedTensorType type = getTensorType(result);
  Value flat = *tensor;
  if (int64_t rank = getTensorType(flat.getType()).getRank(); rank > 1)
    flat = tensor::CollapseShapeOp::create(
        builder, loc,
        RankedTensorType::get(ShapedType::kDynamic, type.getElementType()),
        flat,
        SmallVector<ReassociationIndices>{
            llvm::to_vector(llvm::seq<int64_t>(0, rank))});
  Value numRows =
      getSize(loc, op.getGraph(), domain, getRows(result).getType());
  if (type.getRank() > 1) {
    SmallVector<OpFoldResult> shape{numRows};
    for (int64_t size : getRowShape(result))
      shape.push_back(builder.getIndexAttr(size));
    flat = tensor::ExpandShapeOp::create(
        builder, loc, type, flat,
        SmallVector<ReassociationIndices>{
            llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))},
        shape);
  } else {
    // All numbers, as a tensor of which it is known how many there are.
    flat = slice(builder, loc, flat, 0, builder.getIndexAttr(0), numRows);
  }
  setTensor(op.getResult(), flat, getCallersPlace(domain));
  return success();
}

LogicalResult Converter::convertView(Operation *op) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  RankedTensorType type = getTensorType(result.getType());
  if (auto concat = dyn_cast<ConcatRowsOp>(op))
    return convertJoin(concat);
  if (auto part = dyn_cast<SliceRowsOp>(op))
    return convertPart(part);
  if (auto groups = dyn_cast<RegroupRowsOp>(op))
    return convertGroups(groups);
  if (auto concat = dyn_cast<ConcatTypesOp>(op)) {
    SmallVector<Value> parts;
    for (Value part : concat.getParts())
      parts.push_back(getTensor(part));
    setTensor(result, join(*this, result, parts, concat.getGraph()));
    return success();
  }
  if (auto sliceType = dyn_cast<SliceTypeOp>(op)) {
    int64_t nodeType = getRows(result.getType()).getType();
    SmallVector<Value> offsets =
        getTypeOffsets(*this, loc, sliceType.getGraph(), nodeType);
    Value size = getSize(loc, sliceType.getGraph(), Domain::Node, nodeType);
    setTensor(result, slice(builder, loc, getTensor(sliceType.getRows()), 0,
                            offsets.back(), size));
    return success();
  }
  Value x = op->getOperand(0);
  if (auto features = dyn_cast<SliceOp>(op))
    setTensor(result,
              slice(builder, loc, getTensor(x), features.getDim(),
                    builder.getIndexAttr(features.getBegin()),
                    builder.getIndexAttr(features.getSize())),
              getPlace(x));
  else
    setTensor(result, reshape(builder, loc, getTensor(x), type, 1),
              getPlace(x));
  return success();
}
